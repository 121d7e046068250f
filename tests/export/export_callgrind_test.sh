#!/bin/sh
# export_callgrind_test.sh - callgrind_annotate reads what simprof export wrote
# and comes to the same totals by function, exclusive and inclusive. Writers
# with one mistake each are caught.
# timeout: 240
set -u
. tests/export/export_lib.sh
need callgrind_annotate valgrind
make_run

# "EVENTS NAME" lines of counter number $1 (1: the first) of a report: each
# function has one row, whatever was inlined into it.
rows() { # counter, report
    awk -v n="$1" '/^-+$/ { next }
        $NF == "file:function" { on = 1; next }
        on && NF { gsub(/\([^)]*\)/, ""); gsub(/,/, "")
            sub(/ \[[^]]*\]$/, ""); name = $NF; sub(/.*:/, "", name)
            if ($n + 0) print $n, name }' "$2" | sort
}

# Events of a counter by every function of a stack, once a sample, for
# functions that are no root of any stack.
inclusive() {
    awk -F, -v counter="$1" 'NR > 1 {
            n = split($13, frame, ";"); root[frame[1]] = 1
            split("", seen)
            for (i = 1; i <= n; i++)
                if (!seen[frame[i]]++ && $6 == counter)
                    sum[frame[i]] += $7 }
        END { for (f in sum) if (!root[f]) print sum[f], f }' run.csv | sort
}

compare() {
    "$1" export --format=callgrind -o run.cg run.exp || return 1
    callgrind_annotate --threshold=100 --auto=no run.cg >self 2>&1
    grep -i malformed self && return 1
    callgrind_annotate --threshold=100 --auto=no --inclusive=yes run.cg \
        >all 2>&1
    column=0
    for counter in cycles dcache_miss; do
        column=$((column + 1))
        functions_of $counter run.csv >ours
        rows $column self >theirs
        [ "$(wc -l <ours)" -gt 10 ] || { echo "$counter: nothing"; return 1; }
        diff ours theirs >difference ||
            { echo "$counter, exclusive:"; head difference; return 1; }
        inclusive $counter >ours
        rows $column all | awk 'NR == FNR { ours[$2] = 1; next }
            $2 in ours' ours - >theirs
        diff ours theirs >difference ||
            { echo "$counter, inclusive:"; head difference; return 1; }
    done
    total=$(awk -F, 'NR > 1 { sum += $7 } END { print sum }' run.csv)
    written=$(awk '$1 == "summary:" { print $2 + $3 }' run.cg)
    [ "$total" = "$written" ] || { echo "summary: $written"; return 1; }
}
compare "$simprof" || complain "callgrind_annotate and simprof do not agree"

# Source lines, of inlined code in the file it is from.
(cd "$root" && callgrind_annotate "$TMPDIR/run.cg" guest/work/txn.c) \
    >annotated 2>&1
grep -q '[0-9] .*key = table\[key % TABLE_SIZE\]' annotated ||
    complain "no costs at the line of txn.c: $(grep -c . annotated) lines"
awk '/^fl=/ { own = $0 ~ /cpu\.h$/ } /^fn=/ && !own { f = 1 } f && own && /^0x/ { ok = 1 }
    END { exit !ok }' run.cg || complain "no inlined code"
(cd "$root" && callgrind_annotate "$TMPDIR/run.cg" guest/kernel/cpu.h) >annotated 2>&1
grep -q '^ *[0-9,]* ([ 0-9.]*%).* __asm__' annotated ||
    complain "no costs at the lines of cpu.h"

for edit in \
    's/+= s->events/+= 1/' \
    's/"fl=%s.n", file_of(c, l)/"fi=%s\\n", file_of(c, l)/' \
    's/    count(c, at, s);/    if (s->cycle % 64) &/' \
    's/call.callee = function/call.callee = c->spot[caller].function/' \
    's/(uint64_t)function << 32 | s->home\[i\]/s->home[i] \& ~63u/' \
    's/" %" PRIu64, cost/"  x%" PRIu64, cost/'; do
    make_twin tools/analysis/export/export_callgrind.c "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done

# A function that is on a stack several times has its calls once.
cat >again.c <<'C'
#define F __attribute__((noipa))
static volatile int table[4096];
F int leaf(int n) { for (int i = 0; i < 40; i++) table[(n * 97 + i * 8) & 4095] += i; return n; }
#define PAIR(name) \
    F int name##_step(int n) { table[n * 231 & 4095]++; return leaf(n) + 1; } \
    F int name(int n) { table[n * 173 & 4095]++; return n ? name(n - 1) + name##_step(n) : leaf(n); }
PAIR(one) PAIR(two) PAIR(three) PAIR(four) PAIR(five)
int odd(int n);
F int even(int n) { table[n * 339 & 4095]++; return n ? odd(n - 1) + leaf(n) : 1; }
F int odd(int n) { table[n * 407 & 4095]++; return n ? even(n - 1) + leaf(n) : 0; }
F int all(int n) { return one(n) + two(n) + three(n) + four(n) + five(n) + even(n); }
F int run(void) { int s = 0; for (int i = 0; i < 60; i++) s += all(i & 15); return s; }
void _start(void)
{
    int good = run();
    register int r0 __asm__("r0") = 1, r3 __asm__("r3") = !good;
    __asm__ volatile("sc" : : "r"(r0), "r"(r3));
}
C
# Without -g: of sources below the directory it runs in callgrind_annotate makes
# two names in --inclusive.
powerpc-linux-gnu-gcc -O1 -nostdlib -static -o again again.c || exit 1
rm -rf run.exp
"$simrun" -q --user --cpus=1 --clear-env --set dcache_kb=1 -e cycles:500 \
    -e dcache_miss:2 --pmu-trace=run.exp ./again || complain "again: status $?"
"$simprof" export --format=csv -o run.csv run.exp || exit 1
compare "$simprof" || complain "recursion: they do not agree"
edit='s/c->function\[function\].last != number \&\&/1 \&\&/'
make_twin tools/analysis/export/export_callgrind.c "$edit"
compare ./twin >said 2>&1 && complain "not caught: $edit"
exit $bad
