/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/counted_joined.h"
#include "host/base/order.h"

#include <stdlib.h>
#include "common/joined.h"

struct finder {
	struct counted_joined *joined;
	const struct record *const *entries;
	size_t count;
	uint64_t *key; /* by entry: of it and the parts before */
	size_t *open;  /* entries whose next parts are to be looked for */
	size_t open_count;
};

static bool is_joined(const struct counted *c, const struct map_object *o, uint64_t history)
{
	const uint64_t function = (history >> MAP_HASH_SHIFT) - 1;
	return o != NULL && history >> MAP_HASH_SHIFT != 0 && function < o->function_count &&
	       (c->map->functions[o->functions + function].flags & MAP_JOINED) != 0;
}

static void take(struct finder *f, size_t entry, uint64_t before)
{
	f->key[entry] = joined_key(before, f->entries[entry]->hist - 1);
	f->open[f->open_count++] = entry;
}

/* First parts: by the id of their object. */
static void find_first(struct finder *f, const struct counted *c)
{
	for (size_t i = 0; i < f->count; i++) {
		const uint64_t start = f->entries[i]->start, history = f->entries[i]->hist - 1;
		const struct map_object *object = i > 0 && start == f->entries[i - 1]->start && !f->joined->lost[i - 1]
						      ? f->joined->object[i - 1]
						      : map_object(c->map, start);
		f->joined->before[i] = COUNTED_NO_PART;
		if (object == NULL && is_joined(c, map_object(c->map, start ^ JOINED_LOST), history)) {
			object = map_object(c->map, start ^ JOINED_LOST);
			f->joined->lost[i] = true;
		}
		f->joined->object[i] = object;
		if (is_joined(c, object, history))
			take(f, i, start);
	}
}

/* Those behind an entry: the same function's, with its key as their start. */
static void find_next(struct finder *f, size_t entry)
{
	const uint64_t start = JOINED_START(f->key[entry]);
	const uint64_t function = (f->entries[entry]->hist - 1) >> MAP_HASH_SHIFT;
	size_t low;
	ORDER_FIRST(low, 0, f->count, f->entries[low]->start < start);
	for (size_t i = low; i < f->count && f->entries[i]->start == start; i++) {
		if (f->joined->object[i] != NULL || (f->entries[i]->hist - 1) >> MAP_HASH_SHIFT != function)
			continue;
		f->joined->object[i] = f->joined->object[entry];
		f->joined->before[i] = (uint32_t)entry;
		take(f, i, f->key[entry]);
	}
}

int counted_joined_find(
    struct counted_joined *joined, const struct counted *c, const struct record *const *entries, size_t count)
{
	struct finder f = {.joined = joined,
	    .entries = entries,
	    .count = count,
	    .key = calloc(count + 1, sizeof *f.key),
	    .open = malloc((count + 1) * sizeof *f.open)};
	*joined = (struct counted_joined){.object = calloc(count + 1, sizeof *joined->object),
	    .before = calloc(count + 1, sizeof *joined->before),
	    .lost = calloc(count + 1, sizeof *joined->lost)};
	bool room = f.key != NULL && f.open != NULL && joined->object != NULL && joined->before != NULL &&
		    joined->lost != NULL && count < COUNTED_NO_PART;
	if (room)
		find_first(&f, c);
	for (size_t at = 0; room && at < f.open_count; at++)
		find_next(&f, f.open[at]);
	free(f.key);
	free(f.open);
	return room ? COUNTED_OK : COUNTED_ENOMEM;
}

void counted_joined_free(struct counted_joined *joined)
{
	free(joined->object);
	free(joined->before);
	free(joined->lost);
	*joined = (struct counted_joined){0};
}
