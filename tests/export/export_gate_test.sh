#!/bin/sh
# export_gate_test.sh - one experiment, one table: the report `functions`, perf,
# gprofng and callgrind_annotate give every function the same events, exclusive
# and inclusive, zero difference; so do the CSV and the tree of calls.
# timeout: 240
set -u
. tests/export/export_lib.sh
need perf linux-perf
need gprofng binutils
need callgrind_annotate valgrind
make_run
. "$root/tests/export/export_gate.sh"

statics=0
gate_export
gate cycles 1
gate dcache_miss 2
# By the report, too; parts that the compiler moved elsewhere are in it.
for counter in cycles dcache_miss; do
    "$simprof" functions --limit=0 --csv --metrics="i+$counter" run.exp |
        awk -F, 'NR > 1 && $1 && $2 !~ /^<T/ { print $1, $2 }' | sort >ours
    gate_gprofng $counter i >theirs
    gate_same "$counter, inclusive, report"
done
exit $bad
