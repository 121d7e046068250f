#!/bin/sh
# strategy_test.sh - a target is confined to its CPU while its stack is taken,
# or the other CPUs spin meanwhile, or it may go: how many had moved by then,
# with threads of the kernel and of programs, and what the spinning costs.
# timeout: 300
set -u
. tests/guest/lib.sh

# strategy NAME WORDS CPUS [OPTION...]: boots, and has the captures and those
# that moved in $captures and $moved.
strategy() {
    boot "$3" "$2 sampler=both strategy=$1"
    tell "$1"
}

tell() {
    set -- "$1" $(sed -n "s/^samples: strategy $1, \([0-9]*\) captures, \([0-9]*\) of a target that moved, .*/\1 \2/p" "$out")
    captures=${2:?no line of the strategy}
    moved=$3
}

masks() { # the affinity masks that were written
    total affinity
}

strategy affinity "work=switch n=20000" 4
above 'captures, affinity' "$captures" 500
is 'moved, affinity' "$moved" 0
above 'masks, affinity' "$(masks)" 500
for s in spin none; do
    strategy $s "work=switch n=20000" 4
    above "captures, $s" "$captures" 500
    above "moved, $s" "$moved" 0
    above "captures that had not moved, $s" "$captures" $((moved * 10))
    is "masks, $s" "$(masks)" 0
    grep -q 'no target ran between choice' "$out" && fail "$s: checks a promise it does not make"
done

# The same stacks, fewer transactions: the seven others wait for each capture.
speed() {
    sed -n 's/^txn: .* simulated, \([0-9]*\) per second/\1/p' "$out"
}
tops() { # the two stacks seen most
    sed -n 's/^top to-idle [0-9]*://p' "$out" | head -n 2 | sort
}
strategy affinity "work=txn trigger=time:20000" 8
affinity=$(speed)
tops >"$dir/affinity"
strategy spin "work=txn trigger=time:20000" 8
spin=$(speed)
tops >"$dir/spin"
above 'transactions with affinity beside those with spin, of 100' \
    $((affinity * 100 / spin)) 110
cmp -s "$dir/affinity" "$dir/spin" || fail "other stacks: $(cat "$dir/affinity" "$dir/spin")"

# Without the word nothing is said; a wrong one is refused.
boot 2 "work=txn n=10"
grep -q strategy "$out" && fail "says of a strategy that was not asked for"
refused "strategy=box" 'strategy=affinity|spin|none'
refused "strategy=" 'strategy=affinity|spin|none'

# Of programs, whose pages are read while they run, and end.
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"
    exit 77
}
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
for p in lock_convoy early_end; do
    timeout $((60 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=4 --user \
        "$BUILD/workloads/$p" >"$dir/want" || fail "$p under --user"
    for s in affinity spin none; do
        line="$p strategy=$s"
        timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=4 \
            --append "sampler=both strategy=$s" "$guest" \
            --program "$BUILD/workloads/$p" </dev/null >"$out" ||
            fail "status $?"
        tell $s
        above captures "$captures" 0
        is 'the program prints' "$(grep "^$p:" "$out")" "$(cat "$dir/want")"
        [ $s = affinity ] && is moved "$moved" 0
        [ $s.$p = none.lock_convoy ] && above moved "$moved" 0
    done
done
exit 0
