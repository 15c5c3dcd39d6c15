/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_PATHS_H
#define RIVULET_COUNTED_PATHS_H
/*
 * Counted paths as those of a program's own graph (host/cfg), in which a block ends behind a call. For the twin: in an
 * edited program that graph has the put-in code in it.
 *
 * A loop of one block with a call in it is a self loop for the inserter, which counts its turns apart, but not one of
 * the graph. How many turns each path took is then not known, so paths through such a loop are given as pieces. So are
 * paths of functions that have too many of them (--limit), which are cut.
 */
#include "host/insert/counted.h"
#include "host/paths/paths.h"

/* Adds all paths, self loops and back edges. *unknown: executions of paths with code that the graph does not have. */
int counted_give(const struct counted *counted, struct paths *paths, uint64_t *unknown);
#endif
