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
// Many links: their ends in one row each.
export interface Ends {
  from: Int32Array;
  to: Int32Array;
}
type Links = readonly Link[] | Ends;
const isList = (links: Links): links is readonly Link[] => Array.isArray(links);
const endsOf = (links: Links): Ends => (
  isList(links) ?
    { from: Int32Array.from(links, (link) => link.from), to: Int32Array.from(links, (link) => link.to) } :
    links
);

export interface Placed {
  boxes: Map<number, { x: number; y: number; width: number; height: number }>; // x, y: upper left corner
  way: (link: number) => string | undefined; // path data of each link
  width: number;
  height: number;
  fine: boolean;
}

export const MANY = 500; // boxes; more are not laid out by Graphviz
const GAP = 8;
const MARGIN = 16;

// Neighbours of each box, by its place: those of box i stand from start[i] to start[i + 1]. Whole numbers in one row
// each: thousands of functions have a hundred thousand calls.
interface Net {
  start: Int32Array;
  to: Int32Array;
}
interface Sides {
  next: Net;
  before: Net;
}

function netOf(n: number, from: Int32Array, to: Int32Array): Net {
  const start = new Int32Array(n + 1);
  for (const i of from) start[i + 1]!++;
  for (let i = 0; i < n; i++) start[i + 1]! += start[i]!;
  const at = start.slice(0, n);
  const list = new Int32Array(from.length);
  for (let k = 0; k < from.length; k++) list[at[from[k]!]!++] = to[k]!;
  return { start, to: list };
}

// Links between two of the boxes; their ids are small numbers.
function sidesOf(boxes: Box[], ends: Ends): Sides {
  const index = new Int32Array(boxes.reduce((most, box) => Math.max(most, box.id), 0) + 1).fill(-1);
  boxes.forEach((box, i) => (index[box.id] = i));
  const links = ends.from.length;
  const from = new Int32Array(links);
  const to = new Int32Array(links);
  let count = 0;
  for (let i = 0; i < links; i++) {
    const a = index[ends.from[i]!] ?? -1;
    const b = index[ends.to[i]!] ?? -1;
    if (a < 0 || b < 0 || a === b) continue;
    from[count] = a;
    to[count++] = b;
  }
  const [begin, end] = [from.subarray(0, count), to.subarray(0, count)];
  return { next: netOf(boxes.length, begin, end), before: netOf(boxes.length, end, begin) };
}

// The layer of each box: the longest way from a root.
export function layersFor(boxes: Box[], links: readonly Link[]): Map<number, number> {
  const layer = layersOf(sidesOf(boxes, endsOf(links)), boxes.length);
  return new Map(boxes.map((box, i) => [box.id, layer[i]!]));
}

// Layers by the longest way from a root, order by the mean place of the neighbours, as high as it needs.
export function quick(boxes: Box[], links: Links, across: boolean, gap = across ? 56 : 34): Placed {
  const n = boxes.length;
  const ends = endsOf(links);
  const sides = sidesOf(boxes, ends);
  const layer = layersOf(sides, n);
  const layers: number[][] = [];
  for (let i = 0; i < n; i++) (layers[layer[i]!] ??= []).push(i);
  for (let i = 0; i < layers.length; i++) layers[i] ??= [];
  order(layers, sides, n);
  const sizes = Float64Array.from(boxes, (box) => (across ? box.height : box.width));
  const place = settle(layers, sides, sizes, n);
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
      most = Math.max(most, across ? box.width : box.height);
    }
    at += most + gap;
  }
  placed.way = (i) => way(placed, { from: ends.from[i]!, to: ends.to[i]! }, across); // many are never seen
  return placed;
}

// A walk from the roots, then from what no root leads to. Behind it, a link leads back if its end was left later.
function layersOf({ next, before }: Sides, n: number): Int32Array {
  const layer = new Int32Array(n);
  const met = new Uint8Array(n);
  const at = next.start.slice(0, n); // the link that is followed next
  const way = new Int32Array(n);
  const left = new Int32Array(n); // boxes as the walk leaves them
  const turn = new Int32Array(n);
  let done = 0;
  for (const roots of [true, false])
    for (let start = 0; start < n; start++) {
      if (met[start] !== 0 || (roots && before.start[start] !== before.start[start + 1])) continue;
      let depth = 0;
      way[0] = start;
      met[start] = 1;
      while (depth >= 0) {
        const i = way[depth]!;
        if (at[i] === next.start[i + 1]) {
          turn[i] = done;
          left[done++] = i;
          depth--;
          continue;
        }
        const to = next.to[at[i]!++]!;
        if (met[to] !== 0) continue;
        met[to] = 1;
        way[++depth] = to;
      }
    }
  for (let k = n - 1; k >= 0; k--) {
    const i = left[k]!;
    for (let e = next.start[i]!; e < next.start[i + 1]!; e++) {
      const to = next.to[e]!;
      if (turn[to]! < k && layer[to]! <= layer[i]!) layer[to] = layer[i]! + 1;
    }
  }
  return layer;
}

