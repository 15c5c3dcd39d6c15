// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A sorted, filtered list of any length: only the rows in sight are in the page.
import { h, measure, MONO, SANS } from './dom.ts';
import { Word } from './syntax.ts';

export interface Column<Row> {
  key: string;
  title: string;
  hint?: string;
  text: (row: Row) => string;
  value?: (row: Row) => number | string; // to sort by; without it the column is not sorted
  number?: boolean;
  wide?: boolean; // it takes what is left; at least as wide as what stands in it, up to WIDE_MOST
  least?: number; // of a wide column, pixels: below what stands in it, so that its end is cut before other columns are
  stays?: boolean; // the first column: in sight while the others are pushed sideways
  share?: (row: Row) => number; // a bar behind the text, 0 to 1
  style?: (row: Row) => string; // class
  words?: (text: string) => Word[]; // the text, cut into pieces with classes
  width?: number; // pixels; without it, as wide as what stands in it
}

export interface GridOptions<Row> {
  label: string;
  columns: Column<Row>[];
  sort?: string; // "-total": descending
  onSort?: (sort: string) => void;
  onSelect?: (row: Row) => void;
  onOpen?: (row: Row) => void;
  rowClass?: (row: Row) => string;
  empty?: string;
  // What lies over the rows in sight, from..to; at the top of the first of them.
  overlay?: (from: number, to: number, height: number) => SVGSVGElement | undefined;
}

const FONT = `13px ${SANS}`;
const HEAD_FONT = `600 13px ${SANS}`;
const MONO_FONT = `12px ${MONO}`;
const HEIGHT = 26;
const WIDE_LEAST = 120;
const SAMPLE = 1000; // rows that say how wide a column is
const WIDE_MOST = 480; // pixels
const NAME_MOST = 260;
const MORE = 8; // rows above and below those in sight
const MOST = 16_000_000; // browsers draw no taller elements

export class Grid<Row> {
  readonly element: HTMLElement;
  private body: HTMLElement;
  private space: HTMLElement;
  private head: HTMLElement;
  private rows: Row[] = [];
  private drawn = new Map<number, HTMLElement>();
  private active = 0;
  private chosen: Row | undefined;
  sort: string;

  constructor(private options: GridOptions<Row>) {
    this.sort = options.sort ?? '';
    this.head = h('div', { class: 'grid-head', role: 'row' });
    this.space = h('div', { class: 'grid-space', role: 'rowgroup' });
    this.body = h('div', { class: 'grid-body', role: 'presentation', scroll: () => this.draw() }, this.space);
    this.element = h(
      'div',
      { class: 'grid', role: 'grid', 'aria-label': options.label },
      h('div', { role: 'rowgroup' }, this.head),
      this.body
    );
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener(
      'scroll', () => this.element.style.setProperty('--pushed', `${this.element.scrollLeft}px`)
    );
    this.space.addEventListener('click', (event) => this.pick(event, false));
    this.space.addEventListener('dblclick', (event) => this.pick(event, true));
    new ResizeObserver(() => this.draw()).observe(this.body);
  }

  setColumns(columns: Column<Row>[]): void {
    this.options.columns = columns;
    this.drawn.forEach((row) => row.remove());
    this.drawn.clear();
  }

  show(rows: Row[], chosen?: Row): void {
    const column = this.options.columns.find((c) => c.key === this.sort.replace('-', ''));
    this.rows = column?.value === undefined ? rows : this.sorted(rows, column.value, this.sort.startsWith('-'));
    this.chosen = chosen;
    this.active = Math.max(
      0, chosen === undefined ? Math.min(this.active, this.rows.length - 1) : this.rows.indexOf(chosen)
    );
    this.element.setAttribute('aria-rowcount', String(this.rows.length + 1));
    this.space.style.height = `${Math.min(MOST, Math.max(1, this.rows.length) * HEIGHT)}px`;
    this.fitColumns();
    this.drawHead();
    this.drawn.forEach((row) => row.remove());
    this.drawn.clear();
    if (chosen !== undefined && this.rows.includes(chosen)) this.reveal(this.active);
    this.draw();
  }

