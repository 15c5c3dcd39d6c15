// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What is shown, kept in the address bar: #view=river&f=main&t=1.5. Members at their default are left out.

export const defaults: Record<string, string> = {
  view: 'river',
  p: '', // profile; empty: the last one
  vs: '', // compared with this one; empty: the first one, if it is of the same program; -: none
  cmp: 'time', // by time, or by share of all time
  f: '', // selected function, by name or @address
  q: '', // search, in every view
  t: '', // time filter in per cent; empty: chosen so that 30 functions show
  lay: '', // layout: empty, the river, in which widths add up; graph
  ph: '', // part of the run that the river shows: a phase, or the number of a stretch
  w: 'fig14c', // arc widths
  wp: '', // their parameters
  arc: 'call', // call: time of these calls; function: all of the callee's
  root: '', // virtual root
  apart: '', // call sites apart
  d: '', // nodes that show more or less than usual: number.state,...
  len: '24', // characters of a name
  left: 'none',
  right: 'total',
  sort: '', // of the list of functions
  by: 'function', // the list: function, file, line
  avg: '', // with what averages would say
  pd: '', // paths: what the graph shows of two profiles: change, path; '': change, unless a path is chosen
  mode: 'down', // flame graph: down, up, sandwich, paths
  z: '', // zoom of the flame graph
  tz: '', // of the timeline
  rt: '', // 1: with what ran in it
  tp: '', // rows of hot paths in it; empty: 8
  path: '', // selected path
  rp: '', // selected path of a region
  wide: '', // 1: the code over the whole width
  split: '', // share of the source, in per cent; empty: what the instructions' columns leave
  list: '60', // of the list of paths
  scope: 'f', // paths of the function, or of all
  line: '', // selected line
};

const SOON = 200; // milliseconds

export type Listener = (changed: Set<string>) => void;

export class State {
  private values: Record<string, string> = {};
  private listeners: Listener[] = [];
  private written = '';
  private later = 0; // timer of what is not in the address bar yet

  constructor() {
    this.values = this.read();
    window.addEventListener('hashchange', () => this.adopt());
    window.addEventListener('popstate', () => this.adopt());
    window.addEventListener('pagehide', () => this.later !== 0 && this.write(false));
  }

  get(name: string): string {
    return this.values[name] ?? defaults[name] ?? '';
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  // step: whether "back" is to return to what was before.
  set(changes: Record<string, string>, step = true): void {
    const changed = new Set<string>();
    if (step && this.later !== 0) this.write(false);
    for (const [name, value] of Object.entries(changes)) {
      if (this.get(name) === value) continue;
      this.values[name] = value;
      changed.add(name);
    }
    if (changed.size === 0) return;
    if (!step && this.later === 0) this.later = window.setTimeout(() => this.write(false), SOON);
    if (step) this.write(true);
    this.tell(changed);
  }

  // What a frame changed (a drag, the wheel) comes into the address bar a moment later: browsers allow few changes a
  // second, and each takes a millisecond. It is there before a step, so that "back" leads to it.
  private write(step: boolean): void {
    const address = this.address();
    window.clearTimeout(this.later);
    this.later = 0;
    this.written = address;
    try {
      if (step) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    } catch {
      location.hash = address; // a browser that allows no more steps
    }
  }

  address(): string {
    const parameters = new URLSearchParams();
    for (const name of Object.keys(defaults))
      if (this.get(name) !== defaults[name]) parameters.set(name, this.get(name));
    return `#${parameters.toString()}`;
  }

  private read(): Record<string, string> {
    const values: Record<string, string> = {};
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) if (name in defaults) values[name] = value;
    return values;
  }

  private adopt(): void {
    if (location.hash === this.written && location.hash === this.address()) return;
    window.clearTimeout(this.later);
    this.later = 0;
    const values = this.read();
    const changed = new Set<string>();
    for (const name of Object.keys(defaults))
      if ((values[name] ?? defaults[name]) !== this.get(name)) changed.add(name);
    this.values = values;
    this.written = location.hash;
    if (changed.size > 0) this.tell(changed);
  }

  private tell(changed: Set<string>): void {
    for (const listener of this.listeners) listener(changed);
  }
}
