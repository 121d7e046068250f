#!/bin/sh
# programs_test.sh - a program of one's own is sampled in the guest: simprof idle
# names the functions of the program that explain the idle CPUs, the kernel's and
# the program's part of a stack are one, the program's result is what it is alone,
# and so are its processes' numbers; the sampler is a process in user mode.
# Counters of the host have the program's functions and whole stacks, too.
# timeout: 240
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
powerpc-linux-gnu-gcc -O1 -g -static -pthread -o "$dir/ledger" tests/guest/prog/ledger.c ||
    fail "ledger.c does not compile"
qemu=$(command -v qemu-ppc && qemu-ppc "$dir/ledger" 15)

# run CPUS WORDS OPTION...
run() {
    cpus=$1
    line=$2
    shift 2
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus="$cpus" \
        --append "$line" "$@" -f --pmu-trace="$dir/e.exp" --program "$dir/ledger" \
        "$guest" -- 15 >"$out" 2>"$dir/err" </dev/null || status=$?
    [ ! -s "$dir/err" ] || fail "simrun says: $(cat "$dir/err")"
    is "status and console" "$status $(cat "$out")" "7 $want"
}
want=$(printf '%s\n' "$qemu" | tail -n 1)
run 4 ""
want=$(cat "$out")
is "samples without a word" "$(records "$dir/e.exp/idle.rec" | wc -l)" 0

for cpus in 2 4 8; do
    run $cpus "sampler=both trigger=time:20000" --switch-stacks
    above "to-idle samples on $cpus CPUs" \
        "$(records "$dir/e.exp/idle.rec" | awk '$5 == 1' | wc -l)" 50
    "$simprof" idle "$dir/e.exp" --csv >"$dir/idle"
    for path in "worker;commit;pthread_mutex_lock;.*user_entry;.*;call_futex;.*;sched;swtch" \
        "worker;commit;write_entry;nanosleep;.*user_entry;.*;task_sleep;.*;swtch"; do
        grep -q "to-idle.*;$path" "$dir/idle" || fail "no stack with $path: $(cat "$dir/idle")"
    done
    # Each stack is the one that simrun walked from outside at the switch.
    "$simprof" truth "$dir/e.exp" | awk '/^to-idle +each cause/ { print $5 }' >"$dir/wrong"
    # It ends where a page's translation is not at hand, which is seldom.
    grep -qE '^0\.[0-4]%$' "$dir/wrong" ||
        fail "stacks that are another, on $cpus CPUs: $(cat "$dir/wrong")"
done
# The sampler: a thread a CPU, of process 100, in user mode at addresses of its own.
is "threads of the sampler" \
    "$(records "$dir/e.exp/thread.rec" | awk '$5 == 100 && $6 == 2' | wc -l)" 8
"$simprof" functions "$dir/e.exp" --csv --limit=0 >"$dir/functions"
for function in sampler_process compute commit write_entry; do
    grep -q "[,\"]$function\b" "$dir/functions" || fail "no cycles of $function"
done

# Event trigger, strategies of setting off, a part of the threads.
run 2 "sampler=to-idle trigger=event:cycles:30000 toidle=direct monitor=ledger"
above "samples by events" "$(records "$dir/e.exp/idle.rec" | wc -l)" 20
run 2 "sampler=from-idle trigger=time:9000 fromidle=direct monitor=prodcons"
is "samples of another program" "$(records "$dir/e.exp/idle.rec" | wc -l)" 0

# The host's counters: functions of the program, whole stacks.
run 2 "" -e cycles:3000
"$simprof" export --format=folded -o "$dir/stacks" "$dir/e.exp"
grep -q 'worker;compute ' "$dir/stacks" || fail "no stack of compute"
grep -q 'worker;commit;.*;user_entry;.*;call_serve;' "$dir/stacks" ||
    fail "no stack from the program into the kernel: $(head -n 40 "$dir/stacks")"

# What is about the kernel's own workloads is refused.
line="pif=auto run=/bin/x"
refused "pif=auto run=/bin/x" "pif= is about the workloads in the kernel"
refused "work=txn run=/bin/x" "work= is about"
exit 0
