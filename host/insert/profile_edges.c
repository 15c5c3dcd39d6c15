/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --edges: how often each edge was taken (EPP's comparison, the edge profiler QPT).
 *
 * The graph with ENTRY, EXIT and an edge EXIT -> ENTRY has a spanning tree of the greatest weight; only chords are
 * counted. What goes into a vertex comes out of it, so the counts of the tree's edges follow. Self loops are chords.
 *
 * --blocks counts in the same way, but does not rely on what is called to return: a block with calls (MAP_LEAVES) is
 * cut in two. What goes into it goes on to EXIT, by an edge that code at the block's start can count; what leaves it
 * comes from ENTRY. So counts of blocks are exact when a call ends the program, jumps elsewhere, or returns twice.
 *
 * Counters: one for each chord. Words of the map: for each counter its edge, EDGES_INTO + block for a way in from
 * outside, or EDGES_BLOCK + block for a block's start.
 */
#include <stdlib.h>
#include "host/graph/sets.h"
#include "host/base/order.h"
#include "host/insert/held.h"

struct link {
	uint64_t cost;
	uint32_t from, to, word;
};

static int by_cost(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	return order_then(ORDER_DOWN(x->cost, y->cost), ORDER_UP(x->word, y->word));
}

static uint64_t start_cost(const struct insert_numbered *n, uint32_t b)
{
	uint64_t weight = 0;
	for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++)
		weight += n->weights[e] >> 4 < UINT64_MAX >> 24 ? n->weights[e] : UINT64_MAX >> 24;
	return 2 * weight;
}

/* chord: by edge, then by block for the ways in, then by block for the starts of those that are cut. held: loops in
 * which a count is in a register, so that it costs less than another one of the same weight; if it gets one. */
static int find_chords(const struct graph_function *f, const struct insert_numbered *n, const bool *cut,
    const struct insert_held *held, bool *chord)
{
	uint32_t entry = f->block_count, exit = entry + 1, count = 0;
	struct link *links = malloc((f->edge_count + 2u * f->block_count + 1u) * sizeof *links);
	uint32_t *set = malloc((f->block_count + 2u) * sizeof *set);
	if (links == NULL || set == NULL) {
		free(links);
		free(set);
		return OBJECT_ENOMEM;
	}
	for (uint32_t b = 0; b < f->block_count; b++) {
		uint64_t out = 0;
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			uint32_t to = n->to[e] == NUMBERING_EXIT ? exit : n->to[e];
			uint64_t cost = n->costs[e];
			out += cost;
			if (n->to[e] != b && insert_held_pays(held, n, b, e))
				cost -= cost / 4;
			if (cut[b] && to == b && cost <= UINT64_C(1) << 60)
				cost *= 2;         /* a stub with a jump: dearer than the block's start */
			if (!cut[b] || to != exit) /* from outside to there: no block is on it */
				links[count++] = (struct link){cost, cut[b] ? entry : b, to, e};
		}
		if (n->root[b])
			links[count++] = (struct link){out, entry, b, EDGES_INTO + b};
		if (cut[b])
			links[count++] = (struct link){start_cost(n, b), b, exit, EDGES_BLOCK + b};
	}
	qsort(links, count, sizeof *links, by_cost);
	sets_single(set, entry + 2);
	set[exit] = entry; /* nobody can count that one */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a = sets_of(set, links[i].from), b = sets_of(set, links[i].to), word = links[i].word,
			 at = word;
		if (word >= EDGES_BLOCK)
			at = f->edge_count + f->block_count + (word - EDGES_BLOCK);
		else if (word >= EDGES_INTO)
			at = f->edge_count + (word - EDGES_INTO);
		chord[at] = a == b;
		set[a] = b;
	}
	free(links);
	free(set);
	return OBJECT_OK;
}

/* Numbers the chords; those in hot loops are counted in registers. */
static int hold(const struct insert_work *w, const bool *chord, uint64_t first, struct insert_held *held)
{
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
	uint32_t *list = malloc((f->edge_count + 1u) * sizeof *list);
	uint64_t *counters = malloc((f->edge_count + 1u) * sizeof *counters), next = first;
	size_t count = 0;
	int error = list == NULL || counters == NULL ? OBJECT_ENOMEM : insert_held_begin(held, w);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			if (chord[e] && n->to[e] != b) { /* no scope has blocks with calls */
				list[count] = e;
				counters[count++] = next;
			}
			next += chord[e];
		}
		next += chord[f->edge_count + b];
		next += chord[f->edge_count + f->block_count + b];
	}
	if (error == OBJECT_OK)
		error = insert_held_choose(held, w, list, counters, count);
	free(list);
	free(counters);
	return error;
}

