/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Steps (host/base/steps.h) of a path profile: the state between two records is the frames of host/paths, and what the
 * core has in hand. */
#include "host/paths/feed.h"

#include <stdlib.h>
#include "common/sizes.h"
#include "host/base/array.h"
#include "host/base/record_keys.h"
#include "host/base/steps.h"
#include "host/paths/private.h"

#define STEPS_MAX SIZED(1u << 19, 8u) /* then they are settled and forgotten: the memory is bounded */
#define MISSING 1u                    /* beside the number of a key in a step: records are missing before it, */
#define TIMED 2u                      /* it is one with cycles */
#define WAYS 4u
#define SOME SIZED(1024u, 4u) /* records of a block at a time */
#define NEAR SIZED(4096u, 8u)

struct timed { /* a record with its cycles */
	uint64_t cycles;
	uint32_t key;
};

struct block_key { /* the number of its record, with this many repetitions */
	uint32_t number;
	uint16_t repeat;
};

struct state { /* between two records */
	uint32_t frames;
	enum paths_continuity next;
	struct core_state core;
	bool core_known;
};

struct paths_cache {
	struct walk_config *configs; /* how records were collected: the modes of keys */
	size_t config_count, config_room;
	struct hash config_table;
	struct record_keys keys;
	struct timed *timed; /* until they are settled */
	size_t timed_count, timed_room;
	struct hash timed_table;
	uint32_t near[NEAR]; /* of timed: by record and cycles */
	struct state *states;
	size_t state_count, state_room;
	struct hash state_table;
	struct block_key *block; /* by key of the block at hand */
	struct steps_taken steps;
};

void paths_cache_close(struct paths_cache *cache)
{
	if (cache == NULL)
		return;
	free(cache->configs);
	hash_free(&cache->config_table);
	record_keys_free(&cache->keys);
	free(cache->timed);
	hash_free(&cache->timed_table);
	free(cache->states);
	hash_free(&cache->state_table);
	free(cache->block);
	steps_free(&cache->steps);
	free(cache);
}

static bool same_config(const struct walk_config *a, const struct walk_config *b)
{
	return a->hist == b->hist && a->ctrl == b->ctrl && a->insn_bits == b->insn_bits && a->isa_set == b->isa_set;
}

static bool open_cache(struct paths_feed *feed)
{
	if (feed->cache != NULL)
		return true;
	feed->cache = calloc(1, sizeof *feed->cache);
	if (feed->cache != NULL)
		steps_init(&feed->cache->steps);
	return feed->cache != NULL;
}

struct config_wanted {
	const struct paths_cache *cache;
	const struct walk_config *config;
};

static bool is_wanted_config(const void *context, uint32_t index)
{
	const struct config_wanted *wanted = context;
	return same_config(&wanted->cache->configs[index], wanted->config);
}

/* The mode of keys that were collected so. False: out of memory. */
static bool find_config_mode(struct paths_cache *cache, const struct walk_config *config, uint32_t *mode)
{
	const struct config_wanted wanted = {cache, config};
	uint32_t hash = hash_of((uint64_t)config->hist << 32 | config->ctrl);
	*mode = hash_find(&cache->config_table, hash, is_wanted_config, &wanted);
	if (*mode != HASH_NONE)
		return true;
	*mode = (uint32_t)cache->config_count;
	if (!array_room(&cache->configs, cache->config_count + 1, &cache->config_room) ||
	    !hash_add(&cache->config_table, hash, *mode))
		return false;
	cache->configs[cache->config_count++] = *config;
	return true;
}

int paths_feed_key(
    struct paths_feed *feed, const struct record *record, const struct walk_config *config, uint32_t *number)
{
	uint32_t mode;
	bool good = open_cache(feed) && find_config_mode(feed->cache, config, &mode) &&
		    record_keys_number(&feed->cache->keys, record, mode, number);
	return good ? PATHS_OK : PATHS_ENOMEM;
}

struct timed_wanted {
	const struct paths_cache *cache;
	struct timed timed;
};

