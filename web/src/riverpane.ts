// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The pane of the river: what of it is in sight, by mouse, wheel and overview.
import { App } from './app.ts';
import { heat, palette } from './colors.ts';
import { h, s } from './dom.ts';
import { callees, callers } from './graph.ts';
import { Painter } from './riverdraw.ts';
import { HEIGHT, Scene } from './riverscene.ts';

const BEHIND = 60; // pixels that are seen of what comes behind the hottest function
const LATER = 100; // milliseconds
const BUTTONS = 40; // pixels below, where the buttons lie

export class Pane {
  readonly svg: SVGSVGElement;
  readonly element: HTMLElement;
  moved = false; // the user has chosen what is in sight
  private overview: HTMLCanvasElement;
  private x = 0;
  private y = 0;
  private zoom = 1;
  private wholly = false; // all of it is to be in sight, however small
  private frame = 0;
  private later = 0;

  constructor(private app: App, private scene: Scene, private painter: Painter) {
    this.svg = s(
      'svg',
      {
        class: 'river',
        role: 'group',
        'aria-label': 'Call graph. Arrow keys go along the arcs, Enter selects, plus and minus show more or less.'
      },
      painter.world
    );
    this.overview = h(
      'canvas', { class: 'overview', width: 220, height: 150, 'aria-hidden': 'true', title: 'Overview: drag the box' }
    );
    this.element = h('div', { class: 'pane' }, this.svg, this.overview, this.zoomButtons());
    this.wirePane();
    this.wireOverview();
  }

  private all = h('canvas', {});
  private painted = -1; // painter.times of what is in it
  // As last measured: to ask the browser while a picture is drawn has it lay out what is not finished.
  private measured = { width: 0, height: 0 };
  get size(): { width: number; height: number } {
    if (this.measured.width === 0) this.measure();
    return { width: this.measured.width || 900, height: this.measured.height || 600 };
  }

  // Whether it has room at all.
  measure(): boolean {
    this.measured = { width: this.element.clientWidth, height: this.element.clientHeight };
    return this.measured.width > 0;
  }

  draw(): void {
    this.painter.world.setAttribute(
      'transform', `translate(${this.x.toFixed(1)} ${this.y.toFixed(1)}) scale(${this.zoom.toFixed(4)})`
    );
    this.svg.dataset['full'] = String(this.scene.bed?.full ?? ''); // for tests
    const room = (this.scene.shown.nodes.length > 500 ? 40 : 200) / this.zoom;
    const left = -this.x / this.zoom - room;
    const top = -this.y / this.zoom - room;
    const { width, height } = this.size;
    const right = left + width / this.zoom + 2 * room;
    const bottom = top + height / this.zoom + 2 * room;
    this.painter.draw([left, top, right, bottom]);
    if (this.scene.shown.nodes.length <= 1000) this.drawOverview();
    else if (this.later === 0) this.later = window.setTimeout(() => this.drawLater(), LATER);
  }

  // The overview of thousands of functions: behind the frame that shows the picture itself, and once for several.
  private drawLater(): void {
    this.later = 0;
    this.drawOverview();
  }

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

