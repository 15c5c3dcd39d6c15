-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Rivulet authors
CREATE TABLE items(id INTEGER PRIMARY KEY, kind TEXT, weight REAL, note TEXT);
CREATE INDEX by_kind ON items(kind, weight);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO items SELECT i, 'kind' || (i * 7 % 13), i * 31 % 997 / 10.0, printf('note %05d', i * 7919 % 3001) FROM n;
SELECT kind, count(*), sum(weight), min(note), max(note) FROM items GROUP BY kind ORDER BY kind;
SELECT a.kind, count(*) FROM items a JOIN items b ON a.kind = b.kind AND a.weight < b.weight WHERE a.id < 100 GROUP BY a.kind;
UPDATE items SET note = upper(note) || hex(weight) WHERE kind IN ('kind3', 'kind5');
DELETE FROM items WHERE id % 5 = 0;
SELECT id, note, row_number() OVER (PARTITION BY kind ORDER BY weight, id) FROM items WHERE note LIKE '%1_3%' ORDER BY id;
CREATE TRIGGER added AFTER INSERT ON items BEGIN UPDATE items SET weight = weight + 1 WHERE id = new.id - 1; END;
BEGIN;
INSERT INTO items(kind, weight, note) SELECT kind, weight * 2, note FROM items WHERE id < 200;
ROLLBACK;
INSERT INTO items(kind, weight, note) SELECT kind, weight * 2, json_object('note', note, 'list', json_array(1, id)) FROM items WHERE id < 200;
SELECT sum(json_extract(note, '$.list[1]')) FROM items WHERE json_valid(note);
PRAGMA integrity_check;
EXPLAIN QUERY PLAN SELECT * FROM items WHERE kind = 'kind3' AND weight > 50;
