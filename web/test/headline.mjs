// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The function that the headline of the page names first: the last profile against the first. Usage: headline.mjs DOCUMENT
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), '../src');
const made = await build({ stdin: { contents: `export { readDocument } from './data.ts'; export { headline, pair } from './diff.ts';`, resolveDir: source, loader: 'ts' }, bundle: true, format: 'esm', write: false, logLevel: 'error' });
const { readDocument, headline, pair } = await import(`data:text/javascript,${encodeURIComponent(made.outputFiles[0].text)}`);
const { profiles } = readDocument(readFileSync(process.argv[2], 'utf8'));
const after = profiles.at(-1);
const [part] = headline(after, pair(after, profiles[0])).parts;
console.log(part === undefined || part.f < 0 ? '(none)' : after.functions.name[part.f]);