  // Each as wide as what stands in it, as far as a sample tells; the wide one takes what is left.
  private fitColumns(): void {
    const step = Math.max(1, Math.floor(this.rows.length / SAMPLE));
    let least = 0;
    const widths = this.options.columns.map((column) => {
      if (column.width !== undefined) {
        least += column.width;
        return `${column.width}px`;
      }
      const font = column.style !== undefined && this.rows.length > 0 && column.style(this.rows[0]!).includes('mono') ?
        MONO_FONT :
        FONT;
      const most = column.wide ? column.least ?? WIDE_MOST : NAME_MOST;
      let width = measure(column.title, HEAD_FONT) + (column.value ? 14 : 0);
      let longest = 0;
      for (let i = 0; i < this.rows.length; i += i < 60 ? 1 : step) {
        const text = column.text(this.rows[i]!).slice(0, 100);
        if (2 * text.length < longest) continue; // not the widest: to measure is what costs
        longest = Math.max(longest, text.length);
        width = Math.max(width, Math.min(most, measure(text, font)));
      }
      const size = Math.max(column.wide ? WIDE_LEAST : 0, Math.ceil(width) + 4);
      least += size;
      return column.wide ? `minmax(${size}px, 1fr)` : `${size}px`;
    });
    this.element.style.setProperty('--columns', widths.join(' '));
    this.element.style.setProperty('--least', `${least + 12 * widths.length + 28}px`);
  }

  private sorted(rows: Row[], value: (row: Row) => number | string, down: boolean): Row[] {
    const keyed = rows.map((row, index) => ({ row, index, key: value(row) }));
    keyed.sort((x, y) => {
      const order = typeof x.key === 'number' && typeof y.key === 'number' ? x.key - y.key :
                                                                             String(x.key).localeCompare(String(y.key));
      return (down ? -order : order) || x.index - y.index;
    });
    return keyed.map((item) => item.row);
  }

  private drawHead(): void {
    this.head.replaceChildren(
      ...this.options.columns.map((column) => {
        const by = this.sort.replace('-', '') === column.key;
        const order = !by ? 'none' : this.sort.startsWith('-') ? 'descending' : 'ascending';
        const cell = h('div', {
          role: 'columnheader',
          class: `${column.number ? 'number' : ''}${column.stays ? ' stays' : ''}`,
          'aria-sort': column.value ? order : undefined,
          title: column.hint
        });
        if (column.value === undefined) cell.append(column.title);
        else
          cell.append(
            h('button',
              { type: 'button', 'data-sort': column.key, click: () => this.sortBy(column) },
              column.title,
              h('span',
                { class: 'order', 'aria-hidden': 'true' },
                !by                         ? '' :
                  this.sort.startsWith('-') ? ' ▾' :
                                              ' ▴')),
          );
        return cell;
      }),
    );
  }

  private sortBy(column: Column<Row>): void {
    const first = column.number ? `-${column.key}` : column.key;
    const second = column.number ? column.key : `-${column.key}`;
    this.sort = this.sort === first ? second : first;
    this.options.onSort?.(this.sort);
    this.show(this.rows, this.chosen);
    this.head.querySelector<HTMLElement>(`[data-sort="${column.key}"]`)?.focus();
  }

  private draw(): void {
    const height = this.body.clientHeight || 400;
    const total = this.rows.length * HEIGHT;
    const scale = total > MOST ? total / MOST : 1; // very long lists scroll in larger steps
    const top = this.body.scrollTop * scale;
    const from = Math.max(0, Math.floor(top / HEIGHT) - MORE);
    const to = Math.min(this.rows.length, Math.ceil((top + height) / HEIGHT) + MORE);
    for (const [index, row] of this.drawn)
      if (index < from || index >= to) {
        row.remove();
        this.drawn.delete(index);
      }
    for (let index = from; index < to; index++) {
      let row = this.drawn.get(index);
      if (row === undefined) {
        row = this.makeRow(index);
        this.drawn.set(index, row);
        this.space.append(row);
      }
      row.style.top = `${index * HEIGHT - top + this.body.scrollTop}px`;
    }
    const overlay = scale === 1 ? this.options.overlay?.(from, to, HEIGHT) : undefined;
    if (overlay !== undefined) {
      overlay.style.top = `${from * HEIGHT}px`;
      if (overlay.parentElement !== this.space) this.space.append(overlay);
    }
    if (this.rows.length === 0 && this.drawn.size === 0) {
      const row = h(
        'div',
        { role: 'row', class: 'grid-row empty' },
        h('div', { role: 'gridcell' }, this.options.empty ?? 'Nothing fits.')
      );
      this.drawn.set(-1, row);
      this.space.append(row);
    }
  }

