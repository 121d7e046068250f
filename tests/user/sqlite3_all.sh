#!/bin/sh
# sqlite3_all.sh - the sqlite3 shell does in a database file what it does
# under qemu-ppc: transactions, joins, indices, recursion, a damaged file.
# timeout: 1800
. "$(dirname "$0")/real.sh"

real_sqlite3
sqlite=$TMPDIR/src/sqlite3

INPUT=$here/script.sql same "$sqlite" -batch
printf 'SELECT 1/0, 2.5*4, abs(-7), 1e308*10, random() IS NOT NULL;\n' \
    >"$TMPDIR/short.sql"
INPUT=$TMPDIR/short.sql same "$sqlite" -batch :memory:
export SETUP="head -c 5000 /dev/zero >bad.db"
MODES=fast same "$sqlite" -batch bad.db \
    "SELECT * FROM sqlite_master"
exit $bad
