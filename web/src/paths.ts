// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Hot paths, and the control-flow graph of the function with heat on blocks and edges.
import { App, Drawing, View } from './app.ts';
import { ChangedPaths, changedPaths, PathPairing, pairPaths } from './changedpaths.ts';
import { changed as changeColor, heat, palette } from './colors.ts';
import { h, MONO, s, SANS, select } from './dom.ts';
import { change, count, percent, short } from './format.ts';
import { Placed } from './layout.ts';
import { blocksOf, drawRegions } from './regions.ts';
import { Splitter } from './splitter.ts';
import { Column, Grid } from './table.ts';

const BOX = { width: 150, height: 40 };

export class PathsView implements View {
  readonly id = 'paths';
  readonly name = 'Paths';
  readonly element: HTMLElement;
  private grid: Grid<number>;
  private splitter: Splitter;
  private controls = h('div', { class: 'controls' });
  private svg = s('svg', { class: 'cfg', role: 'img', 'aria-label': 'Control-flow graph' });
  private world = s('g');
  private pane = h('div', { class: 'pane', tabindex: 0, role: 'region', 'aria-label': 'Control-flow graph' }, this.svg);
  private regions = h('div', { class: 'regions', tabindex: 0, role: 'region', 'aria-label': 'Regions' });
  private placed: Placed | undefined;
  private blocks: number[] = [];
  private edges: number[] = [];
  private rows: number[] = [];
  private hottest = -1; // of the rows; of two profiles the one that changed most
  private compared = false;

  constructor(private app: App) {
    this.grid = new Grid<number>({
      label: 'Paths',
      columns: [],
      sort: '-cycles',
      onSelect: (path) => app.state.set({ path: String(path), rp: '', f: app.idOf(app.profile.paths!.fn[path]!) }),
      onOpen: (path
      ) => app.state.set({ path: String(path), rp: '', f: app.idOf(app.profile.paths!.fn[path]!), view: 'code' }),
      empty: 'No path of this function was seen.',
    });
    this.svg.append(this.world);
    this.splitter = new Splitter('Share of the list', (share) => app.state.set({ list: String(share) }, false));
    this.element = h(
      'section',
      { class: 'view paths-view', 'aria-label': 'Paths' },
      this.controls,
      h('div',
        { class: 'split' },
        h('div', { class: 'stack' }, this.grid.element, this.regions),
        this.splitter.element,
        this.pane)
    );
  }

  private columns(all: boolean): Column<number>[] {
    const { app } = this;
    const paths = app.profile.paths!;
    const columns: Column<number>[] = [
      {
        key: 'share',
        title: 'Share',
        hint: 'Of all time',
        number: true,
        value: (i) => paths.cycles[i]!,
        text: (i) => percent(app.share(paths.cycles[i]!)),
        share: (i) => app.share(paths.cycles[i]!)
      },
      {
        key: 'cycles',
        title: app.profile.unit === 'cycles' ? 'Cycles' : 'Instr.',
        number: true,
        value: (i) => paths.cycles[i]!,
        text: (i) => count(paths.cycles[i]!)
      },
      {
        key: 'times',
        title: 'Times',
        number: true,
        value: (i) => paths.times[i]!,
        text: (i) => count(paths.times[i]!)
      },
      {
        key: 'each',
        title: 'Each',
        hint: 'Time of one',
        number: true,
        value: (i) => paths.cycles[i]! / Math.max(1, paths.times[i]!),
        text: (i) => (paths.cycles[i]! / Math.max(1, paths.times[i]!)).toFixed(1)
      },
      {
        key: 'blocks',
        title: 'Blocks',
        number: true,
        value: (i) => paths.blocks[i]!.length,
        text: (i) => count(paths.blocks[i]!.length)
      },
      {
        key: 'way',
        title: 'By lines',
        wide: true,
        value: (i) => this.wayText(i),
        text: (i) => this.wayText(i)
      },
    ];
    if (all)
      columns.unshift({
        key: 'name',
        title: 'Function',
        stays: true,
        value: (i) => app.nameOf(paths.fn[i]!),
        text: (i) => app.nameOf(paths.fn[i]!)
      });
    const before = this.before();
    if (before !== undefined)
      columns.splice(columns.findIndex((c) => c.key === 'blocks'), 0, {
        key: 'change',
        title: 'Change',
        hint: 'Time, against the other profile',
        number: true,
        value: (i) => paths.cycles[i]! - before.before(i),
        text: (i) => change(before.before(i), paths.cycles[i]!),
        style: (i) => ['faster', '', 'slower'][Math.sign(paths.cycles[i]! - before.before(i)) + 1]!
      });
    return columns;
  }

