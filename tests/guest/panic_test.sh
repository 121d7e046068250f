#!/bin/sh
# panic_test.sh - a kernel that cannot go on says so in one line and powers
# off with status 126.
set -u
. tests/guest/lib.sh

# The guest has 2 MiB, and a file of 600 KB in it.
mkdir "$dir/files"
head -c 600000 /dev/zero >"$dir/files/fill"
line="work=switch threads=96, 2 MiB"
status=0
timeout 60 "$simrun" --mode=fast --mem=2 --initrd "$dir/files" \
    --append "work=switch threads=96" "$guest" >"$out" || status=$?
is "status" $status 126
grep -q '^panic: cpu [0-9]: out of memory' "$out" || fail "no reason given"
exit 0
