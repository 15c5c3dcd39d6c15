// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The river of time: the dynamic call graph, the width of an arc by time (QTY II A to C, FIG. 12 to 14).
import { App, Drawing, View } from './app.ts';
import { changed as changeColor, heat, palette } from './colors.ts';
import { check, h, measure as exact, s, SANS, select } from './dom.ts';
import { change, changePercent, count, cut, percent, short } from './format.ts';
import { Bed, bedOf } from './bed.ts';
import { Flow, flowOf } from './flow.ts';
import { filmOf, hasParts, Lapse } from './lapse.ts';
import { Box, Link, Placed } from './layout.ts';
import { callees, callers, Graph, unknownMark, unknownText } from './graph.ts';
import { clampFilter, Detail, initialFilter, isLeaf, prune, Shown, stepDetail, stepFrom, steps } from './prune.ts';
import { defaultScale, Kind, kinds, offsetFor, Scale, width } from './scale.ts';

const FONT = `12.5px ${SANS}`;
const SMALL = `11px ${SANS}`;
const HEIGHT = 24;
const MOST_BED = 400; // functions; more are no river that anybody sees
const FRAME = 900; // milliseconds of a part in the film
// Of thousands of names a guess is enough.
const about = (text: string): number => 7.6 * text.length;

const data: [string, string][] = [
  ['none', 'Nothing'],
  ['total', 'Self + descendants %'],
  ['self', 'Self %'],
  ['calls', 'Calls'],
  ['cycles', 'Self + descendants'],
  ['selfcycles', 'Self'],
  ['average', 'Average of a call'],
  ['least', 'Least of a call'],
  ['most', 'Most of a call'],
  ['change', 'Change'],
];

export class River implements View {
  readonly id = 'river';
  readonly name = 'River';
  readonly element: HTMLElement;
  private pane: HTMLElement;
  private svg: SVGSVGElement;
  private world: SVGGElement;
  private overview: HTMLCanvasElement;
  private controls: HTMLElement;
  private slider: HTMLInputElement;
  private box: HTMLInputElement;
  private shownText: HTMLElement;
  private full: HTMLElement;
  private params: HTMLElement;
  private collapseButton: HTMLButtonElement;
  private subtreeButton: HTMLButtonElement;
  private graph!: Graph;
  private shown: Shown = { nodes: [], arcs: [], has: new Uint8Array(0) };
  private placed: Placed = { boxes: new Map(), way: () => undefined, width: 1, height: 1, fine: false };
  private bed: Bed | undefined; // the layout in which widths add up
  private lapse = new Lapse();
  private flow: { of: Flow; all: number } | undefined; // of a part of the run, if that is shown
  private film = 0; // timer
  private scale = defaultScale('fig14c');
  private least = 1;
  private whole = false; // widths stand for all of the callee's time
  private x = 0;
  private y = 0;
  private zoom = 1;
  private drawnNodes = new Map<number, SVGGElement>();
  private drawnArcs = new Map<number, SVGPathElement>();
  private wholly = false; // all of it is to be in sight, however small
  private moved = false; // the user has chosen what is in sight
  private frame = 0;
  private later = 0;
  lastStep = 0; // milliseconds that the last redraw took

  constructor(private app: App) {
    this.world = s('g', { style: `font:${FONT}` });
    this.svg = s(
      'svg',
      {
        class: 'river',
        role: 'group',
        'aria-label': 'Call graph. Arrow keys go along the arcs, Enter selects, plus and minus show more or less.'
      },
      this.world
    );
    this.overview = h(
      'canvas', { class: 'overview', width: 220, height: 150, 'aria-hidden': 'true', title: 'Overview: drag the box' }
    );
    this.full = h('div', { class: 'full-name', 'aria-live': 'polite' });
    this.slider = h('input', { type: 'range', min: 0, max: steps.length - 1, step: 1, 'aria-label': 'Time filter' });
    this.box = h(
      'input', { type: 'text', inputmode: 'decimal', class: 'percent', 'aria-label': 'Time filter in per cent' }
    );
    this.shownText = h('span', { class: 'quiet', role: 'status' });
    this.params = h('span', { class: 'params' });
    this.collapseButton = h(
      'button',
      { type: 'button', title: 'One level less of the selected function (−)', click: () => this.stepNode(-1) },
      'Collapse'
    );
    this.subtreeButton = h(
      'button',
      { type: 'button', title: 'One level more of the selected function (+)', click: () => this.stepNode(1) },
      'Show subtree'
    );
    this.controls = h('div', { class: 'controls' });
    this.pane = h('div', { class: 'pane' }, this.svg, this.overview, this.zoomButtons());
    this.element = h('section', { class: 'view', 'aria-label': 'River' }, this.controls, this.pane, this.full);
    this.slider.addEventListener('input', () => this.setFilter(steps[Number(this.slider.value)]!, false));
    this.slider.addEventListener('change', () => this.app.state.set({ t: String(steps[Number(this.slider.value)]!) }));
    this.box.addEventListener('change', () => this.typed());
    this.wirePane();
    this.wireOverview();
    new ResizeObserver(() => {
      if (this.pane.clientWidth > 0) {
        if (this.bed !== undefined && !this.moved) this.layBed(); // as wide and high as there is room
        else if (!this.moved) this.fit();
        this.draw();
        if (!this.moved && this.app.selected >= 0) this.reveal(this.app.selected);
      }
    }).observe(this.pane);
  }

