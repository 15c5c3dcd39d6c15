/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What gather.c adds to: units and calls. */
#include "host/export/gather_private.h"

#include <stdlib.h>

struct unit_key {
	const struct unit *units;
	const struct walk_block *block;
	uint32_t node, count;
};

static bool is_unit(const void *context, uint32_t index)
{
	const struct unit_key *key = context;
	const struct unit *unit = &key->units[index];
	return unit->block == key->block && unit->node == key->node && unit->count == key->count;
}

struct part_key {
	const struct unit_part *parts;
	const struct walk_block *block;
	uint32_t count;
};

static bool is_part(const void *context, uint32_t index)
{
	const struct part_key *key = context;
	return key->parts[index].block == key->block && key->parts[index].count == key->count;
}

static bool number_part(struct gather *gather, const struct walk_visit *visit, uint32_t *number)
{
	const struct part_key key = {gather->parts, visit->block, visit->count};
	const uint32_t hash = hash_of_two(visit->block->start, visit->count);
	*number = hash_find(&gather->part_table, hash, is_part, &key);
	if (*number != HASH_NONE)
		return true;
	*number = (uint32_t)gather->part_count;
	if (!array_room(&gather->parts, gather->part_count + 1, &gather->part_room) ||
	    !hash_add(&gather->part_table, hash, *number))
		return false;
	gather->parts[gather->part_count++] = (struct unit_part){.block = visit->block, .count = visit->count};
	return true;
}

int gather_unit(struct gather *gather, const struct walk_visit *visit, uint32_t node, struct unit **found)
{
	const struct unit_key key = {gather->units, visit->block, node, visit->count};
	uint32_t hash = hash_of_two(visit->block->start, (uint64_t)node << 32 | visit->count);
	uint32_t index = hash_find(&gather->unit_table, hash, is_unit, &key);
	if (index == HASH_NONE) {
		index = (uint32_t)gather->unit_count;
		if (!array_room(&gather->units, gather->unit_count + 1, &gather->unit_room))
			return GATHER_ENOMEM;
		uint64_t *cycles = calloc(visit->count, sizeof *cycles);
		uint32_t part;
		if (cycles == NULL || !number_part(gather, visit, &part) ||
		    !hash_add(&gather->unit_table, hash, index)) {
			free(cycles);
			return GATHER_ENOMEM;
		}
		gather->units[gather->unit_count++] = (struct unit){
		    .block = visit->block, .node = node, .count = visit->count, .cycles = cycles, .part = part};
	}
	*found = &gather->units[index];
	return GATHER_OK;
}

struct call_key {
	const struct gather_call *calls;
	uint64_t site, target;
};

static bool is_call(const void *context, uint32_t index)
{
	const struct call_key *key = context;
	return key->calls[index].site == key->site && key->calls[index].target == key->target;
}

int gather_add_call(struct gather *gather, uint64_t site, uint64_t target, uint64_t times)
{
	if (times == 0)
		return GATHER_OK;
	const struct call_key key = {gather->calls, site, target};
	uint32_t hash = hash_of_two(site, target), index = hash_find(&gather->call_table, hash, is_call, &key);
	if (index == HASH_NONE) {
		index = (uint32_t)gather->call_count;
		if (!array_room(&gather->calls, gather->call_count + 1, &gather->call_room) ||
		    !hash_add(&gather->call_table, hash, index))
			return GATHER_ENOMEM;
		gather->calls[gather->call_count++] = (struct gather_call){.site = site, .target = target};
	}
	struct gather_call *call = &gather->calls[index];
	if (gather->replay.writing)
		gather_replay_call(gather, index, times);
	return __builtin_add_overflow(call->count, times, &call->count) ? GATHER_EOVERFLOW : GATHER_OK;
}
