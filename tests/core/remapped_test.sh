#!/bin/sh
# remapped_test.sh - the timing memo changes no bit where a page of code is mapped
# to other memory under the same address, and rewritten, on 1 to 8 CPUs: what the
# program sees, summary and experiment are the same with --memo=off, on and check.
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
bad=0
powerpc-linux-gnu-gcc -I . -O2 -mno-multiple -ffreestanding -nostdlib -static \
    -Wl,-Ttext-segment=0x20000 -o "$TMPDIR/remapped.elf" tests/core/remapped.c ||
    exit 1
cd "$TMPDIR" || exit 1
for options in --cpus=1 --cpus=5 "--cpus=8 --memo-size=1" \
    "--cpus=2 -e cycles:500 --set icache_kb=1"; do
    for memo in off on check; do
        # shellcheck disable=SC2086
        "$BUILD/simrun" $options --mem=64M --memo=$memo --summary \
            --pmu-trace=x.$memo --max-cycles=9000000 remapped.elf >out.$memo 2>&1 ||
            { echo "$options, $memo: status $?"; bad=1; }
        grep -v '^  host' out.$memo | sed "s/x\.$memo/x/" >text.$memo
    done
    for memo in on check; do
        cmp text.off text.$memo && diff -r x.off x.$memo >diff ||
            { echo "--memo=$memo $options: differs"; head -5 diff; bad=1; }
    done
    rm -rf x.off x.on x.check
done
# The page table was searched, pages were missed, and interrupts came.
awk 'NF == 4 && ($2 == "00000000" || $3 == "00000000" || $4 != "0000000c") {
        print; bad = 1 } NF == 4 { n++ } END { exit bad || n != 2 }' text.off ||
    { echo "the program did not what it is for"; cat text.off; bad=1; }
exit $bad
