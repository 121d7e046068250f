#!/bin/sh
# rules_test.sh - corners of docs/pif.md: which of several causes of an
# instruction is signalled, and in which states marks are looked up.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -I. -O2 -Wall -mcpu=604 -ffreestanding \
    -fno-pic -msoft-float -nostdlib -static -Wl,-Ttext=0x20000 \
    -Wl,-e,_start -Wl,--no-warn-rwx-segments \
    -Wl,-z,noexecstack -o "$TMPDIR/rules.elf" \
    tests/pif/start.S tests/pif/routines.S tests/pif/common.c \
    tests/pif/rules.c || exit 1
for mode in fast detailed; do
    out=$(timeout 60 "$BUILD/simrun" "$TMPDIR/rules.elf" --cpus 1 \
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
