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
#include <string.h>
#include "host/graph/sets.h"
#include "host/base/order.h"
#include "host/insert/held.h"
#include "host/insert/price.h"

struct link {
	uint64_t cost;
	uint32_t from, to, word;
};

static int by_cost(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	return order_then(ORDER_DOWN(x->cost, y->cost), ORDER_UP(x->word, y->word));
}

/* What each edge costs as a chord. */
struct prices {
	uint64_t *edge; /* by edge: as it is counted now */
	bool *denied;   /* by edge: there was no register for it */
	bool *chord;    /* see find_chords() */
};

static uint64_t block_weight(const struct insert_numbered *n, uint32_t b)
{
	uint64_t weight = 0;
	for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++)
		weight = price_sum(weight, n->weights[e]);
	return weight;
}

/* chord: by edge, then by block for the ways in, then by block for the starts of those that are cut. */
static int find_chords(const struct graph_function *f, const struct insert_numbered *n, const bool *cut,
    const uint64_t *prices, bool *chord)
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
		uint64_t in_memory = price_of(block_weight(n, b), PRICE_MEMORY);
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			uint32_t to = n->to[e] == NUMBERING_EXIT ? exit : n->to[e];
			if (!cut[b] || to != exit) /* from outside to there: no block is on it */
				links[count++] = (struct link){prices[e], cut[b] ? entry : b, to, e};
		}
		if (n->root[b])
			links[count++] = (struct link){in_memory, entry, b, EDGES_INTO + b};
		if (cut[b])
			links[count++] = (struct link){in_memory, b, exit, EDGES_BLOCK + b};
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
			else if (error == OBJECT_OK && insert_held_of(&held, e) == NULL)
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

/* The cheapest way for each edge, if it is a chord. */
static void price_edges(const struct insert_work *w, const struct insert_held *held, const bool *cut, struct prices *p)
{
	const struct insert_numbered *n = w->n;
	for (uint32_t b = 0; b < w->f->block_count; b++) {
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			uint64_t in_register = UINT64_MAX;
			if (!p->denied[e] && n->to[e] != b && !cut[b])
				in_register = insert_held_price(held, w, b, e);
			p->edge[e] = insert_held_memory(held, n, e);
			p->edge[e] = in_register < p->edge[e] ? in_register : p->edge[e];
		}
	}
}

/* What the chords cost with the registers that there are. more: some edge was refused one that it counted on. */
static int try_chords(const struct insert_work *w, struct prices *p, uint64_t *total, bool *more)
{
	struct insert_held held = {0};
	*total = 0;
	*more = false;
	int error = hold(w, p->chord, 0, &held);
	for (uint32_t e = 0; e < w->f->edge_count && error == OBJECT_OK; e++) {
		const struct held_counter *counter = insert_held_of(&held, e);
		uint64_t memory = insert_held_memory(&held, w->n, e), price = counter == NULL ? memory : counter->price;
		if (!p->chord[e])
			continue;
		if (counter == NULL && p->edge[e] < memory)
			p->denied[e] = *more = true;
		*total = price_sum(*total, price);
	}
	insert_held_free(&held);
	return error;
}

#define ROUNDS 4

static int choose_chords(
    struct insert_job *job, size_t function, const struct insert_numbered *n, const bool *cut, bool *chord)
{
	const struct graph_function *f = &job->graph->functions[function];
	size_t edges = f->edge_count + 1u, all = edges + 2u * f->block_count;
	struct prices p = {.edge = calloc(edges, sizeof *p.edge), .denied = calloc(edges + all, sizeof *p.denied)};
	int error = p.edge == NULL || p.denied == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	uint64_t best = UINT64_MAX;
	bool more = true;
	p.chord = error == OBJECT_OK ? p.denied + edges : NULL;
	for (unsigned round = 0; round < ROUNDS && more && error == OBJECT_OK; round++) {
		struct insert_held held = {0};
		struct inserter *in = NULL;
		error = inserter_open(&in, &job->target, function);
		const struct insert_work work = {job, f, in, n};
		uint64_t total = 0;
		if (error == OBJECT_OK)
			error = insert_held_begin(&held, &work);
		if (error == OBJECT_OK) {
			price_edges(&work, &held, cut, &p);
			error = find_chords(f, n, cut, p.edge, p.chord);
		}
		insert_held_free(&held);
		if (error == OBJECT_OK)
			error = try_chords(&work, &p, &total, &more);
		inserter_close(in);
		if (error == OBJECT_OK && total < best) {
			best = total;
			memcpy(chord, p.chord, all - 1);
		}
	}
	free(p.edge);
	free(p.denied);
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
	if (error == OBJECT_OK)
		error = choose_chords(job, function, &n, cut, chord);
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
