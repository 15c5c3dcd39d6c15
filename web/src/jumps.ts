// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Arrows beside the disassembly, from a jump to where it went: as thick as it was frequent.
import { palette } from './colors.ts';
import { Profile } from './data.ts';
import { s } from './dom.ts';
import { count } from './format.ts';

export interface Jump {
  from: number; // rows of the list
  to: number;
  times: number;
  track: number; // how far from the code it runs
}

const TRACKS = 7;
const GAP = 6;
export const JUMP_WIDTH = TRACKS * GAP + 14;
export const THICKEST = 5;

// Jumps within the function: edges that do not lead to the next instruction. Short ones run inside long ones.
export function jumpsOf(profile: Profile, instructions: number[]): Jump[] {
  const { code, edges } = profile;
  if (code === undefined || edges === undefined) return [];
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  instructions.forEach((i, row) => {
    const block = code.block[i]!;
    if (!first.has(block)) first.set(block, row);
    last.set(block, row);
  });
  const jumps: Jump[] = [];
  for (let e = 0; e < edges.count; e++) {
    const from = last.get(edges.from[e]!);
    const to = first.get(edges.to[e]!);
    if (from === undefined || to === undefined || to === from + 1 || edges.times[e]! <= 0) continue;
    jumps.push({ from, to, times: edges.times[e]!, track: 0 });
  }
  jumps.sort((x, y) => Math.abs(x.to - x.from) - Math.abs(y.to - y.from) || x.from - y.from);
  const taken: [number, number][][] = Array.from({ length: TRACKS }, () => []);
  for (const jump of jumps) {
    const [low, high] = [Math.min(jump.from, jump.to), Math.max(jump.from, jump.to)];
    const free = taken.findIndex((track) => track.every(([a, b]) => high < a || low > b));
    jump.track = free < 0 ? TRACKS - 1 : free;
    taken[jump.track]!.push([low, high]);
  }
  return jumps;
}

export const thickness = (times: number, most: number): number => Math.max(0.7, (THICKEST * times) / Math.max(1, most));

// Those that touch the rows from `from` on, drawn below the top of the first of these rows.
export function drawJumps(svg: SVGSVGElement, jumps: Jump[], from: number, to: number, height: number): void {
  const colors = palette();
  const most = Math.max(1, ...jumps.map((jump) => jump.times));
  const parts: SVGElement[] = [];
  for (const jump of jumps) {
    if (Math.max(jump.from, jump.to) < from || Math.min(jump.from, jump.to) >= to) continue;
    const limit = (row: number): number => Math.min(to + 1, Math.max(from - 2, row));
    const y0 = (limit(jump.from) - from + 0.62) * height;
    const y1 = (limit(jump.to) - from + 0.38) * height;
    const x = JUMP_WIDTH - 12 - GAP * (jump.track + 1);
    const end = JUMP_WIDTH - 7;
    const wide = thickness(jump.times, most);
    const color = jump.to <= jump.from ? colors.select : colors.faint;
    const turn = Math.min(4, Math.abs(y1 - y0) / 2) * Math.sign(y1 - y0 || 1);
    parts.push(
      s('g',
        { class: 'jump', 'data-from': jump.from, 'data-to': jump.to, 'data-times': jump.times },
        s('title', {}, `${count(jump.times)} times`),
        s('path', {
          d: `M${end + 4} ${y0}H${x + 4}Q${x} ${y0} ${x} ${y0 + turn}V${y1 - turn}Q${x} ${y1} ${x + 4} ${y1}H${end}`,
          fill: 'none',
          stroke: color,
          'stroke-width': wide.toFixed(2),
          'stroke-linejoin': 'round'
        }),
        s('path', { d: `M${end - 1} ${y1 - 4}L${end + 5} ${y1}L${end - 1} ${y1 + 4}Z`, fill: color }))
    );
  }
  svg.replaceChildren(...parts);
  svg.setAttribute('width', String(JUMP_WIDTH));
  svg.setAttribute('height', String(Math.max(1, to - from) * height));
}
