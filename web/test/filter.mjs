// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Which functions the river shows, and where (QTY FIG. 12 and 13).
import assert from 'node:assert/strict';
import { go, settled } from './bench.mjs';
import { documentOf, flat, showcase, tableII } from './documents.mjs';
import { balance, fullOf, marks, near, nodes, ribbons } from './read.mjs';

export async function filterTests({ test, bench }) {
  await test('FIG. 13: initial filter shows the functions down to the 30th, rounded up', async () => {
    const percents = Array.from({ length: 60 }, (_, i) => 3 - i * 0.05);
    const page = await bench.show(bench.file(documentOf(flat(percents))));
    assert.equal(await page.getByLabel('Time filter in per cent').inputValue(), '1.6'); // with main: the 29th of these, 1.6%
    assert.equal((await nodes(page)).length, 30);
    const other = await bench.show(bench.file(documentOf(flat(percents.map((p) => p + 0.01)))));
    assert.equal(await other.getByLabel('Time filter in per cent').inputValue(), '1.7'); // 1.61% is rounded up
    assert.equal((await nodes(other)).length, 28);
  });
  await test('FIG. 13: ties are shown together', async () => {
    const page = await bench.show(bench.file(documentOf(flat([...Array(10).fill(3), ...Array(40).fill(1)]))));
    assert.equal(await page.getByLabel('Time filter in per cent').inputValue(), '1');
    assert.equal((await nodes(page)).length, 51);
  });
  await test('time filter by slider, box and keys: 0 to 20, finer below 2', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())));
    const slider = page.getByLabel('Time filter', { exact: true });
    const box = page.getByLabel('Time filter in per cent');
    await slider.focus();
    await page.keyboard.press('End');
    assert.equal(await box.inputValue(), '20');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await box.inputValue(), '19');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    assert.equal(await box.inputValue(), '0.1');
    await box.fill('50');
    await box.press('Enter');
    assert.equal(await box.inputValue(), '20');
    await box.fill('abc');
    await box.press('Enter');
    assert.equal(await box.inputValue(), '20');
    await box.fill('1.9');
    await box.press('Enter');
    await page.locator('.node').first().focus();
    await page.keyboard.press(']');
    assert.equal(await box.inputValue(), '2');
    await page.keyboard.press(']');
    assert.equal(await box.inputValue(), '3');
  });
  await test('FIG. 12: three states with their marks, stepped by the buttons', async () => {
    const made = tableII();
    made.functions.total = [1011, 1010, 1000, 500, 150, 400]; // C: 14.8%
    const page = await bench.show(bench.file(documentOf(made)), '#t=20&f=A');
    assert.deepEqual(await marks(page), { start: 'filtered', main: 'filtered', A: 'filtered', B: 'filtered', D: 'none' });
    await page.getByRole('button', { name: 'Show subtree' }).click();
    assert.deepEqual(await marks(page), { start: 'filtered', main: 'filtered', A: 'all', B: 'filtered', C: 'filtered', D: 'none' });
    assert.ok(await page.getByRole('button', { name: 'Show subtree' }).isDisabled());
    await page.getByRole('button', { name: 'Collapse' }).click();
    await page.getByRole('button', { name: 'Collapse' }).click();
    assert.deepEqual(await marks(page), { start: 'filtered', main: 'filtered', A: 'collapsed' });
    await page.goBack();
    assert.equal((await marks(page)).A, 'filtered');
    const fills = await page.$$eval('.node[data-name="A"] .mark path', (list) => list.map((p) => p.getAttribute('fill')));
    assert.equal(fills.length, 2); // outline, and its first half filled
    await go(page, '#t=0');
    assert.equal((await marks(page)).main, 'all'); // FIG. 12B: everything is shown
  });
  await test('FIG. 12A: overview, with a spotlight on the selected function, its parents and children', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#t=0&f=D');
    assert.equal(await page.locator('.overview').getAttribute('data-spotlight'), '3');
    const before = await page.locator('.river > g').getAttribute('transform');
    await page.locator('.overview').click({ position: { x: 10, y: 10 } });
    await settled(page);
    assert.notEqual(await page.locator('.river > g').getAttribute('transform'), before);
  });
  await test('drag to scroll, wheel, zoom', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#t=0');
    const at = () => page.locator('.river > g').getAttribute('transform');
    const first = await at();
    await page.mouse.move(300, 800);
    await page.mouse.down();
    await page.mouse.move(360, 760, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const second = await at();
    assert.notEqual(first, second);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await settled(page);
    assert.notEqual(await at(), second);
  });
  await test('name filter keeps what leads to a match', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#t=0&q=C');
    assert.deepEqual((await nodes(page)).sort(), ['A', 'C', 'main', 'start']);
  });
  await test('river: of calls that are no recursion, an arc is as wide as its time', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#t=0&lay=river');
    const full = await fullOf(page);
    const drawn = Object.fromEntries((await ribbons(page)).map((r) => [`${r.from} ${r.to}`, r.left[1] - r.left[0]]));
    for (const [arc, time] of [['A B', 500], ['A C', 400], ['B D', 300], ['C D', 100], ['main A', 1000]]) near(drawn[arc], (full * time) / 1011, 0.01, arc);
    for (const node of await balance(page)) {
      if (node.calls > 0) near(node.into, node.out + node.lake, 1, node.name);
      assert.ok(node.inside, `${node.name}: an arc ends beside its box`);
    }
  });
  await test('river of a profile without order: times of calls, for its stacks end with their traces; the flame graph says so', async () => {
    for (const [parent, words] of [[[-1, -1, -1, -1, -1, 4], /^Stacks begin where traces begin/], [[-1, -1, -1, -1, -1, -1], /^This profile has no stacks/]]) {
      const made = { ...tableII(), exact_calls: false };
      made.frames = { name: made.functions.name, file: made.functions.file, line: made.functions.line };
      made.stacks = { parent, frame: [0, 1, 2, 3, 4, 5], self: made.functions.self };
      const file = bench.file(documentOf(made));
      const page = await bench.show(file, '#t=0&lay=river');
      const full = await fullOf(page);
      const drawn = Object.fromEntries((await ribbons(page)).map((r) => [`${r.from} ${r.to}`, r.left[1] - r.left[0]]));
      for (const [arc, time] of [['A B', 500], ['A C', 400], ['B D', 300], ['main A', 1000]]) near(drawn[arc], (full * time) / 1011, 0.01, arc);
      await go(page, '#view=flame');
      assert.match(await page.locator('.lacks').textContent(), words);
    }
    const page = await bench.show(bench.file(documentOf(showcase())), '#view=flame');
    assert.equal(await page.locator('.lacks').count(), 0);
  });
}
