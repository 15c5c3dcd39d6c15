// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Pure functions of the page: scales, filter, pruning, graph, diff, marks, trees, reading. Run by make check-view.
import assert from 'node:assert/strict';
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { documentOf, flat, large, river, shares, tableI, tableII } from './documents.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rivulet-view-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const entry = ['scale', 'prune', 'graph', 'data', 'diff', 'source', 'trees', 'format', 'layout', 'changedpaths', 'lanes', 'delta', 'columns'].map((name) => `export * as ${name} from './${name}.ts';`).join('\n');
await build({ stdin: { contents: entry, resolveDir: join(here, '../src'), loader: 'ts' }, bundle: true, format: 'esm', outfile: join(folder, 'all.mjs'), logLevel: 'error' });
const { scale, prune, graph, data, diff, source, trees, format, layout, changedpaths, lanes, delta, columns } = await import(pathToFileURL(join(folder, 'all.mjs')).href);
const read = (...profiles) => data.readDocument(JSON.stringify(documentOf(...profiles))).profiles;
const near = (a, b, by = 1e-9) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);

test('FIG. 14B: rounded up to the nearest 10%, 1 to 10 pixels', () => {
  const s = scale.defaultScale('linear');
  for (const [t, w] of [[0, 1], [0.001, 1], [0.1, 1], [0.100001, 2], [0.2, 2], [0.3, 3], [0.55, 6], [0.7, 7], [0.9, 9], [0.900001, 10], [1, 10]]) assert.equal(scale.width(s, t, 1), w, `t = ${t}`);
});
test('FIG. 14C: min(9, max(1, log2(1000 t + 0.0001)))', () => {
  const s = scale.defaultScale('fig14c');
  for (const [t, w] of [[0, 1], [0.001, 1], [0.002, Math.log2(2.0001)], [0.032, Math.log2(32.0001)], [0.5, Math.log2(500.0001)], [0.512, 9], [1, 9]]) near(scale.width(s, t, 1), w);
});
test('no weighting: all alike', () => assert.equal(new Set(shares.map((t) => scale.width(scale.defaultScale('none'), t, 1))).size, 1));
test('12 - 11 e^-t: 1 to 8 pixels', () => {
  const s = scale.defaultScale('exp');
  near(scale.width(s, 0, 1), 1);
  near(scale.width(s, 1, 1), 12 - 11 / Math.E);
  assert.equal(Math.round(scale.width(s, 1, 1)), 8);
});
test('a log(t + b) + c: c = 1 - a log b makes the least 1 pixel', () => {
  const s = scale.defaultScale('log');
  near(scale.width(s, 0, 1), 1);
  near(scale.width(s, 1, 1), 10);
  near(scale.width({ ...s, a: 2, b: 0.01, c: 12 }, 0.5, 1), 2 * Math.log(0.51) + 12);
  near(2 * Math.log(0 + 0.01) + scale.offsetFor(2, 0.01), 1);
});
test('adaptive: the least arc 1, all time the widest', () => {
  const s = scale.defaultScale('adaptive');
  for (const least of [0.5, 0.01, 1e-6]) {
    near(scale.width(s, least, least), 1);
    near(scale.width(s, 1, least), s.max);
    near(scale.width(s, Math.sqrt(least), least), 1 + (s.max - 1) / 2, 1e-6);
  }
});
test('table: first range that fits, in any order', () => {
  const s = { ...scale.defaultScale('table'), table: [[50, 4], [10, 2], [1, 1]] };
  for (const [t, w] of [[0, 1], [0.01, 1], [0.0101, 2], [0.1, 2], [0.5, 4], [0.9, 4]]) assert.equal(scale.width(s, t, 1), w);
});
test('widths never fall with time, their ratio is less than that of times', () => {
  for (const kind of ['linear', 'fig14c', 'log', 'exp', 'adaptive', 'table']) {
    const s = scale.defaultScale(kind);
    let before = 0;
    for (let t = 0; t <= 1; t += 0.001) {
      const w = scale.width(s, t, 0.001);
      assert.ok(w >= before - 1e-12, kind);
      before = w;
    }
  }
});

