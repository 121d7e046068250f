#!/bin/sh
# slices_test.sh - what the page of `simprof html` adds up of slices of time is, for
# random intervals, what functions, causes, calltree and timeline print of the same
# interval, to the unit: with samples and without, where CPUs nap and where idle
# threads spin, of a page of a part of the run, and where there is one CPU.
# timeout: 600
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
simprof=$BUILD/simprof
fail() {
    echo "$*"
    exit 1
}
seed=11
random() { # less than
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % $1))
}
report() { # words; as JSON, of the interval
    "$simprof" "$@" --json --from="$from" --to="$to" "$exp" 2>/dev/null || :
}

# Counters whose samples can be held against what is known in the interval, which are not
# where the page begins or ends and no interval of the account does.
judged() {
    jq -r --argjson from "$from" --argjson to "$to" '.from as $first | .to as $last | .slices.truth |
        select((.begins or $from != $first) and (.ends or $to < $last)) | .judged[][0]' "$dir/json"
}
# The same lines as slices.pl has.
printed() {
    report functions --reasons | jq -r '.[] | select(.function != "<Total>") | "functions \(.function) \(.twelfths)"'
    report causes | jq -r '.[] | select(.cycles > 0) | "causes \(.what) \(.functions) \(.cycles)"'
    report causes | jq -r '.[] | select(.spun > 0) | "spins \(.what) \(.functions) \(.spun)"'
    # The value of a node alone is its own less those of its children.
    for words in "" "--metrics=$waits"; do
        # shellcheck disable=SC2086
        report calltree --limit=0 $words | jq -r '. as $rows |
            (reduce .[] as $r ({}; if $r.parent == null then . else .[$r.node | tostring] = $r end)) as $at |
            def path: if .parent == null then "" else ($rows[.parent] | path) + "/" + .function end;
            (.[0] // {} | keys[] | select(startswith("incl_") and (endswith("_percent") | not))) as $k |
            (reduce .[] as $r ([]; if $r.parent == null then . else .[$r.parent] += $r[$k] end)) as $below |
            .[] | (.[$k] - ($below[.node] // 0)) as $own | select($own != 0) |
            "calls \($k[5:]) \(path) \($own)"' 2>/dev/null
    done
    report timeline --step=$((to - from)) |
        jq -r 'group_by(.state)[] | "states \(.[0].state) \(map(.cycles) | add)"'
    report locks | jq -r '.[] | select(.waits > 0 or (.all_spun | tonumber? // 0) > 0) | [.lock, .process, .waits, .waited, .longest_wait, .held,
        .longest_held, .holds, .path, .holder_ran, .holder_waited, .holder_no_cpu, .hand_over,
        (.spun_for | tonumber? // 0), (.all_spun | tonumber? // 0)] | map(tostring) |
        "locks " + join(" ")'
    report statistics | jq -r '.[] | select(.of == "thread") | [.number, .user_cpu, .system_cpu, .wait_cpu, .user_lock,
        .text_fault, .data_fault, .other_wait, .exact] | map(tostring) | "threads " + join(" ")'
    for event in $(judged); do
        report truth --event="$event" --limit=0 | jq -r --arg event "$event" '.[] | "\($event) \(.function) \(.exact) \(.found)"'
    done | while read -r words; do
        printf 'truth %s %.4f %.4f\n' "${words% * *}" $(echo "$words" | awk '{ print $(NF - 1), $NF }')
    done
}
same() { # experiment, intervals, options of the page
    exp=$dir/$1 times=$2
    shift 2
    "$simprof" html "$@" -o "$dir/page.html" "$exp" 2>"$dir/err" || fail "$exp: $(cat "$dir/err")"
    tests/tools/page_data "$dir/page.html" >"$dir/json"
    edges=$(tests/tools/slices.pl "$dir/json") || fail "$exp: no slices"
    # shellcheck disable=SC2086
    set -- $edges
    [ $# -gt 3 ] || fail "$exp: $# edges"
    for i in $(seq "$times"); do
        a=$(random $(($# - 1)))
        b=$((a + 1 + $(random $(($# - 1 - a)))))
        eval "from=\${$((a + 1))} to=\${$((b + 1))}"
        [ "$b" -lt $(($# - 1)) ] || [ "$to" -ne "$end" ] || to=18446744073709551615
        printed | grep "$only" | sort >"$dir/want"
        [ "$to" != 18446744073709551615 ] || to=$end
        tests/tools/slices.pl "$dir/json" "$a" "$b" >"$dir/all" || fail "slices.pl"
        grep "$only" "$dir/all" | sort >"$dir/got"
        grep -q '^functions' "$dir/all" || fail "$exp $from-$to: nothing"
        cmp -s "$dir/want" "$dir/got" || fail "$exp: cycles $from to $to: printed, and the page's:
$(diff "$dir/want" "$dir/got" | head)"
    done
}
only=. # lines that are compared
waits=i+blocked:i+lock:i+queue:i+barrier:i+io:i+page:i+timer:i+stopped
run() { # experiment, options
    to=$1
    shift
    "$BUILD/simrun" -q --pmu-trace="$dir/$to" "$@" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
    end=$("$simprof" info --csv "$dir/$to" | sed -n 's/^cycles,//p')
}

run samples.exp --cpus=4 --switch-stacks -e cycles:20000 -e dcache_miss:1000 \
    --append "work=txn n=20 states=on" "$BUILD/guest.elf"
same samples.exp 5
for kind in functions causes calls states locks threads truth; do
    grep -q "^$kind " "$dir/got" || fail "no $kind"
done
# Bounds of a page that are none of the account's.
same samples.exp 3 --from=1234567 --to=3900001
# Samples by their time tree.
"$simprof" tree build "$dir/samples.exp" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
same samples.exp 2
run few.exp --cpus=2 --switch-stacks -e cycles:300000 --append "work=txn n=16 states=on idle=spin" "$BUILD/guest.elf"
same few.exp 3
run none.exp --cpus=3 --switch-stacks --append "work=txn n=10 states=on" "$BUILD/guest.elf"
same none.exp 3
waits=
run one.exp --cpus=1 -e cycles:20000 --append "work=txn n=12" "$BUILD/guest.elf"
same one.exp 2
# Threads that spin.
if command -v powerpc-linux-gnu-gcc >/dev/null; then
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/spin" tests/tools/spin.c || fail "does not compile"
    run spins.exp --mode=fast --cpus=3 --set account_us=300 --record-locks -e cycles:500 --user "$dir/spin"
    only='^spins\|^causes'
    same spins.exp 6
    grep -q '^spins runs inside' "$dir/got" || fail "no spins: $(grep '^spins' "$dir/got" | head -n 3)"
    cat >"$dir/lock.c" <<'C'
#include <pthread.h>
static pthread_spinlock_t lock;
static void *run(void *arg)
{
    for (int n = 0; n < 40; n++) {
        pthread_spin_lock(&lock);
        for (volatile int i = 0; i < 300; i++)
            ;
        pthread_spin_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];

    pthread_spin_init(&lock, 0);
    for (int n = 0; n < 3; n++)
        pthread_create(&t[n], 0, run, 0);
    for (int n = 0; n < 3; n++)
        pthread_join(t[n], 0);
    return 0;
}
C
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/lock" "$dir/lock.c" || fail "does not compile"
    run lock.exp --mode=fast --cpus=3 --set account_us=50 --record-locks --user "$dir/lock"
    only='^locks'
    same lock.exp 4
    grep -q '^locks lock .* [1-9][0-9]* [1-9][0-9]*$' "$dir/got" || fail "no lock: $(cat "$dir/got")"
fi
rm -r "$dir"