  // ---- controls ----

  private zoomButtons(): HTMLElement {
    return h(
      'div',
      { class: 'zoom' },
      h('button', { type: 'button', 'aria-label': 'Zoom in', click: () => this.zoomBy(1.25) }, '+'),
      h('button', { type: 'button', 'aria-label': 'Zoom out', click: () => this.zoomBy(0.8) }, '−'),
      h('button', { type: 'button', 'aria-label': 'Show all', title: 'Show all (0)', click: () => this.showAll() }, '⤢'
      ),
    );
  }

  private drawControls(): void {
    const { state } = this.app;
    const set = (name: string) => (value: string) => state.set({ [name]: value });
    const kind = state.get('w');
    const selected = this.app.selected;
    const root = this.app.find(state.get('root'));
    this.controls.replaceChildren(
      h('div',
        { class: 'field filter', title: 'Functions with less of the time are collapsed into what calls them' },
        h('span', { 'aria-hidden': 'true' }, 'Time ≥'),
        this.slider,
        this.box,
        h('span', { 'aria-hidden': 'true' }, '%'),
        h('button',
          {
            type: 'button',
            class: 'small',
            title: 'The value that shows 30 functions',
            click: () => state.set({ t: '' })
          },
          'Auto')),
      h('div', { class: 'field' }, this.collapseButton, this.subtreeButton),
      select(
        'Layout',
        state.get('lay'),
        [['', 'River'], ['graph', 'Graph']],
        set('lay'),
        'River: widths add up, what comes in is what goes out and what stays'
      ),
      ...(this.river ? this.lapseControls() : this.widthControls(kind)),
      select('Left', state.get('left'), data, set('left')),
      select('Right', state.get('right'), data, set('right')),
      select(
        'Names',
        state.get('len'),
        [['8', '8'], ['16', '16'], ['24', '24'], ['40', '40'], ['80', '80']],
        set('len'),
        'Longest name, in characters'
      ),
      check(
        'Sites apart',
        state.get('apart') === '1',
        (value) => state.set({ apart: value ? '1' : '' }),
        'An arc for each call site'
      ),
      h(
        'div',
        { class: 'field' },
        root >= 0 ?
          h('button',
            { type: 'button', click: () => state.set({ root: '' }), title: 'Widths by all of the time again' },
            `Root: ${cut(this.app.nameOf(root), 16)} ✕`) :
          h('button',
            {
              type: 'button',
              disabled: selected < 0,
              click: () => state.set({ root: this.app.idOf(selected) }),
              title: 'Widths as shares of the selected function (r)'
            },
            'Make root'),
      ),
      this.shownText,
    );
    this.drawParams(kind as Kind);
  }

  // Thousands of functions are drawn as a graph.
  private get river(): boolean {
    return this.app.state.get('lay') !== 'graph' && this.shown.nodes.length <= MOST_BED;
  }

  // Which part of the run the river shows; and a film of all of them.
  private lapseControls(): HTMLElement[] {
    const { profile, state } = this.app;
    if (!hasParts(profile)) return [];
    const part = state.get('ph');
    const names = [...new Set(profile.phases!.name)];
    const choices: [string, string][] = [['', 'all'], ...names.map((n): [string, string] => [n, `phase ${n}`])];
    if (/^\d+$/.test(part)) choices.push([part, `stretch ${part}: ${profile.phases!.name[Number(part) - 1] ?? '?'}`]);
    return [
      select('Part', part, choices, (ph) => state.set({ ph }), 'The river of one phase; functions keep their places'),
      h('button',
        {
          type: 'button',
          title: 'The phases one after the other',
          'aria-pressed': String(this.film !== 0),
          click: () => this.play()
        },
        this.film !== 0 ? 'Stop' : 'Play')
    ];
  }

  private play(): void {
    const film = filmOf(this.app.profile);
    const stop = (): void => {
      clearInterval(this.film);
      this.film = 0;
    };
    if (this.film !== 0) {
      stop();
      this.drawControls();
      return;
    }
    let next = film.indexOf(this.app.state.get('ph')) + 1;
    const step = (): void => {
      const ended = next >= film.length || !this.element.isConnected;
      if (ended) stop();
      this.app.state.set({ ph: ended ? '' : film[next]! }, false);
      next++;
    };
    this.film = window.setInterval(step, FRAME);
    step();
  }

  private widthControls(kind: string): HTMLElement[] {
    const { state } = this.app;
    return [
      select(
        'Width',
        kind,
        kinds.map((k) => [k.kind, k.name]),
        (value) => state.set({ w: value, wp: '' }),
        kinds.find((k) => k.kind === kind)?.text
      ),
      this.params,
      select(
        'of',
        state.get('arc'),
        [['call', 'these calls'], ['function', 'the whole callee']],
        (value) => state.set({ arc: value }),
        'Time that the width of an arc stands for'
      )
    ];
  }

