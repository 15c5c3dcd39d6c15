// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Where nodes stand. A quick layout of our own is there at once; Graphviz (compiled for the browser, in a worker) draws
// better ways, and takes its place a moment later.
import { unzip } from './unpack.ts';

export interface Box {
  id: number;
  width: number;
  height: number;
}
export interface Link {
  from: number; // ids of boxes
  to: number;
}
export interface Placed {
  boxes: Map<number, { x: number; y: number; width: number; height: number }>; // x, y: upper left corner
  way: (link: number) => string | undefined; // path data of each link
  width: number;
  height: number;
  fine: boolean;
}

const GAP = 8;
const MARGIN = 16;

// The layer of each box: the longest way from a root.
export function layersFor(boxes: Box[], links: Link[]): Map<number, number> {
  const index = new Map(boxes.map((box, i) => [box.id, i]));
  const next: number[][] = boxes.map(() => []);
  const before: number[][] = boxes.map(() => []);
  for (const link of links) {
    const [a, b] = [index.get(link.from), index.get(link.to)];
    if (a === undefined || b === undefined || a === b) continue;
    next[a]!.push(b);
    before[b]!.push(a);
  }
  const layer = layersOf(next, before, boxes.length);
  return new Map(boxes.map((box, i) => [box.id, layer[i]!]));
}

// Layers by the longest way from a root, order by the mean place of the neighbours, as high as it needs.
export function quick(boxes: Box[], links: Link[], across: boolean, gap = across ? 56 : 34): Placed {
  const index = new Map(boxes.map((box, i) => [box.id, i]));
  const n = boxes.length;
  const next: number[][] = Array.from({ length: n }, () => []);
  const before: number[][] = Array.from({ length: n }, () => []);
  for (const link of links) {
    const a = index.get(link.from);
    const b = index.get(link.to);
    if (a === undefined || b === undefined || a === b) continue;
    next[a]!.push(b);
    before[b]!.push(a);
  }
  const layer = layersOf(next, before, n);
  const layers: number[][] = [];
  for (let i = 0; i < n; i++) (layers[layer[i]!] ??= []).push(i);
  for (let i = 0; i < layers.length; i++) layers[i] ??= [];
  order(layers, layer, next, before);
  const size = (i: number): number => (across ? boxes[i]!.height : boxes[i]!.width);
  const along = (i: number): number => (across ? boxes[i]!.width : boxes[i]!.height);
  const place = settle(layers, before, next, size, n);
  const placed: Placed = { boxes: new Map(), way: () => undefined, width: 0, height: 0, fine: false };
  let at = MARGIN;
  for (const row of layers) {
    let most = 0;
    for (const i of row) {
      const box = boxes[i]!;
      const x = across ? at : place[i]! + MARGIN;
      const y = across ? place[i]! + MARGIN : at;
      placed.boxes.set(box.id, { x, y, width: box.width, height: box.height });
      placed.width = Math.max(placed.width, x + box.width + MARGIN);
      placed.height = Math.max(placed.height, y + box.height + MARGIN);
      most = Math.max(most, along(i));
    }
    at += most + gap;
  }
  placed.way = (i) => way(placed, links[i]!, across); // many are never seen
  return placed;
}

function layersOf(next: number[][], before: number[][], n: number): Int32Array {
  const layer = new Int32Array(n);
  const state = new Uint8Array(n); // 1: on the way, 2: done
  const order: number[] = [];
  const back = new Set<number>();
  const starts = [
    ...Array.from({ length: n }, (_, i) => i).filter((i) => before[i]!.length === 0),
    ...Array.from({ length: n }, (_, i) => i)
  ];
  for (const start of starts) {
    if (state[start] !== 0) continue;
    const way: [number, number][] = [[start, 0]];
    state[start] = 1;
    while (way.length > 0) {
      const top = way[way.length - 1]!;
      const [i, k] = top;
      if (k === next[i]!.length) {
        state[i] = 2;
        order.push(i);
        way.pop();
        continue;
      }
      top[1]++;
      const to = next[i]![k]!;
      if (state[to] === 1) back.add(i * n + to);
      else if (state[to] === 0) {
        state[to] = 1;
        way.push([to, 0]);
      }
    }
  }
  for (const i of order.reverse())
    for (const to of next[i]!)
      if (!back.has(i * n + to)) layer[to] = Math.max(layer[to]!, layer[i]! + 1);
  return layer;
}

// Mean of the neighbours' values; own without neighbours.
function mean(near: number[], values: Float64Array, own: number): number {
  if (near.length === 0) return own;
  let sum = 0;
  for (const to of near) sum += values[to]!;
  return sum / near.length;
}

