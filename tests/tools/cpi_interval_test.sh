#!/bin/sh
# cpi_interval_test.sh - cycles an instruction of a part of the run, and how
# wrong its samples are: cycles are known of the account's whole intervals, and
# instructions and samples are of the same.
# timeout: 60
set -u
. tests/guest/lib.sh
cd "$dir" || exit 1
"$simrun" -q --cpus=1 --set account_us=10000 -e insn_completed:1000 --append "work=busy n=150" \
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
# Where none ends there is a share of one.
"$simprof" cpi --from=5 --to=1000 e.exp >out || fail "an empty interval"
grep -q '^ *995 .*<Total>' out || fail "no interval: $(cat out)"

# A run without an end: as much as the account has of it.
cp -r e.exp killed.exp
sed -i "/^at $3\$/q" killed.exp/log
[ "$(sed -n '$s/^at //p' killed.exp/log)" = "$3" ] || fail "not cut"
want=$(awk -F, -v b="$3" 'NR > 1 && $1 < b { n += $7 } END { print n }' all.csv)
"$simprof" cpi --csv killed.exp 2>err | sed -n 2p >out
[ "$(cut -d, -f4 out)" = "$want" ] || fail "killed: not $want: $(cat out)"

# A program of two halves: samples of the second are not held against the whole.
"$simrun" -q --cpus=1 --set account_us=10000 -e cycles:1000 --append "work=txn n=60" \
    --pmu-trace=t.exp "$guest" >/dev/null || fail "status $?"
wrong() { # [OPTION...]
    "$simprof" truth --csv "$@" t.exp >out 2>err || fail "truth: $(cat err)"
    grep '^cycles,function' out | cut -d, -f3,4
}
all=$(wrong)
end=$(sed -n 's/^end //p' t.exp/log)
at=$(sed -n 's/^at //p' t.exp/log | sed -n 2p)
[ "$(wrong --from=$((at - 1000)) --to=$((at + 1000)))" = \
    "$(wrong --from=0 --to="$at")" ] || fail "not the first interval: $(cat out)"
[ "$(wrong --from=0 --to="$((end + 1))")" = "$all" ] || fail "not all: $(cat out)"
exit 0
