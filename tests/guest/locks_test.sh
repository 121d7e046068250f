#!/bin/sh
# locks_test.sh - simprof locks names the lock of programs with a planted one, by its
# variable, with where it is waited for and held; calls a convoy and an inversion
# so, and nothing else; its waits are those of the report `states`, to the cycle, with
# and without a threshold.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1

# record guest|user PROGRAM [WORD...]: to $dir/x.exp; the report to $dir/text
record() {
    where=$1
    line="$*"
    file=$BUILD/workloads/$2
    shift 2
    case $where in
    guest) set -- --append states=on "$guest" --program "$file" -- "$@" ;;
    *) set -- --user "$file" "$@" ;;
    esac
    rm -rf "$dir/x.exp"
    "$simrun" -q --mode=fast --switch-stacks --pmu-trace="$dir/x.exp" "$@" \
        >"$out" 2>"$dir/err" </dev/null || fail "$(cat "$dir/err")"
    "$simprof" locks "$dir/x.exp" >"$dir/text" || fail "status $?"
    tr '\n' ' ' <"$dir/text" >"$dir/line"
    # Waits of both reports; and what the holder did is all of them.
    is "cycles" "$("$simprof" locks --csv "$dir/x.exp" | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')" \
        "$("$simprof" states --csv "$dir/x.exp" | awk -F, 'NR > 1 { n += $5 } END { print n + 0 }')"
    "$simprof" locks --csv "$dir/x.exp" | awk -F, 'NR > 1 && $2 != $8 + $9 + $10 + $11' >"$dir/off"
    is "what holders did" "$(cat "$dir/off")" ""
    "$simprof" locks --csv --places "$dir/x.exp" >"$dir/places"
}
says() { grep -q "$1" "$dir/line" || fail "no '$1': $(cat "$dir/text")"; }
silent() { ! grep -q "$1" "$dir/line" || fail "says $1: $(cat "$dir/text")"; }

for where in guest user; do
    record $where contended_lock
    "$simprof" locks --csv "$dir/x.exp" | sed -n 2p | grep -q ',ledger_lock$' || fail "$(cat "$dir/text")"
    # Nearly all of the run the lock is on the critical path.
    above "of path" "$("$simprof" locks --csv "$dir/x.exp" | sed -n 2p | awk -F, '{ print int($13) }')" 70
    grep '^waits,.*,ledger_lock,.*contended_lock.c:[0-9]*,post_to_ledger < clerk' "$dir/places" >/dev/null &&
        grep '^holds,.*,ledger_lock,.*contended_lock.c:[0-9]*,post_to_ledger < clerk' "$dir/places" >/dev/null ||
        fail "$(cat "$dir/places")"
    silent Convoy
    silent Inversion
done

# A wake-up takes time in the guest, none under --user.
record guest lock_convoy
says "Convoy: in fair_lock < touch_shared < walker"
record guest lock_convoy 200 4 1
silent Convoy
record user lock_convoy
silent Convoy

record user priority_inversion
says "Inversion: for [0-9,]* cycles, 9[0-9.]*% of those waited for lock, its holder was runnable and thread 1001"
record user priority_inversion 20 4 1
silent Inversion

# A threshold takes waits away, and says what it took.
record user lock_convoy
all=$("$simprof" locks --csv "$dir/x.exp" | awk -F, 'NR > 1 { n += $2 } END { print n }')
for least in 1 300 600 1000000; do
    kept=$("$simprof" locks --csv --least=$least "$dir/x.exp" | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')
    below=$("$simprof" locks --least=$least "$dir/x.exp" | tr '\n' ' ' |
        sed -n 's/.*Left out are .* waits of fewer than .* cycles, \([0-9,]*\) together.*/\1/p' | tr -d ,)
    is "at least $least" $((kept + below)) "$all"
done
is "none so long" "$kept" 0

# Halves of the run add up.
sum() { "$simprof" locks --csv "$dir/x.exp" "$@" | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }'; }
is "halves" $(($(sum --to=500000) + $(sum --from=500000))) "$(sum)"

boot 2 "work=txn n=10" --pmu-trace="$dir/n.exp"
for report in locks states history statistics; do
    "$simprof" $report "$dir/n.exp" >"$out" 2>"$dir/err"
    [ $? = 125 ] && grep -q "n.exp: no states of threads were recorded" "$dir/err" ||
        fail "$report: no states, no word"
    [ -s "$out" ] && fail "$report: $(cat "$out")"
done
exit 0
