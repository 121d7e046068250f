#!/bin/sh
# tables_test.sh - rows that nothing uses. Every event has an ev_add (or is
# derived from the clock or from a busy row) and a test that names it; every
# reason of the oracle is charged somewhere.
set -u
bad=0
complain() {
    echo "$1"
    bad=$((bad + 1))
}
words() { # name used as a word in any of the files
    pattern=$1
    shift
    grep -qwE "$pattern" "$@" 2>/dev/null
}

events=0
kind_of() { sed -n "s/^EVENT($1, *\([A-Z]*\),.*/\1/p" pmu/events.def; }
for name in $(sed -n 's/^EVENT(\([a-z0-9_]*\),.*/\1/p' pmu/events.def); do
    events=$((events + 1))
    case $(kind_of "$name") in
    CLOCK | IDLE) ;;
    *)
        words "EV_$name" sim/core/*.[ch] sim/mem/*.[ch] pmu/pmu.c ||
            complain "pmu/events.def: nothing adds $name"
        ;;
    esac
    words "$name|EV_$name" tests/pmu/* tests/core/* tests/guest/* ||
        complain "pmu/events.def: no test names $name"
done
for name in $(sed -n 's/^REASON(\([a-z]*\),.*/\1/p' pmu/stalls.def); do
    [ "$name" = system ] && continue # user mode is not there yet
    words "REASON_$name" sim/core/*.[ch] ||
        complain "pmu/stalls.def: nothing charges $name"
done
echo "$events events, $bad complaints"
[ "$events" -gt 0 ] && [ "$bad" -eq 0 ]
