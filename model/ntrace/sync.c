/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#define COUNT_BITS 20

void ntrace_sync(struct ntrace *t, bool message, bool counts, unsigned halves, bool clear)
{
	struct ntrace_sync *s = &t->sync;
	const unsigned mode = t->regs.sync_mode;
	const unsigned steps[] = {0, message, 1, counts ? halves : 0};
	s->due = s->due || (s->count >> (t->regs.sync_max + 4) & 1) != 0;
	s->count = (s->count + steps[mode]) & (uint32_t)ntrace_ones(COUNT_BITS);
	if (clear || mode == 0)
		*s = (struct ntrace_sync){0};
}
