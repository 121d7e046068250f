#!/bin/sh
# events_test.sh - every row of pmu/events.def that a counter can select has a
# directed test that counts it, every test is of a row, and what the tests
# alter (tamper.h) is what the rows are made of: an ev_add in sim/ or pmu/, the
# clock, or a BUSY row.
set -u
bad=0
complain() {
    echo "$1"
    bad=$((bad + 1))
}

rows=0
for row in $(sed -n 's/^EVENT(\([a-z0-9_]*\), *\([A-Z]*\),.*, *\([a-z0-9]*\), *".*/\1:\2:\3/p' \
    pmu/events.def); do
    rows=$((rows + 1))
    name=${row%%:*}
    unit=${row##*:}
    kind=${row#*:}
    kind=${kind%:*}
    case $kind in
    CLOCK) # derived in view.c; `nothing` from everything being counted
        grep -qw "EV_$name" pmu/counter/counter.c ||
            complain "$name: pmu/counter/counter.c does not derive it"
        ;;
    IDLE)
        grep -q "^EVENT(${unit}_busy, *BUSY," pmu/events.def ||
            complain "$name: there is no row ${unit}_busy"
        ;;
    BUSY)
        [ "$name" = "${unit}_busy" ] || complain "$name: not ${unit}_busy"
        grep -q "^EVENT([a-z0-9_]*, *IDLE,.* $unit," pmu/events.def ||
            complain "$name: no IDLE row is made of it"
        ;;
    esac
    case $kind in
    CLOCK | IDLE) ;;
    DEFINED) # no counter selects them by a number
        grep -qw "EV_$name" pmu/counter/derived.c ||
            complain "$name: pmu/counter/derived.c does not add it"
        continue
        ;;
    *)
        cat $(tests/setup/sources c,def sim/core) pmu/pmu.c | grep -qw "EV_$name" ||
            complain "$name: nothing adds it"
        ;;
    esac
    [ "$kind" = BUSY ] && continue
    grep -qE "^ +counting $name, " "tests/pmu/event/$name.S" 2>/dev/null ||
        complain "$name: tests/pmu/event/$name.S does not count it"
done

for source in tests/pmu/event/*.S; do
    name=$(basename "$source" .S)
    grep -q "^EVENT($name," pmu/events.def ||
        complain "$source: no event of this name"
    head -n 1 "$source" | grep -q "^/\* $name: " ||
        complain "$source: does not say how its count comes about"
done
# What --event can ask about an instruction is explained, all of it.
for name in $(sed -n 's/^PROPERTY(\([a-z_]*\),.*/\1/p' pmu/predicate/properties.def); do
    sed -n '/^## 12/,$p' docs/pif.md | grep '^| *`' | grep -q "\`$name\`" ||
        complain "$name: docs/pif.md, section 12, does not explain it"
done

all=$(grep -c '^EVENT(' pmu/events.def)
[ "$rows" -eq "$all" ] || complain "read $rows of $all rows"
echo "$rows rows, $bad complaints"
[ "$rows" -gt 0 ] && [ "$bad" -eq 0 ]
