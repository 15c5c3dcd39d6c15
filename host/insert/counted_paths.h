/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_PATHS_H
#define RIVULET_COUNTED_PATHS_H
/*
 * Counted paths as those of a program's own graph (host/cfg), in which a block ends behind a call. For the twin: in an
 * edited program that graph has the put-in code in it.
 *
 * A loop of one block with a call in it is a self loop for the inserter, whose turns are counted apart, but no self loop
 * of the graph: which path took how many turns is not known, so that paths through such a loop are given as pieces. So are the paths of functions that have too many
 * of them (--limit), which are cut.
 */
#include "host/insert/counted.h"
#include "host/paths/paths.h"

/* Adds all paths, self loops and back edges. *unknown: executions of paths with code that the graph does not have. */
int counted_give(const struct counted *counted, struct paths *paths, uint64_t *unknown);
/* The same with what each path gained (counted->metric) in place of how often it was taken; pieces of a path have all of
 * it. */
int counted_give_metric(const struct counted *counted, struct paths *paths);
#endif
