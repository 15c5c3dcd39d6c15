/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_STEPS_H
#define RIVULET_REGIONS_STEPS_H
/*
 * What an edge of the program means for the paths of its regions (RB_PProf and GPProf of HPP), and the code that says
 * so.
 *
 * An edge v -> w leaves the regions of v that w is not in, innermost first: each of their paths ends. Then the path of
 * the region that both lie in goes on, or ends and begins anew (a back edge). Then the regions of w that v is not in
 * are entered, outermost first: each begins a path. The code for it, with one variable `sum`:
 *
 *   REGIONS_LEAVES   count[sum + val(node -> Rx)]++; sum = pop()        "an exit block out of k outer regions"
 *   REGIONS_MOVES    sum += val(edge)
 *   REGIONS_TURNS    count[sum + val(node -> Rx)]++; sum = val(Re -> to)
 *   REGIONS_ENTERS   push(sum); sum = val(Re -> node)
 *
 * On an edge that only moves nothing is pushed. At the outermost region's entry nothing is pushed, at its end nothing
 * is popped. In the global-based embodiment what is pushed has val(Pr(r)) added: the outer path goes on behind the
 * representative path of r, and `pass` of r's node is that value. In the region-based embodiment it is 0.
 */
#include "host/regions/regions.h"

enum regions_move { REGIONS_LEAVES, REGIONS_MOVES, REGIONS_TURNS, REGIONS_ENTERS };
struct regions_step {
	uint8_t move;
	uint32_t region;
	uint32_t node; /* of its graph: where its path ends, goes on from, or begins */
	uint32_t to;   /* MOVES, TURNS: the node there */
	uint32_t edge; /* MOVES: of its graph; TURNS: that edge if it was cut (numbering.h), else REGIONS_NONE */
};
#define REGIONS_STEPS_MAX (2 * REGIONS_DEPTH_MAX + 4)

/* The steps of an edge; of an edge to EXIT: all regions are left. Returns how many. */
uint32_t regions_edge_steps(const struct regions *regions, uint32_t edge, struct regions_step steps[REGIONS_STEPS_MAX]);
/* Of entering the graph at a vertex from outside. */
uint32_t regions_enter_steps(
    const struct regions *regions, uint32_t vertex, struct regions_step steps[REGIONS_STEPS_MAX]);

/* Values of the edges of all CFG(R): of region R, edge e of its graph is at all[R].edges + e, node n at all[R].nodes +
 * n. Both embodiments have them; the sum of a hierarchical path is then the same kind of thing in both. */
struct regions_values {
	bool global;
	uint64_t *value; /* by edge */
	uint64_t *enter,
	    *leave;        /* by node: Re -> n, n -> Rx; NUMBERING_NONE: there is none (or, of an increment: -1) */
	uint64_t *cut;     /* by node: n -> Rx for an edge that was cut */
	uint64_t *pass;    /* by node: val(Pr(r)) of a region's node */
	uint64_t *base;    /* by region: its counter of sum 0 in the one array of all */
	uint64_t *paths;   /* by region: sums that its paths may have, from 0 on, are below it */
	uint64_t counters; /* of the array */
};
/* The region-based embodiment: an array for each region, one behind the other. */
int regions_values_make(struct regions_values *values, const struct regions *regions);
int regions_values_open(struct regions_values *values, const struct regions *regions); /* empty ones */
void regions_values_free(struct regions_values *values);

enum regions_op {
	REGIONS_ADD,  /* sum += value */
	REGIONS_SET,  /* sum = value */
	REGIONS_PUSH, /* of the sum */
	REGIONS_POP,
	REGIONS_COUNT /* count[base of region + sum + value]++ */
};
struct regions_code {
	uint8_t op;
	uint32_t region; /* COUNT; of the others: whose path it is */
	uint64_t value;
};
#define REGIONS_CODES_MAX (3 * REGIONS_STEPS_MAX)
/* The code for steps. Additions of 0 are left out. Returns how many. */
uint32_t regions_codes(const struct regions *regions, const struct regions_values *values,
    const struct regions_step *steps, uint32_t count, struct regions_code codes[REGIONS_CODES_MAX]);
/* "sum += 2; push(sum); sum = 0", as FIG. 5 and 9 have it. name: of a region in cnt_NAME[]; NULL: cnt[]. Returns as
 * snprintf. */
int regions_codes_format(
    const struct regions_code *codes, uint32_t count, const char *(*name)(uint32_t region), char *text, size_t size);

/* The path of a region with this sum, in the region-based embodiment (in the global-based one: global.h): its nodes, at
 * most max are stored, *length is how many there are; whether it begins at an entry from outside is regions->outside of
 * the first. REGIONS_EPATH: no path has it. */
int regions_path(
    const struct regions *regions, uint32_t region, uint64_t sum, uint32_t *nodes, uint32_t max, uint32_t *length);
#endif
