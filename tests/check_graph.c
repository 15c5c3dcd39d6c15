/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/graph: loops and dominators of random graphs against their definitions, followed one step at a time. */
#include <string.h>
#include "host/graph/dominators.h"
#include "host/graph/loops.h"
#include "host/paths/numbering.h"
#include "tests/suite.h"

#define MOST 14u /* vertices */
#define SEEDS 6000u

struct drawn {
	struct graph_shape shape;
	uint32_t first[MOST + 1], to[MOST * 3];
	bool root[MOST];
};

static uint64_t state;
static uint32_t draw_below(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % below);
}

static void draw_graph(struct drawn *d, uint32_t seed)
{
	uint32_t edges = 0;
	state = seed;
	*d = (struct drawn){.shape = {.count = 1 + draw_below(MOST), .first = d->first, .to = d->to, .root = d->root}};
	for (uint32_t v = 0; v < d->shape.count; v++) {
		uint32_t ways = draw_below(4);
		d->first[v] = edges;
		d->root[v] = draw_below(12) == 0;
		/* near ones mostly, so that loops nest */
		for (uint32_t i = 0; i < ways; i++) {
			uint32_t to = draw_below(3) == 0 ? draw_below(d->shape.count) : v + draw_below(5);
			to = to < 2 ? 0 : to - 2;
			d->to[edges++] = to < d->shape.count ? to : GRAPH_EXIT;
		}
	}
	d->first[d->shape.count] = edges;
}

/* What is met from a vertex (GRAPH_EXIT: from outside) among `in`, without `without`; by vertex, then EXIT. */
static void follow_edges(const struct drawn *d, uint32_t from, const bool *in, uint32_t without, bool *met)
{
	const struct graph_shape *s = &d->shape;
	memset(met, 0, MOST + 1);
	for (uint32_t v = 0; v < s->count; v++)
		met[v] = v != without && (in == NULL || in[v]) &&
			 (from == GRAPH_EXIT ? v == s->entry || s->root[v] : v == from);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t v = 0; v < s->count; v++) {
			for (uint32_t e = s->first[v]; e < s->first[v + 1] && met[v]; e++) {
				uint32_t to = s->to[e] == GRAPH_EXIT ? s->count : s->to[e];
				if (met[to] || to == without || (in != NULL && (to == s->count || !in[to])))
					continue;
				met[to] = more = true;
			}
		}
	}
}

/* The one that dominates v and is dominated by all others that do. */
START_TEST(dominators)
{
	struct drawn d;
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		struct graph_search search;
		uint32_t immediate[MOST];
		bool met[MOST + 1], dominates[MOST][MOST] = {{false}};
		draw_graph(&d, seed);
		ck_assert(graph_search_make(&search, &d.shape));
		ck_assert(graph_dominators(&search, immediate));
		graph_search_free(&search);
		follow_edges(&d, GRAPH_EXIT, NULL, GRAPH_EXIT, met);
		for (uint32_t a = 0; a < d.shape.count; a++) {
			bool left[MOST + 1];
			follow_edges(&d, GRAPH_EXIT, NULL, a, left);
			for (uint32_t v = 0; v < d.shape.count; v++)
				dominates[a][v] = met[v] && v != a && !left[v];
		}
		for (uint32_t v = 0; v < d.shape.count; v++) {
			uint32_t wanted = GRAPH_VERTEX;
			for (uint32_t a = 0; a < d.shape.count; a++) {
				if (dominates[a][v] && (wanted == GRAPH_VERTEX || dominates[wanted][a]))
					wanted = a;
			}
			if (immediate[v] != wanted)
				ck_abort_msg("seed %u: %u above %u, not %u", seed, immediate[v], v, wanted);
		}
	}
}
END_TEST

START_TEST(postdominators)
{
	struct drawn d;
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		uint32_t immediate[MOST];
		bool behind[MOST][MOST] = {{false}};
		draw_graph(&d, seed);
		ck_assert(graph_postdominators(&d.shape, immediate));
		for (uint32_t v = 0; v < d.shape.count; v++) {
			bool met[MOST + 1], left[MOST + 1];
			follow_edges(&d, v, NULL, GRAPH_EXIT, met);
			for (uint32_t a = 0; a < d.shape.count; a++) {
				follow_edges(&d, v, NULL, a, left);
				behind[a][v] = a != v && met[d.shape.count] && !left[d.shape.count];
			}
		}
		for (uint32_t v = 0; v < d.shape.count; v++) {
			uint32_t wanted = GRAPH_VERTEX;
			for (uint32_t a = 0; a < d.shape.count; a++) {
				if (behind[a][v] && (wanted == GRAPH_VERTEX || behind[wanted][a]))
					wanted = a;
			}
			if (immediate[v] != wanted)
				ck_abort_msg("seed %u: %u behind %u, not %u", seed, immediate[v], v, wanted);
		}
	}
}
END_TEST

