/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_SOLVE_H
#define RIVULET_COUNTED_SOLVE_H
/* Counts of edges and tables of a function that follow from those that are known. */
#include "host/insert/counted.h"

/* COUNTED_OK or COUNTED_ENOMEM. */
int counted_solve(struct counted *counted, const struct map_function *function);
#endif
