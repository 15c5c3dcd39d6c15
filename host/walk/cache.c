/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/walk/cache.h"

#include <stdlib.h>
#include <string.h>
#include "common/sizes.h"

#define POOL_BYTES SIZED(1u << 16, 256u)
#define FIRST_SIZE SIZED(1024, 8) /* slots, a power of two */

struct pool {
	struct pool *next;
	size_t size, used;
	max_align_t bytes[];
};

struct entry { /* walked == NULL: empty */
	uint64_t start, hist;
	uint32_t insns, reason;
	struct walked *walked;
};

struct walk_cache {
	struct walk *walk;
	struct entry *table; /* open addressing, at most half full */
	size_t size, used, bytes, limit;
	struct pool *pool;
	uint64_t turns, misses;
	struct walk_visit *visits; /* of the record that is being walked */
	size_t visit_count, visit_room;
	void (*forget)(void *context, struct walked *walked);
	void *forget_context;
};

int walk_cache_open(struct walk_cache **out, struct walk *walk, size_t bytes)
{
	struct walk_cache *cache = calloc(1, sizeof *cache);
	*out = NULL;
	if (cache == NULL)
		return WALK_ENOMEM;
	cache->walk = walk;
	cache->limit = bytes;
	cache->size = FIRST_SIZE;
	cache->table = calloc(cache->size, sizeof *cache->table);
	if (cache->table == NULL) {
		free(cache);
		return WALK_ENOMEM;
	}
	*out = cache;
	return WALK_OK;
}

void walk_cache_each(struct walk_cache *cache, void (*function)(void *context, struct walked *walked), void *context)
{
	for (size_t i = 0; i < cache->size; i++) {
		if (cache->table[i].walked != NULL)
			function(context, cache->table[i].walked);
	}
}

void walk_cache_on_forget(
    struct walk_cache *cache, void (*function)(void *context, struct walked *walked), void *context)
{
	cache->forget = function;
	cache->forget_context = context;
}

static void forget(struct walk_cache *cache)
{
	if (cache->forget != NULL)
		walk_cache_each(cache, cache->forget, cache->forget_context);
	while (cache->pool != NULL) {
		struct pool *next = cache->pool->next;
		free(cache->pool);
		cache->pool = next;
	}
	cache->used = cache->bytes = 0;
}

void walk_cache_close(struct walk_cache *cache)
{
	if (cache == NULL)
		return;
	forget(cache);
	free(cache->table);
	free(cache->visits);
	free(cache);
}

uint64_t walk_cache_turns(const struct walk_cache *cache)
{
	return cache->turns;
}

uint64_t walk_cache_misses(const struct walk_cache *cache)
{
	return cache->misses;
}

static size_t slot_of(uint64_t start, uint64_t hist, uint64_t insns, uint64_t reason, size_t size)
{
	uint64_t x =
	    start * UINT64_C(0x9E3779B97F4A7C15) ^ (hist ^ insns << 40) * UINT64_C(0xC2B2AE3D27D4EB4F) ^ reason;
	return (size_t)(x >> 32 ^ x) & (size - 1);
}

static bool same(const struct entry *entry, const struct record *record)
{
	return entry->start == record->start && entry->hist == record->hist && entry->insns == record->insns &&
	       entry->reason == record->reason;
}

static int grow(struct walk_cache *cache)
{
	size_t size = 2 * cache->size;
	struct entry *table = calloc(size, sizeof *table);
	if (table == NULL)
		return WALK_ENOMEM;
	for (size_t i = 0; i < cache->size; i++) {
		const struct entry *entry = &cache->table[i];
		if (entry->walked == NULL)
			continue;
		size_t slot = slot_of(entry->start, entry->hist, entry->insns, entry->reason, size);
		while (table[slot].walked != NULL)
			slot = (slot + 1) & (size - 1);
		table[slot] = *entry;
	}
	free(cache->table);
	cache->table = table;
	cache->size = size;
	return WALK_OK;
}

static void *take(struct walk_cache *cache, size_t size)
{
	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (cache->pool == NULL || cache->pool->size - cache->pool->used < size) {
		size_t room = size > POOL_BYTES ? size : POOL_BYTES;
		struct pool *pool = malloc(sizeof *pool + room);
		if (pool == NULL)
			return NULL;
		*pool = (struct pool){.next = cache->pool, .size = room};
		cache->pool = pool;
		cache->bytes += room;
	}
	void *taken = (char *)cache->pool->bytes + cache->pool->used;
	cache->pool->used += size;
	return taken;
}

static int keep(void *context, const struct walk_visit *visit)
{
	struct walk_cache *cache = context;
	if (cache->visit_count == cache->visit_room) {
		size_t room = cache->visit_room == 0 ? 64 : 2 * cache->visit_room;
		struct walk_visit *grown = realloc(cache->visits, room * sizeof *grown);
		if (grown == NULL)
			return 1;
		cache->visits = grown;
		cache->visit_room = room;
	}
	cache->visits[cache->visit_count++] = *visit;
	return 0;
}

static struct walked *walk_new(struct walk_cache *cache, const struct record *record)
{
	uint64_t at;
	uint32_t insns = 0;
	cache->visit_count = 0;
	cache->misses++;
	int error = walk_record(cache->walk, record, keep, cache, &at);
	if (error == WALK_ENOMEM || error == WALK_ESTOPPED)
		return NULL;
	/* the table counts too: it is as large as the number of walks wants it */
	if (cache->bytes + cache->size * sizeof *cache->table > cache->limit && cache->used > 0) {
		forget(cache);
		memset(cache->table, 0, cache->size * sizeof *cache->table);
		cache->turns++;
	} else if (2 * (cache->used + 1) > cache->size && grow(cache) != WALK_OK)
		return NULL;
	for (size_t i = 0; i < cache->visit_count; i++)
		insns += cache->visits[i].count;
	struct walked *walked = take(cache, sizeof *walked);
	struct walk_visit *visits = walked == NULL ? NULL : take(cache, (cache->visit_count + 1) * sizeof *visits);
	if (visits == NULL)
		return NULL;
	if (cache->visit_count > 0)
		memcpy(visits, cache->visits, cache->visit_count * sizeof *visits);
	*walked = (struct walked){
	    .error = error, .at = at, .insns = insns, .count = (uint32_t)cache->visit_count, .visits = visits};
	size_t slot = slot_of(record->start, record->hist, record->insns, record->reason, cache->size);
	while (cache->table[slot].walked != NULL)
		slot = (slot + 1) & (cache->size - 1);
	cache->table[slot] = (struct entry){record->start, record->hist, record->insns, record->reason, walked};
	cache->used++;
	return walked;
}

struct walked *walk_cached(struct walk_cache *cache, const struct record *record)
{
	size_t slot = slot_of(record->start, record->hist, record->insns, record->reason, cache->size);
	for (; cache->table[slot].walked != NULL; slot = (slot + 1) & (cache->size - 1)) {
		if (same(&cache->table[slot], record))
			return cache->table[slot].walked;
	}
	return walk_new(cache, record);
}
