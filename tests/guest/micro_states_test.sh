#!/bin/sh
# micro_states_test.sh - a program in the guest comes to each of the ten micro-states (ANA-22); what
# `statistics` has of them is what an independent reading of the records has, its times are made of
# them (ANA-23), and a record of a clock has the stack of the wait that it counted (ANA-24).
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

# More pages than there is memory, of data and of code; writes from pages that are out; doubles
# across pages, which the system emulates; a lock that another thread has; a thread that waits for a
# signal.
cat >"$dir/all_states.c" <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#define PAGE 4096
#define PAGES 300
#define BLR 0x4e800020u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int signal)
{
    (void)signal;
}
static char *pages(void)
{
    return mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static __attribute__((noipa)) void touch_pages(volatile char *data)
{
    for (int n = 0; n < PAGES; n++)
        data[n * PAGE]++;
}
static __attribute__((noipa)) void run_pages(char *code)
{
    for (int n = 0; n < PAGES; n++)
        ((void (*)(void))(code + n * PAGE))();
}
static void make_code(char *code)
{
    for (int n = 0; n < PAGES; n++) {
        *(volatile unsigned *)(code + n * PAGE) = BLR;
        __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync" : : "r"(code + n * PAGE) : "memory");
    }
}
static void misalign(char *data)
{
    volatile double *d = (volatile double *)(data + PAGE - 3);

    for (int n = 0; n < 300; n++)
        *d = *d + 1;
}
static __attribute__((noipa)) void *keep_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    usleep(3000);
    pthread_mutex_unlock(&lock);
    return unused;
}
static __attribute__((noipa)) void *await_signal(void *unused)
{
    pause();
    return unused;
}
int main(void)
{
    char *code = pages(), *data = pages();
    pthread_t keeper, waiter;
    int fd = open("/tmp/file", O_CREAT | O_RDWR, 0600);

    signal(SIGUSR1, on_signal);
    make_code(code);
    for (int n = 0; n < 2; n++) {
        touch_pages(data);
        run_pages(code);
    }
    for (int n = 0; n < PAGES; n++)
        if (pwrite(fd, data + n * PAGE, 64, n * 64) != 64)
            return 1;
    misalign(data);
    pthread_create(&keeper, NULL, keep_lock, NULL);
    pthread_create(&waiter, NULL, await_signal, NULL);
    usleep(1000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_kill(waiter, SIGUSR1);
    pthread_join(waiter, NULL);
    pthread_join(keeper, NULL);
    puts("over");
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/all_states" "$dir/all_states.c" || fail "does not compile"
exp=$dir/all.exp
"$simrun" -q --mode=fast --cpus=2 --disk=16M --append "memory=512K swap=8M states=on" --switch-stacks \
    --pmu-trace="$exp" "$guest" --program "$dir/all_states" >"$out" 2>"$dir/err" || fail "$(cat "$dir/err")"
grep -q '^over' "$out" || fail "$(cat "$out")"

# 1 user, 2 system, 3 trap, 4 tfault, 5 dfault, 6 kfault, 7 user_lock, 8 sleep, 9 stopped,
# 10 wait_cpu, work, wait, 13 total, percent, exact, 16 of, number, name
"$simprof" statistics --table=states --csv "$exp" >"$dir/csv" || fail "status $?"
awk -F, '$16 == "process" && $17 { for (k = 1; k <= 10; k++) if (!$k) print "column " k }' "$dir/csv" >"$dir/none"
is "states that the program was not in" "$(cat "$dir/none")" ""
awk -F, '$16 == "thread" { print $17, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 }' "$dir/csv" | sort >"$dir/got"
end=$(sed -n 's/^end //p' "$exp/log")
# Thread, cycle, state, kind, object: 768 and 1024 are 0x300 and 0x400, 3072 is 0xc00.
records "$exp/state.rec" | sort -s -k3,3n -k4,4n | awk -v end="$end" '
    function is(s) {
        if (s == 2) return by == 0 || by == 768 || by == 1024 || by == 3072 ? 2 : 3
        if (s == 1 || s == 4 || s == 11) return s == 1 ? 1 : s == 4 ? 10 : 9
        if (by == 1024 || by == 768) return by == 1024 ? 4 : 5
        return s == 9 ? 6 : s == 5 ? 7 : 8
    }
    function leave(until) { if (state && state != 12 && until > since) sum[is(state)] += until - since }
    function finish(  k, line) {
        leave(end)
        for (k = 1; k <= 10; k++) { line = line " " sum[k] + 0; sum[k] = 0 }
        print thread line
    }
    $3 != thread { if (thread) finish(); thread = $3; state = by = 0 }
    { leave($4); state = $5; since = $4 }
    state == 1 || $6 == 8 { by = $6 == 8 ? $7 : 0 }
    END { finish() }' | sort >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "$(diff "$dir/got" "$dir/want" | head -n 4)"
# The times are made of these.
"$simprof" statistics --csv "$exp" | awk -F, '$13 == "thread" { print $14, $1, $2, $3, $4, $5, $6, $7, $10 }' | sort >"$dir/got"
awk -F, '$16 == "thread" { print $17, $1, $2 + $3, $10, $7, $4, $5, $6 + $8 + $9, $13 }' "$dir/csv" | sort >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "times: $(diff "$dir/got" "$dir/want" | head -n 4)"

# What a clock recorded adds up to what it is said to have seen. 1 cycle, name, thread, 4 to 13 the
# states, 14 functions.
clock=2003
"$simprof" statistics --table=records --clock=$clock --csv "$exp" >"$dir/records" || fail "status $?"
awk -F, -v p=$clock 'NR > 1 { for (k = 4; k <= 13; k++) sum[k] += $k * p }
    END { for (k = 4; k <= 13; k++) printf " %d", sum[k]; print "" }' "$dir/records" >"$dir/got"
"$simprof" statistics --table=states --clock=$clock --csv "$exp" | awk -F, 'NR == 2 {
    for (k = 19; k <= 28; k++) printf " %s", $k; print "" }' >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "records: $(diff "$dir/got" "$dir/want")"
# Where it waited: in the function that the program waits in, as the state has it.
where() { # where COLUMN FUNCTION
    awk -F, -v k="$1" -v f="$2" 'NR > 1 && $2 == "all_states" && $k {
        all += $k
        if (index(" < " $14 " < ", " < " f " < ")) there += $k
    } END { print (all && there >= 0.9 * all ? "there" : there + 0 " of " all + 0) }' "$dir/records"
}
is "text faults" "$(where 7 memory_fault)" there
is "data faults" "$(where 8 memory_fault)" there
is "the lock" "$(where 10 "main (all_states)")" there
is "stopped" "$(where 12 await_signal)" there
awk -F, '$11 && $14 ~ /keep_lock/ { n += $11 } END { exit !n }' "$dir/records" ||
    fail "the sleep of keep_lock is not there"
