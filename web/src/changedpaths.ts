// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Paths of two profiles: which is which, and what changed in a function, on one graph.
import { Profile } from './data.ts';
import { Pairing } from './diff.ts';

const MOST = 4e6; // pairs of blocks of two functions that are compared

// Blocks of each function, by address.
export function blocksByFunction(profile: Profile): Map<number, number[]> {
  const own = new Map<number, number[]>();
  const { blocks } = profile;
  for (let b = 0; b < (blocks?.count ?? 0); b++) {
    const list = own.get(blocks!.fn[b]!);
    if (list === undefined) own.set(blocks!.fn[b]!, [b]);
    else list.push(b);
  }
  const address = (b: number): number => Number(blocks!.address[b]!);
  for (const list of own.values()) list.sort((a, b) => address(a) - address(b));
  return own;
}

// What a block does, but for the addresses that are in it.
export function blockTexts(profile: Profile): string[] {
  const texts = new Array<string>(profile.blocks?.count ?? 0).fill('');
  const { code } = profile;
  for (let i = 0; i < (code?.count ?? 0); i++)
    if (code!.block[i]! >= 0)
      texts[code!.block[i]!] += `${code!.text[i]!.replace(/0x[0-9a-f]{4,}.*|<.*>/g, '')}\n`;
  return texts;
}

// Which block of the old function is which of the new one: the longest common sequence of what they do; and between two
// of it, where both have as many others, these in order.
export function matchBlocks(was: string[], now: string[]): Int32Array {
  const match = new Int32Array(was.length).fill(-1);
  const fill = (a: number, aEnd: number, b: number, bEnd: number): void => {
    if (aEnd - a === bEnd - b) for (let k = 0; k < aEnd - a; k++) match[a + k] = b + k;
  };
  if (was.length * now.length > MOST) {
    fill(0, was.length, 0, now.length);
    return match;
  }
  const width = now.length + 1;
  const common = new Uint16Array((was.length + 1) * width); // of what lies behind both places
  for (let a = was.length - 1; a >= 0; a--)
    for (let b = now.length - 1; b >= 0; b--)
      common[a * width + b] = was[a] === now[b] ? common[(a + 1) * width + b + 1]! + 1 :
                                                  Math.max(common[(a + 1) * width + b]!, common[a * width + b + 1]!);
  let [a, b, from, to] = [0, 0, 0, 0];
  while (a < was.length && b < now.length) {
    if (was[a] === now[b]) {
      fill(from, a, to, b);
      match[a++] = b++;
      [from, to] = [a, b];
    } else if (common[(a + 1) * width + b]! >= common[a * width + b + 1]!) a++;
    else b++;
  }
  fill(from, was.length, to, now.length);
  return match;
}

export interface PathTimes {
  now: Map<string, { time: number; blocks: number[] }>; // of one function; by its blocks
  was: Map<string, { time: number; blocks: number[] }>;
  lost: number; // time of paths that ran before, through blocks that there are no more
}

// Paths of all functions of a profile and of the one before, in blocks of this one.
export class PathPairing {
  private ownBlocks: Map<number, number[]>;
  private otherBlocks: Map<number, number[]>;
  private texts: string[];
  private otherTexts: string[];
  private paths: Map<number, number[]>;
  private otherPaths: Map<number, number[]>;
  private made = new Map<number, PathTimes>();

  constructor(private profile: Profile, private pairing: Pairing) {
    const byFunction = (of: Profile): Map<number, number[]> => {
      const map = new Map<number, number[]>();
      for (let i = 0; i < of.paths!.count; i++) {
        const f = of.paths!.fn[i]!;
        const list = map.get(f);
        if (list === undefined) map.set(f, [i]);
        else list.push(i);
      }
      return map;
    };
    this.ownBlocks = blocksByFunction(profile);
    this.otherBlocks = blocksByFunction(pairing.other);
    this.texts = blockTexts(profile);
    this.otherTexts = blockTexts(pairing.other);
    this.paths = byFunction(profile);
    this.otherPaths = byFunction(pairing.other);
  }

  timesOf(fn: number): PathTimes {
    let times = this.made.get(fn);
    if (times === undefined) this.made.set(fn, (times = this.make(fn)));
    return times;
  }

  // What the path took before.
  before(path: number): number {
    const { fn, blocks } = this.profile.paths!;
    return this.timesOf(fn[path]!).was.get(blocks[path]!.join(' '))?.time ?? 0;
  }

  private make(fn: number): PathTimes {
    const { other, factor } = this.pairing;
    const result: PathTimes = { now: new Map(), was: new Map(), lost: 0 };
    const add = (map: PathTimes['now'], blocks: number[], time: number): void => {
      const key = blocks.join(' ');
      const row = map.get(key);
      if (row === undefined) map.set(key, { time, blocks });
      else row.time += time;
    };
    for (const i of this.paths.get(fn) ?? [])
      add(result.now, this.profile.paths!.blocks[i]!, this.profile.paths!.cycles[i]!);
    const was = fn < 0 ? -1 : this.pairing.of[fn]!;
    if (was < 0) return result;
    const old = this.otherBlocks.get(was) ?? [];
    const now = this.ownBlocks.get(fn) ?? [];
    const match = matchBlocks(old.map((b) => this.otherTexts[b]!), now.map((b) => this.texts[b]!));
    const known = new Map<number, number>();
    old.forEach((b, k) => match[k]! >= 0 && known.set(b, now[match[k]!]!));
    for (const i of this.otherPaths.get(was) ?? []) {
      const blocks = other.paths!.blocks[i]!.map((b) => known.get(b) ?? -1);
      const time = factor * other.paths!.cycles[i]!;
      if (blocks.includes(-1)) result.lost += time;
      else add(result.was, blocks, time);
    }
    return result;
  }
}

export function pairPaths(profile: Profile, pairing: Pairing): PathPairing | undefined {
  const known = (of: Profile): boolean => of.paths !== undefined && of.blocks !== undefined;
  return known(profile) && known(pairing.other) ? new PathPairing(profile, pairing) : undefined;
}

export interface ChangedPaths {
  paths: number; // that took more or less time than before
  gone: number; // of them: that ran before alone
  lost: number; // time of paths that ran before, through blocks that there are no more
  more: number; // the changes of those that took more, and of those that took less
  less: number;
  blocks: Map<number, number>; // change of all paths through it
  edges: Map<string, number>; // "from to", by blocks
}

// What each path of a function took more or less, summed over the blocks and edges that it goes through.
export function changedPaths(pairing: PathPairing, fn: number): ChangedPaths {
  const { now, was, lost } = pairing.timesOf(fn);
  const result: ChangedPaths = { paths: 0, gone: 0, lost, more: 0, less: 0, blocks: new Map(), edges: new Map() };
  const add = <K>(map: Map<K, number>, key: K, by: number): void => void map.set(key, (map.get(key) ?? 0) + by);
  for (const key of new Set([...now.keys(), ...was.keys()])) {
    const { blocks } = (now.get(key) ?? was.get(key))!;
    const change = (now.get(key)?.time ?? 0) - (was.get(key)?.time ?? 0);
    if (change === 0) continue;
    result.paths++;
    if (!now.has(key)) result.gone++;
    if (change > 0) result.more += change;
    else result.less += change;
    for (const b of new Set(blocks)) add(result.blocks, b, change);
    const steps = new Set<string>();
    blocks.forEach((b, k) => k > 0 && steps.add(`${blocks[k - 1]} ${b}`));
    for (const step of steps) add(result.edges, step, change);
  }
  return result;
}
