/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/place.h"
#include "host/base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "host/graph/sets.h"

struct way { /* an edge of the graph with dummies */
	uint32_t from, to;
	struct place_code *code;
	uint64_t increment;
	bool chord, set;
};

struct work {
	struct way *ways;
	size_t count;
	size_t *first_out, *out, *first_in, *in; /* ways by vertex */
	uint32_t *stack;
	uint32_t *begins; /* by vertex that initialisation moves to: where its paths begin */
};

static size_t collect_ways(const struct numbering *n, const struct chords *c, struct placement *p, struct way *ways)
{
	const struct numbering_graph *g = &n->graph;
	uint32_t entry = g->count, exit = g->count + 1;
	size_t used = 0;
	for (uint32_t i = 0; i < n->ordered; i++) {
		uint32_t v = n->order[i];
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			if (n->kind[e] != NUMBERING_PLAIN)
				continue;
			ways[used++] = (struct way){v, g->to[e] == NUMBERING_EXIT ? exit : g->to[e], &p->edge[e],
			    c->increment[e], c->chord[e], false};
		}
		if (n->leave[v] != NUMBERING_NONE)
			ways[used++] = (struct way){v, exit, &p->leave[v], c->leave[v], c->leave_chord[v], false};
		if (n->enter[v] != NUMBERING_NONE)
			ways[used++] = (struct way){entry, v, &p->enter[v], c->enter[v], c->enter_chord[v], false};
	}
	return used;
}

static int index_ways(struct work *w, uint32_t vertices)
{
	w->first_out = calloc(vertices + 1u, sizeof *w->first_out);
	w->first_in = calloc(vertices + 1u, sizeof *w->first_in);
	w->out = malloc((w->count + 1) * sizeof *w->out);
	w->in = malloc((w->count + 1) * sizeof *w->in);
	w->stack = malloc((w->count + vertices + 1) * sizeof *w->stack);
	w->begins = calloc(vertices, sizeof *w->begins);
	if (w->first_out == NULL || w->first_in == NULL || w->out == NULL || w->in == NULL || w->stack == NULL ||
	    w->begins == NULL)
		return NUMBERING_ENOMEM;
	for (size_t i = 0; i < w->count; i++) {
		w->first_out[w->ways[i].from]++;
		w->first_in[w->ways[i].to]++;
	}
	for (uint32_t v = 0; v < vertices; v++) {
		w->first_out[v + 1] += w->first_out[v];
		w->first_in[v + 1] += w->first_in[v];
	}
	for (size_t i = w->count; i-- > 0;) {
		w->out[--w->first_out[w->ways[i].from]] = i;
		w->in[--w->first_in[w->ways[i].to]] = i;
	}
	return NUMBERING_OK;
}

/* Where a path is cut, it is counted there: what counts says how it goes on. */
static bool leaves_by_cut(const struct numbering *n, const struct placement *p, const struct place_code *code)
{
	if (code < p->leave || code >= p->leave + n->graph.count)
		return false;
	const size_t v = (size_t)(code - p->leave);
	for (uint32_t e = n->graph.first[v]; e < n->graph.first[v + 1]; e++) {
		if (n->kind[e] == NUMBERING_CUT)
			return true;
	}
	return false;
}

