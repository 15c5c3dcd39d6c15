// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The river of time: the dynamic call graph, the width of an arc by time (QTY II A to C, FIG. 12 to 14).
//
//   Scene (what is shown, where) ──► Painter (boxes, arcs) ──► Pane (what is in sight)      Controls: the row above
import { App, Drawing, View } from './app.ts';
import { h } from './dom.ts';
import { percent } from './format.ts';
import { stepFrom } from './prune.ts';
import { Controls } from './rivercontrols.ts';
import { Painter } from './riverdraw.ts';
import { Pane } from './riverpane.ts';
import { Scene } from './riverscene.ts';

export class River implements View {
  readonly id = 'river';
  readonly name = 'River';
  readonly element: HTMLElement;
  private scene: Scene;
  private painter: Painter;
  private pane: Pane;
  private controls: Controls;
  private full = h('div', { class: 'full-name', 'aria-live': 'polite' });

  constructor(private app: App) {
    this.scene = new Scene(app);
    this.painter = new Painter(app, this.scene, (by) => this.controls.stepNode(by));
    this.pane = new Pane(app, this.scene, this.painter);
    this.controls = new Controls(app, this.scene, () => (this.pane.moved = true));
    this.element = h(
      'section', { class: 'view', 'aria-label': 'River' }, this.controls.element, this.pane.element, this.full
    );
    this.pane.svg.addEventListener('keydown', (event) => this.nodeKey(event));
    new ResizeObserver(() => this.resized()).observe(this.pane.element);
  }

  private resized(): void {
    if (!this.pane.measure()) return;
    if (this.scene.bed !== undefined && !this.pane.moved) { // as wide and high as there is room
      this.painter.clear();
      this.scene.layBed(this.pane.size);
    }
    if (!this.pane.moved) this.pane.fit();
    this.pane.draw();
    if (!this.pane.moved && this.app.selected >= 0) this.pane.reveal(this.app.selected);
  }

  update(changed: Set<string>): void {
    const start = performance.now();
    const all = changed.has('*');
    if ((all && !changed.has('live')) || changed.has('p')) this.pane.moved = false;
    const only = (...names: string[]): boolean => !all && [...changed].every((name) => names.includes(name));
    if (!only('f', 'path', 'line') || this.scene.shown.nodes.length === 0) {
      this.scene.lay(this.pane.size, () => {
        if (!this.pane.moved) this.pane.fit();
        this.redraw();
        if (this.app.selected >= 0) this.pane.reveal(this.app.selected);
      });
      const same = only('t') && this.controls.drawnRiver === this.scene.river; // another filter: nothing but its value
      if (!this.controls.busy && !same) {
        this.painter.clear(); // so that to measure costs little
        this.controls.draw();
        this.pane.measure();
      }
      if (!this.pane.moved) this.pane.fit();
    } else this.controls.draw();
    this.controls.showFilter();
    this.redraw();
    if (this.app.selected >= 0 && (all || changed.has('f') || changed.has('view'))) this.pane.reveal(this.app.selected);
    this.tellSelection();
    this.element.dataset['step'] = (performance.now() - start).toFixed(1);
  }

  private redraw(): void {
    this.painter.clear();
    this.pane.draw();
  }

  private tellSelection(): void {
    const f = this.app.selected;
    this.full.textContent = f < 0 ?
      this.legend() :
      `${this.app.nameOf(f).slice(0, 2000)}${this.app.fileOf(f) === '' ? '' : `  —  ${this.app.fileOf(f)}`}`;
  }

  // What a first look does not tell.
  private legend(): string {
    const wide = this.scene.bed !== undefined ?
      'Arc: as wide as the time of its calls. Bulge behind a box: own time.' :
      'Arc: the wider, the more time. Bar in a box: own time.';
    return `${wide} Red: ${this.app.pairing ? 'became slower; blue: faster' : 'much of all time'}.`;
  }

  private nodeKey(event: KeyboardEvent): void {
    const node = (event.target as Element).closest<SVGGElement>('[data-node]');
    if (node === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const f = Number(node.getAttribute('data-node'));
    if (event.shiftKey && event.key.startsWith('Arrow')) {
      const by = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] }[event.key] ??
        [0, 0];
      this.pane.moveBy(by[0]!, by[1]!);
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
    this.pane.reveal(f);
    this.painter.drawnNodes.get(f)?.focus({ preventScroll: true });
  }

  // Along the widest arc, or to the nearest node above or below.
  private neighbour(f: number, key: string): number | undefined {
    const { arcs, into, out } = this.scene.graph;
    const shownArcs = new Set(this.scene.shown.arcs);
    if (key === 'ArrowLeft')
      return into[f]!.filter((at) => shownArcs.has(at))
        .map((at) => arcs[at]!.from)
        .find((g) => g !== f && this.scene.shown.has[g]);
    if (key === 'ArrowRight')
      return out[f]!.filter((at) => shownArcs.has(at))
        .map((at) => arcs[at]!.to)
        .find((g) => g !== f && this.scene.shown.has[g]);
    const here = this.scene.placed.boxes.get(f)!;
    let best: number | undefined;
    let least = Infinity;
    for (const g of this.scene.shown.nodes) {
      const box = this.scene.placed.boxes.get(g);
      if (box === undefined || g === f) continue;
      const dy = key === 'ArrowDown' ? box.y - here.y : here.y - box.y;
      const distance = dy + 0.7 * Math.abs(box.x - here.x);
      if (dy > 1 && distance < least) [best, least] = [g, distance];
    }
    return best;
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === '+' || event.key === '=') this.controls.stepNode(1);
    else if (event.key === '-') this.controls.stepNode(-1);
    else if (event.key === '[') this.controls.setFilter(stepFrom(this.scene.filter, -1), true);
    else if (event.key === ']') this.controls.setFilter(stepFrom(this.scene.filter, 1), true);
    else if (event.key === '0') this.pane.showAll();
    else if (event.key === 'r' && this.app.selected >= 0)
      this.app.state.set({ root: this.app.state.get('root') === '' ? this.app.idOf(this.app.selected) : '' });
    else return false;
    return true;
  }

  drawing(): Drawing {
    const copy = this.pane.svg.cloneNode(true) as SVGSVGElement;
    copy.querySelectorAll('[tabindex]').forEach((node) => node.removeAttribute('tabindex'));
    const inner = copy.querySelector('g');
    inner?.setAttribute('transform', 'translate(0 0)');
    copy.setAttribute('viewBox', `0 0 ${this.scene.placed.width.toFixed(0)} ${this.scene.placed.height.toFixed(0)}`);
    copy.setAttribute('width', this.scene.placed.width.toFixed(0));
    copy.setAttribute('height', this.scene.placed.height.toFixed(0));
    const text = this.scene.shown.arcs.map((at) => {
      const arc = this.scene.graph.arcs[at]!;
      return [
        this.app.nameOf(arc.from),
        this.app.nameOf(arc.to),
        arc.count,
        arc.total,
        percent(this.app.share(arc.total)),
        this.scene.widthOf(at).toFixed(3)
      ].join('\t');
    });
    return { svg: copy, text: ['caller\tcallee\tcalls\ttime\tshare\twidth', ...text].join('\n') };
  }
}