test('FIG. 13: the filter is the time of the n-th function, rounded up', () => {
  const totals = Array.from({ length: 40 }, (_, i) => 400 - 10 * i); // of 10,000: 4.00%, 3.90%, ...
  assert.equal(prune.initialFilter(totals, 10000), 1.1); // 30th: 110 of 10,000
  assert.equal(prune.initialFilter(totals.map((t) => t + 1), 10000), 1.2); // 1.11% is rounded up
  assert.equal(prune.initialFilter(totals.map((t) => 10 * t), 10000), 11); // steps of 1 above 2%
  assert.equal(prune.initialFilter(totals.map((t) => 10 * t + 1), 10000), 12);
  assert.equal(prune.initialFilter(totals.map((t) => 1000 * t), 10000), 20); // never above 20%
  assert.equal(prune.initialFilter(totals.slice(0, 29), 10000), 0); // fewer than 30: all of them
});
test('FIG. 13: ties across the n-th rank are shown together', () => {
  const [p] = read(flat([...Array(10).fill(3), ...Array(40).fill(1)]));
  const g = graph.makeGraph(p, false);
  const filter = prune.initialFilter(g.totals, g.all);
  assert.equal(filter, 1);
  assert.equal(prune.prune(g, filter, new Map()).nodes.length, 51); // main, 10 and all 40
});
test('the range of the filter: 0 to 20%, finer below 2%', () => {
  assert.equal(prune.steps[0], 0);
  assert.equal(prune.steps.at(-1), 20);
  for (let i = 1; i < prune.steps.length; i++) near(prune.steps[i] - prune.steps[i - 1], prune.steps[i] <= 2 ? 0.1 : 1);
});
test('at 20% at most 5 functions that call nobody are left', () => {
  const [p] = read(flat(Array(5).fill(20)));
  assert.equal(prune.prune(graph.makeGraph(p, false), 20, new Map()).nodes.length, 6);
});
test('three states of a node', () => {
  const [p] = read(tableII());
  const g = graph.makeGraph(p, false);
  const names = (states, filter = 30) => prune.prune(g, filter, new Map(states)).nodes.map((f) => p.functions.name[f]).sort().join(' ');
  assert.equal(names([]), 'A B C D main start'); // C, D: 39.6%
  assert.equal(names([], 40), 'A B main start');
  assert.equal(names([[2, 1]]), 'A main start'); // A collapsed: what is below it is not reached
  assert.equal(names([[2, 3]], 40), 'A B C main start'); // all children of A; D only by its own caller
  assert.equal(names([[3, 3]], 40), 'A B D main start');
  assert.equal(prune.stepDetail(1, -1), 1);
  assert.equal(prune.stepDetail(3, 1), 3);
});
test('what passes the filter but no caller of which does is shown as a root', () => {
  const made = tableII();
  made.functions.total[1] = 0; // main
  const [p] = read(made);
  const g = graph.makeGraph(p, false);
  const shown = prune.prune(g, 30, new Map());
  assert.ok(shown.has[2] === 1 && shown.has[5] === 1);
});

test('tables I and II: self + descendants as recorded', () => {
  const [one, two] = read(tableI(), tableII());
  assert.deepEqual([...one.functions.total], [1011, 1010, 1000, 600, 300, 400]);
  assert.deepEqual([...two.functions.total], [1011, 1010, 1000, 500, 400, 400]);
});
test('table III: what averages would say', () => {
  const [p] = read(tableII());
  const totals = graph.averageTotals(graph.makeGraph(p, false), p.functions.self);
  assert.deepEqual([...totals].map((t) => Math.round(t)), [1011, 1010, 1000, 400, 500, 400]);
});
test('FIG. 11: callers and callees of A to D', () => {
  const [p] = read(tableII());
  const g = graph.makeGraph(p, false);
  const rows = (list) => list.map((n) => [p.functions.name[n.f], n.count, n.total, n.averaged]);
  assert.deepEqual(rows(graph.callers(g, 5)), [['B', 40, 300, 200], ['C', 40, 100, 200]]);
  assert.deepEqual(rows(graph.callees(g, 2)), [['B', 1, 500, 0], ['C', 1, 400, 0]]);
  assert.deepEqual(rows(graph.callees(g, 3)), [['D', 40, 300, 0]]);
  assert.deepEqual(rows(graph.callers(g, 0)), []);
});
test('recursion: of itself, and by way of others', () => {
  const [p] = read(river());
  const g = graph.makeGraph(p, false);
  assert.deepEqual(p.functions.name.filter((_, f) => g.recursive[f]), ['factorial']);
  const made = tableII();
  made.calls.from.push(5), made.calls.to.push(3), made.calls.site.push('0x1'), made.calls.line.push(1), made.calls.count.push(1), made.calls.total.push(0);
  const around = graph.makeGraph(read(made)[0], false);
  assert.deepEqual([...around.recursive], [0, 0, 0, 1, 0, 1]);
  // an average of totals is too small for it; from single calls it is that of their lengths
  const f = p.functions.name.indexOf('factorial');
  assert.equal(graph.averageOf(p, g, f), undefined);
  p.functions.lengths = p.functions.calls.map((calls) => 42 * calls);
  assert.equal(graph.averageOf(p, g, f), 42);
  const main = p.functions.calls.findIndex((calls) => calls === 0);
  assert.equal(main < 0 || graph.averageOf(p, g, main) === undefined, true);
});
test('call sites apart or together', () => {
  const made = tableII();
  made.calls.from.push(3), made.calls.to.push(5), made.calls.site.push('0x99'), made.calls.line.push(7), made.calls.count.push(2), made.calls.total.push(5);
  const [p] = read(made);
  assert.equal(graph.makeGraph(p, false).arcs.length, 6);
  assert.equal(graph.makeGraph(p, true).arcs.length, 7);
  assert.equal(graph.makeGraph(p, false).arcs.find((a) => a.from === 3 && a.to === 5).total, 305);
});

