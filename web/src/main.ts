// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The page: reads the document, shows one view at a time, keeps selection and address bar together.
import { App, View } from './app.ts';
import { DataError, Doc, Profile, readDocument } from './data.ts';
import { Detail } from './detail.ts';
import { headline } from './diff.ts';
import { h, select } from './dom.ts';
import { exportView } from './export.ts';
import { count, cut } from './format.ts';
import { FunctionList } from './functions.ts';
import { help } from './help.ts';
import { follow } from './live.ts';
import { River } from './river.ts';
import { State } from './state.ts';
import { CodeView } from './code.ts';
import { PathsView } from './paths.ts';
import { FlameView } from './flame.ts';
import { TimelineView } from './timeline.ts';
import { isPacked, unpack } from './unpack.ts';

const started = performance.now();
const root = document.getElementById('app')!;

function theme(next?: string): void {
  const kept = ((): string | null => {
    try {
      return localStorage.getItem('rivulet-theme');
    } catch {
      return null; // a browser that keeps nothing for files
    }
  })();
  const wish = next ?? kept ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  document.documentElement.dataset['theme'] = wish;
  if (next === undefined) return;
  try {
    localStorage.setItem('rivulet-theme', next);
  } catch {
    // not kept
  }
}

function fail(error: unknown): void {
  const text = error instanceof DataError ?
    error.message :
    `The page failed: ${error instanceof Error ? error.message : String(error)}`;
  const input = h('input', { type: 'file', accept: '.json', 'aria-label': 'A file of `rivulet view --json`' });
  input.addEventListener('change', () => void open(input.files?.[0]));
  root.replaceChildren(
    h('main',
      { class: 'failure' },
      h('h1', {}, 'Rivulet'),
      h('p', { role: 'alert' }, text),
      h('p', {}, 'Open a file that `rivulet view --json` wrote, or drop it here:'),
      input),
  );
}

async function open(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    start(readDocument(await file.text()));
  } catch (error) {
    fail(error);
  }
}

