// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Which function of one profile is which of another, and what changed.
import type { Profile } from './data.ts';
import { baseName } from './format.ts';

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
    calls: new Float64Array(count)
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
  for (let o = 0; o < other.functions.count; o++) if (!used[o] && other.functions.total[o]! > 0) pairing.gone.push(o);
  return pairing;
}
