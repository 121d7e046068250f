#!/bin/sh
# smp_test.sh - counts of marks on 1 to 8 processors lose nothing: see smp.c.
# timeout: 200
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -I. -O2 -Wall -mcpu=604 -ffreestanding \
    -fno-pic -msoft-float -nostdlib -static -Wl,-Ttext=0x20000 \
    -Wl,-e,_start -Wl,--no-warn-rwx-segments \
    -Wl,-z,noexecstack -o "$TMPDIR/smp.elf" \
    tests/pif/start.S tests/pif/routines.S tests/pif/common.c \
    tests/pif/smp.c || exit 1
try() {
    out=$(timeout 60 "$BUILD/simrun" "$TMPDIR/smp.elf" "$@" </dev/null \
        2>"$TMPDIR/err")
    status=$?
    [ $status -eq 0 ] && [ "$out" = "all right" ] && return
    echo "$*: status $status"
    echo "$out"
    tail -n 3 "$TMPDIR/err"
    bad=1
}
for cpus in 1 2 3 5 8; do
    try --cpus $cpus
done
try --cpus 8 --mode=fast
try --cpus 8 --set pif_limits=1
try --cpus 4 --set icache_kb=1 --set dcache_kb=1
try --cpus 8 --set pif_charge=1 --set quantum=50
exit ${bad:-0}
