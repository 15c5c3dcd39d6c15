/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SW_PROFILE_H
#define RIVULET_SW_PROFILE_H
/* Sends a trace table as a profile (docs/profile-format.md). Freestanding C11. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sw/trace/table.h"

struct trace_phase;
struct profile_info {
	uint32_t xlen, hist, ctrl;
	uint32_t way; /* enum run_way (common/run_config.h) */
	uint32_t period, dither;
	uint32_t build;
	const char *name;
	bool extras; /* entries say cycles and instructions */
	uint64_t lost, cycles, instructions, handler_cycles, interrupts;
	const struct trace_phase *phases; /* that were seen, phase_count of them */
	unsigned phase_count;
	unsigned hart, harts; /* whose profile it is, of a chip with so many (2 to 8); 0, 0: of one */
};

/* Sends header, entries in the table's order, phase changes, and end, each frame by one call of put. */
void profile_send(const struct profile_info *info, const struct table *table,
    void (*put)(void *context, const void *bytes, size_t size), void *context);
#endif