  // First source line of a block, 0: not known.
  private lineCache: { profile: App['profile']; lines: Int32Array } | undefined;
  private lineOf(block: number): number {
    const { profile } = this.app;
    if (this.lineCache?.profile !== profile) {
      const lines = new Int32Array(profile.blocks?.count ?? 0);
      const { code } = profile;
      if (code !== undefined)
        for (let i = code.count - 1; i >= 0; i--)
          if (code.block[i]! >= 0 && code.line[i]! > 0) lines[code.block[i]!] = code.line[i]!;
      this.lineCache = { profile, lines };
    }
    return this.lineCache.lines[block] ?? 0;
  }

  // Its line; without lines the end of its address.
  private blockText(b: number): string {
    return this.lineOf(b) > 0 ? `:${this.lineOf(b)}` : this.app.profile.blocks!.address[b]!.slice(-4);
  }

  // 245 246 250–253: the lines that the blocks begin in; without lines the ends of their addresses.
  private wayText(path: number): string {
    const { paths, blocks } = this.app.profile;
    const parts: string[] = [];
    for (const b of paths!.blocks[path]!.slice(0, 24)) {
      const line = this.lineOf(b);
      const text = line > 0 ? String(line) : blocks!.address[b]!.slice(-4);
      if (parts[parts.length - 1] !== text) parts.push(text);
    }
    return `${parts.join(' → ')}${paths!.blocks[path]!.length > 24 ? ' …' : ''}`;
  }

  private known: { key: string; profile: App['profile']; made: PathPairing | undefined } | undefined;
  private before(): PathPairing | undefined {
    const { app } = this;
    const { pairing } = app;
    if (pairing === undefined) return undefined;
    const key = `${app.index} ${app.otherIndex} ${pairing.factor}`;
    if (this.known?.key !== key || this.known.profile !== app.profile)
      this.known = { key, profile: app.profile, made: pairPaths(app.profile, pairing) };
    return this.known.made;
  }

  // What is shown first has most of it: its time, or how much it changed, and then its time.
  private heatOf(path: number): number {
    const time = this.app.profile.paths!.cycles[path]!;
    const before = this.before();
    return before === undefined ? time : Math.abs(time - before.before(path)) + time / (1 + this.app.profile.total);
  }

  private get path(): number {
    const text = this.app.state.get('path');
    if (text === '' && this.app.state.get('rp') === '') return this.hottest; // what people want to see first
    const path = Number(text || -1);
    const { paths } = this.app.profile;
    if (paths === undefined || !(path >= 0 && path < paths.count)) return -1;
    return this.app.selected >= 0 && paths.fn[path] !== this.app.selected ? -1 : path;
  }

  // The function of the selected path, the selected one, or that of the hottest path.
  // Blocks of the selected path of a region, if it is one of this function.
  private get regionPath(): number[] {
    const { profile, state } = this.app;
    const path = state.get('rp') === '' ? -1 : Number(state.get('rp'));
    const region = profile.regionPaths?.region[path];
    return region !== undefined && region >= 0 && profile.regions!.fn[region] === this.fn ? blocksOf(profile, path) :
                                                                                            [];
  }
  private get fn(): number {
    const paths = this.app.profile.paths;
    if (this.path >= 0) return paths!.fn[this.path]!;
    if (this.app.selected >= 0) return this.app.selected;
    return this.rows.length > 0 ? paths!.fn[this.rows[0]!]! : -1;
  }

