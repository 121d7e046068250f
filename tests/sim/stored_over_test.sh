#!/bin/sh
# stored_over_test.sh - one processor may store over the very instruction that
# another is about to execute: the store takes effect, and nothing else. Wherever
# the two lie in cache lines, nobody is held up for ever.
set -eu
cd "$(mktemp -d)"
cat >over.S <<'E'
    .globl _start
_start: lis 7,0xfe00    # release CPU 1
    ori 7,7,0x3004
    lis 8,other@h
    ori 8,8,other@l
    stw 8,0(7)
    lis 9,1
    mtctr 9
loop: addi 10,10,1
    addi 11,11,1
    bdnz loop
    xor 3,10,11         # the same number of each, whoever stores
    blr
other: lis 5,loop@h     # the two words as they are, for ever
    ori 5,5,loop@l
    lwz 6,0(5)
    lwz 7,4(5)
1:  stw 6,0(5)
    stw 7,4(5)
    b 1b
E
for at in 10000 10010; do
    powerpc-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x$at -o over.elf over.S
    for options in --set=quantum=0 --set=quantum=100 --mode=fast \
        "--set=quantum=0 --set=line_bytes=64"; do
        # shellcheck disable=SC2086 # options are words
        "$BUILD/simrun" --cpus=2 --max-cycles=2000000 $options over.elf ||
            { echo "$at $options: status $?"; exit 1; }
    done
done