function order(layers: number[][], layer: Int32Array, next: number[][], before: number[][]): void {
  const rank = new Float64Array(layer.length);
  const wish = new Float64Array(layer.length);
  const number = (row: number[]
  ): void => row.forEach((i, at) => (rank[i] = row.length > 1 ? at / (row.length - 1) : 0.5));
  layers.forEach(number);
  const rounds = layer.length > 1000 ? 2 : 6;
  for (let round = 0; round < rounds; round++) {
    const down = round % 2 === 0;
    for (let k = 0; k < layers.length; k++) {
      const row = layers[down ? k : layers.length - 1 - k]!;
      for (const i of row) wish[i] = mean(down ? before[i]! : next[i]!, rank, rank[i]!);
      row.sort((x, y) => wish[x]! - wish[y]!);
      number(row);
    }
  }
}

// Each node at the mean of those before it, then of those behind it, without overlap.
function settle(layers: number[][], before: number[][], next: number[][], size: (i: number) => number, n: number):
  Float64Array {
  const place = new Float64Array(n);
  const middle = new Float64Array(n);
  for (const row of layers) {
    let at = 0;
    for (const i of row) {
      place[i] = at;
      middle[i] = at + size(i) / 2;
      at += size(i) + GAP;
    }
  }
  const rounds = n > 1000 ? 2 : 4;
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < layers.length; k++) {
      const row = layers[round % 2 === 0 ? k : layers.length - 1 - k]!;
      const near = round % 2 === 0 ? before : next;
      spread(row, row.map((i) => mean(near[i]!, middle, middle[i]!) - size(i) / 2), place, size);
      for (const i of row) middle[i] = place[i]! + size(i) / 2;
    }
  }
  const least = n === 0 ? 0 : place.reduce((a, b) => Math.min(a, b));
  for (let i = 0; i < n; i++) place[i]! -= least;
  return place;
}

// The nearest places to the wishes that keep the order (pool adjacent violators).
function spread(row: number[], wish: number[], place: Float64Array, size: (i: number) => number): void {
  const pools: { sum: number; count: number; first: number }[] = [];
  let offset = 0;
  const offsets: number[] = [];
  row.forEach((i, at) => {
    offsets.push(offset);
    pools.push({ sum: wish[at]! - offset, count: 1, first: at });
    offset += size(i) + GAP;
    while (pools.length > 1) {
      const b = pools[pools.length - 1]!;
      const a = pools[pools.length - 2]!;
      if (a.sum / a.count <= b.sum / b.count) break;
      pools.pop();
      a.sum += b.sum;
      a.count += b.count;
    }
  });
  for (const pool of pools)
    for (let k = pool.first; k < pool.first + pool.count; k++) place[row[k]!] = pool.sum / pool.count + offsets[k]!;
}

// A smooth way from the end of one box to the beginning of the other; back around if that lies before it.
function way(placed: Placed, link: Link, across: boolean): string | undefined {
  const a = placed.boxes.get(link.from);
  const b = placed.boxes.get(link.to);
  if (a === undefined || b === undefined) return undefined;
  const f = (value: number): string => value.toFixed(1);
  const p = (x: number, y: number): string => (across ? `${f(x)} ${f(y)}` : `${f(y)} ${f(x)}`);
  const [ax, ay, aw, ah] = across ? [a.x, a.y, a.width, a.height] : [a.y, a.x, a.height, a.width];
  const [bx, by, , bh] = across ? [b.x, b.y, b.width, b.height] : [b.y, b.x, b.height, b.width];
  const x1 = ax + aw;
  const y1 = ay + ah / 2;
  const y2 = by + bh / 2;
  if (link.from === link.to)
    return `M${p(x1, y1)}C${p(x1 + 24, y1)} ${p(x1 + 24, ay - 22)} ${p(ax + aw / 2, ay - 22)}S${p(ax - 24, y2)} ${
      p(ax, y2)}`;
  if (bx > x1) {
    const bend = Math.max(20, (bx - x1) / 2);
    return `M${p(x1, y1)}C${p(x1 + bend, y1)} ${p(bx - bend, y2)} ${p(bx, y2)}`;
  }
  const low = Math.max(ay + ah, by + bh) + 16;
  return `M${p(x1, y1)}C${p(x1 + 40, y1)} ${p(x1 + 40, low)} ${p((x1 + bx) / 2, low)}S${p(bx - 40, y2)} ${p(bx, y2)}`;
}

// ---- Graphviz ----

// Point after point, for the worker; inches are pixels / 72.
export function toDot(boxes: Box[], links: Link[], across: boolean): string {
  const inch = (pixels: number): string => (pixels / 72).toFixed(4);
  const lines = [
    'digraph {',
    `graph [rankdir=${across ? 'LR' : 'TB'} nodesep=${inch(across ? (boxes.length <= 60 ? 18 : 9) : 16)} ranksep=${
      inch(across ? (boxes.length <= 60 ? 64 : 52) : 30)} splines=${links.length > 1500 ? 'line' : 'true'}]`
  ];
  lines.push('node [shape=box fixedsize=true label=""]', 'edge [arrowhead=none]');
  for (const box of boxes) lines.push(`${box.id} [width=${inch(box.width)} height=${inch(box.height)}]`);
  const [out, into] = across ? ['e', 'w'] : ['s', 'n'];
  links.forEach(
    (link, i) => lines.push(
      `${link.from} -> ${link.to} [id=e${i}${link.from === link.to ? '' : ` tailport=${out} headport=${into}`}]`
    )
  );
  return `${lines.join('\n')}\n}`;
}

