/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_STACK_H
#define RIVULET_PROFILE_STACK_H
/*
 * Stacks of calls that had not ended (docs/profile-format.md, frame 7): registers, and the words of the stack from the
 * stack pointer upwards. The host finds the calls in them (host/insert/unwind.h). One that stands for several, all with
 * the same calls, has for some registers and words the sum over all of them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_stack_kind {
	/* when the profile was sent; back_sp: a handler's, which ends there, where what it interrupted begins; else
	 * 0 */
	PROFILE_STACK_END,
	/* by longjmp(): the calls below back_sp, which returned to back_pc. What it put back into s0 to s11 is in
	 * registers that say nothing of callers (PROFILE_STACK_PUT_BACK) */
	PROFILE_STACK_LEFT,
	/* by an exception: the calls up to that of the function with the stack pointer back_sp, which goes on at a
	 * landing pad. Words above back_sp are of that function */
	PROFILE_STACK_THROWN,
	/* of a child of fork(): the calls that were open there. Their paths as far as there are its parent's */
	PROFILE_STACK_FORKED,
	PROFILE_STACK_KINDS
};
struct profile_stack_word {
	uint64_t address, value;
	bool sum;
};
struct profile_stack_object {
	uint64_t id, counters;
};
struct profile_stack {
	uint64_t number; /* in the profile that it was read from */
	uint64_t kind, count, pc;
	uint64_t here;   /* address of rivulet_probe_write() in the program that ran */
	uint64_t thread; /* how far this thread's counters are from the objects' */
	uint64_t back_pc, back_sp;
	uint64_t x[32];
	uint32_t sums;                    /* registers that are sums */
	struct profile_stack_word *words; /* by address, each once */
	size_t word_count, word_room;
	struct profile_stack_object *objects; /* where counters are: of those whose counters' addresses are in it */
	size_t object_count, object_room;
};
/* By callee-saved register s0 on: x5, x6, x7, x10 to x17, x28. */
#define PROFILE_STACK_PUT_BACK                                                                                         \
	{                                                                                                              \
		5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28                                                            \
	}
#define PROFILE_STACKS_MAX (UINT32_C(1) << 20)

struct profile;
struct frame;
void profile_stack_fini(struct profile_stack *stack);
/* NULL: nothing is there. */
const struct profile_stack_word *profile_stack_word(const struct profile_stack *stack, uint64_t address);
/* The payload of a frame; the parts of a stack follow each other. False: it is none, or too much. *error: no memory. */
bool profile_stack_read(struct profile *profile, const uint8_t *content, size_t size, int *error);
/* Adds a copy, or its count to an equal one. PROFILE_OK, PROFILE_ENOMEM. */
int profile_stack_add(struct profile *profile, const struct profile_stack *stack);
/* All as frames: begin() and end() of each. PROFILE_OK, or what end() gives. */
int profile_stack_write(const struct profile *profile, struct frame *frame, void (*begin)(void *context),
    int (*end)(void *context), void *context);
#endif
