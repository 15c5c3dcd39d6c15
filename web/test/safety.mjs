// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Data that wants to be more than data, and data that is none.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { go, settled } from './bench.mjs';
import { documentOf, evil, hostile, showcase, tableII } from './documents.mjs';
import { bars, rows } from './read.mjs';

export async function safetyTests({ test, bench, template, rivulet, program, records }) {

  // ---- hostile and broken data ----

  await test('no script from data runs, every name is shown as text', async () => {
    const page = await bench.show(bench.file(documentOf(hostile())), '#t=0');
    for (const view of ['river&lay=river', 'functions', 'code', 'paths', 'flame', 'timeline']) {
      await go(page, `#view=${view}&f=main&t=0`);
      await settled(page);
      assert.equal(await page.evaluate(() => window.pwned), undefined, view);
      assert.equal(await page.evaluate(() => document.querySelectorAll('#app script, #app img, #app iframe').length), 0, view);
    }
    await go(page, '#view=functions');
    const names = (await rows(page)).map((r) => r.name);
    assert.ok(names.includes(evil[0]) && names.includes(evil[1]) && names.includes('__proto__'));
    assert.equal(names.filter((n) => n.includes('\u202e')).length, 0);
    for (const name of evil) {
      await go(page, `#view=river&t=0&f=${encodeURIComponent(name)}`);
      assert.equal(await page.evaluate(() => window.pwned), undefined);
    }
  });
  await test('hostile names all the way from an ELF file', async () => {
    const elf = join(bench.folder, 'evil.elf');
    const names = [['main', '</script><script>window.pwned=1</script>'], ['app_main', '<img src=x onerror=window.pwned=1>'], ['memset', `n${'x'.repeat(10000)}`], ['strlen', Buffer.from([0x62, 0xff, 0xfe, 0x7a])]];
    writeFileSync(join(bench.folder, 'names'), Buffer.concat(names.map(([a, b]) => Buffer.concat([Buffer.from(`${a} `), typeof b === 'string' ? Buffer.from(b.replaceAll(' ', '_')) : b, Buffer.from('\n')]))));
    execFileSync('riscv64-unknown-elf-objcopy', [`--redefine-syms=${join(bench.folder, 'names')}`, program, elf]);
    const out = join(bench.folder, 'evil.html');
    execFileSync(rivulet, ['view', '--page', template, '-o', out, elf, records], { stdio: ['ignore', 'pipe', 'ignore'] });
    const page = await bench.show(out, '#view=functions');
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    const shown = (await rows(page)).map((r) => r.name);
    assert.ok(shown.includes('</script><script>window.pwned=1</script>'), shown.slice(0, 40).map((n) => n.slice(0, 40)).join(' | '));
  });
  await test('the content security policy holds', async () => {
    const page = await bench.show(bench.file(documentOf(tableII())));
    const ran = await page.evaluate(async () => {
      const seen = [];
      document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      document.body.append(script);
      const image = document.createElement('img');
      image.src = 'http://127.0.0.1:9/x.png';
      document.body.append(image);
      const link = document.createElement('div');
      link.innerHTML = '<button onclick="window.pwned = 2">x</button>';
      document.body.append(link);
      link.firstChild.click();
      const later = document.createElement('button'); // eval by the browser's debugger would be allowed: by the page itself
      later.addEventListener('click', () => setTimeout('window.pwned = 3', 0));
      later.click();
      await fetch('http://127.0.0.1:9/').catch(() => undefined);
      await new Promise((done) => setTimeout(done, 200));
      return { pwned: window.pwned, seen };
    });
    assert.equal(ran.pwned, undefined);
    for (const directive of ['script-src-elem', 'img-src', 'script-src-attr', 'connect-src']) assert.ok(ran.seen.includes(directive), `${directive} in ${ran.seen}`);
    bench.problems.length = 0; // the violations that were asked for
  });
  const packedWrong = (text) => {
    const bytes = gzipSync(text);
    bytes[bytes.length - 6] ^= 1; // of the checksum
    return bytes.toString('base64');
  };
  for (const [name, document, text] of [
    ['a file that was cut', JSON.stringify(documentOf(tableII())).slice(0, 700), /cut off or damaged/],
    ['a newer version', { ...documentOf(tableII()), version: 99 }, /version 99/],
    ['a packed file that was cut', gzipSync(JSON.stringify(documentOf(tableII()))).toString('base64').slice(0, 400), /cut off or damaged/],
    ['a packed file with a wrong byte', packedWrong(JSON.stringify(documentOf(tableII()))), /cut off or damaged/],
    ['a column behind the document that is not there', documentOf({ ...tableII(), calls: { ...tableII().calls, to: { type: 'u32', at: 0, count: 6 } } }), /has not 6 rows/],
    ['a column of no type', documentOf({ ...tableII(), calls: { ...tableII().calls, to: { type: 'constructor', at: 0, count: 6 } } }), /has not 6 rows/],
    ['bars that are not all calls', documentOf({ ...showcase(), levels: { cell: [10], bars: [1] }, level_bars: { calls: [2], function: [0], covered: [1], busy: [1] } }), /are not all calls/],
    ['no data', '', /no data/],
    ['a column too short', documentOf({ ...tableII(), calls: { ...tableII().calls, to: [1] } }), /has not 6 rows/],
  ])
    await test(`${name}: a sentence`, async () => {
      const page = await bench.show(bench.file(document), '', { bad: true });
      assert.match(await page.getByRole('alert').textContent(), text);
    });
  await test('a page without data opens a file', async () => {
    const page = await bench.show(bench.file(''), '', { bad: true });
    await page.locator('input[type=file]').setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(documentOf(tableII()))) });
    await page.waitForSelector('.node');
  });
}
