/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/private.h"

static uint16_t lfsr_step(uint16_t x)
{
	for (unsigned i = 0; i < 4; i++)
		x = (uint16_t)(x >> 1 ^ (x & 1 ? 0xB400 : 0));
	return x;
}

/* COUNTER at a latch: whether this trace is the sample. */
static bool count_down(struct trace *trace)
{
	if (trace->counter > 1) {
		trace->counter--;
		return false;
	}
	uint32_t random = trace->config.with_dither ? (uint32_t)(trace->lfsr & trace->dither) : 0;
	trace->counter = (trace->period + random) & (uint32_t)trace_ones(trace->config.sample_bits);
	trace->status_sample = true;
	return true;
}

bool trace_sample(struct trace *trace, bool latch)
{
	if (!latch)
		return false;
	bool kept = trace->ctrl & RV_CTRL_SAMPLE_MASK ? count_down(trace) : true;
	if (trace->config.with_dither)
		trace->lfsr = lfsr_step(trace->lfsr);
	return kept;
}
