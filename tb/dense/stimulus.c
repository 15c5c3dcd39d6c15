/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/dense/stimulus.h"

#include <string.h>

enum { LONGEST_PHASE = 8000, CODE_BYTES = 16384, CUT_ONE_IN = 40, HUGE_ONE_IN = 50, FULL_ONE_IN = 16, HUGE_BITS = 26 };

uint32_t dense_stimulus_draw(struct dense_stimulus *s, uint32_t limit)
{
	s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((s->random >> 32) * limit >> 32);
}

static uint64_t draw_wide(struct dense_stimulus *s)
{
	const uint64_t high = dense_stimulus_draw(s, UINT32_MAX);
	return high << 32 | dense_stimulus_draw(s, UINT32_MAX);
}

static uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static struct dense_trace draw_trace(struct dense_stimulus *s)
{
	/* FULL and XRET end a trace by its own instruction too */
	static const uint8_t reasons[] = {1, 1, 1, 1, 1, 2, 2, 3, 5};
	const bool full = dense_stimulus_draw(s, FULL_ONE_IN) == 0;
	const unsigned length =
	    full ? s->config.hist - 1 : dense_stimulus_draw(s, dense_stimulus_draw(s, s->config.hist) + 1);
	const uint64_t outcomes = draw_wide(s) & ones(length), base = draw_wide(s) & ones(s->config.xlen);
	const bool far = dense_stimulus_draw(s, 8) == 0;
	return (struct dense_trace){.start = far ? base & ~UINT64_C(1) : 2 * dense_stimulus_draw(s, CODE_BYTES / 2),
	    .hist = UINT64_C(1) << length | outcomes,
	    .reason = reasons[dense_stimulus_draw(s, sizeof reasons)]};
}

static unsigned draw_rate(struct dense_stimulus *s, unsigned most)
{
	return 1 + dense_stimulus_draw(s, 1 + dense_stimulus_draw(s, most));
}

static void begin_phase(struct dense_stimulus *s)
{
	s->left = 1 + dense_stimulus_draw(s, LONGEST_PHASE);
	s->traces = draw_rate(s, dense_stimulus_draw(s, 4) == 0 ? DENSE_POOL - 1 : s->config.entries);
	s->surprise = draw_rate(s, 60);
	s->gap = draw_rate(s, 40);
	s->slow = dense_stimulus_draw(s, 3) == 0 ? draw_rate(s, 200) : 1;
	s->repeat = draw_rate(s, 30);
	s->flush = dense_stimulus_draw(s, 3) * dense_stimulus_draw(s, 100);
	s->begin = 500 * draw_rate(s, 100);
}

void dense_stimulus_init(struct dense_stimulus *s, const struct dense_config *config, uint64_t seed)
{
	memset(s, 0, sizeof *s);
	s->config = *config;
	s->random = seed * 2 + 1;
	for (unsigned i = 0; i < DENSE_POOL; i++) {
		s->pool[i] = draw_trace(s);
		for (unsigned k = 0; k < 2; k++)
			s->follows[i][k] = (uint16_t)dense_stimulus_draw(s, DENSE_POOL);
	}
	begin_phase(s);
}

static uint32_t draw_repeat(struct dense_stimulus *s)
{
	const uint64_t most = ones(s->config.repeat_bits);
	if (dense_stimulus_draw(s, s->repeat) != 0)
		return 1;
	if (dense_stimulus_draw(s, HUGE_ONE_IN) == 0) /* more than it takes */
		return (uint32_t)most + 1 + dense_stimulus_draw(s, 1u << dense_stimulus_draw(s, HUGE_BITS + 1));
	return 1 + dense_stimulus_draw(s, (uint32_t)(most < 20 ? most : 20));
}

static void draw_record(struct dense_stimulus *s, struct dense_in *in)
{
	const bool surprised = dense_stimulus_draw(s, s->surprise) == 0;
	const unsigned next =
	    surprised ? dense_stimulus_draw(s, DENSE_POOL) : s->follows[s->at][dense_stimulus_draw(s, 5) == 0];
	s->at = next % s->traces;
	const struct dense_trace trace = s->pool[s->at];
	const bool cut = dense_stimulus_draw(s, CUT_ONE_IN) == 0;
	in->rec_valid = true;
	in->start = trace.start;
	in->hist = trace.hist;
	in->reason = cut ? (uint8_t)(TRACE_LEFT + dense_stimulus_draw(s, 3)) : trace.reason;
	if (cut && dense_stimulus_draw(s, 2) == 0)
		in->reason = TRACE_TRAP;
	in->insns = (uint16_t)(dense_stimulus_draw(s, 1u << dense_stimulus_draw(s, 17)) & ones(s->config.insn_bits));
	in->repeat = draw_repeat(s);
}

void dense_stimulus_cycle(struct dense_stimulus *s, struct dense_in *in)
{
	*in = (struct dense_in){0};
	if (s->left-- == 0)
		begin_phase(s);
	in->byte_ready = dense_stimulus_draw(s, s->slow) == 0;
	in->flush = s->flush != 0 && dense_stimulus_draw(s, s->flush) == 0;
	in->begin = dense_stimulus_draw(s, s->begin) == 0;
	if (dense_stimulus_draw(s, s->gap) == 0)
		draw_record(s, in);
}
