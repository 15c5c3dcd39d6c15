// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The calls of a timeline: which bars stand for them at a zoom, what is lit, what lies under the pointer.
import { App } from './app.ts';
import { Bar, drawBars, ROW } from './bars.ts';
import { BarCanvas, packed } from './canvas.ts';
import { changedBar as changeColor, palette, soft } from './colors.ts';
import { s } from './dom.ts';
import { count, percent } from './format.ts';
import { Profile } from './data.ts';
import { Hits, LaneBars, Lanes } from './lanes.ts';

// What is drawn of a lane: a call, or several that are narrower than a pixel.
export interface Drawn {
  row: number;
  begin: number;
  end: number;
  first: number; // place in the order of lanes
  calls: number;
  fn: number;
  covered: number;
  busy: number;
}
const EXPORTED = 20000; // bars of a file

export class CallBars {
  readonly bars = new BarCanvas();
  lanes: Lanes | undefined;
  at = -1; // span that is chosen
  private of: Profile | undefined;
  private found: { key: string; hits: Hits } | undefined; // of the search
  private chosen: { key: string; hits: Hits } | undefined; // of the selected function
  private shown: [number, number] = [0, 1];
  private width = 1;

  constructor(private app: App, private scroll: HTMLElement) {
    Object.assign(this.bars.canvas, { // what is drawn, for tests
      bars: () => this.inSight(),
      heads: () => (this.rows.processes.length > 1 ? this.rows.processes.map((process) => this.headOf(process)) : []),
      paint: () => {
        this.draw(...this.shown, this.width);
        return this.bars.painted;
      }
    });
  }

  // Another profile is shown.
  adopt(profile: Profile): void {
    if (this.of === profile) return;
    this.lanes = profile.spans === undefined ? undefined : new Lanes(profile);
    this.of = profile;
    this.found = this.chosen = undefined;
    this.at = -1;
  }

  // Calls that fit the search, in all and in what is shown; those inside merged bars too.
  get hits(): Hits | undefined {
    const query = this.app.state.get('q').trim().toLowerCase();
    if (query === '' || this.lanes === undefined) return undefined;
    if (this.found?.key !== query) {
      const { functions, spans } = this.app.profile;
      const fits = functions.shown.map((name) => name.toLowerCase().includes(query));
      const named = (i: number): boolean =>
        spans!.fn[i]! < 0 ? this.barName(i).toLowerCase().includes(query) : fits[spans!.fn[i]!]!;
      this.found = { key: query, hits: new Hits(this.lanes, spans!, named) };
    }
    return this.found.hits;
  }
  get selectedHits(): Hits | undefined {
    const f = this.app.selected;
    if (f < 0 || this.lanes === undefined) return undefined;
    if (this.chosen?.key !== String(f)) {
      const { fn } = this.app.profile.spans!;
      this.chosen = { key: String(f), hits: new Hits(this.lanes, this.app.profile.spans!, (i) => fn[i] === f) };
    }
    return this.chosen.hits;
  }
  foundText(from: number, to: number): string {
    const { hits, lanes } = this;
    if (hits === undefined || lanes === undefined) return '';
    let shown = 0;
    for (const lane of lanes.lanes) shown += hits.in(...lanes.range(lane, from, to));
    return `; ${count(hits.all)} fit the search, ${count(shown)} of them here`;
  }

  draw(from: number, to: number, width: number): void {
    const { rows, bars } = this;
    this.shown = [from, to];
    this.width = width;
    const scale = width / (to - from);
    const { hits, selectedHits } = this;
    bars.begin(this.scroll, width, rows.total);
    for (const process of rows.processes)
      if (rows.processes.length > 1) bars.head(rows.first.get(process)! - 1, this.headOf(process));
    const colors: number[][] = [[], []]; // by function, in even and odd rows
    const level = this.lanes?.levelFor((to - from) / width);
    for (const lane of this.lanes?.lanes ?? []) {
      const row = rows.first.get(lane.process)! + lane.depth;
      if (row >= bars.first && row < bars.last)
        this.paintLane(
          row, this.lanes!.barsOf(lane, from, to, level), from, scale, colors[row % 2]!, hits, selectedHits
        );
    }
    bars.finish();
  }
  private paintLane(
    row: number,
    { count: all, begin, end, first, calls, fn, busy }: LaneBars,
    from: number,
    scale: number,
    colors: number[],
    hits: Hits | undefined,
    selectedHits: Hits | undefined
  ): void {
    const { order } = this.lanes!;
    const select = packed(palette().select);
    for (let k = 0; k < all; k++) {
      const place = first[k]!;
      const behind = place + calls[k]!;
      const single = calls[k] === 1;
      const x0 = (begin[k]! - from) * scale;
      const x1 = (end[k]! - from) * scale;
      const f = fn[k]!;
      const strong = single ? this.isStrong(order[place]!) : (selectedHits?.in(place, behind) ?? 0) > 0;
      const outlined = single && x1 - x0 >= 6;
      const share = busy[k]! / Math.max(1e-9, end[k]! - begin[k]!);
      const color = strong && !outlined ? select :
        f < 0                           ? packed(this.colorOf(f, place, row)) :
                                          (colors[f] ??= packed(this.colorOf(f, place, row)));
      const dim = hits !== undefined && hits.in(place, behind) === 0;
      const name = single && x1 - x0 > 20 ? this.barName(order[place]!) : '';
      this.bars.put(row, x0, x1, color, share, dim, strong && outlined, name);
    }
  }
  private isStrong(i: number): boolean {
    const f = this.app.profile.spans!.fn[i]!;
    return i === this.at || (f >= 0 && f === this.app.selected);
  }
  // Each bar of some rows, for files, tests and the pointer: coarse where calls are narrower than a pixel.
  private visit(from: number, to: number, width: number, first: number, last: number, put: (bar: Drawn) => void): void {
    const { lanes, rows } = this;
    if (lanes === undefined) return;
    const level = lanes.levelFor((to - from) / width);
    for (const lane of lanes.lanes) {
      const row = rows.first.get(lane.process)! + lane.depth;
      if (row < first || row >= last) continue;
      const { count: all, begin, end, first: place, calls, fn, covered, busy } = lanes.barsOf(lane, from, to, level);
      for (let k = 0; k < all; k++)
        put({
          row,
          begin: begin[k]!,
          end: end[k]!,
          first: place[k]!,
          calls: calls[k]!,
          fn: fn[k]!,
          covered: covered[k]!,
          busy: busy[k]!
        });
    }
  }

