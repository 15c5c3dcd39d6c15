// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Single calls over time: processes as groups of rows, phases as bands, zoom down to one call of a million.
import { App, Drawing, View } from './app.ts';
import { drawAxis, drawPhases, orderText } from './axis.ts';
import { parseZoom, ROW } from './bars.ts';
import { CallBars } from './callbars.ts';
import { h, s, select } from './dom.ts';
import { count } from './format.ts';
import { Lane } from './lanes.ts';
import { Minimap, rangeTables } from './ranges.ts';
import { drawRows } from './rows.ts';
import { Sequences } from './sequences.ts';

export class TimelineView implements View {
  readonly id = 'timeline';
  readonly name = 'Timeline';
  readonly element: HTMLElement;
  private controls = h('div', { class: 'controls' });
  private whole = h('button', { type: 'button', click: () => this.app.state.set({ tz: '' }) }, 'All');
  private status = h('span', { class: 'quiet', role: 'status' });
  private counts = ''; // what the status says of the whole run
  private axis = s('svg', { class: 'axis-svg', role: 'presentation' });
  private bands = s('svg', { class: 'bands', role: 'presentation' });
  private order = h('div', { class: 'phase-order', tabindex: 0, role: 'note', 'aria-label': 'Order of the phases' });
  private rows = s('svg', { class: 'bands', role: 'group', 'aria-label': 'Layers of the phases, and marks' });
  private sequences = new Sequences((f) => this.app.select(f));
  private minimap = new Minimap((from, to) => this.setZoom(from, to, true));
  private range = h('div', { class: 'ranges' });
  private scroll = h(
    'div',
    {
      class: 'flame timeline',
      tabindex: 0,
      role: 'application',
      'aria-label':
        'Timeline of calls. Left and right go to the call before and behind, up and down to caller and callee, ' +
          'Enter zooms to the call, l goes to the longest, 0 shows all.'
    }
  );
  private said = h('div', { class: 'full-name', 'aria-live': 'polite' });
  private calls: CallBars;
  private frame = 0;
  private waiting = false;
  private drawn = ''; // size of the pane that was drawn
  private laid = 0; // width of the rows above that do not depend on the zoom; 0: they are to be laid anew

  constructor(private app: App) {
    this.calls = new CallBars(app, this.scroll);
    this.scroll.append(this.calls.bars.element);
    this.element = h(
      'section',
      { class: 'view', 'aria-label': 'Timeline' },
      this.controls,
      this.minimap.element,
      this.order,
      this.bands,
      this.rows,
      this.sequences.element,
      this.axis,
      this.scroll,
      this.range,
      this.said
    );
    this.scroll.addEventListener('scroll', () => this.drawSoon());
    this.scroll.addEventListener('mousemove', (event) => this.tell(event));
    this.scroll.addEventListener('click', (event) => this.pick(event));
    this.scroll.addEventListener('dblclick', () => this.zoomTo(this.calls.at));
    this.scroll.addEventListener('keydown', (event) => this.paneKey(event));
    this.scroll.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.wireDrag();
    new ResizeObserver(() => this.scroll.clientWidth > 0 && this.sizeOf() !== this.drawn && this.draw()).observe(
      this.scroll,
    );
  }

