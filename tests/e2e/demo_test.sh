#!/bin/sh
# demo_test.sh - what `make run` shows works in a directory of its own, without
# a terminal, twice in a row: it names the experiment it made, and the report
# puts the wait for the contended lock on top.
# timeout: 240
set -eu
root=$PWD
cd "$(mktemp -d)"
for try in 1 2; do
    BUILD=$BUILD "$root/tests/setup/demo" >out 2>err </dev/null ||
        { echo "status $?"; cat out err; exit 1; }
    grep -q "The experiment is in ./guest.$try.exp" out ||
        { echo "no word of guest.$try.exp"; cat out; exit 1; }
    [ -d "guest.$try.exp" ]
    grep -q mutex_lock out || { echo "the lock is missing"; cat out; exit 1; }
    [ "$try" -eq 1 ] && cp out first
done
sed 's/guest\.2\.exp/guest.1.exp/g' out | cmp - first
