/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_PRICE_H
#define RIVULET_INSERT_PRICE_H
/*
 * What it costs to count an edge, in cycles expected of the whole run, so that the cheapest edges become chords and not
 * merely the rarest. Code on an edge has its place by commit.c:
 *
 *   falls through, jumps, or leads to a block with no other way in    nothing more
 *   a taken branch to a block with other ways in                      a stub, which jumps back: two cycles,
 *                                                                     unless it lies right before its target
 *
 *        beq a, b, stub           The one stub before C needs no jump if nothing falls into C. If B does, B jumps over
 *     B: ...                      it: so it costs what the rarer of the two costs.
 *     stub: count
 *     C: ...
 */
#include "host/insert/insert.h"

enum { PRICE_MEMORY = 5, PRICE_REGISTER = 1, PRICE_JUMP = 2 }; /* cycles */

/* weight * cycles; the sum of two prices. Neither is more than UINT64_MAX / 4. */
uint64_t price_of(uint64_t weight, uint64_t cycles);
uint64_t price_sum(uint64_t a, uint64_t b);
/* By edge of the function: what the jumps cost that code on it needs. OBJECT_OK or OBJECT_ENOMEM. */
int price_jumps(
    const struct graph *graph, const struct graph_function *f, const struct insert_numbered *n, uint64_t *jumps);
#endif
