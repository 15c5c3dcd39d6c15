// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Lists of functions, callers and callees (QTY FIG. 8, 10, 11); one selection and one address for all views.
import assert from 'node:assert/strict';
import { go, settled, stateOf } from './bench.mjs';
import { documentOf, fig10, tableII } from './documents.mjs';
import { neighbours, rows } from './read.mjs';

export async function listTests({ test, bench }) {
  await test('table II in the list of functions, table III beside it', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#view=functions&avg=1');
    const list = Object.fromEntries((await rows(page)).map((r) => [r.name, [r.selfcycles, r.totalcycles, r.averaged]]));
    assert.deepEqual(list, { start: ['1', '1,011', '1,011'], main: ['10', '1,010', '1,010'], A: ['100', '1,000', '1,000'], B: ['200', '500', '400'], C: ['300', '400', '500'], D: ['400', '400', '400'] });
  });
  await test('FIG. 8: sorted by self time at first, by any column, filtered by name', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#view=functions');
    assert.deepEqual((await rows(page)).map((r) => r.name), ['D', 'C', 'B', 'A', 'main', 'start']);
    for (const [column, order] of [['Function', 'A B C D main start'], ['Calls', 'D start main A B C'], ['Total %', 'start main A B C D']]) {
      await page.getByRole('columnheader', { name: column, exact: true }).getByRole('button').click();
      assert.equal((await rows(page)).map((r) => r.name).join(' '), order, column);
    }
    await page.getByRole('searchbox').fill('ma');
    await settled(page);
    assert.deepEqual((await rows(page)).map((r) => r.name), ['main']);
  });
  await test('FIG. 10: main, printf 169 calls 92.78%, prime 999 calls 7.10%', async () => {
    const page = await bench.show(bench.file(documentOf(fig10())), '#f=main');
    const data = await page.locator('.function-data').textContent();
    assert.match(data, /Calls1/);
    assert.match(data, /Self26 cycles, 0\.03%/);
    assert.match(data, /Self \+ descendants99,898 cycles, 99\.90%/);
    const out = await neighbours(page, 'callees');
    assert.deepEqual(out.map((r) => [r[0], r[1], r[3]]), [['printf', '169', '92.78%'], ['prime', '999', '7.10%']]);
  });
  await test('FIG. 11A to D: callers and callees with counts and shares; averages beside them', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#f=A');
    assert.deepEqual(await neighbours(page, 'callees'), [['B', '1', '50.00%', '49.46%'], ['C', '1', '40.00%', '39.56%']]);
    assert.deepEqual(await neighbours(page, 'callers'), [['main', '1', '100.00%', '98.91%']]);
    await go(page, '#f=B');
    assert.deepEqual(await neighbours(page, 'callees'), [['D', '40', '60.00%', '29.67%']]);
    await go(page, '#f=C');
    assert.deepEqual(await neighbours(page, 'callees'), [['D', '40', '25.00%', '9.89%']]);
    await go(page, '#f=D');
    assert.deepEqual(await neighbours(page, 'callers'), [['B', '40', '75.00%', '29.67%', '50.00%'], ['C', '40', '25.00%', '9.89%', '50.00%']]);
  });

  // ---- linked views, address bar ----

  await test('a selection in one view is one in all; back and forward', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())), '#t=0');
    await page.locator('.node[data-name="C"]').click();
    assert.equal(await page.locator('.detail h2').textContent(), 'C');
    await page.getByRole('tab', { name: 'Functions' }).click();
    assert.equal(await page.locator('.grid-row.chosen [data-column="name"]').textContent(), 'C');
    await page.locator('.grid-row', { hasText: 'main' }).click();
    assert.equal(await page.locator('.detail h2').textContent(), 'main');
    await page.goBack();
    assert.equal(await page.locator('.detail h2').textContent(), 'C');
    await page.goBack();
    assert.equal(await page.locator('.node.selected').getAttribute('data-name'), 'C');
    await page.goForward();
    await page.goForward();
    assert.equal(await page.locator('.detail h2').textContent(), 'main');
    const again = await bench.show(page.url().replace('file://', '').split('#')[0], await stateOf(page));
    assert.equal(await again.locator('.grid-row.chosen [data-column="name"]').textContent(), 'main');
  });
  await test('the address bar brings back the same picture', async () => {
    const file = bench.file(documentOf(tableII()));
    const page = await bench.show(file, '#t=0');
    await page.locator('.node[data-name="B"]').click();
    await page.getByLabel('Width', { exact: true }).selectOption('linear');
    await settled(page);
    const hash = await stateOf(page);
    assert.equal(await page.evaluate(() => location.hash), hash);
    const shown = async (on) => [await on.$$eval('.controls select, .controls input', (list) => list.map((c) => c.value)), (await on.locator('.pane').screenshot()).toString('base64')];
    const first = await shown(page);
    const again = await bench.show(file, hash);
    await settled(again);
    assert.ok(JSON.stringify(first) === JSON.stringify(await shown(again)), 'other pixels or controls');
  });
}
