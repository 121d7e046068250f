#!/bin/sh
# exceptions_test.sh - every exception, raised by a bare-metal program in both
# modes, finds the registers as the manual says.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
TMPDIR=${TMPDIR:-$(mktemp -d)}
powerpc-linux-gnu-gcc -I. -O2 -Wall -mcpu=604 -ffreestanding \
    -fno-pic -msoft-float -nostdlib -static -DEXIT_MSR=0 -Wl,-Ttext=0x20000 \
    -Wl,-e,main -Wl,--no-warn-rwx-segments -o "$TMPDIR/exceptions.elf" \
    tests/isa/board.S tests/isa/exceptions.c || exit 1
for mode in fast detailed; do
    out=$(timeout 60 "$BUILD/simrun" "$TMPDIR/exceptions.elf" --cpus 1 \
        --mode=$mode </dev/null 2>"$TMPDIR/err")
    status=$?
    if [ $status -ne 0 ] || [ "$out" != "all right" ]; then
        echo "$mode: status $status"
        echo "$out"
        tail -n 5 "$TMPDIR/err"
        exit 1
    fi
done
