// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What the river shows, and where: the functions that pass the filter, their places, the widths of arcs.
import { App } from './app.ts';
import { Bed, bedOf } from './bed.ts';
import { measure as exact, SANS } from './dom.ts';
import { Flow, flowOf } from './flow.ts';
import { change, cut, percent, short } from './format.ts';
import { Graph } from './graph.ts';
import { Lapse } from './lapse.ts';
import { Box, MANY, Placed } from './layout.ts';
import { clampFilter, Detail, initialFilter, isLeaf, prune, Shown } from './prune.ts';
import { defaultScale, Kind, unpackScale, width } from './scale.ts';

export const FONT = `12.5px ${SANS}`;
export const SMALL = `11px ${SANS}`;
export const HEIGHT = 24;
const MOST_BED = 400; // functions; more are no river that anybody sees
// Of thousands of names a guess is enough.
const about = (text: string): number => 7.6 * text.length;

export class Scene {
  graph!: Graph;
  shown: Shown = { nodes: [], arcs: [], has: new Uint8Array(0) };
  placed: Placed = { boxes: new Map(), way: () => undefined, width: 1, height: 1, fine: false };
  bed: Bed | undefined; // the layout in which widths add up
  scale = defaultScale('fig14c');
  private lapse = new Lapse();
  private flow: { of: Flow; all: number } | undefined; // of a part of the run, if that is shown
  private places = new Map<number, number>(); // of its arcs
  private least = 1;
  private whole = false; // widths stand for all of the callee's time

  constructor(private app: App) {
    this.graph = app.graph;
  }

  get filter(): number {
    const text = this.app.state.get('t');
    return text === '' ? initialFilter(this.graph.totals, this.graph.all) : clampFilter(Number(text));
  }

  // Thousands of functions are drawn as a graph.
  get river(): boolean {
    return this.app.state.get('lay') !== 'graph' && this.shown.nodes.length <= MOST_BED;
  }

  states(): Map<number, Detail> {
    const states = new Map<number, Detail>();
    for (const item of this.app.state.get('d').split(',')) {
      const [f, state] = item.split('.').map(Number);
      if (f !== undefined && Number.isInteger(f) && (state === 1 || state === 2 || state === 3)) states.set(f, state);
    }
    return states;
  }

  detailOf(f: number): Detail {
    return this.states().get(f) ?? (this.filter === 0 ? Detail.all : Detail.filtered);
  }

  // Everything anew. better() comes later, if there is a better layout.
  lay(canvas: { width: number; height: number }, better: () => void): void {
    const { state } = this.app;
    const query = state.get('q').trim();
    this.graph = this.app.graph;
    this.scale = unpackScale(state.get('w') as Kind, state.get('wp'));
    this.shown = prune(this.graph, this.filter, this.states(), query === '' ? undefined : this.matching(query));
    const rootTotal = this.rootTotal();
    this.whole = state.get('arc') === 'function';
    this.least = 1;
    for (const at of this.scale.kind === 'adaptive' ? this.shown.arcs : []) { // no other scale asks for it
      const t = this.timeOf(at) / rootTotal;
      if (t > 0 && t < this.least) this.least = t;
    }
    this.bed = undefined;
    this.flow = undefined;
    if (this.river) {
      this.layBed(canvas);
      return;
    }
    const boxes: Box[] = this.shown.nodes.map((f) => ({ id: f, width: this.boxWidth(f), height: HEIGHT }));
    const { arcs, from, to } = this.graph;
    const ends = (of: Int32Array): Int32Array => Int32Array.from(this.shown.arcs, (at) => of[at]!);
    const links = boxes.length > MANY ? { from: ends(from), to: ends(to) } : this.shown.arcs.map((at) => arcs[at]!);
    this.placed = this.app.layouter.place('river', boxes, links, true, (placed) => {
      this.placed = placed;
      better();
    });
  }

  layBed(canvas: { width: number; height: number }): void {
    const { profile } = this.app;
    const part = this.lapse.flowOf(profile, this.graph, this.shown, this.app.state.get('ph'));
    this.flow = part === undefined ? undefined : { of: part.flow, all: part.all };
    const arcs = part === undefined ? [] : this.shown.arcs;
    this.places = new Map(arcs.map((arc, place): [number, number] => [arc, place]));
    const flow = part?.flow ?? flowOf(profile, this.graph, this.shown);
    this.bed = bedOf(this.graph, this.shown, flow, {
      all: part?.all ?? this.graph.all,
      most: part?.most,
      canvas,
      width: (f) => this.boxWidth(f),
      least: HEIGHT
    });
    this.placed = this.bed.placed;
    this.app.layouter.forget('river');
  }