  private sizeOf(): string {
    return `${this.scroll.clientWidth} ${this.scroll.clientHeight}`;
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

  update(changed: Set<string>): void {
    const { app } = this;
    const [from, to] = this.zoom;
    if ([...changed].some((name) => name !== 'tz')) this.updateAll(); // a frame of a zoom has no time for it
    this.whole.disabled = from === 0 && to === this.length;
    this.status.textContent = app.profile.spans === undefined ?
      'This profile holds no single calls: they need a record file.' :
      `${this.counts}; shown: ${count(Math.round(from))} to ${count(Math.round(to))}${this.calls.foundText(from, to)}`;
    this.draw();
    this.range.replaceChildren(...(app.state.get('rt') === '1' ? rangeTables(app, from, to) : []));
  }

  private updateAll(): void {
    const { app } = this;
    const { profile } = app;
    const { spans } = profile;
    this.calls.adopt(profile);
    this.laid = 0;
    if (this.calls.at < 0 && spans?.fn.some((f) => f >= 0))
      this.said.textContent = 'Bar: a call, below its caller, in its own colour, like those of its file. Drag: move; ' +
        'Ctrl and wheel: zoom; Shift and drag: choose a part.';
    this.order.textContent = orderText(profile);
    this.counts = spans === undefined ? '' : this.counted(spans.all - spans.count);
    this.controls.replaceChildren(
      h('button', { type: 'button', 'aria-label': 'Zoom in', click: () => this.zoomBy(0.5) }, '+'),
      h('button', { type: 'button', 'aria-label': 'Zoom out', click: () => this.zoomBy(2) }, '−'),
      this.whole,
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
      h('button',
        {
          type: 'button',
          disabled: spans === undefined,
          title: 'The longest call of the selected function, or of all but the outermost (l)',
          click: () => this.longest()
        },
        'Longest'),
      h('button',
        {
          type: 'button',
          disabled: spans === undefined,
          'aria-pressed': String(app.state.get('rt') === '1'),
          title: 'Functions and hot paths of what is shown',
          click: () => app.state.set({ rt: app.state.get('rt') === '1' ? '' : '1' })
        },
        'What ran here'),
      this.status
    );
  }

  private longest(): void {
    const { spans } = this.app.profile;
    if (spans === undefined) return;
    const f = this.app.selected;
    let best = -1;
    for (let i = 0; i < spans.count; i++) {
      const fits = f >= 0 ? spans.fn[i] === f : spans.depth[i]! > 0;
      if (fits && (best < 0 || spans.duration[i]! > spans.duration[best]!)) best = i;
    }
    if (best < 0) return this.app.say('There is no such call.');
    this.choose(best);
    this.zoomTo(best);
  }

  private counted(left: number): string {
    const { spans, unit } = this.app.profile;
    const within = `in ${count(spans!.length)} ${unit}`;
    if (spans!.fn.every((f) => f < 0))
      return `${left > 0 ? `The first ${count(spans!.count)} of ` : ''}${count(spans!.all)} time slices ${within}`;
    return `${count(spans!.all)} calls ${within}${
      left > 0 ? `; ${count(left)} shorter than ${count(spans!.shortest)} are left out` : ''}`;
  }

  private drawSoon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw(false);
    });
  }

  // all: the axis and what stands above it, too.
  private draw(all = true): void {
    const width = this.scroll.clientWidth - 2;
    if (width <= 10) return;
    const [from, to] = this.zoom;
    this.drawn = this.sizeOf();
    this.calls.draw(from, to, width);
    if (!all) return;
    this.minimap.draw(this.calls.lanes, this.length, from, to, width);
    drawAxis(this.axis, from, to, width);
    const zoom = (begin: number, end: number): void => this.setZoom(begin, end, true);
    drawPhases(this.bands, this.app.profile, from, to, width, zoom);
    drawRows(this.rows, this.app.profile, { from, to, width, zoom });
    const { profile, selected } = this.app;
    if (this.laid !== width)
      this.sequences.lay(this.pathRows, width, profile, (f) => this.app.nameOf(f), selected);
    this.laid = width;
    this.sequences.draw(from, to);
  }

  // How many hot paths are shown.
  private get pathRows(): number {
    const wish = this.app.state.get('tp');
    return wish === '' ? 8 : Math.min(100, Math.max(0, Number(wish) || 0));
  }

  // ---- moving ----

  private choose(i: number): void {
    const spans = this.app.profile.spans!;
    this.calls.at = i;
    this.said.textContent = this.calls.textOf(i);
    const f = spans.fn[i]!;
    if (f >= 0 && f !== this.app.selected) this.app.select(f);
    else this.draw();
    const row = this.calls.rows.first.get(spans.process[i]!)! + spans.depth[i]!;
    const y = row * ROW;
    if (y < this.scroll.scrollTop || y + ROW > this.scroll.scrollTop + this.scroll.clientHeight)
      this.scroll.scrollTop = Math.max(0, y - 60);
  }

  private pick(event: MouseEvent): void {
    const bar = this.calls.under(event);
    if (bar !== undefined) this.choose(this.calls.lanes!.order[bar.first]!);
  }
  private tell(event: MouseEvent): void {
    const bar = event.buttons === 0 ? this.calls.under(event) : undefined;
    this.calls.bars.canvas.title = bar === undefined ? '' : this.calls.drawnBar(bar).text.slice(0, 1000);
  }

  private zoomTo(i: number): void {
    const spans = this.app.profile.spans;
    if (spans === undefined || i < 0) return;
    const room = Math.max(1, spans.duration[i]! * 0.05);
    this.setZoom(spans.begin[i]! - room, spans.begin[i]! + spans.duration[i]! + room, true);
  }

  private zoomBy(factor: number, around?: number): void {
    const [from, to] = this.zoom;
    const { spans } = this.app.profile;
    const { at } = this.calls; // the chosen call, if it is in sight
    const chosen = spans !== undefined && at >= 0 && spans.begin[at]! >= from && spans.begin[at]! <= to;
    const middle = around ?? (chosen ? spans.begin[at]! + spans.duration[at]! / 2 : (from + to) / 2);
    this.setZoom(middle - (middle - from) * factor, middle + (to - middle) * factor, false);
  }

  // To the side, by so much of what is shown.
  private push(share: number): void {
    const [from, to] = this.zoom;
    this.setZoom(from + share * (to - from), to + share * (to - from), false);
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

  private timeAt(event: MouseEvent): number {
    const [from, to] = this.zoom;
    return from + (this.calls.bars.under(event).x / Math.max(1, this.scroll.clientWidth - 2)) * (to - from);
  }

  private wireDrag(): void {
    let start: { x: number; from: number; to: number } | undefined;
    let left: number | undefined; // with Shift: a part is chosen
    this.scroll.addEventListener('pointerdown', (event) => {
      if (event.shiftKey) left = this.timeAt(event);
      else start = { x: event.clientX, from: this.zoom[0], to: this.zoom[1] };
    });
    this.scroll.addEventListener('pointerup', (event) => {
      const right = this.timeAt(event);
      if (left !== undefined && left !== right) this.setZoom(Math.min(left, right), Math.max(left, right), true);
      left = undefined;
    });
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
    const none = by > 0 ? -1 : spans.count;
    let i = this.calls.at < 0 ? none : this.calls.at;
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
    if (event.key === 'Enter') this.zoomTo(this.calls.at);
    else if (event.key.startsWith('Arrow')) {
      const next = this.calls.at < 0 ? this.calls.lanes!.lanes[0]!.spans[0]! : this.near(event.key);
      if (next !== undefined) this.choose(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private near(key: string): number | undefined {
    const spans = this.app.profile.spans!;
    const lanes = this.calls.lanes!;
    const i = this.calls.at;
    const down = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const own = lanes.laneOf(i);
    const lane: Lane | undefined = lanes.at(own.process, own.depth + down);
    if (lane === undefined) return undefined;
    const place = lanes.firstAfter(lane, spans.begin[i]!);
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
    else if (event.key === '+' || event.key === 'w') this.zoomBy(0.5);
    else if (event.key === '-' || event.key === 's') this.zoomBy(2);
    else if (event.key === 'a') this.push(-0.25);
    else if (event.key === 'd') this.push(0.25);
    else if (event.key === 'l') this.longest();
    else return false;
    return true;
  }

  drawing(): Drawing {
    const { spans } = this.app.profile;
    const rows = Number(this.rows.getAttribute('height'));
    const paths = rows + this.sequences.height;
    const calls = this.calls.asSvg();
    const height = Number(calls.getAttribute('height')) + 44 + paths;
    const width = calls.getAttribute('width') ?? '800';
    const svg = s('svg', { viewBox: `0 0 ${width} ${height}`, width, height });
    const parts: [Element, number][] = [
      [this.bands, 0],
      [this.rows, 20],
      [this.axis, 20 + paths],
      [calls, 44 + paths]
    ];
    for (const [part, y] of parts) {
      const group = s('g', { transform: `translate(0 ${y})` });
      group.append(...(part.cloneNode(true) as SVGSVGElement).childNodes);
      svg.append(group);
    }
    const [from, to] = this.zoom;
    const shades = this.sequences.asSvg(from, to);
    shades.setAttribute('transform', `translate(0 ${20 + rows})`);
    svg.append(shades);
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
