#!/bin/sh
# switch_all.sh - a million switches on 8 CPUs under sampling.
# timeout: 1200
set -u
. tests/guest/lib.sh

line="work=switch n=1000000 trigger=time:20000"
timeout 1100 "$simrun" --mode=fast --cpus=8 --append "$line" "$guest" \
    >"$out" || fail "status $?"
! grep FAIL "$out" || fail "a check failed"
above "switches" "$(total switches)" 999999
exit 0
