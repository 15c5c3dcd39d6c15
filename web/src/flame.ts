// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Flame graph: callers above, leaves above, or sandwich around the selected function.
import { App, Drawing, View } from './app.ts';
import { Bar, drawBars, parseZoom, ROW } from './bars.ts';
import { BarCanvas, packed } from './canvas.ts';
import { changedBar as changeColor, palette, soft } from './colors.ts';
import { Profile, Stacks } from './data.ts';
import { h, s, select } from './dom.ts';
import { changePercent, count, percent } from './format.ts';
import { PathStacks, pathStacks } from './pathstacks.ts';
import { aroundTrees, downTree, frameTotals, Tree, upTree } from './trees.ts';

interface Part {
  tree: Tree;
  canvas: BarCanvas;
  rows: number; // in sight at this zoom, however far the pane is scrolled
  up: boolean;
  id: string;
}

const EXPORTED = 20000; // bars of a file
// What a bar is, by mode.
const HINTS: Record<string, string> = {
  down: 'a function, below its caller, as wide as its time',
  up: 'a function, below what it calls, as wide as the time that was spent there',
  sandwich: 'a function that leads to the selected one, or that it calls',
  paths: 'a function, below it its regions and their paths, as wide as their own time'
};
const byPathMode: [string, string] = ['paths', 'own time by path'];

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
  private waiting = false;
  private byPath: PathStacks | undefined; // if it is shown by path
  private pathsOf: { profile: Profile; made: PathStacks | undefined } | undefined;
  private before: Map<string, number> | undefined;
  private now: Map<string, number> | undefined;

  constructor(private app: App) {
    this.element = h('section', { class: 'view', 'aria-label': 'Flame graph' }, this.controls, this.pane, this.said);
    this.pane.addEventListener('click', (event) => this.click(event));
    this.pane.addEventListener('scroll', () => this.drawSoon());
    this.pane.addEventListener('mousemove', (event) => this.tell(event));
    this.pane.addEventListener('dblclick', (event) => this.zoomTo(this.hit(event)));
    this.pane.addEventListener('keydown', (event) => this.paneKey(event));
    new ResizeObserver(() => this.pane.clientWidth > 0 && this.draw()).observe(this.pane);
  }

  // What is drawn: the stacks of the profile, or its functions with their regions and paths.
  private get stacks(): Stacks | undefined {
    return this.byPath?.stacks ?? this.app.profile.stacks;
  }
  private get mode(): string {
    const mode = this.app.state.get('mode');
    const known = mode === 'up' || (mode === 'sandwich' && this.app.selected >= 0) ||
      (mode === 'paths' && this.app.profile.paths !== undefined);
    return known ? mode : 'down';
  }

  // What the stacks of a profile without order do not tell.
  private get lacks(): string {
    const { exactCalls, stacks } = this.app.profile;
    if (exactCalls || stacks === undefined || this.mode === 'paths') return '';
    const called = stacks.parent.some((parent) => parent >= 0);
    return called ? 'Stacks begin where traces begin: the callers above are in the river' :
                    'This profile has no stacks: own time alone; the river shows who calls whom';
  }

  private build(): void {
    const { app } = this;
    const byPath = this.mode === 'paths';
    if (byPath && this.pathsOf?.profile !== app.profile)
      this.pathsOf = { profile: app.profile, made: pathStacks(app.profile) };
    this.byPath = byPath ? this.pathsOf?.made : undefined;
    const stacks = this.stacks;
    const wanted = app.selected >= 0 ? app.nameOf(app.selected) : '';
    const around = this.mode === 'sandwich' ? `${app.selected} ${wanted}` : '';
    const key = `${app.index} ${this.mode} ${around} ${stacks?.count}`;
    const pairing = app.pairing;
    const other = pairing === undefined ? undefined :
      byPath                            ? pathStacks(pairing.other)?.stacks :
                                          pairing.other.stacks;
    if (other !== undefined && stacks !== undefined) {
      this.before = frameTotals(other);
      this.now = frameTotals(stacks);
    } else this.before = this.now = undefined;
    if (key === this.built) return;
    this.built = key;
    this.at = undefined;
    const part = (id: string, tree: Tree, up: boolean):
      Part => {
        const made: Part = { id, tree, up, canvas: new BarCanvas(), rows: 1 };
        made.canvas.canvas.dataset['part'] = id;
        Object.assign(made.canvas.canvas, { bars: () => this.inSight(made) }); // what is drawn, for tests
        return made;
      };
    if (stacks === undefined) this.parts = [];
    else if (this.mode === 'up') this.parts = [part('up', upTree(stacks), false)];
    else if (this.mode === 'sandwich') {
      const raw = app.profile.functions.name[app.selected];
      const trees = aroundTrees(stacks, (frame) => stacks.frames[frame] === raw);
      this.parts = [part('callers', trees.above, true), part('callees', trees.below, false)];
    } else this.parts = [part('down', downTree(stacks), false)];
    this.pane.replaceChildren(...this.parts.flatMap(
      (p) => (
        p.id === 'callers' ?
          [p.canvas.element, h('div', { class: 'divider' }, `callers above, ${wanted.slice(0, 80)}, callees below`)] :
          [p.canvas.element]
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
          ['sandwich', 'sandwich: around the selected function'],
          ...(this.app.profile.paths === undefined ? [] : [byPathMode])
        ],
        (mode) => state.set({ mode, z: '' })
      ),
      h('button', { type: 'button', disabled: this.zoom === undefined, click: () => state.set({ z: '' }) }, 'Zoom out'),
      h('span', { class: 'quiet', role: 'status' }, this.matchText()),
      ...(this.lacks === '' ? [] : [h('span', { class: 'quiet lacks' }, this.lacks)])
    );
    if (this.at === undefined)
      this.said.textContent = `Bar: ${HINTS[this.mode] ?? HINTS['down']}. Click: select; double click: zoom.`;
    if (this.parts.length === 0) this.pane.replaceChildren(h('p', { class: 'quiet' }, 'This profile holds no stacks.'));
    this.draw();
    if (changed.has('view') && this.mode === 'sandwich')
      this.parts[1]?.canvas.element.scrollIntoView({ block: 'nearest' });
  }

  private get zoom(): [number, number] | undefined {
    return parseZoom(this.app.state.get('z'));
  }

  private nameOf(part: Part, node: number): string {
    return this.stacks!.shown[part.tree.frame[node]!]!;
  }
  private functionAt(part: Part, node: number): number {
    return this.app.profile.functions.name.indexOf(this.stacks!.frames[part.tree.frame[node]!]!);
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

  private drawSoon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  private draw(): void {
    const width = this.pane.clientWidth - 2;
    if (width <= 10 || this.parts.length === 0) return;
    for (const part of this.parts) {
      part.rows = 1;
      this.visit(part, width, 0, Infinity, (_node, row) => (part.rows = Math.max(part.rows, row + 1)));
      part.canvas.element.style.height = `${part.rows * ROW}px`; // of all parts, before one of them is painted
    }
    this.paint();
  }

  private paint(): void {
    const width = this.pane.clientWidth - 2;
    const query = this.app.state.get('q').trim().toLowerCase();
    for (const part of this.parts) {
      const { canvas, tree } = part;
      const [from, to] = this.range(part);
      const scale = width / (to - from);
      canvas.begin(this.pane, width, part.rows);
      const [first, last] = part.up ? [part.rows - canvas.last, part.rows - canvas.first] : [canvas.first, canvas.last];
      this.visit(part, width, first, last, (node, row) => {
        const name = this.nameOf(part, node);
        const x = (tree.x[node]! - from) * scale;
        const w = tree.total[node]! * scale;
        const strong = this.isStrong(part, node, name);
        const color = packed(strong && w < 6 ? palette().select : this.colorOf(part, node, name));
        const dim = query !== '' && !name.toLowerCase().includes(query);
        canvas.put(part.up ? part.rows - 1 - row : row, x, x + w, color, 1, dim, strong && w >= 6, name);
      });
      canvas.finish();
    }
  }

  private range(part: Part): [number, number] {
    const [from, to] = this.zoom ?? [0, Math.max(part.tree.all, 1e-9)];
    return [from, Math.min(to, Math.max(part.tree.all, to))];
  }

  // Frames of some rows that are wide enough to be seen.
  private visit(part: Part, width: number, first: number, last: number, put: (node: number, row: number) => void):
    void {
    const { tree } = part;
    const [from, to] = this.range(part);
    const least = (0.5 * (to - from)) / width;
    const open = [...tree.roots];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const x = tree.x[node]!;
      const w = tree.total[node]!;
      const row = tree.depth[node]!;
      if (w < least || x + w < from || x > to || row >= last) continue;
      for (const child of tree.children[node]!) open.push(child);
      if (row >= first) put(node, row);
    }
  }

  private isStrong(part: Part, node: number, name: string): boolean {
    const { at } = this;
    const selected = this.app.selected;
    return (at !== undefined && at.node === node && this.parts[at.part] === part) ||
      (selected >= 0 && this.byPath === undefined && name === this.app.nameOf(selected)) ||
      (selected >= 0 && this.byPath?.fn[part.tree.frame[node]!] === selected && part.tree.depth[node] === 0);
  }
  private change(name: string): [number, number] {
    return [(this.before?.get(name) ?? 0) * (this.app.pairing?.factor ?? 1), this.now?.get(name) ?? 0];
  }
  private colorOf(part: Part, node: number, name: string): string {
    return this.before ? changeColor(...this.change(name), this.app.pairing?.swing ?? 0) :
                         soft(this.fileOf(part, node), 3 * (part.tree.depth[node]! % 2), name);
  }
  private textOf(part: Part, node: number): string {
    const { unit } = this.app.profile;
    const { tree } = part;
    const name = this.nameOf(part, node);
    return `${name}\n${count(tree.total[node]!)} ${unit}, ${percent(this.app.share(tree.total[node]!))}; self ${
      count(tree.self[node]!)}${
      this.before ? `\n${changePercent(...this.change(name))} against ${this.app.pairing!.other.label.slice(0, 80)}` :
                    ''}`;
  }

  // Frames as bars, for a file and for tests.
  private bars(part: Part, width: number, first: number, last: number): Bar[] {
    const { tree } = part;
    const query = this.app.state.get('q').trim().toLowerCase();
    const p = this.parts.indexOf(part);
    const bars: Bar[] = [];
    this.visit(part, width, first, last, (node, row) => {
      const name = this.nameOf(part, node);
      if (bars.length < EXPORTED)
        bars.push({
          key: `${p}:${node}`,
          x: tree.x[node]!,
          w: tree.total[node]!,
          row,
          name,
          text: this.textOf(part, node),
          color: this.colorOf(part, node, name),
          dim: query !== '' && !name.toLowerCase().includes(query),
          strong: this.isStrong(part, node, name),
        });
    });
    return bars;
  }
  private inSight(part: Part): { name: string; x: number; y: number; width: number; strong: boolean; text: string }[] {
    const width = this.pane.clientWidth - 2;
    const [from, to] = this.range(part);
    const { first, last } = part.canvas;
    const rows: [number, number] = part.up ? [part.rows - last, part.rows - first] : [first, last];
    return this.bars(part, width, ...rows).map((bar) => ({
      ...bar,
      x: ((bar.x - from) * width) / (to - from),
      y: (part.up ? part.rows - 1 - bar.row : bar.row) * ROW,
      width: (bar.w * width) / (to - from)
    }));
  }

  private fileOf(part: Part, node: number): string {
    if (this.byPath !== undefined) return this.app.nameOf(this.byPath.fn[part.tree.frame[node]!]!);
    const { files } = this.app.profile;
    const file = this.stacks!.files[part.tree.frame[node]!]!;
    return file < 0 ? this.nameOf(part, node) : files[file]!;
  }

  // The frame under the pointer: the narrowest, if several share a pixel.
  private hit(event: MouseEvent): { part: number; node: number } | undefined {
    const width = this.pane.clientWidth - 2;
    for (const [p, part] of this.parts.entries()) {
      if (event.target !== part.canvas.canvas) continue;
      const [from, to] = this.range(part);
      const under = part.canvas.under(event);
      const row = part.up ? part.rows - 1 - under.row : under.row;
      const time = from + (under.x / width) * (to - from);
      const half = (0.5 * (to - from)) / width;
      let found: number | undefined;
      this.visit(part, width, row, row + 1, (node) => {
        const { x, total } = part.tree;
        if (x[node]! - half > time || x[node]! + total[node]! + half < time) return;
        if (found === undefined || total[node]! < total[found]!) found = node;
      });
      if (found !== undefined) return { part: p, node: found };
    }
    return undefined;
  }
  private tell(event: MouseEvent): void {
    const at = event.buttons === 0 ? this.hit(event) : undefined;
    if (at === undefined) return;
    const part = this.parts[at.part]!;
    part.canvas.canvas.title = this.textOf(part, at.node).slice(0, 1000);
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
    const frame = part.tree.frame[at.node]!;
    const f = this.byPath?.fn[frame] ?? this.functionAt(part, at.node);
    if (f >= 0 && mode !== 'sandwich') this.app.select(f, this.pathOf(frame));
    this.draw();
    this.bringIntoSight(part, at.node);
  }

  // The path that the frame is: it is the one that the other views show.
  private pathOf(frame: number): Record<string, string> {
    if (this.byPath === undefined) return {};
    const [path, regionPath] = [this.byPath.path[frame]!, this.byPath.regionPath[frame]!];
    return { path: path < 0 ? '' : String(path), rp: regionPath < 0 ? '' : String(regionPath) };
  }

  private bringIntoSight(part: Part, node: number): void {
    const depth = part.tree.depth[node]!;
    const y = part.canvas.element.offsetTop - this.pane.offsetTop + (part.up ? part.rows - 1 - depth : depth) * ROW;
    const { scrollTop, clientHeight } = this.pane;
    if (y < scrollTop) this.pane.scrollTop = y;
    else if (y + ROW > scrollTop + clientHeight) this.pane.scrollTop = y + ROW - clientHeight;
  }

  private zoomTo(at: { part: number; node: number } | undefined): void {
    if (at === undefined) return;
    const { tree } = this.parts[at.part]!;
    if (this.mode === 'sandwich') {
      const f = this.functionAt(this.parts[at.part]!, at.node);
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
    const width = Math.max(100, this.pane.clientWidth - 2);
    const svg = s('svg', {});
    let y = 0;
    for (const part of this.parts) {
      const one = s('svg', {});
      drawBars(one, this.bars(part, width, 0, Infinity), ...this.range(part), width, part.up, part.rows);
      const group = s('g', { transform: `translate(0 ${y})` });
      group.append(...one.childNodes);
      svg.append(group);
      y += part.rows * ROW + ROW / 2;
    }
    svg.setAttribute('viewBox', `0 0 ${width} ${y}`);
    svg.setAttribute('width', String(width));
    svg.setAttribute('height', String(y));
    return { svg, text: this.asText() };
  }

  // Folded stacks: what other tools read.
  private asText(): string {
    const { stacks } = this;
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
