// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The document that the page shows (docs/view-format.md), read and checked.

import type {
  Functions, Calls, Stacks, Spans, Level, Profile, Doc
} from './model.ts';
import { clean, DataError, isObject, Json, noColumns, Table, useColumns } from './columns.ts';
export * from './model.ts';
export { clean, DataError } from './columns.ts';

export const FORMAT = 'rivulet view';
export const VERSION = 1;

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

export function parseDocument(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    throw new DataError(
      source.trim() === '' ? 'There is no data in this page.' :
                             'The data is cut off or damaged: it is no JSON. Make the page again with `rivulet view`.',
    );
  }
}

export function readDocument(source: string, columns = noColumns): Doc {
  return readData(parseDocument(source), columns);
}

export function readData(data: unknown, columns = noColumns): Doc {
  useColumns(columns);
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
  const name = table.texts('name', (row) => address[row]!);
  return {
    count: table.count,
    name,
    shown: table.has('shown') ? table.texts('shown', (row) => address[row]!) : name,
    file: table.index('file', files),
    line: table.integers('line'),
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
    unknown: table.has('unknown') ? table.integers('unknown') : new Int32Array(table.count),
  };
}

function readCalls(data: Json, functions: number): Calls {
  const table = new Table(data, 'calls', 'from');
  return {
    count: table.count,
    from: table.index('from', functions),
    to: table.index('to', functions),
    site: table.texts('site'),
    line: table.integers('line'),
    times: table.numbers('count'),
    total: table.numbers('total'),
    least: table.optional('least'),
    most: table.optional('most'),
    buckets: table.has('buckets') ? table.lists('buckets', Number.MAX_SAFE_INTEGER) : undefined,
    kind: table.has('kind') ? table.texts('kind') : new Array<string>(table.count).fill('call'),
    unknown: table.has('unknown') ? table.integers('unknown') : new Int32Array(table.count),
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
    shown: names.texts(names.has('shown') ? 'shown' : 'name'),
    files: names.index('file', files),
    lines: names.integers('line'),
  };
}

function readSpans(data: Json, functions: number): Spans {
  const table = new Table(data, 'spans', 'after');
  const begin = table.numbers('after');
  const process = table.integers('process');
  for (let i = 1, before = begin[0] ?? 0; i < begin.length; i++) {
    before = process[i] === process[i - 1] ? before + begin[i]! : begin[i]!;
    begin[i] = before;
  }
  return {
    count: table.count,
    length: number(data, 'length'),
    all: number(data, 'all'),
    shortest: number(data, 'shortest'),
    begin,
    duration: table.numbers('duration'),
    fn: table.index('function', functions),
    depth: table.integers('depth'),
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
      depth: t.integers('depth'),
    };
  }
  if (code !== undefined) {
    const t = new Table(code, 'code', 'address');
    profile.code = {
      count: t.count,
      address: t.texts('address'),
      block: t.index('block', blockCount),
      file: t.index('file', files),
      line: t.integers('line'),
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
      line: t.integers('line'),
      fn: t.index('function', functions),
      blocks: t.integers('blocks'),
      hit: t.integers('hit'),
      times: t.numbers('count'),
      cycles: t.numbers('cycles'),
    };
  }
}

// What the timeline has as rows, and the lines of its parts.
function readTimes(profile: Profile, section: Section): void {
  const layers = section('phase_layers');
  const marks = section('marks');
  const cells = section('cells');
  const cellLines = section('cell_lines');
  if (layers !== undefined) {
    const t = new Table(layers, 'phase_layers', 'layer');
    profile.layers = {
      count: t.count,
      layer: t.numbers('layer'),
      repetition: t.texts('repetition'),
      trips: t.numbers('trips'),
      begin: t.numbers('begin'),
      end: t.numbers('end')
    };
  }
  if (marks !== undefined) {
    const t = new Table(marks, 'marks', 'kind');
    profile.marks = { count: t.count, kind: t.texts('kind'), at: t.numbers('at'), value: t.numbers('value') };
  }
  if (cells !== undefined && cellLines !== undefined && profile.lines !== undefined) {
    const t = new Table(cells, 'cells', 'begin');
    const rows = new Table(cellLines, 'cell_lines', 'line');
    const lines = t.numbers('lines');
    const first = new Int32Array(t.count + 1);
    for (let i = 0; i < t.count; i++) first[i + 1] = first[i]! + Math.max(0, lines[i]!);
    if (first[t.count] !== rows.count)
      throw new DataError('The data is damaged: the lines of the cells are not all lines.');
    profile.cells = {
      count: t.count,
      begin: t.numbers('begin'),
      end: t.numbers('end'),
      first,
      line: rows.index('line', profile.lines.count),
      instructions: rows.numbers('instructions')
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
  readTimes(profile, section);
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
