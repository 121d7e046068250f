#!/bin/sh
# panic_test.sh - a kernel that cannot go on says so in one line and powers
# off with status 126.
set -u
. tests/guest/lib.sh

line="work=switch threads=96, 1 MiB"
status=0
timeout 60 "$simrun" --mode=fast --mem=1 --append "work=switch threads=96" \
    "$guest" >"$out" || status=$?
is "status" $status 126
grep -q '^panic: cpu [0-9]: out of memory' "$out" || fail "no reason given"
exit 0
