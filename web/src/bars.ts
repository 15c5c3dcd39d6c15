// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Rows of bars that can be zoomed: the drawing under flame graph and timeline. Only what is wide enough to be seen is
// drawn; what is narrower is one thin bar.
import { measure, s, SANS } from './dom.ts';
import { palette } from './colors.ts';
import { cut } from './format.ts';

export interface Bar {
  key: string;
  x: number; // of the whole, in its unit
  w: number;
  row: number;
  name: string;
  text: string; // all that is to be said
  color: string;
  dim: boolean;
  strong: boolean;
}

export const ROW = 20;
const FONT = `11.5px ${SANS}`;

export function drawBars(
  svg: SVGSVGElement, bars: Bar[], from: number, to: number, width: number, up: boolean, rows: number
): void {
  const scale = width / Math.max(1e-9, to - from);
  const colors = palette();
  const parts: SVGGElement[] = [];
  for (const bar of bars) {
    const x0 = Math.max(0, (bar.x - from) * scale);
    const x1 = Math.min(width, (bar.x + bar.w - from) * scale);
    if (x1 <= 0 || x0 >= width) continue;
    const w = Math.max(0.6, x1 - x0 - 0.6);
    const y = up ? (rows - 1 - bar.row) * ROW : bar.row * ROW;
    const group = s('g', {
      class: `frame${bar.strong ? ' selected' : ''}`,
      'data-key': bar.key,
      'data-name': bar.name.slice(0, 200),
      opacity: bar.dim ? 0.3 : 1
    });
    group.append(s('title', {}, bar.text.slice(0, 1000)));
    group.append(s('rect', {
      x: x0.toFixed(2),
      y,
      width: w.toFixed(2),
      height: ROW - 1,
      rx: 2,
      fill: bar.strong && w < 6 ? colors.select : bar.color,
      stroke: bar.strong && w >= 6 ? colors.select : 'none',
      'stroke-width': 1.5
    }));
    if (w > 26) {
      const fits = Math.floor(
        ((w - 8) / Math.max(1, measure(bar.name.slice(0, 60), FONT))) * Math.min(60, bar.name.length)
      );
      if (fits >= 3)
        group.append(s(
          'text', { x: (x0 + 4).toFixed(1), y: y + 14, fill: colors.text, style: `font:${FONT}` }, cut(bar.name, fits)
        ));
    }
    parts.push(group);
  }
  svg.replaceChildren(...parts);
  svg.setAttribute('width', String(Math.max(1, Math.floor(width))));
  svg.setAttribute('height', String(Math.max(1, rows) * ROW));
  svg.setAttribute('viewBox', `0 0 ${Math.max(1, Math.floor(width))} ${Math.max(1, rows) * ROW}`);
}

export function parseZoom(text: string): [number, number] | undefined {
  const [from, to] = text.split('-').map(Number);
  return from !== undefined && to !== undefined && Number.isFinite(from) && Number.isFinite(to) && to > from &&
      from >= 0 ?
    [from, to] :
    undefined;
}
