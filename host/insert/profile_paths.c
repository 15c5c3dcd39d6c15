/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* --paths: how often each acyclic path of each function was taken (EPP). */
#include <stdlib.h>
#include "host/insert/induction.h"
#include "host/insert/insert.h"
#include "host/insert/place.h"

/* The codes of EPP's placement at a place; at most 2 for each. */
static size_t translate(const struct place_code *p, uint64_t base, uint8_t r, struct inserter_code *codes)
{
	if (p->count == PLACE_COUNT)
		codes[0] = (struct inserter_code){.op = INSERTER_COUNT, .value = (int64_t)base + p->value};
	else if (p->count == PLACE_COUNT_AT)
		codes[0] = (struct inserter_code){.op = INSERTER_COUNT_AT, .var = r, .value = p->value};
	else if (p->step == PLACE_SET)
		codes[0] =
		    (struct inserter_code){.op = INSERTER_SET_COUNTER, .var = r, .value = (int64_t)base + p->value};
	else if (p->step == PLACE_ADD)
		codes[0] = (struct inserter_code){.op = INSERTER_ADD_COUNTERS, .var = r, .value = p->value};
	else
		return 0;
	return 1;
}

/* ---------------------------------------------------------------- self loops */
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
struct self_loops { /* of a function */
	int shared; /* variable; negative: none yet */
	bool *is;   /* by block: one with a variable */
	struct inserter_code *into;
};

