// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The list of functions (QTY FIG. 8).
import { App, Drawing, View } from './app.ts';
import { averageOf, averageTotals } from './graph.ts';
import { check, h, select } from './dom.ts';
import { baseName, change, changePercent, count, percent, short } from './format.ts';
import { Profile } from './data.ts';
import { textOf } from './source.ts';
import { Column, Grid } from './table.ts';

// Time by source file, or by line over all functions that the line was compiled into.
export interface PlaceRow {
  file: number;
  line: number; // 0: the whole file
  fn: number; // where most of its time is
  most: number;
  cycles: number;
  times: number;
  before: number;
}

export function byPlace(profile: Profile, lines: boolean): PlaceRow[] {
  const rows = new Map<string, PlaceRow>();
  const at = profile.lines;
  if (at === undefined) return [];
  for (let i = 0; i < at.count; i++) {
    if (at.hit[i] === 0 || at.file[i]! < 0) continue;
    const line = lines ? at.line[i]! : 0;
    const key = `${at.file[i]}:${line}`;
    let row = rows.get(key);
    if (row === undefined)
      rows.set(key, (row = { file: at.file[i]!, line, fn: at.fn[i]!, most: -1, cycles: 0, times: 0, before: 0 }));
    row.cycles += at.cycles[i]!;
    row.times = Math.max(row.times, at.times[i]!);
    if (at.cycles[i]! > row.most) {
      row.most = at.cycles[i]!;
      row.fn = at.fn[i]!;
    }
  }
  return [...rows.values()];
}

export class FunctionList implements View {
  readonly id = 'functions';
  readonly name = 'Functions';
  readonly element: HTMLElement;
  private grid: Grid<number>;
  private controls = h('div', { class: 'controls' });
  private averages: Float64Array | undefined;
  private places: Grid<PlaceRow>;

  constructor(private app: App) {
    this.places = new Grid<PlaceRow>({
      label: 'Lines or files',
      columns: [],
      sort: '-self',
      onSelect: (row) => app.select(row.fn, row.line > 0 ? { line: `${row.file}:${row.line}` } : {}),
      onOpen: (row) => app.select(row.fn, { view: 'code', line: row.line > 0 ? `${row.file}:${row.line}` : '' }),
      empty: 'Nothing fits; lines need a program with debug information.',
    });
    this.grid = new Grid<number>({
      label: 'Functions',
      columns: [],
      sort: '-self',
      onSort: (sort) => app.state.set({ sort }, false),
      onSelect: (f) => app.select(f),
      onOpen: (f) => app.select(f, { view: 'river' }),
      rowClass: (f) => (app.graph.ran[f] ? '' : 'cold'),
      empty: 'No function fits the search.',
    });
    this.element = h(
      'section', { class: 'view', 'aria-label': 'Functions' }, this.controls, this.grid.element, this.places.element
    );
  }

