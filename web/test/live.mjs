// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The page as a server gives it, while a run writes its records.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

// As the page does it, written a second time: the document before, with what a delta says of it.
function applied(before, delta) {
  const made = structuredClone(before);
  delta.profiles.forEach((news, i) => {
    const profile = made.profiles[i];
    for (const [name, value] of Object.entries(news)) {
      if (name === 'gone') for (const member of value) delete profile[member];
      else if (value?.constructor !== Object || profile[name]?.constructor !== Object) profile[name] = value;
      else
        for (const [column, what] of Object.entries(value)) {
          if (column === 'gone') for (const member of what) delete profile[name][member];
          else if (what?.patch === undefined) profile[name][column] = what;
          else for (const [first, ...values] of what.patch) values.forEach((v, k) => (profile[name][column][first + k] = v));
        }
    }
  });
  return made;
}

// Pages ask a server that has ended in vain, and the browser complains of it.
const leave = (bench) => Promise.all(bench.context.pages().slice(1).map((page) => page.goto('about:blank')));
const ended = (server) => new Promise((done) => (server.exitCode !== null ? done(server.exitCode) : server.on('exit', done)));

export async function liveTests({ test, bench, template, rivulet, program, records }) {
  await test('--serve: loopback, a secret address, no other path, live update', async () => {
    const file = join(bench.folder, 'growing.rvr');
    const whole = readFileSync(records);
    writeFileSync(file, whole.subarray(0, 100)); // a header, no block yet
    const server = spawn(rivulet, ['view', '--serve', '--no-open', '--page', template, program, file], { stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = [];
    server.stdout.on('data', (chunk) => lines.push(String(chunk)));
    let complaints = '';
    server.stderr.on('data', (chunk) => (complaints += chunk));
    const until = async (what, say) => {
      for (let i = 0; i < 6000 && !what(); i++) await new Promise((done) => setTimeout(done, 100));
      assert.ok(what(), `${say}; ${complaints}`);
    };
    try {
      await until(() => complaints.includes('waiting'), 'it waits for the first records');
      writeFileSync(file, whole.subarray(0, whole.length - 60)); // not finished
      await until(() => lines.length > 0, 'it says its address');
      const address = lines.join('').trim();
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
      const { port, pathname } = new URL(address);
      const ask = (path, options = {}) =>
        new Promise((done, fail) => {
          request({ host: '127.0.0.1', port, path, ...options }, (answer) => {
            let text = '';
            answer.on('data', (chunk) => (text += chunk));
            answer.on('end', () => done({ status: answer.statusCode, text, headers: answer.headers }));
          }).on('error', fail).end();
        });
      assert.equal((await ask(pathname)).status, 200);
      assert.equal((await ask(`${pathname}data.json`)).status, 200);
      const tag = (await ask(`${pathname}data.json`)).headers.etag;
      assert.equal((await ask(`${pathname}data.json`, { headers: { 'If-None-Match': tag } })).status, 304);
      for (const path of ['/', '/data.json', '/00000000000000000000000000000000/', `${pathname}../../etc/passwd`, `${pathname}..%2f..%2fetc%2fpasswd`, `${pathname}data.json/..`, `${pathname}x`, pathname.slice(0, -1), `//${pathname}`, '/%00', `/${'x'.repeat(5000)}`]) {
        const got = await ask(path);
        assert.ok(got.status === 404 || got.status === 414, `${path.slice(0, 80)}: ${got.status}`);
        assert.ok(!got.text.includes('root:'));
      }
      assert.equal((await ask(pathname, { headers: { Host: `evil.example:${port}` } })).status, 403);
      assert.equal((await ask(pathname, { method: 'POST' })).status, 405);
      const others = Object.values(networkInterfaces()).flat().filter((i) => i.family === 'IPv4' && !i.internal);
      for (const other of others) await assert.rejects(fetch(`http://${other.address}:${port}${pathname}`), 'answers on another address');
      const page = await bench.show(address, '#view=functions', { net: true });
      await page.waitForFunction(() => Number(document.documentElement.dataset.updates) >= 1);
      assert.match(await page.locator('.detail').textContent(), /not whole/);
      writeFileSync(file, whole);
      // a slow machine shows in between what there was, as it has not changed for a while
      await page.waitForFunction(() => !document.querySelector('.detail').textContent.includes('not whole'));
      assert.ok(bench.context.pages().length > 0);
    } finally {
      await leave(bench);
      server.kill('SIGTERM');
    }
    const status = await ended(server);
    assert.equal(status, 0);
  });

  await test('--serve beside a run: it reads the part that is being written, then the file', async () => {
    const file = join(bench.folder, 'run.rvr');
    const whole = readFileSync(records);
    writeFileSync(`${file}.rivulet-part`, whole.subarray(0, whole.length - 60)); // there is no run.rvr yet
    const server = spawn(rivulet, ['view', '--serve', '--no-open', '--page', template, program, file], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const address = await new Promise((done) => server.stdout.once('data', (chunk) => done(String(chunk).trim())));
      const page = await bench.show(address, '#view=functions', { net: true });
      await page.waitForFunction(() => Number(document.documentElement.dataset.updates) >= 1);
      assert.match(await page.locator('.detail').textContent(), /not whole/);
      assert.equal(await page.locator('.profiles .label').textContent(), 'run.rvr');
      writeFileSync(`${file}.rivulet-part`, whole);
      renameSync(`${file}.rivulet-part`, file); // as the run does it at its end
      await page.waitForFunction(() => !document.querySelector('.detail').textContent.includes('not whole'));
      assert.equal(await page.locator('.profiles .label').textContent(), 'run.rvr');
    } finally {
      await leave(bench);
      server.kill('SIGTERM');
    }
    assert.equal(await ended(server), 0);
  });

  await test('--serve beside a run of millions of records: deltas, which make the documents; the page takes them', async () => {
    const [whole, file] = ['long.rvr', 'live.rvr'].map((name) => join(bench.folder, name));
    execFileSync(rivulet, ['run', '--fast', '--quiet', '--set', 'way=stream', '--set', 'input=ref', '--records', whole, program], { stdio: 'ignore' });
    const bytes = readFileSync(whole);
    let share = 0.04;
    const grow = () => {
      writeFileSync(file, bytes.subarray(0, Math.floor(share * bytes.length)));
      share = Math.min(0.16, share + 0.02);
    };
    grow();
    const server = spawn(rivulet, ['view', '--serve', '--no-open', '--page', template, program, file], { stdio: ['ignore', 'pipe', 'ignore'] });
    let timer;
    try {
      const address = await new Promise((done) => server.stdout.once('data', (chunk) => done(String(chunk).trim())));
      const ask = async (tag) => {
        const answer = await fetch(`${address}data.json`, { headers: tag ? { 'If-None-Match': tag, 'A-IM': 'rivulet-view-delta' } : {} });
        return { status: answer.status, tag: answer.headers.get('ETag'), text: await answer.text() };
      };
      const page = await bench.show(address, '#view=functions', { net: true });
      timer = setInterval(grow, 1000);
      let known = await ask();
      let document = JSON.parse(known.text);
      let growing;
      let deltas = 0;
      // until the file has been still for a while: then all of it is shown
      while (document.profiles[0].spans === undefined || growing === undefined) {
        const news = await ask(known.tag);
        if (news.status === 304) {
          await new Promise((done) => setTimeout(done, 100));
          continue;
        }
        if (share === 0.16 && document.profiles[0].spans === undefined) clearInterval(timer);
        const next = await ask();
        if (news.status === 226 && next.tag === news.tag) {
          assert.deepEqual(applied(document, JSON.parse(news.text)), JSON.parse(next.text));
          assert.ok(news.text.length < next.text.length / 2, `${news.text.length} of ${next.text.length} bytes`);
          deltas++;
        }
        document = JSON.parse(next.text);
        if (document.profiles[0].spans === undefined) growing = document;
        known = next;
      }
      assert.ok(deltas >= 2, `${deltas} deltas`);
      const [live, all] = [growing.profiles[0], document.profiles[0]];
      assert.equal(live.traces, all.traces, 'from parts, and at once');
      for (const column of ['name', 'self', 'total', 'instructions']) assert.deepEqual(live.functions[column], all.functions[column], column);
      for (const [table, column] of [['stacks', 'self'], ['code', 'count'], ['code', 'taken'], ['edges', 'count'], ['calls', 'count'], ['calls', 'total']])
        assert.deepEqual(live[table][column], all[table][column], `${table} ${column}`);
      const sum = (list) => list.reduce((a, b) => a + b, 0); // in what order records were added decides which instruction of a trace has the rest
      assert.equal(sum(live.code.cycles), sum(all.code.cycles));
      await page.getByRole('tab', { name: 'Timeline' }).waitFor(); // single calls come at the end
      assert.ok((await page.evaluate(() => Number(document.documentElement.dataset.deltas))) >= 1);
      const most = Math.max(...all.functions.self).toLocaleString('en-US');
      await page.waitForFunction((text) => document.querySelector('.stage').textContent.includes(text), most);
    } finally {
      clearInterval(timer);
      await leave(bench);
      server.kill('SIGTERM');
    }
    assert.equal(await ended(server), 0);
  });

  await test('--serve beside a run that is faster than its pictures: each says how much it has, and nothing is lost', async () => {
    const file = join(bench.folder, 'fast.rvr');
    const bytes = readFileSync(join(bench.folder, 'long.rvr'));
    writeFileSync(file, bytes.subarray(0, Math.floor(0.5 * bytes.length)));
    const { traces } = JSON.parse(spawnSync(rivulet, ['info', '--json', file]).stdout);
    const server = spawn(rivulet, ['view', '--serve', '--no-open', '--page', template, program, file], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const address = await new Promise((done) => server.stdout.once('data', (chunk) => done(String(chunk).trim())));
      let [last, pictures] = [0, 0];
      let profile;
      do {
        profile = (await (await fetch(`${address}data.json`)).json()).profiles[0];
        const behind = profile.notes.some((note) => /^The run is faster than this picture, which has the first \d+% of its records\.$/.test(note));
        assert.ok(profile.traces >= last, `${profile.traces} after ${last}`);
        assert.equal(profile.traces < traces, behind, `${profile.traces} of ${traces}: ${profile.notes}`);
        assert.equal(profile.functions.self.reduce((a, b) => a + b, 0), profile.total);
        pictures += profile.traces > last ? 1 : 0;
        last = profile.traces;
        await new Promise((done) => setTimeout(done, 200));
      } while (profile.traces < traces);
      assert.equal(profile.traces, traces);
      assert.ok(pictures >= 3, `${pictures} pictures of ${traces} traces`);
    } finally {
      server.kill('SIGTERM');
    }
    assert.equal(await ended(server), 0);
  });
}
