#!/bin/sh
# sampled_test.sh - sampled instructions and the branch record do what
# docs/pif.md 13 says, in both modes, on hand-made sequences: sampled.c.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
for mode in fast detailed; do
    [ $mode = fast ] && tempo=-DFAST || tempo=
    powerpc-linux-gnu-gcc -I. -O2 -Wall -mcpu=604 -ffreestanding $tempo \
        -fno-pic -msoft-float -nostdlib -static -Wl,-Ttext=0x20000 \
        -Wl,-e,_start -Wl,--no-warn-rwx-segments -Wl,-z,noexecstack \
        -o "$TMPDIR/sampled.elf" tests/pif/start.S tests/pif/sampled.S \
        tests/pif/common.c tests/pif/sampled.c || exit 1
    out=$(timeout 60 "$BUILD/simrun" "$TMPDIR/sampled.elf" --cpus 1 \
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