static bool same_timed(const void *context, uint32_t index)
{
	const struct timed_wanted *wanted = context;
	const struct timed *a = &wanted->cache->timed[index], *b = &wanted->timed;
	return a->key == b->key && a->cycles == b->cycles;
}

/* *number of a key becomes that of the record with these cycles. */
static inline int with_cycles(struct paths_cache *cache, uint32_t *number, uint64_t cycles)
{
	const struct timed_wanted wanted = {cache, {cycles, *number}};
	uint32_t hash = hash_of_two(cycles, *number), *near = &cache->near[hash % NEAR];
	if (*near < cache->timed_count && same_timed(&wanted, *near)) {
		*number = *near;
		return PATHS_OK;
	}
	*number = hash_find(&cache->timed_table, hash, same_timed, &wanted);
	if (*number == HASH_NONE) {
		*number = (uint32_t)cache->timed_count;
		if (!array_room(&cache->timed, cache->timed_count + 1, &cache->timed_room) ||
		    !hash_add(&cache->timed_table, hash, *number))
			return PATHS_ENOMEM;
		cache->timed[cache->timed_count++] = wanted.timed;
	}
	*near = *number;
	return PATHS_OK;
}

struct state_wanted {
	const struct paths_cache *cache;
	struct state state;
};

static bool same_frames_state(const void *context, uint32_t index)
{
	const struct state_wanted *wanted = context;
	const struct state *a = &wanted->cache->states[index], *b = &wanted->state;
	return a->frames == b->frames && a->next == b->next && a->core_known == b->core_known &&
	       core_state_number(&a->core) == core_state_number(&b->core);
}

static int save_frames(void *context, uint32_t *state)
{
	struct paths_feed *feed = context;
	struct paths_cache *cache = feed->cache;
	struct state_wanted wanted = {
	    cache, {.next = feed->next, .core = feed->core_state, .core_known = feed->core_known}};
	int error = paths_save(feed->paths, &wanted.state.frames);
	if (error != PATHS_OK)
		return error;
	uint32_t hash = hash_of_two((uint64_t)wanted.state.frames << 8 | (uint64_t)feed->next << 1 | feed->core_known,
	    core_state_number(&feed->core_state));
	*state = hash_find(&cache->state_table, hash, same_frames_state, &wanted);
	if (*state != HASH_NONE)
		return PATHS_OK;
	*state = (uint32_t)cache->state_count;
	if (!array_room(&cache->states, cache->state_count + 1, &cache->state_room) ||
	    !hash_add(&cache->state_table, hash, *state))
		return PATHS_ENOMEM;
	cache->states[cache->state_count++] = wanted.state;
	return PATHS_OK;
}

static int load_frames(void *context, uint32_t state)
{
	struct paths_feed *feed = context;
	const struct state *s = &feed->cache->states[state];
	feed->next = s->next;
	feed->core_state = s->core;
	feed->core_known = s->core_known;
	return paths_load(feed->paths, s->frames);
}

static int take_cached_step(void *context, struct step_taken *step)
{
	struct paths_feed *feed = context;
	const struct paths_cache *cache = feed->cache;
	const struct timed *timed = (step->key & TIMED) != 0 ? &cache->timed[step->key / WAYS] : NULL;
	const struct record_key *of = &cache->keys.all[timed != NULL ? timed->key : step->key / WAYS];
	struct record record = of->record;
	if ((step->key & MISSING) != 0)
		feed->next = PATHS_UNRELATED;
	if (timed != NULL) {
		record.cycles = timed->cycles;
		record.timed = record.count;
	}
	return paths_feed_times(feed, &record, &cache->configs[of->mode], step->count);
}

static const struct steps_owner steps_owner = {save_frames, load_frames, take_cached_step, PATHS_ENOMEM, NULL};

int paths_feed_settle(struct paths_feed *feed)
{
	struct paths_cache *cache = feed->cache;
	if (cache == NULL || cache->steps.state == STEP_NONE)
		return PATHS_OK;
	int error = steps_settle(&cache->steps, &steps_owner, feed);
	steps_forget(&cache->steps);
	feed->paths->times = 1;
	hash_clear(&cache->state_table);
	hash_clear(&cache->timed_table);
	cache->state_count = cache->timed_count = 0;
	return error == PATHS_OK ? paths_forget(feed->paths) : error;
}

