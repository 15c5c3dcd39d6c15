// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A function's own time by its regions and paths, as stacks of a flame graph: function > region > region > path.
import { Profile, Stacks } from './data.ts';
import { steps, Where } from './regions.ts';

export interface PathStacks {
  stacks: Stacks;
  fn: number[]; // by frame: function
  path: number[]; // by frame: row of paths, or -1
  regionPath: number[]; // by frame: row of region_paths, or -1
}

interface Row {
  parent: number;
  frame: number;
  self: number;
}

// What a block is called: its line, or its address.
function namer(profile: Profile): Where {
  const { blocks, code } = profile;
  const lines = new Int32Array(blocks?.count ?? 0);
  for (let i = (code?.count ?? 0) - 1; i >= 0; i--)
    if (code!.block[i]! >= 0 && code!.line[i]! > 0) lines[code!.block[i]!] = code!.line[i]!;
  return (block) => (lines[block]! > 0 ? String(lines[block]) : (blocks?.address[block] ?? '?'));
}

class Rows {
  readonly rows: Row[] = [];
  readonly names: string[] = [];
  readonly fn: number[] = [];
  readonly path: number[] = [];
  readonly regionPath: number[] = [];

  // A row of a frame of its own; what its children have is taken from it.
  add(parent: number, total: number, name: string, fn: number, path = -1, regionPath = -1): number {
    this.names.push(name);
    this.fn.push(fn);
    this.path.push(path);
    this.regionPath.push(regionPath);
    this.rows.push({ parent, frame: this.names.length - 1, self: total });
    // numbers are rounded: no row has less than nothing
    if (parent >= 0) this.rows[parent]!.self = Math.max(0, this.rows[parent]!.self - total);
    return this.rows.length - 1;
  }
}

function groupBy(count: number, key: (i: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let i = 0; i < count; i++) {
    const list = groups.get(key(i));
    if (list === undefined) groups.set(key(i), [i]);
    else list.push(i);
  }
  return groups;
}

// Regions stand behind their parents. The region that is the whole function is the function itself.
function addRegions(
  out: Rows, profile: Profile, own: number[], top: number, where: Where, paths: Map<number, number[]>
): void {
  const { regions, regionPaths } = profile;
  const rowOf = new Map<number, number>();
  for (const r of own) {
    const parent = regions!.parent[r]!;
    const fn = regions!.fn[r]!;
    const head = regions!.head[r]!;
    const name = `${regions!.name[r]}${head >= 0 ? ` at ${where(head)}` : ''}`;
    const row = parent < 0 ? top : out.add(rowOf.get(parent) ?? top, regions!.cycles[r]!, name, fn);
    rowOf.set(r, row);
    for (const i of paths.get(r) ?? [])
      if (regionPaths!.cycles[i]! > 0)
        out.add(row, regionPaths!.cycles[i]!, steps(profile, i, where), fn, -1, i);
  }
}

// undefined: the profile knows no paths.
export function pathStacks(profile: Profile): PathStacks | undefined {
  const { functions, regions, regionPaths, paths } = profile;
  if (paths === undefined && regions === undefined) return undefined;
  const out = new Rows();
  const where = namer(profile);
  const ofRegion = groupBy(regionPaths?.count ?? 0, (i) => regionPaths!.region[i]!);
  const regionsOf = groupBy(regions?.count ?? 0, (r) => regions!.fn[r]!);
  const pathsOf = groupBy(paths?.count ?? 0, (i) => paths!.fn[i]!);
  for (let f = 0; f < functions.count; f++) {
    if (functions.self[f]! <= 0) continue;
    const top = out.add(-1, functions.self[f]!, functions.shown[f]!, f);
    const own = regionsOf.get(f);
    if (own !== undefined) addRegions(out, profile, own, top, where, ofRegion);
    else
      for (const i of pathsOf.get(f) ?? []) {
        const list = paths!.blocks[i]!;
        const places = list.slice(0, 24).map(where);
        const name = places.filter((text, k) => k === 0 || text !== places[k - 1]).join(' → ');
        if (paths!.cycles[i]! > 0) out.add(top, paths!.cycles[i]!, `${name}${list.length > 24 ? ' …' : ''}`, f, i);
      }
  }
  const { rows, names, fn } = out;
  const stacks: Stacks = {
    count: rows.length,
    parent: Int32Array.from(rows, (row) => row.parent),
    frame: Int32Array.from(rows, (row) => row.frame),
    self: Float64Array.from(rows, (row) => row.self),
    frames: names,
    shown: names,
    files: Int32Array.from(fn, (f) => functions.file[f]!),
    lines: Int32Array.from(fn, (f) => functions.line[f]!)
  };
  return { stacks, fn, path: out.path, regionPath: out.regionPath };
}
