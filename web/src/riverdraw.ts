// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The river as it is drawn: boxes of functions, arcs, lakes.
import { App } from './app.ts';
import { changed as changeColor, heat, palette } from './colors.ts';
import { measure as exact, s } from './dom.ts';
import { changePercent, count, percent } from './format.ts';
import { unknownMark, unknownText } from './graph.ts';
import { Detail, isLeaf } from './prune.ts';
import { FONT, HEIGHT, Scene, SMALL } from './riverscene.ts';

export class Painter {
  readonly world = s('g', { style: `font:${FONT}` });
  readonly drawnNodes = new Map<number, SVGGElement>();
  private drawnArcs = new Map<number, SVGPathElement>();

  // step: the selected function shows so many levels more.
  constructor(private app: App, private scene: Scene, private step: (by: number) => void) {}

  times = 0; // how often all of it was drawn anew
  clear(): void {
    this.times++;
    this.world.replaceChildren();
    this.drawnNodes.clear();
    this.drawnArcs.clear();
  }

  // Everything in sight that is not drawn yet: left, top, right and bottom in pixels of the whole.
  draw([left, top, right, bottom]: [number, number, number, number]): void {
    const sight = new Uint8Array(this.scene.graph.count);
    for (const f of this.scene.shown.nodes) {
      const box = this.scene.placed.boxes.get(f);
      if (box !== undefined && box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top)
        sight[f] = 1;
    }
    const arcs: SVGPathElement[] = [];
    const nodes: SVGGElement[] = [];
    const many = this.scene.shown.arcs.length > 400;
    const seen = new Map<number, number>(); // arcs drawn of each caller
    // a call of itself has no arc: the curved bar says it
    const { from, to } = this.scene.graph;
    this.scene.shown.arcs.forEach((at, i) => {
      const [caller, callee] = [from[at]!, to[at]!];
      if (caller === callee || (many && !sight[callee] && !sight[caller]) || this.drawnArcs.has(at)) return;
      if (many && !sight[callee]) {
        const drawn = seen.get(caller) ?? 0; // the widest of those that lead out of sight
        seen.set(caller, drawn + 1);
        if (drawn > 3) return;
      }
      const way = this.scene.placed.way(i);
      if (way === undefined) return;
      const path = this.drawArc(at, way);
      this.drawnArcs.set(at, path);
      arcs.push(path);
    });
    for (const f of this.scene.shown.nodes) {
      if (this.drawnNodes.has(f) || !sight[f]) continue;
      const node = this.drawNode(f);
      this.drawnNodes.set(f, node);
      nodes.push(node);
    }
    this.world.prepend(...arcs);
    this.world.append(...nodes);
    this.setTabStop();
  }

  private drawArc(at: number, way: string): SVGPathElement {
    const arc = this.scene.graph.arcs[at]!;
    const share = this.scene.arcShareOf(at);
    const pairing = this.app.pairing;
    const selected = this.app.selected;
    const near = arc.from === selected || arc.to === selected;
    const ribbon = way.endsWith('Z');
    const opacity = arc.unknown !== 0 ? 0.3 : 0.62;
    const color = pairing ? changeColor(pairing.total[arc.to]!, this.scene.graph.totals[arc.to]!, pairing.swing) :
                            heat(share);
    const path = s(
      'path',
      {
        d: way,
        fill: ribbon ? color : 'none',
        'fill-opacity': ribbon ? opacity : undefined,
        stroke: ribbon && arc.unknown === 0 ? 'none' : color,
        'stroke-width': ribbon ? 1 : this.scene.widthOf(at).toFixed(3),
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

  arcText(at: number): string {
    const arc = this.scene.graph.arcs[at]!;
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

  // Of a function: by its share of the time, or by its change.
  colorOf(f: number): string {
    const { pairing, profile } = this.app;
    return pairing ? changeColor(pairing.total[f]!, profile.functions.total[f]!, pairing.swing) :
                     heat(this.scene.shareOf(f));
  }

  private drawNode(f: number): SVGGElement {
    const box = this.scene.placed.boxes.get(f)!;
    const colors = palette();
    const { left, name, right } = this.scene.parts(f);
    const selected = f === this.app.selected;
    const edge = this.colorOf(f);
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
    const own = (box.width - 1.2) * this.app.share(this.app.profile.functions.self[f]!);
    if (this.scene.bed !== undefined) this.drawLake(group, f, box.width, edge);
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
    if (this.scene.graph.recursive[f])
      group.append(s('path', {
        d: `M${nameAt} 5Q${nameAt + nameWidth / 2} ${- 9} ${nameAt + nameWidth} 5`,
        fill: 'none',
        stroke: colors.text,
        'stroke-width': 1.6,
        class: 'recursion'
      }));
    if (!isLeaf(this.scene.graph, f)) group.append(this.mark(f, at - 2));
    group.addEventListener('click', () => {
      this.app.select(f);
      this.drawnNodes.get(f)?.focus({ preventScroll: true });
    });
    group.addEventListener('dblclick', () => this.app.select(f, { view: 'code' }));
    return group;
  }

  // What stays in a function, at the end of its box: as wide as an arc of this time were.
  private drawLake(group: SVGGElement, f: number, x: number, color: string): void {
    const lake = this.scene.bed?.lakes.get(f);
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
    const detail = this.scene.detailOf(f);
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
      this.step(this.scene.detailOf(f) === Detail.all ? -2 : 1);
    });
    return arrow;
  }

  private nodeText(f: number): string {
    const { functions, unit } = this.app.profile;
    const pairing = this.app.pairing;
    const recursion = this.scene.graph.recursive[f] ? ', recursive' : '';
    const difference = pairing ?
      `, ${changePercent(pairing.total[f]!, functions.total[f]!)} against ${pairing.other.label}` :
      '';
    return `${this.app.nameOf(f)}${recursion}: ${percent(this.app.share(functions.total[f]!))} with descendants, ${
      percent(this.app.share(functions.self[f]!)
      )} self, ${count(functions.calls[f]!)} calls, ${count(functions.total[f]!)} ${unit}${difference}`;
  }

  private setTabStop(): void {
    const selected = this.app.selected;
    const stop = this.drawnNodes.get(selected) ?? this.drawnNodes.get(this.scene.shown.nodes[0] ?? -1) ??
      this.drawnNodes.values().next().value;
    stop?.setAttribute('tabindex', '0');
  }
}
