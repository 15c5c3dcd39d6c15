// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The document as it stands in the page: JSON, or JSON packed by gzip and written as base64 (host/view/pack.c).
import { Columns, DataError, noColumns } from './columns.ts';

// What base64 makes of the first three bytes of each gzip file.
const MAGIC = 'H4sI';

export const isPacked = (text: string): boolean => text.startsWith(MAGIC);

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const digits = atob(text);
  const bytes = new Uint8Array(digits.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = digits.charCodeAt(i);
  return bytes;
}

export interface Unpacked {
  text: string;
  columns: Columns; // none: they stand in the text
}

// Text of UTF-8 holds no zero: the first one ends it, and the columns begin at the next multiple of eight.
function split(bytes: ArrayBuffer): Unpacked {
  const end = new Uint8Array(bytes).indexOf(0);
  const text = new TextDecoder().decode(end < 0 ? bytes : new Uint8Array(bytes, 0, end));
  return { text, columns: end < 0 ? noColumns : { bytes, base: 8 * Math.floor(end / 8) + 8 } };
}

// Bytes that the page itself has in this form: its layout worker.
export async function unzip(text: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

export async function unpack(text: string): Promise<Unpacked> {
  if (typeof DecompressionStream === 'undefined')
    throw new DataError('This browser cannot unpack the data (it has no DecompressionStream). Use a newer one.');
  try {
    return split(await unzip(text));
  } catch {
    throw new DataError(
      'The data is cut off or damaged: it cannot be unpacked. Make the page again with `rivulet view`.',
    );
  }
}
