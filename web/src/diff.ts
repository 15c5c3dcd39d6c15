// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Which function of one profile is which of another, and what changed.
import type { Profile } from './data.ts';
import { baseName, changePercent, short } from './format.ts';

// f.constprop.0, f.part.0, f.isra.0, f.cold, f.lto_priv.0 are copies or parts of f.
export function plainName(name: string): string {
  return name.replace(/(\.(constprop|part|isra|lto_priv|cold|llvm)(\.\d+)?)+$/, '');
}

function keyOf(profile: Profile, f: number): string {
  const file = profile.functions.file[f]!;
  return `${plainName(profile.functions.name[f]!)}\n${file < 0 ? '' : baseName(profile.files[file]!)}`;
}

export interface Pairing {
  other: Profile;
  factor: number; // that times of the other are multiplied by
  of: Int32Array; // function of the other profile, or -1
  gone: number[]; // functions of the other that this one has not
  self: Float64Array; // of the other, by function of this one
  total: Float64Array;
  calls: Float64Array;
  swing: number; // the largest change that there is: of the whole, or of one function
}

export interface Contribution {
  f: number; // of this profile; -1: of the other alone
  name: string;
  change: number; // of its own time
}

// What the change of the whole is made of: own times, the largest change first. They add up to it, but for what was in
// no function.
export function contributions(profile: Profile, pairing: Pairing): Contribution[] {
  const { functions } = profile;
  const rows: Contribution[] = [];
  for (let f = 0; f < functions.count; f++)
    rows.push({ f, name: functions.shown[f]!, change: functions.self[f]! - pairing.self[f]! });
  for (const o of pairing.gone)
    rows.push({
      f: -1,
      name: pairing.other.functions.shown[o]!,
      change: -pairing.factor * pairing.other.functions.self[o]!
    });
  return rows.filter((row) => row.change !== 0).sort((x, y) => Math.abs(y.change) - Math.abs(x.change) || x.f - y.f);
}

export interface Headline {
  text: string; // "506k to 522k cycles, +3.0%"
  change: number;
  parts: { f: number; text: string }[]; // "nest +14.5k is 95% of it"
}
const AGAINST = 0.2; // of the whole change: what went the other way and is less is not named

// What a reader wants to know first.
export function headline(profile: Profile, pairing: Pairing): Headline {
  const before = pairing.factor * pairing.other.total;
  const delta = profile.total - before;
  const text = `${short(before)} to ${short(profile.total)} ${profile.unit}, ${changePercent(before, profile.total)}`;
  const rows = contributions(profile, pairing);
  const part = (row: Contribution, end: string): { f: number; text: string } => ({
    f: row.f,
    text: `${row.name.slice(0, 80)} ${row.change > 0 ? '+' : '−'}${short(Math.abs(row.change))}${end}`
  });
  if (delta === 0) return { text, change: 0, parts: rows.slice(0, 2).map((row) => part(row, '')) };
  const along = rows.find((row) => Math.sign(row.change) === Math.sign(delta));
  const against = rows.find((row) => Math.sign(row.change) === -Math.sign(delta));
  const parts = along === undefined ? [] : [part(along, ` is ${((100 * along.change) / delta).toFixed(0)}% of it`)];
  if (against !== undefined && Math.abs(against.change) > AGAINST * Math.abs(delta))
    parts.push(part(against, ' went the other way'));
  return { text, change: delta, parts };
}

// shares: as if both had run equally long.
// By name and the last part of the file's name; by name alone where that leaves no doubt.
export function pair(profile: Profile, other: Profile, shares = false): Pairing {
  const there = new Map<string, number[]>();
  const named = new Map<string, number[]>();
  const put = (map: Map<string, number[]>, key: string, f: number):
    void => void (map.get(key)?.push(f) ?? map.set(key, [f]));
  for (let f = 0; f < other.functions.count; f++) {
    put(there, keyOf(other, f), f);
    put(named, plainName(other.functions.name[f]!), f);
  }
  const count = profile.functions.count;
  const factor = shares && other.total > 0 ? profile.total / other.total : 1;
  const pairing: Pairing = {
    other,
    factor,
    of: new Int32Array(count).fill(-1),
    gone: [],
    self: new Float64Array(count),
    total: new Float64Array(count),
    calls: new Float64Array(count),
    swing: Math.abs(profile.total - factor * other.total)
  };
  const used = new Uint8Array(other.functions.count);
  for (let f = 0; f < count; f++) {
    const same = there.get(keyOf(profile, f)) ?? [];
    const alike = named.get(plainName(profile.functions.name[f]!)) ?? [];
    const exact = same.find((o) => !used[o] && other.functions.name[o] === profile.functions.name[f]);
    const found = exact ?? same.find((o) => !used[o]) ??
      (alike.length === 1 && !used[alike[0]!] ? alike[0] : undefined);
    if (found === undefined) continue;
    used[found] = 1;
    pairing.of[f] = found;
    pairing.self[f] = factor * other.functions.self[found]!;
    pairing.total[f] = factor * other.functions.total[found]!;
    pairing.calls[f] = factor * other.functions.calls[found]!;
  }
  const { self, total } = profile.functions;
  for (let f = 0; f < count; f++)
    pairing.swing = Math.max(
      pairing.swing, Math.abs(self[f]! - pairing.self[f]!), Math.abs(total[f]! - pairing.total[f]!)
    );
  for (let o = 0; o < other.functions.count; o++) if (!used[o] && other.functions.total[o]! > 0) pairing.gone.push(o);
  return pairing;
}
