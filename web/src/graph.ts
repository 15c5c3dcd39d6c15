// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dynamic call graph, and what can be computed from it without drawing.
import { Unknown } from './data.ts';
import type { Profile } from './data.ts';

export interface Arc {
  from: number;
  to: number;
  count: number;
  total: number; // of these calls, with all that the callee calls
  calls: number[]; // rows of profile.calls; one if call sites are apart
  unknown: number; // enum Unknown
}

// Before a time, what is not known of it; and in words.
export function unknownMark(unknown: number): string {
  if ((unknown & Unknown.Within) !== 0) return '? ';
  if ((unknown & Unknown.More) !== 0) return '≥ ';
  return (unknown & Unknown.Shared) !== 0 ? '≈ ' : '';
}
export function unknownText(unknown: number): string {
  const texts = [
    (unknown & Unknown.Within) !== 0 ? '? between functions that call each other: what each call took is not known' :
                                       '',
    (unknown & Unknown.More) !== 0 ?
      '≥ at least this: calls by a register, handlers or functions without counts may be below it' :
      '',
    (unknown & Unknown.Shared) !== 0 ?
      '≈ shared out by the counts of calls: it, or what it calls, has several callers' :
      '',
  ];
  return texts.filter((text) => text !== '').join('\n');
}

// Times that a function was entered, and nobody knows from where, with their time.
export function unknownCallers(profile: Profile, f: number): { count: number; total: number; unknown: number } {
  const { calls } = profile;
  const sum = { count: 0, total: 0, unknown: 0 };
  for (let i = 0; i < calls.count; i++) {
    if (calls.to[i] !== f || calls.from[i]! >= 0) continue;
    sum.count += calls.times[i]!;
    sum.total += calls.total[i]!;
    sum.unknown |= calls.unknown[i]!;
  }
  return sum;
}

export interface Graph {
  count: number;
  all: number; // time of the whole program
  totals: Float64Array; // self + descendants
  ran: Uint8Array;
  arcs: Arc[];
  // The arcs' ends once more, in one row each: what goes over all arcs would wait for each of the objects.
  from: Int32Array;
  to: Int32Array;
  leaf: Uint8Array; // functions that call no other
  out: number[][];
  into: number[][];
  byTotal: number[];
  recursive: Uint8Array;
}

/* Of a call of the function, with descendants. Calls within calls count whole, as in least and most; where only totals
 * are known, a recursive function has none. */
export function averageOf(profile: Profile, graph: Graph, f: number): number | undefined {
  const { functions } = profile;
  const calls = functions.calls[f]!;
  if (calls === 0 || (!functions.lengths && graph.recursive[f])) return undefined;
  return (functions.lengths ?? functions.total)[f]! / calls;
}

export function makeGraph(profile: Profile, apart: boolean): Graph {
  const { functions, calls } = profile;
  const count = functions.count;
  const arcs: Arc[] = [];
  const out: number[][] = Array.from({ length: count }, () => []);
  const into: number[][] = Array.from({ length: count }, () => []);
  const known = new Map<number, number>();
  for (let i = 0; i < calls.count; i++) {
    const from = calls.from[i]!;
    const to = calls.to[i]!;
    if (from < 0 || to < 0) continue;
    const key = from * count + to;
    const at = apart ? undefined : known.get(key);
    if (at !== undefined) {
      const arc = arcs[at]!;
      arc.count += calls.times[i]!;
      arc.total += calls.total[i]!;
      arc.calls.push(i);
      arc.unknown |= calls.unknown[i]!;
      continue;
    }
    known.set(key, arcs.length);
    out[from]!.push(arcs.length);
    into[to]!.push(arcs.length);
    arcs.push({ from, to, count: calls.times[i]!, total: calls.total[i]!, calls: [i], unknown: calls.unknown[i]! });
  }
  for (const list of out) list.sort((x, y) => arcs[y]!.total - arcs[x]!.total || x - y);
  for (const list of into) list.sort((x, y) => arcs[y]!.total - arcs[x]!.total || x - y);
  const totals = functions.total;
  const byTotal = Array.from({ length: count }, (_, f) => f).sort((x, y) => totals[y]! - totals[x]! || x - y);
  const ran = new Uint8Array(count);
  for (let f = 0; f < count; f++) if (functions.total[f]! > 0 || functions.calls[f]! > 0) ran[f] = 1;
  const from = Int32Array.from(arcs, (arc) => arc.from);
  const to = Int32Array.from(arcs, (arc) => arc.to);
  const leaf = new Uint8Array(count).fill(1);
  from.forEach((f, at) => f !== to[at] && (leaf[f] = 0));
  const recursive = new Uint8Array(count);
  const graph: Graph = { count, all: profile.total, totals, ran, arcs, from, to, leaf, out, into, byTotal, recursive };
  const group = groups(graph);
  const sizes = new Map<number, number>();
  for (let f = 0; f < count; f++) sizes.set(group[f]!, (sizes.get(group[f]!) ?? 0) + 1);
  for (let f = 0; f < count; f++)
    if (sizes.get(group[f]!)! > 1 || out[f]!.some((arc) => arcs[arc]!.to === f)) graph.recursive[f] = 1;
  return graph;
}

