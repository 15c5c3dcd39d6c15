// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What the page costs, in milliseconds of processor of its thread, whatever else the machine does (`make bench-view`):
// opening, steps of the time filter, and frames while a view is moved and zoomed.
// Usage: node speed.mjs PAGE RIVULET DEEP.elf
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Bench, go, settled } from './bench.mjs';
import { documentOf, large } from './documents.mjs';

const [template, rivulet, deep] = process.argv.slice(2);
const bench = await Bench.open(template);

// The thread's time so far, of all that it did: script, styles, layout, painting.
async function meterOf(page) {
  const session = await bench.context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => 1000 * (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
}
const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const row = (name, list) => console.log(`${name.padEnd(44)} ${median(list).toFixed(1).padStart(7)} ${Math.max(...list).toFixed(1).padStart(7)}`);

console.log(`${'milliseconds of processor'.padEnd(44)}  median    most`);

// 5,000 functions: from 3% to another filter, as the slider does it. Each on a page of its own, then four times more.
const file = bench.file(documentOf(large(5000, 100000, 0)), 'large');
const first = { river: [], graph: [] };
for (const layout of ['river', 'graph'])
  for (const filter of ['2', '0.5', '0.1', '0']) {
    const page = await bench.show(file, `#t=3&lay=${layout}`, { plain: true });
    const used = await meterOf(page);
    const times = [];
    for (let i = 0; i < 5; i++) {
      await go(page, `#t=3&lay=${layout}`);
      await settled(page);
      const before = await used();
      await page.evaluate((hash) => new Promise((done) => {
        addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(done, 0)), { once: true });
        location.hash = hash;
      }), `#t=${filter}&lay=${layout}`);
      times.push((await used()) - before);
    }
    first[layout].push(times[0]);
    row(`filter step to ${filter}%, 5,000 functions, ${layout}`, times.slice(1));
    await page.close();
  }
for (const layout of ['river', 'graph']) row(`the same, the first one, ${layout}`, first[layout]);

// A million calls, 1,000 deep.
const [rvr, out] = ['deep.rvr', 'deep.html'].map((name) => join(bench.folder, name));
execFileSync(rivulet, ['run', '--fast', '--quiet', '--set', 'way=stream', '--records', rvr, deep], { stdio: 'ignore' });
execFileSync(rivulet, ['view', '--calls', '2000000', '--page', template, '-o', out, deep, rvr], { stdio: 'ignore' });
const opened = [];
for (let i = 0; i < 5; i++) {
  const page = await bench.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  const used = await meterOf(page);
  const before = await used();
  await page.goto(`${pathToFileURL(out).href}#view=timeline`);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  opened.push((await used()) - before);
  await page.close();
}
row('opened: a million calls, 1,000 deep', opened);

// Moved by the mouse, zoomed by the wheel: the time of each frame.
async function frames(name, path, hash, wheel) {
  const page = await bench.show(path, hash, { plain: true });
  await settled(page);
  const used = await meterOf(page);
  const box = await page.locator('.stage canvas.bar-canvas, .stage svg.river').first().boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, 700) / 2];
  const times = [];
  const timed = async (step) => {
    const before = await used();
    await step();
    await frame(page);
    times.push((await used()) - before);
  };
  await page.mouse.move(x, y);
  if (wheel) await page.keyboard.down('Control');
  for (let i = 0; i < 24; i++) await timed(() => page.mouse.wheel(0, i < 14 ? -120 : 120));
  if (wheel) await page.keyboard.up('Control');
  await page.mouse.down();
  for (let i = 1; i <= 24; i++) await timed(() => page.mouse.move(x + 12 * Math.sin(i) * i, y + 6 * Math.cos(i) * i));
  await page.mouse.up();
  row(name, times);
  await page.close();
}
await frames('a frame, timeline of a million calls', out, '#view=timeline', true);
await frames('a frame, flame graph 1,000 deep', out, '#view=flame', false);
await frames('a frame, river of 5,000 functions at 0.1%', file, '#t=0.1&lay=river', false);
await frames('a frame, graph of 5,000 functions', file, '#t=0&lay=graph', false);
await bench.close();