test('diff: by name and file, copies of the compiler are the function', () => {
  const old = tableII();
  const now = tableII();
  now.functions.name[3] = 'B.constprop.0';
  now.functions.name[4] = 'C2';
  const [a, b] = read(old, now);
  const pairing = diff.pair(b, a);
  assert.deepEqual([...pairing.of], [0, 1, 2, 3, -1, 5]);
  assert.deepEqual(pairing.gone, [4]);
  const twice = tableII();
  for (const column of ['self', 'total', 'calls']) twice.functions[column] = twice.functions[column].map((x) => 2 * x);
  twice.total *= 2;
  const [c] = read(twice);
  assert.deepEqual([...diff.pair(c, a, true).total], [...c.functions.total]); // shares are the same
  assert.deepEqual([...diff.pair(c, a).total], [...a.functions.total]);
  assert.equal(diff.plainName('f.part.0.cold'), 'f');
  assert.equal(format.change(100, 150), '+50');
  assert.equal(format.changePercent(100, 150), '+50.0%');
  assert.equal(format.changePercent(0, 5), 'new');
});
test('diff: of 20 programs with 1% more in one function, and noise in the others, the headline names it', () => {
  let seed = 7;
  const random = () => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32);
  for (let k = 0; k < 20; k++) {
    const before = large(100 + 50 * k, 1, 0);
    const after = structuredClone(before);
    const culprit = Math.floor(random() * before.functions.name.length);
    // noise: of each other function up to a per mill of the slowdown, up and down
    const more = Math.round(before.total / 100);
    after.functions.self = before.functions.self.map((s, f) => Math.max(0, f === culprit ? s + more : s + Math.round((random() - 0.5) * 0.002 * more)));
    after.total = after.functions.self.reduce((sum, s) => sum + s, 0);
    const [old, now] = read(before, after);
    const pairing = diff.pair(now, old);
    const rows = diff.contributions(now, pairing);
    assert.equal(rows[0].f, culprit, `program ${k}`);
    assert.equal(rows.reduce((sum, row) => sum + row.change, 0), after.total - before.total, 'contributions add up');
    assert.equal(diff.headline(now, pairing).parts[0].f, culprit);
  }
});
test('blocks of two builds: what does the same, and between that what stands at the same place', () => {
  const match = (was, now) => [...changedpaths.matchBlocks([...was], [...now])];
  assert.deepEqual(match('abcd', 'abcd'), [0, 1, 2, 3]);
  assert.deepEqual(match('abcd', 'axcd'), [0, 1, 2, 3], 'one is another');
  assert.deepEqual(match('abcd', 'abxcd'), [0, 1, 3, 4], 'one more');
  assert.deepEqual(match('abxcd', 'abcd'), [0, 1, -1, 2, 3], 'one less');
  assert.deepEqual(match('abcd', 'yzabcd'), [2, 3, 4, 5]);
  assert.deepEqual(match('ab', ''), [-1, -1]);
});
test('FIG. 9: marks', () => {
  assert.deepEqual([[1, 1], [1, 0], [3, 2], [3, 0]].map(([blocks, hit]) => source.markOf(blocks, hit)), ['|', '#', '+', '#']);
});