// Of each box of a row: the mean of its neighbours' values; its own without neighbours.
function means(row: number[], { start, to }: Net, values: Float64Array, into: Float64Array): void {
  for (const i of row) {
    const [first, end] = [start[i]!, start[i + 1]!];
    let sum = 0;
    for (let e = first; e < end; e++) sum += values[to[e]!]!;
    into[i] = first === end ? values[i]! : sum / (end - first);
  }
}

function order(layers: number[][], { next, before }: Sides, n: number): void {
  const rank = new Float64Array(n);
  const wish = new Float64Array(n);
  const number = (row: number[]
  ): void => row.forEach((i, at) => (rank[i] = row.length > 1 ? at / (row.length - 1) : 0.5));
  layers.forEach(number);
  const rounds = n > 1000 ? 2 : 6;
  for (let round = 0; round < rounds; round++) {
    const down = round % 2 === 0;
    for (let k = 0; k < layers.length; k++) {
      const row = layers[down ? k : layers.length - 1 - k]!;
      means(row, down ? before : next, rank, wish);
      row.sort((x, y) => wish[x]! - wish[y]!);
      number(row);
    }
  }
}

// Each node at the mean of those before it, then of those behind it, without overlap.
function settle(layers: number[][], { next, before }: Sides, sizes: Float64Array, n: number): Float64Array {
  const place = new Float64Array(n);
  const middle = new Float64Array(n);
  const wish = new Float64Array(n);
  for (const row of layers) {
    let at = 0;
    for (const i of row) {
      place[i] = at;
      middle[i] = at + sizes[i]! / 2;
      at += sizes[i]! + GAP;
    }
  }
  const rounds = n > 1000 ? 2 : 4;
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < layers.length; k++) {
      const row = layers[round % 2 === 0 ? k : layers.length - 1 - k]!;
      means(row, round % 2 === 0 ? before : next, middle, wish);
      spread(row, wish, place, sizes);
      for (const i of row) middle[i] = place[i]! + sizes[i]! / 2;
    }
  }
  const least = n === 0 ? 0 : place.reduce((a, b) => Math.min(a, b));
  for (let i = 0; i < n; i++) place[i]! -= least;
  return place;
}

// The nearest places to the wishes for the middles that keep the order (pool adjacent violators).
function spread(row: number[], wish: Float64Array, place: Float64Array, sizes: Float64Array): void {
  const offsets = new Float64Array(row.length);
  const sum = new Float64Array(row.length); // of each pool
  const first = new Int32Array(row.length + 1);
  let pools = 0;
  let offset = 0;
  row.forEach((i, at) => {
    offsets[at] = offset;
    sum[pools] = wish[i]! - sizes[i]! / 2 - offset;
    first[pools++] = at;
    offset += sizes[i]! + GAP;
    for (let b = pools - 1; b > 0; b--) {
      const a = b - 1;
      if (sum[a]! / (first[b]! - first[a]!) <= sum[b]! / (at + 1 - first[b]!)) break;
      sum[a]! += sum[b]!;
      pools--;
    }
  });
  first[pools] = row.length;
  for (let p = 0; p < pools; p++)
    for (let k = first[p]!; k < first[p + 1]!; k++)
      place[row[k]!] = sum[p]! / (first[p + 1]! - first[p]!) + offsets[k]!;
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
export function toDot(boxes: Box[], links: readonly Link[], across: boolean): string {
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

export function fromDot(output: DotOutput, links: readonly Link[]): Placed | undefined {
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
  private waiting = new Map<number, { links: readonly Link[]; done: (placed: Placed) => void }>();
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
  place(view: string, boxes: Box[], links: Links, across: boolean, better: (placed: Placed) => void): Placed {
    this.turn++;
    this.wanted.set(view, this.turn);
    if (boxes.length > MANY || !isList(links)) return quick(boxes, links, across);
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
