/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/sorted.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"

#define NONE UINT32_MAX

struct entry {
	uint64_t hash;
	uint64_t total, period; /* accesses since the beginning; since the last sort */
	uint32_t first, count;  /* symbols */
	uint32_t next;          /* NONE at the end of the chain */
};

struct sorted {
	struct sorted_config config;
	uint32_t *heads, *tails; /* of the chains; NONE: empty bucket, which has no tail */
	uint8_t *is_hot;         /* a bucket that the sort under way is to look at */
	unsigned bits;
	struct entry *entries;
	struct hash index; /* of the entries: finding one does not walk its chain */
	uint32_t used, room;
	uint32_t *symbols;
	size_t symbols_used, symbols_room;
	/* Entries that were met since the last sort: no other bucket than theirs can be out of order. all: the list is
	 * not kept, every bucket is looked at. */
	uint32_t *touched;
	size_t touched_count, touched_room;
	bool all;
	uint32_t *scratch; /* a bucket that is being sorted; room for scratch_room entries */
	size_t scratch_room;
	uint64_t clock, next_sort;
	void (*swap)(void *context, const struct sorted_swap *swap);
	void *context;
	struct sorted_statistics statistics;
};

void sorted_config_default(struct sorted_config *config)
{
	*config = (struct sorted_config){.bits = 4,
	    .grow = true,
	    .clock = SORTED_INSTRUCTIONS,
	    .period = 100000,
	    .depth = 1,
	    .frequency = 16,
	    .threshold = SORTED_BY_ENTRY,
	    .order = SORTED_DESCENDING,
	    .measure = SORTED_PERIOD,
	    .magnitude = 10,
	    .symbols_max = (size_t)1 << 25};
}

int sorted_open(struct sorted **table, const struct sorted_config *config)
{
	*table = NULL;
	if (config->bits < 1 || config->bits > 28 || config->magnitude < 2 || config->symbols_max == 0)
		return SORTED_ECONFIG;
	struct sorted *t = calloc(1, sizeof *t);
	if (t == NULL)
		return SORTED_ENOMEM;
	t->config = *config;
	t->bits = config->bits;
	t->next_sort = config->period;
	t->heads = malloc(sizeof *t->heads << t->bits);
	t->tails = malloc(sizeof *t->tails << t->bits);
	t->is_hot = calloc((size_t)1 << t->bits, 1);
	if (t->heads == NULL || t->tails == NULL || t->is_hot == NULL) {
		sorted_close(t);
		return SORTED_ENOMEM;
	}
	memset(t->heads, 0xFF, sizeof *t->heads << t->bits);
	t->all = true;
	*table = t;
	return SORTED_OK;
}

void sorted_close(struct sorted *table)
{
	if (table == NULL)
		return;
	free(table->heads);
	free(table->tails);
	free(table->entries);
	hash_free(&table->index);
	free(table->symbols);
	free(table->scratch);
	free(table->touched);
	free(table->is_hot);
	free(table);
}

void sorted_clear(struct sorted *table)
{
	memset(table->heads, 0xFF, sizeof *table->heads << table->bits);
	hash_clear(&table->index);
	table->used = 0;
	table->symbols_used = 0;
	table->touched_count = 0;
	table->all = true;
}

void sorted_on_swap(struct sorted *table, void (*swap)(void *context, const struct sorted_swap *swap), void *context)
{
	table->swap = swap;
	table->context = context;
}

uint64_t sorted_hash(const uint32_t *symbols, uint32_t count)
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < count; i++)
		hash = sorted_hash_add(hash, symbols[i]);
	return hash;
}

static uint32_t bucket_of(const struct sorted *t, uint64_t hash)
{
	return (uint32_t)(hash * 0x9E3779B97F4A7C15u >> (64 - t->bits));
}

