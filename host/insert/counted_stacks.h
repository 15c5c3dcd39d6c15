/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_STACKS_H
#define RIVULET_COUNTED_STACKS_H
/*
 * Calls that had not ended, found in the stacks that the runtime sent, and what their paths had run through:
 *
 *   stack ──► unwind ──► call, its registers ──► r ──► by any way on, the number of a path ──► that path as far as the
 *   call
 *
 * Two paths that come to one place with the same r would have the same number behind it, so r says which one it was. A
 * path that was counted before the call is taken back, and what was run of it stays.
 *
 * Where setjmp() was called, the path goes on from there: what is unfinished is from behind it to the call that was
 * left.
 */
#include "host/insert/counted.h"

/* The path of a number, as far as a block. COUNTED_OK, COUNTED_ENOMEM, COUNTED_EFORMAT: there is none. */
int counted_path_to(
    struct counted *counted, uint32_t function, uint64_t number, uint32_t block, struct counted_path *to);
/* Adds a path's count to its blocks and edges, `by` times. */
void counted_path_add(struct counted *counted, const struct counted_path *path, uint64_t by);
/* How many of its edges lead to a block; false: it does not come there. */
bool counted_comes_to(const struct counted *counted, const struct counted_path *path, uint32_t block, uint32_t *edges);
/* Adds a piece, and its counts. COUNTED_OK or COUNTED_ENOMEM. */
int counted_add_unfinished(struct counted *counted, struct counted_unfinished unfinished);
/* When all counters are taken; before edges follow from others. COUNTED_OK or COUNTED_ENOMEM. */
int counted_stacks(struct counted *counted, const struct profile *profile);
#endif
