/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* --paths: how often each acyclic path of each function was taken (EPP). */
#include <stdlib.h>
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

static int put_paths(struct insert_job *job, struct inserter *in, const struct graph_function *f,
    const struct insert_numbered *n, const struct placement *p, uint64_t base, uint8_t r)
{
	uint64_t self = base + n->numbering.paths;
	struct insert_selves loops;
	int error = insert_selves_begin(&loops, f);
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
				error = insert_self(job, in, f, b, e, self++, &loops);
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
	return insert_selves_end(&loops, in, job->graph, f, error);
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
	    (chords_make(&chords, &n.numbering, n.costs) != NUMBERING_OK ||
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