static int put_chords(const struct insert_work *w, const bool *cut, const bool *chord, uint64_t first, bool registers,
    struct insert_result *result)
{
	struct insert_job *job = w->job;
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
	struct inserter *in = w->in;
	struct insert_selves loops;
	struct insert_held held = {0};
	int error = insert_selves_begin(&loops, f);
	if (error == OBJECT_OK && registers)
		error = hold(w, chord, first, &held);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		struct inserter_code code = {.op = INSERTER_COUNT};
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && error == OBJECT_OK; e++) {
			uint64_t counter = first + result->counters;
			if (!chord[e])
				continue;
			result->counters++;
			error = insert_word(result, e);
			code.value = (int64_t)counter;
			/* a call in the loop may leave it, with what a register has counted */
			if (error == OBJECT_OK && n->to[e] == b && !cut[b] && !insert_leaves(job, f->blocks + b))
				error = insert_self(w, b, e, counter, &loops);
			else if (error == OBJECT_OK && !insert_held_has(&held, e))
				error = inserter_edge(in, f->edge_first + e, &code, 1);
		}
		if (chord[f->edge_count + b] && error == OBJECT_OK) {
			code.value = (int64_t)(first + result->counters++);
			error = insert_word(result, EDGES_INTO + b);
			if (error == OBJECT_OK)
				error = inserter_enter(in, f->blocks + b, &code, 1);
		}
		if (chord[f->edge_count + f->block_count + b] && error == OBJECT_OK) {
			code.value = (int64_t)(first + result->counters++);
			error = insert_word(result, EDGES_BLOCK + b);
			if (error == OBJECT_OK)
				error = inserter_block(in, f->blocks + b, &code, 1);
		}
	}
	if (error == OBJECT_OK)
		error = insert_held_put(&held, w);
	insert_held_free(&held);
	error = insert_selves_end(&loops, in, job->graph, f, error);
	insert_selves_free(&loops);
	return error;
}

/* Loops in which registers count, if an earlier run has told how often they turn: what is guessed turns so often that
 * all of them would be preferred. */
static int find_held(struct insert_job *job, size_t function, const struct insert_numbered *n, struct insert_held *held)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct inserter *in = NULL;
	if (job->options->weights == NULL)
		return OBJECT_OK;
	int error = inserter_open(&in, &job->target, function);
	if (error == OBJECT_OK)
		error = insert_held_begin(held, &(struct insert_work){job, f, in, n});
	inserter_close(in);
	return error;
}

static int count_tree(
    struct insert_job *job, size_t function, uint64_t first, struct insert_result *result, bool blocks)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct insert_numbered n;
	struct inserter *in = NULL;
	bool *chord = calloc(f->edge_count + 2u * f->block_count + 1u, sizeof *chord);
	bool *cut = calloc(f->block_count + 1u, sizeof *cut);
	int error = insert_number(job, f, result->limit, &n);
	if (chord == NULL || cut == NULL)
		error = OBJECT_ENOMEM;
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++)
		cut[b] = blocks && insert_leaves(job, f->blocks + b);
	struct insert_held held = {0};
	if (error == OBJECT_OK)
		error = find_held(job, function, &n, &held);
	if (error == OBJECT_OK)
		error = find_chords(f, &n, cut, &held, chord);
	insert_held_free(&held);
	/* a frame for what is saved may be what cannot be put in */
	for (int registers = 1; registers >= 0 && error == OBJECT_OK; registers--) {
		const struct insert_counts before = *job->counts;
		error = inserter_open(&in, &job->target, function);
		result->counters = result->word_count = 0;
		if (error == OBJECT_OK) {
			inserter_weights(in, n.weights);
			const struct insert_work work = {job, f, in, &n};
			error = put_chords(&work, cut, chord, first, registers == 1, result);
		}
		if (error == OBJECT_OK)
			error = inserter_keep_return(in);
		if (error == OBJECT_OK)
			error = inserter_commit(in, &result->reason);
		if (error != OBJECT_EUNSUPPORTED || registers == 0)
			break;
		*job->counts = before;
		inserter_close(in);
		in = NULL;
		error = OBJECT_OK;
	}
	if (error == OBJECT_OK) {
		job->counts->registers[INSERTER_NO_REGISTER]++;
		job->counts->chords += result->counters;
	}
	inserter_close(in);
	insert_number_free(&n);
	free(chord);
	free(cut);
	return error;
}

static int edges(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	return count_tree(job, function, first, result, false);
}

int insert_tree_of_blocks(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	return count_tree(job, function, first, result, true);
}

const struct insert_profiler insert_profile_edges = {INSERT_EDGES, "edges", edges, NULL};