int place_make(struct placement *p, const struct numbering *n, const struct chords *c, bool early)
{
	const struct numbering_graph *g = &n->graph;
	size_t edges = g->first[g->count];
	uint32_t vertices = g->count + 2, depth = 0;
	struct work w = {.ways = malloc((edges + 2 * (size_t)g->count + 1) * sizeof *w.ways)};
	*p = (struct placement){.edge = calloc(edges + 1, sizeof *p->edge),
	    .leave = calloc(g->count + 1u, sizeof *p->leave),
	    .enter = calloc(g->count + 1u, sizeof *p->enter)};
	int error =
	    w.ways == NULL || p->edge == NULL || p->leave == NULL || p->enter == NULL ? NUMBERING_ENOMEM : NUMBERING_OK;
	if (error == NUMBERING_OK) {
		w.count = collect_ways(n, c, p, w.ways);
		error = index_ways(&w, vertices);
	}
	if (error == NUMBERING_OK)
		w.stack[depth++] = g->count; /* ENTRY */
	while (error == NUMBERING_OK && depth > 0) {
		uint32_t v = w.stack[--depth];
		for (size_t i = w.first_out[v]; i < w.first_out[v + 1]; i++) {
			struct way *way = &w.ways[w.out[i]];
			const uint32_t begin = v == g->count ? way->to : w.begins[v];
			if (way->chord) {
				*way->code =
				    (struct place_code){PLACE_SET, PLACE_NO_COUNT, begin, (int64_t)way->increment};
				way->set = true;
			} else if (!early && way->to != g->count + 1 &&
				   w.first_in[way->to + 1] - w.first_in[way->to] == 1) {
				w.begins[way->to] = begin;
				w.stack[depth++] = way->to;
			} else {
				*way->code = (struct place_code){PLACE_SET, PLACE_NO_COUNT, begin, 0};
				way->set = true;
			}
		}
	}
	if (error == NUMBERING_OK)
		w.stack[depth++] = g->count + 1; /* EXIT */
	while (error == NUMBERING_OK && depth > 0) {
		uint32_t v = w.stack[--depth];
		for (size_t i = w.first_in[v]; i < w.first_in[v + 1]; i++) {
			struct way *way = &w.ways[w.in[i]];
			bool only = w.first_out[way->from + 1] - w.first_out[way->from] == 1;
			if (way->set) /* initialises and counts: r is not needed */
				*way->code = (struct place_code){
				    PLACE_NOTHING, PLACE_COUNT, 0, way->chord ? (int64_t)way->increment : 0};
			else if (way->chord)
				*way->code =
				    (struct place_code){PLACE_NOTHING, PLACE_COUNT_AT, 0, (int64_t)way->increment};
			else if (only && way->from != g->count && !(early && leaves_by_cut(n, p, way->code)))
				w.stack[depth++] = way->from;
			else
				*way->code = (struct place_code){PLACE_NOTHING, PLACE_COUNT_AT, 0, 0};
		}
	}
	for (size_t i = 0; error == NUMBERING_OK && i < w.count; i++) {
		struct way *way = &w.ways[i];
		if (way->chord && way->code->step == PLACE_NOTHING && way->code->count == PLACE_NO_COUNT &&
		    way->increment != 0)
			*way->code = (struct place_code){PLACE_ADD, PLACE_NO_COUNT, 0, (int64_t)way->increment};
		p->uses_register = p->uses_register || way->code->count == PLACE_COUNT_AT;
	}
	/* nobody reads r */
	for (size_t i = 0; error == NUMBERING_OK && !p->uses_register && i < w.count; i++)
		w.ways[i].code->step = PLACE_NOTHING;
	free(w.ways);
	free(w.first_out);
	free(w.first_in);
	free(w.out);
	free(w.in);
	free(w.stack);
	free(w.begins);
	if (error != NUMBERING_OK)
		place_free(p);
	return error;
}

/* A count in a part of the graph in which r can be moved. */
struct counted_at {
	uint32_t part;
	int64_t value;
	uint64_t weight;
};

static int by_part(const void *a, const void *b)
{
	const struct counted_at *x = a, *y = b;
	return order_then(ORDER_UP(x->part, y->part), ORDER_UP(x->value, y->value));
}

#define WEIGHT_MAX (UINT64_C(1) << 50)
#define SHORT 32 /* counters that the 16-bit load and store reach, upwards */

/* What r is too large by in a part: so that the most frequent counts are reached by short instructions. Counts are
 * sorted by value, so that those within reach of each are together. */
static int64_t best_bias(const struct counted_at *c, size_t count, int64_t reach)
{
	uint64_t best = 0, within = 0, near = 0;
	int64_t shortly = reach < SHORT ? 1 : SHORT;
	int64_t found = c[0].value;
	size_t end = 0, far = 0;
	for (size_t i = 0; i < count; i++) {
		for (; end < count && (end == i || c[end].value - c[i].value < shortly); end++)
			within += c[end].weight + 1;
		for (; far < count && (far == i || c[far].value - c[i].value < reach); far++)
			near += c[far].weight + 1;
		if (within / 4 + near > best) {
			best = within / 4 + near;
			found = c[i].value;
		}
		within -= c[i].weight + 1;
		near -= c[i].weight + 1;
	}
	return found;
}

