// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A part of a run: which functions had its time, which paths were hot in it, and the whole run as one small picture.
import { App } from './app.ts';
import { Spans, Profile } from './data.ts';
import { h, s } from './dom.ts';
import { palette } from './colors.ts';
import { count, percent } from './format.ts';
import { Lanes } from './lanes.ts';

export interface RangeRow {
  fn: number;
  self: number; // time within the range, without what it called
  calls: number; // that were open in it
}

interface Open {
  fn: number;
  depth: number;
  end: number;
  self: number;
}

// Each call's time within the range, less that of the calls in it. Of shorter calls that were left out, the time is
// their caller's.
export function functionsOf(spans: Spans, from: number, to: number): RangeRow[] {
  const rows = new Map<number, RangeRow>();
  const open: Open[] = [];
  const close = (): void => {
    const call = open.pop()!;
    const row = rows.get(call.fn) ?? { fn: call.fn, self: 0, calls: 0 };
    row.self += call.self;
    row.calls++;
    rows.set(call.fn, row);
  };
  let process = -1;
  for (let i = 0; i < spans.count; i++) {
    const begin = spans.begin[i]!;
    const end = begin + spans.duration[i]!;
    if (end <= from || begin >= to) continue;
    const ended = (call: Open): boolean => spans.process[i] !== process || call.depth >= spans.depth[i]!;
    while (open.length > 0 && ended(open[open.length - 1]!)) close();
    process = spans.process[i]!;
    const time = Math.min(end, to) - Math.max(begin, from);
    const caller = open[open.length - 1];
    if (caller !== undefined) caller.self -= time;
    open.push({ fn: spans.fn[i]!, depth: spans.depth[i]!, end, self: time });
  }
  while (open.length > 0) close();
  return [...rows.values()].sort((x, y) => y.self - x.self || x.fn - y.fn);
}

// The hottest sequence paths within the range: the share of its instructions, by the intervals that lie in it.
export function pathsOf(profile: Profile, from: number, to: number): { path: number; share: number }[] {
  const { sequences, intervals } = profile;
  if (sequences === undefined || intervals === undefined) return [];
  const rows: { path: number; share: number }[] = [];
  for (let path = 0; path < sequences.count; path++) {
    let time = 0;
    let heat = 0;
    for (let i = 0; i < intervals.count; i++) {
      const within = Math.min(to, intervals.end[i]!) - Math.max(from, intervals.begin[i]!);
      if (within <= 0) continue;
      time += within;
      heat += (within * sequences.heat[path]![i]!) / 1000;
    }
    if (time > 0 && heat > 0) rows.push({ path, share: heat / time });
  }
  return rows.sort((x, y) => y.share - x.share);
}

// Instructions of each source line in the range; of inlined code, in all functions that have it. Of a cell that lies in
// it in part, that part of them. line: the row that has the most.
export function linesOf(profile: Profile, from: number, to: number): { line: number; instructions: number }[] {
  const { cells, lines } = profile;
  if (cells === undefined || lines === undefined) return [];
  const sums = new Float64Array(lines.count);
  for (let i = 0; i < cells.count; i++) {
    const within = Math.min(to, cells.end[i]!) - Math.max(from, cells.begin[i]!);
    if (within <= 0) continue;
    const part = within / Math.max(1e-9, cells.end[i]! - cells.begin[i]!);
    for (let k = cells.first[i]!; k < cells.first[i + 1]!; k++) sums[cells.line[k]!]! += part * cells.instructions[k]!;
  }
  const rows = new Map<string, { line: number; instructions: number }>();
  sums.forEach((instructions, line) => {
    const place = `${lines.file[line]}:${lines.line[line]}`;
    const row = rows.get(place);
    if (row === undefined) rows.set(place, { line, instructions });
    else {
      if (instructions > sums[row.line]!) row.line = line;
      row.instructions += instructions;
    }
  });
  return [...rows.values()].filter((row) => row.instructions > 0)
    .sort((x, y) => y.instructions - x.instructions || x.line - y.line);
}

const ROWS = 12;
const HEIGHT = 26;

// The whole run: how deep the calls are, and which part is shown. A drag chooses a part.
export class Minimap {
  readonly element = s('svg', { class: 'minimap', role: 'presentation', height: HEIGHT });
  private depths: Float64Array = new Float64Array(0);
  private drawn: Lanes | undefined;
  private shape = s('path', { class: 'depths' });
  private shown = s('rect', { class: 'shown', y: 0.5, height: HEIGHT - 1 });
  private length = 1;

