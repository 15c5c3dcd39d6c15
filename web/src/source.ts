// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What the margin of a source line says (QTY FIG. 9).
import { Profile } from './data.ts';

export type Mark = '|' | '+' | '#' | '*' | '';

export interface SourceRow {
  mark: Mark;
  file: number;
  line: number; // 0: a comment or heading
  text: string;
  timed: boolean; // the row has numbers of its own; else it continues a block
  times: number;
  cycles: number;
  hit: number;
  blocks: number;
}

// One basic block that ran: |. Several on the line: +. None ran: #.
export function markOf(blocks: number, hit: number): Mark {
  if (hit === 0) return '#';
  return blocks > 1 ? '+' : '|';
}

const NOT_FOUND = 'Its text was not found: run rivulet where it was built, for';
const BLANK = { timed: false, times: 0, cycles: 0, hit: 0, blocks: 0 };

// Lines of the function with what stands around them: comment lines first, then its own file, then code that was
// inlined from others. Lines without code between two lines of the function continue the block above.
export function sourceRows(profile: Profile, f: number, comments: string[]): SourceRow[] {
  const { lines } = profile;
  const rows: SourceRow[] = comments.map((text) => ({ mark: '*', file: -1, line: 0, text, ...BLANK }));
  if (lines === undefined) return rows;
  const files = new Map<number, Map<number, number>>();
  for (let i = 0; i < lines.count; i++)
    if (lines.fn[i] === f && lines.file[i]! >= 0)
      (files.get(lines.file[i]!) ?? files.set(lines.file[i]!, new Map()).get(lines.file[i]!)!).set(lines.line[i]!, i);
  const own = profile.functions.file[f]!;
  const order = [...files.keys()].sort((x, y) => Number(y === own) - Number(x === own) || x - y);
  for (const file of order) {
    if (file !== own || order.length > 1) rows.push({ mark: '', file, line: 0, text: profile.files[file]!, ...BLANK });
    const text = `${NOT_FOUND} ${profile.files[file]!}`;
    if (!profile.sources.some((source) => source.file === file))
      rows.push({ mark: '*', file: -1, line: 0, text, ...BLANK });
    rows.push(...fileRows(profile, f, file, files.get(file)!));
  }
  return rows;
}

const AROUND = 3;

function fileRows(profile: Profile, f: number, file: number, at: Map<number, number>): SourceRow[] {
  const lines = profile.lines!;
  const numbers = [...at.keys()].sort((x, y) => x - y);
  const declared = profile.functions.file[f] === file ? profile.functions.line[f]! : 0;
  const rows: SourceRow[] = [];
  let from = Math.min(
               numbers[0]!,
               declared > 0 && declared < numbers[0]! && numbers[0]! - declared < 60 ? declared : numbers[0]!
             ) -
    AROUND;
  let mark: Mark = '';
  numbers.forEach((number, k) => {
    const next = numbers[k + 1];
    const to = next === undefined ? number + AROUND : next - 1;
    for (let line = Math.max(1, from); line <= to; line++) {
      if (line > number + AROUND && to - line > 8) { // far from the next line of it
        rows.push({ mark: '', file, line: 0, text: '⋯', ...BLANK });
        line = to - AROUND;
        mark = '';
        continue;
      }
      const i = at.get(line);
      const text = textOf(profile, file, line);
      if (i === undefined) {
        if (text === undefined) continue;
        if (/^\S/.test(text) || next === undefined) mark = ''; // another function begins, or this one is over
        rows.push({ mark: line > numbers[0]! ? mark : '', file, line, text, ...BLANK });
        continue;
      }
      mark = markOf(lines.blocks[i]!, lines.hit[i]!);
      rows.push({
        mark,
        file,
        line,
        text: text ?? '',
        timed: true,
        times: lines.times[i]!,
        cycles: lines.cycles[i]!,
        hit: lines.hit[i]!,
        blocks: lines.blocks[i]!
      });
    }
    from = to + 1;
  });
  return rows;
}

const kept = new WeakMap<Profile, Map<number, { line: number; text: string[] }[]>>();
export function textOf(profile: Profile, file: number, line: number): string | undefined {
  let by = kept.get(profile);
  if (by === undefined) {
    by = new Map();
    for (const source of profile.sources)
      (by.get(source.file) ?? by.set(source.file, []).get(source.file)!).push(source);
    kept.set(profile, by);
  }
  for (const piece of by.get(file) ?? [])
    if (line >= piece.line && line < piece.line + piece.text.length) return piece.text[line - piece.line];
  return undefined;
}
