#!/bin/bash
# ranges_anywhere_test.sh - ranges of a --user program's stack, of pages that it
# maps and of the code that it makes there: executions, accesses and entries,
# by what the program says of itself; and bounds that no instruction has.
set -u
. tests/sim/lib.sh
cat >"$dir/made.S" <<'END'
        .globl _start
_start: stwu 1, -16(1)          /* 3 accesses of the stack */
        li 0, 90                /* mmap: a page that can be executed */
        addi 4, 1, -64
        li 5, 0
        stw 5, 8(1)
        lwz 6, 8(1)
        li 3, 0
        li 4, 4096
        li 5, 7
        li 6, 0x22
        li 7, -1
        li 8, 0
        sc
        mr 31, 3
        lis 4, 0x4E80           /* blr */
        ori 4, 4, 0x20
        stw 4, 0(31)
        stw 4, 4(31)
        dcbst 0, 31
        sync
        icbi 0, 31
        isync
        mtctr 31
        bctrl                   /* twice: there and back */
        bctrl
        li 3, 0
        li 0, 1
        sc
END
"$cc" -nostdlib -static -o "$dir/made" "$dir/made.S" || fail "does not assemble"
for options in --mode=fast --mode=detailed "--set pif_carrier=1"; do
    rm -rf "$dir/a.exp"
    # shellcheck disable=SC2086 # options are words
    run 0 $options --cpus=1 --user --clear-env --pmu-trace=a.exp \
        --range 0xa0000000..0xb0000000 --range 0..0xfffffffc \
        --data-range 0xbf000000..0xc0000000 \
        --data-range 0xaf000000..0xb0000000 ./made
    (cd "$dir" && "$BUILD/simprof" marks --csv a.exp) >"$dir/out"
    [ "$(awk -F, '$1 ~ /^range/ { print $1, $3, $8, $7 }' "$dir/out" |
        tr '\n' ',')" = "range 2 2 <Unknown>,range 30 1 <Unknown>,\
range-data 3 1 0xbf000000,range-data 2 1 0xaf000000," ] ||
        fail "$options: other counts"
done
run 2 --user --clear-env --range 0x2..0x8 ./made
run 2 --user --clear-env --range 0..0xffffffff ./made
exit 0
