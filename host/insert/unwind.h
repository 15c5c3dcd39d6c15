/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_UNWIND_H
#define RIVULET_INSERT_UNWIND_H
/*
 * From a call to its caller, by the code alone: no unwind tables, no frame pointer. The function that was active is
 * followed from its entry to the place where it was, with what each register and each word of the stack holds by then:
 * constants, and what registers held at the entry. That says where the caller's registers are.
 *
 *   entry   sp = S, ra = R, s0 = T                     what holds at the call:
 *           addi sp, sp, -16     sp = S - 16            the caller's sp is sp + 16,
 *           sw ra, 12(sp)        [S - 4] = R            its pc is behind what is at sp + 12,
 *           jal f  ◄── here                             its s0 is s0
 *
 * Followed are branches, jumps, calls that return, and calls by t0 into the code that they call (-msave-restore).
 * Inserted code is code as any other.
 */
#include "host/image/image.h"
#include "host/profile/stack.h"

struct unwind_frame {
	uint64_t pc;      /* of the call that is under way; of the first frame: the instruction that comes next */
	uint64_t address; /* where its function begins */
	uint64_t cfa;     /* the stack pointer at its entry; 0: not known */
	uint64_t x[32];
	uint32_t known; /* which of these are: at a call only what a function keeps */
	uint32_t sums;  /* which are sums over all that the stack stands for (stack.h) */
};
enum unwind_end {
	UNWIND_OK = 0,
	UNWIND_ENOMEM = -1,
	UNWIND_END = -2,      /* the caller is where the program begins: no return address */
	UNWIND_EOUTSIDE = -3, /* it is no code of the program */
	UNWIND_ELOST = -4     /* it is not known where the caller's registers are, or they were not sent */
};
const char *unwind_strerror(int end);

/* The first frame of a stack. slide: what the program's addresses are larger by than the image's. */
int unwind_first(
    const struct image *image, const struct profile_stack *stack, uint64_t slide, struct unwind_frame *frame);
/* The caller's. The frame's own cfa is set, if it is known. */
int unwind_next(const struct image *image, const struct profile_stack *stack, uint64_t slide,
    struct unwind_frame *frame, struct unwind_frame *next);
/* A word of the stack; *sum: it is one. */
bool unwind_word(
    const struct image *image, const struct profile_stack *stack, uint64_t address, uint64_t *value, bool *sum);
#endif
