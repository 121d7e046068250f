#!/bin/sh
# ends_test.sh - what it takes to begin and to end a program and its threads, and that threads
# wake each other, is told apart by simprof causes and stands behind what the program's
# functions do, in the guest and under --user; all rows add up to the naps. What a program
# does alone before it has threads, and when they have ended, is none of that.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

build() { # build FILE.c: FILE
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "${1%.c}" "$1" 2>"$dir/err" ||
        fail "$1: $(cat "$dir/err")"
}
# record PROGRAM CPUS guest|user: roots to $dir/csv
record() {
    case $3 in
    guest) set -- "$1" "$2" --append states=on "$guest" --program "$dir/$1" ;;
    *) set -- "$1" "$2" --user "$dir/$1" ;;
    esac
    cpus=$2
    shift 2
    rm -rf "$dir/x.exp"
    "$simrun" -q --mode=fast --cpus=$cpus --switch-stacks -e cycles:1000 \
        --pmu-trace="$dir/x.exp" "$@" >"$out" 2>"$dir/err" </dev/null || fail "$(cat "$dir/err")"
    "$simprof" causes "$dir/x.exp" --csv >"$dir/csv" || fail "causes: status $?"
    is "naps" "$(awk -F, 'NR > 1 { n += $1 } END { print n + 0 }' "$dir/csv")" \
        "$("$simprof" functions --csv --limit=0 --metrics=e+exact "$dir/x.exp" |
            awk -F, '$NF == "<napping>" { print $1 }')"
    # No other row is behind one of these.
    awk -F, 'NR > 1 { apart = $3 ~ /^(hand-over|start|end|unknown)$/ }
        NR > 1 && last && !apart { exit 1 } { last = apart }' "$dir/csv" ||
        fail "not last: $(cat "$dir/csv")"
}
first() { sed -n "2s/^[0-9]*,[0-9.]*,//p" "$dir/csv"; }
has() { awk -F, -v what="$1" '$3 == what { n += $1 } END { print n + 0 }' "$dir/csv"; }

# Seeds of several kinds: barriers, a herd, a producer, a tree of threads, a thread a request.
for seed in 2003 2004 2006 2014 2042; do
    tests/causes/generate $seed >"$dir/one.c" && build "$dir/one.c"
    root=$(sed -n 's/^ \* root: [a-z]* //p' "$dir/one.c")
    cpus=$(sed -n 's/^ \* cpus: //p' "$dir/one.c")
    for where in guest user; do
        # Under --user these two have another root.
        [ "$where" = user ] && case $seed in 2003 | 2006) continue ;; esac
        record one $cpus $where
        first | grep -q "^runs,[^,]*,compute < $root < " ||
            fail "seed $seed, $where: $(sed -n 1,4p "$dir/csv"), not $root"
        [ "$where" = user ] || [ "$(has start)" -gt "$(has runs)" ] ||
            fail "seed $seed: little is start: $(cat "$dir/csv")"
    done
done
record one $cpus guest
"$simprof" causes --width=100 "$dir/x.exp" | grep -q '^ *[0-9,]* *[0-9.]*%  *\.  start .*programs, threads begin' ||
    fail "no row that says it: $("$simprof" causes "$dir/x.exp")"

# What main does alone is its own.
cat >"$dir/alone.c" <<'C'
#include <pthread.h>
#include <stdio.h>
static __attribute__((noipa)) unsigned compute(unsigned x, unsigned n)
{
    while (n--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static __attribute__((noipa)) unsigned load_all(unsigned x) { return compute(x, BEFORE) ^ 1; }
static __attribute__((noipa)) unsigned sum_up(unsigned x) { return compute(x, BEHIND) ^ 2; }
static void *run(void *x)
{
    *(unsigned *)x = compute(*(unsigned *)x, 1000);
    return NULL;
}
int main(void)
{
    unsigned x = load_all(1), y = x;
    pthread_t other;

    pthread_create(&other, NULL, run, &y);
    run(&x);
    pthread_join(other, NULL);
    printf("%u\n", sum_up(x + y));
    return 0;
}
C
for what in "300000 10 load_all" "10 300000 sum_up"; do
    set -- $what
    sed "s/BEFORE/$1/; s/BEHIND/$2/" "$dir/alone.c" >"$dir/two.c" && build "$dir/two.c"
    for where in guest user; do
        record two 4 $where
        first | grep -q "^runs,[^,]*,compute < $3 < main" || fail "$what, $where: $(cat "$dir/csv")"
    done
done
exit 0
