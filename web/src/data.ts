// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The document that the page shows (docs/view-format.md), read and checked.

import type {
  Functions, Calls, Stacks, Spans, Level, Profile, Doc
} from './model.ts';
export * from './model.ts';

export const FORMAT = 'rivulet view';
export const VERSION = 1;

// A sentence for the user.
export class DataError extends Error {}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null &&
  !Array.isArray(value);

// Long columns of a packed page: bytes behind the document (host/view/column.c).
const packedTypes = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array
};
type Packed = InstanceType<(typeof packedTypes)[keyof typeof packedTypes]>;
let packedColumns = new ArrayBuffer(0); // of the document that is read now

// A column that stands in the document, or the one that it names; undefined: none.
function unpackColumn(column: unknown): unknown[] | Packed | undefined {
  if (Array.isArray(column)) return column;
  if (!isObject(column)) return undefined;
  const { type, at, count } = column;
  if (typeof type !== 'string' || !Object.hasOwn(packedTypes, type)) return undefined;
  if (typeof at !== 'number' || typeof count !== 'number') return undefined;
  const make = packedTypes[type as keyof typeof packedTypes];
  if (!Number.isInteger(at) || !Number.isInteger(count) || at < 0 || at % 8 !== 0 || count < 0) return undefined;
  if (at + count * make.BYTES_PER_ELEMENT > packedColumns.byteLength) return undefined;
  return new make(packedColumns, at, count);
}

// One table by column. Every column has as many rows as the first one.
class Table {
  count: number;
  constructor(private data: Json, private where: string, first: string) {
    const column = unpackColumn(data[first]);
    if (column === undefined) throw new DataError(`The data is damaged: ${where} has no column “${first}”.`);
    this.count = column.length;
  }
  private any(name: string): unknown[] | Packed {
    const column = unpackColumn(this.data[name]);
    if (column === undefined || column.length !== this.count)
      throw new DataError(`The data is damaged: in ${this.where}, the column “${name}” has not ${this.count} rows.`);
    return column;
  }
  private column(name: string): unknown[] {
    const column = this.any(name);
    return Array.isArray(column) ? column : Array.from(column);
  }
  has(name: string): boolean {
    return this.data[name] !== undefined;
  }
  numbers(name: string): Float64Array {
    const column = this.any(name);
    if (!Array.isArray(column)) return this.finite(name, Float64Array.from(column));
    const result = new Float64Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const value = column[i];
      if (typeof value !== 'number' || !Number.isFinite(value))
        throw new DataError(`The data is damaged: in ${this.where}, row ${i} of “${name}” is no number.`);
      result[i] = value;
    }
    return result;
  }
  private finite(name: string, numbers: Float64Array): Float64Array {
    for (let i = 0; i < numbers.length; i++)
      if (!Number.isFinite(numbers[i]))
        throw new DataError(`The data is damaged: in ${this.where}, row ${i} of “${name}” is no number.`);
    return numbers;
  }
  optional(name: string): Float64Array | undefined {
    return this.has(name) ? this.numbers(name) : undefined;
  }
  // Rows of a table with `limit` rows, or -1.
  index(name: string, limit: number): Int32Array {
    const column = this.any(name);
    const result = new Int32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const value = column[i];
      if (typeof value !== 'number' || !Number.isInteger(value) || value < -1 || value >= limit)
        throw new DataError(`The data is damaged: in ${this.where}, row ${i} of “${name}” leads nowhere.`);
      result[i] = value;
    }
    return result;
  }
  texts(name: string, otherwise?: (row: number) => string): string[] {
    return this.column(name).map(
      (value, row) => (
        typeof value === 'string' ? clean(value) :
          otherwise               ? otherwise(row) :
                                    ''
      )
    );
  }
  // A list of `length` numbers in each row.
  rows(name: string, length: number): Float64Array[] {
    return this.column(name)
      .map(
        (list) => {
          if (
            !Array.isArray(list) || list.length !== length ||
            list.some((value) => typeof value !== 'number' || !Number.isFinite(value))
          )
            throw new DataError(`The data is damaged: “${name}” of ${this.where} is no list of ${length} numbers.`);
          return Float64Array.from(list as number[]);
        }
      );
  }
  lists(name: string, limit: number, least = 0): number[][] {
    const column = this.column(name);
    for (const list of column) {
      if (!Array.isArray(list)) throw new DataError(`The data is damaged: “${name}” of ${this.where} is no list.`);
      for (const value of list)
        if (!Number.isInteger(value) || value < least || value >= limit)
          throw new DataError(`The data is damaged: “${name}” of ${this.where} leads nowhere.`);
    }
    return column as number[][];
  }
}

