/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/timing.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "host/base/hash.h"

struct timing {
	bool by_site;
	struct timing_row *rows;
	size_t count, room;
	struct hash table; /* of rows, by site and entry */
	uint32_t run;
	const struct stack_node *nodes; /* of the visit at hand */
	struct extremes *extremes;
	gather_watcher *also;
	extremes_watcher *also_ended;
	void *also_context;
};

int timing_open(struct timing **out, bool by_site)
{
	*out = calloc(1, sizeof **out);
	if (*out == NULL)
		return GATHER_ENOMEM;
	(*out)->by_site = by_site;
	(*out)->run = UINT32_MAX;
	return GATHER_OK;
}

void timing_close(struct timing *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->count; i++)
		free(t->rows[i].histogram);
	extremes_close(t->extremes);
	free(t->rows);
	hash_free(&t->table);
	free(t);
}

unsigned timing_bucket(uint64_t cycles)
{
	if (cycles < TIMING_STEPS)
		return (unsigned)cycles;
	unsigned top = 63 - (unsigned)__builtin_clzll(cycles);
	return (top - 3) * TIMING_STEPS + (unsigned)(cycles >> (top - 4) & (TIMING_STEPS - 1));
}

uint64_t timing_limit(unsigned bucket)
{
	if (bucket < TIMING_STEPS)
		return bucket;
	unsigned top = bucket / TIMING_STEPS + 3;
	uint64_t step = UINT64_C(1) << (top - 4);
	return (UINT64_C(1) << top) + (bucket % TIMING_STEPS) * step + step - 1;
}

uint64_t timing_permille(const struct timing_row *row, unsigned permille)
{
	uint64_t below = 0;
	unsigned __int128 wanted = (unsigned __int128)row->calls * permille;
	for (unsigned i = 0; i < TIMING_BUCKETS && row->histogram != NULL; i++) {
		below += row->histogram[i];
		if (below > 0 && (unsigned __int128)below * 1000 >= wanted)
			return timing_limit(i) < row->most ? timing_limit(i) : row->most;
	}
	return row->most;
}

/* ---- rows ---- */

struct wanted {
	const struct timing *timing;
	uint64_t site, entry;
};

static bool is_row(const void *context, uint32_t index)
{
	const struct wanted *w = context;
	const struct timing_row *row = &w->timing->rows[index];
	return row->site == w->site && row->entry == w->entry;
}

static struct timing_row *row_of(struct timing *t, const struct stack_node *node)
{
	uint64_t site = t->by_site && node->kind != STACK_TRAP ? node->site : 0;
	const struct wanted wanted = {t, site, node->entry};
	uint32_t hash = hash_of_two(site, node->entry);
	uint32_t index = hash_find(&t->table, hash, is_row, &wanted);
	if (index != HASH_NONE)
		return &t->rows[index];
	if (!array_room(&t->rows, t->count + 1, &t->room) || !hash_add(&t->table, hash, (uint32_t)t->count))
		return NULL;
	t->rows[t->count] = (struct timing_row){.site = site, .entry = node->entry};
	return &t->rows[t->count++];
}

void timing_chain(struct timing_row *row, const struct stack_node *nodes, uint32_t node)
{
	row->chain_length = 0;
	for (uint32_t i = nodes[node].parent; i != STACK_NOBODY; i = nodes[i].parent) {
		if (row->chain_length < TIMING_CHAIN)
			row->chain[row->chain_length] = nodes[i].entry;
		row->chain_length++;
	}
}

int timing_add(struct timing_row *row, const struct timing_time *time, bool *longest)
{
	if (row->histogram == NULL && (row->histogram = calloc(TIMING_BUCKETS, sizeof *row->histogram)) == NULL)
		return GATHER_ENOMEM;
	const bool first = row->calls++ == 0;
	row->histogram[timing_bucket(time->took)]++;
	row->sum += time->took;
	row->self_sum += time->self;
	row->least = first || time->took < row->least ? time->took : row->least;
	row->self_least = first || time->self < row->self_least ? time->self : row->self_least;
	row->self_most = time->self > row->self_most ? time->self : row->self_most;
	*longest = first || time->took > row->most;
	if (*longest) {
		row->most = time->took;
		row->worst_from = time->from;
		row->worst_time = time->time;
		row->worst_run = time->run;
	}
	return GATHER_OK;
}

static int take_timed_call(void *context, const struct extremes_ended *ended)
{
	struct timing *t = context;
	const struct stack_node *node = &t->nodes[ended->node];
	if (t->also_ended != NULL && t->also_ended(t->also_context, ended) != 0)
		return 1;
	struct timing_row *row = row_of(t, node);
	if (row == NULL)
		return 1;
	row->trap = row->trap || node->kind == STACK_TRAP;
	if (!ended->whole) {
		row->parts++;
		return 0;
	}
	const struct timing_time time = {ended->took, ended->self, ended->from, ended->time, t->run};
	bool longest;
	if (timing_add(row, &time, &longest) != GATHER_OK)
		return 1;
	if (longest)
		timing_chain(row, t->nodes, ended->node);
	return 0;
}

/* ---- runs ---- */

static int visit_timed(void *context, const struct gather_visit *visit)
{
	struct timing *t = context;
	t->nodes = visit->nodes;
	int error = extremes_visit(t->extremes, visit);
	return error == GATHER_OK && t->also != NULL ? t->also(t->also_context, visit) : error;
}

int timing_begin(struct timing *t, struct gather *gather, bool by_instructions)
{
	int error = extremes_open(&t->extremes);
	if (error == GATHER_OK && by_instructions)
		extremes_by_instructions(t->extremes);
	if (error != GATHER_OK)
		return error;
	t->run++;
	extremes_watch(t->extremes, take_timed_call, t);
	gather_watch(gather, t->also != NULL ? GATHER_VISITS : GATHER_CONTEXTS, visit_timed, t);
	return GATHER_OK;
}

void timing_also(struct timing *t, gather_watcher *watcher, extremes_watcher *ended, void *context)
{
	t->also = watcher;
	t->also_ended = ended;
	t->also_context = context;
}

int timing_end(struct timing *t)
{
	size_t count;
	bool good = t->nodes == NULL || extremes_finish(t->extremes, &count) != NULL || count == 0;
	extremes_close(t->extremes);
	t->extremes = NULL;
	t->nodes = NULL;
	t->also = NULL;
	t->also_ended = NULL;
	return good ? GATHER_OK : GATHER_ENOMEM;
}

static int compare_rows(const void *a, const void *b)
{
	const struct timing_row *x = a, *y = b;
	return order_then(
	    ORDER_DOWN(x->most, y->most), order_then(ORDER_UP(x->entry, y->entry), ORDER_UP(x->site, y->site)));
}

void timing_sort(struct timing_row *rows, size_t count)
{
	if (count > 0)
		qsort(rows, count, sizeof *rows, compare_rows);
}

const struct timing_row *timing_rows(struct timing *t, size_t *count)
{
	timing_sort(t->rows, t->count);
	*count = t->count;
	hash_free(&t->table); /* it says the old order */
	return t->rows;
}