  private drawParams(kind: Kind): void {
    const field = (label: string, value: number, done: (value: number) => void): HTMLElement => {
      const input = h('input', {
        type: 'number',
        step: 'any',
        class: 'tiny',
        'aria-label': label,
        change: () => Number.isFinite(input.valueAsNumber) && done(input.valueAsNumber)
      });
      input.value = String(Number(value.toPrecision(6)));
      return h('label', { class: 'field' }, h('span', {}, label), input);
    };
    const put = (scale: Scale): void => this.app.state.set({ wp: pack(scale) });
    const { scale } = this;
    if (kind === 'log')
      this.params.replaceChildren(
        field('a', scale.a, (a) => put({...scale, a })),
        field('b', scale.b, (b) => b > 0 && put({...scale, b })),
        field('c', scale.c, (c) => put({...scale, c })),
        h('button',
          {
            type: 'button',
            class: 'small',
            title: 'c = 1 − a log b: an arc of no time is 1 pixel wide',
            click: () => put({...scale, c: offsetFor(scale.a, scale.b) })
          },
          'c for 1 px'),
      );
    else if (kind === 'exp')
      this.params.replaceChildren(
        field('a', scale.a, (a) => put({...scale, a })),
        field('b', scale.b, (b) => b > 0 && put({...scale, b })),
        field('c', scale.c, (c) => put({...scale, c }))
      );
    else if (kind === 'adaptive')
      this.params.replaceChildren(field('widest', scale.max, (max) => max >= 1 && put({...scale, max })));
    else if (kind === 'table') {
      const input = h('input', {
        type: 'text',
        class: 'wide',
        'aria-label': 'Table of widths, per cent: pixels',
        title: 'Up to this per cent: so many pixels',
        change: () => put({...scale, table: readTable(input.value) ?? scale.table })
      });
      input.value = scale.table.map(([upTo, pixels]) => `${upTo}: ${pixels}`).join(', ');
      this.params.replaceChildren(h('label', { class: 'field' }, h('span', {}, '% : px'), input));
    } else this.params.replaceChildren();
  }

  private typed(): void {
    const value = parseFloat(this.box.value.replace(',', '.'));
    if (!Number.isFinite(value)) this.box.value = String(this.filter);
    else {
      this.app.state.set({ t: String(clampFilter(value)) });
      this.box.value = String(this.filter);
    }
  }

  get filter(): number {
    const text = this.app.state.get('t');
    return text === '' ? initialFilter(this.graph.totals, this.graph.all) : clampFilter(Number(text));
  }

  private setFilter(value: number, step: boolean): void {
    this.app.state.set({ t: String(value) }, step);
  }

  // ---- what is shown ----

  update(changed: Set<string>): void {
    const start = performance.now();
    const { state } = this.app;
    this.graph = this.app.graph;
    this.scale = unpack(state.get('w') as Kind, state.get('wp'));
    const all = changed.has('*');
    if ((all && !changed.has('live')) || changed.has('p')) this.moved = false;
    const only = (...names: string[]): boolean => !all && [...changed].every((name) => names.includes(name));
    if (!only('f', 'path', 'line') || this.shown.nodes.length === 0) {
      this.lay();
      if (document.activeElement !== this.slider && document.activeElement !== this.box) this.drawControls();
      else this.slider.title = '';
    } else this.drawControls();
    this.showFilter();
    this.redraw();
    if (this.app.selected >= 0 && (all || changed.has('f') || changed.has('view'))) this.reveal(this.app.selected);
    this.tellSelection();
    this.lastStep = performance.now() - start;
    this.element.dataset['step'] = this.lastStep.toFixed(1);
  }

  private states(): Map<number, Detail> {
    const states = new Map<number, Detail>();
    for (const item of this.app.state.get('d').split(',')) {
      const [f, state] = item.split('.').map(Number);
      if (f !== undefined && Number.isInteger(f) && (state === 1 || state === 2 || state === 3)) states.set(f, state);
    }
    return states;
  }

  private detailOf(f: number): Detail {
    return this.states().get(f) ?? (this.filter === 0 ? Detail.all : Detail.filtered);
  }

  private lay(): void {
    const states = this.states();
    const query = this.app.state.get('q').trim();
    const match = query === '' ? undefined : this.matching(query);
    this.shown = prune(this.graph, this.filter, states, match);
    const rootTotal = this.rootTotal();
    this.whole = this.app.state.get('arc') === 'function';
    this.least = 1;
    for (const at of this.shown.arcs) {
      const t = this.timeOf(at) / rootTotal;
      if (t > 0 && t < this.least) this.least = t;
    }
    this.bed = undefined;
    this.flow = undefined;
    if (this.river) {
      this.layBed();
      return;
    }
    const boxes: Box[] = this.shown.nodes.map((f) => ({ id: f, width: this.boxWidth(f), height: HEIGHT }));
    const links:
      Link[] = this.shown.arcs.map((at) => ({ from: this.graph.arcs[at]!.from, to: this.graph.arcs[at]!.to }));
    this.clear();
    this.placed = this.app.layouter.place('river', boxes, links, true, (placed) => {
      this.clear();
      this.placed = placed;
      if (!this.moved) this.fit();
      this.redraw();
      if (this.app.selected >= 0) this.reveal(this.app.selected);
    });
    if (!this.moved) this.fit();
  }

