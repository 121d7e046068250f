#!/bin/sh
# export_chrome_test.sh - the Trace Event Format: every event has what readers ask
# for, slices of a track do not overlap, arrows go from a slice of the waker to the
# one of the woken thread that begins then; states, locks, counters and CPUs add up
# to what the reports have. Writers with one mistake each are caught.
# timeout: 240
set -u
NAPS=all # in the trace, too
. tests/export/export_lib.sh
need jq jq

"$BUILD/simrun" -q --mode=fast --cpus=3 --switch-stacks -e cycles:20000 -e insn_completed:10000 \
    --append "work=txn n=20 states=on" --pmu-trace=txn.exp "$BUILD/guest.elf" >/dev/null ||
    complain "no run"
command -v powerpc-linux-gnu-gcc >/dev/null &&
    (cd "$root" && ${MAKE:-make} -s BUILD="$BUILD" workloads) &&
    "$BUILD/simrun" -q --mode=fast --switch-stacks -e cycles:5000 --pmu-trace=user.exp \
        --user "$BUILD/workloads/contended_lock" >/dev/null

# What is wrong with the trace $1, a line each.
cat >rules.jq <<'J'
def cycles: . * 200 | round;
.traceEvents as $all | [
($all[] | select((has("name") and has("cat") and has("ph") and has("ts") and has("pid") and
    has("tid") and has("args")) | not) | "lacks: \(.)"),
($all[] | select(.ph == "X" and (.dur <= 0 or .ts < 0)) | "duration: \(.)"),
($all[] | select(.ph | IN("X", "M", "C", "s", "f", "i") | not) | "phase: \(.)"),
($all | map(select(.ph == "X")) | group_by([.pid, .tid])[] | sort_by(.ts) |
    . as $t | range(1; length) | select(($t[.].ts | cycles) < ($t[. - 1].ts + $t[. - 1].dur | cycles)) |
    "overlap: \($t[.])"),
($all | map(select(.ph == "s" or .ph == "f")) | group_by(.id)[] |
    select(length != 2 or .[0].ph != "s" or .[1].ph != "f" or .[0].ts > .[1].ts) | "arrow: \(.)"),
([$all[] | select(.cat == "state") | "\(.tid) \(.ts)"] | map({(.): 1}) | add) as $begins |
($all[] | select(.ph == "f" and $begins["\(.tid) \(.ts)"] == null) | "ends nowhere: \(.)"),
($all | map(select(.ph == "s" or .cat == "state")) | group_by(.tid)[] | sort_by(.ts, .ph) |
    foreach .[] as $e ([-1, false]; if $e.ph == "X" then [$e.ts + $e.dur, false] else [.[0], $e.ts > .[0] + 0.001] end;
        select(.[1]) | "begins nowhere: \($e)"))
] | .[0:5][]
J
states_of() { # of a trace: thread, state, cycles
    jq -r '.traceEvents | map(select(.cat == "state")) | group_by([.tid, (.name | split(" ")[0])])[] |
        "\(.[0].tid) \(.[0].name | split(" ")[0]) \(map(.dur) | add * 200 | round)"' "$1" | sort
}
compare() { # simprof, experiment
    "$1" export --format=chrome -o x.json "$2" 2>said || { cat said; return 1; }
    jq -r -f rules.jq x.json >wrong || { echo "no JSON"; return 1; }
    [ ! -s wrong ] || { cat wrong; return 1; }
    states_of x.json >ours
    "$simprof" states --csv "$2" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { for (i = 1; i < 12; i++) if ($i) print $13, name[i], $i }' | sort >theirs
    diff ours theirs >difference || { echo "states:"; head -n 4 difference; return 1; }
    "$simprof" history --csv "$2" | grep ',woken,"by ' | grep -vc '"by \(timer\|device\|interrupt\),' >theirs
    jq '[.traceEvents[] | select(.ph == "s")] | length' x.json >ours
    diff ours theirs >difference || { echo "arrows:"; cat difference; return 1; }
    jq -r '.traceEvents | map(select(.cat == "lock")) | group_by(.tid)[] | map(.dur) | add * 200 | round' x.json |
        sort >ours
    "$simprof" locks --csv "$2" | awk -F, 'NR > 1 { print $4 }' | sort >theirs
    diff ours theirs >difference || { echo "locks:"; cat difference; return 1; }
    jq -r '.traceEvents | map(select(.ph == "C")) | group_by(.name)[] |
        "\(.[0].name) \(map(.args | add) | add)"' x.json | sort >ours
    "$simprof" export --format=csv "$2" | awk -F, 'NR > 1 { n[$6] += $7 }
        END { for (c in n) print c, n[c] }' | sort >theirs
    diff ours theirs >difference || { echo "counters:"; cat difference; return 1; }
}
for run in txn user; do
    [ -d $run.exp ] || continue
    compare "$simprof" $run.exp || complain "$run: the trace and the reports do not agree"
    # The kernel's threads are in one process, and so are all of a program.
    jq -r '.traceEvents as $all | [$all[] | select(.cat == "state") | .pid] | unique[] as $p |
        "\($p) \([$all[] | select(.name == "process_name" and .pid == $p) | .args.name] | join(","))"' \
        x.json >processes
    expected="0 kernel"
    [ $run = txn ] || expected="1000 contended_lock"
    [ "$(cat processes)" = "$expected" ] || complain "$run: processes: $(cat processes)"
    jq -r '.traceEvents as $all | [$all[] | select(.name == "thread_name") | "\(.pid) \(.tid)"] as $named |
        $all[] | select(.cat == "state") | "\(.pid) \(.tid)" | select(IN($named[]) | not)' x.json |
        sort -u >unnamed
    [ ! -s unnamed ] || complain "$run: no name: $(cat unnamed)"
