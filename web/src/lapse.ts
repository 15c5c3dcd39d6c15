// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Time-lapse: the river of one phase, or of one stretch of the run, with all functions at the same places.
import { Profile } from './data.ts';
import { Flow, flowOf, PartStacks, stacksOfPart } from './flow.ts';
import type { Graph } from './graph.ts';
import type { Shown } from './prune.ts';

const MOST_STRETCHES = 200; // that are played one by one; of more, the phases are

export function hasParts(profile: Profile): boolean {
  return profile.spans !== undefined && (profile.phases?.count ?? 0) > 1;
}

// "A": all of phase A. "3": the third stretch. Empty: no such part.
export function rangesOf(profile: Profile, part: string): [number, number][] {
  const { phases } = profile;
  const ranges: [number, number][] = [];
  if (!hasParts(profile) || part === '') return ranges;
  for (let i = 0; i < phases!.count; i++)
    if (phases!.name[i] === part || String(i + 1) === part) ranges.push([phases!.begin[i]!, phases!.end[i]!]);
  return ranges;
}

// The parts that a film has: stretches in order, or where they are too many, phases.
export function filmOf(profile: Profile): string[] {
  if (!hasParts(profile)) return [];
  const { phases } = profile;
  return phases!.count <= MOST_STRETCHES ? Array.from({ length: phases!.count }, (_, i) => String(i + 1)) :
                                           [...new Set(phases!.name)];
}

export interface LapseFlow {
  flow: Flow;
  all: number; // time of the part
  most: { into: Float64Array; arcs: Float64Array }; // over all phases and the run
}

export class Lapse {
  private of: Profile | undefined;
  private stacks = new Map<string, PartStacks>();

  private part(profile: Profile, part: string): PartStacks {
    if (this.of !== profile) {
      this.of = profile;
      this.stacks.clear();
    }
    let stacks = this.stacks.get(part);
    if (stacks === undefined) this.stacks.set(part, (stacks = stacksOfPart(profile, rangesOf(profile, part))));
    return stacks;
  }

  flowOf(profile: Profile, graph: Graph, shown: Shown, part: string): LapseFlow | undefined {
    if (rangesOf(profile, part).length === 0) return undefined;
    const stacks = this.part(profile, part);
    const flow = flowOf(profile, graph, shown, stacks);
    const most = { into: new Float64Array(graph.count), arcs: new Float64Array(shown.arcs.length) };
    const raise = (of: Flow, all: number): void => {
      of.into.forEach((time, f) => (most.into[f] = Math.max(most.into[f]!, time / all)));
      of.arcs.forEach((time, i) => (most.arcs[i] = Math.max(most.arcs[i]!, time / all)));
    };
    const parts = filmOf(profile);
    raise(flowOf(profile, graph, shown), graph.all);
    for (const one of parts) {
      const own = this.part(profile, one);
      if (own.length > 0) raise(flowOf(profile, graph, shown, own), own.length);
    }
    if (stacks.length > 0) raise(flow, stacks.length);
    return { flow, all: stacks.length, most };
  }
}
