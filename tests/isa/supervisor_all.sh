#!/bin/sh
# supervisor_all.sh - supervisor instructions, exceptions, blocks, segments and
# page tables do to random operands what QEMU's 604e does on a bare board,
# with remembered translations and without. board.c says where QEMU is not
# the chip and such cases are not made.
# timeout: 900
for tool in powerpc-linux-gnu-gcc qemu-system-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
TMPDIR=${TMPDIR:-$(mktemp -d)}
powerpc-linux-gnu-gcc -I. -O2 -Wall -Wextra -mcpu=604 -ffreestanding \
    -fno-pic -msoft-float -nostdlib -static -DROUNDS=2000 \
    -Wl,-T,tests/isa/board.ld -Wl,--build-id=none -o "$TMPDIR/board.elf" \
    tests/isa/board.S tests/isa/board.c || exit 1
powerpc-linux-gnu-objcopy -O binary -j .text "$TMPDIR/board.elf" \
    "$TMPDIR/board.bin" && truncate -s 1M "$TMPDIR/board.bin" || exit 1
${CC:-gcc} -std=gnu11 -O2 -Wall -Wextra -I. -o "$TMPDIR/board_run" \
    tests/isa/board_run.c $(tests/setup/libraries isa) || exit 1

# The board starts again when the program is over: the first END counts. Time
# follows instructions, or the decrementer would follow the host.
qemu-system-ppc -M 40p -cpu 604e -m 64 -bios "$TMPDIR/board.bin" \
    -display none -vga none -serial "file:$TMPDIR/qemu.raw" -monitor none \
    -net none -no-reboot -icount shift=0 >"$TMPDIR/qemu.log" 2>&1 &
qemu=$!
n=0
until grep -q '^END' "$TMPDIR/qemu.raw" 2>/dev/null; do
    n=$((n + 1))
    kill -0 $qemu 2>/dev/null && [ $n -lt 600 ] || break
    sleep 1
done
kill $qemu 2>/dev/null
sed '/^END/q' "$TMPDIR/qemu.raw" >"$TMPDIR/qemu.out"
if ! tail -n 1 "$TMPDIR/qemu.out" | grep -q '^END'; then
    tail -n 5 "$TMPDIR/qemu.log"
    echo "QEMU did not come to the end"
    exit 1
fi
for tlb in without with; do
    "$TMPDIR/board_run" "$TMPDIR/board.bin" $tlb >"$TMPDIR/isa.out" || {
        echo "isa $tlb TLB did not come to the end"; exit 1; }
    if ! cmp -s "$TMPDIR/qemu.out" "$TMPDIR/isa.out"; then
        diff "$TMPDIR/qemu.out" "$TMPDIR/isa.out" | head -n 20
        exit 1
    fi
    echo "$(wc -l <"$TMPDIR/isa.out") tests $tlb TLB, none differs"
done
