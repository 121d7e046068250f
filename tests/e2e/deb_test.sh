#!/bin/sh
# deb_test.sh - `make deb`: the package is the same twice, lintian has nothing to say,
# and what it holds runs where it is unpacked, with its man pages, completion and the
# entry of a desktop.
# timeout: 400
set -u
for program in dpkg-deb dpkg-shlibdeps lintian; do
    command -v $program >/dev/null || { echo "no $program"; exit 77; }
done
[ -e "$BUILD/simview" ] || { echo "no simview"; exit 77; }
case $(cat "$BUILD/obj/flags") in
*fsanitize*) echo "sanitizers are not packed"; exit 77 ;;
esac
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
# A folder of its own, so that no package is left in BUILD.
mkdir "$dir/build"
for file in simrun simprof simmark simview guest.elf; do
    ln -s "$BUILD/$file" "$dir/build/$file"
done
for n in 1 2; do
    BUILD=$dir/build SOURCE_DATE_EPOCH=1700000000 tests/setup/deb >"$dir/said" 2>&1 ||
        fail "$(cat "$dir/said")"
    [ "$(wc -l <"$dir/said")" -eq 1 ] || fail "lintian: $(cat "$dir/said")"
    mv "$(cat "$dir/said")" "$dir/$n.deb"
done
cmp "$dir/1.deb" "$dir/2.deb" || fail "made twice, two packages"
dpkg-deb -x "$dir/1.deb" "$dir/root" || fail "cannot be unpacked"
for file in share/man/man1/simrun.1.gz share/man/man1/simview.1.gz share/applications/simview.desktop \
    share/bash-completion/completions/simprof share/doc/simrun/copyright share/doc/simrun/docs/tools.md \
    include/simrun/section.h; do
    [ -s "$dir/root/usr/$file" ] || fail "no $file"
done
cd "$dir" || exit 1
root/usr/bin/simrun -q --pmu-trace=x.exp --append "n=2 states=on" guest.elf >out 2>&1 || fail "$(cat out)"
root/usr/bin/simprof info x.exp | grep -q '^ended *yes' || fail "info"
root/usr/bin/simview --text x.exp | grep -q '^CPUs are' || fail "simview"
dpkg-deb -f 1.deb Depends | grep -q 'libsdl2-2.0-0.*fonts-dejavu-core' || fail "Depends: $(dpkg-deb -f 1.deb Depends)"
cd / && rm -r "$dir"
