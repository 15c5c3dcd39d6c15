// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A picture of a page that `rivulet view' wrote, for documents.
// Usage: node shot.mjs PAGE.html HASH OUT.png [WIDTH HEIGHT]      HASH: the page's state, as its address bar has it
import { writeFileSync } from 'node:fs';
import { Bench, settled } from './bench.mjs';

const [file, hash, out, width = '1280', height = '720'] = process.argv.slice(2);
const bench = await Bench.open(file);
const page = await bench.show(file, hash, { size: { width: Number(width), height: Number(height) } });
await page.evaluate(() => document.fonts.ready);
await settled(page); // layout comes from a worker
writeFileSync(out, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
await bench.close();
for (const problem of bench.problems) console.error(problem);
process.exit(bench.problems.length > 0 ? 1 : 0);
