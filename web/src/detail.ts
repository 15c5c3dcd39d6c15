// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The selected function: its data, who called it, what it called, and how long its calls were (QTY FIG. 10, 11).
import { App } from './app.ts';
import { heat } from './colors.ts';
import { h, s } from './dom.ts';
import { change, changePercent, count, percent, short } from './format.ts';
import { averageOf, callees, callers, Neighbour, unknownCallers, unknownMark, unknownText } from './graph.ts';
import { trend } from './trend.ts';

// Calls by length over all call sites of a function: bucket b holds lengths of 2^(b-1) to 2^b - 1.
export function buckets(profile: App['profile'], calls: number[]): [number, number][] {
  const sums = new Map<number, number>();
  for (const i of calls) {
    const list = profile.calls.buckets?.[i] ?? [];
    for (let k = 0; k + 1 < list.length; k += 2) sums.set(list[k]!, (sums.get(list[k]!) ?? 0) + list[k + 1]!);
  }
  return [...sums].sort((x, y) => x[0] - y[0]);
}

const HOTTEST = 10; // functions of the list

export class Detail {
  readonly element = h('aside', { class: 'detail', 'aria-label': 'Selected function' });

  constructor(private app: App) {}

  update(): void {
    const { app } = this;
    const f = app.selected;
    if (f < 0) {
      this.element.replaceChildren(
        h('h2', {}, app.profile.label || 'Profile'),
        this.profileData(),
        trend(app, -1),
        this.hottest(),
        h('p', { class: 'quiet' }, 'Select a function: click it, or press / and type its name.')
      );
      return;
    }
    const graph = app.graphOf(false);
    const into = callers(graph, f);
    const out = callees(graph, f);
    const name = app.nameOf(f);
    this.element.replaceChildren(
      h('h2', { title: name.slice(0, 2000) }, name.length > 300 ? `${name.slice(0, 300)}…` : name),
      this.actions(),
      this.data(f),
      trend(app, f),
      h('h3', {}, `Called from (${into.length})`),
      this.table(into, graph.totals[f]!, true, f),
      this.fromNobody(f),
      h('h3', {}, `Calls (${out.length})`),
      this.table(out, graph.totals[f]!, false, f),
      this.lengths(into) ?? '',
    );
  }

  private profileData(): HTMLElement {
    const p = this.app.profile;
    const rows: [string, string][] = [
      ['Program', p.program],
      ['Time', `${count(p.total)} ${p.unit}`],
    ];
    if (p.instructions > 0) rows.push(['Instructions', count(p.instructions)]);
    if (p.unit === 'cycles' && p.instructions > 0)
      rows.push(['Cycles an instruction', (p.total / p.instructions).toFixed(2)]);
    if (p.way !== '') rows.push(['Collected', p.way]);
    rows.push(['Times of calls', p.exactCalls ? 'exact' : 'from counts; marked where they are not exact: ≈ ≥ ?']);
    return h('div', {}, this.list(rows), ...p.notes.map((note) => h('p', { class: 'note' }, note)));
  }

  // Where the time is, before anything is selected.
  private hottest(): HTMLElement | string {
    const { app } = this;
    const { self, total, count: functions } = app.profile.functions;
    const ran = Array.from({ length: functions }, (_, f) => f).filter((f) => self[f]! > 0);
    const rows = ran.sort((x, y) => self[y]! - self[x]! || x - y).slice(0, HOTTEST);
    if (rows.length === 0) return '';
    const most = self[rows[0]!]!;
    const head = h('tr', {}, h('th', { scope: 'col' }, 'Most own time'), h('th', { scope: 'col' }, 'Self'),
      h('th', { scope: 'col', title: 'With all that it calls' }, 'With callees'));
    const body = rows.map((f) => {
      const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
      bar.style.width = `${(100 * self[f]!) / most}%`;
      bar.style.background = heat(app.share(self[f]!));
      const name = app.nameOf(f).slice(0, 120);
      return h(
        'tr',
        {},
        h('td', { class: 'named' }, bar, h('button', { type: 'button', click: () => app.select(f) }, name)),
        h('td', { class: 'number' }, percent(app.share(self[f]!))),
        h('td', { class: 'number' }, percent(app.share(total[f]!)))
      );
    });
    return h('table', { class: 'hottest' }, h('thead', {}, head), h('tbody', {}, ...body));
  }

  private list(rows: [string, string | Node][]): HTMLElement {
    const list = h('dl', {});
    for (const [name, value] of rows) list.append(h('dt', {}, name), h('dd', {}, value));
    return list;
  }