  // A name filter keeps what leads to a match, so that it is seen where it belongs.
  private matching(query: string): (f: number) => boolean {
    const keep = new Uint8Array(this.graph.count);
    const text = query.toLowerCase();
    const open: number[] = [];
    for (let f = 0; f < this.graph.count; f++)
      if (this.app.nameOf(f).toLowerCase().includes(text)) {
        keep[f] = 1;
        open.push(f);
      }
    for (let f = open.pop(); f !== undefined; f = open.pop())
      for (const at of this.graph.into[f]!) {
        const from = this.graph.arcs[at]!.from;
        if (!keep[from]) {
          keep[from] = 1;
          open.push(from);
        }
      }
    return (f) => keep[f] === 1;
  }

  private rootTotal(): number {
    const root = this.app.find(this.app.state.get('root'));
    return Math.max(1e-300, root >= 0 ? this.graph.totals[root]! : this.graph.all);
  }

  private timeOf(at: number): number {
    const arc = this.graph.arcs[at]!;
    return this.whole ? this.graph.totals[arc.to]! : arc.total;
  }

  widthOf(at: number): number {
    if (this.bed !== undefined) return this.bed.widths[this.shown.arcs.indexOf(at)] ?? 0;
    return width(this.scale, this.timeOf(at) / this.rootTotal(), this.least);
  }

  // Of all time, or of that of the part that is shown.
  shareOf(f: number): number {
    return this.flow ? this.flow.of.into[f]! / this.flow.all : this.app.share(this.app.profile.functions.total[f]!);
  }
  arcShareOf(at: number): number {
    if (this.flow === undefined) return this.app.share(this.graph.arcs[at]!.total);
    return (this.flow.of.arcs[this.places.get(at) ?? -1] ?? 0) / this.flow.all;
  }

  private datum(kind: string, f: number): string {
    if (kind === 'none') return '';
    const { functions } = this.app.profile;
    const pairing = kind === 'change' ? this.app.pairing : undefined;
    switch (kind) {
      case 'total':
        return percent(this.shareOf(f));
      case 'self':
        return percent(this.flow ? this.flow.of.lake[f]! / this.flow.all : this.app.share(functions.self[f]!));
      case 'calls':
        return `${short(functions.calls[f]!)}×`;
      case 'cycles':
        return short(functions.total[f]!);
      case 'selfcycles':
        return short(functions.self[f]!);
      case 'average':
        return functions.calls[f]! > 0 ? short(functions.total[f]! / functions.calls[f]!) : '–';
      case 'least':
        return functions.least ? short(functions.least[f]!) : '–';
      case 'most':
        return functions.most ? short(functions.most[f]!) : '–';
      case 'change':
        return pairing ? change(pairing.total[f]!, functions.total[f]!) : '–';
      default:
        return '';
    }
  }

  parts(f: number): { left: string; name: string; right: string } {
    const { state } = this.app;
    return {
      left: this.datum(state.get('left'), f),
      name: this.nameFor(f),
      right: this.datum(state.get('right'), f)
    };
  }
  private nameFor(f: number): string {
    return cut(this.app.nameOf(f), Number(this.app.state.get('len')) || 24);
  }

  private boxWidth(f: number): number {
    const { state } = this.app;
    const many = this.shown.nodes.length > 300;
    // in a time-lapse no box becomes wider or narrower; of thousands nobody writes the shares before they are seen
    const widest = many ? '00.00%' : undefined;
    const share = this.flow !== undefined ? '100.00%' : widest;
    const wordsOf = (kind: string): string =>
      (kind === 'total' || kind === 'self' ? share : undefined) ?? this.datum(kind, f);
    const [left, right] = [wordsOf(state.get('left')), wordsOf(state.get('right'))];
    const name = this.nameFor(f);
    const measure = many ? about : exact;
    let size = 16 + Math.ceil(measure(name, FONT));
    if (left !== '') size += 8 + Math.ceil(measure(left, SMALL));
    if (right !== '') size += 8 + Math.ceil(measure(right, SMALL));
    if (!isLeaf(this.graph, f)) size += 14;
    return size;
  }
}
