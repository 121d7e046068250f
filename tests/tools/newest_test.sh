#!/bin/sh
# newest_test.sh - simprof without an experiment names the newest of the
# directory, and asks without an example where there is none.
# timeout: 30
set -u
. tests/guest/lib.sh
cd "$dir" || exit 1
asks() { # what it says, as a whole
    status=0
    "$BUILD/simprof" functions >out 2>err || status=$?
    [ $status -eq 2 ] && [ ! -s out ] || fail "status $status"
    echo "simprof: which experiment?$1 (simprof --help lists what there is)" |
        cmp -s - err || fail "$(cat err)"
}
asks ""
mkdir b.exp a.exp
touch -d 2001-01-01 a.exp
touch -d 2002-02-02 b.exp
: >c.exp # no directory
asks " The newest here is b.exp"
touch -d 2003-03-03 a.exp
asks " The newest here is a.exp"
