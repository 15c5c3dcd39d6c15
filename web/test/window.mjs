// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What depends on the window: narrow ones, high ones, the address bar.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { go, settled, stateOf } from './bench.mjs';
import { documentOf, showcase } from './documents.mjs';

export async function windowTests({ test, bench, real, hot, pictures }) {
  await test('a narrow window of 420 pixels: all tabs, one row of controls, names before numbers', async () => {
    const page = await bench.show(real, '', { size: { width: 420, height: 800 } });
    for (const view of ['river&lay=river', 'functions', 'code', 'paths', 'flame', 'timeline']) {
      await go(page, `#view=${view}&f=${encodeURIComponent(hot)}`);
      for (const box of await page.$$eval('.tabs button', (list) => list.map((tab) => tab.getBoundingClientRect().toJSON())))
        assert.ok(box.left >= 0 && box.right <= 420, `${view}: a tab from ${box.left} to ${box.right}`);
      assert.ok((await page.locator('.stage .controls').boundingBox()).height < 50, `${view}: the controls`);
    }
    const columns = (grid) => page.locator(grid).first().locator('.grid-head > div').evaluateAll((list) => list.map((c) => c.textContent.trim()));
    await go(page, '#view=paths&scope=all');
    assert.deepEqual((await columns('.stage .grid')).slice(0, 2), ['Function', 'Share']);
    await go(page, '#view=functions');
    const name = page.locator('.grid:not([hidden]) .grid-row [data-column="name"]').first();
    const before = await name.boundingBox();
    await page.locator('.stage .grid:not([hidden])').evaluate((grid) => grid.scrollTo(200, 0));
    await page.waitForFunction(() => document.querySelector('.stage .grid:not([hidden])').style.getPropertyValue('--pushed') === '200px');
    assert.deepEqual(await name.boundingBox(), before, 'names stay in sight');
    await page.setViewportSize({ width: 360, height: 800 }); // the last tab is out of sight: it is brought there
    await go(page, '#view=timeline');
    const tab = await page.getByRole('tab', { selected: true }).boundingBox();
    assert.ok(tab.x >= 0 && tab.x + tab.width <= 360, JSON.stringify(tab));
  });
  await test('1440 pixels beside the open panel: no name and no instruction is cut', async () => {
    const page = await bench.show(real, '');
    for (const [view, cells] of [['functions', '[data-column="name"]'], ['paths&scope=all', '[data-column="name"]'], ['code', '.split > .grid:last-child [data-column="text"]']]) {
      await go(page, `#view=${view}&f=${encodeURIComponent(hot)}`);
      assert.ok(await page.locator('.detail').isVisible());
      const seen = await page.$$eval(`.stage ${cells}`, (list) => list.map((c) => {
        const grid = c.closest('.grid').getBoundingClientRect();
        return [c.textContent, c.scrollWidth <= c.clientWidth && c.getBoundingClientRect().right <= grid.right];
      }));
      assert.ok(seen.length > 5, `${view}: ${seen.length}`);
      assert.deepEqual(seen.filter(([, whole]) => !whole), [], view);
    }
  });
  await test('what the wheel zooms stands in the address bar a moment later, and before the next step', async () => {
    const page = await bench.show(real, '#view=timeline');
    const box = await page.locator('.timeline').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 30);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(() => document.documentElement.dataset.state.includes('tz='));
    await page.keyboard.up('Control');
    const zoomed = await stateOf(page);
    await page.waitForFunction((wanted) => location.hash === wanted, zoomed);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.waitForFunction((old) => document.documentElement.dataset.state !== old, zoomed);
    await page.keyboard.up('Control');
    const [before, now] = await page.evaluate(() => {
      const seen = document.documentElement.dataset.state;
      document.querySelector('.tabs [data-view="functions"]').click(); // a step, while the zoom may not be in the bar yet
      return [seen, location.hash];
    });
    assert.notEqual(now, before);
    assert.equal(now, await stateOf(page));
    await page.goBack();
    await page.waitForFunction((wanted) => document.documentElement.dataset.state === wanted, before);
  });
  await test('the river is as high as there is room', async () => {
    const heights = [];
    for (const height of [500, 900]) {
      const page = await bench.show(bench.file(documentOf(showcase())), '#t=0&lay=river', { size: { width: 1440, height } });
      heights.push(await page.$eval('.node', (node) => node.getBoundingClientRect().height)); // of all time
    }
    assert.ok(heights[1] > 1.2 * heights[0], heights.join());
  });
  await test('a narrow window: nothing hangs over, every view can be used', async () => {
    const page = await bench.show(real, '', { size: { width: 360, height: 700 } });
    for (const view of ['river&lay=river', 'functions', 'code', 'paths', 'flame', 'timeline']) {
      await go(page, `#view=${view}&f=${encodeURIComponent(hot)}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, view);
      const box = await page.locator('.stage').boundingBox();
      assert.ok(box.height > 200, `${view}: ${box.height} pixels high`);
      if (pictures) await page.screenshot({ path: join(pictures, `${view.split('&')[0]}-narrow.png`) });
    }
    await go(page, `#view=river&f=${encodeURIComponent(hot)}`);
    await settled(page);
    await page.locator('.node.selected').click(); // it was brought into sight
    assert.equal(await page.locator('.detail h2').textContent(), hot);
  });
}
