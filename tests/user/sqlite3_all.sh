#!/bin/sh
# sqlite3_all.sh - the sqlite3 shell does in a database file what it does
# under qemu-ppc: transactions, joins, indices, recursion, a damaged file.
# timeout: 1800
. "$(dirname "$0")/real.sh"

command -v tclsh >/dev/null || { echo "tclsh is missing"; exit 77; }
real_unpack sqlite3 3.40.1-2+deb12u2 sqlite3_3.40.1.orig.tar.xz \
    aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655
# Its own build makes one source file of many, for this host; that is then
# compiled for PowerPC.
real_build ./configure --disable-tcl --disable-readline
real_build make sqlite3.c shell.c
real_build powerpc-linux-gnu-gcc -O1 -static -DSQLITE_THREADSAFE=0 \
    -DSQLITE_OMIT_LOAD_EXTENSION -o sqlite3 shell.c sqlite3.c -lm
sqlite=$TMPDIR/src/sqlite3

cat >"$TMPDIR/script.sql" <<'SQL'
.open test.db
PRAGMA journal_mode=DELETE;
CREATE TABLE cpu(id INTEGER PRIMARY KEY, name TEXT, load REAL);
CREATE TABLE sample(cpu INTEGER, at INTEGER, pc TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<8)
INSERT INTO cpu SELECT i, 'cpu' || i, i * 1.25 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2000)
INSERT INTO sample SELECT i % 8 + 1, i * 17 % 4096, printf('0x%08x', i * 4)
FROM n;
COMMIT;
CREATE INDEX by_time ON sample(at);
SELECT name, count(*), sum(at), min(pc), round(avg(at) * load, 4)
FROM sample JOIN cpu ON cpu.id = sample.cpu GROUP BY cpu.id ORDER BY name;
SELECT at, pc FROM sample WHERE at BETWEEN 100 AND 140 ORDER BY at, pc LIMIT 20;
BEGIN; DELETE FROM sample; ROLLBACK;
UPDATE cpu SET load = load / 3 WHERE id % 2; DELETE FROM sample WHERE at > 2000;
SELECT count(*), group_concat(DISTINCT cpu) FROM sample;
SELECT id, load, typeof(load), length(name), upper(name), hex(name) FROM cpu;
SELECT json_extract('{"a":[1,2,{"b":3}]}', '$.a[2].b');
PRAGMA integrity_check;
VACUUM;
.schema
SELECT * FROM nothing;
SQL
INPUT=$TMPDIR/script.sql same "$sqlite" -batch
printf 'SELECT 1/0, 2.5*4, abs(-7), 1e308*10, random() IS NOT NULL;\n' \
    >"$TMPDIR/short.sql"
INPUT=$TMPDIR/short.sql same "$sqlite" -batch :memory:
export SETUP="head -c 5000 /dev/zero >bad.db"
MODES=fast same "$sqlite" -batch bad.db \
    "SELECT * FROM sqlite_master"
exit $bad
