// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What changed between two documents (docs/view-format.md, "Deltas"): host/view/delta.c writes it, the page puts it
// into the document that it has.
import { DataError, isObject, Json } from './columns.ts';

export const DELTA = 'rivulet view delta';

const damaged = (): DataError => new DataError(
  'The news from the server does not fit what the page shows: load it again.',
);

// A column with the rows that changed or are new, each run of them as [first, value, ...].
function patched(column: unknown, patch: unknown): unknown[] {
  if (!Array.isArray(column) || !Array.isArray(patch)) throw damaged();
  const result = column.slice();
  for (const run of patch) {
    if (!Array.isArray(run) || !Number.isInteger(run[0]) || run[0] < 0 || run[0] > result.length) throw damaged();
    for (let i = 1; i < run.length; i++) result[run[0] + i - 1] = run[i];
  }
  return result;
}

// An object with the members of the delta in the place of its own; tables go one deeper.
function changed(before: Json, delta: Json, columns: boolean): Json {
  const result: Json = { ...before };
  for (const [name, value] of Object.entries(delta)) {
    const old = before[name];
    if (name === 'gone' && Array.isArray(value)) value.forEach((member) => delete result[String(member)]);
    else if (columns) result[name] = isObject(value) ? patched(old, value['patch']) : value;
    else result[name] = isObject(value) && isObject(old) ? changed(old, value, true) : value;
  }
  return result;
}

export function applyDelta(before: unknown, delta: unknown): unknown {
  if (!isObject(before) || !isObject(delta) || delta['format'] !== DELTA || delta['version'] !== 1) throw damaged();
  const [old, news] = [before['profiles'], delta['profiles']];
  if (!Array.isArray(old) || !Array.isArray(news) || old.length !== news.length) throw damaged();
  const profiles = news.map((item, i) => {
    if (!isObject(item) || !isObject(old[i])) throw damaged();
    return changed(old[i], item, false);
  });
  return { ...before, profiles };
}
