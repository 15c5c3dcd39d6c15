/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#include <stddef.h>

#define CONTROL 0u
#define MATCH_INST 1u
/* trTeCompControl: the pc, not less than PMatch; the pc, less than SMatch; both */
#define BETWEEN (1u << 16 | 2u << 12 | 5u << 4)

bool ntrace_filter_match(const struct ntrace_filter *filter, const struct trace_retire *s)
{
	return filter->enable && (!filter->match_privilege || (filter->privileges >> s->mode & 1) != 0) &&
	       (!filter->match_comp || (s->pc >= filter->from && s->pc < filter->to));
}

/* The filter or comparator of a register; NULL: there is none. */
static const struct ntrace_filter *filter_at(const struct ntrace *t, unsigned index, bool *comparator, unsigned *number)
{
	*comparator = (index & 0x380) == NTRACE_TE_COMP0 / 4;
	*number = index >> 3 & 15;
	const bool filter = (index & 0x380) == NTRACE_TE_FILTER0 / 4;
	return (filter || *comparator) && *number < t->config.filters ? &t->regs.filters[*number] : NULL;
}

uint32_t ntrace_filter_read(const struct ntrace *t, unsigned index)
{
	bool comparator;
	unsigned number;
	const struct ntrace_filter *f = filter_at(t, index, &comparator, &number);
	if (f == NULL)
		return 0;
	if (!comparator && (index & 7) == CONTROL)
		return number << 5 | (uint32_t)f->match_comp << 4 | (uint32_t)f->match_privilege << 1 | f->enable;
	if (!comparator)
		return (index & 7) == MATCH_INST ? f->privileges : 0;
	switch (index & 7) {
	case CONTROL:
		return BETWEEN;
	case 4:
		return (uint32_t)f->from;
	case 5:
		return (uint32_t)(f->from >> 32);
	case 6:
		return (uint32_t)f->to;
	case 7:
		return (uint32_t)(f->to >> 32);
	default:
		return 0;
	}
}

static void write_half(uint64_t *value, bool high, uint32_t half)
{
	*value = high ? (*value & UINT32_MAX) | (uint64_t)half << 32 : (*value & ~(uint64_t)UINT32_MAX) | half;
}

void ntrace_filter_write(struct ntrace *t, unsigned index, uint32_t value)
{
	bool comparator;
	unsigned number;
	if (filter_at(t, index, &comparator, &number) == NULL)
		return;
	struct ntrace_filter *f = &t->regs.filters[number];
	const unsigned word = index & 7;
	const bool high = (word & 1) != 0;
	if (comparator && word >= 4 && (!high || t->config.xlen == 64))
		write_half(word >= 6 ? &f->to : &f->from, high, value);
	if (comparator)
		return;
	if (word == CONTROL) {
		f->enable = value & 1;
		f->match_privilege = value >> 1 & 1;
		f->match_comp = value >> 4 & 1;
	} else if (word == MATCH_INST) {
		f->privileges = value & 0x0B;
	}
}
