/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/regions/find.h"

#include <stdlib.h>
#include <string.h>
#include "host/graph/dominators.h"
#include "host/graph/loops.h"

/* Adds a region; one that does not fit is counted. */
static int offer_region(
    struct regions *r, const uint32_t *vertices, uint32_t count, unsigned kind, uint32_t head, uint32_t *left)
{
	uint32_t found;
	int error = regions_add(r, &(struct regions_new){vertices, count, kind, head, REGIONS_NONE}, &found);
	if (error == REGIONS_EOVERLAP || error == REGIONS_EDEPTH)
		++*left;
	return error == REGIONS_ENOMEM ? error : REGIONS_OK;
}

/* ---- loops */

static int find_loops(struct regions *r, struct graph_search *search, uint32_t *left)
{
	struct graph_loops loops = {0};
	uint32_t *starts = NULL, *members = NULL;
	int error = REGIONS_ENOMEM;
	if (graph_loops_make(&loops, search) &&
	    graph_loops_members(&loops, r->graph.count, REGIONS_DEPTH_MAX, &starts, &members))
		error = REGIONS_OK;
	for (uint32_t i = 0; i < loops.count && error == REGIONS_OK; i++) {
		const struct graph_loop *loop = &loops.loops[i];
		uint32_t count = starts[i + 1] - starts[i];
		unsigned kind = loop->reducible ? REGIONS_LOOP : REGIONS_IRREDUCIBLE;
		if (count > 0)
			error = offer_region(r, members + starts[i], count, kind, loop->head, left);
	}
	graph_loops_free(&loops);
	free(starts);
	free(members);
	return error;
}

/* ---- hammocks */

struct hammocks {
	struct regions *r;
	const struct graph_search *s;
	uint32_t *behind;  /* by vertex: the one that all ways on come to next */
	uint32_t *exit_of; /* by vertex: where the innermost hammock around it leads to, REGIONS_NONE: none */
	uint32_t *mark;    /* by vertex: the last e whose hammock it was looked at for */
	uint32_t *set;
	uint32_t left;
	uint64_t work; /* edges that may still be looked at: a nest of what are no hammocks could take the square */
};
#define WORK_PER_EDGE 64u

/* Whether all that leads to a vertex is in the set of e, or is never executed. */
static bool is_entered_from(const struct hammocks *h, uint32_t e, uint32_t vertex)
{
	const struct graph_search *s = h->s;
	bool within = true;
	for (uint32_t p = s->first[vertex + 1]; p < s->first[vertex + 2] && within; p++) {
		uint32_t from = s->preds[p];
		if (from == 0)
			return false; /* a way in from outside */
		within = h->mark[from - 1] == e || s->number[from] == GRAPH_VERTEX;
	}
	return within;
}

static int try_hammock(struct hammocks *h, uint32_t e)
{
	const struct numbering_graph *g = &h->r->graph;
	uint32_t x = h->behind[e], count = 1;
	bool whole = true;
	if (x == REGIONS_NONE || g->first[e + 1] - g->first[e] < 2 || h->exit_of[e] == x)
		return REGIONS_OK;
	if (h->work == 0) {
		h->left++;
		return REGIONS_OK;
	}
	h->set[0] = e;
	h->mark[e] = e;
	for (uint32_t i = 0; i < count && whole; i++) {
		for (uint32_t k = g->first[h->set[i]]; k < g->first[h->set[i] + 1] && whole; k++) {
			uint32_t w = g->to[k];
			h->work -= h->work > 0;
			whole = w != NUMBERING_EXIT; /* a way out that is not by x: x is not reached from there */
			if (!whole || w == x || h->mark[w] == e)
				continue;
			h->mark[w] = e;
			h->set[count++] = w;
		}
	}
	for (uint32_t i = 1; i < count && whole; i++)
		whole = is_entered_from(h, e, h->set[i]);
	if (!whole || count < 2)
		return REGIONS_OK;
	for (uint32_t i = 0; i < count; i++)
		h->exit_of[h->set[i]] = x;
	return offer_region(h->r, h->set, count, REGIONS_HAMMOCK, e, &h->left);
}

static int find_hammocks(struct regions *r, const struct graph_search *search, uint32_t *left)
{
	uint32_t n = r->graph.count;
	struct hammocks h = {.r = r,
	    .s = search,
	    .work = WORK_PER_EDGE * (r->graph.first[n] + (uint64_t)n),
	    .behind = malloc(n * sizeof *h.behind),
	    .exit_of = malloc(n * sizeof *h.exit_of),
	    .mark = malloc(n * sizeof *h.mark),
	    .set = malloc(n * sizeof *h.set)};
	int error = REGIONS_ENOMEM;
	if (h.behind != NULL && h.exit_of != NULL && h.mark != NULL && h.set != NULL &&
	    graph_postdominators(search->shape, h.behind)) {
		memset(h.exit_of, 0xFF, n * sizeof *h.exit_of);
		memset(h.mark, 0xFF, n * sizeof *h.mark);
		error = REGIONS_OK;
	}
	/* a vertex comes before those that it dominates; the first in this order is the node above all ways in */
	for (uint32_t i = search->reached - 1; i-- > 0 && error == REGIONS_OK;)
		error = try_hammock(&h, search->post[i] - 1);
	*left += h.left;
	free(h.behind);
	free(h.exit_of);
	free(h.mark);
	free(h.set);
	return error;
}

int regions_find(struct regions *r, unsigned what, uint32_t *left)
{
	const struct numbering_graph *g = &r->graph;
	const struct graph_shape shape = {
	    .count = g->count, .entry = g->entry, .first = g->first, .to = g->to, .root = g->root};
	struct graph_search search;
	uint32_t none = 0;
	if (!graph_search_make(&search, &shape))
		return REGIONS_ENOMEM;
	int error = REGIONS_OK;
	if ((what & REGIONS_FIND_LOOPS) != 0)
		error = find_loops(r, &search, left != NULL ? left : &none);
	if (error == REGIONS_OK && (what & REGIONS_FIND_HAMMOCKS) != 0)
		error = find_hammocks(r, &search, left != NULL ? left : &none);
	graph_search_free(&search);
	return error;
}
