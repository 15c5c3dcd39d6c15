// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Large documents: what is out of sight costs nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { go, settled } from './bench.mjs';
import { documentOf, large } from './documents.mjs';
import { bars, nodes, rows } from './read.mjs';

export async function sizeTests({ test, bench, template, rivulet, deep }) {

  // ---- size and speed ----

  await test('the page without data has at most 2.5 MB', async () => assert.ok(readFileSync(template).length <= 2.5e6));
  // Work is counted, not time: what is made, drawn and laid out.
  const work = async (page, step) => {
    const session = await bench.context.newCDPSession(page);
    await session.send('Performance.enable');
    const counts = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]));
    const before = await counts();
    const made = await page.evaluate((hash) => new Promise((done) => {
      let nodes = 0;
      const watch = new MutationObserver((list) => { for (const m of list) for (const n of m.addedNodes) nodes += 1 + (n.querySelectorAll?.('*').length ?? 0); });
      watch.observe(document.body, { childList: true, subtree: true });
      location.hash = hash;
      addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(() => done(nodes), 0)), { once: true }); // drawn
    }), step);
    const after = await counts();
    await session.detach();
    return { made, layouts: after.LayoutCount - before.LayoutCount, styles: after.RecalcStyleCount - before.RecalcStyleCount };
  };
  await test('5,000 functions and 100,000 paths open with less than twice the elements of 500 and 10,000', async () => {
    const elements = {};
    for (const [name, functions, paths] of [['middle', 500, 10000], ['large', 5000, 100000]]) {
      const page = await bench.show(bench.file(documentOf(large(functions, paths, 0)), name));
      await page.waitForSelector('.node');
      elements[name] = await page.evaluate(() => document.querySelectorAll('*').length);
      await page.close();
    }
    console.log(`        elements: ${JSON.stringify(elements)}`);
    assert.ok(elements.large < 2 * elements.middle && elements.large < 1000, JSON.stringify(elements));
  });
  await test('a filter step draws once, down to all 5,000 functions', async () => {
    const page = await bench.show(join(bench.folder, 'large.html'), '#t=2');
    const steps = {};
    for (const key of ['2', '0.5', '0.1', '0']) {
      await go(page, '#t=3');
      await settled(page);
      steps[key] = await work(page, `#t=${key}`);
    }
    console.log(`        ${JSON.stringify(steps)}`);
    for (const [key, step] of Object.entries(steps)) assert.ok(step.made < 5000 && step.layouts <= 16 && step.styles <= 16, `${key}%: ${JSON.stringify(step)}`);
    await page.close();
  });
  await test('a single call of a million', async () => {
    const file = bench.file(documentOf(large(200, 10, 1000000)), 'million');
    const page = await bench.show(file, '#view=timeline&tz=4999990-5000020');
    await settled(page);
    const calls = (await bars(page)).length;
    assert.ok(calls >= 3 && calls < 8, `${calls} calls are drawn`);
    await page.close();
  });
  // From the program to the picture: f() calls itself 1,000 deep, 1,000 times.
  await test('a million calls 1,000 deep: what is out of sight costs nothing', async () => {
    const [rvr, out] = ['deep.rvr', 'deep.html'].map((name) => join(bench.folder, name));
    const elf = deep;
    execFileSync(rivulet, ['run', '--quiet', '--set', 'way=stream', '--records', rvr, elf], { stdio: 'ignore' });
    execFileSync(rivulet, ['view', '--calls', '2000000', '--page', template, '-o', out, elf, rvr], { stdio: 'ignore' });
    const page = await bench.show(out, '#view=timeline');
    await settled(page);
    const said = await page.locator('.stage [role="status"]').textContent();
    assert.ok(parseInt(said.replaceAll(',', ''), 10) >= 1e6, said);
    const count = () => page.evaluate(() => document.querySelectorAll('*').length);
    const most = { elements: 0, painted: 0, ms: 0 };
    const times = [];
    const pane = await page.$eval('.timeline', (t) => ({ rows: Math.ceil(t.clientHeight / 20) + 1, width: t.clientWidth }));
    for (const state of ['', '&tz=1000000-1100000', '&tz=1000000-1000500', '&q=dig', '&f=dig']) {
      await go(page, `#view=timeline${state}`);
      for (const top of [0, 4000, 18000]) {
        const frame = await page.evaluate((y) => {
          const timeline = document.querySelector('.timeline');
          timeline.scrollTop = y;
          const canvas = document.querySelector('.timeline canvas.bar-canvas');
          const start = performance.now();
          const painted = canvas.paint();
          return { painted, ms: performance.now() - start };
        }, top);
        most.painted = Math.max(most.painted, frame.painted);
        most.ms = Math.max(most.ms, frame.ms);
        times.push(frame.ms.toFixed(1));
      }
      most.elements = Math.max(most.elements, await count());
    }
    await go(page, '#view=flame');
    most.elements = Math.max(most.elements, await count());
    console.log(`        ready after ${await page.evaluate(() => document.documentElement.dataset.ready)} ms; at most ${JSON.stringify(most)}; frames of ${times.join(' ')} ms`);
    assert.ok(most.elements < 3000, `${most.elements} elements`);
    assert.ok(most.painted <= 2 * pane.rows * pane.width, `${most.painted} bars in ${pane.rows} rows of ${pane.width} pixels`);
    assert.ok((await bars(page)).some((b) => b.name === 'dig'));
  });
}
