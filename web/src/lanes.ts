// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Single calls by lane, and the bars that stand for them where they are narrower than a pixel (host/view/levels.h).
import { Level, Profile, Spans } from './data.ts';

// Spans of one depth of one process, by begin; they do not overlap.
export interface Lane {
  process: number;
  depth: number;
  first: number; // place of its first span in the order of lanes
  spans: Int32Array;
}

// Deeper calls are in the lane of this depth, as in host/view/levels.h.
const DEEPEST = 65535;
const depthOf = (spans: Spans, i: number): number => Math.min(DEEPEST, spans.depth[i]!);

// All spans, by process, depth, begin: each lane is a part of the order.
function orderOf(spans: Spans): { order: Int32Array; lanes: Lane[] } {
  const counts = new Map<number, Int32Array>();
  const ofProcess = (process: number): Int32Array => {
    let depths = counts.get(process);
    if (depths === undefined) counts.set(process, (depths = new Int32Array(DEEPEST + 1)));
    return depths;
  };
  const processes = spans.process;
  // spans of one process stand together
  const firstOther = (from: number): number => {
    let at = from;
    while (at < spans.count && processes[at] === processes[from]) at++;
    return at;
  };
  for (let from = 0, end = 0; from < spans.count; from = end) {
    const depths = ofProcess(processes[from]!);
    end = firstOther(from);
    for (let i = from; i < end; i++) depths[depthOf(spans, i)]!++;
  }
  const order = new Int32Array(spans.count);
  const lanes: Lane[] = [];
  let at = 0;
  for (const [process, depths] of [...counts].sort((x, y) => x[0] - y[0]))
    for (let depth = 0; depth <= DEEPEST; depth++) {
      const count = depths[depth]!;
      if (count > 0) lanes.push({ process, depth, first: at, spans: order.subarray(at, at + count) });
      depths[depth] = at; // from here on: where the lane's next span goes
      at += count;
    }
  for (let from = 0, end = 0; from < spans.count; from = end) {
    const places = ofProcess(processes[from]!);
    end = firstOther(from);
    for (let i = from; i < end; i++) order[places[depthOf(spans, i)]!++] = i;
  }
  return { order, lanes };
}

// What a lane shows between two times, a column for each thing: a frame has tens of thousands of bars, and to make an
// object of each, or to call somebody for it, takes longer than to draw it.
export class LaneBars {
  count = 0;
  begin = new Float64Array(0);
  end = new Float64Array(0);
  first = new Int32Array(0); // place in the order of lanes
  calls = new Int32Array(0);
  fn = new Int32Array(0);
  covered = new Float64Array(0);
  busy = new Float64Array(0);

  add(begin: number, end: number, first: number, calls: number, fn: number, covered: number, busy: number): void {
    const at = this.count++;
    if (at === this.begin.length) this.grow();
    this.begin[at] = begin;
    this.end[at] = end;
    this.first[at] = first;
    this.calls[at] = calls;
    this.fn[at] = fn;
    this.covered[at] = covered;
    this.busy[at] = busy;
  }
  private grow(): void {
    const room = Math.max(4096, 2 * this.begin.length);
    const grown = <T extends Float64Array | Int32Array>(to: T, from: T): T => (to.set(from), to);
    this.begin = grown(new Float64Array(room), this.begin);
    this.end = grown(new Float64Array(room), this.end);
    this.first = grown(new Int32Array(room), this.first);
    this.calls = grown(new Int32Array(room), this.calls);
    this.fn = grown(new Int32Array(room), this.fn);
    this.covered = grown(new Float64Array(room), this.covered);
    this.busy = grown(new Float64Array(room), this.busy);
  }
}

export class Lanes {
  readonly order: Int32Array;
  readonly lanes: Lane[];
  readonly deepest = new Map<number, number>(); // rows of each process
  private readonly spans: Spans;
  private readonly levels: Level[];
  private byPlace = new Map<string, Lane>();
  private bars = new LaneBars();

  constructor(profile: Profile) {
    this.spans = profile.spans!;
    this.levels = profile.levels ?? [];
    const { order, lanes } = orderOf(this.spans);
    this.order = order;
    this.lanes = lanes;
    for (const lane of lanes) {
      this.byPlace.set(`${lane.process} ${lane.depth}`, lane);
      this.deepest.set(lane.process, lane.depth + 1);
    }
  }

