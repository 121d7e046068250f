#!/bin/sh
# precise_test.sh - indicator exceptions of every instruction of a function, on
# paths that are mispredicted and beside exceptions of its own: see precise.c.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -I. -O2 -Wall -mcpu=604 -ffreestanding \
    -fno-pic -msoft-float -nostdlib -static -Wl,-Ttext=0x20000 \
    -Wl,-e,_start -Wl,--no-warn-rwx-segments \
    -Wl,-z,noexecstack -o "$TMPDIR/precise.elf" \
    tests/pif/start.S tests/pif/precise.S tests/pif/common.c \
    tests/pif/precise.c || exit 1
for options in --mode=fast --mode=detailed \
    "--set icache_kb=1 --set dcache_kb=1 --set pif_charge=1" \
    "--set pif_limits=1 --set bht_entries=16"; do
    out=$(timeout 60 "$BUILD/simrun" "$TMPDIR/precise.elf" --cpus 1 \
        $options </dev/null 2>"$TMPDIR/err")
    status=$?
    if [ $status -ne 0 ] || [ "$out" != "all right" ]; then
        echo "$options: status $status"
        echo "$out" | head
        tail -n 5 "$TMPDIR/err"
        bad=1
    fi
done
exit ${bad:-0}