  private layBed(): void {
    const { profile } = this.app;
    const part = this.lapse.flowOf(profile, this.graph, this.shown, this.app.state.get('ph'));
    this.flow = part === undefined ? undefined : { of: part.flow, all: part.all };
    const flow = part?.flow ?? flowOf(profile, this.graph, this.shown);
    this.clear();
    this.bed = bedOf(this.graph, this.shown, flow, {
      all: part?.all ?? this.graph.all,
      most: part?.most,
      canvas: { width: this.pane.clientWidth || 900, height: this.pane.clientHeight || 600 },
      width: (f) => this.boxWidth(f),
      least: HEIGHT
    });
    this.placed = this.bed.placed;
    this.app.layouter.forget('river');
    if (!this.moved) this.fit();
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

  private datum(kind: string, f: number): string {
    const { functions } = this.app.profile;
    const pairing = this.app.pairing;
    switch (kind) {
      case 'total':
        return percent(this.flow ? this.flow.of.into[f]! / this.flow.all : this.app.share(functions.total[f]!));
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

  private parts(f: number): { left: string; name: string; right: string } {
    const { state } = this.app;
    return {
      left: this.datum(state.get('left'), f),
      name: cut(this.app.nameOf(f), Number(state.get('len')) || 24),
      right: this.datum(state.get('right'), f)
    };
  }

  private boxWidth(f: number): number {
    const { name, ...data } = this.parts(f);
    // in a time-lapse no box becomes wider or narrower
    const [left, right] = [data.left, data.right].map((text) => (this.flow && text.endsWith('%') ? '100.00%' : text)) as
      [string, string];
    const measure = this.shown.nodes.length > 300 ? about : exact;
    let size = 16 + Math.ceil(measure(name, FONT));
    if (left !== '') size += 8 + Math.ceil(measure(left, SMALL));
    if (right !== '') size += 8 + Math.ceil(measure(right, SMALL));
    if (!isLeaf(this.graph, f)) size += 14;
    return size;
  }

  private showFilter(): void {
    const value = this.filter;
    this.slider.value = String(
      steps.reduce((best, step, i) => (Math.abs(step - value) < Math.abs(steps[best]! - value) ? i : best), 0)
    );
    this.slider.setAttribute('aria-valuetext', `${value}%`);
    if (document.activeElement !== this.box) this.box.value = String(value);
    let ran = 0;
    for (let f = 0; f < this.graph.count; f++) ran += this.graph.ran[f]!;
    this.shownText.textContent = `${count(this.shown.nodes.length)} of ${count(ran)} functions`;
    const f = this.app.selected;
    const can = f >= 0 && this.shown.has[f] === 1 && !isLeaf(this.graph, f);
    this.collapseButton.disabled = !can || this.detailOf(f) === Detail.collapsed;
    this.subtreeButton.disabled = !can || this.detailOf(f) === Detail.all;
  }

  private tellSelection(): void {
    const f = this.app.selected;
    this.full.textContent = f < 0 ?
      'Nothing is selected.' :
      `${this.app.nameOf(f).slice(0, 2000)}${this.app.fileOf(f) === '' ? '' : `  —  ${this.app.fileOf(f)}`}`;
  }

  private stepNode(by: number): void {
    const f = this.app.selected;
    if (f < 0 || isLeaf(this.graph, f)) return;
    const states = this.states();
    const now = states.get(f) ?? (this.filter === 0 && by < 0 ? Detail.all : Detail.filtered);
    states.set(f, stepDetail(now, by));
    this.moved = true;
    this.app.state.set({
      d: [...states]
           .filter(([g, state]) => state !== Detail.filtered || g === f)
           .map(([g, state]) => `${g}.${state}`)
           .join(',')
    });
    this.app.say(`${this.app.nameOf(f).slice(0, 100)}: ${
        ['', 'collapsed', 'children that pass the filter', 'all children'][this.detailOf(f)]}`);
  }

  // ---- drawing ----

  private clear(): void {
    this.world.replaceChildren();
    this.drawnNodes.clear();
    this.drawnArcs.clear();
  }

  private redraw(): void {
    this.clear();
    this.draw();
  }

  private draw(): void {
    this.world.setAttribute(
      'transform', `translate(${this.x.toFixed(1)} ${this.y.toFixed(1)}) scale(${this.zoom.toFixed(4)})`
    );
    const room = (this.shown.nodes.length > 500 ? 40 : 200) / this.zoom;
    const left = -this.x / this.zoom - room;
    const top = -this.y / this.zoom - room;
    const right = left + (this.pane.clientWidth || 800) / this.zoom + 2 * room;
    const bottom = top + (this.pane.clientHeight || 600) / this.zoom + 2 * room;
    const sight = new Uint8Array(this.graph.count);
    for (const f of this.shown.nodes) {
      const box = this.placed.boxes.get(f);
      if (box !== undefined && box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top)
        sight[f] = 1;
    }
    const arcs: SVGPathElement[] = [];
    const nodes: SVGGElement[] = [];
    const many = this.shown.arcs.length > 400;
    const seen = new Map<number, number>(); // arcs drawn of each caller
    // a call of itself has no arc: the curved bar says it
    this.shown.arcs.forEach((at, i) => {
      const arc = this.graph.arcs[at]!;
      if (arc.from === arc.to || (many && !sight[arc.to] && !sight[arc.from]) || this.drawnArcs.has(at)) return;
      if (many && !sight[arc.to]) {
        const drawn = seen.get(arc.from) ?? 0; // the widest of those that lead out of sight
        seen.set(arc.from, drawn + 1);
        if (drawn > 3) return;
      }
      const way = this.placed.way(i);
      if (way === undefined) return;
      const path = this.drawArc(at, way);
      this.drawnArcs.set(at, path);
      arcs.push(path);
    });
    for (const f of this.shown.nodes) {
      if (this.drawnNodes.has(f) || !sight[f]) continue;
      const node = this.drawNode(f);
      this.drawnNodes.set(f, node);
      nodes.push(node);
    }
    this.world.prepend(...arcs);
    this.world.append(...nodes);
    this.setTabStop();
    if (this.shown.nodes.length <= 1000) this.drawOverview();
    else if (this.later === 0)
      this.later = requestAnimationFrame(() => {
        this.later = 0;
        this.drawOverview();
      });
  }

  private drawArc(at: number, way: string): SVGPathElement {
    const arc = this.graph.arcs[at]!;
    const share = this.app.share(arc.total);
    const pairing = this.app.pairing;
    const selected = this.app.selected;
    const near = arc.from === selected || arc.to === selected;
    const ribbon = way.endsWith('Z');
    const opacity = arc.unknown !== 0 ? 0.3 : 0.62;
    const color = pairing ? changeColor(pairing.total[arc.to]!, this.graph.totals[arc.to]!, pairing.swing) :
                            heat(share);
    const path = s(
      'path',
      {
        d: way,
        fill: ribbon ? color : 'none',
        'fill-opacity': ribbon ? opacity : undefined,
        stroke: ribbon && arc.unknown === 0 ? 'none' : color,
        'stroke-width': ribbon ? 1 : this.widthOf(at).toFixed(3),
        'stroke-linecap': 'butt',
        opacity: selected >= 0 && !near ? 0.45 : 0.85,
        class: 'arc',
        'data-arc': at,
        'data-from': this.app.nameOf(arc.from).slice(0, 200),
        'data-to': this.app.nameOf(arc.to).slice(0, 200),
      },
    );
    if (arc.unknown !== 0) {
      path.setAttribute('data-unknown', String(arc.unknown));
      path.setAttribute('stroke-dasharray', '9 3'); // estimated
    }
    return path;
  }

  private arcText(at: number): string {
    const arc = this.graph.arcs[at]!;
    const { calls, unit } = this.app.profile;
    const sites = arc.calls.map(
      (i) => `${calls.site[i]}${calls.line[i]! > 0 ? ` (line ${calls.line[i]})` : ''}: ${
        count(calls.times[i]!)} calls, ${count(calls.total[i]!)} ${unit}`
    );
    return `${this.app.nameOf(arc.from).slice(0, 200)} → ${this.app.nameOf(arc.to).slice(0, 200)}\n${
      count(arc.count
      )} calls, ${unknownMark(arc.unknown)}${count(arc.total)} ${unit}, ${percent(this.app.share(arc.total))}\n${
      arc.unknown === 0 ? '' : `${unknownText(arc.unknown)}\n`}${sites.slice(0, 8).join('\n')}`;
  }

  private drawNode(f: number): SVGGElement {
    const box = this.placed.boxes.get(f)!;
    const colors = palette();
    const { left, name, right } = this.parts(f);
    const selected = f === this.app.selected;
    const { functions } = this.app.profile;
    const pairing = this.app.pairing;
    const edge = pairing ? changeColor(pairing.total[f]!, functions.total[f]!, pairing.swing) :
                           heat(this.app.share(functions.total[f]!));
    const group = s('g', {
      class: `node${selected ? ' selected' : ''}`,
      transform: `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`,
      tabindex: -1,
      role: 'button',
      'aria-pressed': String(selected),
      'data-node': f,
      'data-name': this.app.nameOf(f).slice(0, 200),
    });
    group.append(s('title', {}, this.nodeText(f).slice(0, 600)));
    group.append(s('rect', {
      width: box.width.toFixed(1),
      height: box.height.toFixed(1),
      rx: 5,
      fill: colors.panel,
      stroke: selected ? colors.select : edge,
      'stroke-width': selected ? 2.5 : 1.2
    }));
    const own = (box.width - 1.2) * this.app.share(functions.self[f]!);
    if (this.bed !== undefined) this.drawLake(group, f, box.width, edge);
    else if (own >= 0.3)
      group.append(s('rect', { x: 0.6, y: HEIGHT - 3, width: own.toFixed(1), height: 2.4, fill: edge, class: 'self' }));
    let at = 8;
    if (left !== '') {
      group.append(s('text', { x: at, y: 16, fill: colors.faint, 'font-size': 11, class: 'left' }, left));
      at += Math.ceil(exact(left, SMALL)) + 8;
    }
    group.append(s('text', { x: at, y: 16, fill: colors.text, class: 'name' }, name));
    const nameAt = at;
    const nameWidth = Math.ceil(exact(name, FONT));
    at += nameWidth + 8;
    if (right !== '') {
      group.append(s('text', { x: at, y: 16, fill: colors.faint, 'font-size': 11, class: 'right' }, right));
      at += Math.ceil(exact(right, SMALL)) + 8;
    }
    if (this.graph.recursive[f])
      group.append(s('path', {
        d: `M${nameAt} 5Q${nameAt + nameWidth / 2} ${- 9} ${nameAt + nameWidth} 5`,
        fill: 'none',
        stroke: colors.text,
        'stroke-width': 1.6,
        class: 'recursion'
      }));
    if (!isLeaf(this.graph, f)) group.append(this.mark(f, at - 2));
    group.addEventListener('click', () => {
      this.app.select(f);
      this.drawnNodes.get(f)?.focus({ preventScroll: true });
    });
    group.addEventListener('dblclick', () => this.app.select(f, { view: 'code' }));
    return group;
  }

  // What stays in a function, at the end of its box: as wide as an arc of this time were.
  private drawLake(group: SVGGElement, f: number, x: number, color: string): void {
    const lake = this.bed?.lakes.get(f);
    if (lake === undefined || lake.size < 0.3) return;
    const reach = Math.min(26, 6 + lake.size / 3);
    const end = lake.y + lake.size;
    group.append(s('path', {
      d: `M${x} ${lake.y.toFixed(2)}C${x + reach} ${lake.y.toFixed(2)} ${x + reach} ${end.toFixed(2)} ${x} ${
        end.toFixed(2)}Z`,
      fill: color,
      opacity: 0.55,
      class: 'lake',
      'data-size': lake.size.toFixed(3)
    }));
  }

  // Filled: collapsed; partly filled: children that pass; open: all children.
  private mark(f: number, x: number): SVGElement {
    const detail = this.detailOf(f);
    const color = palette().text;
    const state = ['', 'collapsed', 'filtered', 'all'][detail]!;
    const arrow = s('g', { class: 'mark', 'data-state': state, transform: `translate(${x} 7.5)` });
    arrow.append(s('path', {
      d: 'M0 0L9 4.5L0 9Z',
      fill: detail === Detail.collapsed ? color : 'none',
      stroke: color,
      'stroke-width': 1.1,
      'stroke-linejoin': 'round'
    }));
    if (detail === Detail.filtered) arrow.append(s('path', { d: 'M0 0L4.5 2.25V6.75L0 9Z', fill: color }));
    arrow.addEventListener('click', (event) => {
      event.stopPropagation();
      this.app.state.set({ f: this.app.idOf(f) }, false);
      this.stepNode(this.detailOf(f) === Detail.all ? -2 : 1);
    });
    return arrow;
  }

  private nodeText(f: number): string {
    const { functions, unit } = this.app.profile;
    const pairing = this.app.pairing;
    const recursion = this.graph.recursive[f] ? ', recursive' : '';
    const difference = pairing ?
      `, ${changePercent(pairing.total[f]!, functions.total[f]!)} against ${pairing.other.label}` :
      '';
    return `${this.app.nameOf(f)}${recursion}: ${percent(this.app.share(functions.total[f]!))} with descendants, ${
      percent(this.app.share(functions.self[f]!)
      )} self, ${count(functions.calls[f]!)} calls, ${count(functions.total[f]!)} ${unit}${difference}`;
  }

  private setTabStop(): void {
    const selected = this.app.selected;
    const stop = this.drawnNodes.get(selected) ?? this.drawnNodes.get(this.shown.nodes[0] ?? -1) ??
      this.drawnNodes.values().next().value;
    stop?.setAttribute('tabindex', '0');
  }

  private drawOverview(): void {
    const canvas = this.overview;
    const context = canvas.getContext('2d');
    const few = this.pane.clientWidth < 560;
    canvas.hidden = few || this.shown.nodes.length === 0;
    if (context === null || canvas.hidden) return;
    const colors = palette();
    const scale = this.overviewScale();
    context.clearRect(0, 0, canvas.width, canvas.height);
    const selected = this.app.selected;
    const light = new Set<number>(
      selected >= 0 ?
        [selected, ...callers(this.graph, selected).map((n) => n.f), ...callees(this.graph, selected).map((n) => n.f)] :
        []
    );
    context.strokeStyle = colors.line;
    context.lineWidth = 1;
    context.beginPath();
    if (this.shown.arcs.length <= 2000) // more is a grey sheet
      for (const at of this.shown.arcs) {
        const a = this.placed.boxes.get(this.graph.arcs[at]!.from);
        const b = this.placed.boxes.get(this.graph.arcs[at]!.to);
        if (a === undefined || b === undefined) continue;
        context.moveTo((a.x + a.width) * scale, (a.y + a.height / 2) * scale);
        context.lineTo(b.x * scale, (b.y + b.height / 2) * scale);
      }
    context.stroke();
    let lit = 0;
    const many = this.shown.nodes.length > 1000;
    const picture = many ? context.createImageData(canvas.width, canvas.height) : undefined;
    for (const f of this.shown.nodes) {
      const box = this.placed.boxes.get(f);
      if (box === undefined) continue;
      const is = light.has(f);
      lit += is ? 1 : 0;
      const share = this.app.share(this.graph.totals[f]!);
      const color = f === selected ? colors.select : heat(is ? 0.1 : share);
      if (picture !== undefined) {
        dot(picture, box.x * scale, box.y * scale, box.width * scale, color);
        continue;
      }
      context.globalAlpha = selected >= 0 && !is ? 0.25 : 1;
      context.fillStyle = color;
      context.fillRect(box.x * scale, box.y * scale, Math.max(2, box.width * scale), Math.max(2, box.height * scale));
    }
    if (picture !== undefined) context.putImageData(picture, 0, 0);
    context.globalAlpha = 1;
    canvas.dataset['spotlight'] = String(lit);
    context.strokeStyle = colors.select;
    context.lineWidth = 1.5;
    context.strokeRect(
      (-this.x / this.zoom) * scale,
      (-this.y / this.zoom) * scale,
      (this.pane.clientWidth / this.zoom) * scale,
      (this.pane.clientHeight / this.zoom) * scale
    );
  }

  private overviewScale(): number {
    return Math.min(this.overview.width / this.placed.width, this.overview.height / this.placed.height);
  }

  // ---- moving ----

  private wirePane(): void {
    let start: { x: number; y: number; px: number; py: number } | undefined;
    this.svg.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || (event.target as Element).closest('.node') !== null) return;
      start = { x: this.x, y: this.y, px: event.clientX, py: event.clientY };
    });
    this.svg.addEventListener('pointermove', (event) => {
      if (start === undefined) return;
      if (Math.hypot(event.clientX - start.px, event.clientY - start.py) > 3)
        this.svg.setPointerCapture(event.pointerId);
      this.moveTo(start.x + event.clientX - start.px, start.y + event.clientY - start.py);
    });
    const end = (): void => (start = undefined);
    this.svg.addEventListener('pointerup', end);
    this.svg.addEventListener('pointercancel', end);
    this.svg.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) {
          const bounds = this.svg.getBoundingClientRect();
          this.zoomBy(Math.exp(-event.deltaY / 300), event.clientX - bounds.x, event.clientY - bounds.y);
        } else
          this.moveTo(
            this.x - (event.shiftKey ? event.deltaY : event.deltaX), this.y - (event.shiftKey ? 0 : event.deltaY)
          );
      },
      { passive: false },
    );
    this.svg.addEventListener('keydown', (event) => this.nodeKey(event));
    const arcOf = (event: Event): SVGElement | null => (event.target as Element).closest<SVGElement>('[data-arc]');
    this.svg.addEventListener('click', (event) => {
      const path = arcOf(event);
      if (path !== null) this.app.select(this.graph.arcs[Number(path.dataset['arc'])]!.to);
    });
    this.svg.addEventListener('pointerover', (event) => {
      const path = arcOf(event);
      if (path !== null && path.firstChild === null)
        path.append(s('title', {}, this.arcText(Number(path.dataset['arc']))));
    });
  }

  private wireOverview(): void {
    const go = (event: PointerEvent): void => {
      const scale = this.overviewScale();
      this.moveTo(
        this.pane.clientWidth / 2 - (event.offsetX / scale) * this.zoom,
        this.pane.clientHeight / 2 - (event.offsetY / scale) * this.zoom
      );
    };
    this.overview.addEventListener('pointerdown', (event) => {
      this.overview.setPointerCapture(event.pointerId);
      go(event);
    });
    this.overview.addEventListener('pointermove', (event) => event.buttons === 1 && go(event));
  }

  private moveTo(x: number, y: number): void {
    this.x = x;
    this.y = y;
    this.moved = true;
    this.wholly = false;
    if (this.frame === 0)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
  }

  private zoomBy(factor: number, cx = this.pane.clientWidth / 2, cy = this.pane.clientHeight / 2): void {
    const zoom = Math.min(4, Math.max(0.05, this.zoom * factor));
    this.x = cx - ((cx - this.x) * zoom) / this.zoom;
    this.y = cy - ((cy - this.y) * zoom) / this.zoom;
    this.zoom = zoom;
    this.moveTo(this.x, this.y);
  }

  private showAll(): void {
    this.moved = false;
    this.wholly = true;
    this.fit();
    this.draw();
  }

  // All of it, if names can still be read; else its beginning.
  private fit(): void {
    const least = this.wholly ? 0.05 : 0.96; // names have 12 pixels at least
    const w = this.pane.clientWidth || 900;
    const tall = this.pane.clientHeight || 600;
    const { width: pw, height: ph } = this.placed;
    this.zoom = Math.max(least, Math.min(1.15, w / pw, tall / ph));
    this.x = pw * this.zoom < w ? (w - pw * this.zoom) / 2 : 0;
    this.y = ph * this.zoom < tall ? (tall - ph * this.zoom) / 2 : 0;
    const first = this.placed.boxes.get(this.shown.nodes[0] ?? -1);
    if (ph * this.zoom > tall && first !== undefined)
      this.y = Math.min(0, Math.max(tall - ph * this.zoom, tall / 2 - (first.y + HEIGHT / 2) * this.zoom));
  }

  // Brings a node into sight, in the middle if it was out of it.
  reveal(f: number): void {
    const box = this.placed.boxes.get(f);
    if (box === undefined) return;
    const x = box.x * this.zoom + this.x;
    const y = box.y * this.zoom + this.y;
    if (
      x >= 0 && y >= 0 && x + box.width * this.zoom <= this.pane.clientWidth &&
      y + box.height * this.zoom <= this.pane.clientHeight
    )
      return;
    this.x = this.pane.clientWidth / 2 - (box.x + box.width / 2) * this.zoom;
    this.y = this.pane.clientHeight / 2 - (box.y + box.height / 2) * this.zoom;
    this.draw();
  }

  // ---- keyboard ----

  private nodeKey(event: KeyboardEvent): void {
    const node = (event.target as Element).closest<SVGGElement>('[data-node]');
    if (node === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const f = Number(node.getAttribute('data-node'));
    if (event.shiftKey && event.key.startsWith('Arrow')) {
      const by = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] }[event.key] ??
        [0, 0];
      this.moveTo(this.x + by[0]!, this.y + by[1]!);
    } else if (event.key.startsWith('Arrow')) {
      const to = this.neighbour(f, event.key);
      if (to !== undefined) this.focusNode(to);
    } else if (event.key === 'Enter' || event.key === ' ') this.app.select(f);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private focusNode(f: number): void {
    this.app.select(f);
    this.reveal(f);
    this.drawnNodes.get(f)?.focus({ preventScroll: true });
  }

  // Along the widest arc, or to the nearest node above or below.
  private neighbour(f: number, key: string): number | undefined {
    const { arcs, into, out } = this.graph;
    const shownArcs = new Set(this.shown.arcs);
    if (key === 'ArrowLeft')
      return into[f]!.filter((at) => shownArcs.has(at))
        .map((at) => arcs[at]!.from)
        .find((g) => g !== f && this.shown.has[g]);
    if (key === 'ArrowRight')
      return out[f]!.filter((at) => shownArcs.has(at))
        .map((at) => arcs[at]!.to)
        .find((g) => g !== f && this.shown.has[g]);
    const here = this.placed.boxes.get(f)!;
    let best: number | undefined;
    let least = Infinity;
    for (const g of this.shown.nodes) {
      const box = this.placed.boxes.get(g);
      if (box === undefined || g === f) continue;
      const dy = key === 'ArrowDown' ? box.y - here.y : here.y - box.y;
      const distance = dy + 0.7 * Math.abs(box.x - here.x);
      if (dy > 1 && distance < least) [best, least] = [g, distance];
    }
    return best;
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === '+' || event.key === '=') this.stepNode(1);
    else if (event.key === '-') this.stepNode(-1);
    else if (event.key === '[') this.setFilter(stepFrom(this.filter, -1), true);
    else if (event.key === ']') this.setFilter(stepFrom(this.filter, 1), true);
    else if (event.key === '0') this.showAll();
    else if (event.key === 'r' && this.app.selected >= 0)
      this.app.state.set({ root: this.app.state.get('root') === '' ? this.app.idOf(this.app.selected) : '' });
    else return false;
    return true;
  }

  drawing(): Drawing {
    const copy = this.svg.cloneNode(true) as SVGSVGElement;
    copy.querySelectorAll('[tabindex]').forEach((node) => node.removeAttribute('tabindex'));
    const inner = copy.querySelector('g');
    inner?.setAttribute('transform', 'translate(0 0)');
    copy.setAttribute('viewBox', `0 0 ${this.placed.width.toFixed(0)} ${this.placed.height.toFixed(0)}`);
    copy.setAttribute('width', this.placed.width.toFixed(0));
    copy.setAttribute('height', this.placed.height.toFixed(0));
    const text = this.shown.arcs.map((at) => {
      const arc = this.graph.arcs[at]!;
      return [
        this.app.nameOf(arc.from),
        this.app.nameOf(arc.to),
        arc.count,
        arc.total,
        percent(this.app.share(arc.total)),
        this.widthOf(at).toFixed(3)
      ].join('\t');
    });
    return { svg: copy, text: ['caller\tcallee\tcalls\ttime\tshare\twidth', ...text].join('\n') };
  }
}