  // All paths that changed, on the graph at once: unless one path is asked for.
  private get changes(): ChangedPaths | undefined {
    const { app } = this;
    const wish = app.state.get('pd');
    const chosen = app.state.get('path') !== '' || app.state.get('rp') !== '';
    const { pairing } = app;
    if (pairing === undefined || this.fn < 0 || wish === 'path' || (wish === '' && chosen)) return undefined;
    const before = this.before();
    return before === undefined ? undefined : changedPaths(before, this.fn);
  }

  private changesText(changes: ChangedPaths): string {
    const { unit } = this.app.profile;
    const signed = (value: number): string => `${value < 0 ? '−' : '+'}${count(Math.abs(Math.round(value)))}`;
    const gone = changes.gone > 0 ? ` (${count(changes.gone)} of them no longer run)` : '';
    const lost = changes.lost > 0 ? `, ${signed(-changes.lost)} on paths whose blocks are no more` : '';
    const sums = [changes.more, changes.less].filter((value) => value !== 0).map(signed);
    return `${count(changes.paths)} paths of ${this.app.nameOf(this.fn).slice(0, 40)} changed${gone}: ${
      sums.length > 0 ? sums.join(' and ') : signed(0)} ${unit}${lost}`;
  }

  update(changed: Set<string>): void {
    const { app } = this;
    const { paths } = app.profile;
    if (paths === undefined) {
      this.controls.replaceChildren(h('span', { class: 'quiet' }, 'This profile holds no paths.'));
      this.grid.show([]);
      return;
    }
    this.splitter.set(Number(app.state.get('list')));
    const of = app.selected;
    const all = app.state.get('scope') === 'all' || of < 0;
    const query = app.state.get('q').trim();
    const rest = [...changed].filter(
      (name) => !['path', 'rp', 'line', 'list'].includes(name) && !(name === 'f' && all)
    );
    if (rest.length > 0) {
      this.rows = [];
      for (let i = 0; i < paths.count; i++)
        if ((all || paths.fn[i] === of) && (query === '' || app.matches(app.nameOf(paths.fn[i]!)))) this.rows.push(i);
      const columns = this.columns(all);
      const compared = columns.some((column) => column.key === 'change');
      if (compared !== this.compared) this.grid.sort = compared ? '-change' : '-cycles';
      this.compared = compared;
      this.hottest = this.rows.reduce((most, i) => (most < 0 || this.heatOf(i) > this.heatOf(most) ? i : most), -1);
      this.grid.setColumns(columns);
      // One function's paths have no column "Function" to sort by.
      if (!columns.some((column) => column.key === this.grid.sort.replace('-', ''))) this.grid.sort = '-cycles';
      this.grid.show(this.rows, this.path >= 0 ? this.path : undefined);
    } else this.grid.mark(this.path >= 0 ? this.path : undefined);
    if (rest.length > 0 || changed.has('path') || changed.has('rp')) this.layGraph();
    const { changes } = this;
    const shared = this.rows.reduce((sum, i) => sum + paths.cycles[i]!, 0);
    this.controls.replaceChildren(
      select(
        'Paths of',
        all ? 'all' : 'f',
        [['f', of >= 0 ? app.nameOf(of).slice(0, 40) : 'the selected function'], ['all', 'all functions']],
        (scope) => app.state.set({ scope })
      ),
      ...(app.pairing === undefined ? [] : [select(
                                             'Draw',
                                             changes !== undefined ? 'change' : 'path',
                                             [['change', 'what changed'], ['path', 'the chosen path']],
                                             (pd) => app.state.set({ pd })
                                           )]),
      h('span',
        { class: 'quiet', role: 'status' },
        `${count(this.rows.length)} paths, ${percent(app.share(shared))} of the time${
          changes !== undefined ? `; ${this.changesText(changes)}` : ''}`),
      h('button',
        {
          type: 'button',
          disabled: this.path < 0 || app.profile.code === undefined,
          click: () => app.state.set({ view: 'code', path: String(this.path), f: app.idOf(paths.fn[this.path]!) })
        },
        'Show in code'),
    );
    drawRegions(this.regions, app, this.fn, this.blocks, (b) => this.blockText(b));
  }

  // ---- the graph ----

