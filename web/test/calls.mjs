// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Flame graph and timeline of a real program, and what stands above the calls.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { go, stateOf } from './bench.mjs';
import { documentOf, tableII } from './documents.mjs';
import { bars, inked, near } from './read.mjs';

export async function callTests({ test, bench, rivulet, program, records, real, p, hottest, hot }) {
  await test('a real program: the flame graph, both ways and around a function', async () => {
    const page = await bench.show(real, '#view=flame');
    const roots = p.stacks.parent.map((parent, i) => (parent < 0 ? p.frames.name[p.stacks.frame[i]] : null)).filter(Boolean);
    const drawn = await bars(page);
    assert.ok(drawn.some((d) => roots.includes(d.name) && d.y === 0));
    const top0 = await inked(page, 0);
    for (const bar of drawn.filter((d) => d.y === 0 && d.width > 4)) assert.ok(top0[Math.floor((bar.x + bar.width / 2) * (top0.length / (await page.$eval('.stage canvas.bar-canvas', (c) => parseFloat(c.style.width)))))], `${bar.name} is drawn`);
    await page.locator('.flame').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await page.locator('.full-name').textContent(), '');
    await page.keyboard.press('Enter');
    assert.match(await stateOf(page), /z=/);
    await page.keyboard.press('0');
    assert.doesNotMatch(await stateOf(page), /[#&]z=/);
    await page.keyboard.press('i');
    assert.match(await stateOf(page), /mode=up/);
    const self = new Map();
    p.stacks.self.forEach((s, i) => self.set(p.frames.name[p.stacks.frame[i]], (self.get(p.frames.name[p.stacks.frame[i]]) ?? 0) + s));
    const best = [...self].sort((a, b) => b[1] - a[1])[0][0];
    const top = (await bars(page)).filter((b) => b.y === 0).sort((a, b) => b.width - a.width)[0].name;
    assert.equal(top, best);
    await go(page, `#view=flame&mode=sandwich&f=${encodeURIComponent(hot)}`);
    assert.deepEqual(await page.$$eval('.stage canvas.bar-canvas', (list) => list.map((c) => c.dataset.part)), ['callers', 'callees']);
    const around = (await bars(page, '[data-part="callers"]')).filter((b) => b.name === hot);
    const lowest = Math.max(...around.map((b) => b.y));
    near(around.filter((b) => b.y === lowest).reduce((sum, b) => sum + b.width, 0), await page.$eval('.flame', (f) => f.clientWidth - 2), 1, 'the function itself, beside the divider');
  });
  await test('a click on the canvas is one on the bar under it, in both views', async () => {
    const page = await bench.show(real, '#view=flame');
    for (const view of ['flame', 'timeline']) {
      await go(page, `#view=${view}`);
      const bar = (await bars(page)).filter((b) => b.width > 30 && b.y > 60 && b.y < 300 && p.functions.name.includes(b.name)).at(-1); // no inlined function
      await page.locator('.stage canvas.bar-canvas').click({ position: { x: bar.x + bar.width / 2, y: bar.y + 10 } });
      assert.equal(await page.locator('.detail h2').textContent(), bar.name);
      assert.ok((await bars(page)).some((b) => b.name === bar.name && b.strong), `${view}: the bar is lit`);
      await page.mouse.move(0, 0);
      await page.locator('.stage canvas.bar-canvas').hover({ position: { x: bar.x + bar.width / 2, y: bar.y + 10 } });
      assert.ok((await page.locator('.stage canvas.bar-canvas').getAttribute('title')).startsWith(bar.name));
    }
  });
  await test('search and selection are lit inside merged bars, and counted', async () => {
    const page = await bench.show(real, '#view=timeline', { size: { width: 1440, height: 1100 } });
    const merged = (await bars(page)).filter((b) => b.name === '');
    assert.ok(merged.length > 10, `${merged.length} merged bars`);
    const asked = 'memset';
    const own = p.spans.function.filter((f) => f >= 0 && p.functions.name[f].includes(asked)).length;
    await go(page, `#view=timeline&q=${asked}`);
    assert.match(await page.locator('.stage [role="status"]').textContent(), new RegExp(`; ${own.toLocaleString('en-US')} fit the search, ${own.toLocaleString('en-US')} of them here`));
    let found = 0;
    for (const bar of await bars(page)) {
      const hits = Number((bar.text.match(/; ([\d,]+) fit the search/)?.[1] ?? (bar.name.includes(asked) ? '1' : '0')).replaceAll(',', ''));
      assert.equal(bar.dim, hits === 0, bar.text);
      found += hits;
    }
    assert.equal(found, own, 'hits of all bars');
  });
  await test('what ran in a part of the timeline: own times add up to it', async () => {
    const [from, to] = [Math.floor(p.spans.length / 3), Math.floor(p.spans.length / 2)];
    const page = await bench.show(real, `#view=timeline&rt=1&tz=${from}-${to}`);
    const shown = await page.$$eval('.ranges table:first-child tr', (list) => list.map((r) => [r.querySelector('button').textContent, r.querySelector('.number').textContent]));
    assert.ok(shown.length > 3);
    // by hand: the time of each call in the part, less that of the calls right below it
    let at = 0;
    const calls = p.spans.after.map((after, i) => ({ begin: (at += after), end: at + p.spans.duration[i], depth: p.spans.depth[i], name: p.functions.name[p.spans.function[i]] }));
    const inside = (c) => Math.max(0, Math.min(c.end, to) - Math.max(c.begin, from));
    const own = new Map();
    for (const call of calls.filter((c) => inside(c) > 0)) {
      const below = calls.filter((c) => c.depth === call.depth + 1 && c.begin >= call.begin && c.end <= call.end).reduce((sum, c) => sum + inside(c), 0);
      own.set(call.name, (own.get(call.name) ?? 0) + inside(call) - below);
    }
    assert.equal([...own.values()].reduce((a, b) => a + b, 0), to - from);
    for (const [name, text] of shown) assert.equal(text.split(' ')[0], own.get(name).toLocaleString('en-US'), name);
    await page.locator('.ranges button').first().click();
    assert.equal(await page.locator('.detail h2').textContent(), shown[0][0]);
  });
  await test('a drag over the small picture chooses a part; the longest call is one key away', async () => {
    const page = await bench.show(real, '#view=timeline');
    const box = await page.locator('.minimap').boundingBox();
    await page.mouse.move(box.x + box.width / 4, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 10, { steps: 3 });
    await page.mouse.up();
    const [from, to] = (await stateOf(page)).match(/tz=([\d.]+)-([\d.]+)/).slice(1).map(Number);
    near(from / p.spans.length, 0.25, 0.01, 'begins');
    near(to / p.spans.length, 0.5, 0.01, 'ends');
    await page.locator('.timeline').focus();
    const pressed = async (keys) => {
      for (const key of keys) await page.keyboard.press(key);
      const [left, right] = (await stateOf(page)).match(/tz=([\d.]+)-([\d.]+)/).slice(1).map(Number);
      return { left, width: right - left };
    };
    const closer = await pressed('w');
    assert.ok(closer.width < 0.9 * (to - from), `w shows ${closer.width} of ${to - from}`);
    const earlier = await pressed('aa');
    assert.ok(earlier.left < closer.left - 0.1 * closer.width, `a goes from ${closer.left} to ${earlier.left}`);
    const back = await pressed('sd'); // farther, and to the right
    near(back.width / (to - from), 1, 0.01, 'as wide as before');
    near((back.left - from) / (to - from), 0, 0.01, 'and where it was');
    await go(page, `#view=timeline&f=${encodeURIComponent(hot)}`);
    await page.locator('.timeline').focus();
    await page.keyboard.press('l');
    const most = Math.max(...p.spans.duration.filter((_, i) => p.spans.function[i] === hottest));
    assert.ok((await page.locator('.full-name').textContent()).startsWith(`${hot}: ${most.toLocaleString('en-US')} `));
  });
  await test('a real program: single calls, one by one', async () => {
    const page = await bench.show(real, `#view=timeline&f=${encodeURIComponent(hot)}`);
    await page.getByRole('button', { name: 'call ▸' }).click();
    const said = await page.locator('.full-name').textContent();
    const i = p.spans.function.indexOf(hottest);
    assert.ok(said.startsWith(`${hot}: ${p.spans.duration[i].toLocaleString('en-US')} `), said);
    await page.locator('.timeline').focus();
    await page.keyboard.press('Enter');
    assert.match(await stateOf(page), /tz=/);
    const wide = Math.max(...(await bars(page)).filter((b) => b.strong).map((b) => b.width));
    assert.ok(wide > 500, `the call is ${wide} pixels wide`);
  });
  await test('phases as bands, processes as groups of rows', async () => {
    const made = tableII();
    made.processes = ['init', 'shell'];
    made.phases = { name: ['read', 'work'], begin: [0, 400], end: [400, 1000] };
    made.spans = { length: 1000, all: 5, shortest: 0, after: [0, 100, 200, 0, 100], duration: [1000, 100, 50, 900, 300], function: [1, 2, 3, 1, 4], depth: [0, 1, 1, 0, 1], process: [0, 0, 0, 1, 1] };
    const page = await bench.show(bench.file(documentOf(made)), '#view=timeline');
    const bands = await page.$$eval('.phase', (list) => list.map((b) => [b.dataset.phase, parseFloat(b.querySelector('rect').getAttribute('width'))]));
    assert.deepEqual(bands.map((b) => b[0]), ['read', 'work']);
    near(bands[0][1] / bands[1][1], 400 / 600, 0.01, 'widths of the phases');
    assert.deepEqual(await page.$eval('.stage canvas.bar-canvas', (canvas) => canvas.heads()), ['init', 'shell']);
    const list = (await bars(page)).map((b) => [b.name, b.x, b.y, b.width]);
    const whole = list.find((b) => b[0] === 'main');
    for (const [name, begin, length] of [['A', 100, 100], ['B', 300, 50], ['C', 100, 300]]) {
      const bar = list.find((b) => b[0] === name);
      near(bar[1] / whole[3], begin / 1000, 0.01, `${name} begins`);
      near(bar[3] / whole[3], length / 1000, 0.01, `${name} lasts`);
    }
    await page.locator('.phase').nth(1).click();
    assert.match(await stateOf(page), /tz=400-1000/);
  });
  await test('phases of a real run: their order as a grammar, how alike each is, as rivulet phases says', async () => {
    const said = JSON.parse(execFileSync(rivulet, ['phases', '--json', program, records], { stdio: ['ignore', 'pipe', 'ignore'] }));
    assert.equal(p.phase_order, said.grammar);
    assert.deepEqual(p.phase_kinds.name, said.phases.map((phase) => phase.name));
    assert.deepEqual(p.phase_kinds.alike.map((alike) => alike / 1000), said.phases.map((phase) => phase.alike));
    const page = await bench.show(real, '#view=timeline');
    const mixed = said.phases.filter((phase) => phase.alike < 0.75).map((phase) => phase.name);
    const line = await page.locator('.phase-order').textContent();
    assert.ok(line.startsWith(`Phases: ${said.grammar}`), line);
    assert.equal(line.includes(`mixed: ${mixed.join(', ')}`), mixed.length > 0, line);
    const titles = await page.$$eval('.phase', (list) => list.map((b) => [b.dataset.phase, b.querySelector('title').textContent]));
    for (const [name, title] of titles) {
      const { alike } = said.phases.find((phase) => phase.name === name);
      assert.ok(title.includes(`${(100 * alike).toFixed(0)}% alike`), title);
      assert.equal(title.includes('mixed'), alike < 0.75, title);
    }
  });
  await test('phases and hot paths of a real run: each shade is the share of its intervals', async () => {
    assert.ok(p.phases.name.length > 2 && p.phases.begin[0] === 0, 'the run has phases');
    assert.deepEqual(p.phases.begin.slice(1), p.phases.end.slice(0, -1), 'one phase begins where the last one ended');
    assert.equal(p.phases.end.at(-1), p.spans.length, 'phases and calls have one clock');
    const page = await bench.show(real, '#view=timeline&tp=24');
    assert.equal(await page.locator('.sequence').count(), p.sequence_paths.function.length);
    const { begin, end } = p.intervals;
    for (const row of [0, 3, 11]) {
      // as the pixels are: 0.08 and 0.92 of the share
      const [drawn, width] = await page.$eval('.shades', (canvas, y) => {
        const alphas = [...canvas.getContext('2d').getImageData(0, y, canvas.width, 1).data].filter((_, i) => i % 4 === 3);
        return [alphas.reduce((sum, alpha) => sum + (alpha === 0 ? 0 : (alpha / 255 - 0.08) / 0.92), 0), canvas.width];
      }, row);
      const expected = p.sequence_paths.heat[row].reduce((sum, share, i) => sum + (share / 1000) * (end[i] - begin[i]), 0);
      near(drawn / width, expected / p.spans.length, 0.005, `share of row ${row} over the run`);
    }
    await page.locator('.sequence').nth(2).focus();
    await page.keyboard.press('Enter');
    assert.ok((await page.locator('.detail h2').textContent()).includes(p.functions.name[p.sequence_paths.function[2]]));
    await page.getByLabel('Hot paths', { exact: true }).selectOption('0');
    assert.equal(await page.locator('.sequence').count(), 0);
  });
}
