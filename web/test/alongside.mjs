// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A page beside a run (`make bench-live`): seconds from the start of both to the first block in the file, to the server's
// address, to the first picture in a browser that was open already; how many came beside the run, the median and the
// most between two; when the run ended; the server's share of a core until then.
// Usage: node alongside.mjs PAGE RIVULET NAME PROGRAM.elf FILE COMMAND...      FEED=FILE: goes into COMMAND, in 20 seconds
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { Bench } from './bench.mjs';

const [template, rivulet, name, program, file, ...command] = process.argv.slice(2);
const bench = await Bench.open(template);
const page = await bench.newPage();
page.net = true;
const part = `${file}.rivulet-part`;
for (const old of [file, part]) rmSync(old, { force: true });

const now = () => performance.now() / 1000;
const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const start = now();
const run = spawn(command[0], command.slice(1), { stdio: [process.env.FEED ? 'pipe' : 'ignore', 'ignore', 'ignore'] });
if (process.env.FEED) {
  const bytes = readFileSync(process.env.FEED);
  const PARTS = 200;
  let part = 0;
  const feed = setInterval(() => {
    run.stdin.write(bytes.subarray(Math.floor((part * bytes.length) / PARTS), Math.floor(((part + 1) * bytes.length) / PARTS)));
    if (++part < PARTS) return;
    clearInterval(feed);
    run.stdin.end();
  }, 100);
}
const ended = new Promise((done) => run.on('exit', () => done(now() - start)));
const server = spawn(rivulet, ['view', '--serve', '--no-open', '--page', template, program, file], { stdio: ['ignore', 'pipe', 'ignore'] });
let block;
const watch = setInterval(() => (block ??= sizeOf(part) + sizeOf(file) > 0 ? now() - start : undefined), 20);

const address = await new Promise((done) => server.stdout.once('data', (chunk) => done(String(chunk).trim())));
const told = now() - start;
const pictures = [];
await page.exposeFunction('pictureShown', () => pictures.push(now() - start));
await page.addInitScript(() => {
  let seen = '0';
  new MutationObserver(() => {
    const { updates } = document.documentElement.dataset;
    if (updates === undefined || updates === seen) return;
    seen = updates;
    requestAnimationFrame(() => setTimeout(() => window.pictureShown(), 0));
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['data-updates'] });
});
await page.goto(`${address}#view=functions`);
const end = await ended;
clearInterval(watch);
// utime and stime, in ticks of 10 ms
const used = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((sum, n) => sum + Number(n) / 100, 0);
const beside = pictures.filter((time) => time <= end);
const gaps = beside.slice(1).map((time, i) => time - beside[i]);
const f = (value) => (value === undefined ? '-' : value.toFixed(2)).padStart(9);
const median = [...gaps].sort((a, b) => a - b)[gaps.length >> 1];
console.log(`${name.padEnd(8)}${f(block)}${f(told)}${f(beside[0])}${String(beside.length).padStart(10)}${f(median)}${f(gaps.length > 0 ? Math.max(...gaps) : undefined)}${f(end)}${f((100 * used) / end)}%`);
server.kill('SIGTERM');
await bench.close();
