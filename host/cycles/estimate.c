/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cycles/estimate.h"

#include <stdlib.h>
#include "common/rivulet_regs.h"
#include "host/base/array.h"

bool estimate_open(struct estimate *e, const struct image *image, const struct core *core, unsigned hist)
{
	const struct walk_config config = {
	    .hist = hist, .ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_HANDLERS_MASK, .insn_bits = 32};
	*e = (struct estimate){.core = core, .costs = {.image = image, .core = core}};
	if (core == NULL)
		return true;
	return walk_open(&e->walk, image, &config) == WALK_OK &&
	       walk_cache_open(&e->cache, e->walk, WALK_CACHE_BYTES) == WALK_OK;
}

void estimate_close(struct estimate *e)
{
	trace_costs_free(&e->costs);
	walk_cache_close(e->cache);
	walk_close(e->walk);
	free(e->parts);
	*e = (struct estimate){0};
}

bool estimate_cycles(struct estimate *e, const struct record *record, uint64_t *cycles)
{
	struct core_state state = CORE_START;
	struct trace_bounds bounds;
	*cycles = 0;
	if (e->core == NULL)
		return true;
	const struct walked *walked = walk_cached(e->cache, record);
	if (walked == NULL || !array_room(&e->parts, (size_t)walked->insns + 1, &e->part_room) ||
	    !trace_costs_parts(
		&e->costs, &state, true, &(struct trace_visits){walked->visits, walked->count}, e->parts, &bounds))
		return false;
	*cycles = bounds.least;
	return true;
}