static uint32_t index_hash(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* ---------------------------------------------------------------- sorting */

static uint64_t measure_entry(const struct sorted *t, const struct entry *e)
{
	return t->config.measure == SORTED_TOTAL ? e->total : e->period;
}

/* Whether entry a comes before entry b in a bucket's first group. Equal ones stay as they stand. */
static bool comes_before(const struct sorted *t, uint32_t a, uint32_t b)
{
	const uint64_t ca = measure_entry(t, &t->entries[a]), cb = measure_entry(t, &t->entries[b]);
	return t->config.order == SORTED_DESCENDING ? ca > cb : ca < cb;
}

/* Stable, as insertion: first groups are small, and nearly in order from the last time. */
static void order_group(const struct sorted *t, uint32_t *group, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const uint32_t one = group[i];
		uint32_t at = i;
		for (; at > 0 && comes_before(t, one, group[at - 1]); at--)
			group[at] = group[at - 1];
		group[at] = one;
	}
}

/* Tells of each entry of the sorted bucket that has overtaken one `magnitude` times as cold (or as hot, ascending): at
 * most one change for each that rose. old: the numbers in their old order. */
static void tell_swaps(struct sorted *t, const uint32_t *old, const uint32_t *now, uint32_t count, uint32_t group)
{
	for (uint32_t i = 0; i < group; i++) {
		const uint64_t rose = measure_entry(t, &t->entries[now[i]]);
		for (uint32_t k = 0; k < count && old[k] != now[i]; k++) {
			const uint64_t sank = measure_entry(t, &t->entries[old[k]]);
			const bool hot = t->config.order == SORTED_DESCENDING;
			const uint64_t high = hot ? rose : sank, low = hot ? sank : rose;
			if (high / t->config.magnitude < low || high == 0)
				continue;
			bool still_before = false;
			for (uint32_t n = 0; n < i && !still_before; n++)
				still_before = now[n] == old[k];
			if (still_before)
				continue;
			t->statistics.swaps++;
			if (t->swap != NULL)
				t->swap(t->context, &(struct sorted_swap){.rose = now[i],
							.sank = old[k],
							.rose_count = rose,
							.sank_count = sank,
							.time = t->clock});
			break;
		}
	}
}

/* The entries of the bucket in scratch[0..count): puts the hot ones first. */
static void sort_bucket(struct sorted *t, uint32_t bucket, uint32_t count)
{
	uint32_t *old = t->scratch, *now = t->scratch + count;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += measure_entry(t, &t->entries[old[i]]);
	const bool whole = t->config.threshold == SORTED_BY_BUCKET;
	if (whole && sum < t->config.frequency)
		return;
	uint32_t group = 0;
	for (uint32_t i = 0; i < count; i++)
		if (whole || measure_entry(t, &t->entries[old[i]]) >= t->config.frequency)
			now[group++] = old[i];
	if (group == 0)
		return;
	uint32_t *first = now;
	if (t->config.order == SORTED_ASCENDING) { /* the second group is the colder one: it comes first */
		memmove(now + (count - group), now, group * sizeof *now);
		first = now + (count - group);
	}
	order_group(t, first, group);
	uint32_t *rest = t->config.order == SORTED_ASCENDING ? now : now + group;
	if (!whole)
		for (uint32_t i = 0; i < count; i++)
			if (measure_entry(t, &t->entries[old[i]]) < t->config.frequency)
				*rest++ = old[i];
	tell_swaps(t, old, now, count, t->config.order == SORTED_DESCENDING ? group : count);
	t->heads[bucket] = now[0];
	t->tails[bucket] = now[count - 1];
	for (uint32_t i = 0; i + 1 < count; i++)
		t->entries[now[i]].next = now[i + 1];
	t->entries[now[count - 1]].next = NONE;
}

