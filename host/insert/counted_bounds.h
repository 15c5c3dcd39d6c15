/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_BOUNDS_H
#define RIVULET_COUNTED_BOUNDS_H
/*
 * Calls that had not ended, of which it is not known by which path they were reached, nor whether that path had been
 * counted before it ended. What is wrong with the numbers has bounds all the same, since a path has no loop in it:
 *
 *   begins ──► ... ──► call ──► ... ──► ends      too few at most: the longest way to the call, if nothing was counted
 *   └── too few at most ──┘└─ too many at most ─┘  too many: the longest way on from there, if all was
 */
#include "host/insert/counted.h"

/* `count` calls in a block of the map, at a place. Adds to unknown_prefixes, few_at_most, many_at_most; where no memory
 * is left or no path is known, to no_bounds. */
void counted_unknown(struct counted *counted, uint32_t function, uint32_t block, uint64_t place, uint64_t count);
/* The same where it is not known by which of several ways they came there: it is as much too few as too many. */
void counted_unknown_way(struct counted *counted, uint32_t function, uint32_t block, uint64_t place, uint64_t count);
/* longjmp() came back to a place so often: the way to it was counted once more than it was run, or, had it been counted
 * before, what was run behind it is missing. These are no calls that had not ended. */
void counted_unknown_return(struct counted *counted, uint32_t function, uint32_t block, uint64_t place, uint64_t count);
/* The same of the call in which the program ended, in the function that its entry called: it does not come back, so
 * nothing is too many. It is told apart, as `begin`. */
void counted_unknown_begin(struct counted *counted, uint32_t function, uint32_t block, uint64_t place);
#endif