/* Strongly connected parts of `in` without the edges to `head`, and so on inside: each must be a loop. */
static void check_parts(const struct drawn *d, uint32_t seed, const struct graph_search *search,
    const struct graph_loops *loops, const bool *in, uint32_t head, uint32_t parent, uint32_t *found)
{
	const struct graph_shape *s = &d->shape;
	bool done[MOST] = {false}, meets[MOST][MOST + 1];
	bool inner[MOST + 1];
	memcpy(inner, in, sizeof inner);
	if (head != GRAPH_VERTEX)
		inner[head] = false; /* nothing leads to it any more, so it is in no part */
	for (uint32_t v = 0; v < s->count; v++)
		follow_edges(d, v, inner, GRAPH_EXIT, meets[v]);
	for (uint32_t v = 0; v < s->count; v++) {
		bool part[MOST + 1] = {false}, self = false, reducible = true;
		uint32_t size = 0, first = v, latches = 0;
		if (!inner[v] || done[v])
			continue;
		for (uint32_t w = 0; w < s->count; w++) {
			part[w] = inner[w] && meets[v][w] && meets[w][v];
			size += part[w];
			done[w] = done[w] || part[w];
			if (part[w] && search->number[w + 1] < search->number[first + 1])
				first = w;
		}
		for (uint32_t e = s->first[v]; e < s->first[v + 1]; e++)
			self = self || s->to[e] == v;
		if (size == 1 && !self)
			continue;

		for (uint32_t w = 0; w < s->count; w++) {
			bool from_outside = s->root[w] || w == s->entry;
			for (uint32_t u = 0; u < s->count; u++) {
				for (uint32_t e = s->first[u]; e < s->first[u + 1]; e++) {
					from_outside = from_outside || (s->to[e] == w && !part[u] &&
									   search->number[u + 1] != GRAPH_VERTEX);
					latches += part[u] && s->to[e] == first && w == first;
				}
			}
			reducible = reducible && !(part[w] && w != first && from_outside);
		}
		uint32_t loop = 0;
		while (loop < loops->count && loops->loops[loop].head != first)
			loop++;
		if (loop == loops->count)
			ck_abort_msg("seed %u: no loop at %u", seed, first);
		const struct graph_loop *own = &loops->loops[loop];
		for (uint32_t w = 0; w < s->count; w++) {
			if (graph_loop_holds(loops, loop, w) != part[w])
				ck_abort_msg("seed %u: loop at %u, vertex %u", seed, first, w);
		}
		if (own->parent != parent || own->vertices != size || own->latches != latches ||
		    own->reducible != reducible)
			ck_abort_msg("seed %u: loop at %u", seed, first);
		++*found;
		check_parts(d, seed, search, loops, part, first, loop, found);
	}
}

START_TEST(loops)
{
	struct drawn d;
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		struct graph_search search;
		struct graph_loops own;
		uint32_t found = 0, *starts, *members;
		bool met[MOST + 1];
		draw_graph(&d, seed);
		ck_assert(graph_search_make(&search, &d.shape));
		ck_assert(graph_loops_make(&own, &search));
		follow_edges(&d, GRAPH_EXIT, NULL, GRAPH_EXIT, met);
		check_parts(&d, seed, &search, &own, met, GRAPH_VERTEX, GRAPH_VERTEX, &found);
		ck_assert_uint_eq(found, own.count);

		ck_assert(graph_loops_members(&own, d.shape.count, 2, &starts, &members));
		for (uint32_t i = 0; i < own.count; i++) {
			uint32_t most = own.loops[i].depth <= 2 ? own.loops[i].vertices : 0;
			ck_assert_uint_eq(starts[i + 1] - starts[i], most);
			for (uint32_t m = starts[i]; m < starts[i + 1]; m++)
				ck_assert(graph_loop_holds(&own, i, members[m]));
		}
		free(starts);
		free(members);
		graph_loops_free(&own);
		graph_search_free(&search);
	}
}
END_TEST

/* The numbering of paths is cut at the same edges: both search in the same order. */
START_TEST(heads)
{
	struct drawn d;
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		struct graph_search search;
		struct graph_loops own;
		struct numbering numbering;
		uint32_t latches = 0;
		draw_graph(&d, seed);
		const struct numbering_graph graph = {d.shape.count, 0, d.first, d.to, d.root};
		ck_assert(graph_search_make(&search, &d.shape));
		ck_assert(graph_loops_make(&own, &search));
		ck_assert_int_eq(numbering_make(&numbering, &graph, 0), NUMBERING_OK);
		for (uint32_t i = 0; i < own.count; i++)
			latches += own.loops[i].latches;
		ck_assert_uint_eq(latches, numbering.back + numbering.self);
		numbering_free(&numbering);
		graph_loops_free(&own);
		graph_search_free(&search);
	}
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"dominators", dominators, 0}, {"postdominators", postdominators, 0},
	    {"loops", loops, 0}, {"heads", heads, 0}};
	return SUITE_RUN("graph", cases, NULL, NULL);
}
