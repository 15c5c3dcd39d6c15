// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The code of a real program: lines, jumps, paths.
import assert from 'node:assert/strict';
import { go, settled, stateOf } from './bench.mjs';
import { marks, near, rows } from './read.mjs';

export async function codeTests({ test, bench, program, real, p, hottest, hot }) {
  await test('a real program: code, its marks, branch outcomes', async () => {
    const page = await bench.show(real, `#view=code&f=${encodeURIComponent(hot)}`);
    const code = await page.$$eval('.split > .grid:last-child .grid-row', (list) => list.map((r) => Object.fromEntries([...r.children].map((c) => [c.dataset.column, c.textContent]))));
    assert.ok(code.length > 5);
    for (const row of code) {
      const i = p.code.address.indexOf(row.address);
      assert.equal(row.text, p.code.text[i]);
      if (p.code.count[i] > 0) assert.equal(row.times, p.code.count[i].toLocaleString('en-US'));
      const all = p.code.taken[i] + p.code.not_taken[i];
      if (all > 0) assert.ok(row.branch.startsWith(`${((100 * p.code.taken[i]) / all).toFixed(1)}%`), row.branch);
    }
    await page.locator('.split > .grid:nth-child(1) .grid-body').evaluate((body) => body.scrollTo(0, 0));
    await settled(page);
    const source = await page.$$eval('.split > .grid:nth-child(1) .grid-row', (list) => list.map((r) => Object.fromEntries([...r.children].map((c) => [c.dataset.column, c.textContent]))));
    const file = p.functions.file[hottest];
    for (const row of source.filter((r) => r.line !== '')) {
      const i = p.lines.line.findIndex((line, k) => line === Number(row.line) && p.lines.file[k] === file && p.lines.function[k] === hottest);
      if (i < 0 || row.time === '') continue;
      assert.equal(row.mark, p.lines.hit[i] === 0 ? '#' : p.lines.blocks[i] > 1 ? '+' : '|', `line ${row.line}`);
    }
    assert.ok(source.some((r) => r.mark === '*'), 'comment lines');
  });
  await test('1440 px beside the panel: the instructions are cut before a number is, and a splitter that was moved stays', async () => {
    const page = await bench.show(real, `#view=code&f=${encodeURIComponent(hot)}&path=0`);
    const list = page.locator('.split > .grid:last-child');
    const pushed = () => list.evaluate((grid) => grid.scrollWidth - grid.clientWidth);
    assert.ok(await page.locator('.detail').isVisible());
    assert.equal(await pushed(), 0, 'every column within the pane');
    const cut = await list.evaluate((grid) => [...grid.querySelectorAll('.number')].filter((cell) => cell.scrollWidth > cell.clientWidth).length);
    assert.equal(cut, 0, 'numbers that are cut');
    assert.ok((await page.locator('.split > .grid:first-child').boundingBox()).width > 300, 'room for the source');
    await go(page, `#view=code&f=${encodeURIComponent(hot)}&split=70`);
    assert.ok((await pushed()) > 0, 'a share by hand stands');
  });
  await test('jumps beside the code: from where, to where, as thick as they were frequent', async () => {
    const page = await bench.show(real, `#view=code&f=${encodeURIComponent(hot)}`, { size: { width: 1440, height: 9000 } });
    const rowsOf = new Map(); // blocks: first and last instruction, by row
    p.code.block.filter((b) => b >= 0 && p.blocks.function[b] === hottest).forEach((b, row) => rowsOf.set(b, [rowsOf.get(b)?.[0] ?? row, row]));
    const expected = p.edges.from.flatMap((from, e) => {
      const [a, b] = [rowsOf.get(from), rowsOf.get(p.edges.to[e])];
      return a && b && b[0] !== a[1] + 1 && p.edges.count[e] > 0 ? [[a[1], b[0], p.edges.count[e]]] : [];
    });
    const shown = await page.$$eval('.split > .grid:last-child .grid-row', (list) => list.map((r) => Number(r.dataset.index)));
    const [first, last] = [Math.min(...shown), Math.max(...shown)]; // what touches these rows is drawn
    const drawn = await page.$$eval('.jump', (list) => list.map((j) => ({ key: `${j.dataset.from} ${j.dataset.to} ${j.dataset.times}`, times: Number(j.dataset.times), wide: Number(j.querySelector('path').getAttribute('stroke-width')) })));
    const seen = expected.filter(([from, to]) => Math.max(from, to) >= first && Math.min(from, to) <= last);
    assert.ok(seen.length > 5 && last - first > 100);
    assert.deepEqual(drawn.map((j) => j.key).sort(), seen.map((j) => j.join(' ')).sort());
    const most = Math.max(...expected.map((j) => j[2]));
    for (const jump of drawn) near(jump.wide, Math.max(0.7, (5 * jump.times) / most), 0.01, jump.key);
  });
  await test('paths open on the hottest', async () => {
    const page = await bench.show(real, `#view=paths&f=${encodeURIComponent(hot)}`);
    const best = p.paths.function.flatMap((f, i) => (f === hottest ? [i] : [])).sort((a, b) => p.paths.cycles[b] - p.paths.cycles[a] || a - b)[0];
    await page.waitForSelector('.block.on-path');
    const lit = await page.$$eval('.block.on-path', (list) => list.map((b) => Number(b.dataset.block)).sort((a, b) => a - b));
    assert.deepEqual(lit, [...new Set(p.paths.blocks[best])].sort((a, b) => a - b));
    await page.getByRole('button', { name: 'Show in code' }).click();
    assert.match(await stateOf(page), new RegExp(`path=${best}(&|$)`));
  });
  await test('a path chosen in the code lights its lines and counts its steps', async () => {
    const page = await bench.show(real, `#view=code&f=${encodeURIComponent(hot)}`, { size: { width: 1440, height: 4000 } });
    const own = p.paths.function.flatMap((f, i) => (f === hottest ? [i] : [])).sort((a, b) => p.paths.cycles[b] - p.paths.cycles[a] || a - b);
    assert.equal(await page.locator('.grid-row.on-path').count(), 0);
    await page.getByLabel('Path', { exact: true }).selectOption({ index: 1 });
    assert.match(await stateOf(page), new RegExp(`path=${own[0]}(&|$)`), 'the first one is the hottest');
    await settled(page);
    const of = (b) => p.code.block.flatMap((block, i) => (block === b ? [i] : []));
    let time = 0;
    const steps = new Map();
    p.paths.blocks[own[0]].flatMap(of).forEach((i, k) => steps.set(p.code.address[i], `${k + 1}  ≈${(time += p.code.count[i] > 0 ? p.code.cycles[i] / p.code.count[i] : 0).toFixed(1)}`));
    const lit = await page.$$eval('.split > .grid:last-child .grid-row.on-path', (list) => list.map((r) => [r.querySelector('[data-column="address"]').textContent, r.querySelector('[data-column="step"]').textContent]));
    assert.deepEqual(lit.sort(), [...steps].sort());
    assert.ok((await page.locator('.split > .grid:first-child .grid-row.on-path').count()) > 0, 'lines of the source');
    const other = p.paths.function.findIndex((f) => f !== hottest);
    await go(page, `#view=code&path=${other}`);
    const shown = page.locator('.stage .controls strong');
    assert.equal(await shown.textContent(), p.functions.name[p.paths.function[other]], 'a path alone brings its function');
    await go(page, `#view=code&f=${encodeURIComponent(hot)}&path=${other}`);
    assert.equal(await shown.textContent(), hot);
    assert.equal(await page.getByLabel('Path', { exact: true }).inputValue(), '', 'a path of another function is none');
  });
  await test('the code over the whole width, a splitter by keys, and no word on sources where no function is selected', async () => {
    const page = await bench.show(real, '#view=code');
    assert.doesNotMatch(await page.locator('.stage').textContent(), /no source lines/);
    const hottest = p.functions.self.indexOf(Math.max(...p.functions.self));
    assert.equal(await page.locator('.stage .controls strong').textContent(), p.functions.name[hottest]);
    assert.ok((await page.locator('.split > .grid:first-child .grid-row').count()) > 5, 'the source of the hottest function');
    const listed = await page.$$eval('.detail .hottest tbody tr', (list) => list.map((row) => [row.querySelector('button').textContent, row.querySelector('.number').textContent]));
    const wanted = p.functions.name.map((name, f) => [name, p.functions.self[f]]).sort((x, y) => y[1] - x[1]).slice(0, 10);
    assert.deepEqual(listed, wanted.map(([name, self]) => [name, `${((100 * self) / p.total).toFixed(2)}%`]));
    await go(page, `#view=code&f=${encodeURIComponent(hot)}`);
    await page.locator('.split').click({ position: { x: 200, y: 300 } });
    await page.keyboard.press('w');
    assert.ok(!(await page.locator('.detail').isVisible()));
    const wide = async () => (await page.locator('.split > .grid:first-child').boundingBox()).width;
    near(await wide(), 720, 6, 'half of the window');
    await page.locator('.splitter').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    near(await wide(), 0.6 * 1440, 6, 'two steps wider');
    assert.equal(await page.locator('.splitter').getAttribute('aria-valuenow'), '60');
    await go(page, `#view=river&wide=1&f=${encodeURIComponent(hot)}`);
    assert.ok(await page.locator('.detail').isVisible(), 'beside the river the panel is back');
  });
  await test('a real program: a path, block by block, on the graph and in the code', async () => {
    const order = p.paths.cycles.map((c, i) => [c, i]).filter(([, i]) => new Set(p.paths.blocks[i]).size > 2 && p.paths.function.filter((f) => f === p.paths.function[i]).length > 3).sort((a, b) => b[0] - a[0]);
    const path = order[0][1];
    const name = p.functions.name[p.paths.function[path]];
    const page = await bench.show(real, `#view=paths&f=${encodeURIComponent(name)}&path=${path}`);
    const blocks = [...new Set(p.paths.blocks[path])];
    const lit = await page.$$eval('.block.on-path', (list) => list.map((b) => Number(b.dataset.block)));
    assert.deepEqual(lit.sort((a, b) => a - b), blocks.sort((a, b) => a - b));
    const flows = await page.$$eval('.flow', (list) => list.map((f) => Number(f.dataset.times)));
    const own = new Set(p.blocks.function.map((f, b) => (f === p.paths.function[path] ? b : -1)));
    const expected = p.edges.from.map((b, e) => (own.has(b) && p.edges.to[e] >= 0 && own.has(p.edges.to[e]) ? p.edges.count[e] : null)).filter((c) => c !== null);
    assert.deepEqual(flows.sort((a, b) => a - b), expected.sort((a, b) => a - b));
    await page.keyboard.press('n');
    assert.notEqual((await stateOf(page)).match(/path=(\d+)/)[1], String(path));
  });
}
