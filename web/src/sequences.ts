// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The hottest sequence paths over time: a row each, an interval of the run as dark as its share of it is large.
import { palette } from './colors.ts';
import { s, SANS } from './dom.ts';
import { Profile } from './data.ts';
import { count, percent } from './format.ts';

export const SEQUENCE_ROW = 14;

// What stands on a row: where the path begins.
function label(profile: Profile, row: number, name: string): string {
  const blocks = profile.sequences!.blocks[row]!;
  return `${name.slice(0, 40)}, ${count(blocks)} block${blocks === 1 ? '' : 's'}`;
}

// All that it says of itself.
function full(profile: Profile, row: number, name: string): string {
  const { instructions, trips, value } = profile.sequences!;
  const share = profile.instructions > 0 ? value[row]! / profile.instructions : 0;
  return `${label(profile, row, name)}, ${count(instructions[row]!)} instructions, ${count(trips[row]!)} trips: ${
    percent(share)} of the instructions`;
}

// Shares of neighbouring intervals that fall on one column of pixels are averaged by their lengths.
export function columns(profile: Profile, row: number, from: number, to: number, width: number):
  {x: number; w: number; share: number}[] {
  const { begin, end, count: intervals } = profile.intervals!;
  const shares = profile.sequences!.heat[row]!;
  const scale = width / Math.max(1e-9, to - from);
  const result: { x: number; w: number; share: number }[] = [];
  for (let i = 0; i < intervals; ) {
    let sum = 0;
    let length = 0;
    const x0 = Math.max(0, (begin[i]! - from) * scale);
    let x1 = x0;
    do {
      const own = Math.max(1e-9, end[i]! - begin[i]!);
      sum += shares[i]! * own;
      length += own;
      x1 = Math.min(width, (end[i]! - from) * scale);
      i++;
    } while (i < intervals && x1 - x0 < 1);
    if (x1 > 0 && x0 < width && sum > 0) result.push({ x: x0, w: x1 - x0, share: sum / length / 1000 });
  }
  return result;
}

export function drawSequences(
  svg: SVGSVGElement,
  profile: Profile,
  rows: number,
  from: number,
  to: number,
  width: number,
  name: (fn: number) => string,
  selected: number,
  pick: (fn: number) => void
): void {
  const { sequences, intervals } = profile;
  const shown = sequences === undefined || intervals === undefined ? 0 : Math.min(rows, sequences.count);
  svg.replaceChildren();
  svg.setAttribute('width', String(Math.floor(width)));
  svg.setAttribute('height', String(shown * SEQUENCE_ROW));
  const colors = palette();
  for (let row = 0; row < shown; row++) {
    const fn = sequences!.fn[row]!;
    const words = label(profile, row, name(fn));
    const text = full(profile, row, name(fn));
    const y = row * SEQUENCE_ROW;
    const group = s(
      'g',
      {
        class: 'sequence',
        role: 'button',
        tabindex: 0,
        'aria-label': text,
        'data-row': row,
        transform: `translate(0 ${y})`
      },
      s('title', {}, text)
    );
    group.append(s('rect', {
      x: 0,
      y: 0,
      width,
      height: SEQUENCE_ROW - 1,
      fill: colors.panel,
      stroke: fn >= 0 && fn === selected ? colors.select : 'none'
    }));
    for (const { x, w, share } of columns(profile, row, from, to, width))
      group.append(s('rect', {
        class: 'share',
        x: x.toFixed(2),
        y: 0,
        width: Math.max(0.5, w).toFixed(2),
        height: SEQUENCE_ROW - 1,
        fill: colors.slow,
        'fill-opacity': (0.08 + 0.92 * Math.min(1, share)).toFixed(3),
        'data-share': share.toFixed(4)
      }));
    group.append(
      s('text',
        {
          x: 4,
          y: 10.5,
          fill: colors.text,
          stroke: colors.panel,
          'stroke-width': 3,
          'paint-order': 'stroke',
          style: `font:10.5px ${SANS}`
        },
        words)
    );
    const go = (): void => pick(fn);
    group.addEventListener('click', go);
    group.addEventListener(
      'keydown', (event) => (event.key === 'Enter' || event.key === ' ') && (event.preventDefault(), go())
    );
    svg.append(group);
  }
}
