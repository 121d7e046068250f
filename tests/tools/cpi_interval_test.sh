#!/bin/sh
# cpi_interval_test.sh - cycles an instruction of a part of the run: cycles are
# known of the account's whole intervals, and instructions are of the same.
# timeout: 60
set -u
. tests/guest/lib.sh
cd "$dir" || exit 1
"$simrun" -q --cpus=1 -e insn_completed:1000 --append "work=busy n=150" \
    --pmu-trace=e.exp "$guest" >/dev/null || fail "status $?"
simprof=$BUILD/simprof
ends=$(sed -n 's/^at //p' e.exp/log)
# shellcheck disable=SC2086 # words
set -- $ends
[ $# -ge 4 ] || fail "the account has too few intervals: $ends"
"$simprof" export --format=csv e.exp >all.csv || fail "no export"
check() { # FROM, TO asked for; BEGIN, END of what is meant
    "$simprof" cpi --csv --from="$1" --to="$2" e.exp >out 2>err ||
        fail "cpi: $(cat err)"
    want=$(awk -F, -v a="$3" -v b="$4" \
        'NR > 1 && $1 >= a && $1 < b { n += $7 } END { print n + 0 }' all.csv)
    awk -F, -v want="$want" -v span="$(($4 - $3))" '
        $1 == "<Total>" { cycles += $3; insns = $4 }
        END { exit !(cycles > span - 50 && cycles < span + 50 &&
                     insns == want && want > span / 2) }' out ||
        fail "cycles $1 to $2: not $want instructions in $3 to $4: $(head -n 9 out)"
}
check "$(($2 - 100))" "$(($2 + 100))" "$1" "$2"
check "$(($2 + 100))" "$(($3 + 300000))" "$2" "$3"
check "$2" "$(($3 + 1))" "$2" "$3"
check 5 "$3" "$1" "$3"
# Where none ends there is nothing to divide.
"$simprof" cpi --from=5 --to=1000 e.exp >out || fail "an empty interval"
grep -q '^ *0 *\. *<Total>' out || fail "no interval: $(cat out)"
exit 0