  private actions(): HTMLElement {
    const { state } = this.app;
    const go = (view: string, more: Record<string, string> = {}): (() => void) => () => state.set({ view, ...more });
    return h(
      'div',
      { class: 'actions' },
      h('button', { type: 'button', click: go('river') }, 'In river'),
      h('button', { type: 'button', disabled: !this.app.profile.code, click: go('code') }, 'Code'),
      h('button', { type: 'button', disabled: !this.app.profile.paths, click: go('paths', { scope: 'f' }) }, 'Paths'),
      h('button',
        { type: 'button', disabled: !this.app.profile.stacks, click: go('flame', { mode: 'sandwich' }) },
        'Sandwich'),
      h('button',
        {
          type: 'button',
          'aria-label': 'Select nothing',
          title: 'Select nothing (Esc)',
          click: () => this.app.select(-1)
        },
        '✕'),
    );
  }

  private data(f: number): HTMLElement {
    const { app } = this;
    const { functions, unit } = app.profile;
    const pairing = app.pairing;
    const with_ = (value: number): string => `${count(value)} ${unit}, ${percent(app.share(value))}`;
    const rows: [string, string | Node][] = [];
    if (app.fileOf(f) !== '')
      rows.push(['File', `${app.fileOf(f)}${functions.line[f]! > 0 ? `:${functions.line[f]}` : ''}`]);
    rows.push(
      ['Address', functions.address[f]!],
      ['Calls', count(functions.calls[f]!)],
      ['Self', with_(functions.self[f]!)],
      ['Self + descendants', unknownMark(functions.unknown[f]!) + with_(functions.total[f]!)]
    );
    const average = averageOf(app.profile, app.graph, f);
    if (average !== undefined) rows.push(['Average of a call', count(Math.round(average * 10) / 10)]);
    if (functions.least && functions.most && functions.calls[f]! > 0) {
      rows.push(['Least, most of a call', `${count(functions.least[f]!)} – ${count(functions.most[f]!)}`]);
      if (functions.selfLeast && functions.selfMost)
        rows.push(['Least, most self', `${count(functions.selfLeast[f]!)} – ${count(functions.selfMost[f]!)}`]);
    }
    if (app.graph.recursive[f]) rows.push(['Recursive', 'yes']);
    if (pairing) {
      const mark = (before: number, after: number): Node => h(
        'span',
        { class: after > before ? 'slower' :
            after < before      ? 'faster' :
                                  '' },
        `${count(before)} → ${count(after)}: ${change(before, after)}, ${changePercent(before, after)}`
      );
      rows.push(
        [`Self against ${pairing.other.label}`, mark(pairing.self[f]!, functions.self[f]!)],
        ['Self + descendants', mark(pairing.total[f]!, functions.total[f]!)]
      );
    }
    const list = this.list(rows);
    list.classList.add('function-data');
    return list;
  }

  private table(rows: Neighbour[], total: number, averaged: boolean, self: number): HTMLElement {
    if (rows.length === 0) return h('p', { class: 'quiet' }, averaged ? 'Nobody that was seen.' : 'Nothing.');
    const { app } = this;
    const apart = averaged && app.profile.exactCalls && rows.length > 1 &&
      rows.some((row) => row.f !== self && Math.abs(row.averaged - row.total) > 0.005 * total);
    const head = h(
      'tr',
      {},
      h('th', { scope: 'col' }, 'Function'),
      h('th', { scope: 'col' }, 'Calls'),
      h('th', { scope: 'col', title: 'Share of this function’s self + descendants time' }, 'Share'),
      h('th', { scope: 'col', title: 'Share of the whole program' }, 'Of all')
    );
    if (apart)
      head.append(
        h('th', { scope: 'col', title: 'What a profiler that takes all calls for equal would say' }, 'By averages')
      );
    const body = rows.slice(0, 200).map((row) => {
      const name = app.nameOf(row.f);
      const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
      bar.style.width = `${total > 0 ? Math.min(100, (100 * row.total) / total) : 0}%`;
      bar.style.background = heat(app.share(row.total));
      const line = h(
        'tr',
        { 'data-neighbour': name.slice(0, 200) },
        h('td',
          { class: 'named' },
          bar,
          h('button',
            { type: 'button', title: this.sites(row), click: () => app.select(row.f) },
            name.length > 120 ? `${name.slice(0, 120)}…` : name)),
        h('td', { class: 'number' }, count(row.count)),
        h('td',
          { class: 'number', 'data-unknown': row.unknown, title: unknownText(row.unknown) },
          row.f === self ? 'recursion' : this.shareText(row, total)),
        h('td', { class: 'number' }, percent(app.share(row.total))),
      );
      if (apart)
        line.append(h('td', { class: 'number' }, row.f === self ? '' : percent(total > 0 ? row.averaged / total : 0)));
      return line;
    });
    return h(
      'div',
      { class: 'neighbours' },
      h('table', { class: averaged ? 'callers' : 'callees' }, h('thead', {}, head), h('tbody', {}, ...body)),
      rows.length > 200 ? h('p', { class: 'quiet' }, `and ${count(rows.length - 200)} more`) : null
    );
  }

