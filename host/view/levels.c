/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/view/levels.h"
#include "host/base/order.h"

#include <stdbool.h>
#include <stdlib.h>

static uint32_t lane_depth(const struct level_call *call)
{
	return call->depth < LEVELS_DEEPEST ? call->depth : LEVELS_DEEPEST;
}

struct lane_key {
	uint64_t lane, begin; /* lane: process and depth */
	uint32_t call;
};

static int by_lane(const void *a, const void *b)
{
	const struct lane_key *x = a, *y = b;
	return order_then(
	    ORDER_UP(x->lane, y->lane), order_then(ORDER_UP(x->begin, y->begin), ORDER_UP(x->call, y->call)));
}

uint32_t *levels_order(const struct level_call *calls, size_t count)
{
	struct lane_key *keys = calloc(count + 1, sizeof *keys);
	uint32_t *order = malloc((count + 1) * sizeof *order);
	if (keys == NULL || order == NULL) {
		free(keys);
		free(order);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t lane = (uint64_t)calls[i].process << 32 | lane_depth(&calls[i]);
		keys[i] = (struct lane_key){lane, calls[i].begin, (uint32_t)i};
	}
	qsort(keys, count, sizeof *keys, by_lane);
	for (size_t i = 0; i < count; i++)
		order[i] = keys[i].call;
	free(keys);
	return order;
}

struct share { /* of the bar that grows */
	uint64_t time;
	bool met;
};

struct merger {
	const struct level_call *calls;
	const uint32_t *order;
	size_t count, functions;
	struct share *shares; /* of each function; the last one: none. Zero between two bars */
	uint32_t *met;        /* functions of the bar, as they came */
	size_t met_count;
};

static size_t place_of(const struct merger *merger, const struct level_call *call)
{
	return call->function < merger->functions ? call->function : merger->functions;
}

/* How many calls from `first` on are one bar. */
static size_t bar_length(const struct merger *merger, size_t first, uint64_t cell)
{
	const struct level_call *begin = &merger->calls[merger->order[first]];
	size_t length = 1;
	if (begin->length >= cell)
		return 1;
	for (; first + length < merger->count; length++) {
		const struct level_call *next = &merger->calls[merger->order[first + length]];
		if (next->process != begin->process || lane_depth(next) != lane_depth(begin) || next->length >= cell ||
		    next->begin + next->length > begin->begin + cell)
			break;
	}
	return length;
}

static void add_share(struct merger *merger, const struct level_call *call)
{
	const size_t place = place_of(merger, call);
	struct share *share = &merger->shares[place];
	if (!share->met)
		merger->met[merger->met_count++] = (uint32_t)place;
	share->met = true;
	share->time += call->length;
}

static struct level_bar merge_calls(struct merger *merger, size_t first, size_t length)
{
	struct level_bar bar = {.calls = (uint32_t)length};
	for (size_t i = first; i < first + length; i++) {
		const struct level_call *call = &merger->calls[merger->order[i]];
		add_share(merger, call);
		bar.busy += call->length;
	}
	size_t best = merger->met[0];
	for (size_t k = 1; k < merger->met_count; k++) {
		if (merger->shares[merger->met[k]].time > merger->shares[best].time)
			best = merger->met[k];
	}
	bar.function = best == merger->functions ? UINT32_MAX : (uint32_t)best;
	bar.covered = merger->shares[best].time;
	for (size_t k = 0; k < merger->met_count; k++)
		merger->shares[merger->met[k]] = (struct share){0, false};
	merger->met_count = 0;
	return bar;
}

static bool add_bar(struct levels *levels, struct level_bar bar)
{
	if (levels->bar_count == levels->bar_room) {
		const size_t room = levels->bar_room == 0 ? 1024 : 2 * levels->bar_room;
		struct level_bar *grown = realloc(levels->bars, room * sizeof *grown);
		if (grown == NULL)
			return false;
		levels->bars = grown;
		levels->bar_room = room;
	}
	levels->bars[levels->bar_count++] = bar;
	return true;
}

static int make_level(struct levels *levels, struct merger *merger, uint64_t cell, bool *worth)
{
	const size_t before = levels->bar_count;
	*worth = true;
	for (size_t first = 0; first < merger->count && *worth;) {
		const size_t length = bar_length(merger, first, cell);
		if (!add_bar(levels, merge_calls(merger, first, length)))
			return LEVELS_ENOMEM;
		first += length;
		*worth = 4 * (levels->bar_count - before) <= 3 * merger->count;
	}
	if (*worth)
		levels->level[levels->count++] = (struct level){cell, levels->bar_count - before};
	else
		levels->bar_count = before;
	return LEVELS_OK;
}

int levels_make(struct levels *levels, const struct level_call *calls, size_t count, size_t functions, uint64_t length)
{
	struct merger merger = {.calls = calls, .count = count, .functions = functions};
	uint32_t *order = levels_order(calls, count);
	int error = LEVELS_OK;
	bool worth = count > 1;
	*levels = (struct levels){.count = 0};
	merger.order = order;
	merger.shares = calloc(functions + 1, sizeof *merger.shares);
	merger.met = calloc(functions + 1, sizeof *merger.met);
	if (order == NULL || merger.shares == NULL || merger.met == NULL)
		error = LEVELS_ENOMEM;
	uint64_t cell = length / LEVELS_CELLS;
	for (; error == LEVELS_OK && worth && cell > 1 && levels->count < LEVELS_MAX; cell /= 4)
		error = make_level(levels, &merger, cell, &worth);
	free(order);
	free(merger.shares);
	free(merger.met);
	if (error != LEVELS_OK)
		levels_fini(levels);
	return error;
}

void levels_fini(struct levels *levels)
{
	free(levels->bars);
	*levels = (struct levels){.count = 0};
}
