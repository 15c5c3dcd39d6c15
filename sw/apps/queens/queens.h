/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef QUEENS_H
#define QUEENS_H
/* Ways to place n queens on an n by n board so that none attacks another. A board is an array: row -> column of its
 * queen. */
#include <stddef.h>
#include "sw/run/app.h"

#define QUEENS_MAX 16        /* for the searches over all placements */
#define QUEENS_MAX_REPAIR 96 /* for queens_repair() */

/* All solutions, by three bit masks a row. */
uint32_t queens_count_bits(unsigned n);

/* All solutions, by comparison with every queen placed before. visit() is called with each. */
typedef void queens_visit(void *context, const uint8_t *board, unsigned n);
uint32_t queens_count_array(unsigned n, queens_visit *visit, void *context);

/* Solutions that are different even when the board is turned and mirrored. */
uint32_t queens_count_fundamental(unsigned n);

/* One solution on a large board: starts from a random placement and moves queens where they are attacked least. Returns
 * the number of moves, or 0 if it gave up. */
uint32_t queens_repair(uint8_t *board, unsigned n, struct app_random *random);

/* Whether no two queens attack each other. */
bool queens_solved(const uint8_t *board, unsigned n);
#endif
