// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The bed of the river: where arcs leave and reach their boxes side by side, so that widths add up at both ends.
import type { Flow } from './flow.ts';
import type { Graph } from './graph.ts';
import { Box, layersFor, Link, Placed, quick } from './layout.ts';
import type { Shown } from './prune.ts';

const GAP = 96; // between two layers: room for wide arcs to bend in
const LEAST_GAP = 40; // where it would be too wide for the canvas
const FULL = 280; // pixels of all time
const LEAST_FULL = 120; // on a canvas that is not as tall
const MOST_FULL = 480; // on one that is taller than the river

export interface Bed {
  placed: Placed;
  full: number; // pixels of all time
  widths: Float64Array; // by place in shown.arcs
  lakes: Map<number, { y: number; size: number }>; // below the box's upper edge
}

interface Passing {
  boxes: Box[];
  links: Link[];
  through: number[][]; // of each arc: the places that it passes
}

// An arc over several layers has a place in each, so that it runs beside boxes and not behind them. The ids of places
// begin at dummy.
function passing(boxes: Box[], links: Link[], widths: Float64Array, dummy: number): Passing {
  const layer = layersFor(boxes, links);
  const made: Passing = { boxes: [...boxes], links: [], through: links.map(() => []) };
  links.forEach((link, i) => {
    let from = link.from;
    const last = layer.get(link.to)!;
    for (let k = layer.get(link.from)! + 1; k < last && link.from !== link.to; k++) {
      const id = dummy + made.boxes.length;
      made.boxes.push({ id, width: 0, height: Math.max(1, widths[i]!) });
      made.links.push({ from, to: id });
      made.through[i]!.push(id);
      from = id;
    }
    made.links.push({ from, to: link.to });
  });
  return made;
}

type Port = { arc: number; y: number };

// Middles of the arcs at one side of a box, in the order of where they lead; and where they end.
function ports(
  arcs: number[], top: number, widths: Float64Array, order: (arc: number) => number, put: (port: Port) => void
): number {
  let y = top;
  for (const arc of [...arcs].sort((a, b) => order(a) - order(b) || a - b)) {
    put({ arc, y: y + widths[arc]! / 2 });
    y += widths[arc]!;
  }
  return y;
}

const f = (value: number): string => value.toFixed(2);
function curve(points: [number, number][]): string {
  let way = `M${f(points[0]![0])} ${f(points[0]![1])}`;
  for (let i = 1; i < points.length; i++) {
    const [[x0, y0], [x1, y1]] = [points[i - 1]!, points[i]!];
    const bend = Math.max(18, (x1 - x0) / 2);
    way += `C${f(x0 + bend)} ${f(y0)} ${f(x1 - bend)} ${f(y1)} ${f(x1)} ${f(y1)}`;
  }
  return way;
}
// A way as wide as its time at every place: the upper edge there, the lower one back.
function ribbon(points: [number, number][], width: number): string {
  const last = points.length - 1;
  const half = width / 2;
  let way = curve(points.map(([x, y]) => [x, y - half]));
  way += `L${f(points[last]![0])} ${f(points[last]![1] + half)}`;
  for (let i = last; i > 0; i--) {
    const [[x0, y0], [x1, y1]] = [points[i - 1]!, points[i]!];
    const bend = Math.max(18, (x1 - x0) / 2);
    way += `C${f(x1 - bend)} ${f(y1 + half)} ${f(x0 + bend)} ${f(y0 + half)} ${f(x0)} ${f(y0 + half)}`;
  }
  return `${way}Z`;
}
function around(x0: number, y0: number, x1: number, y1: number, low: number): string {
  return `M${f(x0)} ${f(y0)}C${f(x0 + 46)} ${f(y0)} ${f(x0 + 46)} ${f(low)} ${f((x0 + x1) / 2)} ${f(low)}S${
    f(x1 - 46)} ${f(y1)} ${f(x1)} ${f(y1)}`;
}

