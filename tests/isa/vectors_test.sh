#!/bin/sh
# vectors_test.sh - where exceptions go with MSR[IP], what ME=0 does, and that
# nobody enters a vector the chip does not have: the last line of the run says
# which way it ended, in both modes.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
TMPDIR=${TMPDIR:-$(mktemp -d)}

# expect NAME STATUS WORDS: run the program on standard input in both modes.
expect() {
    { echo '.globl _start'; echo '_start:'; cat; } >"$TMPDIR/$1.S"
    powerpc-linux-gnu-gcc -mcpu=604 -nostdlib -static -o "$TMPDIR/$1" \
        "$TMPDIR/$1.S" || exit 1
    for mode in fast detailed; do
        timeout 60 "$BUILD/simrun" "$TMPDIR/$1" --cpus 1 --mode=$mode \
            >"$TMPDIR/out" 2>&1 </dev/null
        status=$?
        if [ $status -ne "$2" ] ||
            { [ "$3" ] && ! grep -q "$3" "$TMPDIR/out"; }; then
            echo "$1, $mode: status $status, not $2 with: $3"
            head -n 5 "$TMPDIR/out"
            exit 1
        fi
    done
}

# Nothing is at 0xFFF00000 on this board: the fetch from 0xFFF00C00 is a
# machine check, and without ME that is a checkstop there.
expect high_vectors 125 'checkstop' <<'END'
    li 3,0x40
    mtmsr 3
    isync
    sc
END
grep -q -i 'fff00c00' "$TMPDIR/out" || {
    echo "the checkstop is not at 0xFFF00C00"; cat "$TMPDIR/out"; exit 1; }

# The same with vectors at 0 goes to a handler, which returns 7.
expect low_vectors 7 '' <<'END'
    lis 4,handler@ha
    la 4,handler@l(4)
    li 6,8
    mtctr 6
    li 5,0xC00-4
    addi 4,4,-4
1:  lwzu 6,4(4)
    stwu 6,4(5)
    bdnz 1b
    li 5,0xC00
    dcbst 0,5
    sync
    icbi 0,5
    isync
    sc
    blr
handler:
    li 3,7
    rfi
    .rept 8
    nop
    .endr
END

expect nobody_and_no_me 125 'checkstop' <<'END'
    lis 3,0xF000
    lwz 4,0(3)
END

expect reset_vector_is_memory 9 '' <<'END'
    lis 4,0x3860
    ori 4,4,9
    stw 4,0x100(0)
    lis 4,0x4E80
    ori 4,4,0x20
    stw 4,0x104(0)
    li 5,0x100
    dcbst 0,5
    sync
    icbi 0,5
    isync
    mtctr 5
    bctr
END
