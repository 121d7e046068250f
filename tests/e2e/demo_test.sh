#!/bin/sh
# demo_test.sh - what `make run` shows works in a directory of its own, without
# a terminal, beside older ones: it names the experiment it made, and the report
# puts the wait for the contended lock on top.
# timeout: 480
set -eu
root=$PWD
cd "$(mktemp -d)"
mkdir guest.1.exp
BUILD=$BUILD "$root/tests/setup/demo" >out 2>err </dev/null ||
    { echo "status $?"; cat out err; exit 1; }
grep -q 'The experiment is in ./guest.2.exp' out ||
    { echo "no word of guest.2.exp"; cat out; exit 1; }
[ -d guest.2.exp ]
[ ! -s err ] || { echo "on standard error:"; cat err; exit 1; }

# The first stack of the first list is the wait for the lock, as one piece.
sed -n '/^To-idle/,/^From-idle/p' out | tr -s ' \n' '  ' >top
grep -Eq 'caller < \.\.\. +[0-9,]+ +[0-9.]+% +[0-9.]+-[0-9.]+% +[0-9.]+% [a-z_ <]*thread_block < mutex_lock' top ||
    { echo "the lock is not on top:"; cat out; exit 1; }

# And it is what the README says.
cd "$root"
tests/setup/transcripts --check README.md || {
    echo "make docs rewrites it; then read what stands around it"
    exit 1
}