  private drawOverview(): void {
    const canvas = this.overview;
    const context = canvas.getContext('2d');
    const few = this.size.width < 560;
    canvas.hidden = few || this.scene.shown.nodes.length === 0;
    if (context === null || canvas.hidden) return;
    const scale = this.overviewScale();
    if (this.painted !== this.painter.times) this.drawAll(scale);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.all, 0, 0);
    context.strokeStyle = palette().select;
    context.lineWidth = 1.5;
    context.strokeRect(
      (-this.x / this.zoom) * scale,
      (-this.y / this.zoom) * scale,
      (this.size.width / this.zoom) * scale,
      (this.size.height / this.zoom) * scale
    );
  }

  // What the overview has below its box: the same, wherever that is moved to.
  private drawAll(scale: number): void {
    const canvas = this.all;
    const context = canvas.getContext('2d');
    if (context === null) return;
    const colors = palette();
    this.painted = this.painter.times;
    [canvas.width, canvas.height] = [this.overview.width, this.overview.height];
    const selected = this.app.selected;
    const { graph } = this.scene;
    const light = new Set<number>(
      selected >= 0 ?
        [selected, ...[...callers(graph, selected), ...callees(graph, selected)].map((n) => n.f)] :
        []
    );
    context.strokeStyle = colors.line;
    context.lineWidth = 1;
    context.beginPath();
    if (this.scene.shown.arcs.length <= 2000) // more is a grey sheet
      for (const at of this.scene.shown.arcs) {
        const a = this.scene.placed.boxes.get(this.scene.graph.arcs[at]!.from);
        const b = this.scene.placed.boxes.get(this.scene.graph.arcs[at]!.to);
        if (a === undefined || b === undefined) continue;
        context.moveTo((a.x + a.width) * scale, (a.y + a.height / 2) * scale);
        context.lineTo(b.x * scale, (b.y + b.height / 2) * scale);
      }
    context.stroke();
    let lit = 0;
    const many = this.scene.shown.nodes.length > 1000;
    const picture = many ? context.createImageData(canvas.width, canvas.height) : undefined;
    const pixels = picture === undefined ? new Int32Array(0) : new Int32Array(picture.data.buffer);
    for (const f of this.scene.shown.nodes) {
      const box = this.scene.placed.boxes.get(f);
      if (box === undefined) continue;
      const is = light.has(f);
      lit += is ? 1 : 0;
      const own = is ? heat(0.1) : this.painter.colorOf(f);
      const color = f === selected ? colors.select : own;
      if (picture !== undefined) {
        dot(picture, pixels, box.x * scale, box.y * scale, box.width * scale, color);
        continue;
      }
      context.globalAlpha = selected >= 0 && !is ? 0.25 : 1;
      context.fillStyle = color;
      context.fillRect(box.x * scale, box.y * scale, Math.max(2, box.width * scale), Math.max(2, box.height * scale));
    }
    if (picture !== undefined) context.putImageData(picture, 0, 0);
    context.globalAlpha = 1;
    this.overview.dataset['spotlight'] = String(lit);
  }

  private overviewScale(): number {
    return Math.min(this.overview.width / this.scene.placed.width, this.overview.height / this.scene.placed.height);
  }

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
    const arcOf = (event: Event): SVGElement | null => (event.target as Element).closest<SVGElement>('[data-arc]');
    this.svg.addEventListener('click', (event) => {
      const path = arcOf(event);
      if (path !== null) this.app.select(this.scene.graph.arcs[Number(path.dataset['arc'])]!.to);
    });
    this.svg.addEventListener('pointerover', (event) => {
      const path = arcOf(event);
      if (path !== null && path.firstChild === null)
        path.append(s('title', {}, this.painter.arcText(Number(path.dataset['arc']))));
    });
  }

  private wireOverview(): void {
    const go = (event: PointerEvent): void => {
      const scale = this.overviewScale();
      this.moveTo(
        this.size.width / 2 - (event.offsetX / scale) * this.zoom,
        this.size.height / 2 - (event.offsetY / scale) * this.zoom
      );
    };
    this.overview.addEventListener('pointerdown', (event) => {
      this.overview.setPointerCapture(event.pointerId);
      go(event);
    });
    this.overview.addEventListener('pointermove', (event) => event.buttons === 1 && go(event));
  }

  moveBy(x: number, y: number): void {
    this.moveTo(this.x + x, this.y + y);
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

  private zoomBy(factor: number, cx = this.size.width / 2, cy = this.size.height / 2): void {
    const zoom = Math.min(4, Math.max(0.05, this.zoom * factor));
    this.x = cx - ((cx - this.x) * zoom) / this.zoom;
    this.y = cy - ((cy - this.y) * zoom) / this.zoom;
    this.zoom = zoom;
    this.moveTo(this.x, this.y);
  }

  showAll(): void {
    this.moved = false;
    this.wholly = true;
    this.fit();
    this.draw();
  }

  // All of it, if names can still be read; else as much of its beginning as leaves the hottest function in sight.
  fit(): void {
    const least = this.wholly ? 0.05 : 0.96; // names have 12 pixels at least
    const { width: w, height: tall } = this.size;
    const { width: pw, height: ph } = this.scene.placed;
    this.zoom = Math.max(least, Math.min(1.15, w / pw, (tall - BUTTONS) / ph));
    this.x = pw * this.zoom < w ? (w - pw * this.zoom) / 2 : Math.min(0, Math.max(w - pw * this.zoom, this.hotEnd(w)));
    this.y = Math.max(0, (tall - BUTTONS - ph * this.zoom) / 2);
    const first = this.scene.placed.boxes.get(this.scene.shown.nodes[0] ?? -1);
    if (ph * this.zoom > tall && first !== undefined)
      this.y = Math.min(0, Math.max(tall - ph * this.zoom, tall / 2 - (first.y + HEIGHT / 2) * this.zoom));
  }

  // Where the river begins if the function with most own time, and what comes behind it, ends at the pane's right side.
  private hotEnd(width: number): number {
    const box = this.scene.placed.boxes.get(this.app.hottest);
    return box === undefined || this.scene.bed === undefined ? 0 : width - (box.x + box.width + BEHIND) * this.zoom;
  }

  // Brings a node into sight, in the middle if it was out of it.
  reveal(f: number): void {
    const box = this.scene.placed.boxes.get(f);
    if (box === undefined) return;
    const x = box.x * this.zoom + this.x;
    const y = box.y * this.zoom + this.y;
    if (
      x >= 0 && y >= 0 && x + box.width * this.zoom <= this.size.width &&
      y + box.height * this.zoom <= this.size.height
    )
      return;
    this.x = this.size.width / 2 - (box.x + box.width / 2) * this.zoom;
    this.y = this.size.height / 2 - (box.y + box.height / 2) * this.zoom;
    this.draw();
  }
}

// A colour as the bytes of a picture; there are few of them, and thousands of functions.
const bytesOf = new Map<string, number>();
function asBytes(color: string): number {
  let bytes = bytesOf.get(color);
  if (bytes === undefined) {
    const [r, g, b] = color.startsWith('#') ? [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) :
                                              (color.match(/\d+/g) ?? []).map(Number);
    bytes = (255 << 24) | (b! << 16) | (g! << 8) | r!;
    if (bytesOf.size > 5000) bytesOf.clear();
    bytesOf.set(color, bytes);
  }
  return bytes;
}

// A few pixels in one colour: thousands of rectangles take a canvas too long.
function dot(picture: ImageData, pixels: Int32Array, x: number, y: number, size: number, color: string): void {
  const first = picture.width * Math.min(picture.height - 1, Math.floor(y));
  const from = Math.floor(x);
  const to = Math.min(picture.width, from + Math.max(2, Math.ceil(Math.min(40, size))));
  pixels.fill(asBytes(color), first + from, first + to);
}
