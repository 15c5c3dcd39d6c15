/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/paths/chords.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/graph/sets.h"

struct link { /* an edge of the graph with dummies, with ENTRY = count and EXIT = count + 1 */
	uint64_t weight, value;
	uint32_t from, to;
	uint32_t index;
	uint8_t what; /* 0: EXIT -> ENTRY, 1: edge, 2: v -> EXIT, 3: ENTRY -> v */
};

static int links_by_weight(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	if ((x->what == 0) != (y->what == 0)) /* EXIT -> ENTRY can carry no code: it must be in the tree */
		return x->what == 0 ? -1 : 1;
	return order_then(
	    ORDER_DOWN(x->weight, y->weight), order_then(ORDER_UP(x->what, y->what), ORDER_UP(x->index, y->index)));
}

void chords_dummies(const struct numbering *n, const uint64_t *weights, uint64_t *leave, uint64_t *enter)
{
	const struct numbering_graph *g = &n->graph;
	uint64_t through = 0;
	for (uint32_t v = 0; v < g->count; v++)
		leave[v] = enter[v] = 0;
	for (uint32_t i = 0; i < n->ordered; i++) {
		uint32_t v = n->order[i];
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint64_t weight = weights == NULL ? 1 : weights[e];
			if (n->kind[e] == NUMBERING_BACK || n->kind[e] == NUMBERING_CUT) {
				leave[v] += weight;
				enter[g->to[e]] += weight;
			}
		}
	}
	/* what comes in at the entry goes on from there */
	for (uint32_t e = g->first[g->entry]; e < g->first[g->entry + 1]; e++)
		through += weights == NULL || n->kind[e] == NUMBERING_SELF ? 0 : weights[e];
	if (through > enter[g->entry])
		enter[g->entry] = through;
}

/* All edges of the graph with dummies. */
static size_t collect_chord_links(const struct numbering *n, const struct chords_weights *w, struct link *links)
{
	const struct numbering_graph *g = &n->graph;
	uint32_t entry = g->count, exit = g->count + 1;
	size_t used = 0;
	links[used++] = (struct link){.from = exit, .to = entry, .weight = UINT64_MAX};
	for (uint32_t i = 0; i < n->ordered; i++) {
		uint32_t v = n->order[i];
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			if (n->kind[e] == NUMBERING_PLAIN)
				links[used++] = (struct link){.from = v,
				    .to = g->to[e] == NUMBERING_EXIT ? exit : g->to[e],
				    .weight = w->edge == NULL ? 1 : w->edge[e],
				    .value = n->value[e],
				    .index = e,
				    .what = 1};
		}
	}
	for (uint32_t i = 0; i < n->ordered; i++) {
		uint32_t v = n->order[i];
		if (n->leave[v] != NUMBERING_NONE)
			links[used++] = (struct link){
			    .from = v, .to = exit, .weight = w->leave[v], .value = n->leave[v], .index = v, .what = 2};
		if (n->enter[v] != NUMBERING_NONE)
			links[used++] = (struct link){
			    .from = entry, .to = v, .weight = w->enter[v], .value = n->enter[v], .index = v, .what = 3};
	}
	return used;
}

/* p(v) along the tree from ENTRY. */
static int find_potentials(const struct link *links, size_t count, const bool *tree, uint32_t vertices, uint64_t *p)
{
	size_t *first = calloc(vertices + 1u, sizeof *first), *around = malloc((2 * count + 1) * sizeof *around);
	uint32_t *queue = malloc(vertices * sizeof *queue);
	bool *seen = calloc(vertices, sizeof *seen);
	int error = first == NULL || around == NULL || queue == NULL || seen == NULL ? NUMBERING_ENOMEM : NUMBERING_OK;
	uint32_t head = 0, tail = 0;
	for (int round = 0; round < 2 && error == NUMBERING_OK; round++) {
		for (size_t i = 0; i < count; i++) {
			if (!tree[i])
				continue;
			if (round == 0) {
				first[links[i].from]++;
				first[links[i].to]++;
			} else {
				around[--first[links[i].from]] = i;
				around[--first[links[i].to]] = i;
			}
		}
		for (uint32_t v = 0; v < vertices && round == 0; v++)
			first[v + 1] += first[v];
	}
	if (error == NUMBERING_OK) {
		queue[tail++] = vertices - 2;
		seen[vertices - 2] = true;
	}
	while (head < tail) {
		uint32_t v = queue[head++];
		for (size_t i = first[v]; i < first[v + 1]; i++) {
			const struct link *link = &links[around[i]];
			uint32_t other = link->from == v ? link->to : link->from;
			if (seen[other])
				continue;
			seen[other] = true;
			p[other] = link->from == v ? p[v] + link->value : p[v] - link->value;
			queue[tail++] = other;
		}
	}
	free(first);
	free(around);
	free(queue);
	free(seen);
	return error;
}

