/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What gather.c adds to: units, calls; and the costs of blocks. */
#include "host/export/gather_private.h"

#include <stdlib.h>

static size_t mix(uint64_t x, size_t size)
{
	x *= UINT64_C(0x9E3779B97F4A7C15);
	return (size_t)((x ^ (x >> 32)) >> 8) & (size - 1);
}

static size_t unit_slot(const struct unit *units, size_t size, const struct unit *key)
{
	size_t slot = mix((uint64_t)key->node << 40 ^ (uint64_t)key->block->start << 8 ^ key->count, size);
	while (units[slot].cycles != NULL &&
	       (units[slot].block != key->block || units[slot].node != key->node || units[slot].count != key->count))
		slot = (slot + 1) & (size - 1);
	return slot;
}

static int grow_units(struct gather *gather)
{
	size_t size = 2 * gather->unit_size;
	struct unit *grown = calloc(size, sizeof *grown);
	if (grown == NULL)
		return GATHER_ENOMEM;
	for (size_t i = 0; i < gather->unit_size; i++) {
		if (gather->units[i].cycles != NULL)
			grown[unit_slot(grown, size, &gather->units[i])] = gather->units[i];
	}
	free(gather->units);
	gather->units = grown;
	gather->unit_size = size;
	return GATHER_OK;
}

int gather_unit(struct gather *gather, const struct walk_visit *visit, uint32_t node, struct unit **found)
{
	while (2 * (gather->unit_count + 1) > gather->unit_size) {
		if (grow_units(gather) != GATHER_OK)
			return GATHER_ENOMEM;
	}
	const struct unit key = {.block = visit->block, .node = node, .count = visit->count};
	size_t slot = unit_slot(gather->units, gather->unit_size, &key);
	if (gather->units[slot].cycles == NULL) {
		gather->units[slot] = key;
		gather->units[slot].cycles = calloc(visit->count, sizeof(uint64_t));
		if (gather->units[slot].cycles == NULL)
			return GATHER_ENOMEM;
		gather->unit_count++;
	}
	*found = &gather->units[slot];
	return GATHER_OK;
}

static size_t call_slot(const struct gather_call *calls, size_t size, uint64_t site, uint64_t target)
{
	size_t slot = mix(site << 32 ^ site >> 32 ^ target, size);
	while (calls[slot].count != 0 && (calls[slot].site != site || calls[slot].target != target))
		slot = (slot + 1) & (size - 1);
	return slot;
}

int gather_add_call(struct gather *gather, uint64_t site, uint64_t target, uint64_t times)
{
	if (times == 0)
		return GATHER_OK;
	size_t slot = call_slot(gather->calls, gather->call_size, site, target);
	if (gather->calls[slot].count == 0 && 2 * (gather->call_count + 1) > gather->call_size) {
		size_t size = 2 * gather->call_size;
		struct gather_call *grown = calloc(size, sizeof *grown);
		if (grown == NULL)
			return GATHER_ENOMEM;
		for (size_t i = 0; i < gather->call_size; i++) {
			const struct gather_call *old = &gather->calls[i];
			if (old->count != 0)
				grown[call_slot(grown, size, old->site, old->target)] = *old;
		}
		free(gather->calls);
		gather->calls = grown;
		gather->call_size = size;
		slot = call_slot(grown, size, site, target);
	}
	struct gather_call *call = &gather->calls[slot];
	if (call->count == 0) {
		*call = (struct gather_call){.site = site, .target = target};
		gather->call_count++;
	}
	return __builtin_add_overflow(call->count, times, &call->count) ? GATHER_EOVERFLOW : GATHER_OK;
}

const struct cost *gather_costs(struct gather *gather, struct walk_block *block)
{
	struct costs *costs = block->user;
	if (costs != NULL)
		return costs->all;
	costs = malloc(sizeof *costs + block->count * sizeof *costs->all);
	if (costs == NULL)
		return NULL;
	uint64_t starts = block->starts;
	for (uint32_t k = 0; k < block->count; k++, starts &= starts - 1) {
		struct isa_insn insn;
		uint64_t pc = block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		if (!image_insn(gather->image, pc, 0, &insn))
			insn = (struct isa_insn){0};
		account_cost(&insn, pc, &costs->all[k]);
	}
	costs->next = gather->costs;
	gather->costs = block->user = costs;
	return costs->all;
}
