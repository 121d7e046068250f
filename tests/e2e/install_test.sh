#!/bin/sh
# install_test.sh - `make install` puts programs, guest, chip table, documents
# and headers where asked, below DESTDIR; they work from there, also when it is
# moved, and simrun finds guest and chip table by their names; `make uninstall`
# leaves nothing. `make help` names every target that is for people.
# timeout: 240
set -eu
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
stage() {
    make -s BUILD="$BUILD" -o all DESTDIR="$dir/stage" PREFIX=/opt/simrun "$@"
}
stage install
top=$dir/stage/opt/simrun
for file in bin/simrun bin/simprof bin/simmark share/simrun/guest.elf \
    share/simrun/ppc604e.def share/doc/simrun/README.md \
    share/doc/simrun/docs/tools.md share/doc/simrun/LICENSE \
    share/man/man1/simrun.1 share/man/man1/simmark.1 \
    share/bash-completion/completions/simprof \
    include/simrun/perfinst.h include/simrun/section.h; do
    [ -f "$top/$file" ] || fail "no $file"
done
for page in $(grep -oE '\]\([A-Za-z/]+(\.md)?\)' README.md | tr -d '()]'); do
    [ -f "$top/share/doc/simrun/$page" ] || fail "README.md leads to no $page"
done
mv "$dir/stage" "$dir/moved"
top=$dir/moved/opt/simrun
root=$PWD
cd "$dir"
"$top/bin/simrun" guest.elf --pmu-trace --chip=ppc604e >out 2>&1 \
    </dev/null || fail "guest.elf is not found: $(cat out)"
"$top/bin/simprof" info guest.1.exp >info || fail "$(cat info)"
[ -s info ]
# A file of that name that is here comes first.
printf 'int _start(void) { return 9; }\n' >nine.c
powerpc-linux-gnu-gcc -nostdlib -static -o guest.elf nine.c
status=0
"$top/bin/simrun" guest.elf || status=$?
[ $status -eq 9 ] || fail "guest.elf is another one: status $status"
rm guest.elf

# What is nowhere: where it was looked for.
status=0
"$top/bin/simrun" gest.elf >out 2>&1 || status=$?
[ $status -eq 125 ] && [ "$(wc -l <out)" -eq 1 ] || fail "gest.elf: $(cat out)"
grep -qF "nor is it in $top/bin or $top/share/simrun" out || fail "$(cat out)"
status=0
"$top/bin/simrun" --chip=ppc605 guest.elf >out 2>&1 || status=$?
[ $status -eq 2 ] || fail "--chip=ppc605: status $status"
grep -qF "nor is it in $top/bin or $top/share/simrun" out || fail "$(cat out)"
"$top/bin/simrun" ./guest.elf >out 2>&1 && fail "./guest.elf is found elsewhere"
grep -q 'nor is it' out && fail "./guest.elf was looked for elsewhere"
# Where it was built.
"$BUILD/simrun" --max-cycles=100000 guest.elf >out 2>&1 || [ $? -eq 124 ] ||
    fail "the built guest.elf is not found: $(cat out)"

"$top/bin/simmark" verify "$top/share/simrun/guest.elf" >marks ||
    fail "$(cat marks)"
printf '#include <simrun/perfinst.h>\nint main(void) { return 0; }\n%s\n' \
    'PERFINST_COUNT_FUNCTION(main);' >marked.c
powerpc-linux-gnu-gcc -I"$top/include" -static -no-pie -o marked marked.c
"$top/bin/simmark" list marked | grep -q '# main' ||
    fail "the installed directives mark nothing"

mv "$dir/moved" "$dir/stage"
mkdir -p "$dir/stage/opt/simrun/share/other"
cd "$root"
stage uninstall
left=$(find "$dir/stage" ! -type d)
[ -z "$left" ] || fail "uninstall leaves $left"
[ -d "$dir/stage/opt/simrun/share/other" ] || fail "uninstall took too much"
find "$dir/stage" -name simrun -path "$dir/stage/*simrun/*" | grep -q . &&
    fail "uninstall leaves directories"

make -s help >"$dir/help"
awk 'length > 80 { print; bad = 1 } END { exit bad }' "$dir/help" ||
    fail "make help is wider than 80 columns"
for target in run check check-all asan fuzz bench pgo idle-proof docs fmt install \
    deb uninstall clean; do
    grep -q "^make $target " "$dir/help" || fail "make help: no $target"
done
