// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Live update: the server is asked each second while the run goes on, for what changed since the last time. Nothing is
// asked of any other host.
import { DataError, Doc, parseDocument, readData } from './data.ts';
import { applyDelta } from './delta.ts';

export function follow(show: (doc: Doc) => void, say: (text: string) => void): void {
  let tag = '';
  let wait = 1000;
  let data: unknown; // the document, as it was sent
  const count = (name: string): void => {
    const { dataset } = document.documentElement;
    dataset[name] = String(Number(dataset[name] ?? 0) + 1);
  };
  const ask = async (): Promise<void> => {
    try {
      const known: Record<string, string> = tag === '' ? {} : { 'If-None-Match': tag, 'A-IM': 'rivulet-view-delta' };
      const answer = await fetch('data.json', { headers: known, cache: 'no-store' });
      if (answer.status === 200 || answer.status === 226) {
        const text = await answer.text();
        if (answer.status === 200) data = parseDocument(text);
        else {
          data = applyDelta(data, JSON.parse(text));
          count('deltas');
        }
        if (tag !== '') say('The profile has grown.');
        tag = answer.headers.get('ETag') ?? '';
        const doc = readData(data);
        count('updates');
        show(doc);
      } else if (answer.status !== 304) throw new Error(String(answer.status));
      wait = 1000;
    } catch (error) {
      tag = ''; // the next time the whole document
      if (error instanceof DataError) say(error.message);
      wait = Math.min(10000, 2 * wait); // the server has ended, or reads a long file
    }
    setTimeout(() => void ask(), wait);
  };
  void ask();
}
