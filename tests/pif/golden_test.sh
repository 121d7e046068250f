#!/bin/sh
# golden_test.sh - the instrumentation facility does what docs/pif.md says: its
# worked examples and rules, run by a bare-metal program in both modes.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -I. -O2 -Wall -mcpu=604 -ffreestanding \
    -fno-pic -msoft-float -nostdlib -static -Wl,-Ttext=0x20000 \
    -Wl,-e,_start -Wl,--no-warn-rwx-segments \
    -Wl,-z,noexecstack -o "$TMPDIR/golden.elf" \
    tests/pif/start.S tests/pif/routines.S tests/pif/common.c \
    tests/pif/golden*.c || exit 1
for mode in fast detailed; do
    out=$(timeout 60 "$BUILD/simrun" "$TMPDIR/golden.elf" --cpus 1 \
        --mode=$mode </dev/null 2>"$TMPDIR/err")
    status=$?
    if [ $status -ne 0 ] || [ "$out" != "all right" ]; then
        echo "$mode: status $status"
        echo "$out"
        tail -n 5 "$TMPDIR/err"
        bad=1
    fi
done
exit ${bad:-0}
