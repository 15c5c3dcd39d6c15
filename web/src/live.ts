// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Live update: the server is asked for what changed since the last time. It has something new each second while the run
// goes on; to ask a little more often than that shows it soon. Nothing is asked of any other host.
import { DataError, Doc, parseDocument, readData } from './data.ts';
import { applyDelta } from './delta.ts';

const SOON = 200; // milliseconds after which it is asked again
const LATER = 1000; // when nothing has come for a while

export function follow(show: (doc: Doc) => void, say: (text: string) => void): void {
  let tag = '';
  let wait = SOON;
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
        wait = SOON;
      } else if (answer.status === 304) wait = Math.min(LATER, 1.2 * wait);
      else throw new Error(String(answer.status));
    } catch (error) {
      tag = ''; // the next time the whole document
      if (error instanceof DataError) say(error.message);
      wait = Math.min(10000, 2 * Math.max(LATER, wait)); // the server has ended, or reads a long file
    }
    setTimeout(() => void ask(), wait);
  };
  void ask();
}