  private shareText(row: Neighbour, total: number): string {
    return `${unknownMark(row.unknown)}${percent(total > 0 ? row.total / total : 0)}`;
  }

  // How often it was entered by who knows whom: calls by a register of a profile, what was open before the first trace.
  private fromNobody(f: number): HTMLElement | string {
    const { app } = this;
    const rest = unknownCallers(app.profile, f);
    if (rest.count === 0 && rest.total === 0) return '';
    const times = rest.count > 0 ? `${count(rest.count)} times` : 'before the first trace';
    const share = `${unknownMark(rest.unknown)}${percent(app.share(rest.total))} of all`;
    return h(
      'p',
      { class: 'quiet', 'data-nobody': rest.count, title: unknownText(rest.unknown) },
      `Entered ${times} from where it is not known: ${share}`
    );
  }

  private sites(row: Neighbour): string {
    const { calls } = this.app.profile;
    const unknown = unknownText(row.unknown);
    return (unknown === '' ? '' : `${unknown}\n`) +
      row.calls.slice(0, 12)
        .map(
          (i) => `${calls.site[i]}${calls.line[i]! > 0 ? `, line ${calls.line[i]}` : ''}: ${
            count(calls.times[i]!)} calls, ${short(calls.total[i]!)}`
        )
        .join('\n');
  }

  // One row of bars for each caller: averages hide this.
  private lengths(into: Neighbour[]): HTMLElement | null {
    const { profile } = this.app;
    if (profile.calls.buckets === undefined || into.length === 0) return null;
    const sets = into.slice(
                       0, 6
    ).map((row) => ({ name: this.app.nameOf(row.f), list: buckets(profile, row.calls), calls: row.calls }))
                   .filter((set) => set.list.length > 0);
    if (sets.length === 0) return null;
    const first = Math.min(...sets.map((set) => set.list[0]![0]));
    const last = Math.max(...sets.map((set) => set.list[set.list.length - 1]![0]));
    const block = h('div', { class: 'lengths' }, h('h3', {}, 'How long its calls were'));
    for (const set of sets) {
      const most = Math.max(...set.list.map((item) => item[1]));
      const sum = set.list.reduce((a, b) => a + b[1], 0);
      const least = profile.calls.least ? Math.min(...set.calls.map((i) => profile.calls.least![i]!)) : 0;
      const largest = profile.calls.most ? Math.max(...set.calls.map((i) => profile.calls.most![i]!)) : 0;
      const w = 280 / (last - first + 1);
      const svg = s('svg', {
        viewBox: '0 0 280 44',
        class: 'histogram',
        role: 'img',
        'aria-label':
          `From ${set.name.slice(0, 80)}: ${count(sum)} calls, ${count(least)} to ${count(largest)} ${profile.unit}`,
        'data-from': set.name.slice(0, 200)
      });
      for (const [bucket, calls] of set.list) {
        const from = bucket === 0 ? 0 : 2 ** (bucket - 1);
        const tall = Math.max(1.5, (40 * calls) / most);
        svg.append(
          s('rect',
            {
              x: ((bucket - first) * w + 0.5).toFixed(2),
              y: (42 - tall).toFixed(2),
              width: Math.max(1, w - 1).toFixed(2),
              height: tall.toFixed(2),
              fill: heat(0.01 * bucket),
              'data-bucket': bucket,
              'data-calls': calls
            },
            s('title',
              {},
              `${count(from)} to ${count(Math.max(from, 2 ** bucket - 1))} ${profile.unit}: ${count(calls)} calls`))
        );
      }
      block.append(
        h('div',
          { class: 'set' },
          h('span', { class: 'quiet' }, `from ${set.name.slice(0, 60)}`),
          svg,
          h('span', { class: 'axis' }, h('span', {}, short(least)), h('span', {}, short(largest))))
      );
    }
    return block;
  }
}
