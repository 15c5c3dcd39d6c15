/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* All profilers: one row each. */
#include "host/insert/insert.h"

static const struct insert_profiler *const all[] = {&insert_profile_paths, &insert_profile_edges,
    &insert_profile_blocks, &insert_profile_regions, &insert_profile_cycles, &insert_profile_trace};

const struct insert_profiler *insert_profiler(enum insert_mode mode)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (all[i]->mode == mode)
			return all[i];
	}
	return NULL;
}
