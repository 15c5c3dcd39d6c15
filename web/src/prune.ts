// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Which functions the river shows (QTY II B, FIG. 13).
import type { Graph } from './graph.ts';

// Values of the time filter in per cent: 0 to 20, in steps of 0.1 below 2.
export const steps: number[] = [];
for (let i = 0; i < 20; i++) steps.push(i / 10);
for (let i = 2; i <= 20; i++) steps.push(i);
export const WANTED = 30;

const CLOSE = 1e-9; // shares are quotients: 2% may be 2.0000000000000004%

export function roundUp(percent: number): number {
  for (const step of steps) if (step >= percent - CLOSE) return step;
  return steps[steps.length - 1]!;
}

// The step nearest to a value that was typed.
export function clampFilter(percent: number): number {
  return Number.isFinite(percent) ? Math.min(20, Math.max(0, Math.round(percent * 100) / 100)) : 0;
}

export function stepFrom(percent: number, by: number): number {
  if (by > 0) return steps.find((step) => step > percent + CLOSE) ?? steps[steps.length - 1]!;
  return [...steps].reverse().find((step) => step < percent - CLOSE) ?? 0;
}

// FIG. 13: the self + descendants time of the n-th function, rounded up to the next step.
export function initialFilter(totals: ArrayLike<number>, all: number, n: number = WANTED): number {
  if (totals.length < n || all <= 0) return 0;
  const sorted = Float64Array.from(totals).sort();
  return roundUp((100 * sorted[sorted.length - n]!) / all);
}

export function passes(total: number, all: number, percent: number): boolean {
  return all > 0 ? (100 * total) / all >= percent - CLOSE : percent <= 0;
}

// How much of what is below it a node shows.
export const Detail = { collapsed: 1, filtered: 2, all: 3 } as const;
export type Detail = (typeof Detail)[keyof typeof Detail];

export function stepDetail(detail: Detail, by: number): Detail {
  return Math.min(Detail.all, Math.max(Detail.collapsed, detail + by)) as Detail;
}

export interface Shown {
  nodes: number[]; // functions, by time
  arcs: number[]; // indexes in graph.arcs
  has: Uint8Array; // by function
}

// From the roots on, each node shows its children as its state says. What passes the filter but no caller of which does
// is a root of its own, so that every function that passes is shown unless somebody collapsed what is above it.
export function prune(
  graph: Graph, percent: number, states: ReadonlyMap<number, Detail>, match?: (f: number) => boolean
): Shown {
  const { count, totals, all } = graph;
  const pass = new Uint8Array(count);
  for (let f = 0; f < count; f++)
    if (graph.ran[f] && passes(totals[f]!, all, percent) && (match === undefined || match(f))) pass[f] = 1;
  const roots = rootsOf(graph, pass);
  const has = new Uint8Array(count);
  const open = [...roots];
  for (const f of open) has[f] = 1;
  const arcs: number[] = [];
  for (let f = open.pop(); f !== undefined; f = open.pop()) {
    const detail = states.get(f) ?? Detail.filtered;
    if (detail === Detail.collapsed) continue;
    for (const arc of graph.out[f]!) {
      const to = graph.to[arc]!;
      if (detail === Detail.filtered && !pass[to]) continue;
      arcs.push(arc);
      if (has[to]) continue;
      has[to] = 1;
      open.push(to);
    }
  }
  const nodes: number[] = [];
  for (let f = 0; f < count; f++) if (has[f]) nodes.push(f);
  nodes.sort((x, y) => totals[y]! - totals[x]! || x - y);
  return { nodes, arcs, has };
}

// Functions that pass, and that no other function that passes leads to.
function rootsOf(graph: Graph, pass: Uint8Array): number[] {
  const reached = new Uint8Array(graph.count);
  const reach = (from: number): void => {
    const open = [from];
    reached[from] = 1;
    for (let f = open.pop(); f !== undefined; f = open.pop()) {
      for (const arc of graph.out[f]!) {
        const to = graph.to[arc]!;
        if (!pass[to] || reached[to]) continue;
        reached[to] = 1;
        open.push(to);
      }
    }
  };
  const roots: number[] = [];
  const order = graph.byTotal.filter((f) => pass[f]);
  const called = (f: number): boolean => {
    for (const arc of graph.into[f]!) {
      const from = graph.from[arc]!;
      if (from !== f && pass[from]) return true;
    }
    return false;
  };
  for (const natural of [true, false]) {
    for (const f of order) {
      if (reached[f]) continue;
      if (natural && called(f)) continue;
      roots.push(f);
      reach(f);
    }
  }
  return roots;
}

// Whether the mark of a node is left out: it calls nobody.
export function isLeaf(graph: Graph, f: number): boolean {
  return graph.leaf[f] === 1;
}
