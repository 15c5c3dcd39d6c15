// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Makes the page: one file with style, script, layout worker, and a place for data. Usage: build.mjs OUTPUT
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, '../build/web/page.html');
const LIMIT = 2.5e6;

const bundle = async (entry) => {
  const result = await build({
    entryPoints: [join(here, 'src', entry)], bundle: true, minify: true, write: false, format: 'iife', target: ['chrome109', 'firefox115', 'safari16'], legalComments: 'none', charset: 'utf8',
  });
  // Nothing in a script may end its element, or look like the place for data.
  return result.outputFiles[0].text.trimEnd().replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--').replaceAll('@RIVULET_' + 'DATA@', '');
};
const [script, worker, style] = await Promise.all([
  bundle('main.ts'),
  bundle('worker.ts'),
  build({ entryPoints: [join(here, 'src/style.css')], minify: true, write: false, loader: { '.css': 'css' } }).then((r) => r.outputFiles[0].text.trimEnd()),
]);
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
// Only this script runs; nothing is fetched but the data of the server that gave the page.
const csp = [
  `default-src 'none'`, `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src-elem ${hash(style)}`, `style-src-attr 'unsafe-inline'`, `worker-src blob:`, `img-src data: blob:`, `connect-src 'self'`, `base-uri 'none'`, `form-action 'none'`,
].join('; ');
// Most pages need no Graphviz: its text is unpacked when a layout is asked for, and no browser has to read it before.
const packed = gzipSync(worker, { level: 9 }).toString('base64');
const parts = { '@CSP@': csp, '@STYLE@': style, '@WORKER@': packed, '@SCRIPT@': script };
const page = readFileSync(join(here, 'src/page.html'), 'utf8').replace(/@(CSP|STYLE|WORKER|SCRIPT)@/g, (name) => parts[name]);
if (Buffer.byteLength(page) > LIMIT) throw new Error(`the page has ${Buffer.byteLength(page)} bytes, the limit is ${LIMIT}`);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(`${output}.new`, page);
renameSync(`${output}.new`, output);
console.log(`${output}: ${Buffer.byteLength(page)} bytes`);