const stacks = { parent: [-1, 0, 1, 0, 3], frame: [0, 1, 2, 3, 2], self: [1, 2, 3, 4, 5] };
const frames = { name: ['main', 'a', 'leaf', 'b'], file: [0, 0, 0, 0], line: [1, 1, 1, 1] };
test('flame: down, up and around keep the sum', () => {
  const [p] = read({ ...tableII(), stacks, frames });
  for (const tree of [trees.downTree(p.stacks), trees.upTree(p.stacks)]) assert.equal(tree.all, 15);
  const around = trees.aroundTrees(p.stacks, (frame) => p.stacks.frames[frame] === 'leaf');
  assert.equal(around.below.all, 8);
  assert.equal(around.above.all, 8);
  const up = trees.upTree(p.stacks);
  assert.deepEqual(up.roots.map((r) => [p.stacks.frames[up.frame[r]], up.total[r]]), [['leaf', 8], ['b', 4], ['a', 2], ['main', 1]]);
  assert.equal(trees.frameTotals(p.stacks).get('main'), 15);
});
test('flame: children lie side by side inside their parent', () => {
  const [p] = read(large(400, 10, 0));
  const tree = trees.downTree(p.stacks);
  for (let n = 0; n < tree.count; n++) {
    let x = tree.x[n];
    for (const c of tree.children[n]) {
      near(tree.x[c], x);
      x += tree.total[c];
    }
    assert.ok(x <= tree.x[n] + tree.total[n] + 1e-6);
  }
});

test('quick layout: no two boxes overlap, calls go to the right', () => {
  const [p] = read(large(300, 10, 0));
  const g = graph.makeGraph(p, false);
  const boxes = g.byTotal.map((id) => ({ id, width: 80, height: 24 }));
  const placed = layout.quick(boxes, g.arcs, true);
  const list = [...placed.boxes.values()].sort((a, b) => a.x - b.x || a.y - b.y);
  for (let i = 1; i < list.length; i++) assert.ok(list[i].x !== list[i - 1].x || list[i].y >= list[i - 1].y + 24, 'overlap');
  assert.ok([...placed.boxes.values()].every((b) => Number.isFinite(b.x) && Number.isFinite(b.y)));
});
test('Graphviz output is turned the right way up', () => {
  const links = [{ from: 1, to: 2 }];
  const placed = layout.fromDot({ bb: '0,0,200,100', objects: [{ name: '1', pos: '36,80', width: '1', height: '0.5' }, { name: '2', pos: '164,20', width: '1', height: '0.5' }], edges: [{ id: 'e0', pos: '72,80 100,80 100,20 128,20' }] }, links);
  assert.deepEqual(placed.boxes.get(1), { x: 16, y: 18, width: 72, height: 36 });
  assert.equal(placed.way(0), 'M88.0 36.0C116.0 36.0 116.0 96.0 144.0 96.0');
});

test('a sentence for each way data can be bad', () => {
  const good = documentOf(tableII());
  const fails = (value, text) => assert.throws(() => data.readDocument(typeof value === 'string' ? value : JSON.stringify(value)), (error) => error instanceof data.DataError && text.test(error.message));
  fails('', /no data/);
  fails(JSON.stringify(good).slice(0, 500), /cut off or damaged/);
  fails({ ...good, format: 'x' }, /no data of `rivulet view`/);
  fails({ ...good, version: 2 }, /version 2.*up to 1/);
  fails({ ...good, profiles: [] }, /no profile/);
  fails(documentOf({ ...tableII(), functions: undefined }), /no functions/);
  const short = tableII();
  short.functions.self.pop();
  fails(documentOf(short), /“self” has not 6 rows/);
  const far = tableII();
  far.calls.to[0] = 99;
  fails(documentOf(far), /leads nowhere/);
  const text = tableII();
  text.functions.total[0] = 'x';
  fails(documentOf(text), /is no number/);
  fails(documentOf({ ...tableII(), frames, stacks: { parent: [1, -1], frame: [0, 0], self: [1, 1] } }), /before what it is part of/);
});
test('sections and members that are not known are ignored', () => assert.equal(read({ ...tableII(), later: { x: [1] } }).length, 1));
test('names keep no control characters and nothing that turns text around', () => assert.equal(data.clean('a\u202eb\u0000c\u0007'), 'a\ufffdb\ufffdc\ufffd'));
test('percentages, units', () => {
  assert.equal(format.percent(0.9278), '92.78%');
  assert.equal(format.percent(0.0003), '0.03%');
  assert.equal(format.short(1234567), '1.23M');
  assert.equal(format.count(1234567), '1,234,567');
});