  // Each process has its rows one below the other, with a heading if there are several.
  get rows(): { first: Map<number, number>; total: number; processes: number[] } {
    const deepest = this.lanes?.deepest ?? new Map<number, number>();
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
  private headOf(process: number): string {
    return (this.app.profile.processes[process] ?? `Process ${process}`).slice(0, 100);
  }

  private colorOf(f: number, place: number, row: number): string {
    const { pairing, profile } = this.app;
    const { functions } = profile;
    const average = (total: number, calls: number): number => (calls > 0 ? total / calls : 0);
    if (pairing && f >= 0)
      return changeColor( // as if it had been called as often
        average(pairing.total[f]!, pairing.calls[f]!) * functions.calls[f]!, functions.total[f]!, pairing.swing
      );
    const name = this.barName(this.lanes!.order[place]!);
    return soft(this.app.fileOf(f) || name, 3 * (row % 2), name);
  }

  // What is drawn, with all that is to be said of it.
  drawnBar(bar: Drawn): Bar {
    const i = this.lanes!.order[bar.first]!;
    const { hits, selectedHits } = this;
    const end = bar.first + bar.calls;
    const single = bar.calls === 1;
    return {
      key: `${i}`,
      x: bar.begin,
      w: bar.end - bar.begin,
      row: bar.row,
      name: single ? this.barName(i) : '',
      text: single ? this.textOf(i) : this.mergedText(bar),
      color: this.colorOf(bar.fn, bar.first, bar.row),
      dim: hits !== undefined && hits.in(bar.first, end) === 0,
      strong: single ? this.isStrong(i) : (selectedHits?.in(bar.first, end) ?? 0) > 0
    };
  }
  private mergedText(bar: Drawn): string {
    const { hits } = this;
    const found = hits === undefined ? '' : `; ${count(hits.in(bar.first, bar.first + bar.calls))} fit the search`;
    const share = percent(bar.covered / Math.max(1e-9, bar.busy));
    return `${count(bar.calls)} calls; ${share} of their time has ${this.app.nameOf(bar.fn).slice(0, 400)}${found}`;
  }
  private inSight(): (Bar & { y: number; width: number })[] {
    const [from, to] = this.shown;
    const { width } = this;
    const scale = width / (to - from);
    const list: (Bar & { y: number; width: number })[] = [];
    this.visit(from, to, width, this.bars.first, this.bars.last, (drawn) => {
      const bar = this.drawnBar(drawn);
      list.push({ ...bar, x: (bar.x - from) * scale, y: bar.row * ROW, width: bar.w * scale });
    });
    return list;
  }

  // A time slice has no function: its process stands for it.
  private barName(i: number): string {
    const { spans, processes } = this.app.profile;
    const f = spans!.fn[i]!;
    return f < 0 && spans!.depth[i] === 0 && processes[spans!.process[i]!] !== undefined ?
      processes[spans!.process[i]!]! :
      this.app.nameOf(f);
  }

  textOf(i: number): string {
    const { spans, unit } = this.app.profile;
    return `${this.barName(i).slice(0, 400)}: ${count(spans!.duration[i]!)} ${unit}, from ${
      count(spans!.begin[i]!)} to ${count(spans!.begin[i]! + spans!.duration[i]!)}`;
  }

  // The bar under the pointer: the narrowest, if several share a pixel.
  under(event: MouseEvent): Drawn | undefined {
    const [from, to] = this.shown;
    const { width } = this;
    const { row, x } = this.bars.under(event);
    const time = from + (x / width) * (to - from);
    const pixel = (to - from) / width;
    let found: Drawn | undefined;
    this.visit(Math.max(from, time - pixel), time + pixel, (2 * width * pixel) / (to - from), row, row + 1, (bar) => {
      if (bar.end + pixel / 2 < time || bar.begin - pixel / 2 > time) return;
      if (found === undefined || bar.end - bar.begin < found.end - found.begin) found = bar;
    });
    return found;
  }
  // The calls as a drawing that can be exported: all rows.
  asSvg(): SVGSVGElement {
    const svg = s('svg', {});
    const [from, to] = this.shown;
    const width = Math.max(100, this.width);
    const { rows } = this;
    const list: Bar[] = [];
    this.visit(from, to, width, 0, rows.total, (bar) => list.length < EXPORTED && list.push(this.drawnBar(bar)));
    drawBars(svg, list, from, to, width, false, Math.max(1, rows.total));
    const colors = palette();
    for (const process of rows.processes.length > 1 ? rows.processes : []) {
      const y = (rows.first.get(process)! - 1) * ROW;
      svg.append(
        s('rect', { x: 0, y, width, height: ROW - 2, fill: colors.line, opacity: 0.5 }),
        s('text',
          { x: 6, y: y + 14, fill: colors.text, class: 'process', style: 'font:600 11.5px sans-serif' },
          this.headOf(process))
      );
    }
    return svg;
  }
}