  private layGraph(): void {
    const { blocks, edges } = this.app.profile;
    const f = this.fn;
    this.blocks = [];
    this.edges = [];
    this.world.replaceChildren();
    this.placed = undefined;
    if (blocks === undefined || edges === undefined || f < 0) return;
    for (let b = 0; b < blocks.count; b++) if (blocks.fn[b] === f) this.blocks.push(b);
    const own = new Set(this.blocks);
    for (let e = 0; e < edges.count; e++)
      if (own.has(edges.from[e]!) && edges.to[e]! >= 0 && own.has(edges.to[e]!)) this.edges.push(e);
    if (this.blocks.length > 600) { // more is no picture: what ran, hottest first
      this.blocks = this.blocks.filter((b) => blocks.times[b]! > 0).slice(0, 600);
      const left = new Set(this.blocks);
      this.edges = this.edges.filter((e) => left.has(edges.from[e]!) && left.has(edges.to[e]!));
    }
    const boxes = this.blocks.map((b) => ({ id: b, ...BOX }));
    const links = this.edges.map((e) => ({ from: edges.from[e]!, to: edges.to[e]! }));
    this.placed = this.app.layouter.place('cfg', boxes, links, false, (placed) => {
      this.placed = placed;
      this.drawGraph();
    });
    this.drawGraph();
  }

  private drawGraph(): void {
    const { placed } = this;
    if (placed === undefined) return;
    const { blocks, edges, paths } = this.app.profile;
    const { changes } = this;
    const onPath = changes !== undefined ? [] :
      this.path >= 0                 ? paths!.blocks[this.path]! :
                                       this.regionPath;
    const swing = Math.max(1e-9, ...[...(changes?.edges.values() ?? [])].map(Math.abs));
    const steps = new Set<string>();
    onPath.forEach((b, i) => i > 0 && steps.add(`${onPath[i - 1]} ${b}`));
    const most = Math.max(1, ...this.blocks.map((b) => blocks!.times[b]!));
    const colors = palette();
    this.svg.setAttribute('width', String(Math.ceil(placed.width)));
    this.svg.setAttribute('height', String(Math.ceil(placed.height)));
    this.svg.setAttribute('viewBox', `0 0 ${Math.ceil(placed.width)} ${Math.ceil(placed.height)}`);
    const marker = s(
      'marker',
      {
        id: 'tip',
        viewBox: '0 0 8 8',
        refX: 7,
        refY: 4,
        markerWidth: 7,
        markerHeight: 7,
        orient: 'auto',
        markerUnits: 'userSpaceOnUse'
      },
      s('path', { d: 'M0 0L8 4L0 8Z', fill: 'context-stroke' })
    );
    this.world.replaceChildren(s('defs', {}, marker));
    const strokeOf = (on: boolean, times: number, by: number): string => {
      if (changes !== undefined) return by === 0 ? colors.line : changeColor(0, by, swing);
      if (on) return colors.select;
      return times === 0 ? colors.line : heat((0.3 * Math.max(times, 0)) / most);
    };
    this.edges.forEach((e, i) => {
      const way = placed.way(i);
      if (way === undefined) return;
      const times = edges!.times[e]!;
      const on = steps.has(`${edges!.from[e]} ${edges!.to[e]}`);
      const unknown = times < 0;
      const by = changes?.edges.get(`${edges!.from[e]} ${edges!.to[e]}`) ?? 0;
      this.world.append(
        s('path',
          {
            d: way,
            fill: 'none',
            class: `flow${on ? ' on-path' : ''}`,
            stroke: strokeOf(on, times, by),
            'stroke-width': changes !== undefined ?
              1 + (6 * Math.abs(by)) / swing :
              (on ? 1.5 : 0) + (times <= 0 ? 1 : 1 + 4 * Math.sqrt(times / most)),
            'data-change': changes !== undefined ? by : undefined,
            'stroke-dasharray': times === 0 || unknown ? '3 3' : '',
            'marker-end': 'url(#tip)',
            'data-times': times,
          },
          s('title', {}, `${edges!.kind[e]}: ${unknown ? 'not counted' : `${count(times)} times`}${
            changes !== undefined ? `; paths over it: ${change(0, by)}` : ''}`)),
      );
    });
    for (const b of this.blocks) {
      const box = placed.boxes.get(b);
      if (box !== undefined) this.world.append(this.drawBlock(b, box, onPath, changes));
    }
    const f = this.fn;
    const first = placed.boxes.get(onPath[0] ?? this.blocks[0] ?? -1);
    if (first !== undefined)
      this.pane.scrollTo({ left: first.x + BOX.width / 2 - this.pane.clientWidth / 2, top: first.y - 30 });
    this.svg.setAttribute(
      'aria-label',
      `Control-flow graph of ${this.app.nameOf(f).slice(0, 100)}: ${this.blocks.length} blocks${
        onPath.length > 0 ? `; the path goes through ${onPath.length}` : ''}`
    );
  }

