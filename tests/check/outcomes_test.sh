#!/bin/sh
# outcomes_test.sh - the two halves of an access stay apart
# (sim/core/detailed/access.h): what answers it calls nothing that has a cycle,
# and what times it calls nothing that looks at tags, translates or snoops.
set -u
bad=0

# FILE WORDS: none of them is called by it, or what the linker sees of it.
calls_none() {
    object=$BUILD/obj/sim/core/detailed/$1.o
    [ -f "$object" ] || { echo "there is no $object"; exit 1; }
    found=$(nm -u "$object" | awk '{ print $2 }' | grep -xE "$2")
    [ -z "$found" ] && return
    echo "sim/core/detailed/$1.c calls" $found
    bad=1
}

tags='cache_(find|victim|place|invalidate_all)|tlb_tags_.*|bus_snoop|snoop_(ask|invalidate)'
looks="$tags|mmu_(walk|fetch|data)|mark_feed_(filled|lost|traffic)"
calls_none access 'bus_(tenure|write_back|transfer)|calendar_.*|cache_arrive|mark_feed_charge|pmu_.*|host_counters_.*|derived_.*|oracle_.*|refill_.*|search_.*|lsu_.*|snoop_tell'
for half in lsu refill search; do
    calls_none $half "$looks|access_.*"
done
calls_none fetch "$tags|mmu_walk|mark_feed_(filled|lost|traffic)"
if grep -nE 'cycle_t|ev_add|arrival' sim/core/detailed/access.c; then
    echo "sim/core/detailed/access.c speaks of time"
    bad=1
fi
exit $bad
