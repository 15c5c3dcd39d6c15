// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Numbers for people.

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export const count = (value: number): string => (Number.isInteger(value) ? whole : fine).format(value);

export function short(value: number): string {
  const size = Math.abs(value);
  for (const [unit, name] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const)
    if (size >= unit) return (value / unit).toFixed(size >= 100 * unit ? 0 : size >= 10 * unit ? 1 : 2) + name;
  return Number.isInteger(value) ? String(value) : value.toFixed(size < 10 ? 2 : 1);
}

// A share of 0 to 1.
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '–';
  return `${(100 * share).toFixed(2)}%`;
}

export function change(before: number, after: number): string {
  if (before === after) return '±0';
  if (Math.abs(before - after) < 1e-9 * Math.max(before, after)) return '±0';
  const sign = after > before ? '+' : '−';
  return sign + short(Math.abs(after - before));
}

export function changePercent(before: number, after: number): string {
  if (before === 0) return after === 0 ? '±0%' : 'new';
  if (after === 0) return 'gone';
  const value = (100 * (after - before)) / before;
  return `${value > 0 ? '+' : value < 0 ? '−' : '±'}${Math.abs(value).toFixed(1)}%`;
}

export function cut(text: string, length: number): string {
  if (length <= 0 || text.length <= length) return text;
  return `${Array.from(text.slice(0, length)).slice(0, Math.max(1, length - 1)).join('')}…`;
}

export function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}
