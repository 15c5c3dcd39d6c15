// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What the page has drawn, read back.
import assert from 'node:assert/strict';
import { settled } from './bench.mjs';

// All of them: what is out of sight is not drawn.
export const nodes = async (page) => {
  await page.getByRole('button', { name: 'Show all' }).click();
  await settled(page);
  return page.$$eval('.node', (list) => list.map((n) => n.getAttribute('data-name')));
};
export const marks = (page) => page.$$eval('.node', (list) => Object.fromEntries(list.map((n) => [n.getAttribute('data-name'), n.querySelector('.mark')?.getAttribute('data-state') ?? 'none'])));
export const widths = (page) => page.$$eval('.arc', (list) => Object.fromEntries(list.map((a) => [`${a.dataset.from} ${a.dataset.to}`, parseFloat(getComputedStyle(a).strokeWidth || a.getAttribute('stroke-width'))])));
// A ribbon of the river, as drawn: where its left and its right end begin and end.
export const ribbons = (page) =>
  page.$$eval('.arc', (list) =>
    list.map((a) => {
      const [upper, lower] = a.getAttribute('d').split('L').map((half) => half.match(/-?[\d.]+/g).map(Number));
      return { from: a.dataset.from, to: a.dataset.to, left: [upper[1], lower.at(-1)], right: [upper.at(-1), lower[1]] };
    }));
// What flame graph and timeline have drawn on their canvases: names, places and widths in pixels.
export const bars = (page, part = '') => page.$$eval(`.stage canvas.bar-canvas${part}`, (list) => list.flatMap((c) => c.bars().map((b) => ({ ...b, part: c.dataset.part }))));
// The pixels of a canvas, by row of bars: whether each column has something drawn in it.
export const inked = (page, row) =>
  page.$eval('.stage canvas.bar-canvas', (canvas, y) => {
    const scale = canvas.width / parseFloat(canvas.style.width);
    const data = canvas.getContext('2d').getImageData(0, Math.round(y * scale), canvas.width, 1).data;
    return Array.from({ length: canvas.width }, (_, x) => data[4 * x + 3] > 0);
  }, 20 * row + 17);
// How high all time is in the river.
export const fullOf = (page) => page.$eval('svg.river', (svg) => Number(svg.dataset.full));
export const near = (a, b, by, text) => assert.ok(Math.abs(a - b) <= by, `${text}: ${a} is not ${b}`);

// What comes into each function, what goes out and what stays, as drawn; with the ends of the arcs at the boxes.
export const balance = async (page) => {
  const nodes = new Map(await page.$$eval('.node', (list) => list.map((n) => [n.dataset.name, { name: n.dataset.name, into: 0, out: 0, lake: Number(n.querySelector('.lake')?.dataset.size ?? 0), calls: 0, inside: true, x: n.transform.baseVal[0].matrix.e, y: n.transform.baseVal[0].matrix.f, height: n.querySelector('rect').height.baseVal.value, right: n.querySelector('.right')?.textContent }])));
  for (const { from, to, left, right } of await ribbons(page)) {
    for (const [name, [top, bottom]] of [[from, left], [to, right]]) {
      const node = nodes.get(name);
      if (top < node.y - 0.1 || bottom > node.y + node.height + 0.1) node.inside = false;
    }
    nodes.get(from).out += left[1] - left[0];
    nodes.get(to).into += right[1] - right[0];
    nodes.get(to).calls++;
  }
  return [...nodes.values()];
};

// ---- functions and their detail: FIG. 8, 10, 11, tables I to III ----

export const rows = (page) => page.$$eval('.stage .grid:not([hidden]) .grid-row', (list) => list.sort((a, b) => a.dataset.index - b.dataset.index).map((r) => Object.fromEntries([...r.children].map((c) => [c.dataset.column, c.textContent]))));
export const neighbours = (page, which) => page.$$eval(`table.${which} tbody tr`, (list) => list.map((r) => [...r.children].map((c) => c.textContent)));
