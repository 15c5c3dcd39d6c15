// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Rows of bars on a canvas: only the rows in sight, and of each row a colour for each pixel. A frame costs as much as
// the canvas has pixels, however many bars there are.
import { h, measure, SANS } from './dom.ts';
import { palette } from './colors.ts';
import { cut } from './format.ts';
import { ROW } from './bars.ts';

const FONT = `11.5px ${SANS}`;
const LABEL = 26; // narrower bars have no name
const MOST = 30000; // pixels of height that browsers lay out without a fault; a taller box is a box of this height

const known = new Map<string, number>();
let painter: CanvasRenderingContext2D | null | undefined;
// A colour of CSS as the bytes of ImageData: red first.
export function packed(css: string): number {
  let color = known.get(css);
  if (color !== undefined) return color;
  painter ??= h('canvas', { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  painter!.clearRect(0, 0, 1, 1);
  painter!.fillStyle = css;
  painter!.fillRect(0, 0, 1, 1);
  color = new Uint32Array(painter!.getImageData(0, 0, 1, 1).data.buffer)[0]!;
  if (known.size > 50000) known.clear();
  known.set(css, color);
  return color;
}

// A canvas of a size, to be drawn on. One that has it already keeps its memory.
function resized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return canvas.getContext('2d')!;
}

interface Label {
  x: number;
  row: number;
  width: number;
  name: string;
  dim: boolean;
  strong: boolean; // with an outline
}

export class BarCanvas {
  readonly canvas = h('canvas', { class: 'bar-canvas', 'aria-hidden': 'true' });
  readonly element = h('div', { class: 'bar-box' }, this.canvas);
  private scratch = h('canvas');
  private pixels = new Uint32Array(0);
  private weights = new Float32Array(0);
  private labels: Label[] = [];
  private columns = 0;
  private scale = 1;
  private width = 0;
  private height = 0;
  private top = 0;
  first = 0; // rows in sight
  last = 0;
  painted = 0; // bars of the last frame

  // A frame begins: so many rows in all, of which the pane shows some.
  begin(pane: HTMLElement, width: number, rows: number): void {
    const all = Math.max(1, rows) * ROW;
    this.element.style.height = `${all}px`;
    this.width = Math.max(1, Math.floor(width));
    this.height = Math.min(all, Math.max(ROW, pane.clientHeight), MOST);
    const above = pane.scrollTop - (this.element.offsetTop - pane.offsetTop);
    this.top = Math.max(0, Math.min(all - this.height, above));
    this.first = Math.floor(this.top / ROW);
    this.last = Math.min(rows, Math.ceil((this.top + this.height) / ROW));
    this.scale = Math.min(2, window.devicePixelRatio || 1);
    this.columns = Math.max(1, Math.round(this.width * this.scale));
    const size = this.columns * Math.max(1, this.last - this.first);
    if (this.pixels.length !== size) {
      this.pixels = new Uint32Array(size);
      this.weights = new Float32Array(size);
    } else {
      this.pixels.fill(0);
      this.weights.fill(0);
    }
    this.labels = [];
    this.painted = 0;
  }

  // A bar from x0 to x1, in pixels of the page. Of several in one pixel the widest is seen. share: how much of it is
  // covered; dim: it does not fit the search.
  put(row: number, x0: number, x1: number, color: number, share: number, dim: boolean, strong: boolean, name: string):
    void {
    if (row < this.first || row >= this.last || x1 <= 0 || x0 >= this.width) return;
    const at = (row - this.first) * this.columns;
    const a = Math.max(0, Math.floor(x0 * this.scale));
    let b = Math.min(this.columns, Math.round(x1 * this.scale));
    this.painted++;
    const opacity = Math.round(255 * (dim ? 0.3 : 1) * Math.max(0.35, Math.min(1, share)));
    const value = ((color & 0xffffff) | (opacity << 24)) >>> 0;
    if (b <= a + 1) {
      const place = at + Math.min(a, this.columns - 1);
      const weight = (x1 - x0) * share;
      if (this.pixels[place] !== 0 && this.weights[place]! >= weight) return;
      this.pixels[place] = value;
      this.weights[place] = weight;
      return;
    }
    if (b - a > 3 * this.scale) b -= Math.round(this.scale); // a gap to the next one
    const wide = x1 - x0;
    for (let place = at + a; place < at + b; place++) {
      this.pixels[place] = value;
      this.weights[place] = wide;
    }
    if (wide > LABEL || strong)
      this.label(Math.max(0, x0), Math.min(this.width, x1), { row, name, dim, strong });
  }

  private label(x: number, end: number, of: Omit<Label, 'x' | 'width'>): void {
    this.labels.push({ ...of, x, width: end - x });
  }

  // A heading over a whole row.
  head(row: number, name: string): void {
    const colors = palette();
    this.put(row, 0, this.width, packed(colors.line), 0.5, false, false, name);
  }

  finish(): void {
    const rows = Math.max(1, this.last - this.first);
    const { canvas } = this;
    const from = resized(this.scratch, this.columns, rows);
    const to = resized(canvas, this.columns, Math.round(this.height * this.scale));
    const size = `width:${this.width}px;height:${this.height}px`;
    if (canvas.getAttribute('style') !== size) canvas.setAttribute('style', size);
    from.putImageData(new ImageData(new Uint8ClampedArray(this.pixels.buffer), this.columns, rows), 0, 0);
    const y = this.first * ROW - this.top;
    to.imageSmoothingEnabled = false;
    to.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    to.clearRect(0, 0, this.width, this.height);
    to.drawImage(this.scratch, 0, 0, this.columns, rows, 0, y, this.columns / this.scale, rows * ROW);
    for (let row = 0; row < rows; row++) to.clearRect(0, y + (row + 1) * ROW - 1, this.width, 1);
    this.write(to, y);
  }

  private write(to: CanvasRenderingContext2D, y: number): void {
    const colors = palette();
    to.font = FONT;
    to.lineWidth = 1.5;
    to.strokeStyle = colors.select;
    for (const label of this.labels) {
      const top = y + (label.row - this.first) * ROW;
      if (label.strong) to.strokeRect(label.x + 0.75, top + 0.75, Math.max(1, label.width - 2.5), ROW - 2.5);
      const fits = Math.floor(
        ((label.width - 8) / Math.max(1, measure(label.name.slice(0, 60), FONT))) * Math.min(60, label.name.length)
      );
      if (label.width <= LABEL || fits < 3) continue;
      to.fillStyle = label.dim ? colors.faint : colors.text;
      to.fillText(cut(label.name.slice(0, 400), fits), label.x + 4, top + 14);
    }
  }

  // The row and the place, in pixels, under the pointer.
  under(event: MouseEvent): { row: number; x: number } {
    const box = this.canvas.getBoundingClientRect();
    return { row: Math.floor((event.clientY - box.y + this.top) / ROW), x: event.clientX - box.x };
  }
}
