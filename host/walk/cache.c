/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/walk/cache.h"

#include <stdlib.h>
#include <string.h>
#include "common/sizes.h"
#include "host/base/array.h"
#include "host/base/hash.h"

#define POOL_BYTES SIZED(1u << 16, 256u)

struct pool {
	struct pool *next;
	size_t size, used;
	max_align_t bytes[];
};

struct entry {
	uint64_t start, hist;
	uint32_t insns, reason;
	struct walked *walked;
	uint32_t guess; /* the entry that came behind it the last time */
};

struct walk_cache {
	struct walk *walk;
	struct entry *entries;
	size_t count, room, bytes, limit;
	uint32_t before;   /* the entry found last; HASH_NONE: none */
	struct hash table; /* of entries */
	struct pool *pool;
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
	cache->before = HASH_NONE;
	*out = cache;
	return WALK_OK;
}

/* Calls function for each walk that is kept. */
static void walk_cache_each(
    struct walk_cache *cache, void (*function)(void *context, struct walked *walked), void *context)
{
	for (size_t i = 0; i < cache->count; i++)
		function(context, cache->entries[i].walked);
}

void walk_cache_on_forget(
    struct walk_cache *cache, void (*function)(void *context, struct walked *walked), void *context)
{
	cache->forget = function;
	cache->forget_context = context;
}

static void forget_walks(struct walk_cache *cache)
{
	if (cache->forget != NULL)
		walk_cache_each(cache, cache->forget, cache->forget_context);
	while (cache->pool != NULL) {
		struct pool *next = cache->pool->next;
		free(cache->pool);
		cache->pool = next;
	}
	hash_clear(&cache->table);
	cache->count = cache->bytes = 0;
	cache->before = HASH_NONE;
}

void walk_cache_close(struct walk_cache *cache)
{
	if (cache == NULL)
		return;
	forget_walks(cache);
	free(cache->entries);
	hash_free(&cache->table);
	free(cache->visits);
	free(cache);
}

static void *take_cache_bytes(struct walk_cache *cache, size_t size)
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

static int keep_walked_visit(void *context, const struct walk_visit *visit)
{
	struct walk_cache *cache = context;
	if (!array_room(&cache->visits, cache->visit_count + 1, &cache->visit_room))
		return 1;
	cache->visits[cache->visit_count++] = *visit;
	return 0;
}

static __attribute__((noinline)) struct walked *walk_new(
    struct walk_cache *cache, const struct record *record, uint32_t hash)
{
	uint64_t at;
	uint32_t insns = 0;
	cache->visit_count = 0;
	int error = walk_record(cache->walk, record, keep_walked_visit, cache, &at);
	if (error == WALK_ENOMEM || error == WALK_ESTOPPED)
		return NULL;
	/* the table counts too: it is as large as the number of walks wants it */
	size_t table = cache->table.size * sizeof *cache->table.slots + cache->room * sizeof *cache->entries;
	if (cache->bytes + table > cache->limit && cache->count > 0)
		forget_walks(cache);
	for (size_t i = 0; i < cache->visit_count; i++)
		insns += cache->visits[i].count;
	struct walked *walked = take_cache_bytes(cache, sizeof *walked);
	struct walk_visit *visits =
	    walked == NULL ? NULL : take_cache_bytes(cache, (cache->visit_count + 1) * sizeof *visits);
	if (visits == NULL)
		return NULL;
	if (cache->visit_count > 0)
		memcpy(visits, cache->visits, cache->visit_count * sizeof *visits);
	*walked = (struct walked){
	    .error = error, .at = at, .insns = insns, .count = (uint32_t)cache->visit_count, .visits = visits};
	if (!array_room(&cache->entries, cache->count + 1, &cache->room) ||
	    !hash_add(&cache->table, hash, (uint32_t)cache->count))
		return NULL;
	cache->entries[cache->count++] =
	    (struct entry){record->start, record->hist, record->insns, record->reason, walked, 0};
	return walked;
}

struct entry_key {
	const struct walk_cache *cache;
	const struct record *record;
};

static bool same_record(const void *context, uint32_t index)
{
	const struct entry_key *key = context;
	const struct entry *entry = &key->cache->entries[index];
	const struct record *record = key->record;
	return entry->start == record->start && entry->hist == record->hist && entry->insns == record->insns &&
	       entry->reason == record->reason;
}

struct walked *walk_cached(struct walk_cache *cache, const struct record *record)
{
	const struct entry_key key = {cache, record};
	if (cache->before != HASH_NONE && same_record(&key, cache->entries[cache->before].guess))
		return cache->entries[cache->before = cache->entries[cache->before].guess].walked;
	uint32_t hash =
	    hash_of_two(record->start ^ (uint64_t)record->reason << 48, record->hist ^ (uint64_t)record->insns << 40);
	uint32_t index = hash_find(&cache->table, hash, same_record, &key);
	if (index == HASH_NONE)
		return walk_new(cache, record, hash);
	if (cache->before != HASH_NONE)
		cache->entries[cache->before].guess = index;
	cache->before = index;
	return cache->entries[index].walked;
}
