/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/calls_chains.h"

#include <stdlib.h>
#include <string.h>

struct sorted {
	const struct chain_context *contexts;
	uint64_t depth;
	uint32_t context;
};

static int compare(const struct chain_context *c, uint64_t depth, uint32_t a, uint32_t b)
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
	int order = compare(x->contexts, x->depth, x->context, y->context);
	return order != 0 ? order : (x->context > y->context) - (x->context < y->context);
}

static int most_inclusive(const void *a, const void *b)
{
	const struct chain *x = a, *y = b;
	return x->inclusive != y->inclusive ? (x->inclusive < y->inclusive ? 1 : -1)
					    : (x->context > y->context) - (x->context < y->context);
}

static bool goes_on(const struct chain_context *c, uint64_t depth, uint32_t context)
{
	for (uint64_t i = 0; i < depth && context != 0; i++)
		context = c[context].parent;
	return context != 0;
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
		if (i == 0 || compare(c, depth, all[i - 1].context, at) != 0)
			chains[(*count)++] = (struct chain){.context = at, .least = UINT64_MAX};
		struct chain *to = &chains[*count - 1];
		bool inside = false;
		for (uint32_t k = c[at].parent; k != 0 && !inside; k = c[k].parent)
			inside = compare(c, depth, k, at) == 0;
		to->calls += c[at].calls;
		to->self += c[at].self;
		to->inclusive += inside ? 0 : c[at].inclusive;
		to->more = to->more || goes_on(c, depth, at);
		if (c[at].calls > 0) {
			to->least = c[at].least < to->least ? c[at].least : to->least;
			to->most = c[at].most > to->most ? c[at].most : to->most;
		}
	}
	free(all);
	qsort(chains, *count, sizeof *chains, most_inclusive);
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

void calls_row(uint64_t all, size_t rank, uint64_t calls, uint64_t self, uint64_t inclusive, uint64_t least,
    uint64_t most, const char *text)
{
	double whole = all > 0 ? (double)all : 1;
	printf("%4zu %6.2f%% %6.2f%% %8s %8s %8s %8s %8s  %s\n", rank, 100 * (double)self / whole,
	    100 * (double)inclusive / whole, with_unit((double)calls), with_unit((double)self),
	    with_unit((double)inclusive), with_unit(calls > 0 ? (double)least : 0), with_unit((double)most), text);
}

int chains_print(const struct chain_view *v, size_t context_count, struct json *json)
{
	size_t count;
	char text[2048];
	struct chain *chains = chains_make(v->contexts, context_count, v->depth, &count);
	if (chains == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (json != NULL)
		json_array(json, "by_chain");
	for (size_t i = 0; i < count && (json != NULL || i < v->top); i++) {
		const struct chain *c = &chains[i];
		chains_text(v, c, text, sizeof text);
		if (json == NULL) {
			calls_row(v->all, i + 1, c->calls, c->self, c->inclusive, c->least, c->most, text);
			continue;
		}
		json_line(json, NULL);
		json_text(json, "chain", text);
		json_number(json, "calls", c->calls);
		json_number(json, "self", c->self);
		json_number(json, "inclusive", c->inclusive);
		json_number(json, "least_self", c->calls > 0 ? c->least : 0);
		json_number(json, "most_self", c->most);
		json_object_end(json);
	}
	if (json != NULL)
		json_array_end(json);
	free(chains);
	return STATUS_OK;
}
