// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The hottest sequence paths over time: a row each, an interval of the run as dark as its share of it is large. The
// shades are a canvas, as a frame has a pixel for each of a thousand places; the rows above it stay as they are.
import { packed } from './canvas.ts';
import { palette } from './colors.ts';
import { h, measure, s, SANS } from './dom.ts';
import { Profile } from './data.ts';
import { count, percent } from './format.ts';

export const SEQUENCE_ROW = 14;
const LABEL_FONT = `10.5px ${SANS}`;

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

// How dark a share is.
const shade = (share: number): number => (share > 0 ? 0.08 + 0.92 * Math.min(1, share) : 0);

// The path's share of each of so many equal parts of a time: the mean of the intervals in it, by their lengths.
export function sharesOf(profile: Profile, row: number, from: number, to: number, parts: number): Float64Array {
  const { begin, end, count: intervals } = profile.intervals!;
  const heat = profile.sequences!.heat[row]!;
  const shares = new Float64Array(parts);
  const scale = parts / Math.max(1e-9, to - from);
  for (let i = firstEnding(end, intervals, from); i < intervals && begin[i]! < to; i++) {
    if (heat[i] === 0) continue;
    const x0 = Math.max(0, (begin[i]! - from) * scale);
    const x1 = Math.min(parts, (end[i]! - from) * scale);
    const share = heat[i]! / 1000;
    for (let x = Math.floor(x0); x < x1; x++) shares[x]! += share * (Math.min(x1, x + 1) - Math.max(x0, x));
  }
  return shares;
}
// The first interval that ends behind a time.
function firstEnding(end: ArrayLike<number>, intervals: number, time: number): number {
  let low = 0;
  let high = intervals;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Rows {
  profile: Profile;
  count: number;
  width: number;
  name: (fn: number) => string;
  selected: number;
}

// A row without its shades: what it is, and a place to click.
function rowOf({ profile, width, name, selected }: Rows, row: number, fill = 'transparent'): SVGGElement {
  const fn = profile.sequences!.fn[row]!;
  const words = label(profile, row, name(fn));
  const text = full(profile, row, name(fn));
  const colors = palette();
  const place = { x: 0, y: 0, width, height: SEQUENCE_ROW - 1 };
  return s(
    'g',
    {
      class: 'sequence',
      role: 'button',
      tabindex: 0,
      'aria-label': text,
      'data-row': row,
      transform: `translate(0 ${row * SEQUENCE_ROW})`
    },
    s('title', {}, text),
    s('rect', { ...place, fill, stroke: fn >= 0 && fn === selected ? colors.select : 'none' }),
    s('rect', { ...place, y: SEQUENCE_ROW - 1, height: 1, fill: colors.page }),
    s('rect', // the name stands on it, not on the shades
      {
        x: 1,
        y: 1,
        width: measure(words, LABEL_FONT) + 8,
        height: SEQUENCE_ROW - 3,
        rx: 2,
        fill: colors.panel,
        'fill-opacity': 0.85
      }),
    s('text',
      {
        x: 4,
        y: 10.5,
        fill: colors.text,
        style: `font:${LABEL_FONT}`
      },
      words)
  );
}

export class Sequences {
  private canvas = h('canvas', { class: 'shades', 'aria-hidden': 'true' });
  private svg = s('svg', { class: 'bands', role: 'group', 'aria-label': 'Hottest paths over time' });
  readonly element = h('div', { class: 'sequences' }, this.canvas, this.svg);
  private rows: Rows | undefined;

  constructor(pick: (fn: number) => void) {
    const rowAt = (event: Event): number =>
      Number((event.target as Element).closest('.sequence')?.getAttribute('data-row') ?? -1);
    const go = (row: number): void => {
      if (row >= 0) pick(this.rows!.profile.sequences!.fn[row]!);
    };
    this.svg.addEventListener('click', (event) => go(rowAt(event)));
    this.svg.addEventListener('keydown', (event) => {
      if ((event.key !== 'Enter' && event.key !== ' ') || rowAt(event) < 0) return;
      event.preventDefault();
      go(rowAt(event));
    });
  }

  get height(): number {
    return (this.rows?.count ?? 0) * SEQUENCE_ROW;
  }

  // Which rows there are.
  lay(wanted: number, width: number, profile: Profile, name: (fn: number) => string, selected: number): void {
    const { sequences, intervals } = profile;
    const rows = sequences === undefined || intervals === undefined ? 0 : Math.min(wanted, sequences.count);
    this.rows = { profile, count: rows, width, name, selected };
    this.svg.replaceChildren(...Array.from({ length: rows }, (_, row) => rowOf(this.rows!, row)));
    this.svg.setAttribute('width', String(Math.floor(width)));
    this.svg.setAttribute('height', String(this.height));
    this.element.toggleAttribute('hidden', rows === 0);
    this.canvas.width = Math.max(1, Math.floor(width));
    this.canvas.height = Math.max(1, rows);
    this.canvas.style.width = `${this.canvas.width}px`;
    this.canvas.style.height = `${Math.max(1, this.height)}px`;
  }

  // Their shades in a part of the run: a line of pixels for each row, which the browser makes as high as the row.
  draw(from: number, to: number): void {
    if (this.rows === undefined || this.rows.count === 0) return;
    const { width, height } = this.canvas;
    const pixels = new Uint32Array(width * height);
    const color = packed(palette().slow) & 0xffffff;
    for (let row = 0; row < height; row++) {
      const shares = sharesOf(this.rows.profile, row, from, to, width);
      for (let x = 0; x < width; x++)
        if (shares[x]! > 0) pixels[row * width + x] = (color | (Math.round(255 * shade(shares[x]!)) << 24)) >>> 0;
    }
    const picture = new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
    this.canvas.getContext('2d')!.putImageData(picture, 0, 0);
  }

  // As a drawing that can be exported: places of one share are one rectangle.
  asSvg(from: number, to: number): SVGGElement {
    const group = s('g', {});
    const { count: rows, profile, width } = this.rows!;
    const color = palette().slow;
    for (let row = 0; row < rows; row++) {
      const made = rowOf(this.rows!, row, palette().panel);
      const shares = sharesOf(profile, row, from, to, Math.floor(width));
      for (let x = 0, next = 0; x < shares.length; x = next) {
        for (next = x + 1; next < shares.length && shares[next] === shares[x]; next++);
        if (shares[x]! <= 0) continue;
        const opacity = shade(shares[x]!).toFixed(3);
        made.insertBefore(
          s('rect', { x, y: 0, width: next - x, height: SEQUENCE_ROW - 1, fill: color, 'fill-opacity': opacity }),
          made.lastChild
        );
      }
      group.append(made);
    }
    return group;
  }
}
