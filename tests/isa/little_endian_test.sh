#!/bin/sh
# little_endian_test.sh - a program that turns MSR[LE] on is stopped with a
# line that says so, in both modes and by either way in.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
TMPDIR=${TMPDIR:-$(mktemp -d)}
printf '.globl _start\n_start: li 3,1\nmtmsr 3\nli 3,0\nblr\n' \
    >"$TMPDIR/mtmsr.S"
printf '.globl _start\n_start: li 3,1\nmtspr 27,3\nrfi\nli 3,0\nblr\n' \
    >"$TMPDIR/rfi.S"
for way in mtmsr rfi; do
    powerpc-linux-gnu-gcc -nostdlib -static -o "$TMPDIR/$way" \
        "$TMPDIR/$way.S" || exit 1
    for mode in fast detailed; do
        timeout 60 "$BUILD/simrun" "$TMPDIR/$way" --cpus 1 --mode=$mode \
            >"$TMPDIR/out" 2>&1 </dev/null
        status=$?
        if [ $status -ne 125 ] || ! grep -q 'little-endian' "$TMPDIR/out"; then
            echo "$way, $mode: status $status"
            head -n 3 "$TMPDIR/out"
            exit 1
        fi
    done
done