static void take_chord(struct chords *chords, const struct link *link, uint64_t increment)
{
	chords->chords++;
	chords->weight += link->weight;
	switch (link->what) {
	case 1:
		chords->chord[link->index] = true;
		chords->increment[link->index] = increment;
		break;
	case 2:
		chords->leave_chord[link->index] = true;
		chords->leave[link->index] = increment;
		break;
	default:
		chords->enter_chord[link->index] = true;
		chords->enter[link->index] = increment;
		break;
	}
}

/*
 * The heaviest edges become a tree, in which nothing is counted. p(v) is the sum of the values along
 * the tree from ENTRY to v; a chord from v to w adds p(v) + its value - p(w), so each path ends with the sum of its
 * values, whichever chords it takes:
 *
 *   ENTRY ──100──► A ──70, value 0──► B ──70──► D ──100──► EXIT ──(always in the tree)──► ENTRY
 *                  └───30, value 1──► C ──30──► D
 *
 *   tree     EXIT-ENTRY, ENTRY-A, D-EXIT, A-B, A-C        p: A 0, B 0, C 1, D 0
 *   chords   B-D adds p(B) + 0 - p(D) = 0                 path A B D: 0
 *            C-D adds p(C) + 0 - p(D) = 1                 path A C D: 1
 *
 * An addition of 0 needs no code: of the two paths only the cold one has any.
 */
int chords_make_by(struct chords *chords, const struct numbering *n, const struct chords_weights *weights)
{
	const struct numbering_graph *g = &n->graph;
	size_t edges = g->first[g->count], vertices = (size_t)g->count + 2, count = 0;
	*chords = (struct chords){.chord = calloc(edges + 1, sizeof(bool)),
	    .leave_chord = calloc(g->count, sizeof(bool)),
	    .enter_chord = calloc(g->count, sizeof(bool)),
	    .increment = calloc(edges + 1, sizeof(uint64_t)),
	    .leave = calloc(g->count, sizeof(uint64_t)),
	    .enter = calloc(g->count, sizeof(uint64_t))};
	struct link *links = malloc((edges + 2 * vertices + 1) * sizeof *links);
	bool *tree = calloc(edges + 2 * vertices + 1, sizeof *tree);
	uint32_t *set = malloc(vertices * sizeof *set);
	uint64_t *p = calloc(vertices, sizeof *p);
	int error = chords->chord == NULL || chords->leave_chord == NULL || chords->enter_chord == NULL ||
			    chords->increment == NULL || chords->leave == NULL || chords->enter == NULL ||
			    links == NULL || tree == NULL || set == NULL || p == NULL
			? NUMBERING_ENOMEM
			: NUMBERING_OK;
	if (error == NUMBERING_OK) {
		count = collect_chord_links(n, weights, links);
		qsort(links, count, sizeof *links, links_by_weight);
		sets_single(set, (uint32_t)vertices);
		for (size_t i = 0; i < count; i++) {
			uint32_t a = sets_of(set, links[i].from), b = sets_of(set, links[i].to);
			tree[i] = a != b;
			set[a] = b;
		}
		error = find_potentials(links, count, tree, (uint32_t)vertices, p);
	}
	for (size_t i = 0; i < count && error == NUMBERING_OK; i++) {
		if (!tree[i])
			take_chord(chords, &links[i], p[links[i].from] + links[i].value - p[links[i].to]);
	}
	free(links);
	free(tree);
	free(set);
	free(p);
	if (error != NUMBERING_OK)
		chords_free(chords);
	return error;
}

int chords_make(struct chords *chords, const struct numbering *n, const uint64_t *weights)
{
	uint64_t *leave = calloc(n->graph.count + 1u, sizeof *leave),
		 *enter = calloc(n->graph.count + 1u, sizeof *enter);
	int error = leave == NULL || enter == NULL ? NUMBERING_ENOMEM : NUMBERING_OK;
	*chords = (struct chords){0};
	if (error == NUMBERING_OK) {
		chords_dummies(n, weights, leave, enter);
		error = chords_make_by(chords, n, &(struct chords_weights){weights, leave, enter});
	}
	free(leave);
	free(enter);
	return error;
}

void chords_free(struct chords *chords)
{
	free(chords->chord);
	free(chords->leave_chord);
	free(chords->enter_chord);
	free(chords->increment);
	free(chords->leave);
	free(chords->enter);
	*chords = (struct chords){0};
}
