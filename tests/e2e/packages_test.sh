#!/bin/sh
# packages_test.sh - what is missing is named in one line, with the command
# that helps; where it cannot be installed nothing is asked and nothing hangs;
# what is there is not installed again.
set -eu
dir=$(mktemp -d)
root=$PWD

# A machine with the usual small tools but no compiler at all.
mkdir "$dir/bin"
for tool in sh env awk sed sort tr cat cut head tail rm mkdir mktemp dirname \
    basename printf cmp make uname ls find date wc grep touch true false; do
    path=$(command -v $tool) && case $path in /*) ln -s "$path" "$dir/bin" ;; esac
done
id=$dir/bin/id
printf '#!/bin/sh\necho 1000\n' >"$id" # not root, and there is no sudo
chmod +x "$id"
sh=$(command -v sh)

for verb in check install; do
    status=0
    PATH=$dir/bin "$sh" tests/setup/packages $verb build test \
        >"$dir/out" 2>&1 </dev/null || status=$?
    [ "$status" -ne 0 ] || { echo "$verb: nothing missing?"; exit 1; }
    [ "$(wc -l <"$dir/out")" -eq 1 ] ||
        { echo "$verb: more than a line"; cat "$dir/out"; exit 1; }
    for package in gcc libelf-dev libdw-dev libcapstone-dev libjansson-dev libcmocka-dev \
        gcc-powerpc-linux-gnu qemu-user clang; do
        grep -qw -- "$package" "$dir/out" ||
            { echo "$verb: $package not named"; cat "$dir/out"; exit 1; }
    done
done

# `make` stops before the first file, with that line.
cp -r "$root"/Makefile "$root"/tests "$root"/lib "$root"/isa "$root"/pmu "$root"/sim \
    "$root"/tools "$root"/guest "$dir"
status=0
(cd "$dir" && PATH=$dir/bin make BUILD=build all >out 2>&1 </dev/null) ||
    status=$?
[ "$status" -ne 0 ]
grep -q '^missing packages: .*gcc-powerpc-linux-gnu' "$dir/out" ||
    { cat "$dir/out"; exit 1; }
[ "$(grep -vc '^make' "$dir/out")" -eq 1 ] ||
    { echo "more than one line:"; cat "$dir/out"; exit 1; }

# Here everything is installed: silence, no apt-get, no sudo.
for tool in apt-get sudo; do
    printf '#!/bin/sh\necho "%s was called"\nexit 1\n' $tool >"$dir/bin/$tool"
    chmod +x "$dir/bin/$tool"
done
rm "$id"
out=$(PATH=$dir/bin:$PATH tests/setup/packages install build test 2>&1)
[ -z "$out" ] || { echo "on a complete machine: $out"; exit 1; }