// Control characters and marks that turn text around have no place in a name.
const unseen = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
export function clean(text: string): string {
  return text.replace(unseen, '\ufffd');
}

function text(data: Json, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? clean(value) : '';
}
function number(data: Json, name: string): number {
  const value = data[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
function list(data: Json, name: string): string[] {
  const value = data[name];
  return Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? clean(item) : '')) : [];
}

export function readDocument(source: string, columns = new ArrayBuffer(0)): Doc {
  let data: unknown;
  packedColumns = columns;
  try {
    data = JSON.parse(source);
  } catch {
    throw new DataError(
      source.trim() === '' ? 'There is no data in this page.' :
                             'The data is cut off or damaged: it is no JSON. Make the page again with `rivulet view`.',
    );
  }
  if (!isObject(data) || data['format'] !== FORMAT)
    throw new DataError('This is no data of `rivulet view`: its format has another name.');
  const version = data['version'];
  if (typeof version !== 'number') throw new DataError('The data is damaged: it has no version.');
  if (version > VERSION)
    throw new DataError(`The data is of version ${version}, this page reads versions up to ${
      VERSION}. Use the page of the rivulet that wrote it.`);
  const profiles = data['profiles'];
  if (!Array.isArray(profiles) || profiles.length === 0)
    throw new DataError('The data is damaged: it holds no profile.');
  return { live: data['live'] === true, profiles: profiles.map(readProfile) };
}

function readFunctions(data: Json, files: number): Functions {
  const table = new Table(data, 'functions', 'name');
  const address = table.texts('address');
  return {
    count: table.count,
    name: table.texts('name', (row) => address[row]!),
    file: table.index('file', files),
    line: Int32Array.from(table.numbers('line')),
    address,
    calls: table.numbers('calls'),
    self: table.numbers('self'),
    total: table.numbers('total'),
    instructions: table.numbers('instructions'),
    lengths: table.optional('lengths'),
    least: table.optional('least'),
    most: table.optional('most'),
    selfLeast: table.optional('self_least'),
    selfMost: table.optional('self_most'),
    unknown: table.has('unknown') ? Int32Array.from(table.numbers('unknown')) : new Int32Array(table.count),
  };
}

function readCalls(data: Json, functions: number): Calls {
  const table = new Table(data, 'calls', 'from');
  return {
    count: table.count,
    from: table.index('from', functions),
    to: table.index('to', functions),
    site: table.texts('site'),
    line: Int32Array.from(table.numbers('line')),
    times: table.numbers('count'),
    total: table.numbers('total'),
    least: table.optional('least'),
    most: table.optional('most'),
    buckets: table.has('buckets') ? table.lists('buckets', Number.MAX_SAFE_INTEGER) : undefined,
    kind: table.has('kind') ? table.texts('kind') : new Array<string>(table.count).fill('call'),
    unknown: table.has('unknown') ? Int32Array.from(table.numbers('unknown')) : new Int32Array(table.count),
  };
}

function readStacks(data: Json, frames: Json, files: number): Stacks {
  const names = new Table(frames, 'frames', 'name');
  const table = new Table(data, 'stacks', 'parent');
  const parent = table.index('parent', table.count);
  parent.forEach((value, row) => {
    if (value >= row)
      throw new DataError(`The data is damaged: in stacks, row ${row} stands before what it is part of.`);
  });
  return {
    count: table.count,
    parent,
    frame: table.index('frame', names.count),
    self: table.numbers('self'),
    frames: names.texts('name'),
    files: names.index('file', files),
    lines: Int32Array.from(names.numbers('line')),
  };
}

function readSpans(data: Json, functions: number): Spans {
  const table = new Table(data, 'spans', 'after');
  const begin = table.numbers('after');
  const process = Int32Array.from(table.numbers('process'));
  for (let i = 1; i < begin.length; i++) if (process[i] === process[i - 1]) begin[i]! += begin[i - 1]!;
  return {
    count: table.count,
    length: number(data, 'length'),
    all: number(data, 'all'),
    shortest: number(data, 'shortest'),
    begin,
    duration: table.numbers('duration'),
    fn: table.index('function', functions),
    depth: Int32Array.from(table.numbers('depth')),
    process,
  };
}