interface DotOutput {
  bb?: string;
  objects?: { name: string; pos?: string; width?: string; height?: string }[];
  edges?: { id?: string; pos?: string }[];
}

export function fromDot(output: DotOutput, links: Link[]): Placed | undefined {
  const bounds = (output.bb ?? '').split(',').map(Number);
  const height = bounds[3];
  if (height === undefined || bounds.some((value) => !Number.isFinite(value))) return undefined;
  const ways: (string | undefined)[] = links.map(() => undefined);
  const placed: Placed = {
    boxes: new Map(),
    way: (i) => ways[i],
    width: bounds[2]! + 2 * MARGIN,
    height: height + 2 * MARGIN,
    fine: true
  };
  const x = (value: number): number => value + MARGIN;
  const y = (value: number): number => height - value + MARGIN;
  for (const object of output.objects ?? []) {
    const [cx, cy] = (object.pos ?? '').split(',').map(Number);
    const w = 72 * Number(object.width);
    const tall = 72 * Number(object.height);
    if (cx === undefined || cy === undefined) return undefined;
    placed.boxes.set(Number(object.name), { x: x(cx) - w / 2, y: y(cy) - tall / 2, width: w, height: tall });
  }
  for (const edge of output.edges ?? []) {
    const number = Number((edge.id ?? '').slice(1));
    const points = (edge.pos ?? '')
                     .split(' ')
                     .filter((part) => !part.startsWith('e') && !part.startsWith('s'))
                     .map((part) => part.split(',').map(Number) as [number, number]);
    if (points.length < 4) continue;
    const text = points.map(([px, py]) => `${x(px).toFixed(1)} ${y(py).toFixed(1)}`);
    ways[number] = `M${text[0]}C${text.slice(1).join(' ')}`;
  }
  return placed;
}

// One worker for all; of several requests of a view the last one counts.
export class Layouter {
  private waiting = new Map<number, { links: Link[]; done: (placed: Placed) => void }>();
  private begun: Promise<Worker | undefined> | undefined;
  private turn = 0;
  private kept = new Map<string, Placed>();

  // When it is needed: most views of most pages need none.
  private begin(): Promise<Worker | undefined> {
    return (this.begun ??= this.start().catch(() => undefined)); // without it the quick layout stays
  }
  private async start(): Promise<Worker | undefined> {
    const source = document.getElementById('layout-worker')?.textContent?.trim() ?? '';
    if (source === '') return undefined;
    const address = URL.createObjectURL(new Blob([await unzip(source)], { type: 'text/javascript' }));
    const worker = new Worker(address);
    worker.onmessage = (event: MessageEvent<{ turn: number; output?: DotOutput }>) => this.answer(event.data);
    worker.onerror = () => {
      this.begun = Promise.resolve(undefined);
      this.waiting.clear();
      this.tell();
    };
    return worker;
  }

  // How many better layouts are on their way: who takes a picture of the page waits for none.
  private tell(): void {
    document.documentElement.dataset['layouts'] = String(this.waiting.size);
  }

  private answer(data: { turn: number; output?: DotOutput }): void {
    const request = this.waiting.get(data.turn);
    const placed = request === undefined || data.output === undefined ? undefined : fromDot(data.output, request.links);
    if (placed !== undefined) request?.done(placed);
    this.waiting.delete(data.turn);
    this.tell();
  }

  // What is known at once; better() comes later, if it comes.
  place(view: string, boxes: Box[], links: Link[], across: boolean, better: (placed: Placed) => void): Placed {
    this.turn++;
    this.wanted.set(view, this.turn);
    if (boxes.length > 500) return quick(boxes, links, across);
    const dot = toDot(boxes, links, across);
    const kept = this.kept.get(dot);
    if (kept !== undefined) return kept;
    const first = quick(boxes, links, across);
    const turn = this.turn;
    this.waiting.set(turn, {
      links,
      done: (placed) => {
        if (this.kept.size > 40) this.kept.clear();
        this.kept.set(dot, placed);
        if (this.wanted.get(view) === turn) better(placed);
      },
    });
    this.tell();
    void this.begin().then((worker) => {
      if (worker !== undefined) return worker.postMessage({ turn, dot });
      this.waiting.delete(turn);
      this.tell();
    });
    return first;
  }
  private wanted = new Map<string, number>();
  // What is on its way for the view is not wanted any more.
  forget(view: string): void {
    this.wanted.set(view, ++this.turn);
  }
}
