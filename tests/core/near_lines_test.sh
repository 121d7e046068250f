#!/bin/sh
# near_lines_test.sh - blocks of warm mode, which find lines of data by their address,
# read and leave behind what the interpreter does where pages are mapped anew and push
# each other out of the TLB: output, and the cycles of stretches in detail.
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
bad=0
powerpc-linux-gnu-gcc -I . -O2 -mno-multiple -ffreestanding -nostdlib -static \
    -Wl,-Ttext-segment=0x20000 -o "$TMPDIR/near.elf" tests/core/near_lines.c || exit 1
cd "$TMPDIR" || exit 1
"$BUILD/simrun" -q --cpus=1 --mem=64M near.elf >truth ||
    { echo "detailed: status $?"; exit 1; }
# Short stretches, to which it matters what the TLB holds where they begin.
for begin in 60000 90000 130000; do
    detail=
    for n in $(seq 40); do
        detail="$detail --detail=$((begin + 331 * n)):+60"
    done
    for engine in interpreter blocks; do
        # shellcheck disable=SC2086
        "$BUILD/simrun" --cpus=1 --mem=64M --mode=warm --engine=$engine --summary \
            $detail --detail-fill=0 -e dtlb_miss -e dcache_miss \
            near.elf >out 2>$engine ||
            { echo "$engine, $begin: status $?"; bad=1; }
        cmp truth out || { echo "$engine, $begin: read something else"; bad=1; }
        sed -i '/^  host/d; /^  experiment/d' $engine
    done
    cmp interpreter blocks || { diff interpreter blocks; bad=1; }
    grep -q 'in detail    40 of 40 stretches' blocks ||
        { echo "$begin: not in detail"; cat blocks; bad=1; }
done
exit $bad
