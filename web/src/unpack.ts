// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The document as it stands in the page: JSON, or JSON packed by gzip and written as base64 (host/view/pack.c).
import { DataError } from './data.ts';

// What base64 makes of the first three bytes of each gzip file.
const MAGIC = 'H4sI';

export const isPacked = (text: string): boolean => text.startsWith(MAGIC);

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const digits = atob(text);
  const bytes = new Uint8Array(digits.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = digits.charCodeAt(i);
  return bytes;
}

export async function unpack(text: string): Promise<string> {
  if (typeof DecompressionStream === 'undefined')
    throw new DataError('This browser cannot unpack the data (it has no DecompressionStream). Use a newer one.');
  try {
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
    return await new Response(stream).text();
  } catch {
    throw new DataError(
      'The data is cut off or damaged: it cannot be unpacked. Make the page again with `rivulet view`.',
    );
  }
}
