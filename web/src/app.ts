// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What all views share: the document, the state, the selection.
import { Doc, Profile } from './data.ts';
import { Pairing, pair } from './diff.ts';
import { Graph, makeGraph } from './graph.ts';
import { Layouter } from './layout.ts';
import { State } from './state.ts';

export interface Drawing {
  svg?: SVGSVGElement; // to be exported; stands alone
  text: string;
}

export interface View {
  readonly id: string;
  readonly name: string;
  readonly element: HTMLElement;
  // Called when the view is shown, and when something it may depend on has changed.
  update(changed: Set<string>): void;
  drawing(): Drawing;
  key?(event: KeyboardEvent): boolean;
}

export class App {
  readonly layouter = new Layouter();
  private graphs = new Map<string, Graph>();
  private pairs = new Map<string, Pairing>();
  private ids = new Map<Profile, Map<string, number>>();

  constructor(
    public doc: Doc,
    readonly state: State,
    readonly say: (text: string) => void,
  ) {}

  // Another document: live update.
  replace(doc: Doc): void {
    this.doc = doc;
    this.graphs.clear();
    this.pairs.clear();
    this.ids.clear();
  }

  get index(): number {
    const text = this.state.get('p');
    const p = Number(text);
    const last = this.doc.profiles.length - 1;
    return text !== '' && Number.isInteger(p) && p >= 0 && p <= last ? p : last;
  }
  get profile(): Profile {
    return this.doc.profiles[this.index]!;
  }
  get graph(): Graph {
    return this.graphOf(this.state.get('apart') === '1');
  }
  graphOf(apart: boolean): Graph {
    const key = `${this.index} ${apart}`;
    let graph = this.graphs.get(key);
    if (graph === undefined) this.graphs.set(key, (graph = makeGraph(this.profile, apart)));
    return graph;
  }

  // What came before, if nobody says otherwise: the first is before, the last is after, as in rivulet diff.
  private get first(): string {
    const before = this.doc.profiles[0]!;
    const same = before.application === this.profile.application && before.unit === this.profile.unit;
    return same && this.index === this.doc.profiles.length - 1 ? '0' : '-';
  }
  get otherIndex(): number {
    return this.pairing === undefined ? -1 : this.doc.profiles.indexOf(this.pairing.other);
  }

  // The profile to compare with; the shown one is what came after.
  get pairing(): Pairing | undefined {
    const text = this.state.get('vs') || this.first;
    const other = Number(text);
    if (text === '-' || !Number.isInteger(other) || other === this.index || this.doc.profiles[other] === undefined)
      return undefined;
    const shares = this.state.get('cmp') === 'share';
    const key = `${this.index} ${other} ${shares}`;
    let pairing = this.pairs.get(key);
    if (pairing === undefined) this.pairs.set(key, (pairing = pair(this.profile, this.doc.profiles[other]!, shares)));
    return pairing;
  }

  private idsOf(profile: Profile): Map<string, number> {
    let ids = this.ids.get(profile);
    if (ids === undefined) {
      ids = new Map();
      const { name, address, count } = profile.functions;
      for (let f = 0; f < count; f++) ids.set(ids.has(name[f]!) ? `@${address[f]}` : name[f]!, f);
      this.ids.set(profile, ids);
    }
    return ids;
  }
  find(id: string): number {
    return id === '' ? -1 : (this.idsOf(this.profile).get(id) ?? -1);
  }
  idOf(f: number): string {
    const name = this.profile.functions.name[f]!;
    return this.idsOf(this.profile).get(name) === f ? name : `@${this.profile.functions.address[f]}`;
  }
  get selected(): number {
    return this.find(this.state.get('f'));
  }
  select(f: number, more: Record<string, string> = {}): void {
    this.state.set({ f: f < 0 ? '' : this.idOf(f), path: '', rp: '', line: '', ...more });
  }
  // The function with most own time; -1: none has any.
  get hottest(): number {
    const { self, count } = this.profile.functions;
    let best = -1;
    for (let f = 0; f < count; f++) if (self[f]! > (best < 0 ? 0 : self[best]!)) best = f;
    return best;
  }
  nameOf(f: number): string {
    return f < 0 ? '(outside)' : this.profile.functions.shown[f]!;
  }
  fileOf(f: number): string {
    const file = f < 0 ? -1 : this.profile.functions.file[f]!;
    return file < 0 ? '' : this.profile.files[file]!;
  }
  share(value: number): number {
    return this.profile.total > 0 ? value / this.profile.total : 0;
  }
  matches(text: string): boolean {
    const query = this.state.get('q').trim().toLowerCase();
    return query === '' || text.toLowerCase().includes(query);
  }
}