  private columns(): Column<number>[] {
    const { app } = this;
    const { functions, unit } = app.profile;
    const pairing = app.pairing;
    const cycles = (key: string, title: string, hint: string, values: ArrayLike<number>):
      Column<number> => ({ key, title, hint, number: true, value: (f) => values[f]!, text: (f) => count(values[f]!) });
    const share = (key: string, title: string, hint: string, values: ArrayLike<number>): Column<number> => ({
      key,
      title,
      hint,
      number: true,
      value: (f) => values[f]!,
      text: (f) => percent(app.share(values[f]!)),
      share: (f) => app.share(values[f]!),
    });
    const columns: Column<number>[] = [
      {
        key: 'name',
        title: 'Function',
        wide: true,
        stays: true,
        value: (f) => app.nameOf(f),
        text: (f) => app.nameOf(f)
      },
      share('self', 'Self %', 'Own time as a share of all', functions.self),
      share('total', 'Total %', 'Self + descendants: with all that it calls', functions.total),
    ];
    if (pairing)
      columns.push(
        {
          key: 'before',
          title: 'Before',
          hint: `Self + descendants in ${pairing.other.label}`,
          number: true,
          value: (f) => pairing.total[f]!,
          text: (f) => short(pairing.total[f]!)
        },
        {
          key: 'change',
          title: 'Change',
          hint: `Self + descendants, ${unit}`,
          number: true,
          value: (f) => functions.total[f]! - pairing.total[f]!,
          text: (f) => change(pairing.total[f]!, functions.total[f]!),
          style: (f) => (
            functions.total[f]! > pairing.total[f]!  ? 'slower' :
              functions.total[f]! < pairing.total[f]!? 'faster' :
                                                       ''
          )
        },
        {
          key: 'selfchange',
          title: 'Self change',
          hint: `Self, ${unit}`,
          number: true,
          value: (f) => functions.self[f]! - pairing.self[f]!,
          text: (f
          ) => `${change(pairing.self[f]!, functions.self[f]!)} ${changePercent(pairing.self[f]!, functions.self[f]!)}`,
          style: (f) => (
            functions.self[f]! > pairing.self[f]!  ? 'slower' :
              functions.self[f]! < pairing.self[f]!? 'faster' :
                                                     ''
          )
        },
      );
    columns.push(
      cycles('calls', 'Calls', 'Times it was called', functions.calls),
      cycles('selfcycles', 'Self', `Own time, ${unit}`, functions.self),
      cycles('totalcycles', 'Total', `Self + descendants: with all that it calls, ${unit}`, functions.total),
    );
    if (this.averages)
      columns.push({...cycles(
        'averaged',
        'By averages',
        'Self + descendants as gprof would have it: calls of a function all cost the same',
        this.averages
      ) });
    const average = (f: number): number | undefined => averageOf(this.app.profile, this.app.graph, f);
    if (functions.least && functions.most)
      columns.push(cycles('least', 'Min', 'Shortest call, with descendants', functions.least));
    columns.push({
      key: 'average',
      title: 'Average',
      hint: 'Of a call, with descendants',
      number: true,
      value: (f) => average(f) ?? 0,
      text: (f) => {
        const a = average(f);
        return a === undefined ? '' : count(Math.round(a));
      }
    });
    if (functions.least && functions.most)
      columns.push(cycles('most', 'Max', 'Longest call, with descendants', functions.most));
    if (app.doc.profiles.length > 1 && !pairing)
      app.doc.profiles.forEach((other, i) => {
        if (i === app.index) return;
        const by = new Map(other.functions.name.map((name, f) => [name, f]));
        const value = (f: number): number => {
          const o = by.get(app.nameOf(f));
          return o === undefined || other.total === 0 ? 0 : other.functions.self[o]! / other.total;
        };
        columns.push({
          key: `side${i}`,
          title: `Self %: ${other.label.slice(0, 20)}`,
          hint: 'Measured in another way',
          number: true,
          value,
          text: (f) => percent(value(f)),
          share: value
        });
      });
    columns.push({
      key: 'place',
      title: 'File',
      value: (f) => app.fileOf(f),
      text: (f) => (
        app.fileOf(f) === '' ? '' : `${baseName(app.fileOf(f))}${functions.line[f]! > 0 ? `:${functions.line[f]}` : ''}`
      )
    });
    return columns;
  }

  // What the other profile has in the same place: lines by their number, which is right for the same sources.
  private placesOf(lines: boolean): PlaceRow[] {
    const { app } = this;
    const rows = byPlace(app.profile, lines);
    const other = app.pairing?.other;
    if (other === undefined) return rows;
    const before = new Map(byPlace(other, lines).map((row) => [`${other.files[row.file]}:${row.line}`, row.cycles]));
    for (const row of rows)
      row.before = (before.get(`${app.profile.files[row.file]}:${row.line}`) ?? 0) * app.pairing!.factor;
    return rows;
  }

