// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Flame graph: callers above, leaves above, or sandwich around the selected function.
import { App, Drawing, View } from './app.ts';
import { Bar, drawBars, parseZoom, ROW } from './bars.ts';
import { changed as changeColor, soft } from './colors.ts';
import { h, s, select } from './dom.ts';
import { changePercent, count, percent } from './format.ts';
import { aroundTrees, downTree, frameTotals, Tree, upTree } from './trees.ts';

interface Part {
  tree: Tree;
  svg: SVGSVGElement;
  up: boolean;
  id: string;
}

export class FlameView implements View {
  readonly id = 'flame';
  readonly name = 'Flame graph';
  readonly element: HTMLElement;
  private controls = h('div', { class: 'controls' });
  private pane = h('div', {
    class: 'flame',
    tabindex: 0,
    role: 'application',
    'aria-label': 'Flame graph. Arrow keys go from frame to frame, Enter zooms, 0 zooms out.'
  });
  private said = h('div', { class: 'full-name', 'aria-live': 'polite' });
  private parts: Part[] = [];
  private at: { part: number; node: number } | undefined;
  private built = '';
  private before: Map<string, number> | undefined;
  private now: Map<string, number> | undefined;

  constructor(private app: App) {
    this.element = h('section', { class: 'view', 'aria-label': 'Flame graph' }, this.controls, this.pane, this.said);
    this.pane.addEventListener('click', (event) => this.click(event));
    this.pane.addEventListener('dblclick', (event) => this.zoomTo(this.hit(event)));
    this.pane.addEventListener('keydown', (event) => this.paneKey(event));
    new ResizeObserver(() => this.pane.clientWidth > 0 && this.draw()).observe(this.pane);
  }

  private get mode(): string {
    const mode = this.app.state.get('mode');
    return mode === 'up' || (mode === 'sandwich' && this.app.selected >= 0) ? mode : 'down';
  }

  private build(): void {
    const { app } = this;
    const stacks = app.profile.stacks;
    const wanted = app.selected >= 0 ? app.nameOf(app.selected) : '';
    const key = `${app.index} ${this.mode} ${this.mode === 'sandwich' ? wanted : ''} ${stacks?.count}`;
    const pairing = app.pairing;
    if (pairing?.other.stacks !== undefined && stacks !== undefined) {
      this.before = frameTotals(pairing.other.stacks);
      this.now = frameTotals(stacks);
    } else this.before = this.now = undefined;
    if (key === this.built) return;
    this.built = key;
    this.at = undefined;
    const part = (id: string, tree: Tree, up: boolean):
      Part => ({ id, tree, up, svg: s('svg', { class: 'bars', role: 'presentation', 'data-part': id }) });
    if (stacks === undefined) this.parts = [];
    else if (this.mode === 'up') this.parts = [part('up', upTree(stacks), false)];
    else if (this.mode === 'sandwich') {
      const trees = aroundTrees(stacks, (frame) => stacks.frames[frame] === wanted);
      this.parts = [part('callers', trees.above, true), part('callees', trees.below, false)];
    } else this.parts = [part('down', downTree(stacks), false)];
    this.pane.replaceChildren(...this.parts.flatMap(
      (p) => (
        p.id === 'callers' ?
          [p.svg, h('div', { class: 'divider' }, `callers above, ${wanted.slice(0, 80)}, callees below`)] :
          [p.svg]
      )
    ));
  }

  update(changed: Set<string>): void {
    const { state } = this.app;
    this.build();
    this.controls.replaceChildren(
      select(
        'Show',
        this.mode,
        [
          ['down', 'from callers down'],
          ['up', 'from leaves up (inverted)'],
          ['sandwich', 'sandwich: around the selected function']
        ],
        (mode) => state.set({ mode, z: '' })
      ),
      h('button', { type: 'button', disabled: this.zoom === undefined, click: () => state.set({ z: '' }) }, 'Zoom out'),
      h('span', { class: 'quiet', role: 'status' }, this.matchText()),
    );
    if (this.parts.length === 0) this.pane.replaceChildren(h('p', { class: 'quiet' }, 'This profile holds no stacks.'));
    this.draw();
    if (changed.has('view') && this.mode === 'sandwich') this.parts[1]?.svg.scrollIntoView({ block: 'nearest' });
  }

