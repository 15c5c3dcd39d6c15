/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATCHES_H
#define RIVULET_PATCHES_H
/*
 * The optimiser's patches in the program's text (TSH steps 856, 858), and how the program gets past them without seeing
 * the cache. While there are patches each FENCE.I of the program is an EBREAK: a program executes FENCE.I when it has
 * changed code, and then no trace of the old code may be executed.
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
/* Is the EBREAK at pc a FENCE.I? */
bool patches_fence(uint32_t pc);
#endif
