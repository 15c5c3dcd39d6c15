/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/repetitions.h"
#include "host/base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct repetition_walk {
	struct phase_repetitions *all;
	const struct phase_grammar *grammar;
	const struct segments *segments;
	const struct intervals *intervals;
	uint32_t at;       /* segment that comes next */
	uint32_t *numbers; /* repetition of each item that opens one, and one more; 0: not met yet */
};

static size_t close_of(const struct phase_grammar *g, size_t open)
{
	unsigned depth = 1;
	size_t at = open;
	while (depth > 0) {
		at++;
		if (g->item[at].kind == GRAMMAR_OPEN)
			depth++;
		else if (g->item[at].kind == GRAMMAR_CLOSE)
			depth--;
	}
	return at;
}

static bool same_items(const struct phase_grammar *a, const struct phase_grammar *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->item[i].kind != b->item[i].kind || a->item[i].value != b->item[i].value)
			return false;
	return true;
}

static uint32_t layer_of(const struct phase_grammar *part)
{
	uint32_t depth = 0, deepest = 0;
	for (size_t i = 0; i < part->count; i++) {
		if (part->item[i].kind == GRAMMAR_OPEN)
			depth++;
		else if (part->item[i].kind == GRAMMAR_CLOSE)
			depth--;
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

/* The same repetition may stand at several places of the grammar. */
static uint32_t repetition_number(struct repetition_walk *w, size_t open, size_t close, unsigned depth)
{
	struct phase_repetitions *all = w->all;
	if (w->numbers[open] > 0)
		return w->numbers[open] - 1;
	const struct phase_grammar part = {
	    .item = &w->grammar->item[open], .count = close - open + 1, .depth = w->grammar->depth + depth};
	uint32_t number = 0;
	while (number < all->count && !same_items(&all->repetition[number].part, &part))
		number++;
	w->numbers[open] = number + 1;
	if (number == all->count) {
		all->repetition[all->count++] = (struct phase_repetition){
		    .layer = layer_of(&part), .trips = w->grammar->item[close].value, .part = part};
		if (all->repetition[number].layer > all->layers)
			all->layers = all->repetition[number].layer;
	}
	return number;
}

/* Neighbouring segments of one phase are one symbol. */
static void pass_phase(struct repetition_walk *w, uint32_t phase)
{
	while (w->at < w->segments->count && w->segments->segment[w->at].phase == phase)
		w->at++;
}

static uint64_t instructions_between(const struct repetition_walk *w, uint32_t first, uint32_t behind)
{
	uint64_t sum = 0;
	for (uint32_t s = first; s < behind; s++)
		for (uint32_t i = 0; i < w->segments->segment[s].count; i++)
			sum += w->intervals->interval[w->segments->segment[s].first + i].instructions;
	return sum;
}

/* As deep as the grammar. */
static void walk_repetitions(struct repetition_walk *w, size_t from, size_t behind, unsigned depth)
{
	for (size_t i = from; i < behind; i++) {
		const struct phase_grammar_item *item = &w->grammar->item[i];
		if (item->kind == GRAMMAR_PHASE) {
			pass_phase(w, item->value);
			continue;
		}
		const size_t close = close_of(w->grammar, i);
		const uint32_t number = repetition_number(w, i, close, depth);
		const uint32_t run = w->all->runs++;
		w->all->run[run] = (struct phase_run){.repetition = number, .first = w->at};
		for (uint32_t trip = 0; trip < w->grammar->item[close].value; trip++)
			walk_repetitions(w, i + 1, close, depth + 1);
		w->all->run[run].behind = w->at;
		w->all->repetition[number].runs++;
		w->all->repetition[number].instructions += instructions_between(w, w->all->run[run].first, w->at);
		i = close;
	}
}

struct numbered_repetition {
	struct phase_repetition repetition;
	uint32_t number;
};

static int by_layer(const void *a, const void *b)
{
	const struct numbered_repetition *x = a, *y = b;
	return order_then(ORDER_UP(x->repetition.layer, y->repetition.layer), ORDER_UP(x->number, y->number));
}

static bool order_by_layer(struct phase_repetitions *all)
{
	struct numbered_repetition *rows = calloc((size_t)all->count + 1, sizeof *rows);
	uint32_t *place = calloc((size_t)all->count + 1, sizeof *place);
	const bool ok = rows != NULL && place != NULL;
	for (uint32_t i = 0; ok && i < all->count; i++)
		rows[i] = (struct numbered_repetition){all->repetition[i], i};
	if (ok)
		qsort(rows, all->count, sizeof *rows, by_layer);
	for (uint32_t i = 0; ok && i < all->count; i++) {
		all->repetition[i] = rows[i].repetition;
		place[rows[i].number] = i;
	}
	for (uint32_t r = 0; ok && r < all->runs; r++)
		all->run[r].repetition = place[all->run[r].repetition];
	free(rows);
	free(place);
	return ok;
}

int phase_repetitions_make(struct phase_repetitions *all, const struct phase_grammar *grammar,
    const struct segments *segments, const struct intervals *intervals)
{
	struct repetition_walk w = {.all = all, .grammar = grammar, .segments = segments, .intervals = intervals};
	*all = (struct phase_repetitions){0};
	if (grammar->count == 0)
		return PHASES_OK;
	/* each run has two segments or more that no other run of its item has: fewer runs than segments */
	all->repetition = calloc(grammar->count, sizeof *all->repetition);
	all->run = calloc((size_t)segments->count + 1, sizeof *all->run);
	w.numbers = calloc(grammar->count, sizeof *w.numbers);
	bool ok = all->repetition != NULL && all->run != NULL && w.numbers != NULL;
	if (ok) {
		walk_repetitions(&w, 0, grammar->count, 0);
		ok = order_by_layer(all);
	}
	free(w.numbers);
	if (!ok)
		phase_repetitions_free(all);
	return ok ? PHASES_OK : PHASES_ENOMEM;
}

void phase_repetitions_free(struct phase_repetitions *all)
{
	free(all->repetition);
	free(all->run);
	*all = (struct phase_repetitions){0};
}

void phase_layer_name(uint32_t layer, char text[PHASE_LAYER_NAME_MAX])
{
	if (layer <= 1)
		snprintf(text, PHASE_LAYER_NAME_MAX, "strata");
	else
		snprintf(text, PHASE_LAYER_NAME_MAX, "stratum layer %" PRIu32, layer - 2);
}
