// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The list of functions (QTY FIG. 8).
import { App, Drawing, View } from './app.ts';
import { averageTotals } from './graph.ts';
import { check, h } from './dom.ts';
import { baseName, change, changePercent, count, percent, short } from './format.ts';
import { Column, Grid } from './table.ts';

export class FunctionList implements View {
  readonly id = 'functions';
  readonly name = 'Functions';
  readonly element: HTMLElement;
  private grid: Grid<number>;
  private controls = h('div', { class: 'controls' });
  private averages: Float64Array | undefined;

  constructor(private app: App) {
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
    this.element = h('section', { class: 'view', 'aria-label': 'Functions' }, this.controls, this.grid.element);
  }

  private columns(): Column<number>[] {
    const { app } = this;
    const { functions, unit } = app.profile;
    const pairing = app.pairing;
    const cycles = (key: string, title: string, hint: string, values: ArrayLike<number>): Column<number> => ({ key, title, hint, number: true, value: (f) => values[f]!, text: (f) => count(values[f]!) });
    const share = (key: string, title: string, hint: string, values: ArrayLike<number>): Column<number> => ({
      key, title, hint, number: true, value: (f) => values[f]!, text: (f) => percent(app.share(values[f]!)), share: (f) => app.share(values[f]!),
    });
    const columns: Column<number>[] = [
      { key: 'name', title: 'Function', wide: true, value: (f) => app.nameOf(f), text: (f) => app.nameOf(f) },
      share('self', 'Self %', 'Own time as a share of all', functions.self),
      share('total', 'Self + desc. %', 'With all that it calls', functions.total),
    ];
    if (pairing)
      columns.push(
        { key: 'before', title: 'Before', hint: `Self + descendants in ${pairing.other.label}`, number: true, value: (f) => pairing.total[f]!, text: (f) => short(pairing.total[f]!) },
        { key: 'change', title: 'Change', hint: `Self + descendants, ${unit}`, number: true, value: (f) => functions.total[f]! - pairing.total[f]!, text: (f) => change(pairing.total[f]!, functions.total[f]!), style: (f) => (functions.total[f]! > pairing.total[f]! ? 'slower' : functions.total[f]! < pairing.total[f]! ? 'faster' : '') },
        { key: 'selfchange', title: 'Self change', hint: `Self, ${unit}`, number: true, value: (f) => functions.self[f]! - pairing.self[f]!, text: (f) => `${change(pairing.self[f]!, functions.self[f]!)} ${changePercent(pairing.self[f]!, functions.self[f]!)}`, style: (f) => (functions.self[f]! > pairing.self[f]! ? 'slower' : functions.self[f]! < pairing.self[f]! ? 'faster' : '') },
      );
    columns.push(
      cycles('calls', 'Calls', 'Times it was called', functions.calls),
      cycles('selfcycles', 'Self', `Own time, ${unit}`, functions.self),
      cycles('totalcycles', 'Self + desc.', `With all that it calls, ${unit}`, functions.total),
    );
    if (this.averages) columns.push({ ...cycles('averaged', 'By averages', 'Self + descendants as gprof would have it: calls of a function all cost the same', this.averages) });
    const average = (f: number): number => (functions.calls[f]! > 0 ? functions.total[f]! / functions.calls[f]! : 0);
    if (functions.least && functions.most) columns.push(cycles('least', 'Min', 'Shortest call, with descendants', functions.least));
    columns.push({ key: 'average', title: 'Average', hint: 'Of a call, with descendants', number: true, value: average, text: (f) => count(Math.round(average(f))) });
    if (functions.least && functions.most) columns.push(cycles('most', 'Max', 'Longest call, with descendants', functions.most));
    if (app.doc.profiles.length > 1 && !pairing)
      app.doc.profiles.forEach((other, i) => {
        if (i === app.index) return;
        const by = new Map(other.functions.name.map((name, f) => [name, f]));
        const value = (f: number): number => {
          const o = by.get(app.nameOf(f));
          return o === undefined || other.total === 0 ? 0 : other.functions.self[o]! / other.total;
        };
        columns.push({ key: `side${i}`, title: `Self %: ${other.label.slice(0, 20)}`, hint: 'Measured in another way', number: true, value, text: (f) => percent(value(f)), share: value });
      });
    columns.push({ key: 'place', title: 'File', value: (f) => app.fileOf(f), text: (f) => (app.fileOf(f) === '' ? '' : `${baseName(app.fileOf(f))}${functions.line[f]! > 0 ? `:${functions.line[f]}` : ''}`) });
    return columns;
  }

  update(changed: Set<string>): void {
    const { state } = this.app;
    const rest = [...changed].filter((name) => name !== 'f' && name !== 'path' && name !== 'line');
    const selected = this.app.selected;
    if (rest.length === 0) {
      this.grid.mark(selected);
      if (selected >= 0) this.grid.revealRow(selected);
      return;
    }
    const averaged = state.get('avg') === '1';
    this.averages = averaged ? averageTotals(this.app.graphOf(false), this.app.profile.functions.self) : undefined;
    this.grid.sort = state.get('sort') || (this.app.pairing ? '-change' : '-self');
    this.grid.setColumns(this.columns());
    const rows: number[] = [];
    const cold = state.get('scope') === 'cold';
    for (let f = 0; f < this.app.profile.functions.count; f++)
      if ((cold || this.app.graph.ran[f]) && this.app.matches(`${this.app.nameOf(f)} ${this.app.fileOf(f)}`)) rows.push(f);
    this.grid.show(rows, selected >= 0 ? selected : undefined);
    const gone = this.app.pairing?.gone.length ?? 0;
    const ran = this.app.graph.ran.reduce((sum, value) => sum + value, 0);
    this.controls.replaceChildren(
      check('What averages would say', averaged, (on) => state.set({ avg: on ? '1' : '' }), 'Another column: times as gprof shares them out, by the number of calls'),
      check('Functions that did not run', cold, (on) => state.set({ scope: on ? 'cold' : 'f' })),
      h('button', { type: 'button', disabled: selected < 0, click: () => state.set({ view: 'river' }) }, 'Locate in graph'),
      h('button', { type: 'button', disabled: selected < 0 || this.app.profile.code === undefined, click: () => state.set({ view: 'code' }) }, 'Show code'),
      h('span', { class: 'quiet', role: 'status' }, `${count(rows.length)} shown; ${count(ran)} of ${count(this.app.profile.functions.count)} functions ran${gone > 0 ? `; ${count(gone)} of the other profile are gone` : ''}`),
    );
  }

  drawing(): Drawing {
    return { text: this.grid.asText() };
  }
  table(): ReturnType<Grid<number>['asTable']> {
    return this.grid.asTable(400);
  }
}
