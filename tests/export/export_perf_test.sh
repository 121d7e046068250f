#!/bin/sh
# export_perf_test.sh - perf reads what simprof export wrote and comes to the
# same totals: by function, by thread, by call stack and of context switches.
# Writers with one mistake each are caught.
# timeout: 240
set -u
. tests/export/export_lib.sh
need perf linux-perf
make_run

# perf report as "EVENTS NAME" lines of one counter.
reported() { # counter, sort key, file
    perf report -i "$3" --stdio --no-children -g none -w 0 \
        --percent-limit 0 --sort "$2" -F "period,$2" 2>/dev/null |
        awk -v counter="'$1'" -v key="$2" '
            /^# Samples/ { on = index($0, counter) > 0 }
            on && !/^#/ && NF > 1 { print $1, $(key == "sym" ? 3 : 2) }' | sort
}

# Events by counter and whole stack, root first, of perf script and of the
# CSV. Where a stack could not be walked to its root only the CSV says so.
scripted_stacks() {
    perf script -i "$1" -F event,period,ip,sym 2>/dev/null | awk '
        function flush() {
            if (event && event !~ /sched_/) sum[event "," stack] += n
            stack = ""
        }
        /^ *[0-9]+ +[^ ]+: *$/ {
            flush(); n = $1; event = $2; sub(/:$/, "", event); next }
        NF == 2 { stack = $2 (stack ? ";" stack : "") }
        END { flush(); for (s in sum) print sum[s], s }' | sort
}
csv_stacks() {
    awk -F, 'NR > 1 { sub(/^<Truncated-stack>;/, "", $13)
        gsub(/<Unknown>/, "[unknown]", $13) # as perf script calls it
        sum[$6 "," $13] += $7 }
        END { for (s in sum) print sum[s], s }' run.csv | sort
}

# Compare what $1 wrote; a difference is printed and makes status 1.
compare() {
    "$1" export --format=perf -o run.data run.exp || return 1
    for counter in cycles dcache_miss; do
        functions_of $counter run.csv >ours
        reported $counter sym run.data >theirs
        [ "$(wc -l <ours)" -gt 10 ] || { echo "$counter: nothing"; return 1; }
        diff ours theirs >difference ||
            { echo "$counter by function:"; head difference; return 1; }
    done
    # perf has no threads that are idle: they are its task 0.
    awk -F, 'NR > 1 && $6 == "cycles" {
            sum[$5 ~ /^idle/ || !$4 ? "swapper" : $5] += $7 }
        END { for (t in sum) print sum[t], t }' run.csv | sort >ours
    reported cycles comm run.data >theirs
    diff ours theirs >difference ||
        { echo "cycles by thread:"; head difference; return 1; }
    csv_stacks >ours
    scripted_stacks run.data >theirs
    diff ours theirs >difference ||
        { echo "by stack:"; head difference; return 1; }
}
compare "$simprof" || complain "perf and simprof do not agree"

# Context switches: all, and each CPU's idle time as perf adds it up.
records=$("$simprof" info run.exp | awk '$NF == "switch.rec" { print $1 }' |
    tr -d ,)
listed=$(perf sched timehist -i run.data 2>/dev/null | grep -c '^ *[0-9]')
seen=$(perf sched timehist -s -i run.data 2>/dev/null |
    sed -n 's/.*number of context switches: *//p')
[ "$records" = "$seen" ] && [ "$listed" -ge $((records - 4)) ] ||
    complain "switches: $records recorded, $seen counted, $listed listed"
# perf adds up idle time from one switch to the next, simprof to the end.
"$simprof" idle --csv --table=cpus run.exp >idle.csv || complain "no idle.csv"
perf sched timehist -s -i run.data 2>/dev/null |
    awk '/CPU +[0-9]+ idle for/ { print $2, $5 }' >idle.perf
awk -F'[, ]' 'NR == FNR { perf[$1] = $2; next }
    $1 in perf { n++; ours = $3 / 200000
        if (perf[$1] > ours + 0.001 || perf[$1] < ours * 0.95) exit }
    END { exit n != 4 }' idle.perf idle.csv ||
    complain "idle times: $(cat idle.perf idle.csv)"