function start(doc: Doc): void {
  const state = new State();
  const live = h('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  const app = new App(doc, state, (text) => (live.textContent = text));
  const shell = new Shell(app, new Detail(app), live);
  root.replaceChildren(shell.element);
  state.listen((changed) => shell.update(changed));
  shell.update(new Set(['*']));
  document.documentElement.dataset['ready'] = (performance.now() - started).toFixed(0);
  if (doc.live) follow((next) => {
    app.replace(next);
    shell.offer();
    shell.update(new Set(['*', 'live']));
  }, (text) => (live.textContent = text));
}

// The views, and what a document has to have for each.
const kinds: { id: string; shows: (p: Profile) => boolean; make: (app: App) => View }[] = [
  { id: 'river', shows: () => true, make: (app) => new River(app) },
  { id: 'functions', shows: () => true, make: (app) => new FunctionList(app) },
  { id: 'code', shows: (p) => p.code !== undefined || p.lines !== undefined, make: (app) => new CodeView(app) },
  { id: 'paths', shows: (p) => p.paths !== undefined, make: (app) => new PathsView(app) },
  {
    id: 'flame',
    shows: (p) => p.stacks !== undefined || p.paths !== undefined,
    make: (app) => new FlameView(app)
  },
  {
    id: 'timeline',
    shows: (p) => p.spans !== undefined || p.phases !== undefined,
    make: (app) => new TimelineView(app)
  },
];

class Shell {
  readonly element: HTMLElement;
  private tabs: HTMLElement;
  private stage = h('div', { class: 'stage', id: 'stage', role: 'tabpanel', tabindex: -1 });
  private search: HTMLInputElement;
  private hits = h('span', { class: 'quiet hits' }); // how many functions fit the search
  private profiles = h('div', { class: 'profiles' });
  private headline = h('p', { class: 'headline', role: 'status', 'aria-label': 'What changed' });
  private stale = new Map<View, Set<string>>();
  private views: View[] = [];
  private shown: View | undefined;

  constructor(private app: App, private detail: Detail, live: HTMLElement) {
    this.search = h('input', {
      type: 'search',
      placeholder: 'Search  ( / )',
      'aria-label': 'Search functions and files in every view',
      spellcheck: 'false',
      autocomplete: 'off'
    });
    this.search.addEventListener('input', () => app.state.set({ q: this.search.value }, false));
    this.search.addEventListener('keydown', (event) => this.searchKey(event));
    this.tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' });
    this.offer();
    this.tabs.addEventListener('keydown', (event) => this.tabKey(event));
    const header = h(
      'header',
      {},
      h('h1', {}, h('span', { class: 'logo', 'aria-hidden': 'true' }), 'Rivulet'),
      this.profiles,
      this.tabs,
      h('div',
        { class: 'tools' },
        this.hits,
        this.search,
        this.exportMenu(),
        h('button',
          {
            type: 'button',
            'aria-label': 'Dark or light',
            title: 'Dark or light (t)',
            click: () => this.toggleTheme()
          },
          '◐'),
        h('button',
          { type: 'button', 'aria-label': 'Keys and help', title: 'Keys and help (?)', click: () => help() },
          '?')),
    );
    this.element = h('div', { class: 'shell' }, header, this.headline, h('main', {}, this.stage, detail.element), live);
    document.addEventListener('keydown', (event) => this.key(event));
  }

  // A tab for each view that has something to show; while a run goes on there can be more of them later.
  offer(): void {
    const { profiles } = this.app.doc;
    const before = this.views;
    const found = (id: string): View | undefined => before.find((view) => view.id === id);
    const shown = kinds.filter((kind) => found(kind.id) !== undefined || profiles.some(kind.shows));
    if (shown.length === before.length) return;
    this.views = shown.map((kind) => found(kind.id) ?? kind.make(this.app));
    for (const view of this.views) if (!this.stale.has(view)) this.stale.set(view, new Set(['*']));
    this.tabs.replaceChildren(...this.views.map((view, i) => this.tabOf(view, i + 1)));
  }

  private tabOf(view: View, number: number): HTMLElement {
    const on = view === this.shown;
    return h(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${view.id}`,
        'data-view': view.id,
        'aria-controls': 'stage',
        'aria-selected': String(on),
        tabindex: on ? 0 : -1,
        title: `${view.name} (${number})`,
        click: () => this.app.state.set({ view: view.id })
      },
      view.name
    );
  }

  private exportMenu(): HTMLElement {
    const menu = h('select', { 'aria-label': 'Export this view', title: 'Export this view' });
    const items: [string, string][] = [
      ['', 'Export'],
      ['svg', 'As SVG'],
      ['png', 'As PNG'],
      ['copy', 'Copy as text'],
      ['link', 'Copy link'],
      ['print', 'Print']
    ];
    for (const [value, name] of items) menu.append(h('option', { value }, name));
    menu.addEventListener('change', () => {
      const what = menu.value;
      menu.value = '';
      if (this.shown !== undefined && what !== '') void exportView(this.app, this.shown, what);
    });
    return menu;
  }

  private toggleTheme(): void {
    theme(document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark');
    this.update(new Set(['*']));
  }

  private drawProfiles(): void {
    const { doc, state } = this.app;
    const names = doc.profiles.map(
      (p, i): [string, string] => [String(i), cut(p.label || p.program || `profile ${i + 1}`, 40)]
    );
    if (doc.profiles.length === 1) {
      this.profiles.replaceChildren(
        h('span', { class: 'label', title: doc.profiles[0]!.label.slice(0, 500) }, names[0]![1])
      );
      return;
    }
    this.profiles.replaceChildren(
      select('Profile', String(this.app.index), names, (p) => state.set({ p, path: '', rp: '' })),
      select(
        'against',
        this.app.pairing ? String(this.app.otherIndex) : '-',
        [['-', 'nothing'], ...names.filter(([i]) => i !== String(this.app.index))],
        (vs) => state.set({ vs, sort: '' }),
        'What became slower is red'
      ),
      this.app.pairing ? select(
                           'by',
                           state.get('cmp'),
                           [['time', 'time'], ['share', 'share']],
                           (cmp) => state.set({ cmp }),
                           'Share: as if both had run equally long'
                         ) :
                         '',
    );
  }

  // What changed, in a sentence: the whole, and what it is made of.
  private drawHeadline(): void {
    const { pairing, profile } = this.app;
    this.headline.replaceChildren();
    this.headline.toggleAttribute('hidden', pairing === undefined);
    if (pairing === undefined) return;
    const { text, change, parts } = headline(profile, pairing);
    const ways = ['faster', '', 'slower'];
    const way = (of: number): string => ways[Math.sign(of) + 1] ?? '';
    this.headline.append(
      h('span', { class: 'quiet' }, `${cut(pairing.other.label, 40)} → ${cut(profile.label, 40)}: `),
      h('strong', { class: way(change) }, text)
    );
    for (const part of parts)
      this.headline.append(
        '; ',
        part.f < 0 ? part.text :
                     h('button', { type: 'button', click: () => this.app.select(part.f) }, part.text)
      );
  }

  update(changed: Set<string>): void {
    for (const [, stale] of this.stale) changed.forEach((name) => stale.add(name));
    const view = this.views.find((v) => v.id === this.app.state.get('view')) ?? this.views[0]!;
    if (this.search.value !== this.app.state.get('q')) this.search.value = this.app.state.get('q');
    if (['*', 'q', 'f', 'p'].some((name) => changed.has(name))) this.drawHits();
    if (changed.has('*') || changed.has('p') || changed.has('vs') || changed.has('cmp')) {
      this.drawProfiles();
      this.drawHeadline();
    }
    if (view !== this.shown) {
      this.shown = view;
      this.stage.replaceChildren(view.element);
      this.stage.setAttribute('aria-labelledby', `tab-${view.id}`);
      this.stale.get(view)!.add('view');
      for (const tab of this.tabs.children) {
        const on = tab.getAttribute('data-view') === view.id;
        tab.setAttribute('aria-selected', String(on));
        tab.setAttribute('tabindex', on ? '0' : '-1');
        if (on) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }); // in a narrow window
      }
    }
    const wide = view.id === 'code' && this.app.state.get('wide') === '1';
    this.detail.element.toggleAttribute('hidden', wide);
    if (changed.has('*') || ['f', 'p', 'vs', 'cmp'].some((name) => changed.has(name))) this.detail.update();
    view.update(new Set(this.stale.get(view)));
    this.stale.get(view)!.clear();
    document.documentElement.dataset['state'] = this.app.state.address();
    const title = `${this.app.profile.label ? `${cut(this.app.profile.label, 60)} – ` : ''}Rivulet`;
    if (document.title !== title) document.title = title; // the browser tells its window of each
  }

  private tabKey(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const at = this.views.indexOf(this.shown!);
    const view = this.views[(at + by + this.views.length) % this.views.length]!;
    this.app.state.set({ view: view.id });
    this.tabs.querySelector<HTMLElement>(`[data-view="${view.id}"]`)?.focus();
    event.preventDefault();
  }

  // Enter: the next function that fits, by time.
  // Functions that fit the search, by time.
  private fits(): number[] {
    return this.app.graph.byTotal.filter((f) => this.app.matches(`${this.app.nameOf(f)} ${this.app.fileOf(f)}`));
  }
  private drawHits(): void {
    if (this.app.state.get('q').trim() === '') {
      this.hits.textContent = '';
      return;
    }
    const fits = this.fits();
    const at = fits.indexOf(this.app.selected);
    const functions = `${count(fits.length)} function${fits.length === 1 ? '' : 's'}`;
    this.hits.textContent = at < 0 ? `${functions} fit${fits.length === 1 ? 's' : ''}` : `${at + 1} of ${functions}`;
  }

  private searchKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.app.state.set({ q: '' }, false);
      this.search.blur();
      event.stopPropagation();
    } else if (event.key === 'Enter' && this.app.state.get('q').trim() !== '') {
      const fits = this.fits();
      if (fits.length === 0) return this.app.say('No function fits.');
      const step = event.shiftKey ? fits.length - 1 : 1;
      const at = fits.indexOf(this.app.selected);
      const next = fits[at < 0 ? 0 : (at + step) % fits.length]!;
      this.app.select(next);
      this.app.say(`${fits.indexOf(next) + 1} of ${fits.length}: ${this.app.nameOf(next).slice(0, 100)}`);
    }
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, select, textarea, dialog') !== null)
      return;
    const number = Number(event.key);
    if (this.shown?.key?.(event) === true) event.preventDefault();
    else if (event.key === '/') this.search.focus();
    else if (event.key === '?') help();
    else if (event.key === 't') this.toggleTheme();
    else if (event.key === 'Escape' && this.app.selected >= 0) this.app.select(-1);
    else if (event.key === 'g') this.element.querySelector<HTMLElement>('.stage [tabindex="0"]')?.focus();
    else if (number >= 1 && number <= this.views.length) this.app.state.set({ view: this.views[number - 1]!.id });
    else return;
    event.preventDefault();
  }
}

theme();
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  void open(event.dataTransfer?.files[0]);
});
async function begin(): Promise<void> {
  try {
    const text = document.getElementById('data')?.textContent ?? '';
    const data = isPacked(text) ? await unpack(text) : { text, columns: undefined };
    start(readDocument(data.text, data.columns));
  } catch (error) {
    fail(error);
  }
}
void begin();
