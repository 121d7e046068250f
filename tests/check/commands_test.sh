#!/bin/sh
# commands_test.sh - what messages and documents tell to type can be typed:
# every `simprof REPORT`, `simmark COMMAND` and --OPTION that they name exists.
set -u

command -v perl >/dev/null || { echo "no perl"; exit 77; }
perl tests/check/commands.pl "$BUILD" >"$TMPDIR/wrong" || exit 1
sort -u "$TMPDIR/wrong"
[ ! -s "$TMPDIR/wrong" ]
