// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The page in a real browser: what can be seen is read back from what was drawn.
// Usage: node view.mjs PAGE RIVULET PROGRAM.elf RECORDS DEEP.elf [PICTURES]
import axe from 'axe-core';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Bench, go, settled, stateOf } from './bench.mjs';
import { documentOf, tableII } from './documents.mjs';
import { balance, bars, fullOf, near, nodes, rows } from './read.mjs';
import { byPathTests } from './bypath.mjs';
import { callTests } from './calls.mjs';
import { changesTests } from './changes.mjs';
import { codeTests } from './code.mjs';
import { differenceTests } from './differences.mjs';
import { filterTests } from './filter.mjs';
import { lapseTests } from './lapse.mjs';
import { listTests } from './lists.mjs';
import { liveTests } from './live.mjs';
import { safetyTests } from './safety.mjs';
import { sizeTests } from './size.mjs';
import { timesTests } from './times.mjs';
import { widthTests } from './widths.mjs';
import { windowTests } from './window.mjs';

const [template, rivulet, program, records, deep, pictures] = process.argv.slice(2);
const ONLY = process.env.VIEW_TESTS; // a part of a test's name
const bench = await Bench.open(template);
if (pictures) mkdirSync(pictures, { recursive: true });
let passed = 0;
const failures = [];
async function test(name, body) {
  if (ONLY && !name.includes(ONLY)) return;
  const before = bench.problems.length;
  const start = Date.now();
  try {
    await body();
    assert.deepEqual(bench.problems.slice(before), []);
    passed++;
    console.log(`ok      ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failures.push(name);
    console.log(`FAILED  ${name}\n${String(error.stack ?? error).split('\n').slice(0, 14).map((l) => `          ${l}`).join('\n')}`);
  } finally {
    await bench.rest();
  }
}
await widthTests({ test, bench });
await filterTests({ test, bench });
await listTests({ test, bench });

// ---- a real program: what the command wrote is what is drawn ----

const json = JSON.parse(execFileSync(rivulet, ['view', '--json', program, records], { maxBuffer: 1 << 28 }));
const real = join(bench.folder, 'real.html');
execFileSync(rivulet, ['view', '--page', template, '-o', real, program, records]);
const p = json.profiles[0];
const hottest = p.functions.self.indexOf(Math.max(...p.functions.self));
const hot = p.functions.name[hottest];
await test('a real program: every number of the list is the one in the data', async () => {
  const page = await bench.show(real, '#view=functions');
  const shown = await rows(page);
  const comma = (n) => n.toLocaleString('en-US');
  for (const row of shown.slice(0, 20)) {
    const f = p.functions.name.indexOf(row.name);
    assert.deepEqual([row.calls, row.selfcycles, row.totalcycles, row.least, row.most], [p.functions.calls[f], p.functions.self[f], p.functions.total[f], p.functions.least[f], p.functions.most[f]].map(comma), row.name);
    assert.equal(row.self, `${((100 * p.functions.self[f]) / p.total).toFixed(2)}%`);
  }
});
// As the page does it, written a second time: columns that stand behind the document are put back into it.
const unpacked = (html) => {
  const bytes = gunzipSync(Buffer.from(html.match(/<script type="application\/json" id="data">([^<]*)<\/script>/)[1], 'base64'));
  const end = bytes.indexOf(0);
  const base = end < 0 ? 0 : 8 * Math.floor(end / 8) + 8;
  const read = { u8: [1, 'readUInt8'], i8: [1, 'readInt8'], u16: [2, 'readUInt16LE'], i16: [2, 'readInt16LE'], u32: [4, 'readUInt32LE'], i32: [4, 'readInt32LE'], f64: [8, 'readDoubleLE'] };
  const types = new Set();
  const document = JSON.parse(bytes.subarray(0, end < 0 ? bytes.length : end).toString(), (_, value) => {
    if (typeof value?.type !== 'string' || typeof value?.at !== 'number') return value;
    const [size, how] = read[value.type];
    types.add(value.type);
    return Array.from({ length: value.count }, (_, i) => bytes[how](base + value.at + size * i));
  });
  return { document, types };
};
await test('the data of a page is packed, and is what --json writes', async () => {
  const html = readFileSync(real, 'utf8');
  const { document, types } = unpacked(html);
  assert.deepEqual(document, json);
  assert.ok(types.has('u8') && types.has('u16') && types.has('u32') && [...types].some((t) => t.startsWith('i')), [...types].join());
  const plain = JSON.stringify(json).length;
  const packed = html.length - readFileSync(template, 'utf8').length;
  console.log(`        ${plain} bytes as JSON, ${packed} in the page`);
  assert.ok(packed < plain / 3, `${packed} of ${plain} bytes`);
});
await test('river of a real program, with recursion: at each function what comes in is what goes out and what stays', async () => {
  for (const filter of [0, 1, 10]) {
    const page = await bench.show(real, `#lay=river&t=${filter}`);
    await page.getByRole('button', { name: 'Show all' }).click();
    await settled(page);
    const nodes = await balance(page);
    const full = await fullOf(page);
    assert.ok(nodes.length > 3 && full >= 280, `${nodes.length} functions, ${full} pixels`);
    for (const node of nodes) {
      if (node.calls > 0) near(node.into, node.out + node.lake, 1, `${node.name} at ${filter}%`);
      assert.ok(node.inside, `${node.name}: an arc ends beside its box`);
    }
    // springs give all of the time, and lakes hold it
    near(nodes.filter((n) => n.calls === 0).reduce((sum, n) => sum + n.out + n.lake, 0), full, 1, 'springs');
    near(nodes.reduce((sum, n) => sum + n.lake, 0), full, 2, 'lakes');
    // the lake of a function that calls nobody is its own time
    if (filter === 0) {
      const memset = nodes.find((n) => n.name === 'memset');
      near(memset.lake, (full * p.functions.self[p.functions.name.indexOf('memset')]) / p.total, 0.5, 'memset');
    }
    await page.close();
  }
});
await lapseTests({ fullOf, test, bench, real, p, near, balance });
await test('a real program: time by file and by line', async () => {
  const page = await bench.show(real, '#view=functions&by=line');
  const shown = await page.$$eval('.grid:not([hidden]) .grid-row', (list) => list.map((r) => Object.fromEntries([...r.children].map((c) => [c.dataset.column, c.textContent]))));
  const sums = new Map();
  p.lines.file.forEach((file, i) => {
    const key = `${p.files[file].split('/').pop()}:${p.lines.line[i]}`;
    sums.set(key, (sums.get(key) ?? 0) + p.lines.cycles[i]);
  });
  assert.ok(shown.length > 10);
  for (const row of shown) assert.equal(row.cycles, sums.get(row.name).toLocaleString('en-US'), row.name);
  assert.ok(shown.some((row) => sums.get(row.name) === Math.max(...sums.values())), 'the hottest is among them');
  await page.getByLabel('By', { exact: true }).selectOption('file');
  const files = await page.$$eval('.grid:not([hidden]) .grid-row', (list) => list.map((r) => parseInt(r.querySelector('[data-column="cycles"]').textContent.replaceAll(',', ''), 10)));
  assert.equal(files.reduce((a, b) => a + b, 0), p.lines.cycles.reduce((a, b) => a + b, 0));
});
await codeTests({ test, bench, program, real, p, hottest, hot });
await callTests({ test, bench, rivulet, program, records, real, p, hottest, hot });
await timesTests({ test, bench, real, p, rivulet, program, records, near });
await byPathTests({ test, bench, real, p, bars, near });
await changesTests({ test, bench, p, hottest, hot, near });
await test('what a profile cannot know of a call is marked at its arc, in the panel and in words', async () => {
  const made = tableII();
  made.exact_calls = false;
  made.calls.kind = made.calls.from.map(() => 'call');
  made.calls.unknown = [0, 4, 0, 2, 1, 1];
  made.functions.unknown = [0, 4, 0, 0, 0, 0];
  const nobody = { from: -1, to: 5, site: '0x0', line: 0, count: 7, total: 35, kind: 'root', unknown: 1 };
  for (const [column, value] of Object.entries(nobody)) made.calls[column].push(value);
  const page = await bench.show(bench.file(documentOf(made)), '#t=0&f=D');
  const arcs = await page.$$eval('.arc', (list) => Object.fromEntries(list.map((a) => [`${a.dataset.from} ${a.dataset.to}`, [a.dataset.unknown ?? '0', a.hasAttribute('stroke-dasharray')]])));
  assert.deepEqual(arcs['start main'], ['0', false]);
  assert.deepEqual(arcs['main A'], ['4', true]);
  assert.deepEqual(arcs['B D'], ['1', true]);
  const shares = await page.$$eval('.callers [data-unknown]', (list) => list.map((cell) => [cell.textContent, cell.title]));
  assert.deepEqual(shares.map((cell) => cell[0].slice(0, 2)), ['≈ ', '≈ ']);
  assert.match(shares[0][1], /shared out by the counts/);
  assert.match(await page.locator('[data-nobody="7"]').textContent(), /Entered 7 times from where it is not known: ≈ 3\.46/);
  await go(page, '#t=0&f=main');
  assert.match(await page.locator('.function-data').textContent(), /≥ 1,010/);
});
await test('regions, nested, with their paths: what is inside is one step; a path is shown in the graph', async () => {
  const { regions, region_paths } = p;
  const paths = (r) => region_paths.region.flatMap((own, i) => (own === r ? [i] : []));
  const outer = regions.parent.findIndex((parent, r) => parent >= 0 && paths(r).some((i) => region_paths.nodes[i].some((n) => n < 0)));
  assert.ok(outer >= 0, 'a loop around another one, with a path');
  const fn = regions.function[outer];
  const page = await bench.show(real, `#view=paths&f=${encodeURIComponent(p.functions.name[fn])}`);
  const own = regions.function.flatMap((f, r) => (f === fn ? [r] : []));
  assert.equal(await page.locator('.region').count(), own.length);
  assert.equal(await page.locator('.region-path').count(), own.reduce((sum, r) => sum + paths(r).length, 0));
  // what the paths of the outermost region took, and what lies in the regions inside it, is the function's own time
  const whole = own.find((r) => regions.parent[r] < 0);
  assert.ok(Math.abs(regions.cycles[whole] - p.functions.self[fn]) <= 1, `${regions.cycles[whole]} is not ${p.functions.self[fn]}`);
  const path = paths(outer).find((i) => region_paths.nodes[i].some((n) => n < 0));
  const at = own.slice(0, own.indexOf(outer)).reduce((sum, r) => sum + paths(r).length, 0) + paths(outer).indexOf(path);
  const row = page.locator('.region-path').nth(at);
  assert.match(await row.textContent(), /\[L\d+\]/);
  const each = (region_paths.cycles[path] / region_paths.count[path]).toFixed(1);
  assert.ok((await row.getAttribute('title')).endsWith(` times, ${each} cycles each`), await row.getAttribute('title'));
  await row.click();
  await page.waitForSelector('.block.on-path');
  const drawn = await page.$$eval('.block.on-path', (list) => list.map((b) => Number(b.dataset.block)));
  assert.deepEqual(drawn.sort((a, b) => a - b), [...new Set(region_paths.nodes[path].filter((n) => n >= 0))].sort((a, b) => a - b));
});
await test('search goes through the functions that fit', async () => {
  const page = await bench.show(real);
  await page.keyboard.press('/');
  await page.keyboard.type(hot.slice(0, 6));
  const part = hot.slice(0, 6).toLowerCase();
  const fit = p.functions.name.filter((name, i) => `${name} ${p.files[p.functions.file[i]] ?? ''}`.toLowerCase().includes(part)).length;
  const words = `${fit} function${fit === 1 ? '' : 's'}`;
  assert.equal(await page.locator('.hits').textContent(), `${words} fit${fit === 1 ? 's' : ''}`);
  await page.keyboard.press('Enter');
  assert.ok((await page.locator('.detail h2').textContent()).includes(hot.slice(0, 6)));
  assert.equal(await page.locator('.hits').textContent(), `1 of ${words}`);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.hits').textContent(), '');
});
await test('every view as SVG, PNG and text', async () => {
  const page = await bench.show(real, `#f=${encodeURIComponent(hot)}`);
  for (const view of ['river&lay=river', 'functions', 'code', 'paths', 'flame', 'timeline']) {
    await go(page, `#view=${view}&f=${encodeURIComponent(hot)}`);
    for (const what of ['svg', 'png']) {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByLabel('Export this view').selectOption(what)]);
      const bytes = readFileSync(await file.path());
      if (what === 'png') assert.equal(bytes.subarray(1, 4).toString(), 'PNG', view);
      else {
        const text = bytes.toString();
        assert.ok(text.startsWith('<svg') && text.length > 1000, `${view}: ${text.length} bytes`);
        assert.ok(await page.evaluate((t) => new DOMParser().parseFromString(t, 'image/svg+xml').querySelector('parsererror') === null, text), `${view}: is no XML`);
      }
    }
    await page.getByLabel('Export this view').selectOption('copy');
    await page.waitForFunction(() => document.querySelector('.unseen')?.textContent === 'Copied.');
  }
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => (window.copied = text) } }));
  await page.getByLabel('Export this view').selectOption('link');
  await page.waitForFunction(() => window.copied !== undefined);
  assert.equal(await page.evaluate(() => window.copied), `${page.url().split('#')[0]}${await stateOf(page)}`);
});

