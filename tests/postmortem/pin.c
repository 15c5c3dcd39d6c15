/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A pin freezes the flight recorder (freeze_i of the SoC), for `make check-dense-recorder`: the program knows nothing
 * of it until it looks, prints the ring by the handler of a fault, and ends.
 */
#include "tests/postmortem/fault.h"

#define NAMES 64u
#define LIMIT 100000u

static uint32_t names[NAMES];

static __attribute__((noinline)) unsigned sort_names(void)
{
	unsigned moved = 0;
	for (unsigned i = 1; i < NAMES; i++) {
		const uint32_t name = names[i];
		unsigned at = i;
		for (; at > 0 && names[at - 1] > name; at--, moved++)
			names[at] = names[at - 1];
		names[at] = name;
	}
	return moved;
}

int app_main(int input)
{
	uint32_t random = 1 + (uint32_t)input, moved = 0;
	if (fault_arm(0) || trace_recorder_arm(&(struct trace_recorder){.pin = true}) != TRACE_OK)
		return app_check("recorder", 0, 1);
	for (unsigned round = 0; round < LIMIT && !trace_recorder_frozen(); round++) {
		for (unsigned i = 0; i < NAMES; i++) {
			random = random * 1664525u + 1013904223u;
			names[i] = random >> 8;
		}
		moved += sort_names();
	}
	if (!trace_recorder_frozen())
		return app_check("frozen", 0, moved | 1);
	__asm__ volatile("ebreak"); /* to the handler, which prints */
	return 1;
}
