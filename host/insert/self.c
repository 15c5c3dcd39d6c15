/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include "host/insert/induction.h"
#include "host/insert/insert.h"
#include "host/insert/pending.h"

/* No two self loops are in use at once, so one variable of the function is enough for those that find no other. */
static int shared_variable(struct inserter *in, struct insert_selves *loops, bool by_difference)
{
	const char *reason;
	if (loops->shared < 0)
		loops->shared = inserter_variable(in, &reason);
	if (loops->shared >= 0 && (by_difference || inserter_kind_of(in, loops->shared) != INSERTER_SLOT))
		return loops->shared;
	return OBJECT_EUNSUPPORTED;
}

/*
 * A self loop v -> v gets a counter of its own (EPP section 4). One that counts in memory at every turn would cost more
 * than the loop; so, in this order:
 *
 *   by difference   v adds a constant c to a register x, and only x and what v does not change decide the branch. Into
 *                   v: t = x + c. Out of v: count += (x - t) / c. The turns themselves cost nothing. As x decides, no
 *                   value of it comes twice, so the difference is exact modulo 2^XLEN
 *   in a register   into v: t = -1. In v: t += 1. Out of v: count += t
 *   in memory       where no register is free in v, v calls, or nothing leads out
 */
int insert_self(const struct insert_work *w, uint32_t b, uint32_t e, uint64_t counter, struct insert_selves *loops)
{
	struct insert_job *job = w->job;
	const struct graph *g = w->job->graph;
	const struct graph_function *f = w->f;
	struct inserter *in = w->in;
	const struct graph_block *block = &g->blocks[f->blocks + b];
	struct inserter_code into, out[4], turn = {.op = INSERTER_COUNT, .value = (int64_t)counter};
	struct insert_induction induction = {0};
	bool *inside = calloc(f->block_count, sizeof *inside), ways = false, more = false;
	size_t out_count = 0;
	const uint32_t number = loops->count++;
	if (inside == NULL)
		return OBJECT_ENOMEM;
	inside[b] = true;
	for (uint32_t k = block->edges; k < block->edges + block->edge_count; k++) {
		ways = ways || g->edges[k].to != f->blocks + b;
		more = more || (g->edges[k].to == f->blocks + b && k != f->edge_first + e);
	}
	bool by_difference = insert_induction(g, block, &induction);
	int t = ways && !more ? inserter_local(in, inside) : OBJECT_EUNSUPPORTED;
	free(inside);
	if (t == OBJECT_EUNSUPPORTED && ways && !more)
		t = shared_variable(in, loops, by_difference);
	if (t == OBJECT_EUNSUPPORTED) {
		job->counts->turns[INSERT_TURNS_MEMORY]++;
		return inserter_edge(in, f->edge_first + e, &turn, 1);
	}
	if (t < 0)
		return t;
	uint8_t v = (uint8_t)t;
	int error = OBJECT_OK;
	loops->kept[b] = (struct insert_self_kept){.self = number, .var = v};
	if (by_difference) {
		uint8_t x = (uint8_t)INSERTER_X(induction.x);
		int wide = induction.narrow ? 32 : 0;
		job->counts->turns[INSERT_TURNS_DIFFERENCE]++;
		loops->kept[b].step = induction.step;
		loops->kept[b].x = induction.x | induction.shift << 8 | (induction.down ? PENDING_DOWN : 0) |
				   (induction.narrow ? PENDING_NARROW : 0);
		into = (struct inserter_code){.op = INSERTER_MOVE, .var = v, .from = x, .value = induction.step};
		out[out_count++] = (struct inserter_code){
		    .op = induction.down ? INSERTER_SUB_FROM : INSERTER_TAKE_FROM, .var = v, .from = x};
		if (induction.narrow)
			out[out_count++] = (struct inserter_code){.op = INSERTER_SHIFT, .var = v, .value = -wide};
		if (induction.shift > 0 || induction.narrow)
			out[out_count++] = (struct inserter_code){
			    .op = INSERTER_SHIFT, .var = v, .value = wide + (int)induction.shift};
	} else {
		job->counts->turns[INSERT_TURNS_REGISTER]++;
		into = (struct inserter_code){.op = INSERTER_SET, .var = v, .value = -1};
		turn = (struct inserter_code){.op = INSERTER_ADD, .var = v, .value = 1};
		error = inserter_block(in, f->blocks + b, &turn, 1);
	}
	out[out_count++] = (struct inserter_code){.op = INSERTER_COUNT_FROM, .from = v, .value = (int64_t)counter};
	for (uint32_t k = block->edges; k < block->edges + block->edge_count && error == OBJECT_OK; k++) {
		if (g->edges[k].to != f->blocks + b)
			error = inserter_edge(in, k, out, out_count);
	}
	loops->into[b] = into;
	loops->is[b] = true;
	return error;
}

int insert_selves_begin(struct insert_selves *loops, const struct graph_function *f)
{
	*loops = (struct insert_selves){.shared = -1,
	    .is = calloc(f->block_count + 1u, sizeof *loops->is),
	    .into = calloc(f->block_count + 1u, sizeof *loops->into),
	    .kept = calloc(f->block_count + 1u, sizeof *loops->kept)};
	return loops->is == NULL || loops->into == NULL || loops->kept == NULL ? OBJECT_ENOMEM : OBJECT_OK;
}

/* What begins a loop comes behind what ends another one on the same edge. */
int insert_selves_end(
    struct insert_selves *loops, struct inserter *in, const struct graph *g, const struct graph_function *f, int error)
{
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		if (!loops->is[b])
			continue;
		if (block->root || b == 0)
			error = inserter_enter(in, f->blocks + b, &loops->into[b], 1);
		for (uint32_t k = f->edge_first; k < f->edge_first + f->edge_count && error == OBJECT_OK; k++) {
			bool own = k >= block->edges && k < block->edges + block->edge_count;
			if (g->edges[k].to == f->blocks + b && !own)
				error = inserter_edge(in, k, &loops->into[b], 1);
		}
	}
	return error;
}

void insert_selves_free(struct insert_selves *loops)
{
	free(loops->is);
	free(loops->into);
	free(loops->kept);
}
