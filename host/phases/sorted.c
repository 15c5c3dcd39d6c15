/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/sorted.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define NONE UINT32_MAX

struct entry {
	uint64_t hash;
	uint64_t total, period; /* accesses since the beginning; since the last sort */
	uint32_t first, count;  /* symbols */
	uint32_t next;          /* NONE at the end of the chain */
};

struct sorted {
	struct sorted_config config;
	uint32_t *heads; /* NONE: empty bucket */
	unsigned bits;
	struct entry *entries;
	uint32_t used, room;
	uint32_t *symbols;
	size_t symbols_used, symbols_room;
	/* Buckets that were met since the last sort: no others can be out of order. all: the list was lost. */
	uint32_t *touched;
	size_t touched_count, touched_room;
	uint8_t *is_touched;
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
	if (t->heads == NULL) {
		free(t);
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
	free(table->entries);
	free(table->symbols);
	free(table->scratch);
	free(table->touched);
	free(table->is_touched);
	free(table);
}

void sorted_clear(struct sorted *table)
{
	memset(table->heads, 0xFF, sizeof *table->heads << table->bits);
	table->used = 0;
	table->symbols_used = 0;
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

static uint32_t *chain_head_of(struct sorted *t, uint64_t hash)
{
	return &t->heads[bucket_of(t, hash)];
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

/* The entries of the bucket in scratch[0..count): puts the hot ones first. Returns whether anything was sorted. */
static bool sort_bucket(struct sorted *t, uint32_t *head, uint32_t count)
{
	uint32_t *old = t->scratch, *now = t->scratch + count;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += measure_entry(t, &t->entries[old[i]]);
	const bool whole = t->config.threshold == SORTED_BY_BUCKET;
	if (whole && sum < t->config.frequency)
		return false;
	uint32_t group = 0;
	for (uint32_t i = 0; i < count; i++)
		if (whole || measure_entry(t, &t->entries[old[i]]) >= t->config.frequency)
			now[group++] = old[i];
	if (group == 0)
		return false;
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
	*head = now[0];
	for (uint32_t i = 0; i + 1 < count; i++)
		t->entries[now[i]].next = now[i + 1];
	t->entries[now[count - 1]].next = NONE;
	return true;
}

/* A bucket was met: it is looked at in the next sort. */
static void touch_bucket(struct sorted *t, uint32_t bucket)
{
	if (t->all || t->is_touched[bucket])
		return;
	if (!array_room(&t->touched, t->touched_count + 1, &t->touched_room)) {
		t->all = true; /* slower, not wrong */
		return;
	}
	t->is_touched[bucket] = 1;
	t->touched[t->touched_count++] = bucket;
}

/* The list of buckets begins anew. */
static void forget_touched(struct sorted *t)
{
	if (t->is_touched == NULL)
		t->is_touched = calloc((size_t)1 << t->bits, 1);
	for (size_t i = 0; i < t->touched_count && t->is_touched != NULL; i++)
		t->is_touched[t->touched[i]] = 0;
	t->touched_count = 0;
	t->all = t->is_touched == NULL;
}

static void look_at_bucket(struct sorted *t, uint32_t *head)
{
	uint32_t count = 0;
	for (uint32_t e = *head; e != NONE; e = t->entries[e].next)
		count++;
	if (count > t->statistics.deepest)
		t->statistics.deepest = count;
	if (count > t->config.depth && count > 1 && array_room(&t->scratch, 2 * (size_t)count, &t->scratch_room)) {
		uint32_t n = 0;
		for (uint32_t e = *head; e != NONE; e = t->entries[e].next)
			t->scratch[n++] = e;
		t->statistics.buckets_sorted += sort_bucket(t, head, count);
	}
	for (uint32_t e = *head; e != NONE; e = t->entries[e].next)
		t->entries[e].period = 0;
}

void sorted_sort(struct sorted *t)
{
	t->statistics.sorts++;
	if (t->all)
		for (size_t b = 0; b < (size_t)1 << t->bits; b++)
			look_at_bucket(t, &t->heads[b]);
	else
		for (size_t i = 0; i < t->touched_count; i++)
			look_at_bucket(t, &t->heads[t->touched[i]]);
	forget_touched(t);
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
	uint32_t *heads = malloc(sizeof *heads << (t->bits + 1));
	uint32_t *tails = malloc(sizeof *tails << (t->bits + 1));
	if (heads == NULL || tails == NULL) {
		free(heads);
		free(tails);
		return SORTED_ENOMEM;
	}
	memset(heads, 0xFF, sizeof *heads << (t->bits + 1));
	for (size_t b = 0; b < (size_t)1 << t->bits; b++) /* each bucket's order is kept */
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
	free(tails);
	free(t->heads);
	t->heads = heads;
	t->bits++;
	free(t->is_touched); /* other buckets */
	t->is_touched = NULL;
	t->touched_count = 0;
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

static int add_sorted_entry(struct sorted *t, const uint32_t *symbols, uint32_t count, uint64_t hash, uint32_t last)
{
	int error = make_symbol_room(t, count);
	if (error != SORTED_OK)
		return error;
	memcpy(t->symbols + t->symbols_used, symbols, count * sizeof *symbols);
	t->entries[t->used] =
	    (struct entry){.hash = hash, .first = (uint32_t)t->symbols_used, .count = count, .next = NONE};
	t->symbols_used += count;
	if (last == NONE)
		*chain_head_of(t, hash) = t->used;
	else
		t->entries[last].next = t->used;
	t->used++;
	return SORTED_OK;
}

int sorted_enter(
    struct sorted *t, const uint32_t *symbols, uint32_t count, uint64_t hash, uint64_t accesses, uint32_t *number)
{
	int is_new = 0;
	uint32_t last = NONE, at = *chain_head_of(t, hash);
	t->statistics.accesses++;
	for (; at != NONE; last = at, at = t->entries[at].next) {
		const struct entry *e = &t->entries[at];
		t->statistics.probes++;
		if (e->hash == hash && e->count == count &&
		    memcmp(t->symbols + e->first, symbols, count * sizeof *symbols) == 0)
			break;
	}
	if (at == NONE) {
		at = t->used;
		int error = add_sorted_entry(t, symbols, count, hash, last);
		if (error != SORTED_OK)
			return error;
		is_new = 1;
		if (t->config.grow && t->used >> t->bits >= SORTED_GROW && (error = widen_table(t)) != SORTED_OK)
			return error;
	}
	t->entries[at].total += accesses;
	t->entries[at].period += accesses;
	touch_bucket(t, bucket_of(t, hash));
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
	statistics->bytes =
	    (sizeof *t->heads << t->bits) + t->room * sizeof *t->entries + t->symbols_room * sizeof *t->symbols;
}