// Strongly connected functions share a number (Tarjan, without recursion). Numbers ascend from callees to callers.
export function groups(graph: Graph): Int32Array {
  const { count, out, arcs } = graph;
  const group = new Int32Array(count).fill(-1);
  const order = new Int32Array(count);
  const low = new Int32Array(count);
  const next = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack: number[] = [];
  let time = 0;
  let groupsSoFar = 0;
  for (let root = 0; root < count; root++) {
    if (order[root] !== 0) continue;
    const way = [root];
    order[root] = low[root] = ++time;
    stack.push(root);
    onStack[root] = 1;
    while (way.length > 0) {
      const f = way[way.length - 1]!;
      if (next[f]! < out[f]!.length) {
        const to = arcs[out[f]![next[f]!++]!]!.to;
        if (order[to] === 0) {
          order[to] = low[to] = ++time;
          stack.push(to);
          onStack[to] = 1;
          way.push(to);
        } else if (onStack[to]) low[f] = Math.min(low[f]!, order[to]!);
        continue;
      }
      if (low[f] === order[f]) {
        let member: number;
        do {
          member = stack.pop()!;
          onStack[member] = 0;
          group[member] = groupsSoFar;
        } while (member !== f);
        groupsSoFar++;
      }
      way.pop();
      if (way.length > 0) low[way[way.length - 1]!] = Math.min(low[way[way.length - 1]!]!, low[f]!);
    }
  }
  return group;
}

// What gprof would say (QTY table III): a function's time is shared out to its callers by the number of calls alone, as
// if every call took the same. Functions that call each other are taken as one.
export function averageTotals(graph: Graph, selfs: ArrayLike<number>): Float64Array {
  const group = groups(graph);
  const size = graph.count === 0 ? 0 : Math.max(...group.values()) + 1;
  const whole = new Float64Array(size);
  const calls = new Float64Array(size);
  const members: number[][] = Array.from({ length: size }, () => []);
  for (let f = 0; f < graph.count; f++) {
    whole[group[f]!]! += selfs[f]!;
    members[group[f]!]!.push(f);
  }
  for (const arc of graph.arcs) if (group[arc.from] !== group[arc.to]) calls[group[arc.to]!]! += arc.count;
  const totals = new Float64Array(graph.count);
  for (let g = 0; g < size; g++) {
    for (const f of members[g]!) {
      totals[f] = selfs[f]!;
      for (const at of graph.out[f]!) {
        const arc = graph.arcs[at]!;
        const to = group[arc.to]!;
        if (to === g || calls[to] === 0) continue;
        const part = (whole[to]! * arc.count) / calls[to]!;
        totals[f]! += part;
        whole[g]! += part;
      }
    }
  }
  return totals;
}

// Calls to f, or from it, joined by function, with what averages would say of each.
export interface Neighbour {
  f: number;
  count: number;
  total: number;
  averaged: number; // callers only: f's time shared out by counts; calls of itself do not count
  calls: number[];
  unknown: number; // enum Unknown
}

function join(list: Arc[], other: (arc: Arc) => number): Neighbour[] {
  const by = new Map<number, Neighbour>();
  for (const arc of list) {
    const f = other(arc);
    const row = by.get(f) ?? { f, count: 0, total: 0, averaged: 0, calls: [], unknown: 0 };
    row.count += arc.count;
    row.total += arc.total;
    row.calls.push(...arc.calls);
    row.unknown |= arc.unknown;
    by.set(f, row);
  }
  return [...by.values()].sort((x, y) => y.total - x.total || y.count - x.count);
}

export function callers(graph: Graph, f: number): Neighbour[] {
  const rows = join(graph.into[f]!.map((arc) => graph.arcs[arc]!), (arc) => arc.from);
  const all = rows.reduce((sum, row) => sum + (row.f === f ? 0 : row.count), 0);
  for (const row of rows) row.averaged = all === 0 || row.f === f ? 0 : (graph.totals[f]! * row.count) / all;
  return rows;
}

export function callees(graph: Graph, f: number): Neighbour[] {
  return join(graph.out[f]!.map((arc) => graph.arcs[arc]!), (arc) => arc.to);
}
