// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The regions of a function, nested, each with the paths through it; a region inside is one step of them.
import { App } from './app.ts';
import { heat } from './colors.ts';
import { Profile } from './data.ts';
import { h } from './dom.ts';
import { count, percent, short } from './format.ts';

interface Row {
  name: string;
  title: string;
  depth: number;
  cycles: number;
  times: number;
  paths: number[]; // of region_paths
}

export type Where = (block: number) => string; // what a block is called

// From the profile's regions, or, if it has none, from the loops of the graph.
function rowsOf(profile: Profile, fn: number, own: number[], where: Where): Row[] {
  const { loops, blocks, regions, regionPaths } = profile;
  const result: Row[] = [];
  if (regions !== undefined) {
    const depth = (i: number
    ): number => (regions.parent[i]! >= 0 && regions.parent[i]! < i ? 1 + depth(regions.parent[i]!) : 0);
    const paths = new Map<number, number[]>();
    for (let i = 0; regionPaths !== undefined && i < regionPaths.count; i++) {
      const r = regionPaths.region[i]!;
      if (r >= 0 && regions.fn[r] === fn) paths.set(r, [...(paths.get(r) ?? []), i]);
    }
    for (let i = 0; i < regions.count; i++) {
      if (regions.fn[i] !== fn) continue;
      const head = regions.head[i]!;
      const title = `${regions.name[i]}: entered ${count(regions.times[i]!)} times${
        regions.turns[i]! > 0 ? `, went back ${count(regions.turns[i]!)} times` : ''}`;
      result.push({
        name: `${regions.name[i]}${head >= 0 ? `  ${where(head)}` : ''}`,
        title,
        depth: depth(i),
        cycles: regions.cycles[i]!,
        times: regions.times[i]!,
        paths: paths.get(i) ?? []
      });
    }
    if (result.length > 0) return result;
  }
  if (loops === undefined || blocks === undefined) return result;
  const at = new Map<number, number>();
  for (let l = 0; l < loops.count; l++) {
    if (loops.fn[l] !== fn) continue;
    at.set(l, result.length);
    const head = loops.head[l]!;
    result.push({
      name: `loop at ${blocks.address[head]}  ${where(head)}`,
      title: '',
      depth: loops.depth[l]! - 1,
      cycles: 0,
      times: blocks.times[head]!,
      paths: []
    });
  }
  for (const b of own) {
    const seen = new Set<number>(); // a damaged file may nest in circles
    for (let l = blocks.loop[b]!; l >= 0 && !seen.has(l); l = loops.parent[l]!) {
      seen.add(l);
      const row = at.get(l);
      if (row !== undefined) result[row]!.cycles += blocks.cycles[b]!;
    }
  }
  return result;
}

// "245 → 250 → [L1] → 260"
export function steps(profile: Profile, path: number, where: Where): string {
  const parts: string[] = [];
  for (const node of profile.regionPaths!.nodes[path]!.slice(0, 24)) {
    const text = node < 0 ? `[${profile.regions!.name[-1 - node]}]` : where(node);
    if (parts[parts.length - 1] !== text) parts.push(text);
  }
  return `${parts.join(' → ')}${profile.regionPaths!.nodes[path]!.length > 24 ? ' …' : ''}`;
}

// "245 → 250: 480 times, 12.5 cycles each"
function each(text: string, times: number, cycles: number): string {
  return `${text}: ${count(times)} times${times > 0 ? `, ${(cycles / times).toFixed(1)} cycles each` : ''}`;
}

// Blocks of a region's path, those of regions inside left out.
export function blocksOf(profile: Profile, path: number): number[] {
  return (profile.regionPaths?.nodes[path] ?? []).filter((node) => node >= 0);
}

export function drawRegions(element: HTMLElement, app: App, fn: number, own: number[], where: Where): void {
  const { profile } = app;
  const rows = fn < 0 ? [] : rowsOf(profile, fn, own, where);
  if (rows.length === 0) return element.replaceChildren();
  const self = Math.max(1, profile.functions.self[fn]!);
  const chosen = app.state.get('rp');
  const line = (row: Row): HTMLElement[] => {
    const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.width = `${Math.min(100, (100 * row.cycles) / self)}%`;
    bar.style.background = heat(app.share(row.cycles));
    const head = h(
      'div',
      { class: 'region', title: row.title },
      bar,
      h('span', { class: 'region-name' }, row.name),
      h('span', { class: 'number' }, `${short(row.times)}×`),
      h('span', { class: 'number' }, percent(row.cycles / self))
    );
    head.style.setProperty('--depth', String(Math.max(0, row.depth)));
    const paths = row.paths.map((path) => {
      const { times, cycles } = profile.regionPaths!;
      const text = steps(profile, path, where);
      const on = chosen === String(path);
      const item = h(
        'button',
        {
          type: 'button',
          class: `region-path${on ? ' selected' : ''}`,
          'aria-pressed': String(on),
          title: each(text, times[path]!, cycles[path]!),
          click: () => app.state.set({ rp: on ? '' : String(path), path: '' })
        },
        h('span', { class: 'region-name' }, text),
        h('span', { class: 'number' }, `${short(times[path]!)}×`),
        h('span', { class: 'number' }, percent(cycles[path]! / self))
      );
      item.style.setProperty('--depth', String(Math.max(0, row.depth) + 1));
      return item;
    });
    return [head, ...paths];
  };
  element.replaceChildren(h('h3', {}, `Regions of ${app.nameOf(fn).slice(0, 60)}`), ...rows.flatMap(line));
}
