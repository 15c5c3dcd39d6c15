// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The river of a part of the run: widths add up in each phase, and the time of each function is its own in that part.
import assert from 'node:assert/strict';
import { go, settled } from './bench.mjs';

export async function lapseTests({ fullOf, test, bench, real, p, near, balance }) {
  const rangesOf = (name) => p.phases.name.flatMap((n, i) => (n === name ? [[p.phases.begin[i], p.phases.end[i]]] : []));
  // by hand: each call's time in the ranges, less that of the calls right below it
  const ownTimes = (ranges) => {
    const own = new Map();
    const open = [];
    let at = 0;
    p.spans.after.forEach((after, i) => {
      const [begin, end, depth] = [(at += after), at + p.spans.duration[i], p.spans.depth[i]];
      const time = ranges.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(end, to) - Math.max(begin, from)), 0);
      const name = p.functions.name[p.spans.function[i]];
      while (open.length > depth) open.pop();
      const add = (key, by) => own.set(key, (own.get(key) ?? 0) + by);
      if (open.length > 0) add(open.at(-1), -time);
      add(name, time);
      open[depth] = name;
    });
    return own;
  };
  await test('time-lapse: in each phase what comes in is what goes out and what stays; functions keep their places', async () => {
    const page = await bench.show(real, '#t=0&lay=river&ph=A');
    await settled(page);
    let places;
    for (const name of [...new Set(p.phases.name)].slice(0, 4)) {
      await go(page, `#t=0&lay=river&ph=${name}`);
      await page.getByRole('button', { name: 'Show all' }).click();
      await settled(page);
      const nodes = await balance(page);
      const full = await fullOf(page);
      const ranges = rangesOf(name);
      const length = ranges.reduce((sum, [from, to]) => sum + to - from, 0);
      for (const node of nodes) {
        if (node.calls > 0) near(node.into, node.out + node.lake, 1, `${node.name} in phase ${name}`);
        assert.ok(node.inside, `${node.name}: an arc ends beside its box`);
      }
      near(nodes.reduce((sum, n) => sum + n.lake, 0), full, 2, `lakes of phase ${name}`);
      const own = ownTimes(ranges);
      for (const f of ['memset', 'memcmp', '__udivdi3', 'strlen'])
        near(nodes.find((n) => n.name === f).lake, (full * (own.get(f) ?? 0)) / length, 0.5, `${f} in phase ${name}`);
      const now = nodes.map((n) => [n.name, n.x, n.y + n.height / 2]);
      places ??= new Map(now.map(([n, ...place]) => [n, place]));
      assert.equal(now.length, places.size);
      now.forEach(([n, x, y]) => {
        near(x, places.get(n)[0], 0.2, `${n} from left to right in phase ${name}`);
        near(y, places.get(n)[1], 0.2, `${n} from top to bottom in phase ${name}`);
      });
    }
  });
  await test('time-lapse: the film goes through all stretches in order, and stops', async () => {
    const page = await bench.show(real, '#lay=river');
    await page.evaluate(() => {
      window.seen = [];
      window.ended = new Promise((done) => new MutationObserver(() => {
        const part = document.documentElement.dataset.state.match(/ph=(\w+)/)?.[1] ?? '';
        if (part !== window.seen.at(-1)) window.seen.push(part);
        if (part === '' && window.seen.length > 2) done(true);
      }).observe(document.documentElement, { attributes: true, attributeFilter: ['data-state'] }));
      const real = window.setInterval;
      window.setInterval = (body) => real(body, 30);
    });
    await page.getByRole('button', { name: 'Play' }).click();
    await page.evaluate(() => window.ended);
    const seen = (await page.evaluate(() => window.seen)).filter((part) => part !== '');
    assert.deepEqual(seen, p.phases.name.map((_, i) => String(i + 1)));
    assert.equal(await page.getByRole('button', { name: 'Play' }).count(), 1);
  });
}
