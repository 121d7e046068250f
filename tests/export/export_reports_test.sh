#!/bin/sh
# export_reports_test.sh - beyond functions (export_gate_test.sh): what gprofng
# and perf say of our exports by instruction, line, call tree, callers and
# callees, thread, CPU, load object and time is what simprof's own reports say,
# zero difference. One mistake in the exported data is caught.
# timeout: 240
set -u
. tests/export/export_lib.sh
need perf linux-perf
need gprofng binutils
make_run

. "$root/tests/export/export_reports.sh"

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
    make_twin tools/analysis/export/export_gprofng.c "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done

# Functions that call themselves, each other, and from several callers.
cat >again.c <<'C'
#define F __attribute__((noipa))
F unsigned work(unsigned n) { unsigned s = n; for (int i = 0; i < 30; i++) s = s * 1103515245u + 12345u; return s; }
F unsigned fib(unsigned n) { return n < 2 ? work(n) : fib(n - 1) + fib(n - 2) + 1; }
F unsigned one(unsigned n) { return fib(n) + 1; }
F unsigned two(unsigned n) { return fib(n) * 3 + work(n); }
F unsigned odd(unsigned n);
F unsigned even(unsigned n) { return n ? odd(n - 1) + work(n) : 1; }
F unsigned odd(unsigned n) { return n ? even(n - 1) + n : two(2); }
F unsigned knot(unsigned n, unsigned how)
{
    unsigned s = work(n);
    if (!n)
        return s;
    return s + (how % 3 ? how % 3 == 1 ? one(n % 5) : even(n) : 0) + knot(n - 1, how / 3) * 3;
}
F int run(void) { unsigned s = 0; for (unsigned i = 0; i < 30; i++) s += one(7) + two(6) + odd(15) + knot(9, i * 7919); return s != 0; }
void _start(void)
{
    int good = run();
    register int r0 __asm__("r0") = 1, r3 __asm__("r3") = !good;
    __asm__ volatile("sc" : : "r"(r0), "r"(r3));
}
C
powerpc-linux-gnu-gcc -gdwarf-4 -O1 -nostdlib -static -o again again.c || exit 1
rm -rf run.exp
"$simrun" -q --user --cpus=1 --clear-env --set dcache_kb=1 -e cycles:200 \
    --pmu-trace=run.exp ./again || complain "again: status $?"
"$simprof" export --format=csv -o run.csv run.exp || exit 1
recursion() {
    rm -rf run.er
    "$1" export --format=gprofng -o run.er run.exp || return 1
    ( simprof=$1 few=1; callers cycles && tree cycles && instructions cycles )
}
recursion "$simprof" || complain "recursion: not the same"
# No function has more than all, and all has what its roots have.
"$simprof" functions --csv --limit=0 --metrics=i+cycles run.exp >rows
awk -F, '$2 == "<Total>" { all = $1 } NR > 1 && $1 + 0 > all { exit 1 }' rows ||
    complain "more than all: $(cat rows)"
"$simprof" csingle fib --csv --metrics=a+cycles run.exp | grep -q ',fib,caller,fib$' ||
    complain "fib is no caller of fib"
"$simprof" csingle '<Total>' --csv --metrics=a+cycles run.exp >rows
awk -F, '$3 == "function" { all = $1 } $3 == "callee" { sum += $1 }
    END { exit !(sum == all && all) }' rows || complain "<Total>: $(cat rows)"
edit='s/path->met\[row\] == leaf/false/'
make_twin tools/analysis/profile/totals.c "$edit"
recursion ./twin >said 2>&1 && complain "not caught: $edit"
exit $bad