function readLevels(data: Json, rows: Json, spans: number, functions: number): Level[] {
  const head = new Table(data, 'levels', 'cell');
  const table = new Table(rows, 'level_bars', 'calls');
  const cell = head.numbers('cell');
  const bars = head.numbers('bars');
  const calls = table.numbers('calls');
  const fn = table.index('function', functions);
  const covered = table.numbers('covered');
  const busy = table.numbers('busy');
  const levels: Level[] = [];
  let at = 0;
  for (let k = 0; k < head.count; k++) {
    const end = at + bars[k]!;
    if (!Number.isInteger(end) || end < at || end > table.count)
      throw new DataError('The data is damaged: a level of the timeline has more bars than there are.');
    const first = new Int32Array(end - at + 1);
    for (let i = at; i < end; i++) first[i - at + 1] = Math.max(first[i - at]!, first[i - at]! + calls[i]!);
    if (first[end - at] !== spans)
      throw new DataError('The data is damaged: the bars of a level of the timeline are not all calls.');
    levels.push({
      cell: cell[k]!,
      count: end - at,
      first,
      fn: fn.subarray(at, end),
      covered: covered.subarray(at, end),
      busy: busy.subarray(at, end)
    });
    at = end;
  }
  return levels;
}

const empty: Json = { from: [], to: [], site: [], line: [], count: [], total: [] };

function readProfile(data: unknown): Profile {
  if (!isObject(data)) throw new DataError('The data is damaged: a profile is no object.');
  const section = (name: string): Json | undefined => (isObject(data[name]) ? (data[name] as Json) : undefined);
  const files = list(data, 'files');
  const raw = section('functions');
  if (raw === undefined) throw new DataError('The data is damaged: a profile has no functions.');
  const functions = readFunctions(raw, files.length);
  const profile: Profile = {
    label: text(data, 'label'),
    program: text(data, 'program'),
    application: text(data, 'application'),
    build: text(data, 'build'),
    way: text(data, 'way'),
    unit: text(data, 'unit') || 'cycles',
    total: number(data, 'total'),
    instructions: number(data, 'instructions'),
    sampled: data['sampled'] === true,
    exactCalls: data['exact_calls'] === true,
    notes: list(data, 'notes'),
    files,
    processes: list(data, 'processes'),
    phaseOrder: text(data, 'phase_order'),
    functions,
    calls: readCalls(section('calls') ?? empty, functions.count),
    sources: [],
  };
  readCode(profile, section, functions.count);
  readRest(profile, section, functions.count);
  if (Array.isArray(data['sources']))
    for (const item of data['sources'])
      if (
        isObject(item) && Array.isArray(item['text']) &&
        typeof item['file'] === 'number' && item['file'] < files.length
      )
        profile.sources.push({
          file: item['file'],
          line: number(item, 'line'),
          text: item['text'].map((line) => (typeof line === 'string' ? clean(line.replace(/\t/g, '    ')) : '')),
        });
  return profile;
}

type Section = (name: string) => Json | undefined;

function readCode(profile: Profile, section: Section, functions: number): void {
  const blocks = section('blocks');
  const edges = section('edges');
  const loops = section('loops');
  const code = section('code');
  const lines = section('lines');
  const files = profile.files.length;
  if (blocks !== undefined) {
    const loopCount = loops !== undefined ? new Table(loops, 'loops', 'function').count : 0;
    const t = new Table(blocks, 'blocks', 'function');
    profile.blocks = {
      count: t.count,
      fn: t.index('function', functions),
      address: t.texts('address'),
      end: t.texts('end'),
      instructions: t.numbers('instructions'),
      times: t.numbers('count'),
      cycles: t.numbers('cycles'),
      loop: t.index('loop', loopCount),
    };
  }
  const blockCount = profile.blocks?.count ?? 0;
  if (edges !== undefined) {
    const t = new Table(edges, 'edges', 'from');
    profile.edges = {
      count: t.count,
      from: t.index('from', blockCount),
      to: t.index('to', blockCount),
      target: t.texts('target'),
      times: t.numbers('count'),
      kind: t.texts('kind'),
    };
  }
  if (loops !== undefined) {
    const t = new Table(loops, 'loops', 'function');
    profile.loops = {
      count: t.count,
      fn: t.index('function', functions),
      head: t.index('head', blockCount),
      parent: t.index('parent', t.count),
      depth: Int32Array.from(t.numbers('depth')),
    };
  }
  if (code !== undefined) {
    const t = new Table(code, 'code', 'address');
    profile.code = {
      count: t.count,
      address: t.texts('address'),
      block: t.index('block', blockCount),
      file: t.index('file', files),
      line: Int32Array.from(t.numbers('line')),
      times: t.numbers('count'),
      cycles: t.numbers('cycles'),
      taken: t.numbers('taken'),
      notTaken: t.numbers('not_taken'),
      text: t.texts('text'),
    };
  }
  if (lines !== undefined) {
    const t = new Table(lines, 'lines', 'file');
    profile.lines = {
      count: t.count,
      file: t.index('file', files),
      line: Int32Array.from(t.numbers('line')),
      fn: t.index('function', functions),
      blocks: Int32Array.from(t.numbers('blocks')),
      hit: Int32Array.from(t.numbers('hit')),
      times: t.numbers('count'),
      cycles: t.numbers('cycles'),
    };
  }
}