  at(process: number, depth: number): Lane | undefined {
    return this.byPlace.get(`${process} ${depth}`);
  }
  laneOf(span: number): Lane {
    return this.at(this.spans.process[span]!, depthOf(this.spans, span))!;
  }

  // The first of the lane's spans that ends behind time.
  firstAfter(lane: Lane, time: number): number {
    const { begin, duration } = this.spans;
    let low = 0;
    let high = lane.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const i = lane.spans[middle]!;
      if (begin[i]! + duration[i]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  private end(place: number): number {
    const i = this.order[place]!;
    return this.spans.begin[i]! + this.spans.duration[i]!;
  }

  // The coarsest level whose cells are no wider than this; undefined: single calls.
  levelFor(width: number): Level | undefined {
    return this.levels.find((level) => level.cell <= width);
  }

  // What a lane shows between two times: bars of the level, or single calls. They are there until the next ones are.
  barsOf(lane: Lane, from: number, to: number, level: Level | undefined): LaneBars {
    const { begin, duration, fn } = this.spans;
    const { bars } = this;
    bars.count = 0;
    if (level === undefined) {
      for (let k = this.firstAfter(lane, from); k < lane.spans.length; k++) {
        const i = lane.spans[k]!;
        if (begin[i]! >= to) break;
        bars.add(begin[i]!, begin[i]! + duration[i]!, lane.first + k, 1, fn[i]!, duration[i]!, duration[i]!);
      }
      return bars;
    }
    const last = lane.first + lane.spans.length;
    for (let bar = this.firstBar(lane, level, from); bar < level.count && level.first[bar]! < last; bar++) {
      const first = level.first[bar]!;
      const start = begin[this.order[first]!]!;
      if (start >= to) break;
      const next = Math.min(last, level.first[bar + 1]!);
      bars.add(start, this.end(next - 1), first, next - first, level.fn[bar]!, level.covered[bar]!, level.busy[bar]!);
    }
    return bars;
  }

  // The first bar of the lane that ends behind time.
  private firstBar(lane: Lane, level: Level, time: number): number {
    const place = lane.first + this.firstAfter(lane, time);
    let low = 0; // the last bar that begins at the place or before it
    let high = level.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (level.first[middle + 1]! <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private isCalled(lane: Lane, from: number, to: number): boolean {
    const place = this.firstAfter(lane, from);
    return place < lane.spans.length && this.spans.begin[lane.spans[place]!]! < to;
  }

  // How deep the calls are in each of so many parts of the run. A call lies within its caller: where a lane of a
  // process has one, those above it have too, so that not all calls are looked at.
  depthsOf(length: number, parts: number): Float64Array {
    const depths = new Float64Array(parts);
    for (const process of this.deepest.keys()) {
      const own = this.lanes.filter((lane) => lane.process === process);
      for (let x = 0; x < parts; x++) {
        let low = 0; // lanes that have a call in this part
        let high = own.length;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (this.isCalled(own[middle]!, (x * length) / parts, ((x + 1) * length) / parts)) low = middle + 1;
          else high = middle;
        }
        if (low > 0) depths[x] = Math.max(depths[x]!, own[low - 1]!.depth + 1);
      }
    }
    return depths;
  }

  // Places of the lane between two times.
  range(lane: Lane, from: number, to: number): [number, number] {
    const first = this.firstAfter(lane, from);
    let low = first;
    let high = lane.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.spans.begin[lane.spans[middle]!]! < to) low = middle + 1;
      else high = middle;
    }
    return [lane.first + first, lane.first + low];
  }
}

// How many calls of a part of the order fit: of a search, or of the selected function.
export class Hits {
  private readonly before: Uint32Array;
  constructor(lanes: Lanes, spans: Spans, fits: (span: number) => boolean) {
    this.before = new Uint32Array(spans.count + 1);
    for (let k = 0; k < spans.count; k++) this.before[k + 1] = this.before[k]! + (fits(lanes.order[k]!) ? 1 : 0);
  }
  get all(): number {
    return this.before[this.before.length - 1]!;
  }
  in(first: number, end: number): number {
    return this.before[end]! - this.before[first]!;
  }
}