await test('every view on paper', async () => {
  const page = await bench.show(real, `#f=${encodeURIComponent(hot)}`);
  for (const view of ['river&lay=river', 'functions', 'code', 'paths', 'flame', 'timeline']) {
    await go(page, `#view=${view}&f=${encodeURIComponent(hot)}`);
    const paper = await page.pdf({ format: 'A4', landscape: true });
    assert.equal(paper.subarray(0, 5).toString(), '%PDF-', view);
    assert.ok(paper.length > 5000, `${view}: ${paper.length} bytes`);
  }
});
await differenceTests({ test, bench });
await safetyTests({ test, bench, template, rivulet, program, records });

// ---- keyboard, accessibility, narrow window ----

await test('keyboard alone reaches every function: in the list, along the river, by search', async () => {
  const page = await bench.show(bench.file(documentOf(tableII())), '#t=0');
  await page.keyboard.press('2');
  await page.keyboard.press('g');
  await page.keyboard.press('Home');
  const seen = new Set();
  for (let i = 0; i < 6; i++) {
    seen.add(await page.locator('.detail h2').textContent());
    await page.keyboard.press('ArrowDown');
  }
  assert.equal(seen.size, 6, [...seen].join());
  await page.keyboard.press('1');
  await settled(page);
  await page.keyboard.press('g');
  const met = new Set();
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown']) {
    await page.keyboard.press(key);
    met.add(await page.evaluate(() => document.activeElement?.getAttribute('data-name')));
  }
  met.delete(null);
  assert.equal(met.size, 6, [...met].join());
  for (const name of ['start', 'main', 'A', 'B', 'C', 'D']) {
    await page.keyboard.press('/');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(name);
    for (let i = 0; i < 6 && (await page.locator('.detail h2').textContent()) !== name; i++) await page.keyboard.press('Enter');
    assert.equal(await page.locator('.detail h2').textContent(), name);
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('?');
  assert.ok(await page.getByRole('dialog').isVisible());
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('dialog').count(), 0);
});
for (const theme of ['light', 'dark'])
  await test(`axe-core finds no serious fault, ${theme}`, async () => {
    const page = await bench.show(real, '', { theme });
    for (const view of ['river&lay=river', 'functions', 'code', 'paths', 'flame', 'timeline&rt=1']) {
      await go(page, `#view=${view}&f=${encodeURIComponent(hot)}`);
      await settled(page);
      await page.evaluate(axe.source);
      // a theme changes colours and nothing else
      const result = await page.evaluate((only) => window.axe.run(document, { resultTypes: ['violations'], ...only }), theme === 'light' ? {} : { runOnly: ['color-contrast'] });
      const serious = result.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
      assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.slice(0, 2).map((n) => n.html.slice(0, 160)).join(' || ')}`), [], view);
      if (pictures) await page.screenshot({ path: join(pictures, `${view.split('&')[0]}-${theme}.png`) });
    }
  });
await windowTests({ test, bench, real, hot, pictures });

await liveTests({ test, bench, template, rivulet, program, records });
await sizeTests({ test, bench, template, rivulet, deep });

await bench.close();
console.log(`view: ${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
