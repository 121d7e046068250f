#!/bin/sh
# book_test.sh - docs/pif.md leaves nothing out: every register of the facility,
# bit of an indicator and of PIFM, action, property and role of the tables stands
# in it, each in a row of a table.
set -u
bad=0
rows=$TMPDIR/rows
grep '^|' docs/pif.md >"$rows"
missing() { # what there is, from standard input: a word a line
    while read -r word; do
        grep -qE "(^|[^A-Za-z0-9_-])$word([^A-Za-z0-9_-]|\$)" "$rows" && continue
        echo "docs/pif.md has no row of the $1 $word"
        return 1
    done
}
known() { # KIND, AT LEAST: the words are not fewer
    words=$(cat)
    [ "$(echo "$words" | wc -l)" -ge "$2" ] || {
        echo "only these are ${1}s: $words"
        bad=1
    }
    echo "$words" | missing "$1" || bad=1
}
# PIFTH1 stands in PIFTH0-2, PIFE3 in PIFE1-8, PMC6 in PMC5-8.
sed -n 's/^SPR([0-9]*, *\([A-Z0-9]*\),.* PIF, .*/\1/p' isa/spr.def |
    sed -E 's/^PIFTH[0-2]$/PIFTH0-2/; s/^PIFE[1-8]$/PIFE1-8/; s/^PMC[5-8]$/PMC5-8/' |
    sort -u >"$TMPDIR/registers"
known register 50 <"$TMPDIR/registers"
# TH0 to TH3 are TH, a toggle is both.
sed -n 's/^#define IND_\([A-Z0-9]*\) .*/\1/p' include/mark_bits.h |
    grep -vE '^(TH[0-9]|TOGGLE|ALL)$' >"$TMPDIR/bits"
known bit 13 <"$TMPDIR/bits"
sed -n 's/^#define PIFM_\([A-Z0-9]*\) .*/\1/p' include/mark_bits.h |
    grep -vE '^BITS$' | sed 's/_SHIFT//' | sort -u >"$TMPDIR/modes"
known mode 15 <"$TMPDIR/modes"
sed -n 's/^ACTION("\([^"]*\)".*/\1/p' pmu/markspec/actions.def >"$TMPDIR/actions"
known action 15 <"$TMPDIR/actions"
sed -n 's/^PROPERTY(\([a-z_]*\),.*/\1/p' pmu/predicate/properties.def >"$TMPDIR/properties"
known property 20 <"$TMPDIR/properties"
sed -n 's/^ROLE([A-Z]*, *"\([a-z]*\)".*/\1/p' isa/role.def >"$TMPDIR/roles"
known role 6 <"$TMPDIR/roles"
exit $bad
