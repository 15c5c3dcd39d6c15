/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#define COUNT_MAX 0x3FFFFu

bool ntrace_same_hist(const struct ntrace *t)
{
	const struct ntrace_repeat *r = &t->repeat;
	return r->held && r->count != COUNT_MAX && r->pattern == t->encode.hist;
}

bool ntrace_same_branch(const struct ntrace *t, uint32_t icnt, uint64_t target, bool direct, bool still)
{
	const struct ntrace_repeat *r = &t->repeat;
	return r->last && !(r->pending && r->count == COUNT_MAX) && r->last_icnt == icnt &&
	       r->last_hist == t->encode.hist && r->last_target == target && r->last_direct == direct &&
	       (direct || (r->last_still && still));
}

void ntrace_repeat(struct ntrace *t, const struct ntrace_repeat_in *in)
{
	struct ntrace_repeat *r = &t->repeat;
	if (!t->config.with_repeat)
		return;
	if (in->hold || in->repeat) {
		r->count = r->pending ? r->count + 1 : 1;
		r->one = !r->pending;
		r->pending = true;
		r->held = in->hold;
	}
	if (in->hold)
		r->pattern = in->hist;
	if (in->branch) {
		r->last_hist = in->hist;
		r->last_icnt = in->icnt;
		r->last_target = in->target;
		r->last_direct = in->direct;
		r->last_still = in->still;
	}
	if (in->flush)
		r->pending = r->held = false;
	if (in->branch)
		r->last = true;
	else if (in->hold || in->other || in->flush)
		r->last = false;
}
