// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A browser for the tests, and the page with a document in it.
import { chromium } from 'playwright-core';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// The river has two layouts; what a test does not say is the graph, whose arcs have the widths of FIG. 14.
const graph = (hash) => (/lay=|view=(?!river)/.test(hash) ? hash : `${hash || '#'}&lay=graph`);

export class Bench {
  static async open(template) {
    const bench = new Bench();
    bench.template = readFileSync(template, 'utf8');
    bench.folder = mkdtempSync(join(tmpdir(), 'rivulet-page-'));
    bench.context = await chromium.launchPersistentContext(join(bench.folder, 'browser'), { executablePath, args, viewport: { width: 1440, height: 900 } });
    bench.context.setDefaultTimeout(600000); // for what never comes
    bench.problems = [];
    bench.free = [];
    return bench;
  }

  // As rivulet view does it.
  file(document, name = 'page') {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    const path = join(this.folder, `${name}.html`);
    writeFileSync(path, this.template.split('@RIVULET_DATA@').join(text.replaceAll('<', '\\u003c')));
    return path;
  }

  async show(path, hash = '', options = {}) {
    const page = this.free.pop() ?? (await this.newPage());
    page.net = options.net; // it may ask the server that it came from
    await page.setViewportSize(options.size ?? { width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: options.theme ?? 'light' });
    await page.goto(`${path.startsWith('http') ? path : pathToFileURL(path).href}${options.plain ? hash : graph(hash)}`);
    if (!options.bad) await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
    return page;
  }

  async newPage() {
    const page = await this.context.newPage();
    page.on('pageerror', (error) => this.problems.push(`error in the page: ${error.stack}`));
    page.on('console', (message) => message.type() === 'error' && this.problems.push(`console: ${message.text()}`));
    page.on('request', (request) => !/^(file|blob|data):/.test(request.url()) && !page.net && this.problems.push(`asks the net: ${request.url()}`));
    return page;
  }

  // A test has ended: its pages are for the next ones. To begin a page anew costs more than to open a file in it.
  async rest() {
    this.free = this.context.pages().slice(1);
    for (const page of this.free) {
      await page.mouse.move(0, 0); // over nothing that lights up
      await page.goto('about:blank');
    }
  }

  async close() {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// The page has drawn what it will draw: no layout is on its way, and its document has not changed for some frames. A busy
// machine may take as long for it as it likes.
export const settled = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        let quiet = 0;
        const watch = new MutationObserver(() => (quiet = 0));
        watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        const frame = () => {
          if (Number(document.documentElement.dataset.layouts ?? 0) > 0) quiet = 0;
          if (++quiet < 6) return requestAnimationFrame(frame);
          watch.disconnect();
          done();
        };
        requestAnimationFrame(frame);
      }),
  );

// The state of the page, set through the address bar.
// What the page shows, as its address says it. The page is asked, not Playwright: that hears of an address later.
export const stateOf = (page) => page.evaluate(() => document.documentElement.dataset.state);

export const go = async (page, hash) => {
  await page.evaluate(
    (wanted) =>
      new Promise((done) => {
        const before = location.href;
        addEventListener('hashchange', () => done(), { once: true }); // behind the page's own
        location.hash = wanted;
        if (location.href === before) done();
      }),
    graph(hash),
  );
  await settled(page);
};