function readRest(profile: Profile, section: Section, functions: number): void {
  const stacks = section('stacks');
  const frames = section('frames');
  const paths = section('paths');
  const spans = section('spans');
  const phases = section('phases');
  const regions = section('regions');
  if (stacks !== undefined && frames !== undefined) profile.stacks = readStacks(stacks, frames, profile.files.length);
  if (spans !== undefined) profile.spans = readSpans(spans, functions);
  const levels = section('levels');
  const bars = section('level_bars');
  if (profile.spans !== undefined && levels !== undefined && bars !== undefined)
    profile.levels = readLevels(levels, bars, profile.spans.count, functions);
  if (paths !== undefined) {
    const t = new Table(paths, 'paths', 'function');
    profile.paths = {
      count: t.count,
      fn: t.index('function', functions),
      times: t.numbers('count'),
      instructions: t.numbers('instructions'),
      cycles: t.numbers('cycles'),
      blocks: t.lists('blocks', profile.blocks?.count ?? 0),
    };
  }
  if (phases !== undefined) {
    const t = new Table(phases, 'phases', 'name');
    profile.phases = { count: t.count, name: t.texts('name'), begin: t.numbers('begin'), end: t.numbers('end') };
  }
  const kinds = section('phase_kinds');
  if (kinds !== undefined) {
    const t = new Table(kinds, 'phase_kinds', 'name');
    profile.phaseKinds = {
      count: t.count,
      name: t.texts('name'),
      instructions: t.numbers('instructions'),
      cycles: t.numbers('cycles'),
      segments: t.numbers('segments'),
      alike: t.numbers('alike')
    };
  }
  const intervals = section('intervals');
  const sequences = section('sequence_paths');
  if (intervals !== undefined) {
    const t = new Table(intervals, 'intervals', 'begin');
    profile.intervals = { count: t.count, begin: t.numbers('begin'), end: t.numbers('end') };
  }
  if (sequences !== undefined && profile.intervals !== undefined) {
    const t = new Table(sequences, 'sequence_paths', 'function');
    profile.sequences = {
      count: t.count,
      fn: t.index('function', functions),
      blocks: t.numbers('blocks'),
      instructions: t.numbers('instructions'),
      trips: t.numbers('trips'),
      value: t.numbers('value'),
      heat: t.rows('heat', profile.intervals.count),
    };
  }
  if (regions !== undefined) {
    const t = new Table(regions, 'regions', 'name');
    profile.regions = {
      count: t.count,
      name: t.texts('name'),
      parent: t.index('parent', t.count),
      fn: t.index('function', functions),
      head: t.has('head') ? t.index('head', profile.blocks?.count ?? 0) : new Int32Array(t.count).fill(-1),
      times: t.numbers('count'),
      turns: t.optional('turns') ?? new Float64Array(t.count),
      cycles: t.numbers('cycles'),
    };
    const paths = section('region_paths');
    if (paths !== undefined) {
      const p = new Table(paths, 'region_paths', 'region');
      profile.regionPaths = {
        count: p.count,
        region: p.index('region', t.count),
        times: p.numbers('count'),
        cycles: p.numbers('cycles'),
        nodes: p.lists('nodes', profile.blocks?.count ?? 0, -t.count)
      };
    }
  }
}
