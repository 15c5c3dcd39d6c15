// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What the timeline has beside calls: layers of the phases, marks, lines of a part. Each is held against the command.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { stateOf } from './bench.mjs';
import { documentOf, tableII } from './documents.mjs';

export async function timesTests({ test, bench, real, p, rivulet, program, records, near }) {
  const said = (...args) => execFileSync(rivulet, ['phases', ...args, program, records], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  await test('layers of the phases as rows: each run of each repetition, as rivulet phases says', async () => {
    const { layers } = JSON.parse(said('--json', '--levels', '8'));
    const runs = (list) => list.map((run) => run.join(' ')).sort();
    const { layer, repetition, trips, begin, end } = p.phase_layers;
    const rows = repetition.map((text, i) => [layer[i] === 1 ? 'strata' : `stratum layer ${layer[i] - 2}`, text, trips[i]]);
    assert.deepEqual(runs(rows), runs(layers.flatMap((l) => l.at.map(() => [l.layer, l.repetition, l.trips]))));
    assert.ok(rows.length > 1, 'the run has repetitions');
    const page = await bench.show(real, '#view=timeline');
    const drawn = await page.$$eval('.layer-run', (list) => list.map((g) => [g.parentNode.dataset.layer, g.querySelector('title').textContent, Number(g.querySelector('rect').getAttribute('x')), Number(g.querySelector('rect').getAttribute('width'))]));
    assert.equal(drawn.length, rows.length);
    const width = await page.$eval('.phase', (band) => band.ownerSVGElement.width.baseVal.value);
    drawn.forEach(([row, title, x, wide]) => {
      const i = repetition.findIndex((text, k) => title.startsWith(`${rows[k][0]}: ${text}, from ${begin[k].toLocaleString('en-US')} `));
      assert.ok(i >= 0 && Number(row) === layer[i], title);
      near(x, (begin[i] / p.spans.length) * width, 1, `${title} begins`);
      near(wide, ((end[i] - begin[i]) / p.spans.length) * width, 2, `${title} lasts`);
    });
    await page.locator('.layer-run').first().click();
    assert.match(await stateOf(page), /tz=/);
  });
  await test('the longest calls that rivulet timing names: the timeline has each, from the cycle that it says', async () => {
    const timing = (...args) => execFileSync(rivulet, ['timing', ...args, program, records], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
    const { rows } = JSON.parse(timing('--json'));
    let now = 0;
    const calls = p.spans.after.map((after, i) => `${(now += after)} ${p.spans.duration[i]} ${p.functions.name[p.spans.function[i]]}`);
    const known = new Set(calls);
    const longest = rows.filter((row) => row.calls > 0 && row.most >= p.spans.shortest && row.most > 1000);
    assert.ok(longest.length >= 5, `${longest.length} functions`);
    for (const row of longest) assert.ok(known.has(`${row.longest_from} ${row.most} ${row.function}`), JSON.stringify(row));
    const address = String(timing('--function', longest[0].function)).match(/#view=timeline&tz=([0-9]+)-([0-9]+)/);
    const page = await bench.show(real, address[0]);
    assert.match(await stateOf(page), /tz=/);
    assert.ok(Number(address[1]) <= longest[0].longest_from && Number(address[2]) >= longest[0].longest_from + longest[0].most);
  });
  await test('marks as rows: as many as the command says, those on one pixel as one', async () => {
    const { marks } = JSON.parse(said('--json'));
    assert.deepEqual(p.marks.kind, marks.map((mark) => mark.kind));
    assert.ok(marks.length > 0, 'the run has marks');
    const page = await bench.show(real, '#view=timeline');
    for (const kind of new Set(p.marks.kind)) {
      const row = page.locator(`[data-marks="${kind}"]`);
      const all = p.marks.kind.filter((k) => k === kind).length;
      assert.match(await row.getAttribute('aria-label'), new RegExp(`^${kind}: ${all} of them here`));
      assert.equal(await row.locator('.mark').evaluateAll((list) => list.reduce((sum, m) => sum + Number(m.dataset.count), 0)), all);
    }
    const made = documentOf(tableII());
    Object.assign(made.profiles[0], {
      phases: { name: ['A'], begin: [0], end: [1000] },
      marks: { kind: ['gap', 'gap', 'firmware'], at: [500, 500.1, 900], value: [3, 4, 7] },
    });
    const small = await bench.show(bench.file(made, 'marks'), '#view=timeline');
    assert.deepEqual(await small.$$eval('.mark', (list) => list.map((m) => [m.parentNode.dataset.marks, Number(m.dataset.count)])), [['gap', 2], ['firmware', 1]]);
    const at = await small.$$eval('.mark rect:last-child', (list) => list.map((r) => Number(r.getAttribute('x')) / r.ownerSVGElement.width.baseVal.value));
    near(at[0], 0.5, 0.003, 'the gaps');
    near(at[1], 0.9, 0.003, 'the firmware');
  });
  await test('lines of a part of the timeline: those of the exact sequence', async () => {
    const { cells, cell_lines, lines, code } = p;
    const { intervals } = JSON.parse(said('--json'));
    const each = Math.ceil(intervals.length / 512);
    assert.equal(cells.begin.length, Math.ceil(intervals.length / each));
    // the whole run: instructions of a line, as the code says
    const place = (file, line) => `${file}:${line}`;
    const add = (map, key, by) => map.set(key, (map.get(key) ?? 0) + by);
    const whole = new Map();
    cell_lines.line.forEach((row, i) => add(whole, place(lines.file[row], lines.line[row]), cell_lines.instructions[i]));
    const counted = new Map();
    code.line.forEach((line, i) => line > 0 && code.count[i] > 0 && add(counted, place(code.file[i], line), code.count[i]));
    assert.deepEqual([...whole].sort(), [...counted].sort());
    // a part: the instructions that ran between its ends, one by one
    const [first, behind] = [Math.floor(cells.begin.length / 3), Math.floor(cells.begin.length / 2)];
    const [from, to] = [first, behind].map((cell) => intervals[cell * each].instruction);
    const lineOf = new Map(code.address.map((address, i) => [Number(address), code.line[i] > 0 ? place(code.file[i], code.line[i]) : undefined]));
    const ran = new Map();
    for (const pc of String(said('--expand=pcs', '--from', from, '--to', to)).split('\n')) {
      const line = lineOf.get(Number(pc));
      if (pc !== '' && line !== undefined) add(ran, line, 1);
    }
    const page = await bench.show(real, `#view=timeline&rt=1&tz=${cells.begin[first]}-${cells.begin[behind]}`);
    const shown = await page.locator('.ranges table').last().locator('tr').evaluateAll((list) => list.map((r) => [r.querySelector('button').textContent, r.querySelector('.number').textContent]));
    const all = [...ran.values()].reduce((a, b) => a + b, 0);
    const wanted = [...ran].map(([key, n]) => [`${p.files[key.split(':')[0]].split('/').pop()}:${key.split(':')[1]}`, n]).sort((a, b) => b[1] - a[1]);
    assert.ok(shown.length >= 10 && all > 1000, `${shown.length} lines of ${all} instructions`);
    for (const [name, text] of shown) assert.equal(Number(text.split(', ')[1].replaceAll(',', '')), wanted.find(([other]) => other === name)[1], name);
    assert.deepEqual(shown.map(([, text]) => Number(text.split(', ')[1].replaceAll(',', ''))), wanted.slice(0, shown.length).map(([, n]) => n));
    assert.equal(shown[0][1].split(', ')[0], `${((100 * wanted[0][1]) / all).toFixed(2)}%`);
    await page.locator('.ranges table').last().locator('button').first().click();
    assert.match(await stateOf(page), /view=code/);
    const line = await page.locator('.stage tr.on, .stage tr.selected, .stage [aria-selected="true"]').first().textContent();
    assert.ok(line.includes(shown[0][0].split(':')[1]), line);
  });
}
