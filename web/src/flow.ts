// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A river whose widths add up: at each function, what comes in is what goes out and what stays.
// Times of calls do not add up where functions call themselves: a call within a call is in both. So the river takes the
// stacks. Each stack is a way from a spring to the function in which its time was spent; where the way comes back to a
// function that it has met, it is cut back to there. The time flows along what is left of it. The stacks of a profile
// without order end with their traces: its river takes the times of calls.
import { Profile } from './data.ts';
import type { Graph } from './graph.ts';
import type { Shown } from './prune.ts';

export interface Flow {
  arcs: Float64Array; // by place in shown.arcs
  spring: Float64Array; // by function: what comes in by no arc that is shown
  lake: Float64Array; // by function: what stays: its own time, and that of what is not shown below it
  into: Float64Array; // by function: all that comes in
  exact: boolean; // from stacks; else from the times of calls
}

interface Step { // of a way; the same beginnings are one
  fn: number;
  parent: number; // step; -1: a spring
  arc: number; // place in shown.arcs; -1: a spring
  time: number;
  next: Map<number, number>; // step, by function
}

// Functions of frames; -1: inlined code, which is its caller's.
function functionsOfFrames(profile: Profile): Int32Array {
  const { functions, files } = profile;
  const stacks = profile.stacks!;
  const named = new Map<string, number[]>();
  for (let f = 0; f < functions.count; f++)
    named.set(functions.name[f]!, [...(named.get(functions.name[f]!) ?? []), f]);
  const file = (at: number): string => (at < 0 ? '' : files[at]!);
  return Int32Array.from(stacks.frames, (name, i) => {
    const alike = named.get(name) ?? [];
    const same = alike.find((f) => file(functions.file[f]!) === file(stacks.files[i]!));
    return same ?? (alike.length === 1 ? alike[0]! : -1);
  });
}

class Ways {
  steps: Step[] = [];
  private springs = new Map<number, number>();
  private arcOf = new Map<number, number>();

  constructor(private graph: Graph, private shown: Shown) {
    shown.arcs.forEach((at, i) => {
      const arc = graph.arcs[at]!;
      const key = arc.from * graph.count + arc.to;
      if (!this.arcOf.has(key)) this.arcOf.set(key, i);
    });
  }

  private add(fn: number, parent: number, arc: number): number {
    const known = parent < 0 ? this.springs : this.steps[parent]!.next;
    let step = known.get(fn);
    if (step === undefined) {
      step = this.steps.length;
      this.steps.push({ fn, parent, arc, time: 0, next: new Map() });
      known.set(fn, step);
    }
    return step;
  }

  // The way goes on to a function; what is not shown is passed over.
  go(from: number, fn: number): number {
    if (fn < 0 || !this.shown.has[fn]) return from;
    for (let at = from; at >= 0; at = this.steps[at]!.parent) if (this.steps[at]!.fn === fn) return at;
    if (from < 0) return this.add(fn, -1, -1);
    const arc = this.arcOf.get(this.steps[from]!.fn * this.graph.count + fn);
    if (arc !== undefined) return this.add(fn, from, arc);
    return this.inlinedOrHidden(fn, from);
  }

  // No arc leads there: it is inlined there, so the time is the caller's; or what calls it is not shown.
  private inlinedOrHidden(fn: number, from: number): number {
    const called = this.graph.into[fn]!.some((at) => this.shown.has[this.graph.arcs[at]!.from] === 1);
    return called ? from : this.add(fn, -1, -1);
  }
}