  constructor(choose: (from: number, to: number) => void) {
    this.element.append(this.shape, this.shown);
    let start: number | undefined;
    const time = (event: PointerEvent): number => {
      const box = this.element.getBoundingClientRect();
      return (Math.max(0, Math.min(box.width, event.clientX - box.x)) / Math.max(1, box.width)) * this.length;
    };
    this.element.addEventListener('pointerdown', (event) => {
      start = time(event);
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener('pointerup', (event) => {
      if (start === undefined) return;
      const end = time(event);
      if (Math.abs(end - start) * this.element.clientWidth > 3 * this.length)
        choose(Math.min(start, end), Math.max(start, end));
      start = undefined;
    });
  }

  draw(lanes: Lanes | undefined, length: number, from: number, to: number, width: number): void {
    this.element.toggleAttribute('hidden', lanes === undefined);
    if (lanes === undefined) return;
    const columns = Math.max(1, Math.floor(width));
    if (this.drawn !== lanes || this.depths.length !== columns) this.measure(lanes, length, columns);
    this.length = length;
    const colors = palette();
    this.element.setAttribute('width', String(columns));
    this.shape.setAttribute('fill', colors.faint);
    const scale = columns / length;
    const x = from * scale;
    this.shown.setAttribute('x', x.toFixed(1));
    this.shown.setAttribute('width', Math.max(3, (to - from) * scale).toFixed(1));
    this.shown.setAttribute('fill', colors.select);
    this.shown.setAttribute('fill-opacity', '0.22');
    this.shown.setAttribute('stroke', colors.select);
  }

  // The deepest call of each column.
  private measure(lanes: Lanes, length: number, columns: number): void {
    this.drawn = lanes;
    this.depths = lanes.depthsOf(length, columns);
    const deepest = Math.max(1, ...lanes.deepest.values());
    let way = `M0 ${HEIGHT}`;
    this.depths.forEach((depth, x) => (way += `L${x} ${(HEIGHT - 1 - (depth / deepest) * (HEIGHT - 3)).toFixed(1)}`));
    this.shape.setAttribute('d', `${way}L${columns} ${HEIGHT}Z`);
  }
}

interface Shown {
  name: string;
  value: string;
  share: number;
  pick: () => void;
}
function table(rows: Shown[], caption: string): HTMLElement {
  const most = Math.max(1e-9, ...rows.map((row) => row.share));
  return h(
    'table',
    { class: 'range' },
    h('caption', {}, caption),
    h('tbody',
      {},
      ...rows.map(
        (row) => h(
          'tr',
          {},
          h('td',
            { class: 'named' },
            h('span', { class: 'bar share-bar', style: `width:${((100 * row.share) / most).toFixed(1)}%` }),
            h('button', { type: 'button', click: row.pick }, row.name)),
          h('td', { class: 'number' }, row.value)
        )
      ))
  );
}

// What ran in a part of the run: functions with their own time, hot paths with their share.
export function rangeTables(app: App, from: number, to: number): HTMLElement[] {
  const { spans, sequences, unit } = app.profile;
  if (spans === undefined) return [];
  const functions = functionsOf(spans, from, to).slice(0, ROWS).map((row) => ({
    name: app.nameOf(row.fn),
    value: `${count(Math.round(row.self))} ${unit}, ${count(row.calls)} call${row.calls === 1 ? '' : 's'}`,
    share: row.self,
    pick: () => row.fn >= 0 && app.select(row.fn)
  }));
  const paths = pathsOf(app.profile, from, to).slice(0, ROWS).map(({ path, share }) => ({
    name: `${app.nameOf(sequences!.fn[path]!)}, ${count(sequences!.blocks[path]!)} block${
      sequences!.blocks[path] === 1 ? '' : 's'}`,
    value: percent(share),
    share,
    pick: () => sequences!.fn[path]! >= 0 && app.select(sequences!.fn[path]!, { view: 'paths' })
  }));
  const { lines, files } = app.profile;
  const ran = linesOf(app.profile, from, to);
  const all = Math.max(1e-9, ran.reduce((sum, row) => sum + row.instructions, 0));
  const places = ran.slice(0, ROWS).map(({ line, instructions }) => {
    const place = `${files[lines!.file[line]!] ?? '?'}:${lines!.line[line]}`;
    return {
      name: place.slice(place.lastIndexOf('/') + 1),
      value: `${percent(instructions / all)}, ${count(Math.round(instructions))}`,
      share: instructions,
      pick: () => app.select(lines!.fn[line]!, { view: 'code', line: `${lines!.file[line]}:${lines!.line[line]}` })
    };
  });
  const tables = [table(functions, 'Own time of functions in what is shown')];
  if (paths.length > 0) tables.push(table(paths, 'Hot paths: share of the instructions'));
  if (places.length > 0) tables.push(table(places, 'Lines: share of the instructions'));
  return tables;
}
