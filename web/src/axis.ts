// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What stands above the calls of a timeline: numbers of time, phases as bands.
import { palette, soft } from './colors.ts';
import { PhaseKinds, Profile } from './data.ts';
import { s } from './dom.ts';
import { count, short } from './format.ts';

export function drawAxis(axis: SVGSVGElement, from: number, to: number, width: number): void {
  const colors = palette();
  const wish = (to - from) / Math.max(2, width / 110);
  const power = 10 ** Math.floor(Math.log10(Math.max(1e-9, wish)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= wish)!;
  const parts: SVGElement[] = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    const x = ((time - from) / (to - from)) * width;
    parts.push(
      s('line', { x1: x, x2: x, y1: 14, y2: 20, stroke: colors.faint }),
      s('text',
        { x: Math.min(x + 3, width - 40), y: 12, fill: colors.faint, style: 'font:10.5px sans-serif' },
        step < 1000 && time >= 1000 ? count(time) : short(time))
    );
  }
  axis.replaceChildren(...parts);
  axis.setAttribute('width', String(Math.floor(width)));
  axis.setAttribute('height', '20');
}

// Phases whose intervals spend so much in other code than all of the phase does: as in rivulet phases.
const MIXED = 750;

function alikeText(kinds: PhaseKinds | undefined, name: string): string {
  const kind = kinds?.name.indexOf(name) ?? -1;
  if (kinds === undefined || kind < 0) return '';
  const alike = kinds.alike[kind]!;
  return `; its intervals are ${(alike / 10).toFixed(0)}% alike${alike < MIXED ? ': it is mixed' : ''}`;
}

// The order of the phases in a line: nested repetitions, and which phases are mixed.
export function orderText(profile: Profile): string {
  const { phaseKinds, phaseOrder } = profile;
  const mixed = phaseKinds?.name.filter((_, i) => phaseKinds.alike[i]! < MIXED) ?? [];
  const order = phaseOrder === '' ? '' : `Phases: ${phaseOrder}`;
  return mixed.length === 0 ? order : `${order}${order === '' ? '' : '   '}mixed: ${mixed.join(', ')}`;
}

export function drawPhases(
  bands: SVGSVGElement, profile: Profile, from: number, to: number, width: number,
  zoom: (begin: number, end: number) => void
): void {
  const { phases, phaseKinds } = profile;
  bands.replaceChildren();
  bands.setAttribute('height', phases === undefined || phases.count === 0 ? '0' : '20');
  bands.setAttribute('width', String(Math.floor(width)));
  if (phases === undefined) return;
  const scale = width / (to - from);
  for (let i = 0; i < phases.count; i++) {
    const x0 = Math.max(0, (phases.begin[i]! - from) * scale);
    const x1 = Math.min(width, (phases.end[i]! - from) * scale);
    if (x1 - x0 < 0.5) continue;
    const band = s(
      'g',
      { class: 'phase', 'data-phase': phases.name[i]!.slice(0, 100) },
      s('title',
        {},
        `Phase ${phases.name[i]}: ${count(phases.begin[i]!)} to ${count(phases.end[i]!)}${
          alikeText(phaseKinds, phases.name[i]!)}`),
      s('rect', { x: x0, y: 1, width: x1 - x0, height: 17, rx: 2, fill: soft(`phase ${phases.name[i]}`) })
    );
    if (x1 - x0 > 40)
      band.append(
        s('text',
          { x: x0 + 5, y: 13, fill: palette().text, style: 'font:11px sans-serif' },
          phases.name[i]!.slice(0, Math.floor((x1 - x0) / 7)))
      );
    band.addEventListener('click', () => zoom(phases.begin[i]!, phases.end[i]!));
    bands.append(band);
  }
}