// ---- the timeline, and the document while a run goes on ----

test('how deep the calls are, in each part of a run, is what looking at all of them says', () => {
  let seed = 7;
  const random = (n) => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 8) % n;
  const spans = { begin: [], duration: [], fn: [], depth: [], process: [] };
  const call = (process, begin, end, depth) => {
    for (const [name, value] of Object.entries({ begin, duration: end - begin, fn: 0, depth, process })) spans[name].push(value);
    for (let at = begin + random(5); at < end && depth < 40; ) {
      const last = Math.min(end, at + 1 + random(Math.max(1, end - at)));
      call(process, at, last, depth + 1);
      at = last + random(30);
    }
  };
  call(0, 0, 600, 0);
  call(3, 200, 1000, 0);
  const made = new lanes.Lanes({ spans: { count: spans.begin.length, length: 1000, ...spans } });
  for (const parts of [1, 7, 100, 1000]) {
    const wanted = new Float64Array(parts);
    spans.begin.forEach((begin, i) => {
      for (let x = 0; x < parts; x++)
        if (begin < ((x + 1) * 1000) / parts && begin + spans.duration[i] > (x * 1000) / parts) wanted[x] = Math.max(wanted[x], spans.depth[i] + 1);
    });
    assert.deepEqual(made.depthsOf(1000, parts), wanted);
  }
  assert.ok(spans.begin.length > 50);
});
test('a delta: members, columns, rows; what is gone; what does not fit is a sentence', () => {
  const before = { format: 'rivulet view', version: 1, profiles: [{ total: 1, old: 2, t: { a: [1, 2, 3], b: ['x'], c: [1] } }] };
  const put = (profile) => delta.applyDelta(before, { format: 'rivulet view delta', version: 1, profiles: [profile] }).profiles[0];
  assert.deepEqual(put({}), before.profiles[0]);
  assert.deepEqual(put({ total: 5, gone: ['old'], t: { a: { patch: [[1, 9], [3, 4, 5]] }, gone: ['c'] } }), { total: 5, t: { a: [1, 9, 3, 4, 5], b: ['x'] } });
  assert.deepEqual(put({ t: { b: ['y', 'z'] }, u: { d: [1] } }), { total: 1, old: 2, t: { a: [1, 2, 3], b: ['y', 'z'], c: [1] }, u: { d: [1] } });
  assert.deepEqual(before.profiles[0].t.a, [1, 2, 3], 'the document before stays');
  for (const bad of [{ t: { a: { patch: [[4, 1]] } } }, { t: { a: { patch: [[-1, 1]] } } }, { t: { a: { patch: 3 } } }, { t: { z: { patch: [[0, 1]] } } }])
    assert.throws(() => put(bad), /does not fit/);
  for (const bad of [null, {}, { format: 'rivulet view delta', version: 2, profiles: [{}] }, { format: 'rivulet view delta', version: 1, profiles: [] }])
    assert.throws(() => delta.applyDelta(before, bad), /does not fit/);
});
test('columns behind the document: each type, their place, and what leads nowhere', () => {
  const bytes = new ArrayBuffer(64);
  new Uint8Array(bytes, 8, 3).set([1, 2, 255]);
  new Int16Array(bytes, 16, 3).set([-1, 0, 300]);
  new Float64Array(bytes, 24, 2).set([0.5, 2 ** 40]);
  new Uint32Array(bytes, 40, 2).set([1, 2 ** 32 - 1]);
  const table = (type, at, count) => {
    columns.useColumns({ bytes, base: 8 });
    return new columns.Table({ x: { type, at, count } }, 'table', 'x');
  };
  assert.deepEqual([...table('u8', 0, 3).numbers('x')], [1, 2, 255]);
  assert.deepEqual([...table('i16', 8, 3).index('x', 301)], [-1, 0, 300]);
  assert.throws(() => table('i16', 8, 3).index('x', 300), /row 2 .*leads nowhere/);
  assert.deepEqual([...table('f64', 16, 2).numbers('x')], [0.5, 2 ** 40]);
  assert.throws(() => table('f64', 16, 2).index('x', 2 ** 50), /leads nowhere/);
  assert.throws(() => table('u32', 32, 2).index('x', 2 ** 50), /leads nowhere/);
  assert.deepEqual([...table('i16', 8, 3).integers('x')], [-1, 0, 300]);
  assert.throws(() => table('f64', 48, 2), /no column/);
  assert.throws(() => table('u8', 4, 1), /no column/);
});