  private showPlaces(lines: boolean): void {
    const { app } = this;
    const { profile } = app;
    const name = (row: PlaceRow): string => `${profile.files[row.file]!}${row.line > 0 ? `:${row.line}` : ''}`;
    const columns: Column<PlaceRow>[] = [
      {
        key: 'name',
        title: lines ? 'Line' : 'File',
        value: name,
        text: lines ? (row) => `${baseName(profile.files[row.file]!)}:${row.line}` : name
      },
      {
        key: 'self',
        title: 'Self %',
        hint: 'Own time as a share of all',
        number: true,
        value: (row) => row.cycles,
        text: (row) => percent(app.share(row.cycles)),
        share: (row) => app.share(row.cycles)
      },
      { key: 'cycles', title: 'Self', number: true, value: (row) => row.cycles, text: (row) => count(row.cycles) },
    ];
    if (app.pairing)
      columns.push({
        key: 'change',
        title: 'Change',
        number: true,
        value: (row) => row.cycles - row.before,
        text: (row) => change(row.before, row.cycles),
        style: (row) => (
          row.cycles > row.before   ? 'slower' :
            row.cycles < row.before ? 'faster' :
                                      ''
        )
      });
    if (lines)
      columns.push(
        { key: 'times', title: 'Times', number: true, value: (row) => row.times, text: (row) => count(row.times) }
      );
    columns.push({
      key: 'text',
      title: lines ? 'Source' : 'Most of it in',
      wide: true,
      text: (row) => (lines ? (textOf(profile, row.file, row.line) ?? '').trim() : app.nameOf(row.fn)),
      style: () => (lines ? 'mono' : '')
    });
    const rows = this.placesOf(lines).filter(
      (row
      ) => app.matches(`${name(row)} ${app.nameOf(row.fn)} ${lines ? (textOf(profile, row.file, row.line) ?? '') : ''}`)
    );
    this.places.setColumns(columns);
    this.places.show(rows);
    const sum = rows.reduce((total, row) => total + row.cycles, 0);
    this.controls.replaceChildren(
      this.chooser(),
      h('span',
        { class: 'quiet', role: 'status' },
        `${count(rows.length)} shown, ${percent(app.share(sum))} of the time`)
    );
  }

  private chooser(): HTMLElement {
    return select(
      'By',
      this.app.state.get('by'),
      [['function', 'function'], ['file', 'file'], ['line', 'line']],
      (by) => this.app.state.set({ by })
    );
  }

  update(changed: Set<string>): void {
    const { state } = this.app;
    const by = state.get('by');
    this.grid.element.hidden = by !== 'function';
    this.places.element.hidden = by === 'function';
    if (by !== 'function') {
      if ([...changed].some((name) => name !== 'f' && name !== 'line' && name !== 'path'))
        this.showPlaces(by === 'line');
      return;
    }
    const rest = [...changed].filter((name) => name !== 'f' && name !== 'path' && name !== 'line');
    const selected = this.app.selected;
    if (rest.length === 0) {
      this.grid.mark(selected);
      if (selected >= 0) this.grid.revealRow(selected);
      return;
    }
    const averaged = state.get('avg') === '1';
    this.averages = averaged ? averageTotals(this.app.graphOf(false), this.app.profile.functions.self) : undefined;
    this.grid.sort = state.get('sort') || (this.app.pairing ? '-selfchange' : '-self');
    this.grid.setColumns(this.columns());
    const rows: number[] = [];
    const cold = state.get('scope') === 'cold';
    for (let f = 0; f < this.app.profile.functions.count; f++)
      if ((cold || this.app.graph.ran[f]) && this.app.matches(`${this.app.nameOf(f)} ${this.app.fileOf(f)}`))
        rows.push(f);
    this.grid.show(rows, selected >= 0 ? selected : undefined);
    const gone = this.app.pairing?.gone.length ?? 0;
    const ran = this.app.graph.ran.reduce((sum, value) => sum + value, 0);
    this.controls.replaceChildren(
      this.chooser(),
      check(
        'What averages would say',
        averaged,
        (on) => state.set({ avg: on ? '1' : '' }),
        'Another column: times as gprof shares them out, by the number of calls'
      ),
      check('Functions that did not run', cold, (on) => state.set({ scope: on ? 'cold' : 'f' })),
      h('button',
        { type: 'button', disabled: selected < 0, click: () => state.set({ view: 'river' }) },
        'Locate in graph'),
      h('button',
        {
          type: 'button',
          disabled: selected < 0 || this.app.profile.code === undefined,
          click: () => state.set({ view: 'code' })
        },
        'Show code'),
      h('span',
        { class: 'quiet', role: 'status' },
        `${count(rows.length)} shown; ${count(ran)} of ${count(this.app.profile.functions.count)} functions ran${
          gone > 0 ? `; ${count(gone)} of the other profile are gone` : ''}`),
    );
  }

  drawing(): Drawing {
    return { text: this.app.state.get('by') === 'function' ? this.grid.asText() : this.places.asText() };
  }
  table(): ReturnType<Grid<number>['asTable']> {
    return this.app.state.get('by') === 'function' ? this.grid.asTable(400) : this.places.asTable(400);
  }
}
