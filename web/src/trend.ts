// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// More than two runs of one program: the whole, or the selected function, from run to run.
import { App } from './app.ts';
import { changed as changeColor, palette } from './colors.ts';
import { Profile } from './data.ts';
import { pair } from './diff.ts';
import { h, s } from './dom.ts';
import { changePercent, count, cut } from './format.ts';

export interface TrendRow {
  profile: number;
  label: string;
  self: number; // of the function; of the whole: all
  total: number;
}

// Runs in order; one is left out where it is of another program. Undefined: fewer than three.
export function trendOf(profiles: Profile[], shown: number, f: number): TrendRow[] | undefined {
  const now = profiles[shown]!;
  const rows: TrendRow[] = [];
  profiles.forEach((profile, i) => {
    if (profile.application !== now.application || profile.unit !== now.unit) return;
    const label = profile.label || `profile ${i + 1}`;
    if (f < 0) return rows.push({ profile: i, label, self: profile.total, total: profile.total });
    if (i === shown)
      return rows.push({ profile: i, label, self: now.functions.self[f]!, total: now.functions.total[f]! });
    const other = pair(now, profile);
    return rows.push({ profile: i, label, self: other.self[f]!, total: other.total[f]! });
  });
  return rows.length > 2 ? rows : undefined;
}

const WIDTH = 300;
const HEIGHT = 60;

function drawTrend(rows: TrendRow[], shown: number, pick: (profile: number) => void): SVGSVGElement {
  const colors = palette();
  const most = Math.max(1e-9, ...rows.map((row) => row.self));
  const swing = Math.max(...rows.map((row) => Math.abs(row.self - rows[0]!.self)));
  const step = WIDTH / rows.length;
  const svg = s('svg', { class: 'trend', width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  rows.forEach((row, i) => {
    const tall = (row.self / most) * (HEIGHT - 4);
    const bar = s(
      'rect',
      {
        'data-self': row.self,
        x: (i * step + 1).toFixed(2),
        y: (HEIGHT - tall).toFixed(2),
        width: Math.max(1, step - 2).toFixed(2),
        height: tall.toFixed(2),
        fill: changeColor(rows[0]!.self, row.self, swing),
        stroke: row.profile === shown ? colors.select : colors.faint
      },
      s('title', {}, `${row.label.slice(0, 200)}: ${count(row.self)}`)
    );
    bar.addEventListener('click', () => pick(row.profile));
    svg.append(bar);
  });
  return svg;
}

// A small picture with its numbers; '' if there are fewer than three runs.
export function trend(app: App, f: number): HTMLElement | '' {
  const rows = trendOf(app.doc.profiles, app.index, f);
  if (rows === undefined) return '';
  const pick = (profile: number): void => app.state.set({ p: String(profile), path: '', rp: '' });
  const svg = drawTrend(rows, app.index, pick);
  const title = f < 0 ? 'Time from run to run' : 'Own time from run to run';
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${title}: the table below has the numbers`);
  return h(
    'div',
    { class: 'trends' },
    h('h3', {}, `${title} (${rows.length})`),
    svg,
    h('table',
      { class: 'trend-table' },
      h('tbody',
        {},
        ...rows.map((row, i) => {
          const before = i > 0 ? rows[i - 1]!.self : row.self;
          return h(
            'tr',
            {},
            h('td',
              {},
              h('button',
                {
                  type: 'button',
                  'aria-pressed': String(row.profile === app.index),
                  title: row.label.slice(0, 500),
                  click: () => pick(row.profile)
                },
                cut(row.label, 24))),
            h('td', { class: 'number' }, count(Math.round(row.self))),
            h('td',
              { class: `number ${row.self > before ? 'slower' : row.self < before ? 'faster' : ''}` },
              i > 0 ? changePercent(before, row.self) : '')
          );
        })))
  );
}
