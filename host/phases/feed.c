/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/feed.h"

#include <stdlib.h>

/* The numbers of the blocks of a kept walk, in walked->user. */
struct numbers {
	uint32_t context, count, instructions;
	uint32_t blocks[];
};

void phases_feed_open(struct phases_feed *feed, struct phases_writer *writer, const struct image *image)
{
	*feed = (struct phases_feed){.writer = writer, .image = image};
}

static void forget_walked(void *context, struct walked *walked)
{
	(void)context;
	free((void *)(uintptr_t)walked->user);
	walked->user = 0;
}

static void close_walk(struct phases_feed *feed)
{
	walk_cache_close(feed->cache);
	walk_close(feed->walk);
	feed->cache = NULL;
	feed->walk = NULL;
	feed->open = false;
}

void phases_feed_close(struct phases_feed *feed)
{
	close_walk(feed);
	free(feed->blocks);
	feed->blocks = NULL;
}

static int prepare_phases_feed(struct phases_feed *feed, const struct walk_config *config)
{
	if (feed->open && walk_same(feed->walk, config))
		return PHASES_OK;
	close_walk(feed);
	if (walk_open(&feed->walk, feed->image, config) != WALK_OK ||
	    walk_cache_open(&feed->cache, feed->walk, WALK_CACHE_BYTES) != WALK_OK)
		return PHASES_ENOMEM;
	walk_cache_on_forget(feed->cache, forget_walked, NULL);
	feed->open = true;
	return PHASES_OK;
}

/* Bytes of the first `count` instructions of a block. */
static uint32_t bytes_of(const struct walk_block *block, uint32_t count)
{
	if (count == block->count)
		return (uint32_t)(block->next - block->start);
	uint64_t starts = block->starts;
	for (uint32_t i = 0; i < count; i++)
		starts &= starts - 1;
	return 2 * (uint32_t)__builtin_ctzll(starts);
}

static int number_blocks(struct phases_feed *feed, struct walked *walked, uint32_t context)
{
	struct numbers *n = malloc(sizeof *n + walked->count * sizeof *n->blocks);
	if (n == NULL)
		return PHASES_ENOMEM;
	*n = (struct numbers){.context = context};
	int error = PHASES_OK;
	for (uint32_t i = 0; i < walked->count && error == PHASES_OK; i++) {
		const struct walk_visit *v = &walked->visits[i];
		const struct phases_block block = {.address = v->block->start,
		    .bytes = bytes_of(v->block, v->count),
		    .instructions = v->count,
		    .context = context};
		if (v->count == 0)
			continue;
		error = phases_writer_block(feed->writer, &block, &n->blocks[n->count]);
		n->count++;
		n->instructions += v->count;
	}
	if (error != PHASES_OK) {
		free(n);
		return error;
	}
	free((void *)(uintptr_t)walked->user);
	walked->user = (uintptr_t)n;
	return PHASES_OK;
}

int phases_feed_record(struct phases_feed *feed, const struct record *record, const struct record_place *place,
    const struct walk_config *config, uint64_t missing)
{
	int error = prepare_phases_feed(feed, config);
	if (error != PHASES_OK)
		return error;
	if (feed->records++ == 0 && place->time > record->cycles)
		error = phases_writer_time(feed->writer, place->time - record->cycles);
	if (error == PHASES_OK && missing > 0) {
		feed->missing += missing;
		error = phases_writer_gap(feed->writer, missing);
	}
	struct walked *walked = error == PHASES_OK ? walk_cached(feed->cache, record) : NULL;
	if (walked == NULL)
		return error != PHASES_OK ? error : PHASES_ENOMEM;
	struct numbers *n = (struct numbers *)(uintptr_t)walked->user;
	if (n == NULL || n->context != place->context) {
		error = number_blocks(feed, walked, place->context);
		if (error != PHASES_OK)
			return error;
		n = (struct numbers *)(uintptr_t)walked->user;
	}
	for (uint64_t i = 0; i < record->count && error == PHASES_OK; i++) {
		error = phases_writer_feed(feed->writer, n->blocks, n->count);
		if (walked->error < 0 && error == PHASES_OK)
			error = phases_writer_gap(feed->writer, 0);
	}
	if (walked->error < 0) {
		if (feed->failed == 0) {
			feed->walk_error = walked->error;
			feed->at = walked->at;
		}
		feed->failed += record->count;
	}
	feed->traces += record->count;
	feed->blocks_fed += record->count * n->count;
	feed->instructions += record->count * n->instructions;
	return error == PHASES_OK && place->time != 0 ? phases_writer_time(feed->writer, place->time) : error;
}
