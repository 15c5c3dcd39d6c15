/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The stack when the profile is sent: of who sends it, or of what a trap interrupted. Nothing is unwound here; the host
 * does that, without unwind tables on the target.
 */
#include "sw/probe/probe.h"

#define STACKS 2
#define HANDLER_BYTES 2048 /* of a handler's own stack that are sent */

static struct rivulet_probe_stack stacks[STACKS];
static unsigned count;
static const uintptr_t *interrupted;
static uintptr_t interrupted_pc;

/* As linker scripts call it; the lowest that is above sp. */
extern char __stack[] __attribute__((weak)), _stack[] __attribute__((weak)), _estack[] __attribute__((weak)),
    __stack_top[] __attribute__((weak)), _stack_top[] __attribute__((weak)), __StackTop[] __attribute__((weak)),
    _sp[] __attribute__((weak)), __sp[] __attribute__((weak));
__attribute__((weak)) uintptr_t rivulet_probe_stack_top(uintptr_t sp)
{
	const uintptr_t tops[] = {(uintptr_t)__stack, (uintptr_t)_stack, (uintptr_t)_estack, (uintptr_t)__stack_top,
	    (uintptr_t)_stack_top, (uintptr_t)__StackTop, (uintptr_t)_sp, (uintptr_t)__sp};
	uintptr_t top = 0;
	for (unsigned i = 0; i < sizeof tops / sizeof *tops; i++) {
		if (tops[i] > sp && (top == 0 || tops[i] < top))
			top = tops[i];
	}
	return top;
}

__attribute__((weak)) const volatile uintptr_t *rivulet_probe_stack_copy(const volatile uintptr_t *words, size_t number)
{
	(void)number;
	return words;
}

/* How many it gives: 1, or 0. */
static unsigned keep(struct rivulet_probe_stack *s, const uintptr_t *x, uintptr_t pc, uintptr_t bytes)
{
	uintptr_t sp = x[2], top = rivulet_probe_stack_top(sp);
	s->count = 0;
	if (sp % sizeof sp != 0 || top < sp) /* nobody knows where it ends */
		return 0;
	s->count = 1;
	s->back_sp = 0;
	s->pc = pc;
	for (unsigned i = 1; i < 32; i++)
		s->x[i] = ((const volatile uintptr_t *)x)[i];
	s->word_count = (top - sp < bytes ? top - sp : bytes) / sizeof sp;
	s->words = rivulet_probe_stack_copy((const volatile uintptr_t *)sp, s->word_count);
	if (s->words == NULL)
		s->word_count = 0;
	return 1;
}

void rivulet_probe_trap(const uintptr_t *x, uintptr_t pc)
{
	interrupted = x;
	interrupted_pc = pc;
}

void rivulet_probe_here(const uintptr_t *x, uintptr_t pc)
{
	count = 0;
	if (interrupted == NULL) {
		count = keep(stacks, x, pc, RIVULET_PROBE_STACK_BYTES);
		return;
	}
	count = keep(stacks, interrupted, interrupted_pc, RIVULET_PROBE_STACK_BYTES);
#ifndef __linux__ /* there the handler is the runtime's own */
	uintptr_t above = interrupted[2] - x[2];
	if (keep(&stacks[count], x, pc, above < HANDLER_BYTES ? above : HANDLER_BYTES) > 0)
		stacks[count++].back_sp = interrupted[2]; /* it ends there, if it is the same stack */
#endif
}

#ifdef __linux__
static struct rivulet_probe_stack forked;

void rivulet_probe_forked(const uintptr_t *x, uintptr_t pc)
{
	forked.kind = RIVULET_PROBE_FORKED;
	keep(&forked, x, pc, RIVULET_PROBE_STACK_BYTES);
}
#endif

const struct rivulet_probe_stack *rivulet_probe_stack(unsigned index)
{
#ifdef __linux__
	if (index == count && forked.count > 0)
		return &forked;
#endif
	return index < count ? &stacks[index] : NULL;
}
