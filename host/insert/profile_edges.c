/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --edges: how often each edge was taken (EPP's comparison, the edge profiler QPT).
 *
 * The graph with ENTRY, EXIT and an edge EXIT -> ENTRY has a spanning tree of the greatest weight; only chords are
 * counted. What goes into a vertex comes out of it, so the counts of the tree's edges follow. Self loops are chords.
 *
 * Counters: one for each chord. Words of the map: for each counter its edge, or EDGES_INTO + block for a way in from
 * outside.
 */
#include <stdlib.h>
#include "host/insert/held.h"

struct link {
	uint64_t cost;
	uint32_t from, to, word;
};

static int by_cost(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return (x->word > y->word) - (x->word < y->word);
}

static uint32_t find(uint32_t *set, uint32_t v)
{
	while (set[v] != v) {
		set[v] = set[set[v]];
		v = set[v];
	}
	return v;
}

/* chord: by edge, then by block for the ways in. */
static int find_chords(const struct graph_function *f, const struct insert_numbered *n, bool *chord)
{
	uint32_t entry = f->block_count, exit = entry + 1, count = 0;
	struct link *links = malloc((f->edge_count + f->block_count + 1u) * sizeof *links);
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
			out += n->costs[e];
			links[count++] = (struct link){n->costs[e], b, to, e};
		}
		if (n->root[b])
			links[count++] = (struct link){out, entry, b, EDGES_INTO + b};
	}
	qsort(links, count, sizeof *links, by_cost);
	for (uint32_t v = 0; v < entry + 2; v++)
		set[v] = v;
	set[exit] = entry; /* nobody can count that one */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a = find(set, links[i].from), b = find(set, links[i].to);
		uint32_t at = links[i].word < EDGES_INTO ? links[i].word : f->edge_count + links[i].word - EDGES_INTO;
		chord[at] = a == b;
		set[a] = b;
	}
	free(links);
	free(set);
	return OBJECT_OK;
}

/* Numbers the chords; those in hot loops are counted in registers. */
static int hold(struct inserter *in, const struct graph *g, const struct graph_function *f,
    const struct insert_numbered *n, const bool *chord, uint64_t first, struct insert_held *held)
{
	uint32_t *list = malloc((f->edge_count + 1u) * sizeof *list);
	uint64_t *counters = malloc((f->edge_count + 1u) * sizeof *counters), next = first;
	size_t count = 0;
	int error = list == NULL || counters == NULL ? OBJECT_ENOMEM : insert_held_begin(held, in, g, f, n);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		for (uint32_t e = n->first[b]; e < n->first[b + 1]; e++) {
			if (chord[e] && n->to[e] != b) {
				list[count] = e;
				counters[count++] = next;
			}
			next += chord[e];
		}
		next += chord[f->edge_count + b];
	}
	if (error == OBJECT_OK)
		error = insert_held_choose(held, in, f, n, list, counters, count);
	free(list);
	free(counters);
	return error;
}

static int put(struct insert_job *job, struct inserter *in, const struct graph_function *f,
    const struct insert_numbered *n, const bool *chord, uint64_t first, bool registers, struct insert_result *result)
{
	struct insert_selves loops;
	struct insert_held held = {0};
	int error = insert_selves_begin(&loops, f);
	if (error == OBJECT_OK && registers)
		error = hold(in, job->graph, f, n, chord, first, &held);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		struct inserter_code code = {.op = INSERTER_COUNT};
		for (uint32_t e = n->first[b]; e < n->first[b + 1] && error == OBJECT_OK; e++) {
			uint64_t counter = first + result->counters;
			if (!chord[e])
				continue;
			result->counters++;
			error = insert_word(result, e);
			code.value = (int64_t)counter;
			if (error == OBJECT_OK && n->to[e] == b)
				error = insert_self(job, in, f, b, e, counter, &loops);
			else if (error == OBJECT_OK && !insert_held_has(&held, e))
				error = inserter_edge(in, f->edge_first + e, &code, 1);
		}
		if (!chord[f->edge_count + b] || error != OBJECT_OK)
			continue;
		code.value = (int64_t)(first + result->counters++);
		error = insert_word(result, EDGES_INTO + b);
		if (error == OBJECT_OK)
			error = inserter_enter(in, f->blocks + b, &code, 1);
	}
	if (error == OBJECT_OK)
		error = insert_held_put(&held, in, job->graph, f);
	insert_held_free(&held);
	return insert_selves_end(&loops, in, job->graph, f, error);
}

static int edges(struct insert_job *job, size_t function, uint64_t first, struct insert_result *result)
{
	const struct graph_function *f = &job->graph->functions[function];
	struct insert_numbered n;
	struct inserter *in = NULL;
	bool *chord = calloc(f->edge_count + f->block_count + 1u, sizeof *chord);
	int error = insert_number(job, f, result->limit, &n);
	if (chord == NULL)
		error = OBJECT_ENOMEM;
	if (error == OBJECT_OK)
		error = find_chords(f, &n, chord);
	/* a frame for what is saved may be what cannot be put in */
	for (int registers = 1; registers >= 0 && error == OBJECT_OK; registers--) {
		const struct insert_counts before = *job->counts;
		error = inserter_open(&in, &job->target, function);
		result->counters = result->word_count = 0;
		if (error == OBJECT_OK) {
			inserter_weights(in, n.weights);
			error = put(job, in, f, &n, chord, first, registers == 1, result);
		}
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
	return error;
}

const struct insert_profiler insert_profile_edges = {INSERT_EDGES, "edges", edges, NULL};
