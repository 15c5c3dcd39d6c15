// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Each view as a picture, held against the one in web/test/pictures that a person has looked at. What differs is drawn
// into OUT. VIEW_UPDATE=1 makes the stored ones anew: look at them before they are committed.
// Usage: node pictures.mjs PAGE OUT
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { Bench, settled } from './bench.mjs';
import { documentOf, showcase, tableI } from './documents.mjs';

const [template, out] = process.argv.slice(2);
const stored = join(dirname(fileURLToPath(import.meta.url)), 'pictures');
const update = process.env.VIEW_UPDATE === '1';
const MOST = 0.002; // of all pixels may differ: edges of letters, drawn by another version of the browser
const views = {
  'river': '#t=0&lay=river', 'river-graph': '#t=0&lay=graph', 'functions': '#view=functions&f=D&avg=1', 'code': '#view=code&f=B', 'paths': '#view=paths&f=D&path=10', 'flame': '#view=flame', 'flame-sandwich': '#view=flame&mode=sandwich&f=D', 'timeline': '#view=timeline&f=D', 'river-diff': '#t=0&p=0&vs=1&lay=river', 'river-flow': '#t=0&lay=river&f=C',
};
const settings = [['', {}], ['-dark', { theme: 'dark' }], ['-narrow', { size: { width: 360, height: 640 } }]];
mkdirSync(out, { recursive: true });
mkdirSync(stored, { recursive: true });

const bench = await Bench.open(template);
const file = bench.file(documentOf(showcase(), tableI()), 'showcase');
let passed = 0;
let failed = 0;
for (const [view, hash] of Object.entries(views))
  for (const [suffix, options] of settings) {
    if (suffix !== '' && !['river', 'timeline', 'code'].includes(view)) continue;
    const name = `${view}${suffix}`;
    const one = hash.includes('vs=') ? hash : `${hash}&p=0&vs=-`;
    const page = await bench.show(file, one, { size: { width: 900, height: 560 }, ...options });
    await page.evaluate(() => document.fonts.ready);
    await settled(page); // layout comes from a worker
    const bytes = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    await page.close();
    const path = join(stored, `${name}.png`);
    if (update) {
      writeFileSync(path, bytes);
      continue;
    }
    const seen = PNG.sync.read(bytes);
    const wanted = existsSync(path) ? PNG.sync.read(readFileSync(path)) : undefined;
    let share = 1;
    if (wanted !== undefined && wanted.width === seen.width && wanted.height === seen.height) {
      const difference = new PNG({ width: seen.width, height: seen.height });
      share = pixelmatch(wanted.data, seen.data, difference.data, seen.width, seen.height, { threshold: 0.15 }) / (seen.width * seen.height);
      if (share > MOST) writeFileSync(join(out, `${name}-difference.png`), PNG.sync.write(difference));
    }
    if (share > MOST) {
      failed++;
      writeFileSync(join(out, `${name}.png`), bytes);
      console.log(`FAILED  picture ${name}: ${(100 * share).toFixed(2)}% of it differ from web/test/pictures/${name}.png; see ${join(out, `${name}.png`)}`);
    } else {
      passed++;
      console.log(`ok      picture ${name}`);
    }
  }
await bench.close();
console.log(update ? 'made anew: look at them before you commit' : `pictures: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
