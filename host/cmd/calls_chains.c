/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/calls_chains.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>

struct sorted {
	const struct chain_context *contexts;
	uint64_t depth;
	uint32_t context;
};

static int compare_chains(const struct chain_context *c, uint64_t depth, uint32_t a, uint32_t b)
{
	for (uint64_t i = 0; i < depth && (a != 0 || b != 0); i++) {
		if (a == 0 || b == 0)
			return a == 0 ? -1 : 1;
		if (c[a].function != c[b].function)
			return c[a].function < c[b].function ? -1 : 1;
		a = c[a].parent;
		b = c[b].parent;
	}
	return 0;
}

static int by_chain(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int order = compare_chains(x->contexts, x->depth, x->context, y->context);
	return order != 0 ? order : (x->context > y->context) - (x->context < y->context);
}

static int chains_by_inclusive(const void *a, const void *b)
{
	const struct chain *x = a, *y = b;
	return order_then(ORDER_DOWN(x->sums.inclusive, y->sums.inclusive), ORDER_UP(x->context, y->context));
}

static bool chain_goes_on(const struct chain_context *c, uint64_t depth, uint32_t context)
{
	for (uint64_t i = 0; i < depth && context != 0; i++)
		context = c[context].parent;
	return context != 0;
}

/* inside: of a context below one with the same chain. */
static void add_chain_sums(struct calls_sums *to, const struct calls_sums *from, bool inside)
{
	to->calls += from->calls;
	to->self += from->self;
	to->inclusive += inside ? 0 : from->inclusive;
	if (from->calls > 0) {
		to->least = from->least < to->least ? from->least : to->least;
		to->most = from->most > to->most ? from->most : to->most;
	}
}

struct chain *chains_make(const struct chain_context *c, size_t contexts, uint64_t depth, size_t *count)
{
	struct sorted *all = calloc(contexts + 1, sizeof *all);
	struct chain *chains = calloc(contexts + 1, sizeof *chains);
	*count = 0;
	for (uint32_t i = 1; all != NULL && chains != NULL && i < contexts; i++)
		all[i - 1] = (struct sorted){c, depth, i};
	if (all == NULL || chains == NULL || contexts == 0) {
		free(all);
		if (contexts == 0)
			return chains;
		free(chains);
		return NULL;
	}
	qsort(all, contexts - 1, sizeof *all, by_chain);
	for (size_t i = 0; i + 1 < contexts; i++) {
		uint32_t at = all[i].context;
		if (i == 0 || compare_chains(c, depth, all[i - 1].context, at) != 0)
			chains[(*count)++] = (struct chain){.context = at, .sums.least = UINT64_MAX};
		struct chain *to = &chains[*count - 1];
		bool inside = false;
		for (uint32_t k = c[at].parent; k != 0 && !inside; k = c[k].parent)
			inside = compare_chains(c, depth, k, at) == 0;
		to->more = to->more || chain_goes_on(c, depth, at);
		add_chain_sums(&to->sums, &c[at].sums, inside);
	}
	free(all);
	qsort(chains, *count, sizeof *chains, chains_by_inclusive);
	return chains;
}

void chains_text(const struct chain_view *v, const struct chain *chain, char *text, size_t size)
{
	uint32_t way[1000], length = 0;
	for (uint32_t k = chain->context; k != 0 && length < v->depth && length < 1000; k = v->contexts[k].parent)
		way[length++] = k;
	size_t used = (size_t)snprintf(text, size, "%s", chain->more ? "... > " : "");
	while (length-- > 0 && used < size)
		used += (size_t)snprintf(text + used, size - used, "%.200s%s",
		    v->name(v->context, v->contexts[way[length]].function), length > 0 ? " > " : "");
}

void calls_cells(struct table_cell *cells, size_t rank, uint64_t all, const struct calls_sums *sums)
{
	const double whole = all > 0 ? (double)all : 1;
	cells[CALLS_RANK] = table_number(rank);
	cells[CALLS_SELF_SHARE] = table_real((double)sums->self / whole);
	cells[CALLS_SHARE] = table_real((double)sums->inclusive / whole);
	cells[CALLS_CALLS] = table_number(sums->calls);
	cells[CALLS_SELF] = table_number(sums->self);
	cells[CALLS_INCLUSIVE] = table_number(sums->inclusive);
	cells[CALLS_LEAST] = table_number(sums->calls > 0 ? sums->least : 0);
	cells[CALLS_MOST] = table_number(sums->most);
}

int chains_print(const struct chain_view *v, size_t context_count, enum table_format format, struct json *json)
{
	enum { COLUMN_CHAIN = CALLS_COLUMNS, COLUMNS };
	static const struct table_column columns[COLUMNS] = {
	    CALLS_COLUMN_LIST, [COLUMN_CHAIN] = {.title = "chain", .key = "chain", .form = TABLE_WORDS, .gap = "  "}};
	const struct table table = {columns, COLUMNS, format, stdout, json, .name = "by_chain"};
	size_t count;
	char text[2048];
	struct chain *chains = chains_make(v->contexts, context_count, v->depth, &count);
	if (chains == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	table_begin(&table);
	for (size_t i = 0; i < count && (format == TABLE_JSON || i < v->top); i++) {
		struct table_cell cells[COLUMNS];
		chains_text(v, &chains[i], text, sizeof text);
		calls_cells(cells, i + 1, v->all, &chains[i].sums);
		for (int k = CALLS_SELF_SHARE; k < CALLS_COLUMNS && v->contexts[chains[i].context].uncounted; k++) {
			if (k != CALLS_SHARE && k != CALLS_INCLUSIVE)
				cells[k] = table_unknown();
		}
		cells[COLUMN_CHAIN] = table_words(text);
		table_row(&table, cells);
	}
	table_end(&table);
	free(chains);
	return STATUS_OK;
}
