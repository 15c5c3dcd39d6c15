// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Single calls over time: processes as groups of rows, phases as bands, zoom down to one call of a million.
import { App, Drawing, View } from './app.ts';
import { Bar, drawBars, parseZoom, ROW } from './bars.ts';
import { changed as changeColor, palette, soft } from './colors.ts';
import { h, s, select } from './dom.ts';
import { count, short } from './format.ts';
import { Profile } from './data.ts';
import { drawSequences } from './sequences.ts';

// Spans of one depth of one process, by begin; they do not overlap.
export interface Lane {
  process: number;
  depth: number;
  spans: Int32Array;
}

export function lanes(profile: Profile): Lane[] {
  const spans = profile.spans;
  if (spans === undefined) return [];
  const lists = new Map<number, number[]>();
  for (let i = 0; i < spans.count; i++) {
    const key = spans.process[i]! * 4096 + Math.min(4095, spans.depth[i]!);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [i]);
    else list.push(i);
  }
  return [...lists].sort(
                     (x, y) => x[0] - y[0]
  ).map(([key, list]) => ({ process: Math.floor(key / 4096), depth: key % 4096, spans: Int32Array.from(list) }));
}

// The first of the lane's spans that ends behind time.
export function firstAfter(profile: Profile, lane: Lane, time: number): number {
  const { begin, duration } = profile.spans!;
  let low = 0;
  let high = lane.spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const i = lane.spans[middle]!;
    if (begin[i]! + duration[i]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class TimelineView implements View {
  readonly id = 'timeline';
  readonly name = 'Timeline';
  readonly element: HTMLElement;
  private controls = h('div', { class: 'controls' });
  private axis = s('svg', { class: 'axis-svg', role: 'presentation' });
  private bands = s('svg', { class: 'bands', role: 'presentation' });
  private sequences = s('svg', { class: 'bands', role: 'group', 'aria-label': 'Hottest paths over time' });
  private svg = s('svg', { class: 'bars', role: 'presentation' });
  private scroll = h(
    'div',
    {
      class: 'flame timeline',
      tabindex: 0,
      role: 'application',
      'aria-label':
        'Timeline of calls. Left and right go to the call before and behind, up and down to caller and callee, ' +
          'Enter zooms to the call, 0 shows all.'
    },
    this.svg
  );
  private said = h('div', { class: 'full-name', 'aria-live': 'polite' });
  private lanes: Lane[] = [];
  private laneOf: Profile | undefined;
  private at = -1; // span
  private frame = 0;

  constructor(private app: App) {
    this.element = h(
      'section',
      { class: 'view', 'aria-label': 'Timeline' },
      this.controls,
      this.bands,
      this.sequences,
      this.axis,
      this.scroll,
      this.said
    );
    this.scroll.addEventListener('click', (event) => this.pick(event));
    this.scroll.addEventListener('dblclick', () => this.zoomTo(this.at));
    this.scroll.addEventListener('keydown', (event) => this.paneKey(event));
    this.scroll.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.wireDrag();
    new ResizeObserver(() => this.scroll.clientWidth > 0 && this.draw()).observe(this.scroll);
  }

  private get length(): number {
    const { spans, phases } = this.app.profile;
    return Math.max(1, spans?.length ?? 0, phases !== undefined && phases.count > 0 ? Math.max(...phases.end) : 0);
  }
  private get zoom(): [number, number] {
    const zoom = parseZoom(this.app.state.get('tz'));
    return zoom === undefined ? [0, this.length] : [Math.max(0, zoom[0]), Math.min(this.length, zoom[1])];
  }
  private setZoom(from: number, to: number, step: boolean): void {
    const least = 4;
    const size = Math.min(this.length, Math.max(least, to - from));
    const start = Math.max(0, Math.min(this.length - size, from));
    const all = size >= this.length;
    this.app.state.set(
      { tz: all ? '' : `${Math.round(start * 1000) / 1000}-${Math.round((start + size) * 1000) / 1000}` }, step
    );
  }

  update(_changed: Set<string>): void {
    const { app } = this;
    const { profile } = app;
    const { spans } = profile;
    if (this.laneOf !== profile) {
      this.lanes = lanes(profile);
      this.laneOf = profile;
      this.at = -1;
    }
    const [from, to] = this.zoom;
    const left = spans === undefined ? 0 : spans.all - spans.count;
    this.controls.replaceChildren(
      h('button', { type: 'button', 'aria-label': 'Zoom in', click: () => this.zoomBy(0.5) }, '+'),
      h('button', { type: 'button', 'aria-label': 'Zoom out', click: () => this.zoomBy(2) }, '−'),
      h('button',
        { type: 'button', disabled: from === 0 && to === this.length, click: () => app.state.set({ tz: '' }) },
        'All'),
      ...(profile.sequences === undefined ? [] : [select(
                                                   'Hot paths',
                                                   String(this.pathRows),
                                                   [['0', 'none'], ['8', '8'], ['24', '24']],
                                                   (rows) => app.state.set({ tp: rows === '8' ? '' : rows }),
                                                   'Paths of unique blocks, across functions, over time'
                                                 )]),
      h('button',
        {
          type: 'button',
          disabled: app.selected < 0,
          title: 'Previous call of the selected function (p)',
          click: () => this.step(-1)
        },
        '◂ call'),
      h('button',
        {
          type: 'button',
          disabled: app.selected < 0,
          title: 'Next call of the selected function (n)',
          click: () => this.step(1)
        },
        'call ▸'),
      h('span',
        { class: 'quiet', role: 'status' },
        spans === undefined ? 'This profile holds no single calls: they need a record file.' :
                              `${this.counted(left)}; shown: ${count(Math.round(from))} to ${count(Math.round(to))}`),
    );
    this.draw();
  }

  private counted(left: number): string {
    const { spans, unit } = this.app.profile;
    const within = `in ${count(spans!.length)} ${unit}`;
    if (spans!.fn.every((f) => f < 0))
      return `${left > 0 ? `The first ${count(spans!.count)} of ` : ''}${count(spans!.all)} time slices ${within}`;
    return `${count(spans!.all)} calls ${within}${
      left > 0 ? `; ${count(left)} shorter than ${count(spans!.shortest)} are left out` : ''}`;
  }

  private draw(): void {
    const width = this.scroll.clientWidth - 2;
    if (width <= 10) return;
    const [from, to] = this.zoom;
    const bars = this.bars(from, to, width);
    const rows = this.rows;
    drawBars(this.svg, bars, from, to, width, false, Math.max(1, rows.total));
    this.drawHeads(rows, width);
    this.drawAxis(from, to, width);
    this.drawBands(from, to, width);
    drawSequences(
      this.sequences,
      this.app.profile,
      this.pathRows,
      from,
      to,
      width,
      (f) => this.app.nameOf(f),
      this.app.selected,
      (f) => this.app.select(f)
    );
  }

  // How many hot paths are shown.
  private get pathRows(): number {
    const wish = this.app.state.get('tp');
    return wish === '' ? 8 : Math.min(100, Math.max(0, Number(wish) || 0));
  }

  // Each process has its rows one below the other, with a heading if there are several.
  private get rows(): { first: Map<number, number>; total: number; processes: number[] } {
    const deepest = new Map<number, number>();
    for (const lane of this.lanes) deepest.set(lane.process, Math.max(deepest.get(lane.process) ?? 0, lane.depth + 1));
    const processes = [...deepest.keys()].sort((x, y) => x - y);
    const first = new Map<number, number>();
    let total = 0;
    for (const process of processes) {
      if (processes.length > 1) total++;
      first.set(process, total);
      total += deepest.get(process)!;
    }
    return { first, total, processes };
  }

  private drawHeads(rows: { first: Map<number, number>; processes: number[] }, width: number): void {
    if (rows.processes.length < 2) return;
    const colors = palette();
    for (const process of rows.processes) {
      const y = (rows.first.get(process)! - 1) * ROW;
      this.svg.append(
        s('rect', { x: 0, y, width, height: ROW - 2, fill: colors.line, opacity: 0.5 }),
        s('text',
          { x: 6, y: y + 14, fill: colors.text, class: 'process', style: 'font:600 11.5px sans-serif' },
          (this.app.profile.processes[process] ?? `Process ${process}`).slice(0, 100))
      );
    }
  }

  private bars(from: number, to: number, width: number): Bar[] {
    const { profile } = this.app;
    const { spans } = profile;
    if (spans === undefined) return [];
    const least = (to - from) / width / 1.5; // narrower ones become one bar
    const rows = this.rows;
    const query = this.app.state.get('q').trim().toLowerCase();
    const selected = this.app.selected;
    const bars: Bar[] = [];
    for (const lane of this.lanes) {
      const row = rows.first.get(lane.process)! + lane.depth;
      for (let k = firstAfter(profile, lane, from); k < lane.spans.length; ) {
        const i = lane.spans[k]!;
        const x = spans.begin[i]!;
        if (x >= to) break;
        if (spans.duration[i]! >= least) {
          bars.push(this.bar(i, row, query, selected));
          k++;
          continue;
        }
        const next = Math.max(k + 1, firstAfter(profile, lane, x + least));
        bars.push(next === k + 1 ? this.bar(i, row, query, selected) : {
          key: `${i}`,
          x,
          w: least,
          row,
          name: '',
          text: `${next - k} calls`,
          color: palette().faint,
          dim: query !== '',
          strong: false
        });
        k = next;
      }
    }
    return bars;
  }

  private bar(i: number, row: number, query: string, selected: number): Bar {
    const spans = this.app.profile.spans!;
    const f = spans.fn[i]!;
    const name = this.barName(i);
    const pairing = this.app.pairing;
    const { functions } = this.app.profile;
    const average = (total: number, calls: number): number => (calls > 0 ? total / calls : 0);
    return {
      key: `${i}`,
      x: spans.begin[i]!,
      w: spans.duration[i]!,
      row,
      name,
      text: this.textOf(i),
      color: pairing && f >= 0 ?
        changeColor(average(pairing.total[f]!, pairing.calls[f]!), average(functions.total[f]!, functions.calls[f]!)) :
        soft(this.app.fileOf(f) || name, 3 * (row % 2)),
      dim: query !== '' && !name.toLowerCase().includes(query),
      strong: i === this.at || (f >= 0 && f === selected),
    };
  }

  // A time slice has no function: its process stands for it.
  private barName(i: number): string {
    const { spans, processes } = this.app.profile;
    const f = spans!.fn[i]!;
    return f < 0 && spans!.depth[i] === 0 && processes[spans!.process[i]!] !== undefined ?
      processes[spans!.process[i]!]! :
      this.app.nameOf(f);
  }

  private textOf(i: number): string {
    const { spans, unit } = this.app.profile;
    return `${this.barName(i).slice(0, 400)}: ${count(spans!.duration[i]!)} ${unit}, from ${
      count(spans!.begin[i]!)} to ${count(spans!.begin[i]! + spans!.duration[i]!)}`;
  }

  private drawAxis(from: number, to: number, width: number): void {
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
    this.axis.replaceChildren(...parts);
    this.axis.setAttribute('width', String(Math.floor(width)));
    this.axis.setAttribute('height', '20');
  }

  private drawBands(from: number, to: number, width: number): void {
    const { phases } = this.app.profile;
    this.bands.replaceChildren();
    this.bands.setAttribute('height', phases === undefined || phases.count === 0 ? '0' : '20');
    this.bands.setAttribute('width', String(Math.floor(width)));
    if (phases === undefined) return;
    const scale = width / (to - from);
    for (let i = 0; i < phases.count; i++) {
      const x0 = Math.max(0, (phases.begin[i]! - from) * scale);
      const x1 = Math.min(width, (phases.end[i]! - from) * scale);
      if (x1 - x0 < 0.5) continue;
      const band = s(
        'g',
        { class: 'phase', 'data-phase': phases.name[i]!.slice(0, 100) },
        s('title', {}, `Phase ${phases.name[i]}: ${count(phases.begin[i]!)} to ${count(phases.end[i]!)}`),
        s('rect', { x: x0, y: 1, width: x1 - x0, height: 17, rx: 2, fill: soft(`phase ${phases.name[i]}`) })
      );
      if (x1 - x0 > 40)
        band.append(
          s('text',
            { x: x0 + 5, y: 13, fill: palette().text, style: 'font:11px sans-serif' },
            phases.name[i]!.slice(0, Math.floor((x1 - x0) / 7)))
        );
      band.addEventListener('click', () => this.setZoom(phases.begin[i]!, phases.end[i]!, true));
      this.bands.append(band);
    }
  }

  // ---- moving ----

  private choose(i: number): void {
    const spans = this.app.profile.spans!;
    this.at = i;
    this.said.textContent = this.textOf(i);
    const f = spans.fn[i]!;
    if (f >= 0 && f !== this.app.selected) this.app.select(f);
    else this.draw();
    const row = this.rows.first.get(spans.process[i]!)! + spans.depth[i]!;
    const y = row * ROW;
    if (y < this.scroll.scrollTop || y + ROW > this.scroll.scrollTop + this.scroll.clientHeight)
      this.scroll.scrollTop = Math.max(0, y - 60);
  }

  private pick(event: Event): void {
    const key = (event.target as Element).closest('[data-key]')?.getAttribute('data-key');
    if (key === undefined || key === null) return;
    this.choose(Number(key));
  }

  private zoomTo(i: number): void {
    const spans = this.app.profile.spans;
    if (spans === undefined || i < 0) return;
    const room = Math.max(1, spans.duration[i]! * 0.05);
    this.setZoom(spans.begin[i]! - room, spans.begin[i]! + spans.duration[i]! + room, true);
  }

  private zoomBy(factor: number, around?: number): void {
    const [from, to] = this.zoom;
    const spans = this.app.profile.spans;
    const middle = around ??
      (this.at >= 0 && spans !== undefined && spans.begin[this.at]! >= from && spans.begin[this.at]! <= to ?
         spans.begin[this.at]! + spans.duration[this.at]! / 2 :
         (from + to) / 2);
    this.setZoom(middle - (middle - from) * factor, middle + (to - middle) * factor, false);
  }

  private wheel(event: WheelEvent): void {
    const bounds = this.scroll.getBoundingClientRect();
    const [from, to] = this.zoom;
    const scale = (to - from) / Math.max(1, bounds.width);
    if (event.ctrlKey || event.metaKey)
      this.zoomBy(Math.exp(event.deltaY / 250), from + (event.clientX - bounds.x) * scale);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey)
      this.setZoom(from + (event.deltaX || event.deltaY) * scale, to + (event.deltaX || event.deltaY) * scale, false);
    else return;
    event.preventDefault();
  }

  private wireDrag(): void {
    let start: { x: number; from: number; to: number } | undefined;
    this.scroll.addEventListener(
      'pointerdown', (event) => (start = { x: event.clientX, from: this.zoom[0], to: this.zoom[1] })
    );
    this.scroll.addEventListener('pointermove', (event) => {
      if (start === undefined || event.buttons !== 1 || Math.abs(event.clientX - start.x) < 3) return;
      const by = ((start.x - event.clientX) * (start.to - start.from)) / Math.max(1, this.scroll.clientWidth);
      const { from, to } = start;
      if (this.frame === 0)
        this.frame = requestAnimationFrame(() => {
          this.frame = 0;
          this.setZoom(from + by, to + by, false);
        });
    });
    this.scroll.addEventListener('pointerup', () => (start = undefined));
  }

  // The next call of the selected function, from the chosen one on.
  private step(by: number): void {
    const spans = this.app.profile.spans;
    const f = this.app.selected;
    if (spans === undefined || f < 0) return;
    let i = this.at < 0 ? (by > 0 ? -1 : spans.count) : this.at;
    for (i += by; i >= 0 && i < spans.count; i += by)
      if (spans.fn[i] === f) {
        this.choose(i);
        const [from, to] = this.zoom;
        const middle = spans.begin[i]! + spans.duration[i]! / 2;
        if (middle < from || middle > to) this.setZoom(middle - (to - from) / 2, middle + (to - from) / 2, false);
        return;
      }
    this.app.say('No further call of it.');
  }

  private paneKey(event: KeyboardEvent): void {
    const { profile } = this.app;
    const { spans } = profile;
    if (spans === undefined || spans.count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') this.zoomTo(this.at);
    else if (event.key.startsWith('Arrow')) {
      const next = this.at < 0 ? this.lanes[0]!.spans[0]! : this.near(event.key);
      if (next !== undefined) this.choose(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private near(key: string): number | undefined {
    const { profile } = this.app;
    const spans = profile.spans!;
    const i = this.at;
    const down = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const lane = this.lanes.find((l) => l.process === spans.process[i] && l.depth === spans.depth[i]! + down);
    if (lane === undefined) return undefined;
    const place = firstAfter(profile, lane, spans.begin[i]!);
    if (down !== 0) {
      const j = lane.spans[place];
      return j !== undefined && spans.begin[j]! < spans.begin[i]! + spans.duration[i]! ? j : undefined;
    }
    const here = lane.spans.indexOf(i);
    return lane.spans[here + (key === 'ArrowRight' ? 1 : -1)];
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === '0') this.app.state.set({ tz: '' });
    else if (event.key === 'n') this.step(1);
    else if (event.key === 'p') this.step(-1);
    else if (event.key === '+') this.zoomBy(0.5);
    else if (event.key === '-') this.zoomBy(2);
    else return false;
    return true;
  }

  drawing(): Drawing {
    const { spans } = this.app.profile;
    const paths = Number(this.sequences.getAttribute('height'));
    const height = Number(this.svg.getAttribute('height')) + 44 + paths;
    const svg = s('svg', {
      viewBox: `0 0 ${this.svg.getAttribute('width')} ${height}`,
      width: this.svg.getAttribute('width') ?? '800',
      height
    });
    for (const [part, y] of [[this.bands, 0], [this.sequences, 20], [this.axis, 20 + paths], [this.svg, 44 + paths]] as
         const) {
      const group = s('g', { transform: `translate(0 ${y})` });
      group.append(...(part.cloneNode(true) as SVGSVGElement).childNodes);
      svg.append(group);
    }
    const [from, to] = this.zoom;
    const lines = ['begin\tduration\tdepth\tprocess\tfunction'];
    for (let i = 0; spans !== undefined && i < spans.count && lines.length < 100000; i++)
      if (spans.begin[i]! < to && spans.begin[i]! + spans.duration[i]! > from)
        lines.push(
          [spans.begin[i], spans.duration[i], spans.depth[i], spans.process[i], this.app.nameOf(spans.fn[i]!)].join('\t'
          )
        );
    return { svg, text: lines.join('\n') };
  }
}