  private drawBlock(b: number, box: { x: number; y: number }, onPath: number[], changes?: ChangedPaths): SVGGElement {
    const by = changes?.blocks.get(b) ?? 0;
    const blocks = this.app.profile.blocks!;
    const colors = palette();
    const ran = blocks.times[b]! > 0;
    const at = onPath.indexOf(b);
    const share = this.app.share(blocks.cycles[b]!);
    const group = s('g', {
      transform: `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`,
      class: `block${at >= 0 ? ' on-path' : ''}`,
      'data-block': b
    });
    group.append(
      s('title',
        {},
        `${blocks.address[b]} to ${blocks.end[b]}: ${count(blocks.instructions[b]!)} instructions, ${
          count(blocks.times[b]!)} times, ${count(blocks.cycles[b]!)} ${this.app.profile.unit}`),
      s('rect', {
        width: BOX.width,
        height: BOX.height,
        rx: 4,
        fill: colors.panel,
        stroke: at >= 0 ? colors.select :
          by !== 0      ? changeColor(0, by, Math.abs(by)) :
          ran           ? heat(share) :
                          colors.line,
        'stroke-width': at >= 0 ? 3 : 1.4,
        'stroke-dasharray': ran ? '' : '4 3'
      }),
      s('rect', { x: 1, y: 1, width: 6, height: BOX.height - 2, rx: 3, fill: ran ? heat(share) : colors.line }),
      s('text', { x: 14, y: 16, fill: ran ? colors.text : colors.faint, style: `font:11px ${MONO}` }, blocks.address[b]!
      ),
      s('text',
        { x: BOX.width - 12, y: 32, 'text-anchor': 'end', fill: colors.faint, style: `font:11px ${MONO}` },
        this.lineOf(b) > 0 ? `:${this.lineOf(b)}` : ''),
      s('text',
        { x: 14, y: 32, fill: colors.faint, style: `font:11px ${SANS}` },
        by !== 0 ? `paths: ${by < 0 ? '−' : '+'}${short(Math.abs(by))}` :
          ran    ? `${short(blocks.times[b]!)}×  ${percent(share)}` :
                   'not executed'),
    );
    if (at >= 0)
      group.append(
        s('circle', { cx: BOX.width, cy: 0, r: 9, fill: colors.select }),
        s('text',
          { x: BOX.width, y: 3.5, 'text-anchor': 'middle', fill: colors.panel, style: `font:bold 10px ${SANS}` },
          String(at + 1))
      );
    group.addEventListener('click', () => this.app.state.set({ f: this.app.idOf(blocks.fn[b]!), view: 'code' }));
    return group;
  }

  key(event: KeyboardEvent): boolean {
    if (event.key !== 'n' && event.key !== 'p') return false;
    const order = [...this.rows].sort(
      (x, y) => this.app.profile.paths!.cycles[y]! - this.app.profile.paths!.cycles[x]! || x - y
    );
    if (order.length === 0) return true;
    const at = order.indexOf(this.path);
    const next =
      order[(at + (event.key === 'n' ? 1 : order.length - 1) + (at < 0 && event.key === 'p' ? 1 : 0)) % order.length]!;
    this.app.state.set({ path: String(next), rp: '', f: this.app.idOf(this.app.profile.paths!.fn[next]!) });
    return true;
  }

  drawing(): Drawing {
    return { svg: this.svg.cloneNode(true) as SVGSVGElement, text: this.grid.asText() };
  }
}
