/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_cuts.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/insert/counted_bounds.h"
#include "host/insert/counted_stacks.h"

/* Takes `times` of a piece away again, as counted_add_unfinished() added them. */
static void take_piece(struct counted *c, struct counted_unfinished *u, uint64_t times)
{
	counted_path_add(c, &u->path, -times);
	if (u->from != 0)
		c->blocks[u->path.first] += times;
	u->path.count -= times;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int counted_straight_on(struct counted *c, struct counted_unfinished *piece)
{
	const struct map_function *f = &c->map->functions[piece->path.function];
	const struct numbering *n = &f->numbering;
	uint32_t v = piece->path.last - f->blocks;
	if (!array_room(&c->path_edges, c->edge_count + f->block_count + 1, &c->edge_room))
		return COUNTED_ENOMEM;
	piece->from = piece->stop;
	piece->stop = 0;
	piece->path.first = piece->path.last;
	piece->path.edges = (uint32_t)c->edge_count;
	piece->path.length = 0;
	piece->path.exit = GRAPH_NONE;
	while (piece->path.length < f->block_count && piece->path.exit == GRAPH_NONE) {
		uint32_t found = GRAPH_NONE, ways = n->leave[v] != NUMBERING_NONE;
		for (uint32_t e = n->graph.first[v]; e < n->graph.first[v + 1]; e++) {
			ways += n->kind[e] == NUMBERING_PLAIN;
			found = n->kind[e] == NUMBERING_PLAIN ? e : found;
		}
		if (ways != 1)
			return COUNTED_EFORMAT;
		if (found == GRAPH_NONE)
			break;
		if (n->graph.to[found] == NUMBERING_EXIT)
			piece->path.exit = f->edges + found;
		else {
			c->path_edges[c->edge_count + piece->path.length++] = f->edges + found;
			v = n->graph.to[found];
		}
	}
	piece->path.last = f->blocks + v;
	c->edge_count += piece->path.length;
	return COUNTED_OK;
}

int counted_fork_begin(struct counted *c, const struct counted_unfinished *at)
{
	struct counted_unfinished piece = *at;
	const int error = counted_straight_on(c, &piece);
	if (error != COUNTED_EFORMAT)
		return error == COUNTED_OK ? counted_add_unfinished(c, piece) : error;
	counted_unknown(c, at->path.function, at->path.last, at->stop, at->path.count);
	return COUNTED_OK;
}

/* A piece that begins behind a call of fork() and goes on to another call, or ends in the same one. */
static bool comes_past(
    const struct counted *c, const struct counted_unfinished *u, const struct counted_unfinished *at, uint32_t *edges)
{
	return u->path.function == at->path.function && u->path.count > 0 && u->from != 0 && u->stop == 0 &&
	       counted_comes_to(c, &u->path, at->path.last, edges) && (*edges > 0 || u->from <= at->stop);
}

int counted_fork_end(struct counted *c, const struct counted_unfinished *at, uint64_t *count)
{
	int error = COUNTED_OK;
	for (size_t i = 0, all = c->unfinished_count; i<all && * count> 0 && error == COUNTED_OK; i++) {
		struct counted_unfinished *u = &c->unfinished[i], piece = *u;
		uint32_t edges;
		if (!comes_past(c, u, at, &edges))
			continue;
		const uint64_t times = least(u->path.count, *count);
		take_piece(c, u, times);
		*count -= times;
		piece.stop = at->stop;
		piece.path.count = times;
		piece.path.last = at->path.last;
		piece.path.length = edges;
		piece.path.exit = GRAPH_NONE;
		if (edges > 0 || piece.from < piece.stop)
			error = counted_add_unfinished(c, piece);
	}
	return error;
}

/* The way to a call, of which the first `length` edges are still to be cut off somewhere. */
struct way {
	const struct counted_unfinished *at;
	uint32_t length;
	uint64_t place; /* behind the call */
};

/* The block behind so many of its edges. */
static uint32_t block_behind(const struct counted *c, const struct counted_path *p, uint32_t edges)
{
	const struct map_function *f = &c->map->functions[p->function];
	return edges == 0 ? p->first : f->blocks + c->map->edges[c->path_edges[p->edges + edges - 1]].to;
}

/* Whether a path or piece goes the end of the way, from its edge *skipped on, and past the call. */
static bool has_way(const struct counted *c, const struct way *w, const struct counted_unfinished *u, uint32_t *skipped)
{
	const struct counted_path *way = &w->at->path, *p = &u->path;
	if (p->function != way->function || p->count == 0)
		return false;
	for (*skipped = 0; block_behind(c, way, *skipped) != p->first; ++*skipped) {
		if (*skipped == w->length || u->from == 0)
			return false;
	}
	const uint32_t rest = w->length - *skipped;
	if (p->length < rest ||
	    memcmp(c->path_edges + p->edges, c->path_edges + way->edges + *skipped, rest * sizeof *c->path_edges) != 0)
		return false;
	return (rest > 0 || u->from < w->place) && (p->length > rest || u->stop == 0 || u->stop >= w->place);
}

/* What is left of it behind the call, `times`. */
static int add_rest(struct counted *c, const struct way *w, struct counted_unfinished u, uint32_t cut, uint64_t times)
{
	u.path.first = block_behind(c, &u.path, cut);
	u.path.edges += cut;
	u.path.length -= cut;
	u.path.count = times;
	u.path.metric = 0;
	const bool nothing = u.path.length == 0 && u.stop == w->place;
	u.from = w->place;
	return nothing ? COUNTED_OK : counted_add_unfinished(c, u);
}

static int cut_way(struct counted *c, struct way w, uint64_t *count);

static int cut_pieces(struct counted *c, const struct way *w, bool same, uint64_t *count)
{
	int error = COUNTED_OK;
	for (size_t i = 0; i<c->unfinished_count && * count> 0 && error == COUNTED_OK; i++) {
		const struct counted_unfinished u = c->unfinished[i];
		uint32_t skipped;
		if (!has_way(c, w, &u, &skipped) ||
		    (same && (u.stop != w->place || u.path.length != w->length - skipped)))
			continue;
		const uint64_t times = least(u.path.count, *count);
		take_piece(c, &c->unfinished[i], times);
		*count -= times;
		error = add_rest(c, w, u, w->length - skipped, times);
		uint64_t before = u.from != 0 ? times : 0; /* it went on there behind setjmp() */
		if (error == COUNTED_OK && before > 0)
			error = cut_way(c, (struct way){w->at, skipped, u.from}, &before);
		if (before > 0)
			counted_unknown_way(c, u.path.function, u.path.first, u.from, before);
	}
	return error;
}

static int cut_paths(struct counted *c, const struct way *w, uint64_t *count)
{
	int error = COUNTED_OK;
	for (size_t i = 0; i<c->path_count && * count> 0 && error == COUNTED_OK; i++) {
		const struct counted_unfinished whole = {.path = c->paths[i]};
		uint32_t skipped;
		if (!has_way(c, w, &whole, &skipped))
			continue;
		const uint64_t times = least(whole.path.count, *count);
		counted_path_add(c, &whole.path, -times);
		c->paths[i].count -= times;
		*count -= times;
		error = add_rest(c, w, whole, w->length, times);
	}
	return error;
}

static int cut_way(struct counted *c, struct way w, uint64_t *count)
{
	int error = cut_pieces(c, &w, true, count);
	if (error == COUNTED_OK)
		error = cut_pieces(c, &w, false, count);
	if (error == COUNTED_OK)
		error = cut_paths(c, &w, count);
	return error;
}

int counted_fork_cut(struct counted *c, const struct counted_unfinished *at)
{
	uint64_t count = at->path.count;
	const int error = cut_way(c, (struct way){at, at->path.length, at->stop}, &count);
	if (count > 0)
		counted_unknown(c, at->path.function, at->path.last, at->stop, count);
	return error;
}

/* Something to be cut: once, so many times. */
static int note(struct counted *c, const struct counted_unfinished *again)
{
	for (size_t i = 0; i < c->again_count; i++) {
		struct counted_unfinished *same = &c->again[i];
		if (same->path.function != again->path.function || same->path.last != again->path.last ||
		    same->from != again->from || same->stop != again->stop || same->path.number != again->path.number)
			continue;
		same->path.count += again->path.count;
		return COUNTED_OK;
	}
	if (!array_room(&c->again, c->again_count + 1, &c->again_room))
		return COUNTED_ENOMEM;
	c->again[c->again_count++] = *again;
	return COUNTED_OK;
}

int counted_again(struct counted *c, const struct counted_path *left, uint32_t setjmp, uint64_t behind)
{
	const struct counted_unfinished again = {
	    .path = {.function = left->function, .first = setjmp, .last = setjmp, .count = left->count},
	    .from = behind};
	return note(c, &again);
}

int counted_again_way(struct counted *c, const struct counted_unfinished *at)
{
	return note(c, at);
}

/* Whether a path or piece has the whole way to setjmp() and goes on behind it; `like`: by the same edges as that
 * one. */
static bool goes_on(const struct counted *c, const struct counted_unfinished *u, const struct counted_unfinished *again,
    const struct counted_unfinished *like, uint32_t *edges)
{
	if (u->path.function != again->path.function || u->path.count == 0 || u->from != 0 ||
	    !counted_comes_to(c, &u->path, again->path.first, edges) ||
	    (u->path.length == *edges && u->stop != 0 && u->stop < again->from))
		return false;
	return like == NULL || (u->path.first == like->path.first &&
				   memcmp(c->path_edges + u->path.edges, c->path_edges + like->path.edges,
				       *edges * sizeof *c->path_edges) == 0);
}

/* A path or piece by number: pieces first. */
static struct counted_unfinished nth(const struct counted *c, size_t pieces, size_t i)
{
	return i < pieces ? c->unfinished[i] : (struct counted_unfinished){.path = c->paths[i - pieces]};
}

static int cut_again(struct counted *c, const struct counted_unfinished *again)
{
	const size_t pieces = c->unfinished_count, all = pieces + c->path_count;
	struct counted_unfinished first = {0};
	uint64_t count = again->path.count;
	bool several = false;
	int error = COUNTED_OK;
	if (again->from == 0) { /* it is known by which way */
		error = cut_way(c, (struct way){again, again->path.length, again->stop}, &count);
		if (count > 0)
			counted_unknown_way(c, again->path.function, again->path.last, again->stop, count);
		return error;
	}
	for (size_t i = 0; i < all && error == COUNTED_OK; i++) {
		struct counted_unfinished u = nth(c, pieces, i);
		uint32_t edges;
		if (!goes_on(c, &u, again, NULL, &edges))
			continue;
		if (first.path.count == 0)
			first = u;
		several = several || !goes_on(c, &u, again, &first, &edges);
		if (count == 0)
			continue;
		const struct way w = {again, 0, again->from};
		const uint64_t times = least(u.path.count, count);
		if (i < pieces)
			take_piece(c, &c->unfinished[i], times);
		else {
			counted_path_add(c, &u.path, -times);
			c->paths[i - pieces].count -= times;
		}
		count -= times;
		error = add_rest(c, &w, u, edges, times);
	}
	/* by which of several ways it came to setjmp() nobody has kept */
	const uint64_t unknown = several ? again->path.count : count;
	if (unknown > 0)
		counted_unknown_way(c, again->path.function, again->path.first, again->from, unknown);
	return error;
}

int counted_cuts_done(struct counted *c)
{
	int error = COUNTED_OK;
	size_t kept = 0;
	for (size_t i = 0; i < c->again_count && error == COUNTED_OK; i++)
		error = cut_again(c, &c->again[i]);
	for (size_t i = 0; i < c->unfinished_count; i++) {
		if (c->unfinished[i].path.count > 0)
			c->unfinished[kept++] = c->unfinished[i];
	}
	c->unfinished_count = kept;
	return error;
}
