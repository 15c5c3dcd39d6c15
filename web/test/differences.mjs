// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Two profiles, one against the other.
import assert from 'node:assert/strict';
import { go } from './bench.mjs';
import { documentOf, tableII } from './documents.mjs';
import { rows } from './read.mjs';

export async function differenceTests({ test, bench }) {

  // ---- two profiles ----

  await test('differences: slower is red, faster is blue, in the numbers and in the drawing', async () => {
    const now = tableII();
    now.label = 'after';
    now.functions.self = [1, 10, 100, 400, 100, 400];
    now.functions.total = [1011, 1010, 1000, 700, 200, 400];
    const old = tableII();
    old.label = 'before';
    const page = await bench.show(bench.file(documentOf(old, now)), '#view=functions&p=1&vs=0');
    const list = Object.fromEntries((await rows(page)).map((r) => [r.name, [r.change, r.selfchange]]));
    assert.deepEqual(list.B, ['+200', '+200 +100.0%']);
    assert.deepEqual(list.C, ['−200', '−200 −66.7%']);
    assert.deepEqual(list.D, ['±0', '±0 ±0.0%']);
    await go(page, '#p=1&vs=0&t=0');
    const colors = await page.$$eval('.arc', (arcs) => Object.fromEntries(arcs.map((a) => [a.dataset.to, a.getAttribute('stroke').match(/\d+/g).map(Number)])));
    assert.ok(colors.B[0] > colors.B[2] + 40, `B ${colors.B}`);
    assert.ok(colors.C[2] > colors.C[0] + 40, `C ${colors.C}`);
    await go(page, '#p=1&vs=-&view=functions');
    assert.ok((await rows(page))[0].side0 !== undefined, 'the other way of measuring stands beside');
  });

  await test('the first is before, the last is after; a headline says what changed and what it is made of', async () => {
    const old = tableII();
    old.label = 'before';
    const now = tableII();
    now.label = 'after';
    now.functions.self = [1, 10, 100, 500, 300, 390]; // B +300, D -10 of 1011
    now.total = 1301;
    const page = await bench.show(bench.file(documentOf(old, now)), '#t=0');
    const said = page.locator('.headline');
    assert.equal(await said.textContent(), 'before → after: 1.01k to 1.30k cycles, +28.7%; B +300 is 103% of it');
    await said.getByRole('button').click();
    assert.equal(await page.locator('.detail h2').textContent(), 'B');
    await page.getByLabel('against', { exact: true }).selectOption('-');
    assert.ok(!(await said.isVisible()));
    await go(page, '#p=0&vs=1');
    assert.match(await said.textContent(), /^after → before: 1\.30k to 1\.01k cycles, −22\.3%; B −300 is 103% of it/);
    const other = tableII();
    other.application = 'another program';
    const apart = await bench.show(bench.file(documentOf(old, other)), '#t=0');
    assert.ok(!(await apart.locator('.headline').isVisible()), 'other programs are not compared unasked');
  });
  await test('a small change is not the most vivid thing in the picture', async () => {
    const old = tableII();
    old.functions.self = [1, 10, 100, 200, 214, 400];
    old.functions.total = [1e6, 1e6, 1e6, 5e5, 214, 400];
    old.total = 1e6;
    const now = structuredClone(old);
    now.functions.self = [1, 10, 100, 14700, 0, 400]; // C -214 is gone, B +14,500
    now.functions.total = [1e6, 1014286, 1014286, 514500, 0, 400];
    now.total = 1014286;
    const page = await bench.show(bench.file(documentOf(old, now)), '#t=0');
    const colors = await page.$$eval('.arc', (arcs) => Object.fromEntries(arcs.map((a) => [a.dataset.to, a.getAttribute('stroke').match(/\d+/g).map(Number)])));
    const vivid = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b);
    assert.ok(vivid(colors.B) > 140, `B ${colors.B}`);
    assert.ok(vivid(colors.C) < 40, `C ${colors.C}`);
  });
}
