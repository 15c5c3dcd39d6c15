// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What a document holds once it is read (docs/view-format.md): tables by column.

export interface Functions {
  count: number;
  name: string[];
  shown: string[]; // the names as people read them: of C++ as the source has them
  file: Int32Array;
  line: Int32Array;
  address: string[];
  calls: Float64Array;
  self: Float64Array;
  total: Float64Array;
  instructions: Float64Array;
  lengths?: Float64Array; // of all calls together
  least?: Float64Array;
  most?: Float64Array;
  selfLeast?: Float64Array;
  selfMost?: Float64Array;
  unknown: Int32Array; // enum Unknown, of total
}
export interface Calls {
  count: number;
  from: Int32Array;
  to: Int32Array;
  site: string[];
  line: Int32Array;
  times: Float64Array;
  total: Float64Array;
  least?: Float64Array;
  most?: Float64Array;
  buckets?: number[][];
  kind: string[]; // root: nobody knows who called
  unknown: Int32Array; // enum Unknown, of total
}
// What a profile could not know of a time.
export enum Unknown {
  Shared = 1,
  Within = 2,
  More = 4,
}
export interface Stacks {
  count: number;
  parent: Int32Array;
  frame: Int32Array;
  self: Float64Array;
  frames: string[]; // names
  shown: string[]; // as people read them
  files: Int32Array;
  lines: Int32Array;
}
export interface Blocks {
  count: number;
  fn: Int32Array;
  address: string[];
  end: string[];
  instructions: Float64Array;
  times: Float64Array;
  cycles: Float64Array;
  loop: Int32Array;
}
export interface Edges {
  count: number;
  from: Int32Array;
  to: Int32Array;
  target: string[];
  times: Float64Array; // -1: not known
  kind: string[];
}
export interface Loops {
  count: number;
  fn: Int32Array;
  head: Int32Array;
  parent: Int32Array;
  depth: Int32Array;
}
export interface Code {
  count: number;
  address: string[];
  block: Int32Array;
  file: Int32Array;
  line: Int32Array;
  times: Float64Array;
  cycles: Float64Array;
  taken: Float64Array;
  notTaken: Float64Array;
  text: string[];
}
export interface Lines {
  count: number;
  file: Int32Array;
  line: Int32Array;
  fn: Int32Array;
  blocks: Int32Array;
  hit: Int32Array;
  times: Float64Array;
  cycles: Float64Array;
}
export interface Source {
  file: number;
  line: number;
  text: string[];
}
export interface Paths {
  count: number;
  fn: Int32Array;
  times: Float64Array;
  instructions: Float64Array;
  cycles: Float64Array;
  blocks: number[][];
}
export interface Spans {
  count: number;
  length: number;
  all: number;
  shortest: number;
  begin: Float64Array;
  duration: Float64Array;
  fn: Int32Array;
  depth: Int32Array;
  process: Int32Array;
}
// Bars of a timeline, in the order of lanes: what stands for calls that are narrower than a cell.
export interface Level {
  cell: number;
  count: number;
  first: Int32Array; // place of the bar's first call in the order of lanes; behind the last one: all calls
  fn: Int32Array; // that has the most of the time
  covered: Float64Array; // its time
  busy: Float64Array; // time of all calls of the bar
}
export interface Bands {
  count: number;
  begin: Float64Array;
  end: Float64Array;
  name: string[];
}
// Runs of the repetitions of the phases' order, layer by layer.
export interface Layers {
  count: number;
  layer: Float64Array; // 1: of phases alone
  repetition: string[];
  trips: Float64Array;
  begin: Float64Array;
  end: Float64Array;
}
export interface Marks {
  count: number;
  kind: string[]; // gap, change, firmware
  at: Float64Array;
  value: Float64Array;
}
// Instructions of source lines over time.
export interface Cells {
  count: number;
  begin: Float64Array;
  end: Float64Array;
  first: Int32Array; // of line and instructions; behind the last one: all
  line: Int32Array;
  instructions: Float64Array;
}
export interface PhaseKinds {
  count: number;
  name: string[];
  instructions: Float64Array;
  cycles: Float64Array;
  segments: Float64Array;
  alike: Float64Array; // per thousand
}
// The hottest sequence paths over the run.
export interface Sequences {
  count: number;
  fn: Int32Array;
  blocks: Float64Array;
  instructions: Float64Array;
  trips: Float64Array;
  value: Float64Array;
  heat: Float64Array[]; // by interval, 0 to 1000
}
export interface Intervals {
  count: number;
  begin: Float64Array;
  end: Float64Array;
}
export interface Regions {
  count: number;
  name: string[];
  parent: Int32Array;
  fn: Int32Array;
  head: Int32Array; // block
  times: Float64Array; // entered
  turns: Float64Array;
  cycles: Float64Array;
}
// Hottest paths of each region.
export interface RegionPaths {
  count: number;
  region: Int32Array;
  times: Float64Array;
  cycles: Float64Array;
  nodes: number[][]; // block, or -1 - region
}

export interface Profile {
  label: string;
  program: string;
  application: string;
  build: string;
  way: string;
  unit: string;
  total: number;
  instructions: number;
  sampled: boolean;
  exactCalls: boolean;
  notes: string[];
  files: string[];
  processes: string[];
  functions: Functions;
  calls: Calls;
  stacks?: Stacks;
  blocks?: Blocks;
  edges?: Edges;
  loops?: Loops;
  code?: Code;
  lines?: Lines;
  sources: Source[];
  paths?: Paths;
  spans?: Spans;
  levels?: Level[];
  phases?: Bands;
  phaseKinds?: PhaseKinds;
  layers?: Layers;
  marks?: Marks;
  cells?: Cells;
  phaseOrder: string; // [A (B C)^2]^4; empty: none
  intervals?: Intervals;
  sequences?: Sequences;
  regions?: Regions;
  regionPaths?: RegionPaths;
}
export interface Doc {
  live: boolean;
  profiles: Profile[];
}