  private get zoom(): [number, number] | undefined {
    return parseZoom(this.app.state.get('z'));
  }

  private nameOf(part: Part, node: number): string {
    return this.app.profile.stacks!.frames[part.tree.frame[node]!]!;
  }

  private matchText(): string {
    const query = this.app.state.get('q').trim().toLowerCase();
    const part = this.parts[0];
    if (query === '' || part === undefined) return '';
    let time = 0;
    let frames = 0;
    const { tree } = part;
    const open = [...tree.roots];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (this.nameOf(part, node).toLowerCase().includes(query)) {
        frames++;
        time += tree.total[node]!;
      } else open.push(...tree.children[node]!);
    }
    return `“${query.slice(0, 40)}”: ${count(frames)} frames, ${
      percent(tree.all > 0 ? time / tree.all : 0)} of the time`;
  }

  private draw(): void {
    const width = this.pane.clientWidth - 2;
    if (width <= 10 || this.parts.length === 0) return;
    this.parts.forEach((part, p) => {
      const [from, to] = this.zoom ?? [0, Math.max(part.tree.all, 1e-9)];
      const bars = this.bars(part, p, from, Math.min(to, Math.max(part.tree.all, to)), width);
      const rows = bars.reduce((most, bar) => Math.max(most, bar.row + 1), 1);
      drawBars(part.svg, bars, from, to, width, part.up, rows);
    });
  }

  private bars(part: Part, p: number, from: number, to: number, width: number): Bar[] {
    const { tree } = part;
    const scale = width / (to - from);
    const query = this.app.state.get('q').trim().toLowerCase();
    const selected = this.app.selected >= 0 ? this.app.nameOf(this.app.selected) : '';
    const { unit } = this.app.profile;
    const bars: Bar[] = [];
    const open = [...tree.roots];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const x = tree.x[node]!;
      const w = tree.total[node]!;
      if (w * scale < 0.5 || x + w < from || x > to) continue;
      open.push(...tree.children[node]!);
      const name = this.nameOf(part, node);
      const was = (this.before?.get(name) ?? 0) * (this.app.pairing?.factor ?? 1);
      const is = this.now?.get(name) ?? 0;
      bars.push({
        key: `${p}:${node}`,
        x,
        w,
        row: tree.depth[node]!,
        name,
        text: `${name}\n${count(w)} ${unit}, ${percent(this.app.share(w))}; self ${count(tree.self[node]!)}${
          this.before ? `\n${changePercent(was, is)} against ${this.app.pairing!.other.label.slice(0, 80)}` : ''}`,
        color: this.before ? changeColor(was, is) : soft(this.fileOf(part, node), 3 * (tree.depth[node]! % 2)),
        dim: query !== '' && !name.toLowerCase().includes(query),
        strong: (this.at?.part === p && this.at.node === node) || (selected !== '' && name === selected),
      });
    }
    return bars;
  }

  private fileOf(part: Part, node: number): string {
    const { stacks, files } = this.app.profile;
    const file = stacks!.files[part.tree.frame[node]!]!;
    return file < 0 ? this.nameOf(part, node) : files[file]!;
  }

  private hit(event: Event): { part: number; node: number } | undefined {
    const key = (event.target as Element).closest('[data-key]')?.getAttribute('data-key')?.split(':').map(Number);
    return key === undefined ? undefined : { part: key[0]!, node: key[1]! };
  }

  private click(event: MouseEvent): void {
    const at = this.hit(event);
    if (at !== undefined) this.go(at);
  }

  private go(at: { part: number; node: number }): void {
    const part = this.parts[at.part]!;
    const name = this.nameOf(part, at.node);
    const mode = this.mode;
    this.at = at;
    this.said.textContent = `${name.slice(0, 2000)}: ${count(part.tree.total[at.node]!)} ${this.app.profile.unit}, ${
      percent(this.app.share(part.tree.total[at.node]!))}`;
    const f = this.app.profile.functions.name.indexOf(name);
    if (f >= 0 && mode !== 'sandwich') this.app.select(f);
    this.draw();
    this.pane.querySelector(`[data-key="${at.part}:${at.node}"]`)?.scrollIntoView({ block: 'nearest' });
  }

  private zoomTo(at: { part: number; node: number } | undefined): void {
    if (at === undefined) return;
    const { tree } = this.parts[at.part]!;
    if (this.mode === 'sandwich') {
      const f = this.app.profile.functions.name.indexOf(this.nameOf(this.parts[at.part]!, at.node));
      if (f >= 0) this.app.select(f);
      return;
    }
    const x = tree.x[at.node]!;
    this.app.state.set({ z: `${x}-${x + tree.total[at.node]!}` });
  }

  private paneKey(event: KeyboardEvent): void {
    const first = this.parts[0];
    if (first === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.at ?? (first.tree.roots.length > 0 ? { part: 0, node: first.tree.roots[0]! } : undefined);
    if (at === undefined) return;
    const part = this.parts[at.part]!;
    const { tree } = part;
    const parent = tree.parent[at.node]!;
    const siblings = parent < 0 ? tree.roots : tree.children[parent]!;
    const place = siblings.indexOf(at.node);
    const deeper = part.up ? 'ArrowUp' : 'ArrowDown';
    const higher = part.up ? 'ArrowDown' : 'ArrowUp';
    let next: number | undefined;
    if (this.at === undefined) next = at.node;
    else if (event.key === deeper) next = tree.children[at.node]![0];
    else if (event.key === higher) next = parent >= 0 ? parent : undefined;
    else if (event.key === 'ArrowLeft') next = siblings[place - 1];
    else if (event.key === 'ArrowRight') next = siblings[place + 1];
    if (event.key.startsWith('Arrow')) {
      if (next !== undefined) this.go({ part: at.part, node: next });
      else if (event.key === higher && this.parts.length > 1) {
        const other = 1 - at.part;
        if (this.parts[other]!.tree.roots.length > 0) this.go({ part: other, node: this.parts[other]!.tree.roots[0]! });
      }
    } else if (event.key === 'Enter') this.zoomTo(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  key(event: KeyboardEvent): boolean {
    const { state } = this.app;
    if (event.key === '0') state.set({ z: '' });
    else if (event.key === 'i') state.set({ mode: this.mode === 'up' ? 'down' : 'up', z: '' });
    else if (event.key === 's' && this.app.selected >= 0)
      state.set({ mode: this.mode === 'sandwich' ? 'down' : 'sandwich', z: '' });
    else return false;
    return true;
  }

  drawing(): Drawing {
    const width = Number(this.parts[0]?.svg.getAttribute('width') ?? 800);
    const svg = s('svg', {});
    let y = 0;
    for (const part of this.parts) {
      const copy = part.svg.cloneNode(true) as SVGSVGElement;
      const group = s('g', { transform: `translate(0 ${y})` });
      group.append(...copy.childNodes);
      svg.append(group);
      y += Number(part.svg.getAttribute('height') ?? 0) + ROW / 2;
    }
    svg.setAttribute('viewBox', `0 0 ${width} ${y}`);
    svg.setAttribute('width', String(width));
    svg.setAttribute('height', String(y));
    return { svg, text: this.asText() };
  }

  // Folded stacks: what other tools read.
  private asText(): string {
    const stacks = this.app.profile.stacks;
    if (stacks === undefined) return '';
    const lines: string[] = [];
    for (let i = 0; i < stacks.count && lines.length < 100000; i++) {
      if (stacks.self[i] === 0) continue;
      const names: string[] = [];
      for (let k = i; k >= 0; k = stacks.parent[k]!) names.push(stacks.frames[stacks.frame[k]!]!.replace(/;/g, ':'));
      lines.push(`${names.reverse().join(';')} ${stacks.self[i]}`);
    }
    return lines.join('\n');
  }
}
