// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Source and disassembly of the selected function, side by side.
import { App, Drawing, View } from './app.ts';
import { h, s, select } from './dom.ts';
import { baseName, change, count, percent, short } from './format.ts';
import { callers } from './graph.ts';
import { drawJumps, Jump, JUMP_WIDTH, jumpsOf } from './jumps.ts';
import { SourceRow, sourceRows } from './source.ts';
import { Splitter } from './splitter.ts';
import { codeWords, sourceWords } from './syntax.ts';
import { Column, Grid } from './table.ts';

const NO_SOURCE = 'There are no source lines: build the program with -g, and run rivulet where its sources are.';
const NO_CODE = 'No code of this function was executed.';
const NOTHING = 'No function ran.';
const MOST_PATHS = 50; // in the choice of paths

export class CodeView implements View {
  readonly id = 'code';
  readonly name = 'Code';
  readonly element: HTMLElement;
  private source: Grid<SourceRow>;
  private code: Grid<number>;
  private controls = h('div', { class: 'controls' });
  private rows: SourceRow[] = [];
  private instructions: number[] = [];
  private onPath = new Set<number>();
  private jumps: Jump[] = [];
  private arrows = s('svg', { class: 'jumps', 'aria-hidden': 'true' });
  private splitter: Splitter;

  constructor(private app: App) {
    this.source = new Grid<SourceRow>({
      label: 'Source',
      columns: [],
      onSelect: (row) => row.line > 0 && app.state.set({ line: `${row.file}:${row.line}` }, false),
      rowClass: (row) => `${
        row.mark === '#'   ? 'missed' :
          row.mark === '*' ? 'comment' :
          row.line === 0   ? 'heading' :
                             ''}${this.isLine(row.file, row.line) ? ' linked' : ''}${
        this.lineOnPath(row) ? ' on-path' : ''}`,
      empty: NO_SOURCE,
    });
    this.code = new Grid<number>({
      label: 'Disassembly',
      columns: [],
      onSelect: (i) => {
        const code = app.profile.code!;
        if (code.file[i]! >= 0 && code.line[i]! > 0) app.state.set({ line: `${code.file[i]}:${code.line[i]}` }, false);
      },
      rowClass: (i) => {
        const code = app.profile.code!;
        const first = i === 0 || code.block[i - 1] !== code.block[i];
        return `${first ? 'block-first' : ''}${code.times[i] === 0 ? ' missed' : ''}${
          this.isLine(code.file[i]!, code.line[i]!) ? ' linked' :
                                                      ''}${this.onPath.has(code.block[i]!) ? ' on-path' : ''}`;
      },
      empty: NO_CODE,
      overlay: (from, to, height) => {
        drawJumps(this.arrows, this.jumps, from, to, height);
        return this.arrows;
      },
    });
    this.splitter = new Splitter('Share of the source', (share) => app.state.set({ split: String(share) }, false));
    this.element = h(
      'section',
      { class: 'view', 'aria-label': 'Code' },
      this.controls,
      h('div', { class: 'split' }, this.source.element, this.splitter.element, this.code.element)
    );
    this.element.classList.add('code-view');
  }

  // The selected function; until there is one, that of the chosen path, or that with most own time: what people want to
  // see first.
  private get shown(): number {
    if (this.app.selected >= 0) return this.app.selected;
    return this.app.profile.paths?.fn[this.chosen] ?? this.app.hottest;
  }

  private get chosen(): number {
    return Number(this.app.state.get('path') || -1);
  }

  // The chosen path, if it is one of the function that is shown.
  private get path(): number {
    return this.app.profile.paths?.fn[this.chosen] === this.shown ? this.chosen : -1;
  }

  private isLine(file: number, line: number): boolean {
    return line > 0 && this.app.state.get('line') === `${file}:${line}`;
  }

  private lineOnPath(row: SourceRow): boolean {
    if (this.onPath.size === 0 || row.line === 0) return false;
    const code = this.app.profile.code!;
    return this.instructions.some(
      (i) => code.file[i] === row.file && code.line[i] === row.line && this.onPath.has(code.block[i]!)
    );
  }