interface StackTimes {
  count: number;
  parent: ArrayLike<number>;
  self: ArrayLike<number>;
}
function fromStacks(stacks: StackTimes, fnOf: (i: number) => number, graph: Graph, shown: Shown, flow: Flow): void {
  const ways = new Ways(graph, shown);
  const at = new Int32Array(stacks.count);
  for (let i = 0; i < stacks.count; i++) {
    const parent = stacks.parent[i]!;
    at[i] = ways.go(parent < 0 ? -1 : at[parent]!, fnOf(i));
    if (at[i]! < 0) continue;
    const step = ways.steps[at[i]!]!;
    step.time += stacks.self[i]!;
    flow.lake[step.fn]! += stacks.self[i]!;
  }
  for (let i = ways.steps.length - 1; i >= 0; i--) { // a step stands before those that go on from it
    const step = ways.steps[i]!;
    flow.into[step.fn]! += step.time;
    if (step.parent < 0) flow.spring[step.fn]! += step.time;
    else {
      flow.arcs[step.arc]! += step.time;
      ways.steps[step.parent]!.time += step.time;
    }
  }
}

function fromCalls(graph: Graph, shown: Shown, flow: Flow): void {
  const out = new Float64Array(graph.count);
  shown.arcs.forEach((at, i) => {
    const { from, to, total } = graph.arcs[at]!;
    if (from === to) return;
    flow.arcs[i] = total;
    flow.into[to]! += total;
    out[from]! += total;
  });
  for (const f of shown.nodes) {
    const whole = Math.max(graph.totals[f]!, flow.into[f]!, out[f]!);
    flow.spring[f] = whole - flow.into[f]!;
    flow.into[f] = whole;
    flow.lake[f] = whole - out[f]!;
  }
}

export function flowOf(profile: Profile, graph: Graph, shown: Shown, part?: PartStacks): Flow {
  const flow: Flow = {
    arcs: new Float64Array(shown.arcs.length),
    spring: new Float64Array(graph.count),
    lake: new Float64Array(graph.count),
    into: new Float64Array(graph.count),
    exact: part !== undefined || (profile.exactCalls && profile.stacks !== undefined && profile.stacks.count > 0)
  };
  if (part !== undefined) fromStacks(part, (i) => part.fn[i]!, graph, shown, flow);
  else if (flow.exact) {
    const frames = functionsOfFrames(profile);
    fromStacks(profile.stacks!, (i) => frames[profile.stacks!.frame[i]!]!, graph, shown, flow);
  }
  else fromCalls(graph, shown, flow);
  return flow;
}

// Stacks of a part of the run, from its single calls: own time of each within the part.
export interface PartStacks {
  count: number;
  parent: number[];
  self: number[];
  fn: number[];
  length: number; // of the part
}

// ranges: in order, apart from each other.
export function stacksOfPart(profile: Profile, ranges: [number, number][]): PartStacks {
  const spans = profile.spans!;
  const part: PartStacks = { count: 0, parent: [], self: [], fn: [], length: 0 };
  for (const [from, to] of ranges) part.length += to - from;
  const known = new Map<number, number>();
  const open: { row: number; depth: number }[] = [];
  let process = -1;
  // how much of a call lies in the ranges
  const begins = ranges.map(([from]) => from);
  const before: number[] = [];
  ranges.reduce((sum, [from, to], i) => ((before[i] = sum), sum + to - from), 0);
  const upTo = (time: number): number => {
    let [low, high] = [0, begins.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (begins[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : before[low - 1]! + Math.min(time, ranges[low - 1]![1]) - ranges[low - 1]![0];
  };
  for (let i = 0; i < spans.count; i++) {
    const time = upTo(spans.begin[i]! + spans.duration[i]!) - upTo(spans.begin[i]!);
    if (time <= 0) continue;
    if (spans.process[i] !== process) {
      process = spans.process[i]!;
      open.length = 0;
    }
    while (open.length > 0 && open[open.length - 1]!.depth >= spans.depth[i]!) open.pop();
    const parent = open[open.length - 1]?.row ?? -1;
    const fn = spans.fn[i]!;
    const key = (parent + 1) * (profile.functions.count + 1) + fn + 1;
    let row = known.get(key);
    if (row === undefined) {
      row = part.count++;
      known.set(key, row);
      part.parent.push(parent);
      part.self.push(0);
      part.fn.push(fn);
    }
    part.self[row]! += time;
    if (parent >= 0) part.self[parent]! -= time;
    open.push({ row, depth: spans.depth[i]! });
  }
  return part;
}