// A few pixels in one colour: thousands of rectangles take a canvas too long.
function dot(picture: ImageData, x: number, y: number, size: number, color: string): void {
  const parts = color.match(/\d+/g);
  const [r, g, b] = color.startsWith('#') ? [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) :
                                            (parts ?? []).map(Number);
  const row = Math.min(picture.height - 1, Math.floor(y));
  for (let i = 0; i < Math.max(2, Math.min(40, size)); i++) {
    const column = Math.floor(x) + i;
    if (column >= picture.width) return;
    const at = 4 * (row * picture.width + column);
    picture.data[at] = r!;
    picture.data[at + 1] = g!;
    picture.data[at + 2] = b!;
    picture.data[at + 3] = 255;
  }
}

export function readTable(text: string): [number, number][] | undefined {
  const rows = text.split(/[,;\n]/).map(
                                     (row) => row.split(':').map((value) => parseFloat(value))
  ).filter((row) => row.length === 2);
  if (rows.length === 0 || rows.some(([upTo,
                                       pixels]) => !(upTo! >= 0 && upTo! <= 100 && pixels! >= 0.5 && pixels! <= 40)))
    return undefined;
  return rows.map(([upTo, pixels]) => [upTo!, pixels!]);
}

function pack(scale: Scale): string {
  if (scale.kind === 'table') return scale.table.map((row) => row.join(':')).join(',');
  return scale.kind === 'adaptive' ? String(scale.max) :
                                     [scale.a, scale.b, scale.c].map((value) => Number(value.toPrecision(8))).join(',');
}

function unpack(kind: Kind, text: string): Scale {
  const scale = defaultScale(kinds.some((k) => k.kind === kind) ? kind : 'fig14c');
  if (text === '') return scale;
  if (kind === 'table') return { ...scale, table: readTable(text) ?? scale.table };
  const [a, b, c] = text.split(',').map(Number);
  if (kind === 'adaptive') return Number.isFinite(a) && a! >= 1 ? { ...scale, max: a! } : scale;
  return [a, b, c].every((value) => Number.isFinite(value)) && b! > 0 ? { ...scale, a: a!, b: b!, c: c! } : scale;
}
