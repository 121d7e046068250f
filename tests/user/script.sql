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
