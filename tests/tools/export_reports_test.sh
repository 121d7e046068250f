#!/bin/sh
# export_reports_test.sh - beyond functions (export_gate_test.sh): what gprofng
# and perf say of our exports by instruction, line, call tree, callers and
# callees, thread, CPU, load object and time is what simprof's own reports say,
# zero difference. One mistake in the exported data is caught.
# timeout: 240
set -u
. tests/tools/export_lib.sh
need perf linux-perf
need gprofng binutils
make_run

. "$root/tests/tools/export_reports.sh"

compare() {
    rm -rf run.er
    "$1" export --format=gprofng -o run.er run.exp &&
        "$1" export --format=perf -o run.data run.exp || return 1
    for counter in cycles dcache_miss; do
        for report in instructions lines tree callers by_cpu threads objects \
            seconds; do
            $report $counter || return 1
        done
    done
}
compare "$simprof" || complain "not the same"

# The whole comparison notices one wrong sample address, thread or CPU.
for edit in 's/bytes_u64(b, s->pc\[i\])/bytes_u64(b, s->pc[i] + (s->cycle % 64 ? 0 : 4))/' \
    's/bytes_u32(b, s->cpu)/bytes_u32(b, s->cpu ^ !(s->cycle % 64))/' \
    's/bytes_u64(b, s->thread)/bytes_u64(b, s->cycle % 64 ? s->thread : 10)/'; do
    make_twin tools/lib/export_gprofng.c "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done
exit $bad
