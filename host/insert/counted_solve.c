/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_solve.h"
#include "host/insert/counted_tails.h"

#include <stdlib.h>

struct flow {
	struct counted *counted;
	const struct map_function *f;
	bool *known;             /* by block of the function: its count is */
	uint32_t *in_first, *in; /* edges into a block */
	bool changed;
};

/* From one side of a block: what is not known there, if it is one, follows from the rest. more: than begun, of
 * parts. */
static void settle(struct flow *w, uint32_t b, uint64_t more, const uint32_t *edges, uint32_t count)
{
	struct counted *c = w->counted;
	uint64_t sum = 0;
	uint32_t missing = 0, last = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (c->edges[edges[i]] == COUNTED_UNKNOWN) {
			missing++;
			last = edges[i];
		} else
			sum += c->edges[edges[i]];
	}
	if (count > 0 && missing == 0 && !w->known[b]) {
		c->blocks[w->f->blocks + b] = sum;
		w->known[b] = w->changed = true;
	} else if (missing == 1 && w->known[b]) {
		uint64_t all = c->blocks[w->f->blocks + b] + more;
		c->edges[last] = all > sum ? all - sum : 0;
		w->changed = true;
	}
}

static void settle_out(struct flow *w, uint32_t b, uint32_t *edges)
{
	const struct map_block *block = &w->counted->map->blocks[w->f->blocks + b];
	for (uint32_t i = 0; i < block->edge_count; i++)
		edges[i] = block->edges + i;
	settle(w, b, counted_parts_sum(w->counted, w->f->blocks + b), edges, block->edge_count);
}

/* Counts of edges and tables that follow from the rest. */
int counted_solve(struct counted *c, const struct map_function *f)
{
	const struct map *m = c->map;
	struct flow w = {.counted = c,
	    .f = f,
	    .known = calloc(f->block_count + 1u, sizeof *w.known),
	    .in_first = calloc(f->block_count + 2u, sizeof *w.in_first),
	    .in = calloc(f->edge_count + 1u, sizeof *w.in)};
	uint32_t *out = calloc(f->edge_count + 1u, sizeof *out);
	bool room = w.known != NULL && w.in_first != NULL && w.in != NULL && out != NULL;
	for (uint32_t b = 0; room && b < f->block_count; b++)
		w.known[b] = c->blocks[f->blocks + b] != COUNTED_UNKNOWN;
	for (uint32_t e = 0; room && e < f->edge_count; e++) {
		if (m->edges[f->edges + e].to != GRAPH_NONE)
			w.in_first[m->edges[f->edges + e].to + 2]++;
	}
	for (uint32_t b = 0; room && b < f->block_count; b++)
		w.in_first[b + 1] += w.in_first[b];
	/* in_first[b + 1] is where those of b begin, and is moved to where they end */
	for (uint32_t e = 0; room && e < f->edge_count; e++) {
		if (m->edges[f->edges + e].to != GRAPH_NONE)
			w.in[w.in_first[m->edges[f->edges + e].to + 1]++] = f->edges + e;
	}
	for (w.changed = room; w.changed;) {
		w.changed = false;
		for (uint32_t b = 0; b < f->block_count; b++)
			settle_out(&w, b, out);
		if (w.changed) /* what ends at a block is exact, what begins there may be under way still */
			continue;
		for (uint32_t b = 0; b < f->block_count; b++) {
			if ((m->blocks[f->blocks + b].flags & MAP_ROOT) == 0)
				settle(&w, b, 0, w.in + w.in_first[b], w.in_first[b + 1] - w.in_first[b]);
		}
	}
	free(w.known);
	free(w.in_first);
	free(w.in);
	free(out);
	return room ? COUNTED_OK : COUNTED_ENOMEM;
}
