// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Live update: the server is asked again while the run goes on. Nothing is asked of any other host.
import { DataError, Doc, readDocument } from './data.ts';

export function follow(show: (doc: Doc) => void, say: (text: string) => void): void {
  let tag = '';
  let wait = 1000;
  const ask = async (): Promise<void> => {
    try {
      const answer = await fetch('data.json', { headers: tag === '' ? {} : { 'If-None-Match': tag },
                                                cache: 'no-store' });
      if (answer.status === 200) {
        const first = tag === '';
        tag = answer.headers.get('ETag') ?? '';
        const doc = readDocument(await answer.text());
        if (!first) say('The profile has grown.');
        document.documentElement.dataset['updates'] = String(
          Number(document.documentElement.dataset['updates'] ?? 0) + 1
        );
        show(doc);
      } else if (answer.status !== 304) throw new Error(String(answer.status));
      wait = 1000;
    } catch (error) {
      if (error instanceof DataError) say(error.message);
      wait = Math.min(10000, 2 * wait); // the server has ended, or reads a long file
    }
    setTimeout(() => void ask(), wait);
  };
  void ask();
}