static void look_at_bucket(struct sorted *t, uint32_t bucket)
{
	uint32_t count = 0, n = 0;
	for (uint32_t e = t->heads[bucket]; e != NONE; e = t->entries[e].next)
		count++;
	if (count <= t->config.depth || count <= 1 || !array_room(&t->scratch, 2 * (size_t)count, &t->scratch_room))
		return;
	for (uint32_t e = t->heads[bucket]; e != NONE; e = t->entries[e].next)
		t->scratch[n++] = e;
	sort_bucket(t, bucket, count);
}

/* An entry is met: its bucket is looked at in the next sort. */
static void touch_entry(struct sorted *t, uint32_t number)
{
	if (t->all || t->entries[number].period != 0)
		return;
	if (!array_room(&t->touched, t->touched_count + 1, &t->touched_room))
		t->all = true; /* slower, not wrong */
	else
		t->touched[t->touched_count++] = number;
}

/* Looks at the buckets in the order in which they were met, but not at those in which nothing is hot. */
static void sort_touched(struct sorted *t)
{
	const bool any = t->config.threshold == SORTED_BY_BUCKET || t->config.measure == SORTED_TOTAL;
	for (size_t i = 0; i < t->touched_count; i++) {
		const struct entry *e = &t->entries[t->touched[i]];
		if (any || e->period >= t->config.frequency)
			t->is_hot[bucket_of(t, e->hash)] = 1;
	}
	for (size_t i = 0; i < t->touched_count; i++) {
		const uint32_t bucket = bucket_of(t, t->entries[t->touched[i]].hash);
		if (t->is_hot[bucket])
			look_at_bucket(t, bucket);
		t->is_hot[bucket] = 0;
	}
	for (size_t i = 0; i < t->touched_count; i++)
		t->entries[t->touched[i]].period = 0;
}

void sorted_sort(struct sorted *t)
{
	t->statistics.sorts++;
	if (!t->all)
		sort_touched(t);
	for (size_t b = 0; t->all && b < (size_t)1 << t->bits; b++)
		look_at_bucket(t, (uint32_t)b);
	for (uint32_t e = 0; t->all && e < t->used; e++)
		t->entries[e].period = 0;
	t->touched_count = 0;
	t->all = false;
}

void sorted_tick(struct sorted *t, uint64_t time)
{
	t->clock = time;
	if (t->config.period == 0 || time < t->next_sort)
		return;
	sorted_sort(t);
	t->next_sort = time - time % t->config.period + t->config.period;
}

/* ---------------------------------------------------------------- entries */

static int widen_table(struct sorted *t)
{
	if (t->bits >= 28)
		return SORTED_OK;
	const size_t buckets = (size_t)1 << (t->bits + 1);
	uint32_t *heads = malloc(sizeof *heads * buckets), *tails = malloc(sizeof *tails * buckets);
	uint8_t *is_hot = calloc(buckets, 1);
	if (heads == NULL || tails == NULL || is_hot == NULL) {
		free(heads);
		free(tails);
		free(is_hot);
		return SORTED_ENOMEM;
	}
	memset(heads, 0xFF, sizeof *heads * buckets);
	for (size_t b = 0; b < buckets / 2; b++) /* each bucket's order is kept */
		for (uint32_t e = t->heads[b], next; e != NONE; e = next) {
			next = t->entries[e].next;
			const size_t to = t->entries[e].hash * 0x9E3779B97F4A7C15u >> (64 - t->bits - 1);
			t->entries[e].next = NONE;
			if (heads[to] == NONE)
				heads[to] = e;
			else
				t->entries[tails[to]].next = e;
			tails[to] = e;
		}
	free(t->heads);
	free(t->tails);
	free(t->is_hot);
	t->heads = heads;
	t->tails = tails;
	t->is_hot = is_hot;
	t->bits++;
	t->all = true;
	return SORTED_OK;
}

