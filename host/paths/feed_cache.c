/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Records in great numbers: what a record does depends on the record and on the frames that the one before it left. Both
 * have numbers, so a record that comes again with the same frames costs one look-up. Each such step is done once, with
 * its count, in paths_feed_settle().
 */
#include "host/paths/feed.h"

#include <stdlib.h>
#include "common/sizes.h"
#include "host/base/array.h"
#include "host/base/shelf.h"
#include "host/paths/private.h"

#define STEPS_MAX SIZED(1u << 19, 8u) /* then they are settled and forgotten: the memory is bounded */
#define NO_STATE UINT32_MAX
#define CONTINUITIES 4u

struct key {
	struct record record;
	struct walk_config config;
};

struct paths_cache {
	struct key *keys;
	size_t key_count, key_room;
	struct hash key_table;
	struct steps_taken steps;
	uint32_t
	    state; /* at present: number of the frames, and how the next record continues; NO_STATE: as it is live */
	uint32_t before; /* the step taken last */
	bool live;       /* the frames are those of the state */
};

void paths_cache_close(struct paths_cache *cache)
{
	if (cache == NULL)
		return;
	free(cache->keys);
	hash_free(&cache->key_table);
	steps_free(&cache->steps);
	free(cache);
}

struct key_wanted {
	const struct paths_cache *cache;
	const struct key *key;
};

static bool same_config(const struct walk_config *a, const struct walk_config *b)
{
	return a->hist == b->hist && a->ctrl == b->ctrl && a->insn_bits == b->insn_bits && a->isa_set == b->isa_set;
}

static bool same_key(const void *context, uint32_t index)
{
	const struct key_wanted *wanted = context;
	const struct key *key = &wanted->cache->keys[index];
	const struct record *a = &key->record, *b = &wanted->key->record;
	return a->start == b->start && a->hist == b->hist && a->insns == b->insns && a->reason == b->reason &&
	       a->count == b->count && same_config(&key->config, &wanted->key->config);
}

int paths_feed_key(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint32_t *number)
{
	const struct key key = {*record, *config};
	if (feed->cache == NULL) {
		feed->cache = calloc(1, sizeof *feed->cache);
		if (feed->cache == NULL)
			return PATHS_ENOMEM;
		feed->cache->state = feed->cache->before = NO_STATE;
	}
	struct paths_cache *cache = feed->cache;
	const struct key_wanted wanted = {cache, &key};
	uint32_t hash = hash_of_two(record->start ^ (uint64_t)record->reason << 56 ^ record->count << 40,
	    record->hist ^ (uint64_t)record->insns << 32 ^ config->ctrl);
	*number = hash_find(&cache->key_table, hash, same_key, &wanted);
	if (*number != HASH_NONE)
		return PATHS_OK;
	*number = (uint32_t)cache->key_count;
	/* whether records are missing before it is put beside the number */
	if (cache->key_count >= UINT32_MAX / 2 || !array_room(&cache->keys, cache->key_count + 1, &cache->key_room) ||
	    !hash_add(&cache->key_table, hash, *number))
		return PATHS_ENOMEM;
	cache->keys[cache->key_count++] = key;
	return PATHS_OK;
}

static int save(struct paths_feed *feed, uint32_t *state)
{
	uint32_t frames;
	int error = paths_save(feed->paths, &frames);
	if (error == PATHS_OK && frames >= UINT32_MAX / CONTINUITIES)
		error = PATHS_ENOMEM;
	*state = CONTINUITIES * frames + (uint32_t)feed->next;
	return error;
}

static int load(struct paths_feed *feed, uint32_t state)
{
	feed->next = (enum paths_continuity)(state % CONTINUITIES);
	return paths_load(feed->paths, state / CONTINUITIES);
}

static int take(struct paths_feed *feed, uint32_t key, uint64_t times)
{
	const struct key *of = &feed->cache->keys[key / 2];
	if (key % 2 != 0)
		feed->next = PATHS_UNRELATED;
	return paths_feed_times(feed, &of->record, &of->config, times);
}

int paths_feed_settle(struct paths_feed *feed)
{
	struct paths_cache *cache = feed->cache;
	int error = PATHS_OK;
	if (cache == NULL || cache->state == NO_STATE)
		return PATHS_OK;
	for (size_t i = 0; i < cache->steps.count && error == PATHS_OK; i++) {
		const struct step_taken *step = &cache->steps.all[i];
		error = load(feed, step->state);
		if (error == PATHS_OK)
			error = take(feed, step->key, step->count);
	}
	if (error == PATHS_OK)
		error = load(feed, cache->state);
	feed->paths->times = 1;
	steps_clear(&cache->steps);
	if (error == PATHS_OK)
		error = paths_forget(feed->paths);
	cache->state = cache->before = NO_STATE;
	return error;
}

/* The first time that this record comes with these frames. */
static int new_step(struct paths_feed *feed, uint32_t key, uint32_t *step)
{
	struct paths_cache *cache = feed->cache;
	uint32_t next;
	int error = cache->live ? PATHS_OK : load(feed, cache->state);
	if (error == PATHS_OK)
		error = take(feed, key, 0);
	if (error == PATHS_OK)
		error = save(feed, &next);
	cache->live = true;
	if (error == PATHS_OK && !steps_add(&cache->steps, cache->state, key, next, step))
		error = PATHS_ENOMEM;
	if (error == PATHS_OK && cache->before != NO_STATE)
		cache->steps.all[cache->before].guess = *step;
	return error;
}

int paths_feed_keyed(struct paths_feed *feed, uint32_t number, uint64_t missing)
{
	struct paths_cache *cache = feed->cache;
	uint32_t key = 2 * number + (missing > 0), step;
	int error = PATHS_OK;
	feed->missing += missing;
	if (cache->steps.count >= STEPS_MAX)
		error = paths_feed_settle(feed);
	if (error == PATHS_OK && cache->state == NO_STATE) {
		error = save(feed, &cache->state);
		cache->live = true;
	}
	if (error != PATHS_OK)
		return error;
	step = steps_find(&cache->steps, cache->before, cache->state, key);
	if (step == STEP_NONE)
		error = new_step(feed, key, &step);
	else
		cache->live = false;
	if (error != PATHS_OK)
		return error;
	struct step_taken *taken = &cache->steps.all[step];
	taken->count++;
	cache->state = taken->next;
	cache->before = step;
	return PATHS_OK;
}
