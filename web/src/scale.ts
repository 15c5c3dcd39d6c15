// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// From a share of time to the width of an arc in pixels (QTY II C, FIG. 14). t runs from 0 to 1.

export type Kind = 'none' | 'linear' | 'fig14c' | 'log' | 'exp' | 'table' | 'adaptive';

export interface Scale {
  kind: Kind;
  a: number; // log: a log(t + b) + c; exp: a b^-t + c
  b: number;
  c: number;
  table: [number, number][]; // up to this share (per cent): this width
  max: number; // adaptive: width of an arc of all time
}

export const kinds: {kind: Kind; name: string; text: string}[] = [
  {kind: 'fig14c', name: 'Logarithmic (FIG. 14C)', text: 'min(9, max(1, log2(1000 t + 0.0001)))'},
  {kind: 'adaptive', name: 'Adaptive', text: 'logarithmic, from 1 for the least arc shown to the widest for all time'},
  {kind: 'linear', name: 'Linear (FIG. 14B)', text: 'rounded up to steps of 10%, 1 to 10 pixels'},
  {kind: 'none', name: 'None (FIG. 14A)', text: 'all arcs alike'},
  {kind: 'log', name: 'a log(t + b) + c', text: 'natural logarithm, least 1 pixel'},
  {kind: 'exp', name: 'a b^−t + c', text: '12 − 11 e^−t unless you change it: 1 to 8 pixels'},
  {kind: 'table', name: 'Table', text: 'your own widths'},
];

export const PLAIN = 2;

// c = 1 - a log b makes an arc of no time 1 pixel wide.
export function offsetFor(a: number, b: number): number {
  return 1 - a * Math.log(b);
}

export function defaultScale(kind: Kind): Scale {
  const b = 0.001;
  const a = 9 / (Math.log(1 + b) - Math.log(b));
  const scale:
    Scale = { kind, a, b, c: offsetFor(a, b), table: [[1, 1], [5, 2], [20, 4], [50, 7], [100, 10]], max: 10 };
  return kind === 'exp' ? { ...scale, a: -11, b: Math.E, c: 12 } : scale;
}

// least: the smallest time among the arcs that are shown; only the adaptive scale asks for it.
export function width(scale: Scale, t: number, least: number): number {
  const share = Math.min(1, Math.max(0, Number.isFinite(t) ? t : 0));
  switch (scale.kind) {
    case 'none':
      return PLAIN;
    case 'linear':
      return Math.min(10, Math.max(1, Math.ceil(share * 10 - 1e-9)));
    case 'fig14c':
      return Math.min(9, Math.max(1, Math.log2(1000 * share + 0.0001)));
    case 'log':
      return Math.max(1, scale.a * Math.log(share + scale.b) + scale.c);
    case 'exp':
      return Math.max(0.5, scale.a * Math.pow(scale.b, -share) + scale.c);
    case 'table':
      return tableWidth(scale.table, share * 100);
    case 'adaptive':
      return adaptive(share, least, scale.max);
  }
}

function tableWidth(table: [number, number][], percent: number): number {
  const rows = [...table].sort((x, y) => x[0] - y[0]);
  for (const [upTo, pixels] of rows) if (percent <= upTo + 1e-9) return pixels;
  return rows.length > 0 ? rows[rows.length - 1]![1] : 1;
}

// a log(t) + max, with a so that the least arc is 1 pixel wide.
function adaptive(share: number, least: number, max: number): number {
  if (share <= 0) return 1;
  if (least <= 0 || least >= 1) return share >= 1 ? max : 1;
  return Math.max(1, max + ((max - 1) * Math.log(share)) / -Math.log(least));
}

export function readTable(text: string): [number, number][] | undefined {
  const rows = text.split(/[,;\n]/).map(
                                     (row) => row.split(':').map((value) => parseFloat(value))
  ).filter((row) => row.length === 2);
  if (rows.length === 0 || rows.some(([upTo,
                                       pixels]) => !(upTo! >= 0 && upTo! <= 100 && pixels! >= 0.5 && pixels! <= 40)))
    return undefined;
  return rows.map(([upTo, pixels]) => [upTo!, pixels!]);
}

// A scale's parameters in the address bar, and back.
export function packScale(scale: Scale): string {
  if (scale.kind === 'table') return scale.table.map((row) => row.join(':')).join(',');
  return scale.kind === 'adaptive' ? String(scale.max) :
                                     [scale.a, scale.b, scale.c].map((value) => Number(value.toPrecision(8))).join(',');
}
export function unpackScale(kind: Kind, text: string): Scale {
  const scale = defaultScale(kinds.some((k) => k.kind === kind) ? kind : 'fig14c');
  if (text === '') return scale;
  if (kind === 'table') return { ...scale, table: readTable(text) ?? scale.table };
  const [a, b, c] = text.split(',').map(Number);
  if (kind === 'adaptive') return Number.isFinite(a) && a! >= 1 ? { ...scale, max: a! } : scale;
  return [a, b, c].every((value) => Number.isFinite(value)) && b! > 0 ? { ...scale, a: a!, b: b!, c: c! } : scale;
}
