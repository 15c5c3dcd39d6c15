/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_GLOBAL_H
#define RIVULET_REGIONS_GLOBAL_H
/*
 * The global-based embodiment (HPP, FIG. 7 to 10): one numbering of the whole graph, so that the sums of all
 * hierarchical paths are unique, and one array.
 *
 * Each region r has a representative path Pr(r) from its representative entry Er(r) to its representative exit Xr(r).
 * An outer path that runs through r gets the sum of the plain path by way of Pr(r):
 *
 *   1, 2  representative paths are chosen; edges that close a cycle (regions.h) are removed
 *   3     EXIT leads to ENTRY
 *   4a    ENTRY leads to each entry of each region: a path of the region begins
 *   4b    each exit of a region leads to EXIT: a path of the region ends
 *   4c    a prolog node of r leads to Er(r)
 *   4d    Xr(r) leads to each epilog node of r
 *
 * Then BL's method. Each edge p -> e gets the value of p -> Er(r), each x -> o that of Xr(r) -> o: so it is that the
 * values of CFG(R)'s edges (steps.h) are those of the edges of the representative vertices.
 *
 * ENTRY is the entry of the graph itself if that lies in no inner region and nothing leads there ("node A is referred
 * to as the function entry node"); else a vertex of its own. By the document an edge of 4a is added only if there is
 * none already. That is not always right: a path of r and one of the outermost region may then have the same sum, and
 * so may paths of two regions that share entry and exit. So an edge is shared only if the outermost region cannot end
 * in r.
 *
 * The order of edges, which BL leaves open, is that of FIG. 8A: at ENTRY those of 4a, innermost regions first; at a
 * representative exit EXIT, then 4d, outermost first; then the edges of the program; EXIT last elsewhere.
 */
#include "host/regions/steps.h"

enum regions_representative {
	REGIONS_FIRST,        /* the head; the first exit that it leads to: no choice (FIG. 8) */
	REGIONS_FEWEST_EDGES, /* the pair for which most edges of 4c and 4d are there already */
	REGIONS_FEWEST_PATHS, /* the pair with the fewest plain paths to and between them: the smallest array */
	REGIONS_REPRESENTATIVES
};

struct regions_global_options {
	uint8_t representative;
	bool keep; /* keep edges from prolog nodes to other entries, and from other exits to epilog nodes: the array of
			 FIG. 10, twice as large as it need be */
	bool cluster;   /* the sums of a region are one interval: no edge of 4a is shared */
	uint64_t limit; /* of the array; 0: as 64 bits hold */
};

enum regions_arc_kind { REGIONS_START, REGIONS_LOCAL, REGIONS_END, REGIONS_OTHER };
struct regions_arc { /* an edge of the augmented graph */
	uint32_t from, to;
	uint64_t order;      /* among those of `from` */
	uint8_t kind;        /* 4a; an edge of CFG(region); 4b; another edge of the program (options.keep) */
	uint32_t region, at; /* START: node; LOCAL: edge of CFG(region) */
};

struct regions_global {
	const struct regions *regions;
	struct regions_values values; /* paths[i]: of the whole array; base[i]: 0 */
	uint64_t hierarchical;        /* paths of all regions: so many of the array's counters can be used */
	uint32_t added;               /* edges of 4a to 4d that the graph does not have */
	/* by region: representative entry and exit, nodes of its graph; Xr REGIONS_NONE: no path leads out of it */
	uint32_t *Er, *Xr;
	uint32_t **way; /* by region: Pr(r), the edges of its graph on the way from Er to Xr */
	uint32_t *way_length;
	struct numbering numbering; /* of the augmented graph: vertices of the graph, then ENTRY if it is its own */
	uint32_t *first, *to;
	struct regions_arc *arcs;  /* in the order of the numbering's edges */
	uint32_t arc_count, entry; /* ENTRY's vertex */
	bool own_entry;
	bool *shared; /* by region: its paths begin with an edge that the outermost region's have too */
};

/* REGIONS_ESIZE: more sums than the limit, or a graph of which CFG(R) was cut: the region-based one is for it. */
int regions_global_make(
    struct regions_global *global, const struct regions *regions, const struct regions_global_options *options);
void regions_global_free(struct regions_global *global);
/* Puts increments of chords (host/paths/chords.h) in place of the values: the sums of all paths stay what they are,
 * edges that are taken often add nothing. weights: by edge of the graph. */
int regions_global_weigh(struct regions_global *global, const uint64_t *weights);
/* The hierarchical path with this sum: its region, and nodes as regions_path() gives them. REGIONS_EPATH: none has
 * it. */
int regions_global_path(const struct regions_global *global, uint64_t sum, uint32_t *region, uint32_t *nodes,
    uint32_t max, uint32_t *length);
/* Er(r) and Xr(r) as vertices; REGIONS_NONE: there is none. */
uint32_t regions_global_Er(const struct regions_global *global, uint32_t region);
uint32_t regions_global_Xr(const struct regions_global *global, uint32_t region);
#endif