  // As FIG. 9: a few lines marked with a star say what is known of the function.
  private comments(f: number): string[] {
    const { functions, unit } = this.app.profile;
    const from = callers(this.app.graphOf(false), f);
    const names = from.slice(0, 6).map((row) => `${this.app.nameOf(row.f).slice(0, 60)} (${count(row.count)})`);
    return [
      `${this.app.nameOf(f).slice(0, 200)}: called ${count(functions.calls[f]!)} times, self ${
        count(functions.self[f]!)} ${unit}, with descendants ${count(functions.total[f]!)} ${unit}`,
      from.length === 0 ? 'called from: no caller was seen' :
                          `called from: ${names.join(', ')}${from.length > 6 ? `, and ${from.length - 6} more` : ''}`,
    ];
  }

  private before(f: number): Map<string, number> {
    const pairing = this.app.pairing;
    const map = new Map<string, number>();
    const other = pairing?.of[f] ?? -1;
    const lines = pairing?.other.lines;
    if (pairing === undefined || lines === undefined || other < 0) return map;
    const declared = pairing.other.functions.line[other]!;
    for (let i = 0; i < lines.count; i++)
      if (lines.fn[i] === other && lines.file[i]! >= 0)
        map.set(
          `${baseName(pairing.other.files[lines.file[i]!]!)}:${
            lines.line[i]! - (pairing.other.functions.file[other] === lines.file[i] ? declared : 0)}`,
          pairing.factor * lines.cycles[i]!
        );
    return map;
  }

  private sourceColumns(f: number): Column<SourceRow>[] {
    const { app } = this;
    const self = app.profile.functions.self[f]!;
    const columns: Column<SourceRow>[] = [
      {
        key: 'time',
        title: 'Self %',
        hint: 'Share of the function’s own time',
        number: true,
        text: (row) => (row.timed && row.hit > 0 ? percent(self > 0 ? row.cycles / self : 0) : ''),
        share: (row) => (self > 0 ? row.cycles / self : 0)
      },
      { key: 'times', title: 'Times', number: true, text: (row) => (row.timed && row.hit > 0 ? short(row.times) : '') },
      {
        key: 'mark',
        title: ' ',
        hint: '| one block that ran, + several blocks on a line, # not executed, * comment',
        text: (row) => row.mark
      },
      { key: 'line', title: 'Line', number: true, text: (row) => (row.line > 0 ? String(row.line) : '') },
      {
        key: 'text',
        title: 'Source',
        wide: true,
        text: (row) => (
          row.timed && row.blocks > 1 && row.hit < row.blocks && row.hit > 0 ?
            `${row.text}    ‹${row.hit} of ${row.blocks} blocks ran›` :
            row.text
        ),
        words: sourceWords,
        style: () => 'mono'
      },
    ];
    if (app.pairing) {
      const before = this.before(f);
      const declared = app.profile.functions.line[f]!;
      const was = (row: SourceRow): number => before.get(`${baseName(app.profile.files[row.file] ?? '')}:${
                                                row.line - (app.profile.functions.file[f] === row.file ? declared : 0)}`
                                              ) ??
        0;
      columns.splice(2, 0, {
        key: 'change',
        title: 'Change',
        number: true,
        text: (row) => (row.timed ? change(was(row), row.cycles) : ''),
        style: (row) => (
          !row.timed              ? '' :
            row.cycles > was(row) ? 'slower' :
            row.cycles < was(row) ? 'faster' :
                                    ''
        )
      });
    }
    return columns;
  }

