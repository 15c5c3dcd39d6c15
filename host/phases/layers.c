/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/layers.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct level {
	uint32_t length_max;
	/* The sequence under construction ("New Path"). Invariant: mark[s] == generation for exactly its symbols. */
	uint32_t *mark, mark_room, generation;
	uint32_t *now, count;
	uint64_t hash;
	/* The one before ("Previous Path"): its contents, compared before the table is asked. before_count == 0:
	 * none. */
	uint32_t *before, before_count, trips;
	uint64_t before_hash;
	struct sorted *sequences;
	struct sorted *symbols; /* key: sequence, trips */
	struct layers_sums *sums;
	uint32_t sums_room;
};

struct layers {
	struct layers_config config;
	struct level level[LAYERS_LEVELS_MAX];
	const uint32_t *instructions;
	uint32_t block_count;
	layers_visitor *visit;
	void *context;
};

static int from_sorted(int error)
{
	if (error == SORTED_EFULL)
		return LAYERS_EFULL;
	return error == SORTED_ECONFIG ? LAYERS_ECONFIG : LAYERS_ENOMEM;
}

void layers_config_default(struct layers_config *config)
{
	*config = (struct layers_config){.levels = 3};
	sorted_config_default(&config->table);
}

int layers_open(struct layers **layers, const struct layers_config *config)
{
	*layers = NULL;
	if (config->levels < 1 || config->levels > LAYERS_LEVELS_MAX)
		return LAYERS_ECONFIG;
	struct layers *l = calloc(1, sizeof *l);
	if (l == NULL)
		return LAYERS_ENOMEM;
	l->config = *config;
	struct sorted_config plain = config->table;
	plain.period = 0;
	plain.grow = true;
	int error = LAYERS_OK;
	for (unsigned n = 0; n < config->levels && error == LAYERS_OK; n++) {
		struct level *level = &l->level[n];
		level->length_max = config->length_max[n];
		if (level->length_max == 0 || level->length_max > LAYERS_LENGTH_MAX)
			level->length_max = LAYERS_LENGTH_MAX;
		level->generation = 1;
		level->now = malloc(level->length_max * sizeof *level->now);
		level->before = malloc(level->length_max * sizeof *level->before);
		if (level->now == NULL || level->before == NULL)
			error = LAYERS_ENOMEM;
		else if ((error = sorted_open(&level->sequences, &config->table)) != SORTED_OK ||
			 (error = sorted_open(&level->symbols, &plain)) != SORTED_OK)
			error = from_sorted(error);
	}
	if (error != LAYERS_OK) {
		layers_close(l);
		return error;
	}
	*layers = l;
	return LAYERS_OK;
}

void layers_close(struct layers *layers)
{
	if (layers == NULL)
		return;
	for (unsigned n = 0; n < LAYERS_LEVELS_MAX; n++) {
		struct level *level = &layers->level[n];
		free(level->mark);
		free(level->now);
		free(level->before);
		free(level->sums);
		sorted_close(level->sequences);
		sorted_close(level->symbols);
	}
	free(layers);
}

void layers_on_repeat(struct layers *layers, layers_visitor *visit, void *context)
{
	layers->visit = visit;
	layers->context = context;
}

void layers_on_swap(
    struct layers *layers, unsigned level, void (*swap)(void *context, const struct sorted_swap *swap), void *context)
{
	sorted_on_swap(layers->level[level].sequences, swap, context);
}

static int take_symbol(struct layers *l, unsigned n, uint32_t symbol);

/* The sums of sequence number `number` of level n, which is new and stands in its table. */
static int add_sequence_sums(struct layers *l, unsigned n, uint32_t number)
{
	struct level *level = &l->level[n];
	if (number >= level->sums_room) {
		const uint32_t room = 2 * number + 256;
		struct layers_sums *bigger = realloc(level->sums, room * sizeof *bigger);
		if (bigger == NULL)
			return LAYERS_ENOMEM;
		level->sums = bigger;
		level->sums_room = room;
	}
	struct layers_sums sums = {0};
	uint32_t count;
	const uint32_t *symbols = sorted_symbols(level->sequences, number, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (n == 0) {
			sums.instructions += l->instructions[symbols[i]];
			sums.blocks++;
			continue;
		}
		uint32_t sequence, trips;
		layers_symbol(l, n - 1, symbols[i], &sequence, &trips);
		const struct layers_sums *one = &l->level[n - 1].sums[sequence];
		sums.instructions += trips * one->instructions;
		sums.blocks += trips * one->blocks;
		sums.paths += trips * one->paths;
	}
	if (n == 0)
		sums.paths = 1;
	level->sums[number] = sums;
	return LAYERS_OK;
}

/* The sequence before is over, with its trips: it goes into the tables, to the visitor, and one level up. */
static int pass_on(struct layers *l, unsigned n)
{
	struct level *level = &l->level[n];
	uint32_t sequence, symbol;
	if (level->before_count == 0)
		return LAYERS_OK;
	int error = sorted_enter(
	    level->sequences, level->before, level->before_count, level->before_hash, level->trips, &sequence);
	if (error < 0)
		return from_sorted(error);
	if (error == 1 && (error = add_sequence_sums(l, n, sequence)) != LAYERS_OK)
		return error;
	const uint32_t key[2] = {sequence, level->trips};
	const int is_new = sorted_enter(level->symbols, key, 2, sorted_hash(key, 2), 1, &symbol);
	if (is_new < 0)
		return from_sorted(is_new);
	const struct layers_repeat repeat = {
	    .level = n, .sequence = sequence, .symbol = symbol, .trips = level->trips, .is_new = is_new == 1};
	level->before_count = 0;
	if (l->visit != NULL)
		l->visit(l->context, &repeat);
	return n + 1 < l->config.levels ? take_symbol(l, n + 1, symbol) : LAYERS_OK;
}

