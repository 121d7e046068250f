#!/bin/sh
# disk_test.sh - when the experiment cannot be written, simrun says so in a
# line and ends with 125; what did get written can be read.
# timeout: 180
set -u
guest=$BUILD/guest.elf
cd "$(mktemp -d)" || exit 1
bad=0

# A limit on the size of files stands in for the full disk: 64 blocks of 512
# bytes let the log through but not the records, or the archive.
sh -c 'trap "" XFSZ; ulimit -f 64
    exec "$0" "$1" --pmu-trace=full.exp' "$BUILD/simrun" "$guest" \
    >out 2>err </dev/null
status=$?
if [ $status -ne 125 ]; then
    echo "no room: status $status"
    bad=1
fi
if ! grep -qi 'full.exp' err || [ "$(wc -l <err)" -gt 3 ]; then
    echo "no room, and it says:"
    head -n 5 err
    bad=1
fi

# More room: the archive fits, the records do not for long. What was written
# before that can be read.
size=$(($(wc -c <"$guest") / 512 + 64))
sh -c "trap '' XFSZ; ulimit -f $size"'
    exec "$0" "$1" --pmu-trace=later.exp --append "work=txn n=100"
    ' "$BUILD/simrun" "$guest" >out 2>err </dev/null
status=$?
[ $status -eq 125 ] || { echo "little room: status $status"; bad=1; }
"$BUILD/simprof" info later.exp >info 2>&1 ||
    { echo "what was written cannot be read:"; cat info; bad=1; }

# A directory that nobody may write to; root may, so then it is a file.
: >file
"$BUILD/simrun" "$guest" --pmu-trace=file/x.exp >out 2>err </dev/null
status=$?
if [ $status -ne 125 ] || ! grep -q 'file/x.exp' err; then
    echo "unwritable: status $status"
    cat err
    bad=1
fi
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod 555 closed
    (cd closed && "$BUILD/simrun" "$guest" --pmu-trace) >out 2>err </dev/null
    [ $? -eq 125 ] || { echo "closed directory: status $?"; bad=1; }
fi
exit $bad
