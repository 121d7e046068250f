#!/bin/sh
# locked_test.sh - what the report `locks` says of threads that spin: the first line has it beside what
# they waited off their CPUs, the locks have it, and a word has the line where it is taken without any
# samples. Locks of libraries that cost nothing are counted, not shown.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/locked.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static pthread_spinlock_t table;
static pthread_mutex_t free_one = PTHREAD_MUTEX_INITIALIZER, *in_memory;
static atomic_int word;
static volatile unsigned sum;
static NOINLINE void work(int n)
{
    while (n--)
        sum += n;
}
static NOINLINE void take_word(void)
{
    while (atomic_exchange(&word, 1)) /* the line */
        ;
}
static void *run(void *arg)
{
    for (int i = 0; i < 30; i++) {
        work(i * 37 % 900);
        pthread_spin_lock(&table);
        work(400);
        pthread_spin_unlock(&table);
        pthread_mutex_lock(&free_one);
        pthread_mutex_unlock(&free_one);
        pthread_mutex_lock(in_memory);
        pthread_mutex_unlock(in_memory);
        take_word();
        work(700);
        atomic_store(&word, 0);
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];

    in_memory = malloc(sizeof *in_memory);
    pthread_mutex_init(in_memory, NULL);
    pthread_spin_init(&table, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}
C
record() { # record OPTION...: of the compiler
    powerpc-linux-gnu-gcc -O2 -static -pthread "$@" -o "$dir/locked" "$dir/locked.c" || fail "does not compile"
    rm -rf "$dir/x.exp"
    user "$dir/locked" --cpus=4 --record-locks --pmu-trace="$dir/x.exp" >"$out" || fail "status $?"
    "$simprof" locks "$dir/x.exp" >"$dir/text" || fail "status $?"
    "$simprof" locks --csv "$dir/x.exp" >"$dir/csv" || fail "status $?"
}
of() { # of LOCK COLUMN
    awk -F, -v l="$1" -v of="$2" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } $NF == l { print $at[of] }' "$dir/csv"
}
rows() { # of the last table, the locks
    sed -n '/^Locks that were taken/,/^$/p' "$dir/text" | awk 'NR > 3 && $1 ~ /^[0-9,]+$/ && NF == 7 { print $NF }' | sort
}

record -g
for lock in table word; do
    above "$lock: spun for" "$(of $lock spun_for)" 0
    [ "$(of $lock spun_for)" -le 90 ] || fail "$lock: taken 90 times, spun for $(of $lock spun_for)"
    above "$lock: cycles spun" "$(of $lock all_spun)" 100
done
# A word is held until it is given back, also where the one who takes it writes it in its loop.
above "word: held" "$(of word all_held)" 200000
is "free_one: spun" "$(of free_one spun_for) $(of free_one all_spun)" "0 0"
# The first line is the sum of them.
spun=$(awk -F, 'NR > 1 { sum += $(NF - 1) } END { print sum }' "$dir/csv")
most=$(awk -F, 'NR > 1 { print $(NF - 1), $NF }' "$dir/csv" | sort -rn | sed -n '1s/.* //p')
tr '\n' ' ' <"$dir/text" | tr -d , | grep -q "Threads waited [0-9]* cycles for locks: 0 off their CPUs 0 times and $spun spinning most for $most\." ||
    fail "$spun cycles, most for $most: $(cat "$dir/text")"
# Without samples.
line=$(grep -n 'the line' "$dir/locked.c" | sed 's/:.*//')
"$simprof" locks --csv --spun "$dir/x.exp" | grep -q "^[0-9]*,[0-9]*,[0-9]*,lock,word,[^,]*locked\.c:$line,take_word" ||
    fail "no line: $("$simprof" locks --csv --spun "$dir/x.exp")"
line=$(grep -n 'pthread_spin_lock' "$dir/locked.c" | sed 's/:.*//')
"$simprof" locks --csv --spun "$dir/x.exp" | grep -q "^$(of table all_spun),[0-9]*,[0-9]*,lock,table,[^,]*locked\.c:$line,run" ||
    fail "no line of the spin lock: $("$simprof" locks --csv --spun "$dir/x.exp")"

# Locks of the program's own, in memory too; what is left out are the others, all of which CSV has.
for debug in -g ''; do
    # shellcheck disable=SC2086
    record $debug
    is "rows $debug" "$(rows | sed 's/^0x.*/in memory/' | tr '\n' ' ')" "in memory free_one table word "
    left=$(sed -n 's/^\([0-9]*\) more of libraries, which no thread waited for; --limit=0 shows all$/\1/p' "$dir/text")
    above "locks of libraries" "${left:-0}" 0
    is "all $debug" "$(awk -F, 'NR > 1' "$dir/csv" | wc -l)" $((left + 4))
    "$simprof" locks --limit=0 "$dir/x.exp" >"$dir/text"
    is "all rows $debug" "$(rows | wc -l)" $((left + 4))
done
exit 0