/* The sequence under construction is complete. */
static int complete_sequence(struct layers *l, unsigned n)
{
	struct level *level = &l->level[n];
	if (level->before_count == level->count && level->before_hash == level->hash &&
	    level->trips < LAYERS_TRIPS_MAX &&
	    memcmp(level->before, level->now, level->count * sizeof *level->now) == 0) {
		level->trips++;
	} else {
		int error = pass_on(l, n);
		if (error != LAYERS_OK)
			return error;
		uint32_t *room = level->before;
		level->before = level->now;
		level->before_count = level->count;
		level->before_hash = level->hash;
		level->trips = 1;
		level->now = room;
	}
	level->count = 0;
	level->hash = 0;
	level->generation++;
	if (level->generation == 0) { /* the marks would lie after 2^32 sequences */
		memset(level->mark, 0, level->mark_room * sizeof *level->mark);
		level->generation = 1;
	}
	return LAYERS_OK;
}

static int room_for_symbol(struct level *level, uint32_t symbol)
{
	if (symbol < level->mark_room)
		return LAYERS_OK;
	const uint32_t room = symbol < UINT32_MAX / 2 ? 2 * symbol + 256 : symbol + 1;
	uint32_t *bigger = realloc(level->mark, room * sizeof *bigger);
	if (bigger == NULL)
		return LAYERS_ENOMEM;
	memset(bigger + level->mark_room, 0, (room - level->mark_room) * sizeof *bigger);
	level->mark = bigger;
	level->mark_room = room;
	return LAYERS_OK;
}

static int take_symbol(struct layers *l, unsigned n, uint32_t symbol)
{
	struct level *level = &l->level[n];
	int error = room_for_symbol(level, symbol);
	if (error == LAYERS_OK && (level->mark[symbol] == level->generation || level->count == level->length_max))
		error = complete_sequence(l, n);
	if (error != LAYERS_OK)
		return error;
	level->mark[symbol] = level->generation;
	level->now[level->count++] = symbol;
	level->hash = sorted_hash_add(level->hash, symbol);
	return LAYERS_OK;
}

int layers_blocks(struct layers *layers, const uint32_t *instructions, uint32_t count)
{
	layers->instructions = instructions;
	layers->block_count = count;
	return count == 0 ? LAYERS_OK : room_for_symbol(&layers->level[0], count - 1);
}

int layers_feed(struct layers *layers, const uint32_t *blocks, size_t count)
{
	struct level *level = &layers->level[0];
	for (size_t i = 0; i < count; i++) {
		const uint32_t block = blocks[i];
		if (level->mark[block] == level->generation || level->count == level->length_max) {
			int error = complete_sequence(layers, 0);
			if (error != LAYERS_OK)
				return error;
		}
		level->mark[block] = level->generation;
		level->now[level->count++] = block;
		level->hash = sorted_hash_add(level->hash, block);
	}
	return LAYERS_OK;
}

int layers_cut(struct layers *layers, unsigned from)
{
	int error = LAYERS_OK;
	for (unsigned n = from; n < layers->config.levels && error == LAYERS_OK; n++) {
		if (layers->level[n].count > 0)
			error = complete_sequence(layers, n);
		if (error == LAYERS_OK)
			error = pass_on(layers, n);
	}
	return error;
}

void layers_clear(struct layers *layers)
{
	for (unsigned n = 0; n < layers->config.levels; n++) {
		struct level *level = &layers->level[n];
		sorted_clear(level->sequences);
		sorted_clear(level->symbols);
		level->count = level->before_count = 0;
		level->hash = 0;
		level->generation++;
	}
}

void layers_tick(struct layers *layers, uint64_t time)
{
	if (layers->config.table.clock != SORTED_ACCESSES)
		for (unsigned n = 0; n < layers->config.levels; n++)
			sorted_tick(layers->level[n].sequences, time);
}

uint32_t layers_sequences(const struct layers *layers, unsigned level)
{
	struct sorted_statistics statistics;
	sorted_statistics(layers->level[level].sequences, &statistics);
	return statistics.entries;
}

uint32_t layers_symbols(const struct layers *layers, unsigned level)
{
	struct sorted_statistics statistics;
	sorted_statistics(layers->level[level].symbols, &statistics);
	return statistics.entries;
}

const uint32_t *layers_sequence(const struct layers *layers, unsigned level, uint32_t sequence, uint32_t *count)
{
	return sorted_symbols(layers->level[level].sequences, sequence, count);
}

void layers_symbol(const struct layers *layers, unsigned level, uint32_t symbol, uint32_t *sequence, uint32_t *trips)
{
	uint32_t count;
	const uint32_t *key = sorted_symbols(layers->level[level].symbols, symbol, &count);
	*sequence = key[0];
	*trips = key[1];
}

const struct layers_sums *layers_sums(const struct layers *layers, unsigned level, uint32_t sequence)
{
	return &layers->level[level].sums[sequence];
}

uint64_t layers_trips(const struct layers *layers, unsigned level, uint32_t sequence)
{
	return sorted_accesses(layers->level[level].sequences, sequence);
}

size_t layers_bytes(const struct layers *layers)
{
	size_t bytes = 0;
	struct sorted_statistics statistics;
	for (unsigned n = 0; n < layers->config.levels; n++) {
		sorted_statistics(layers->level[n].sequences, &statistics);
		bytes += statistics.bytes;
		sorted_statistics(layers->level[n].symbols, &statistics);
		bytes += statistics.bytes + layers->level[n].sums_room * sizeof(struct layers_sums);
		bytes += layers->level[n].mark_room * sizeof(uint32_t);
	}
	return bytes;
}
