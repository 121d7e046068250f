#!/bin/sh
# figure16_test.sh - golden test G-H4: figure 16's five entries, brought along
# by a program, at work in the host unit: 30 counts a straight pass, one
# exception, the threshold event in those passes only that miss, 64 traced
# instructions, with both carriers, in both modes, and at no cost.
# timeout: 240
set -u
root=$PWD
cross=powerpc-linux-gnu-
cd "$TMPDIR" || exit 1
bad=0
complain() {
    echo "$1"
    bad=1
}

# Straight code of 140 instructions, 7 times; the word that offset 160 loads
# is flushed after the passes with r4 odd: 7, 5, 3, 1. So the first pass, which
# is the 7th from the end, and those after 7, 5 and 3 miss: four of them.
passes=7 misses=4
cat >straight.S <<'E'
#ifdef MARKED
#include "include/perfinst.h"
#endif
    .globl _start
_start: mflr 31
    li 4, 7
    lis 7, word@ha
    addi 7, 7, word@l
again: bl straight
    andi. 5, 4, 1
    beq next
    dcbf 0, 7
    sync
next: addic. 4, 4, -1
    bne again
    mtlr 31
    li 3, 0
    blr
    .balign 32
    .type straight, @function
straight:
    .rept 40
    nop
    .endr
    lwz 6, 0(7)
    .rept 98
    nop
    .endr
    blr
    .size straight, . - straight
    .section .bss
    .balign 32
word: .skip 32
#ifdef MARKED
    perfinst_table straight, 560
    perfinst_entry 0, 120, PERFINST_COUNT
    perfinst_entry 120, 4, PERFINST_EXCEPTION
    perfinst_entry 160, 4, PERFINST_THRESHOLD_100
    perfinst_entry 256, 4, PERFINST_TSTART
    perfinst_entry 512, 4, PERFINST_TSTOP
    perfinst_table_end
#endif
E
for which in "plain" "marked -DMARKED"; do
    set -- $which
    ${cross}gcc ${2:-} -I"$root" -nostdlib -static -Wl,-Ttext=0x10000 \
        -Wl,--build-id=none -o $1.elf straight.S || exit 1
    ${cross}objcopy -O binary -j .text $1.elf $1.text
done
cmp plain.text marked.text || complain "the directives change the text"
base=$(${cross}nm marked.elf | awk '$3 == "straight" { print $1 }')
base=$((0x$base))

words() { # of records of this file: payload words a line, decimal
    od -An -v -tu4 -j32 -w4 "$1" 2>/dev/null | awk -v skip=4 '
        left == 0 && at == 0 { size = $1 % 65536; left = size / 4; line = "" }
        { at++; left--; if (at > skip) line = line $1 " " }
        left == 0 { print line; at = 0 }'
}
for mode in fast detailed; do
    for carrier in 0 1; do
        name=$mode.$carrier
        # A miss takes 50 cycles of a bus three times slower than the processor.
        run="--cpus=1 --mode=$mode --set pif_carrier=$carrier --set mem_first=50"
        "$BUILD/simrun" $run --pmu-trace=$name.exp marked.elf >out 2>&1 ||
            complain "$name: $(cat out)"
        "$BUILD/simrun" $run --pmu-trace=$name.plain.exp plain.elf >out 2>&1 ||
            complain "$name: $(cat out)"
        [ "$(grep ^end $name.exp/log)" = "$(grep ^end $name.plain.exp/log)" ] ||
            complain "$name: marks cost cycles"

        words $name.exp/mark.rec >marks
        awk -v base=$base -v k=$passes '$1 == 2 && $2 >= base && $2 < base + 120 {
                words++; counts += $6; if ($6 != k) wrong++ }
            END { exit !(words == 30 && counts == 30 * k && !wrong) }' marks ||
            complain "$name: not 30 x $passes counts: $(head -4 marks)"
        hits=$(awk -v at=$((base + 160)) '$2 == at { print $8 }' marks)
        want=$misses
        [ $mode = fast ] && want=0 # there every load takes one cycle
        [ "${hits:-none}" = $want ] || complain "$name: ${hits:-no} hits, not $want"
        words $name.exp/trap.rec >traps
        awk -v at=$((base + 120)) -v k=$passes '$1 % 2147483648 == 1 && $2 == at { n++ }
            END { exit !(n == k && NR == k) }' traps ||
            complain "$name: not $passes exceptions at 120: $(cat traps)"
        words $name.exp/traced.rec >traced
        awk -v base=$base -v k=$passes '$1 == 1 {
                if ($2 < base + 256 || $2 + 4 * $3 > base + 512) wrong++
                n += $3 } END { exit !(n == 64 * k && !wrong) }' traced ||
            complain "$name: not 64 x $passes traced: $(cat traced)"
    done
done
# Misses of 20 cycles of the bus stay below the threshold.
"$BUILD/simrun" --cpus=1 --set mem_first=20 --pmu-trace=short.exp marked.elf \
    >out 2>&1 || complain "short: $(cat out)"
words short.exp/mark.rec | awk -v at=$((base + 160)) '$2 == at && $8 == 0 { n++ }
    END { exit n != 1 }' || complain "short misses exceed 100 cycles"
# The same section left out counts nothing.
"$BUILD/simrun" --cpus=1 --mode=fast --ignore-marks --pmu-trace=none.exp \
    marked.elf >out 2>&1
[ "$(words none.exp/mark.rec | wc -l)" = 0 ] || complain "--ignore-marks counts"
exit $bad