static int make_symbol_room(struct sorted *t, uint32_t count)
{
	if (t->used == t->room) {
		if (t->room >= NONE / 2)
			return SORTED_EFULL;
		uint32_t room = t->room == 0 ? 256 : 2 * t->room;
		struct entry *bigger = realloc(t->entries, room * sizeof *bigger);
		if (bigger == NULL)
			return SORTED_ENOMEM;
		t->entries = bigger;
		t->room = room;
	}
	if (t->symbols_used + count > t->config.symbols_max)
		return SORTED_EFULL;
	if (t->symbols_used + count > t->symbols_room) {
		size_t room = 2 * t->symbols_room + count + 1024;
		uint32_t *bigger = realloc(t->symbols, room * sizeof *bigger);
		if (bigger == NULL)
			return SORTED_ENOMEM;
		t->symbols = bigger;
		t->symbols_room = room;
	}
	return SORTED_OK;
}

/* At the end of its chain. */
static int add_sorted_entry(struct sorted *t, const uint32_t *symbols, uint32_t count, uint64_t hash)
{
	int error = make_symbol_room(t, count);
	if (error != SORTED_OK)
		return error;
	if (!hash_add(&t->index, index_hash(hash), t->used))
		return SORTED_ENOMEM;
	memcpy(t->symbols + t->symbols_used, symbols, count * sizeof *symbols);
	t->entries[t->used] =
	    (struct entry){.hash = hash, .first = (uint32_t)t->symbols_used, .count = count, .next = NONE};
	t->symbols_used += count;
	const uint32_t bucket = bucket_of(t, hash);
	if (t->heads[bucket] == NONE)
		t->heads[bucket] = t->used;
	else
		t->entries[t->tails[bucket]].next = t->used;
	t->tails[bucket] = t->used++;
	return SORTED_OK;
}

struct wanted_key {
	const struct sorted *table;
	const uint32_t *symbols;
	uint64_t hash;
	uint32_t count;
};

static inline bool has_key(const void *context, uint32_t index)
{
	const struct wanted_key *key = context;
	const struct entry *e = &key->table->entries[index];
	return e->hash == key->hash && e->count == key->count &&
	       memcmp(key->table->symbols + e->first, key->symbols, key->count * sizeof *key->symbols) == 0;
}

int sorted_enter(
    struct sorted *t, const uint32_t *symbols, uint32_t count, uint64_t hash, uint64_t accesses, uint32_t *number)
{
	const struct wanted_key key = {t, symbols, hash, count};
	uint32_t at = hash_find(&t->index, index_hash(hash), has_key, &key);
	const bool is_new = at == HASH_NONE;
	if (is_new) {
		at = t->used;
		int error = add_sorted_entry(t, symbols, count, hash);
		if (error != SORTED_OK)
			return error;
		if (t->config.grow && t->used >> t->bits >= SORTED_GROW && (error = widen_table(t)) != SORTED_OK)
			return error;
	}
	touch_entry(t, at);
	t->entries[at].total += accesses;
	t->entries[at].period += accesses;
	*number = at;
	if (t->config.clock == SORTED_ACCESSES)
		sorted_tick(t, t->clock + 1);
	return is_new;
}

const uint32_t *sorted_symbols(const struct sorted *t, uint32_t number, uint32_t *count)
{
	*count = t->entries[number].count;
	return t->symbols + t->entries[number].first;
}

uint64_t sorted_accesses(const struct sorted *t, uint32_t number)
{
	return t->entries[number].total;
}

size_t sorted_bucket(const struct sorted *t, uint32_t number, uint32_t *numbers, size_t max)
{
	size_t count = 0;
	for (uint32_t e = t->heads[bucket_of(t, t->entries[number].hash)]; e != NONE; e = t->entries[e].next) {
		if (count < max)
			numbers[count] = e;
		count++;
	}
	return count;
}

void sorted_statistics(const struct sorted *t, struct sorted_statistics *statistics)
{
	*statistics = t->statistics;
	statistics->entries = t->used;
	statistics->bytes = ((2 * sizeof *t->heads + 1) << t->bits) + t->room * sizeof *t->entries +
			    t->index.size * sizeof *t->index.slots + t->symbols_room * sizeof *t->symbols;
}
