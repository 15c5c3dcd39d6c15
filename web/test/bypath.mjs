// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The flame graph by path: every width is a time that the document has.
import assert from 'node:assert/strict';
import { settled, stateOf } from './bench.mjs';

export async function byPathTests({ test, bench, real, p, bars, near }) {
  await test('flame graph by path: function, region, path, as wide as their times', async () => {
    const page = await bench.show(real, '#view=flame&mode=paths', { size: { width: 3000, height: 1400 } });
    await settled(page);
    const drawn = await bars(page);
    const whole = drawn.filter((b) => b.y === 0).reduce((sum, b) => sum + b.width, 0);
    const { functions, regions, region_paths } = p;
    const all = functions.self.reduce((a, b) => a + b, 0);
    const inside = (a, b) => b.y === a.y + 20 && b.x >= a.x - 0.01 && b.x + b.width <= a.x + a.width + 0.01;
    const check = (bar, cycles) => near(bar.width / whole, cycles / all, 0.001, bar.name);
    let [seenRegions, seenPaths] = [0, 0];
    const below = (bar, parent) => {
      const nested = regions.parent.flatMap((r, i) => (r === parent ? [i] : []));
      const times = nested.map((r) => regions.cycles[r]);
      const ways = region_paths.region.flatMap((r, i) => (r === parent ? [i] : []));
      const children = drawn.filter((b) => inside(bar, b));
      for (const child of children) {
        // what it says of itself is a region's time or a path's, exactly
        const said = Number(child.text.split('\n')[1].match(/^[\d,]+/)[0].replaceAll(',', ''));
        const region = nested.find((r) => regions.cycles[r] === said && child.name.startsWith(regions.name[r]));
        if (region !== undefined) below(child, region);
        else assert.ok(ways.some((i) => region_paths.cycles[i] === said), `${child.name}: ${said}`);
        seenRegions += region !== undefined;
        seenPaths += region === undefined;
        check(child, said);
      }
      const least = (0.6 * all) / whole;
      const wanted = [...times, ...ways.map((i) => region_paths.cycles[i])].filter((cycles) => cycles > least);
      assert.ok(children.length >= wanted.length, `${bar.name}: ${children.length} frames, ${wanted.length} regions and paths`);
    };
    const hot = functions.self.map((self, f) => [self, f]).sort((a, b) => b[0] - a[0]).slice(0, 8);
    for (const [self, f] of hot) {
      const bar = drawn.find((b) => b.y === 0 && b.name === functions.name[f]);
      check(bar, self);
      below(bar, regions.function.findIndex((own, r) => own === f && regions.parent[r] < 0));
    }
    assert.ok(seenRegions >= 3 && seenPaths >= 10, `${seenRegions} regions, ${seenPaths} paths`);
  });
  await test('flame graph by path: a path that is chosen is the one of the other views, by mouse and by keys', async () => {
    const page = await bench.show(real, '#view=flame&mode=paths');
    await page.locator('.flame').focus();
    const states = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
      await page.keyboard.press(key);
      states.push(await stateOf(page));
    }
    const [, way] = states.join(' ').match(/rp=(\d+)/) ?? [];
    assert.ok(way !== undefined, states.join(' '));
    const fn = p.regions.function[p.region_paths.region[way]];
    assert.equal(await page.locator('.detail h2').textContent(), p.functions.name[fn]);
    await page.getByRole('tab', { name: 'Paths' }).click();
    assert.equal(await page.locator('.region-path.selected').count(), 1);
  });
}
