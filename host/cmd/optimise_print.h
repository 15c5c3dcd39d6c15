/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_OPTIMISE_PRINT_H
#define RIVULET_CMD_OPTIMISE_PRINT_H
/* Traces for people: side by side with the program, and as a graph. */
#include <stdio.h>
#include "host/image/image.h"
#include "sw/optimise/optimise.h"

/* plain: the same traces without passes, as the program has the instructions. Returns 0, or -1: out of memory. */
int optimise_print_trace(
    const struct image *image, struct optimise *optimise, const struct optimise *plain, uint32_t index, FILE *out);
/* For Graphviz: a node for each trace, an edge for each exit that is taken. */
void optimise_print_dot(const struct image *image, const struct optimise *optimise, FILE *out);
#endif
