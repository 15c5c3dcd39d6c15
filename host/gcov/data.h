/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GCOV_DATA_H
#define RIVULET_GCOV_DATA_H
/*
 * gcc's counters (.gcda) of the functions of a file of notes: those of the arcs that are not on gcc's spanning tree, in
 * the order of the notes. A function that has no counts is left out: gcc compiles it as without a profile.
 */
#include <stdio.h>
#include "host/gcov/blocks.h"

/* The largest counter of all units, which each file of the program has. */
uint64_t data_largest(const struct blocks_unit *units, size_t unit_count);
/* Errors are those of the stream. */
void data_write(const struct blocks_unit *unit, uint64_t largest, FILE *out);
#endif