# Annotated instructions, disassembled by the cross tools.
if command -v powerpc-linux-gnu-objdump >/dev/null; then
    (cd "$root" && perf annotate -i "$TMPDIR/run.data" --stdio --objdump=powerpc-linux-gnu-objdump \
        txn_stage_lookup) >annotated 2>/dev/null
    grep -q 'lwzx.*r' annotated && grep -q 'key % TABLE_SIZE' annotated ||
        complain "perf annotate: $(head -n 5 annotated)"
fi

# Under --user simrun writes the switches: who leaves a processor to nobody
# leaves it to the idle task, and it naps as long as perf says.
if command -v powerpc-linux-gnu-gcc >/dev/null; then
    cat >sleeps.c <<'C'
#include <time.h>
__attribute__((noipa)) void sleeps(void)
{
    struct timespec t = {0, 1000000};
    nanosleep(&t, 0);
}
int main(void) { for (int i = 0; i < 5; i++) sleeps(); return 0; }
C
    powerpc-linux-gnu-gcc -O1 -static -o sleeps sleeps.c &&
        "$BUILD/simrun" -q --cpus=1 -e cycles:1000 --probe sleeps \
            --pmu-trace=user.exp --user ./sleeps &&
        "$simprof" export --format=perf -o user.data user.exp ||
        complain "no run of a user program"
    perf sched timehist -i user.data >timehist 2>/dev/null
    grep -q '\[-1\]' timehist && complain "nobody: $(grep -m 3 '\[-1\]' timehist)"
    [ "$(grep -c '<idle>' timehist)" -ge 5 ] ||
        complain "not idle: $(head -n 12 timehist)"
    idle=$(perf sched timehist -s -i user.data 2>/dev/null |
        awk '/CPU +0 idle for/ { print $5 * 1000 }')
    [ "${idle%.*}" -gt 4900 ] && [ "${idle%.*}" -lt 5100 ] ||
        complain "idle for $idle us, not 5000"
    # Who waits for a lock, a time or a thread sleeps (S), who yields can run
    # (R), who ends is dead (X); by the supervisor's records and by those of
    # --probe. Only time that `states` has as runnable is delay.
    cat >leaves.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>
static volatile unsigned sum;
__attribute__((noipa)) void works(void)
{
    for (int i = 0; i < 60000; i++)
        sum += i;
}
static void *runs(void *p)
{
    struct timespec t = {0, 100000};
    for (int k = 0; k < 4; k++) {
        works();
        if (k & 1)
            sched_yield();
        else
            nanosleep(&t, 0);
    }
    return p;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(t + i, 0, runs, 0);
    pthread_setname_np(t[1], "second");
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
    powerpc-linux-gnu-gcc -O1 -static -pthread -o leaves leaves.c || exit 1
    for with in --switch-stacks '--probe works'; do
        "$BUILD/simrun" -q --mode=fast --cpus=1 $with -e cycles:1000 -f \
            --pmu-trace=leaves.exp --user ./leaves &&
            "$simprof" export --format=perf -o leaves.data leaves.exp ||
            complain "leaves: no run"
        perf script -i leaves.data -F event,trace 2>/dev/null | sed -n '/sched_switch/{
            s/.*prev_pid=\([0-9]*\) .*prev_state=\([0-9]*\) .*/\1 \2/p;}' | sort |
            uniq -c | awk '$2 && $3 { print $2, $3, $1 } $2 && !$3 { n += $1 }
                END { print (n ? "some yield" : "none yields") }' >left
        cat >expected <<'END'
1000 1 3
1001 1 2
1001 16 1
1002 1 2
1002 16 1
1003 1 2
1003 16 1
some yield
END
        # The last thread to end finds main waiting for it, or for one before.
        sed -i 's/^1000 1 [123]$/1000 1 3/' left
        diff expected left >difference || complain "$with: $(cat difference)"
        # A thread with a name and those without are of one process.
        processes=$(perf script -i leaves.data -F pid,tid 2>/dev/null |
            sed -n 's,^ *\([0-9]*\)/\([1-9][0-9]*\)[ :]*$,\1,p' | sort | uniq)
        [ "$processes" = 1000 ] || complain "$with: processes" $processes
    done
    "$BUILD/simrun" -q --mode=fast --cpus=1 --switch-stacks -f \
        --pmu-trace=leaves.exp --user ./leaves &&
        "$simprof" export --format=perf -o leaves.data leaves.exp 2>/dev/null
    "$BUILD/simprof" states --csv leaves.exp >leaves.csv
    perf sched latency -p -i leaves.data 2>/dev/null |
        awk -F'|' '$2 ~ /ms/ && $1 ~ /:/ { sub(/.*:/, "", $1); gsub(/[^0-9.]/, "", $4)
            print $1 + 0, $3 * $4 * 200000, $3 }' >delays
    awk 'NR == FNR { split($0, c, ","); ready[c[13]] = c[4]; next }
        $1 in ready { n++; d = $2 - ready[$1]; if (d < 0) d = -d
            if (d > 1000 + 100 * $3 + ready[$1] / 20)
                print $1 ": delay " $2 ", not " ready[$1] }
        END { if (n != 4) print n + 0 " threads" }' leaves.csv delays >said
    [ -s said ] && complain "--user: $(cat said)"
