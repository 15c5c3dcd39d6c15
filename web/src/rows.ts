// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Rows above the calls of a timeline: the layers of the phases' order, and marks.
import { palette } from './colors.ts';
import { Marks, Profile } from './data.ts';
import { measure, s, SANS } from './dom.ts';
import { count } from './format.ts';

const ROW = 17;
const FONT = `11px ${SANS}`;
const KINDS: Record<string, [string, string]> = {
  gap: ['gap', 'records are missing here'],
  change: ['change', 'the sorted table saw a phase change'],
  firmware: ['firmware', 'the firmware noticed a phase change']
};

export const layerName = (layer: number): string => (layer <= 1 ? 'strata' : `stratum layer ${layer - 2}`);

interface Part {
  from: number;
  to: number;
  width: number;
  zoom: (begin: number, end: number) => void;
}

function layerRow(profile: Profile, layer: number, y: number, { from, to, width, zoom }: Part): SVGElement {
  const { layers } = profile;
  const colors = palette();
  const scale = width / (to - from);
  const row = s('g', { 'data-layer': layer, transform: `translate(0 ${y})` });
  for (let i = 0; i < layers!.count; i++) {
    if (layers!.layer[i] !== layer) continue;
    const [begin, end] = [layers!.begin[i]!, layers!.end[i]!];
    const x0 = Math.max(0, (begin - from) * scale);
    const x1 = Math.min(width, (end - from) * scale);
    if (x1 - x0 < 0.5) continue;
    const name = layers!.repetition[i]!;
    const run = s(
      'g',
      { class: 'layer-run' },
      s('title', {}, `${layerName(layer)}: ${name.slice(0, 300)}, from ${count(begin)} to ${count(end)}`),
      s('rect', {
        x: x0.toFixed(2),
        y: 1,
        width: Math.max(0.5, x1 - x0 - 1).toFixed(2),
        height: ROW - 3,
        rx: 2,
        fill: colors.panel,
        stroke: colors.faint
      })
    );
    const fits = Math.floor((x1 - x0 - 8) / 6.4);
    if (fits >= Math.min(5, name.length))
      run.append(
        s('text', { x: x0 + 4, y: 12, fill: colors.text, style: `font:${FONT}` },
          name.length <= fits ? name : `${name.slice(0, fits - 1)}…`)
      );
    run.addEventListener('click', () => zoom(begin, end));
    row.append(run);
  }
  return row;
}

// Marks of one kind; those that share a pixel are one line.
function markRow(marks: Marks, kind: string, y: number, { from, to, width, zoom }: Part): SVGElement {
  const colors = palette();
  const [name, text] = KINDS[kind] ?? [kind, ''];
  const scale = width / (to - from);
  const pixels = new Map<number, { first: number; marks: number }>();
  let all = 0;
  for (let i = 0; i < marks.count; i++) {
    if (marks.kind[i] !== kind || marks.at[i]! < from || marks.at[i]! > to) continue;
    all++;
    const x = Math.min(Math.floor(width) - 1, Math.floor((marks.at[i]! - from) * scale));
    const known = pixels.get(x);
    if (known === undefined) pixels.set(x, { first: marks.at[i]!, marks: 1 });
    else known.marks++;
  }
  const row = s('g', {
    'data-marks': kind,
    role: 'img',
    'aria-label': `${name}: ${count(all)} of them here, where ${text}`,
    transform: `translate(0 ${y})`
  });
  for (const [x, { first, marks: here }] of pixels) {
    const line = s(
      'g',
      { class: 'mark', 'data-count': here },
      s('title', {}, `${here === 1 ? '' : `${count(here)} marks, the first `}at ${count(first)}: ${text}`),
      s('rect', { x: x - 2, y: 0, width: 5, height: ROW - 2, fill: 'transparent' }),
      s('rect', { x: x - 0.75, y: 1, width: 1.5, height: ROW - 4, fill: kind === 'gap' ? colors.slow : colors.text })
    );
    const room = (to - from) / 20;
    line.addEventListener('click', () => zoom(first - room, first + room));
    row.append(line);
  }
  const words = `${name}: ${count(all)}`; // on a plate: there can be a mark at each pixel
  row.append(
    s('rect', { x: 0, y: 0, width: Math.ceil(measure(words, FONT)) + 10, height: ROW - 2, rx: 2, fill: colors.panel }),
    s('text', { x: 4, y: 12, fill: colors.text, style: `font:${FONT}` }, words)
  );
  return row;
}

export function drawRows(svg: SVGSVGElement, profile: Profile, part: Part): void {
  const { layers, marks } = profile;
  const rows: SVGElement[] = [];
  const deepest = layers === undefined ? 0 : layers.layer.reduce((most, layer) => Math.max(most, layer), 0);
  for (let layer = 1; layer <= deepest; layer++) rows.push(layerRow(profile, layer, rows.length * ROW, part));
  if (marks !== undefined)
    for (const kind of Object.keys(KINDS))
      if (marks.kind.includes(kind)) rows.push(markRow(marks, kind, rows.length * ROW, part));
  svg.replaceChildren(...rows);
  svg.setAttribute('width', String(Math.floor(part.width)));
  svg.setAttribute('height', String(rows.length * ROW));
}
