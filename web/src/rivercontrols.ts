// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The row above the river: filter, layout, part of the run, widths, what stands beside a name.
import { App } from './app.ts';
import { check, h, select } from './dom.ts';
import { count, cut } from './format.ts';
import { filmOf, hasParts } from './lapse.ts';
import { clampFilter, Detail, isLeaf, stepDetail, steps } from './prune.ts';
import { Scene } from './riverscene.ts';
import { Kind, kinds, offsetFor, packScale, readTable, Scale } from './scale.ts';

const FRAME = 900; // milliseconds of a part in the film

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

export class Controls {
  readonly element = h('div', { class: 'controls' });
  private slider = h('input', { type: 'range', min: 0, max: steps.length - 1, step: 1, 'aria-label': 'Time filter' });
  private box = h(
    'input', { type: 'text', inputmode: 'decimal', class: 'percent', 'aria-label': 'Time filter in per cent' }
  );
  drawnRiver: boolean | undefined; // which layout's controls there are
  private shownText = h('span', { class: 'quiet', role: 'status' });
  private params = h('span', { class: 'params' });
  private collapseButton: HTMLButtonElement;
  private subtreeButton: HTMLButtonElement;
  private film = 0; // timer

  // stepped: the user has changed how much one function shows.
  constructor(private app: App, private scene: Scene, private stepped: () => void) {
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
    this.slider.addEventListener('input', () => this.setFilter(steps[Number(this.slider.value)]!, false));
    this.slider.addEventListener('change', () => this.app.state.set({ t: String(steps[Number(this.slider.value)]!) }));
    this.box.addEventListener('change', () => this.typed());
  }

  // Whoever moves the slider keeps it: it is not made anew below the pointer.
  get busy(): boolean {
    return document.activeElement === this.slider || document.activeElement === this.box;
  }

  draw(): void {
    this.drawnRiver = this.scene.river;
    const { state } = this.app;
    const set = (name: string) => (value: string) => state.set({ [name]: value });
    const kind = state.get('w');
    const selected = this.app.selected;
    const root = this.app.find(state.get('root'));
    this.element.replaceChildren(
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
      ...(this.scene.river ? this.lapseControls() : this.widthControls(kind)),
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
      this.draw();
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
    const put = (scale: Scale): void => this.app.state.set({ wp: packScale(scale) });
    const { scale } = this.scene;
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
    if (!Number.isFinite(value)) this.box.value = String(this.scene.filter);
    else {
      this.app.state.set({ t: String(clampFilter(value)) });
      this.box.value = String(this.scene.filter);
    }
  }

  setFilter(value: number, step: boolean): void {
    this.app.state.set({ t: String(value) }, step);
  }

  showFilter(): void {
    const value = this.scene.filter;
    this.slider.value = String(
      steps.reduce((best, step, i) => (Math.abs(step - value) < Math.abs(steps[best]! - value) ? i : best), 0)
    );
    this.slider.setAttribute('aria-valuetext', `${value}%`);
    if (document.activeElement !== this.box) this.box.value = String(value);
    let ran = 0;
    for (let f = 0; f < this.scene.graph.count; f++) ran += this.scene.graph.ran[f]!;
    this.shownText.textContent = `${count(this.scene.shown.nodes.length)} of ${count(ran)} functions`;
    const f = this.app.selected;
    const can = f >= 0 && this.scene.shown.has[f] === 1 && !isLeaf(this.scene.graph, f);
    this.collapseButton.disabled = !can || this.scene.detailOf(f) === Detail.collapsed;
    this.subtreeButton.disabled = !can || this.scene.detailOf(f) === Detail.all;
  }

  stepNode(by: number): void {
    const f = this.app.selected;
    if (f < 0 || isLeaf(this.scene.graph, f)) return;
    const states = this.scene.states();
    const now = states.get(f) ?? (this.scene.filter === 0 && by < 0 ? Detail.all : Detail.filtered);
    states.set(f, stepDetail(now, by));
    this.stepped();
    this.app.state.set({
      d: [...states]
           .filter(([g, state]) => state !== Detail.filtered || g === f)
           .map(([g, state]) => `${g}.${state}`)
           .join(',')
    });
    this.app.say(`${this.app.nameOf(f).slice(0, 100)}: ${
        ['', 'collapsed', 'children that pass the filter', 'all children'][this.scene.detailOf(f)]}`);
  }
}
