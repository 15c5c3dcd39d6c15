// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Trees of frames for the flame graph: from callers down, from leaves up, and around one function.
import { Stacks } from './data.ts';

export interface Tree {
  count: number;
  frame: number[];
  parent: number[];
  depth: number[];
  total: number[];
  self: number[];
  x: number[]; // where it begins, in time
  children: number[][];
  roots: number[];
  all: number;
  rows: number;
}

const DEEPEST = 300; // of inverted trees; recursion goes on for ever

class Builder {
  frame: number[] = [];
  parent: number[] = [];
  depth: number[] = [];
  total: number[] = [];
  self: number[] = [];
  children: number[][] = [];
  roots: number[] = [];
  private known = new Map<number, number>();
  constructor(private frames: number) {}

  child(parent: number, frame: number): number {
    const key = (parent + 1) * this.frames + frame;
    let node = this.known.get(key);
    if (node === undefined) {
      node = this.frame.length;
      this.known.set(key, node);
      this.frame.push(frame);
      this.parent.push(parent);
      this.depth.push(parent < 0 ? 0 : this.depth[parent]! + 1);
      this.total.push(0);
      this.self.push(0);
      this.children.push([]);
      (parent < 0 ? this.roots : this.children[parent]!).push(node);
    }
    return node;
  }

  // Totals are set; children stand beside each other, the largest first.
  finish(): Tree {
    const x = new Array<number>(this.frame.length).fill(0);
    const by = (a: number, b: number): number => this.total[b]! - this.total[a]! || a - b;
    let at = 0;
    this.roots.sort(by);
    for (const root of this.roots) {
      x[root] = at;
      at += this.total[root]!;
    }
    let rows = 0;
    for (let node = 0; node < this.frame.length; node++) { // parents come before children
      rows = Math.max(rows, this.depth[node]! + 1);
      let place = x[node]!;
      for (const child of this.children[node]!.sort(by)) {
        x[child] = place;
        place += this.total[child]!;
      }
    }
    return {
      count: this.frame.length,
      frame: this.frame,
      parent: this.parent,
      depth: this.depth,
      total: this.total,
      self: this.self,
      x,
      children: this.children,
      roots: this.roots,
      all: at,
      rows
    };
  }
}

export function stackTotals(stacks: Stacks): Float64Array {
  const totals = Float64Array.from(stacks.self);
  for (let i = stacks.count - 1; i >= 0; i--) if (stacks.parent[i]! >= 0) totals[stacks.parent[i]!]! += totals[i]!;
  return totals;
}

export function downTree(stacks: Stacks): Tree {
  const builder = new Builder(stacks.frames.length);
  const node = new Int32Array(stacks.count);
  const totals = stackTotals(stacks);
  for (let i = 0; i < stacks.count; i++) {
    const parent = stacks.parent[i]!;
    const at = builder.child(parent < 0 ? -1 : node[parent]!, stacks.frame[i]!);
    node[i] = at;
    builder.total[at]! += totals[i]!;
    builder.self[at]! += stacks.self[i]!;
  }
  return builder.finish();
}

export function upTree(stacks: Stacks): Tree {
  const builder = new Builder(stacks.frames.length);
  for (let i = 0; i < stacks.count; i++) if (stacks.self[i]! > 0) climb(builder, stacks, i, stacks.self[i]!, -1);
  return builder.finish();
}

function climb(builder: Builder, stacks: Stacks, from: number, time: number, above: number): void {
  let at = above;
  let depth = 0;
  for (let i = from; i >= 0 && depth < DEEPEST; i = stacks.parent[i]!, depth++) {
    at = builder.child(at, stacks.frame[i]!);
    builder.total[at]! += time;
    if (depth === 0) builder.self[at]! += time;
  }
}

// Frames with one of the numbers: what they call, and what called them. Of recursive calls the outermost counts.
export function aroundTrees(stacks: Stacks, wanted: (frame: number) => boolean): { below: Tree; above: Tree } {
  const below = new Builder(stacks.frames.length);
  const above = new Builder(stacks.frames.length);
  const totals = stackTotals(stacks);
  const node = new Int32Array(stacks.count).fill(-1);
  for (let i = 0; i < stacks.count; i++) {
    const parent = stacks.parent[i]!;
    const inside = parent >= 0 && node[parent]! >= 0;
    if (!inside && !wanted(stacks.frame[i]!)) continue;
    const at = below.child(inside ? node[parent]! : -1, stacks.frame[i]!);
    node[i] = at;
    below.total[at]! += totals[i]!;
    below.self[at]! += stacks.self[i]!;
    if (!inside) climb(above, stacks, i, totals[i]!, -1);
  }
  return { below: below.finish(), above: above.finish() };
}

// Time in each frame by number, outermost only; to compare two profiles by name.
export function frameTotals(stacks: Stacks): Map<string, number> {
  const totals = stackTotals(stacks);
  const result = new Map<string, number>();
  for (let i = 0; i < stacks.count; i++) {
    let again = false;
    for (let k = stacks.parent[i]!; k >= 0 && !again; k = stacks.parent[k]!)
      again = stacks.frame[k] === stacks.frame[i];
    const name = stacks.frames[stacks.frame[i]!]!;
    if (!again) result.set(name, (result.get(name) ?? 0) + totals[i]!);
  }
  return result;
}