fi

# With records of states perf knows who was woken: each thread's run time and its way
# to a CPU are those of the report `states`, but for the cycles between two records
# of one switch; every wake-up is there.
"$simrun" -q --mode=fast --cpus=3 --append "work=txn n=40 states=on" --pmu-trace=states.exp \
    "$guest" >console 2>&1 </dev/null || { cat console; exit 1; }
sched() { # what wrote it
    "$1" export --format=perf -o states.data states.exp 2>/dev/null
    perf sched latency -i states.data 2>/dev/null |
        awk -F'|' '$2 ~ /ms/ && $1 ~ /:/ { split($1, name, ":"); gsub(/ /, "", name[1])
            gsub(/[^0-9.]/, "", $2); gsub(/[^0-9.]/, "", $4); print name[1], $2, $3 * $4, $3 }' |
        sort >latency
    awk -F, 'NR == FNR { ran[$14] = ($1 + $2) / 200000; delay[$14] = $4 / 200000; next }
        { split($0, l, " ") }
        l[1] in ran { n++; d = l[2] - ran[l[1]]; e = l[3] - delay[l[1]]
            if (d < 0) d = -d
            if (e < 0) e = -e
            if (d > 0.01 + ran[l[1]] / 50) print l[1] ": ran " l[2] ", not " ran[l[1]]
            if (e > 0.01 + delay[l[1]] / 20 + l[4] * 0.0006) print l[1] ": delay " l[3] ", not " delay[l[1]] }
        END { if (n < 8) print n " threads" }' states.csv latency
    woken=$(perf script -i states.data -F event 2>/dev/null | grep -c sched_wakeup)
    [ "$woken" = "$recorded" ] || echo "$woken wake-ups, not $recorded"
}
"$BUILD/simprof" states --csv states.exp >states.csv
recorded=$("$BUILD/simprof" history --csv states.exp | grep -c ',woken,')
sched "$simprof" >said
[ -s said ] && complain "perf sched latency: $(head -n 5 said)"
delays=$(perf sched timehist -i states.data 2>/dev/null | awk '$3 ~ /worker/ && $5 > 0' | wc -l)
[ "$delays" -gt 50 ] || complain "timehist: $delays delays"
perf sched map -i states.data 2>/dev/null | grep -q '=> worker.0' || complain "no map"

# One mistake each.
for edit in \
    's/bytes_u64(&w->b, s->events)/bytes_u64(\&w->b, s->events + 1)/' \
    's/good = good && put_sample(w, &s);/if (s.cycle % 64) &/' \
    's/bytes_u64(&w->b, s->pc\[i\])/bytes_u64(\&w->b, s->pc[i] + 4)/' \
    's/s->depth + 1);/s->depth);/' \
    's/begin_sample(w, s->counter,/begin_sample(w, 0,/' \
    's/perf_task_of(w, s->thread, s->cycle/perf_task_of(w, 10, s->cycle/'; do
    make_twin tools/analysis/export/export_perf.c "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done
for edit in \
    's/perf_put_runtime(&w->b, out, ran)/perf_put_runtime(\&w->b, out, ran + 2000)/' \
    's/= perf_task_of(w, r->thread, r->cycle, r->cpu);$/= perf_task_of(w, 10, r->cycle, r->cpu);/' \
    's/good = good && put_wakeup(w, &k);/if (k.cycle % 64) &/'; do
    make_twin tools/analysis/export/export_perf.c "$edit"
    sched ./twin >said 2>&1
    [ -s said ] || complain "not caught: $edit"
done
exit $bad