  private codeColumns(): Column<number>[] {
    const code = this.app.profile.code!;
    const most = Math.max(1, ...this.instructions.map((i) => code.cycles[i]!));
    const columns: Column<number>[] = [
      {
        key: 'jumps',
        title: ' ',
        hint: 'Jumps, as thick as they were frequent; backward ones in colour',
        text: () => '',
        width: JUMP_WIDTH
      },
      { key: 'address', title: 'Address', text: (i) => code.address[i]!, style: () => 'mono' },
      {
        key: 'text',
        title: 'Instruction',
        wide: true,
        least: 150,
        text: (i) => code.text[i]!,
        words: codeWords,
        style: () => 'mono'
      },
      ...this.stepColumn(),
      {
        key: 'cycles',
        title: this.app.profile.unit === 'cycles' ? 'Cycles' : 'Instr.',
        number: true,
        text: (i) => (code.times[i]! > 0 ? count(code.cycles[i]!) : ''),
        share: (i) => code.cycles[i]! / most
      },
      { key: 'times', title: 'Times', number: true, text: (i) => (code.times[i]! > 0 ? count(code.times[i]!) : '') },
      {
        key: 'branch',
        title: 'Taken',
        hint: 'Outcomes of the branch: taken, not taken',
        number: true,
        text: (i) => (
          code.taken[i]! + code.notTaken[i]! > 0 ?
            `${((100 * code.taken[i]!) / (code.taken[i]! + code.notTaken[i]!)).toFixed(1)}% ${short(code.taken[i]!)}:${
              short(code.notTaken[i]!)}` :
            ''
        )
      },
    ];
    return columns;
  }

  update(changed: Set<string>): void {
    const { app } = this;
    const f = this.shown;
    const { profile } = app;
    const { path } = this;
    this.onPath = new Set(path >= 0 && profile.paths !== undefined ? profile.paths.blocks[path] : []);
    this.source.empty = f < 0 ? NOTHING : NO_SOURCE;
    this.code.empty = f < 0 ? NOTHING : NO_CODE;
    if (f < 0) {
      this.jumps = [];
      this.controls.replaceChildren();
      this.source.show([]);
      this.code.show([]);
      return;
    }
    const only = changed.size > 0 && [...changed].every((name) => name === 'line');
    const query = app.state.get('q').trim().toLowerCase();
    if (!only) {
      this.rows = sourceRows(profile, f, this.comments(f));
      this.instructions = [];
      const { code, blocks } = profile;
      if (code !== undefined && blocks !== undefined)
        for (let i = 0; i < code.count; i++)
          if (code.block[i]! >= 0 && blocks.fn[code.block[i]!] === f) this.instructions.push(i);
      this.jumps = jumpsOf(profile, this.instructions);
    }
    this.source.setColumns(this.sourceColumns(f));
    this.source.show(this.rows, this.rows.find((row) => this.isLine(row.file, row.line)));
    if (profile.code !== undefined) {
      const { code } = profile;
      this.code.setColumns(this.codeColumns());
      this.code.show(
        this.instructions, only ? this.instructions.find((i) => this.isLine(code.file[i]!, code.line[i]!)) : undefined
      );
    }
    const split = app.state.get('split');
    if (split === '') this.splitter.fit();
    else this.splitter.set(Number(split));
    const lines = this.rows.filter((row) => row.timed);
    const hit = lines.filter((row) => row.hit > 0).length;
    const found = query === '' ? -1 : this.rows.findIndex((row) => row.text.toLowerCase().includes(query));
    if (!only && path >= 0) this.revealPath();
    else if (!only && this.app.state.get('line') === '') {
      this.source.reveal(Math.max(0, found >= 0 ? found : this.hottestLine()), true);
      this.code.reveal(this.hottestInstruction(), true);
    }
    this.controls.replaceChildren(
      h('strong', {}, app.nameOf(f).slice(0, 120)),
      app.selected < 0 && path < 0 ? h('span', { class: 'quiet' }, 'is the hottest; select another one') : '',
      h('span', { class: 'quiet' }, lines.length > 0 ? `${count(hit)} of ${count(lines.length)} lines ran` : ''),
      ...this.pathChoice(f, path),
      h('button',
        {
          type: 'button',
          'aria-pressed': String(app.state.get('wide') === '1'),
          title: 'Code over the whole width (w)',
          click: () => this.toggleWide()
        },
        'Whole width'),
      h('span',
        { class: 'legend' },
        h('kbd', {}, '|'),
        ' ran  ',
        h('kbd', {}, '+'),
        ' several blocks  ',
        h('kbd', {}, '#'),
        ' did not run'),
    );
  }

