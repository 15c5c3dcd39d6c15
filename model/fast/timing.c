/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Fetch and decode stage of docs/core.md section 3, where nothing depends on data. */
#include "model/fast/private.h"

/* D in one cycle, X being ready: true if the next instruction is taken. */
static bool fire(struct fetch_state *fetch, uint32_t pc, unsigned length)
{
	bool upper = pc & 2;
	unsigned needed = upper && length == 4 ? 2 : 1;
	if (fetch->words < needed)
		return false;
	if (upper || length == 4)
		fetch->words--;
	return true;
}

unsigned timing_step(struct fetch_state *fetch, unsigned cycles, bool memory, uint32_t next_pc, unsigned next_length)
{
	unsigned gap = 0;
	for (unsigned i = 1;; i++) {
		bool ready = i >= cycles, taken = false;
		fetch->words = (uint8_t)(fetch->words + fetch->inflight);
		if (ready)
			taken = fire(fetch, next_pc, next_length);
		fetch->inflight = !(memory && i == cycles) && fetch->words <= 1;
		if (taken)
			return gap;
		gap += ready;
	}
}

unsigned timing_redirect(struct fetch_state *fetch, uint32_t pc, unsigned length)
{
	*fetch = (struct fetch_state){.words = 0, .inflight = 1};
	return 1 + timing_step(fetch, 1, false, pc, length);
}