# A row of what it ran has no stack; one of a wait has.
awk -F, 'NR > 1 && $2 == "all_states" && ($7 || $8 || $9 || $10 || $11 || $12) && $14 == "" ||
    NR > 1 && $4 && $14 != ""' "$dir/records" >"$dir/off"
is "stacks" "$(cat "$dir/off")" ""

refuses() { # refuses WORDS OPTION...
    words=$1 status=0
    shift
    "$simprof" "$@" "$exp" >"$out" 2>"$dir/err" || status=$?
    is "$*" "$status" 2
    grep -q -- "$words" "$dir/err" || fail "$*: $(cat "$dir/err")"
}
refuses "--table=records: add --clock=TIME" statistics --table=records
refuses "--table=tree is of another report; here: all, states or records$" statistics --table=tree
refuses "--table=states is of another report" causes --table=states
refuses "--table=root: no report has that; here: all, classes, roots or chains$" causes --table=root
refuses "--table=root: no report has that; here: all, cpus, stacks or tree$" idle --table=root
refuses "--table=root: no report has that; here: all, states or records$" statistics --table=root
refuses "--table=records is of another report" idle --table=records
"$simprof" statistics --table=records --clock=$clock --limit=3 "$exp" | grep -q 'more; --limit=0 shows all' ||
    fail "no limit"
exit 0
