/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_PROFILE_H
#define RIVULET_REGIONS_PROFILE_H
/*
 * Hierarchical path profiles from complete records: how often each path of each region of each function was executed.
 *
 *   records ──► paths_feed ──► frames ──► regions_profile ──► counts
 *                  (host/paths)   └ one word each: the nest of open paths, from the outermost region inwards
 *
 * A call ends no path, as in host/paths: the caller's nest waits in its frame. A handler has a frame of its own. A nest
 * is kept once and known by a number, so that equal frames stay equal and a record that comes again is a look-up.
 *
 * Where execution was not seen from the beginning of a path, or not to its end, it is a piece.
 */
#include "host/cfg/cfg.h"
#include "host/paths/paths.h"
#include "host/regions/steps.h"

struct regions_profile;
/* Makes the regions of a function's graph, between regions_open() and regions_close(); REGIONS_... error. */
typedef int regions_choose(void *context, uint32_t function, struct regions *regions);

/* Of paths' program; `paths` must outlive it, and is fed as ever. limit: of paths of a region, 0: 64 bits. REGIONS_...
 * error, or what choose() returned. */
int regions_profile_open(
    struct regions_profile **profile, struct paths *paths, regions_choose *choose, void *context, uint64_t limit);
void regions_profile_close(struct regions_profile *profile);
/* NULL: the function has no code. Vertices are its blocks, counted from the first. */
const struct regions *regions_profile_regions(const struct regions_profile *profile, uint32_t function);

struct regions_entry {
	uint32_t function, region;
	uint32_t from, to; /* nodes: first, and last or REGIONS_NONE: to the end of a path */
	bool begins;       /* the path begins at `from`, else the piece */
	uint64_t sum;      /* behind `from` */
	uint64_t number;   /* of the path: begins, and to is REGIONS_NONE; else NUMBERING_NONE */
	uint64_t count;
	uint64_t
	    spent; /* cycles of all executions: of its own blocks, without the regions inside and without callees */
};
/* All with a count, by function, region, pieces last, then by number. To be freed. REGIONS_ENOMEM. */
int regions_profile_list(const struct regions_profile *profile, struct regions_entry **entries, size_t *count);
/* Its nodes, at most max are stored; returns how many there are, 0: there is no such path. */
uint32_t regions_profile_nodes(
    const struct regions_profile *profile, const struct regions_entry *entry, uint32_t *nodes, uint32_t max);
uint32_t regions_entry_nodes(
    const struct regions *regions, const struct regions_entry *entry, uint32_t *nodes, uint32_t max);
/* How often a region was entered from outside; how often its paths turned back to begin anew. By
 * regions_profile_index(). */
struct regions_traffic {
	uint64_t entered, turns, pieces;
};
const struct regions_traffic *regions_profile_traffic(
    const struct regions_profile *profile, uint32_t function, uint32_t region);
#endif
