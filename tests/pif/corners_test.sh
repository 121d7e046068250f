#!/bin/sh
# corners_test.sh - docs/pif.md where no figure helps: reset values and bits of
# every register, who may touch them, marks without a counter, exceptions that
# wait while the facility is off, segments that overlap, tables that are nowhere.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
# Every register has its row.
for register in $(sed -n 's/^SPR([0-9]*, *\([A-Z0-9]*\),.* PIF, .*/\1/p' isa/spr.def); do
    case $register in PIFC | PIFS | CYCU | CYCL) continue ;; esac
    grep -q "^R($register," tests/pif/registers.def || {
        echo "tests/pif/registers.def has no $register"
        bad=1
    }
done

build corners tests/pif/routines.S tests/pif/corners.c
for mode in fast detailed; do
    all_right corners "--mode=$mode --set pmcs=8 --set pif_th_bits=4"
done
# Interrupts that had to wait say so.
timeout 60 "$BUILD/simrun" -q --cpus=1 --set pmcs=8 --set pif_th_bits=4 \
    --pmu-trace="$TMPDIR/corners.exp" "$TMPDIR/corners.elf" >"$TMPDIR/out" || bad=1
"$BUILD/simprof" interrupts --csv "$TMPDIR/corners.exp" >"$TMPDIR/csv"
awk -F, 'NR == 1 { ok = $3 == "indicator" && NF == 5 }
    NR > 1 && $5 == "<Total>" { waits = $4 } END { exit !(ok && waits > 0) }' \
    "$TMPDIR/csv" || {
    cat "$TMPDIR/csv"
    bad=1
}
exit $bad
