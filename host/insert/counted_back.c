/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_back.h"

#include <stdlib.h>
#include <string.h>
#include "host/insert/counted_cuts.h"
#include "host/insert/counted_places.h"
#include "host/insert/counted_stacks.h"

/* What longjmp() put into a callee-saved register. False: that was not sent, or only a sum of several. */
static bool put_back(const struct profile_stack *s, unsigned reg, uint64_t *value)
{
	static const uint8_t places[] = PROFILE_STACK_PUT_BACK;
	const unsigned i = reg == 8 || reg == 9 ? reg - 8 : reg - 16; /* s0, s1; s2 to s11 are x18 to x27 */
	if (reg < 8 || (reg > 9 && reg < 18) || i >= sizeof places)
		return false;
	*value = s->x[places[i]];
	return *value != 0 && (s->count == 1 || (s->sums >> places[i] & 1) == 0);
}

int counted_back_find(struct counted *c, const struct profile_stack *stack, const struct pending *p, uint32_t function,
    struct counted_back *back)
{
	const struct map_function *f = &c->map->functions[function];
	const uint32_t v = back->setjmp - f->blocks;
	const uint32_t where = pending_where(p, v);
	struct counted_r r = {.function = function, .block = back->setjmp};
	int64_t number;
	const bool has = (where & 3) == PENDING_REGISTER && put_back(stack, where >> 8 & 31, &r.value);
	const int read = has ? counted_r_read(c, stack, p, &r) : 0;
	if (read < 0)
		return read;
	back->count = stack->count;
	back->kind = COUNTED_BACK_UNKNOWN;
	switch (pending_number(p, &f->numbering, v, read == 1 ? &r.r : NULL, &number)) {
	case PENDING_COUNTED:
		back->kind = COUNTED_BACK_BEFORE;
		return COUNTED_OK;
	case PENDING_NUMBER: {
		const int error = counted_path_to(c, function, (uint64_t)number, back->setjmp, &back->way);
		back->way.count = stack->count;
		back->kind = error == COUNTED_OK ? COUNTED_BACK_WAY : COUNTED_BACK_UNKNOWN;
		return error == COUNTED_ENOMEM ? error : COUNTED_OK;
	}
	default:
		return COUNTED_OK;
	}
}

/* Whether a path begins with the way. */
static bool has_the_way(const struct counted *c, const struct counted_path *p, const struct counted_path *way)
{
	return p->first == way->first && p->length >= way->length &&
	       memcmp(c->path_edges + p->edges, c->path_edges + way->edges, way->length * sizeof *c->path_edges) == 0;
}

static struct counted_unfinished at_setjmp(const struct counted_back *back, uint32_t function)
{
	return (struct counted_unfinished){
	    .path = {.function = function, .last = back->setjmp, .exit = GRAPH_NONE, .count = back->count},
	    .stop = back->behind};
}

int counted_back_alone(struct counted *c, uint32_t function, const struct counted_back *back)
{
	struct counted_unfinished at = at_setjmp(back, function);
	switch (back->kind) {
	case COUNTED_BACK_UNKNOWN:
		return counted_again(c, &at.path, back->setjmp, back->behind);
	case COUNTED_BACK_WAY:
		at.path = back->way;
		return counted_again_way(c, &at);
	case COUNTED_BACK_BEFORE:
		return counted_fork_begin(c, &at);
	default:
		return COUNTED_OK;
	}
}

/* Whether a path may go from one vertex to another. The order has each vertex before its predecessors. */
static int may_reach(const struct numbering *n, uint32_t from, uint32_t to)
{
	bool *reaches = calloc(n->graph.count + 1, sizeof *reaches);
	if (reaches == NULL)
		return COUNTED_ENOMEM;
	for (uint32_t i = 0; i < n->ordered; i++) {
		const uint32_t v = n->order[i];
		reaches[v] = v == to;
		for (uint32_t e = n->graph.first[v]; e < n->graph.first[v + 1]; e++) {
			if (n->kind[e] == NUMBERING_PLAIN && n->graph.to[e] != NUMBERING_EXIT)
				reaches[v] = reaches[v] || reaches[n->graph.to[e]];
		}
	}
	const bool found = reaches[from];
	free(reaches);
	return found ? 1 : 0;
}

int counted_back_unless(struct counted *c, uint32_t function, uint32_t block, const struct counted_back *back)
{
	const struct map_function *f = &c->map->functions[function];
	if (back->kind != COUNTED_BACK_UNKNOWN && back->kind != COUNTED_BACK_WAY)
		return COUNTED_OK;
	const int reached = may_reach(&f->numbering, back->setjmp - f->blocks, block - f->blocks);
	if (reached == 0)
		return counted_back_alone(c, function, back);
	return reached < 0 ? reached : COUNTED_OK;
}

int counted_back_cut(struct counted *c, struct counted_unfinished *u, const struct counted_back *back)
{
	uint32_t edges;
	struct counted_unfinished at = at_setjmp(back, u->path.function);
	at.path.count = u->path.count;
	if (back->kind == COUNTED_BACK_NOWHERE)
		return COUNTED_OK;
	if (back->kind == COUNTED_BACK_BEFORE)
		return counted_fork_begin(c, &at);
	if (!counted_comes_to(c, &u->path, back->setjmp, &edges) ||
	    (back->kind == COUNTED_BACK_WAY && !has_the_way(c, &u->path, &back->way))) {
		if (back->kind == COUNTED_BACK_UNKNOWN)
			return counted_again(c, &u->path, back->setjmp, back->behind);
		at.path = back->way;
		at.path.count = u->path.count;
		return counted_again_way(c, &at);
	}
	u->path.first = back->setjmp;
	u->path.edges += edges;
	u->path.length -= edges;
	u->from = back->behind;
	return COUNTED_OK;
}

int counted_back_piece(struct counted *c, const struct counted_unfinished *left, const struct counted_back *back)
{
	struct counted_unfinished piece = at_setjmp(back, left->path.function);
	uint32_t edges;
	if (back->kind != COUNTED_BACK_BEFORE)
		return 0;
	const int error = counted_straight_on(c, &piece);
	if (error != COUNTED_OK)
		return error == COUNTED_ENOMEM ? error : 0;
	if (!counted_comes_to(c, &piece.path, left->path.last, &edges) || (edges == 0 && left->stop <= back->behind))
		return 0;
	piece.path.last = left->path.last;
	piece.path.length = edges;
	piece.path.exit = GRAPH_NONE;
	piece.path.count = left->path.count;
	piece.stop = left->stop;
	const int added = counted_add_unfinished(c, piece);
	return added == COUNTED_OK ? 1 : added;
}