  private makeRow(index: number): HTMLElement {
    const item = this.rows[index]!;
    const chosen = item === this.chosen;
    const row = h('div', {
      role: 'row',
      class: `grid-row ${this.options.rowClass?.(item) ?? ''}${chosen ? ' chosen' : ''}`,
      'aria-rowindex': index + 2,
      'aria-selected': this.options.onSelect ? String(chosen) : undefined,
      'data-index': index,
      tabindex: index === this.active ? 0 : -1,
    });
    for (const column of this.options.columns) {
      const text = column.text(item);
      const cell = h('div', {
        role: 'gridcell',
        class: `${column.number ? 'number ' : ''}${column.stays ? 'stays ' : ''}${column.style?.(item) ?? ''}`,
        'data-column': column.key
      });
      if (column.share !== undefined) {
        const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
        bar.style.width = `${Math.min(100, Math.max(0, 100 * column.share(item)))}%`;
        cell.append(bar);
      }
      const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text;
      const words = (column.words?.(shown) ?? [[shown, ''] as Word]).map(
        ([word, kind]) => (kind === '' ? word : h('span', { class: kind }, word))
      );
      cell.append(h('span', { class: 'cell', title: column.wide ? text.slice(0, 500) : undefined }, ...words));
      row.append(cell);
    }
    return row;
  }

  private pick(event: MouseEvent, open: boolean): void {
    const row = (event.target as Element).closest<HTMLElement>('[data-index]');
    if (row === null) return;
    this.active = Number(row.dataset['index']);
    const item = this.rows[this.active];
    if (item === undefined) return;
    if (open) this.options.onOpen?.(item);
    else this.choose(item);
  }

  private choose(item: Row): void {
    this.mark(item);
    this.options.onSelect?.(item);
  }

  // What stands in a list without rows.
  set empty(text: string) {
    this.options.empty = text;
  }

  // The selection changed elsewhere.
  mark(item: Row | undefined): void {
    this.chosen = item;
    for (const [index, row] of this.drawn) {
      const is = this.rows[index] === item && item !== undefined;
      row.classList.toggle('chosen', is);
      if (row.hasAttribute('aria-selected')) row.setAttribute('aria-selected', String(is));
    }
  }

  reveal(index: number, top = false): void {
    const at = index * HEIGHT;
    const height = this.body.clientHeight || 400;
    if (top) {
      this.body.scrollTop = Math.max(0, at - 4 * HEIGHT);
      return;
    }
    if (at < this.body.scrollTop || at + HEIGHT > this.body.scrollTop + height)
      this.body.scrollTop = Math.max(0, at - height / 2);
  }

  revealRow(item: Row): void {
    const index = this.rows.indexOf(item);
    if (index >= 0) this.reveal(index);
  }

  private key(event: KeyboardEvent): void {
    if (!(event.target as Element).closest('.grid-row')) return;
    const page = Math.max(1, Math.floor(this.body.clientHeight / HEIGHT) - 1);
    const moves: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity
    };
    const move = moves[event.key];
    const item = this.rows[this.active];
    if (move !== undefined) this.go(Math.min(this.rows.length - 1, Math.max(0, this.active + move)));
    else if (event.key === 'Enter' && item !== undefined) (this.options.onOpen ?? this.options.onSelect)?.(item);
    else if (event.key === ' ' && item !== undefined) this.choose(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private go(index: number): void {
    this.drawn.get(this.active)?.setAttribute('tabindex', '-1');
    this.active = index;
    this.reveal(index);
    this.draw();
    const row = this.drawn.get(index);
    row?.setAttribute('tabindex', '0');
    row?.focus({ preventScroll: true });
    const item = this.rows[index];
    if (item !== undefined) this.choose(item);
  }

  // What is listed, as lines of columns.
  asText(): string {
    const { columns } = this.options;
    return [
      columns.map((c) => c.title).join('\t'),
      ...this.rows.map((row) => columns.map((c) => c.text(row)).join('\t'))
    ].join('\n');
  }

  asTable(most: number): { head: string[]; rows: string[][]; number: boolean[] } {
    const { columns } = this.options;
    return {
      head: columns.map((c) => c.title),
      number: columns.map((c) => c.number === true),
      rows: this.rows.slice(0, most).map((row) => columns.map((c) => c.text(row)))
    };
  }
}