int place_bias(struct placement *p, const struct numbering *n, const uint64_t *weights, int64_t reach)
{
	const struct numbering_graph *g = &n->graph;
	size_t edges = g->first[g->count], count;
	uint32_t vertices = g->count + 2;
	const struct chords none = {.chord = calloc(edges + 1, sizeof(bool)),
	    .leave_chord = calloc(g->count + 1u, sizeof(bool)),
	    .enter_chord = calloc(g->count + 1u, sizeof(bool)),
	    .increment = calloc(edges + 1, sizeof(uint64_t)),
	    .leave = calloc(g->count + 1u, sizeof(uint64_t)),
	    .enter = calloc(g->count + 1u, sizeof(uint64_t))};
	struct way *ways = malloc((edges + 2 * (size_t)g->count + 1) * sizeof *ways);
	uint32_t *set = malloc(vertices * sizeof *set);
	struct counted_at *counts = malloc((edges + 2 * (size_t)g->count + 1) * sizeof *counts);
	uint64_t *out = calloc(vertices, sizeof *out);
	int64_t *bias = calloc(vertices, sizeof *bias);
	int error = none.chord == NULL || none.leave_chord == NULL || none.enter_chord == NULL ||
			    none.increment == NULL || none.leave == NULL || none.enter == NULL || ways == NULL ||
			    set == NULL || counts == NULL || out == NULL || bias == NULL
			? NUMBERING_ENOMEM
			: NUMBERING_OK;
	if (error == NUMBERING_OK) {
		size_t used = 0;
		count = collect_ways(n, &none, p, ways);
		sets_single(set, vertices);
		for (uint32_t v = 0; v < g->count; v++) {
			for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
				out[v] += n->kind[e] == NUMBERING_BACK || n->kind[e] == NUMBERING_CUT ? weights[e] : 0;
		}
		/* r goes on over what neither sets nor counts */
		for (size_t i = 0; i < count; i++) {
			const struct place_code *code = ways[i].code;
			if (code->count == PLACE_NO_COUNT && code->step != PLACE_SET && ways[i].from != g->count &&
			    ways[i].to != g->count + 1)
				sets_join(set, ways[i].from, ways[i].to);
		}
		for (size_t i = 0; i < count; i++) {
			const struct place_code *code = ways[i].code;
			bool plain = code >= p->edge && code < p->edge + edges;
			if (code->count != PLACE_COUNT_AT)
				continue;
			uint64_t weight = plain ? weights[code - p->edge] : out[ways[i].from];
			counts[used++] = (struct counted_at){
			    sets_of(set, ways[i].from), code->value, weight < WEIGHT_MAX ? weight : WEIGHT_MAX};
		}
		qsort(counts, used, sizeof *counts, by_part);
		for (size_t i = 0, next; i < used; i = next) {
			for (next = i + 1; next < used && counts[next].part == counts[i].part; next++)
				;
			bias[counts[i].part] = best_bias(counts + i, next - i, reach);
		}
		for (size_t i = 0; i < count; i++) {
			struct place_code *code = ways[i].code;
			if (code->count == PLACE_COUNT_AT)
				code->value -= bias[sets_of(set, ways[i].from)];
			else if (code->count == PLACE_NO_COUNT && code->step == PLACE_SET)
				code->value += bias[sets_of(set, ways[i].to)];
		}
	}
	free(none.chord);
	free(none.leave_chord);
	free(none.enter_chord);
	free(none.increment);
	free(none.leave);
	free(none.enter);
	free(ways);
	free(set);
	free(counts);
	free(out);
	free(bias);
	return error;
}

static bool sums_within(const struct place_code *code, size_t count, int64_t least, int64_t largest)
{
	for (size_t i = 0; i < count; i++) {
		if (code[i].value < (code[i].step == PLACE_SET ? least : -largest) || code[i].value > largest)
			return false;
	}
	return true;
}

bool place_within(const struct placement *p, const struct numbering *n, int64_t least, int64_t largest)
{
	return sums_within(p->edge, n->graph.first[n->graph.count], least, largest) &&
	       sums_within(p->leave, n->graph.count, least, largest) &&
	       sums_within(p->enter, n->graph.count, least, largest);
}

void place_free(struct placement *p)
{
	free(p->edge);
	free(p->leave);
	free(p->enter);
	*p = (struct placement){0};
}

int place_format(const struct place_code *code, char *text, size_t size)
{
	switch (code->count) {
	case PLACE_COUNT:
		return snprintf(text, size, "count[%" PRId64 "]++", code->value);
	case PLACE_COUNT_AT:
		if (code->value == 0)
			return snprintf(text, size, "count[r]++");
		return snprintf(text, size, "count[r %c %" PRId64 "]++", code->value < 0 ? '-' : '+',
		    code->value < 0 ? -code->value : code->value);
	default:
		break;
	}
	if (code->step == PLACE_SET)
		return snprintf(text, size, "r = %" PRId64, code->value);
	if (code->step == PLACE_ADD)
		return snprintf(text, size, "r %c= %" PRId64, code->value < 0 ? '-' : '+',
		    code->value < 0 ? -code->value : code->value);
	return snprintf(text, size, "-");
}