done

# CPUs: each stretch of a thread that is no idle one, as the switches have it.
"$simprof" export --format=chrome -o x.json txn.exp
jq -r '.traceEvents[] | select(.cat == "cpu") | "\(.tid) \(.args.thread) \(.ts * 200 | round) \(.dur * 200 | round)"' x.json >slices
[ "$(wc -l <slices)" -gt 100 ] || complain "CPUs: $(wc -l <slices) slices"
jq -r '.traceEvents[] | select(.cat == "cpu") | .name' x.json | grep -q '^idle' && complain "an idle thread runs"
jq -e '.traceEvents | map(select(.cat == "state" and .args.stack)) | any(.args.stack | test("mutex_lock < txn_stage_commit"))' \
    x.json >/dev/null || complain "no stack"
jq -e '[.traceEvents[] | select(.ph == "M" and .name == "thread_name" and .args.name == "journal_lock")] | length == 1' \
    x.json >/dev/null || complain "no lock's name"

# Locks for which threads spin, of a word and of POSIX: of two threads one spins at a time, so that the
# track of a lock is as long as `locks` has it.
if command -v powerpc-linux-gnu-gcc >/dev/null; then
    cat >two.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int word;
static pthread_spinlock_t table;
static volatile unsigned sum;
static void __attribute__((noinline)) work(int n)
{
    while (n--)
        sum += n;
}
static void *run(void *arg)
{
    for (int i = 0; i < 40; i++) {
        while (atomic_exchange(&word, 1))
            ;
        work(300);
        atomic_store(&word, 0);
        work(arg ? i * 13 % 400 : i * 29 % 400);
        pthread_spin_lock(&table);
        work(200);
        pthread_spin_unlock(&table);
    }
    return arg;
}
int main(void)
{
    pthread_t t;

    pthread_spin_init(&table, 0);
    pthread_create(&t, NULL, run, NULL);
    run(&t);
    pthread_join(t, NULL);
    return 0;
}
C
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o two two.c || complain "two.c"
    "$BUILD/simrun" -q --mode=fast --cpus=2 --record-locks -e cycles:1000 --pmu-trace=two.exp --user ./two || complain "two"
    "$simprof" export --format=chrome -o two.json two.exp
    jq -r -f rules.jq two.json >wrong
    [ ! -s wrong ] || complain "spins: $(cat wrong)"
    jq -r '.traceEvents as $all | $all | map(select(.cat == "spun")) | group_by(.tid)[] | .[0] as $one |
        "\($all[] | select(.name == "thread_name" and .pid == $one.pid and .tid == $one.tid) | .args.name) \(map(.dur) | add * 200 | round)"' \
        two.json | sort >ours
    "$simprof" locks --csv two.exp | awk -F, 'NR > 1 && $(NF - 1) { print $NF, $(NF - 1) }' | sort >theirs
    [ "$(sed 's/ .*//' ours | tr '\n' ' ')" = "table word " ] || complain "locks that threads spin for: $(cat ours)"
    diff ours theirs >difference || complain "spins: $(cat difference)"
    # The name is that of who has the lock: both, in turn.
    [ "$(jq -r '.traceEvents[] | select(.cat == "spun") | .name' two.json | sort -u | wc -l)" -eq 2 ] || complain "owners"
fi

# A part of the run: nothing outside, and the halves are the whole.
half=$(sed -n 's/^end //p' txn.exp/log | awk '{ print int($1 / 2) }')
for part in "--to=$half" "--from=$half"; do
    "$simprof" export --format=chrome $part -o part.json txn.exp
    jq -r -f rules.jq part.json | grep -v 'nowhere' && complain "$part"
    states_of part.json
done | awk '{ n[$1 " " $2] += $3 } END { for (k in n) print k, n[k] }' | sort >halves
states_of x.json | diff - halves >difference || complain "halves: $(head -n 4 difference)"
jq -e --argjson half "$half" '[.traceEvents[] | select(.ph == "X") | .ts * 200] | min >= $half' part.json >/dev/null ||
    complain "too early"

for edit in 's/s->from, s->to,$/s->from, s->to - 8,/' \
    's/cycle = end ? s->to : s->from/cycle = end ? s->to + 1 : s->from/' \
    's/  s->events;/  1;/' \
    's/c->arrows++;/c->arrows += s->from % 3 > 0;/' \
    's/h->to, s->thread, s->from/&/;s/text_of(name)/NULL/' \
    's/"lock", s->from, s->to, c->locks, s->lock/"lock", s->from + 1, s->to, c->locks, s->lock/'; do
    make_twin tools/analysis/export/export_chrome.c "$edit"
    compare ./twin txn.exp >said 2>&1 && complain "not caught: $edit"
done
exit $bad