static int put_self(struct insert_job *job, struct inserter *in, const struct graph_function *f, uint32_t b, uint32_t e,
    uint64_t counter, struct self_loops *loops)
{
	const struct graph *g = job->graph;
	const struct graph_block *block = &g->blocks[f->blocks + b];
	struct inserter_code into, out[4], turn = {.op = INSERTER_COUNT, .value = (int64_t)counter};
	struct insert_induction induction = {0};
	bool *inside = calloc(f->block_count, sizeof *inside), ways = false, more = false;
	size_t out_count = 0;
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
	/* no two of them are in use at once, so one variable of the function is enough for those that find no other */
	if (t == OBJECT_EUNSUPPORTED && ways && !more) {
		const char *reason;
		if (loops->shared < 0)
			loops->shared = inserter_variable(in, &reason);
		if (loops->shared >= 0 && (by_difference || inserter_kind_of(in, loops->shared) != INSERTER_SLOT))
			t = loops->shared;
	}
	if (t == OBJECT_EUNSUPPORTED) {
		job->counts->turns[INSERT_TURNS_MEMORY]++;
		return inserter_edge(in, f->edge_first + e, &turn, 1);
	}
	if (t < 0)
		return t;
	uint8_t v = (uint8_t)t;
	int error = OBJECT_OK;
	if (by_difference) {
		uint8_t x = (uint8_t)INSERTER_X(induction.x);
		int wide = induction.narrow ? 32 : 0;
		job->counts->turns[INSERT_TURNS_DIFFERENCE]++;
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

/* What begins a loop comes behind what ends another one on the same edge. */
static int begin_selves(
    struct inserter *in, const struct graph *g, const struct graph_function *f, const struct self_loops *loops)
{
	int error = OBJECT_OK;
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

static int put_paths(struct insert_job *job, struct inserter *in, const struct graph_function *f,
    const struct insert_numbered *n, const struct placement *p, uint64_t base, uint8_t r)
{
	int error = OBJECT_OK;
	uint64_t self = base + n->numbering.paths;
	struct self_loops loops = {.shared = -1,
	    .is = calloc(f->block_count + 1u, sizeof *loops.is),
	    .into = calloc(f->block_count + 1u, sizeof *loops.into)};
	if (loops.is == NULL || loops.into == NULL)
		error = OBJECT_ENOMEM;
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct graph_block *block = &job->graph->blocks[f->blocks + b];
		struct inserter_code codes[4];
		size_t count;
		if ((block->root || b == 0) && n->numbering.enter[b] != NUMBERING_NONE &&
		    (count = translate(&p->enter[b], base, r, codes)) > 0)
			error = inserter_enter(in, f->blocks + b, codes, count);
		bool reached = n->numbering.count != NULL && n->numbering.count[b] > 0;
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && error == OBJECT_OK; e++) {
			count = 0;
			if (n->numbering.kind[e] == NUMBERING_SELF)
				error = put_self(job, in, f, b, e, self++, &loops);
			else if (!reached)
				continue;
			else if (n->numbering.kind[e] == NUMBERING_PLAIN)
				count = translate(&p->edge[e], base, r, codes);
			else {
				count = translate(&p->leave[b], base, r, codes);
				count += translate(&p->enter[n->to[e]], base, r, codes + count);
			}
			if (count > 0)
				error = inserter_edge(in, f->edge_first + e, codes, count);
		}
	}
	if (error == OBJECT_OK)
		error = begin_selves(in, job->graph, f, &loops);
	free(loops.is);
	free(loops.into);
	return error;
}

/* Where no register can be had: cut before every block with several ways out, each path is counted where it begins. */
static int cut_apart(struct insert_job *job, const struct graph_function *f, struct insert_numbered *n,
    struct chords *chords, struct placement *placement)
{
	insert_number_free(n);
	chords_free(chords);
	place_free(placement);
	int error = insert_number(job, f, 1, n);
	uint64_t *weights = malloc((f->edge_count + 1u) * sizeof *weights);
	if (weights == NULL)
		error = OBJECT_ENOMEM;
	/* every block has one way out: with these in the tree the ways in are the chords, which initialise and count */
	for (uint32_t e = 0; e < f->edge_count && error == OBJECT_OK; e++)
		weights[e] = n->numbering.kind[e] == NUMBERING_PLAIN ? UINT64_C(1) << 40 : 1;
	if (error == OBJECT_OK && (chords_make(chords, &n->numbering, weights) != NUMBERING_OK ||
				      place_make(placement, &n->numbering, chords) != NUMBERING_OK))
		error = OBJECT_ENOMEM;
	free(weights);
	return error;
}

static int paths(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct insert_numbered n;
	struct inserter *in = NULL;
	struct chords chords = {0};
	struct placement placement = {0};
	int r = 0, kind = INSERTER_NO_REGISTER;
	int error = insert_number(job, f, result->limit, &n);
	if (error == OBJECT_OK)
		error = inserter_open(&in, &job->target, function);
	if (error == OBJECT_OK &&
	    (chords_make(&chords, &n.numbering, n.weights) != NUMBERING_OK ||
		place_make(&placement, &n.numbering, &chords) != NUMBERING_OK ||
		place_bias(&placement, &n.numbering, n.weights, 2048 / (int64_t)job->target.width) != NUMBERING_OK))
		error = OBJECT_ENOMEM;
	bool apart = false;
	if (error == OBJECT_OK && placement.uses_register) {
		r = inserter_variable(in, &result->reason);
		if (r == OBJECT_EUNSUPPORTED) {
			error = cut_apart(job, f, &n, &chords, &placement);
			result->limit = 1;
			apart = true;
			if (error == OBJECT_OK && placement.uses_register)
				error = OBJECT_EUNSUPPORTED;
		} else if (r < 0)
			error = r;
		else
			kind = inserter_kind_of(in, r);
	}
	if (error == OBJECT_OK) {
		inserter_weights(in, n.weights);
		result->counters = n.numbering.paths + n.numbering.self;
		error = put_paths(job, in, f, &n, &placement, first, (uint8_t)(r < 0 ? 0 : r));
	}
	if (error == OBJECT_OK)
		error = inserter_commit(in, &result->reason);
	if (error == OBJECT_OK) {
		job->counts->registers[kind]++;
		job->counts->apart += apart;
		job->counts->chords += chords.chords;
		job->counts->cut += n.numbering.cut;
	}
	inserter_close(in);
	chords_free(&chords);
	place_free(&placement);
	insert_number_free(&n);
	return error;
}

const struct insert_profiler insert_profile_paths = {INSERT_PATHS, "paths", paths, NULL};
