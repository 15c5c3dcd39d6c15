// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Several profiles: changed paths on one graph, and runs as a trend.
import assert from 'node:assert/strict';
import { go, settled, stateOf } from './bench.mjs';
import { documentOf, showcase, tableII } from './documents.mjs';

export async function changesTests({ test, bench, p, hottest, hot, near }) {
  await test('of two profiles, what changed most is first: among the paths, and among the functions by their own time', async () => {
    const [before, now] = [showcase(), showcase()];
    now.paths.cycles[3] += 30; // a path of main, which has little of the time
    now.functions.self[1] += 30;
    for (const f of [0, 1]) now.functions.total[f] += 30;
    const page = await bench.show(bench.file(documentOf(before, now)), '#view=paths&p=1&vs=0');
    const first = page.locator('.grid:not([hidden]) .grid-row').first();
    assert.match(await first.textContent(), /^main.*\+30/);
    assert.equal(await first.getAttribute('aria-selected'), 'true');
    await go(page, '#view=functions&p=1&vs=0');
    assert.match(await first.textContent(), /^main/);
  });
  await test('names on bars of changes can be read: a contrast of 4.5 at least', async () => {
    const [before, now] = [showcase(), showcase()];
    now.stacks.self = now.stacks.self.map((self, i) => self + (i === 5 ? 60 : 0));
    now.functions.self[5] += 60;
    for (const f of [0, 1, 2, 3, 5]) now.functions.total[f] += 60;
    const light = (color) => {
      const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((c) => (c / 255 <= 0.04045 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    for (const theme of ['light', 'dark'])
      for (const [p, vs] of [[1, 0], [0, 1]]) { // slower, faster
        const page = await bench.show(bench.file(documentOf(before, now)), `#view=flame&p=${p}&vs=${vs}`, { theme });
        const bars = await page.evaluate(() => [...document.querySelectorAll('[data-part]')].flatMap((part) => part.bars().map((bar) => bar.color)));
        const text = await page.evaluate(() => getComputedStyle(document.body).color);
        assert.ok(new Set(bars).size > 1);
        for (const bar of bars) {
          const [less, more] = [light(bar), light(text)].sort((x, y) => x - y);
          assert.ok((more + 0.05) / (less + 0.05) >= 4.5, `${theme}: ${text} on ${bar}`);
        }
      }
  });
  await test('changed paths on one graph: each edge and block has the sum of the changes over it', async () => {
    const before = structuredClone(p);
    const own = p.paths.function.flatMap((f, i) => (f === hottest ? [i] : []));
    // of every third path less, of every third more, before; the last one did not run; one ran that does not now
    const was = own.map((i, k) => (k === own.length - 1 ? 0 : p.paths.cycles[i] + [0, 500, -Math.min(300, p.paths.cycles[i])][k % 3]));
    own.forEach((i, k) => (before.paths.cycles[i] = was[k]));
    const gone = [...p.paths.blocks[own[0]]].reverse();
    for (const [name, value] of Object.entries({ function: hottest, count: 1, instructions: 1, cycles: 777, blocks: gone })) before.paths[name].push(value);
    const page = await bench.show(bench.file(documentOf(before, p), 'changes'), `#view=paths&p=1&vs=0&f=${encodeURIComponent(hot)}`);
    await settled(page);
    const edges = new Map();
    const blocks = new Map();
    const add = (map, key, by) => map.set(key, (map.get(key) ?? 0) + by);
    const changes = [...own.map((i, k) => [p.paths.blocks[i], p.paths.cycles[i] - was[k]]), [gone, -777]];
    for (const [list, by] of changes) {
      for (const step of new Set(list.slice(1).map((b, k) => `${list[k]} ${b}`))) add(edges, step, by);
      for (const b of new Set(list)) add(blocks, b, by);
    }
    const shown = await page.$$eval('.flow', (list) => list.map((e) => [Number(e.dataset.change), parseFloat(e.getAttribute('stroke-width')), e.getAttribute('stroke')]));
    const drawn = p.edges.from.flatMap((from, e) => (p.blocks.function[from] === hottest && p.edges.to[e] >= 0 && p.blocks.function[p.edges.to[e]] === hottest ? [e] : []));
    assert.equal(shown.length, drawn.length);
    const most = Math.max(...drawn.map((e) => Math.abs(edges.get(`${p.edges.from[e]} ${p.edges.to[e]}`) ?? 0)));
    let [slower, faster] = [0, 0];
    shown.forEach(([by, width, stroke], k) => {
      const wanted = edges.get(`${p.edges.from[drawn[k]]} ${p.edges.to[drawn[k]]}`) ?? 0;
      assert.equal(by, wanted);
      near(width, 1 + (6 * Math.abs(wanted)) / most, 0.01, 'width of an edge');
      const [red, , blue] = stroke.match(/\d+/g).map(Number);
      if (wanted > 0.5 * most) assert.ok(red > blue, `${wanted}: ${stroke}`);
      if (wanted < -0.5 * most) assert.ok(blue > red, `${wanted}: ${stroke}`);
      slower += wanted > 0;
      faster += wanted < 0;
    });
    assert.ok(slower > 0 && faster > 0, `${slower} edges slower, ${faster} faster`);
    const texts = await page.$$eval('.block', (list) => Object.fromEntries(list.map((b) => [b.dataset.block, b.textContent])));
    for (const [b, by] of blocks) assert.equal(texts[b].includes('paths: '), by !== 0, `block ${b}`);
    const changed = changes.filter(([, by]) => by !== 0);
    const sum = (sign) => changed.filter(([, by]) => Math.sign(by) === sign).reduce((all, [, by]) => all + Math.abs(by), 0).toLocaleString('en-US');
    const said = await page.locator('.stage [role="status"]').first().textContent();
    assert.ok(said.endsWith(`; ${changed.length} paths of ${hot} changed (1 of them no longer run): +${sum(1)} and −${sum(-1)} cycles`), said);
    await page.getByLabel('Draw', { exact: true }).selectOption('path');
    await settled(page);
    assert.ok((await page.locator('.block.on-path').count()) > 0, 'one path again');
    await go(page, `#view=paths&p=1&vs=0&f=${encodeURIComponent(hot)}&path=${own[1]}`);
    assert.ok((await page.locator('.block.on-path').count()) > 0, 'a path that was asked for');
  });
  await test('three runs are a trend: the whole, and the selected function, with their numbers', async () => {
    const runs = [200, 260, 130, 195].map((b, i) => {
      const run = tableII();
      run.label = `run ${i + 1}`;
      run.functions.self[3] = b;
      run.total += b - 200;
      return run;
    });
    const page = await bench.show(bench.file(documentOf(...runs), 'trend'), '#view=functions');
    const read = async () => [
      await page.$$eval('.trend rect', (list) => list.map((r) => [Number(r.dataset.self), r.height.baseVal.value])),
      await page.$$eval('.trend-table tr', (list) => list.map((r) => [...r.cells].map((c) => c.textContent))),
    ];
    const check = ([bars, rows], values) => {
      const most = Math.max(...values);
      assert.deepEqual(bars.map(([self]) => self), values);
      bars.forEach(([self, tall]) => near(tall / bars.find(([s]) => s === most)[1], self / most, 0.01, 'height of a bar'));
      const percent = (a, b) => `${b < a ? '−' : '+'}${Math.abs(100 * (b / a - 1)).toFixed(1)}%`;
      assert.deepEqual(rows, values.map((value, i) => [`run ${i + 1}`, value.toLocaleString('en-US'), i > 0 ? percent(values[i - 1], value) : '']));
    };
    check(await read(), runs.map((run) => run.total));
    await go(page, '#view=functions&f=B');
    check(await read(), [200, 260, 130, 195]);
    await page.locator('.trend-table button').nth(1).click();
    assert.match(await stateOf(page), /p=1(&|$)/);
    const two = await bench.show(bench.file(documentOf(...runs.slice(0, 2)), 'two'), '#view=functions&f=B');
    assert.equal(await two.locator('.trend').count(), 0, 'two are no trend');
  });
}