  // Where the time is: a long function is opened there.
  private hottestLine(): number {
    let best = 0;
    this.rows.forEach((row, i) => row.timed && row.cycles > this.rows[best]!.cycles && (best = i));
    return best;
  }
  private hottestInstruction(): number {
    const { code } = this.app.profile;
    let best = 0;
    this.instructions.forEach((i, k) => code!.cycles[i]! > code!.cycles[this.instructions[best]!]! && (best = k));
    return best;
  }

  private toggleWide(): void {
    this.app.state.set({ wide: this.app.state.get('wide') === '1' ? '' : '1' });
  }
  key(event: KeyboardEvent): boolean {
    if (event.key !== 'w') return false;
    this.toggleWide();
    return true;
  }

  // The paths of the function, the hottest first: one that is chosen lights its lines and instructions.
  private pathChoice(f: number, path: number): HTMLElement[] {
    const { paths } = this.app.profile;
    if (paths === undefined) return [];
    const own: number[] = [];
    for (let i = 0; i < paths.count; i++) if (paths.fn[i] === f) own.push(i);
    own.sort((x, y) => paths.cycles[y]! - paths.cycles[x]! || x - y);
    if (own.length === 0) return [];
    const all = own.reduce((sum, i) => sum + paths.cycles[i]!, 0);
    const choices = own.slice(0, MOST_PATHS).map((i, k): [string, string] => [
      String(i),
      `${k + 1}: ${percent(all > 0 ? paths.cycles[i]! / all : 0)}, ${count(paths.times[i]!)} ×`
    ]);
    if (path >= 0 && !choices.some(([i]) => i === String(path))) choices.push([String(path), `path ${path + 1}`]);
    return [select(
      'Path',
      path >= 0 ? String(path) : '',
      [['', `none of ${count(own.length)}`], ...choices],
      (chosen) => this.app.state.set({ path: chosen, rp: '' }),
      'Lights the lines of a path of blocks'
    )];
  }

  // The chosen path step by step: which step an instruction is, and the time from the path's begin to behind it. Times
  // of instructions are means over all that ran them, so the sum is one too.
  private stepColumn(): Column<number>[] {
    const { path } = this;
    const { paths, code } = this.app.profile;
    if (path < 0 || paths === undefined || code === undefined || paths.blocks[path] === undefined) return [];
    const steps = new Map<number, { step: number; time: number }>();
    const of = new Map<number, number[]>();
    for (const i of this.instructions) {
      const block = code.block[i]!;
      of.set(block, [...(of.get(block) ?? []), i]);
    }
    let time = 0;
    let step = 0;
    for (const block of paths.blocks[path]!)
      for (const i of of.get(block) ?? []) {
        time += code.times[i]! > 0 ? code.cycles[i]! / code.times[i]! : 0;
        steps.set(i, { step: ++step, time });
      }
    return [{
      key: 'step',
      title: 'Step',
      hint: `Step on the path, and mean ${this.app.profile.unit} from its begin to behind this step`,
      number: true,
      text: (i) => (steps.has(i) ? `${steps.get(i)!.step}  ≈${steps.get(i)!.time.toFixed(1)}` : '')
    }];
  }

  private revealPath(): void {
    const code = this.app.profile.code;
    const { functions } = this.app.profile;
    const f = this.shown;
    const own = (one: SourceRow): boolean => one.file === functions.file[f] && one.line >= functions.line[f]!;
    const lit = this.rows.filter((one) => this.lineOnPath(one));
    const row = this.rows.indexOf((lit.find(own) ?? lit[0])!); // what was inlined stands elsewhere
    const first = code === undefined ? -1 : this.instructions.findIndex((i) => this.onPath.has(code.block[i]!));
    if (row >= 0) this.source.reveal(row, true);
    if (first >= 0) this.code.reveal(first, true);
  }

  drawing(): Drawing {
    return { text: `${this.source.asText()}\n\n${this.code.asText()}` };
  }
  table(): ReturnType<Grid<SourceRow>['asTable']> {
    return this.rows.some((row) => row.timed) ? this.source.asTable(600) : (this.code.asTable(600) as never);
  }
}
