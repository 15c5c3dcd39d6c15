/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATCHES_H
#define RIVULET_PATCHES_H
/*
 * The optimiser's patches in the program's text (TSH steps 856, 858), and how the program gets past them without seeing
 * the cache. While there are patches or questions each FENCE.I of the program is an EBREAK: a program executes FENCE.I
 * when it has changed code, and then no trace of the old code may be executed.
 */
#include "sw/hal/hal.h"
#include "sw/optimise/optimise.h"

/* Finds the FENCE.I of the text. False: more than can be kept. Interrupts are off here and below. */
bool patches_prepare(void);
/* What the last build has added. */
void patches_write(const struct optimise *optimise);
bool patches_there(void);
/* All words as they were. A half of a word that is no longer what was written has been changed by the program, and
 * stays. */
void patches_release(const struct optimise *optimise);
/* The words of those that optimise_withdraw() has just taken back. */
void patches_withdraw(const struct optimise *optimise);
/* If the program stands in the cache it goes on in its text. frame: NULL: it stands where the caller is. False: it is
 * where no program can be, and stays. */
bool patches_leave(const struct optimise *optimise, struct hal_frame *frame);
/* What a handler reads at the pc of its trap is the program's instruction: patches there are hidden, and later put back
 * where the program has not changed them. */
void patches_hide(const struct optimise *optimise, uint32_t pc, bool hidden);
/*
 * Which divisors a program has: an illegal word in the place of each division that was met `least` times, until the
 * program comes to it; patches_ask_again() puts it back, until the divisor was seen `often` times. Returns how many
 * there are. Handlers of the program must not meet them: they could divide where a trap does not return.
 */
unsigned patches_ask(struct optimise_divisor *divisors, unsigned count, uint32_t least, unsigned often);
/* Of these, how many are there still. */
unsigned patches_asking(void);
/* Each of them is looked at once more. Not at once: several divisions in a row mostly have one divisor. */
void patches_ask_again(void);
/* Is the illegal word at pc one of these? Then the program goes on where it is. */
bool patches_answer(uint32_t pc, const uint32_t x[32]);
void patches_ask_hidden(bool hidden);
void patches_ask_no_more(void);
/* Is the EBREAK at pc a FENCE.I? */
bool patches_fence(uint32_t pc);
#endif
