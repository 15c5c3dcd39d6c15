// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Widths of arcs, and what stands on a node (QTY FIG. 14).
import assert from 'node:assert/strict';
import { go, stateOf } from './bench.mjs';
import { documentOf, fig10, river, shares, tableII } from './documents.mjs';
import { near, widths } from './read.mjs';

export async function widthTests({ test, bench }) {

  // ---- river: FIG. 12 to 14 ----

  const formulas = {
    none: () => 2,
    linear: (t) => Math.min(10, Math.max(1, Math.ceil(Math.round(t * 1e6) / 1e5))),
    fig14c: (t) => Math.min(9, Math.max(1, Math.log2(1000 * t + 0.0001))),
    exp: (t) => 12 - 11 * Math.exp(-t),
  };
  for (const [kind, formula] of Object.entries(formulas))
    await test(`FIG. 14: widths as drawn, ${kind}`, async () => {
      const page = await bench.show(bench.file(documentOf(river())), `#t=0&w=${kind}`);
      const drawn = await widths(page);
      shares.forEach((t, i) => near(drawn[`main f${i}`], formula(t), 0.001, `f${i}, t = ${t}`));
    });
  await test('a log(t + b) + c with parameters typed by the user', async () => {
    const page = await bench.show(bench.file(documentOf(river())), '#t=0&w=log');
    await page.getByLabel('a', { exact: true }).fill('2');
    await page.getByLabel('b', { exact: true }).press('Tab');
    await page.getByLabel('b', { exact: true }).fill('0.01');
    await page.getByLabel('c', { exact: true }).press('Tab');
    await page.getByRole('button', { name: 'c for 1 px' }).click();
    const drawn = await widths(page);
    shares.forEach((t, i) => near(drawn[`main f${i}`], 2 * Math.log(t + 0.01) + 1 - 2 * Math.log(0.01), 0.01, `f${i}`));
  });
  await test('a table of widths edited by the user', async () => {
    const page = await bench.show(bench.file(documentOf(river())), '#t=0&w=table');
    await page.getByLabel('Table of widths, per cent: pixels').fill('1: 1.5, 30: 4, 100: 12');
    await page.getByLabel('Table of widths, per cent: pixels').press('Enter');
    const drawn = await widths(page);
    shares.forEach((t, i) => near(drawn[`main f${i}`], t <= 0.01 ? 1.5 : t <= 0.3 ? 4 : 12, 0.001, `f${i}`));
  });
  await test('adaptive: least arc shown 1, all time 10; other arcs shown, other widths', async () => {
    const page = await bench.show(bench.file(documentOf(river())), '#t=0&w=adaptive');
    let drawn = await widths(page);
    near(drawn[`main f${shares.length - 1}`], 1, 0.001, 'least');
    near(drawn['main f0'], 10, 0.001, 'all');
    await go(page, '#t=5&w=adaptive');
    drawn = await widths(page);
    near(drawn['main f6'], 1, 0.001, 'least of those left'); // 5%
  });
  await test('width by these calls, or by the whole callee', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#t=0');
    let drawn = await widths(page);
    near(drawn['B D'], formulas.fig14c(300 / 1011), 0.001, 'B D');
    near(drawn['C D'], formulas.fig14c(100 / 1011), 0.001, 'C D');
    await go(page, '#t=0&arc=function');
    drawn = await widths(page);
    near(drawn['B D'], formulas.fig14c(400 / 1011), 0.001, 'B D');
    assert.equal(drawn['B D'], drawn['C D']);
  });
  await test('virtual root: widths by its time', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#t=0&w=linear&f=A');
    await page.getByRole('button', { name: 'Make root' }).click();
    const drawn = await widths(page);
    assert.equal(drawn['A B'], 5);
    assert.equal(drawn['A C'], 4);
    assert.equal(drawn['B D'], 3);
    assert.match(await stateOf(page), /root=A/);
  });
  await test('recursion has a curved bar, and nothing else has', async () => {
    const page = await bench.show(bench.file(documentOf(river())), '#t=0');
    assert.deepEqual(await page.$$eval('.node:has(.recursion)', (list) => list.map((n) => n.dataset.name)), ['factorial']);
  });
  await test('call sites apart or together', async () => {
    const made = tableII();
    for (const [column, value] of Object.entries({ from: 3, to: 5, site: '0x80000999', line: 7, count: 2, total: 50 })) made.calls[column].push(value);
    const page = await bench.show(bench.file(documentOf(made)), '#t=0');
    assert.equal(await page.locator('.arc').count(), 6);
    await page.getByLabel('Sites apart').check();
    assert.equal(await page.locator('.arc').count(), 7);
  });
  await test('data left and right of a name, and its length', async () => {
    const page = await bench.show(bench.file(documentOf(fig10())), '#t=0&left=calls&right=self&len=8');
    const texts = await page.$$eval('.node', (list) => Object.fromEntries(list.map((n) => [n.dataset.name, [...n.querySelectorAll('text')].map((t) => t.textContent)])));
    assert.deepEqual(texts.main, ['1×', 'main', '0.03%']);
    assert.deepEqual(texts.prime, ['999×', 'prime', '7.10%']);
    await go(page, '#t=0&right=none');
    assert.equal(await page.locator('.node .right').count(), 0);
  });
  await test('long names are cut, the whole one stands below the graph', async () => {
    const made = tableII();
    made.functions.name[2] = 'a_function_with_a_very_long_name_indeed';
    const page = await bench.show(bench.file(documentOf(made)), '#t=0&len=16&f=a_function_with_a_very_long_name_indeed');
    assert.equal(await page.locator('.node.selected .name').textContent(), 'a_function_with…');
    assert.match(await page.locator('.full-name').first().textContent(), /^a_function_with_a_very_long_name_indeed/);
  });
}