/* The key of a step: of the record with this number, with its cycles if they are asked for. */
static inline int step_key(
    const struct paths_feed *feed, uint32_t number, uint64_t cycles, uint64_t missing, uint32_t *key)
{
	bool timed = cycles > 0 && feed->costs.core != NULL;
	int error = timed ? with_cycles(feed->cache, &number, cycles) : PATHS_OK;
	*key = WAYS * number + (timed ? TIMED : 0) + (missing > 0 ? MISSING : 0);
	return error;
}

/* Settling forgets the records with their cycles, and so the keys that were made of them. */
static int room_for_steps(struct paths_feed *feed, size_t more)
{
	return feed->cache->steps.count + more > STEPS_MAX ? paths_feed_settle(feed) : PATHS_OK;
}

static int count_step(struct paths_feed *feed, uint32_t key)
{
	uint32_t step;
	int error = steps_get(&feed->cache->steps, &steps_owner, feed, key, &step);
	if (error == PATHS_OK)
		steps_count(&feed->cache->steps, step, 0);
	return error;
}

int paths_feed_keyed(struct paths_feed *feed, uint32_t number, uint64_t cycles, uint64_t missing)
{
	uint32_t key;
	feed->missing += missing;
	int error = room_for_steps(feed, 1);
	if (error == PATHS_OK)
		error = step_key(feed, number, cycles, missing, &key);
	return error == PATHS_OK ? count_step(feed, key) : error;
}

/* ---- blocks ---- */

struct some { /* records of a block: keys of their steps */
	uint32_t count, keys[SOME];
	uint64_t missing; /* records before the first */
};

static int number_block(struct paths_feed *feed, const struct records_block *block, const struct walk_config *config)
{
	if (!open_cache(feed))
		return PATHS_ENOMEM;
	struct block_key *keys = feed->cache->block;
	if (keys == NULL && (keys = malloc(RECORDS_BLOCK_MAX * sizeof *keys)) == NULL)
		return PATHS_ENOMEM;
	feed->cache->block = keys;

	int error = PATHS_OK;
	for (uint32_t k = 0; k < block->key_count && error == PATHS_OK; k++) {
		struct record record = block->keys[k];
		record.count = keys[k].repeat = 1;
		error = paths_feed_key(feed, &record, config, &keys[k].number);
	}
	return error;
}

/* The keys of some records' steps. */
static int key_timed_part(struct paths_feed *feed, const struct records_block *block, const struct walk_config *config,
    uint32_t from, struct some *some)
{
	int error = PATHS_OK;
	for (uint32_t i = 0; i < some->count && error == PATHS_OK; i++) {
		uint32_t at = block->key[from + i];
		struct block_key *key = &feed->cache->block[at];
		if (key->repeat != block->repeat[from + i]) {
			struct record record = block->keys[at];
			record.count = key->repeat = block->repeat[from + i];
			error = paths_feed_key(feed, &record, config, &key->number);
		}
		if (error == PATHS_OK)
			error = step_key(feed, key->number, block->cycles[from + i], some->missing, &some->keys[i]);
		some->missing = 0;
	}
	return error;
}

int paths_feed_block(
    struct paths_feed *feed, const struct records_block *block, const struct walk_config *config, uint64_t missing)
{
	struct some some = {.missing = missing};
	int error = number_block(feed, block, config);
	feed->missing += missing;
	for (uint32_t from = 0; from < block->count && error == PATHS_OK; from += some.count) {
		some.count = block->count - from < SOME ? block->count - from : SOME;
		error = room_for_steps(feed, some.count);
		if (error == PATHS_OK)
			error = key_timed_part(feed, block, config, from, &some);
		for (uint32_t i = 0; i < some.count && error == PATHS_OK; i++) {
			i += (uint32_t)steps_follow(&feed->cache->steps, some.keys + i, NULL, some.count - i, NULL);
			if (i < some.count)
				error = count_step(feed, some.keys[i]);
		}
	}
	return error;
}