export interface Size {
  all: number; // all time
  width: (f: number) => number; // of a box
  least: number; // height of a box
  canvas: { width: number; height: number }; // that it should fit into
  // Of several pictures with the same places: the most that comes into a function, and the most of each arc; shares.
  most?: { into: Float64Array; arcs: Float64Array } | undefined;
}

// As high as there is room: what lies beside each other in the widest layer decides how much that is.
export function bedOf(graph: Graph, shown: Shown, flow: Flow, size: Size): Bed {
  const { height } = size.canvas;
  const full = Math.max(LEAST_FULL, Math.min(FULL, Math.floor(0.8 * height)));
  const bed = bedAt(full, graph, shown, flow, size);
  const higher = Math.min(MOST_FULL, Math.floor((0.88 * full * height) / bed.placed.height));
  return higher > 1.1 * full ? bedAt(higher, graph, shown, flow, size) : bed;
}

function bedAt(
  full: number, graph: Graph, shown: Shown, flow: Flow, { all, width, least, canvas, most }: Size
): Bed {
  const scale = full / Math.max(1e-300, all);
  const widths = flow.arcs.map((time) => time * scale);
  const tall = (id: number): number => (most === undefined ? flow.into[id]! * scale : most.into[id]! * full);
  const boxes = shown.nodes.map((id) => ({ id, width: width(id), height: Math.max(least, tall(id)) }));
  const links = shown.arcs.map((at) => ({ from: graph.arcs[at]!.from, to: graph.arcs[at]!.to }));
  const made = passing(boxes, links, most === undefined ? widths : most.arcs.map((share) => share * full), graph.count);
  let placed = quick(made.boxes, made.links, true, GAP);
  const layers = Math.max(1, ...layersFor(made.boxes, made.links).values());
  const gap = Math.max(LEAST_GAP, Math.floor(GAP - (placed.width - canvas.width) / layers));
  if (gap < GAP) placed = quick(made.boxes, made.links, true, gap);
  for (const id of shown.nodes) { // what is kept for other pictures is not drawn
    const box = placed.boxes.get(id)!;
    const height = Math.max(least, flow.into[id]! * scale);
    box.y += (box.height - height) / 2;
    box.height = height;
  }
  const middle = (id: number): number => placed.boxes.get(id)!.y + placed.boxes.get(id)!.height / 2;
  const out = new Map<number, number[]>();
  const into = new Map<number, number[]>();
  links.forEach((link, i) => {
    if (link.from === link.to) return;
    out.set(link.from, [...(out.get(link.from) ?? []), i]);
    into.set(link.to, [...(into.get(link.to) ?? []), i]);
  });
  const begins = new Float64Array(links.length);
  const ends = new Float64Array(links.length);
  const lakes: Bed['lakes'] = new Map();
  for (const id of shown.nodes) {
    const box = placed.boxes.get(id)!;
    const top = box.y + (box.height - flow.into[id]! * scale) / 2;
    const towards = (arc: number): number => middle(made.through[arc]![0] ?? links[arc]!.to);
    const from = (arc: number): number => middle(made.through[arc]!.at(-1) ?? links[arc]!.from);
    const bottom = ports(out.get(id) ?? [], top, widths, towards, ({ arc, y }) => (begins[arc] = y));
    ports(into.get(id) ?? [], top, widths, from, ({ arc, y }) => (ends[arc] = y));
    lakes.set(id, { y: bottom - box.y, size: flow.lake[id]! * scale });
  }
  placed.way = (i) => {
    const [a, b] = [placed.boxes.get(links[i]!.from), placed.boxes.get(links[i]!.to)];
    if (a === undefined || b === undefined || widths[i] === 0) return undefined;
    const [x0, y0, x1, y1] = [a.x + a.width, begins[i]!, b.x, ends[i]!];
    if (x1 <= x0) return around(x0, y0, x1, y1, Math.max(a.y + a.height, b.y + b.height) + 12 + widths[i]! / 2);
    const places = made.through[i]!.map((id): [number, number] => [placed.boxes.get(id)!.x, middle(id)]);
    return ribbon([[x0, y0], ...places, [x1, y1]], widths[i]!);
  };
  placed.fine = true;
  return { placed, full, widths, lakes };
}
