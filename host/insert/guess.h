/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_GUESS_H
#define RIVULET_INSERT_GUESS_H
/*
 * Weights of edges without a profile: which way a branch goes, from its instruction and from what stands behind it
 * (Ball and Larus, "Branch Prediction for Free", PLDI 1993), with the hit rates of Wu and Larus ("Static Branch
 * Frequency and Program Profile Analysis", MICRO-27, table 1), combined as they do (Dempster and Shafer); then how
 * often each block runs, by what flows into it.
 *
 *   of a loop's branches, one of
 *     loop branch   0.88   a back edge is taken
 *     loop exit     0.80   a loop is not left
 *   of all others
 *     opcode        0.84   a register is not negative
 *                   0.60   it is not zero, not equal to another
 *     loop header   0.75   a successor that is a loop's head is where it goes
 *     call          0.78   not to a successor that calls
 *     store         0.55   not to one that stores
 *     return        0.72   not to one that returns
 *     guard         0.62   to one that uses what was compared
 *     layout        0.60   the compiler puts what it expects behind the branch
 *
 * Two rows are not theirs. Compilers put the successor that they expect next, and they know the source: that is layout.
 * And RISC-V has no flags: BEQ and BNE test conditions of every kind, so they say less than 0.84. Last, a loop turns 16
 * times at least, however many ways lead out of it.
 */
#include "host/insert/insert.h"

/* weights: by edge of the function, 2^20 for each call of the function. OBJECT_OK or OBJECT_ENOMEM. */
int insert_guess(
    const struct graph *graph, const struct graph_function *f, const struct insert_numbered *n, uint64_t *weights);
#endif
