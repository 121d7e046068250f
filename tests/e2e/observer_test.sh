#!/bin/sh
# observer_test.sh - looking changes nothing: the console of a run is the same
# with and without an experiment being written.
# timeout: 180
set -eu
cd "$(mktemp -d)"
for work in 'txn n=30' 'prodcons n=30'; do
    "$BUILD/simrun" "$BUILD/guest.elf" --append "work=$work" >plain </dev/null \
        2>/dev/null
    "$BUILD/simrun" "$BUILD/guest.elf" --append "work=$work" >traced \
        --pmu-trace="${work%% *}.exp" </dev/null 2>/dev/null
    [ -s plain ] || { echo "$work printed nothing"; exit 1; }
    cmp plain traced
    [ -d "${work%% *}.exp" ]
done
[ "$(ls -d ./*.exp | wc -l)" -eq 2 ] || { ls; exit 1; } # nothing unasked for
