/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

bool ntrace_stack_hit(const struct ntrace *t, uint64_t target)
{
	return ntrace_returns(t) && t->stack.depth > 0 && t->stack.top == target;
}

void ntrace_stack(struct ntrace *t, bool clear, bool push, bool pop, uint64_t link)
{
	struct ntrace_stack *s = &t->stack;
	if (t->config.returns == 0)
		return;
	const unsigned mask = t->config.returns - 1, top = (s->next - 1) & mask;
	pop = pop && s->depth > 0;
	s->top = s->mem[top];
	s->ready = !push && !pop;
	if (push)
		s->mem[pop ? top : s->next] = link;
	if (push && !pop)
		s->next = (s->next + 1) & mask;
	else if (pop && !push)
		s->next = top;
	if (push && !pop)
		s->depth += s->depth < t->config.returns;
	else if (pop && !push)
		s->depth--;
	if (clear)
		s->depth = s->next = 0;
}
