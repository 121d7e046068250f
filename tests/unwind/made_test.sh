#!/bin/sh
# made_test.sh - code that a program made while it ran has its true caller in
# every stack: without a frame, with one, calling back into the program, with
# the way back in a register and a jump at its end; in the heap, in a mapping,
# in the buffer of a bare program; stopped at any of its instructions.
# timeout: 120
set -u
. tests/sim/lib.sh
for opt in -O0 -O2; do
    "$cc" $opt -fno-stack-protector -DHOSTED -static -o "$dir/user" tests/unwind/made.c ||
        fail "made.c is not compiled"
    "$cc" $opt -fno-stack-protector -ffreestanding -nostdlib -static \
        -Wl,-Ttext=0x10000 -o "$dir/bare" tests/unwind/made.c ||
        fail "made.c, bare, is not compiled"
    for mode in detailed fast; do
        for how in user bare; do
            what="$opt, $mode, $how"
            set --
            [ $how = user ] && set -- --user
            rm -rf "$dir/m.exp"
            "$simrun" -q --mode=$mode --cpus=1 -e cycles:37 \
                --pmu-trace="$dir/m.exp" "$@" "$dir/$how" ||
                fail "$what: status $?"
            "$BUILD/simprof" export --format=folded "$dir/m.exp" >"$dir/folded"
            # The last two frames of each stack that ends in such code, or in
            # what it called.
            sed -n 's/ [0-9]*$//; /everything;/p' "$dir/folded" |
                grep -E '<Unknown>|;back$' |
                sed 's/.*everything;//' | sort -u >"$dir/got"
            printf '%s\n' 'by_calls;<Unknown>' 'by_calls;<Unknown>;back' \
                'by_framed;<Unknown>' 'by_leaf;<Unknown>' 'by_tail;<Unknown>' \
                'by_tail;back' | sort >"$dir/want"
            diff "$dir/want" "$dir/got" || fail "$what: stacks differ"
            grep -q "Truncated.*everything" "$dir/folded" && fail "$what: truncated"
        done
    done
done
exit 0
