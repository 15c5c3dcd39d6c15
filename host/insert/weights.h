/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_WEIGHTS_H
#define RIVULET_INSERT_WEIGHTS_H
/*
 * How often the edges of functions were taken in an earlier run, for spanning trees of the greatest weight (EPP section
 * 3.3): from any profile of a program whose objects went through `rivulet insert` (--map, or with counters), so that it
 * says where blocks are. A function that was not executed has no weights: they are estimated from its shape.
 */
#include "host/insert/map.h"

struct weights_insn { /* executions of an instruction; taken: of a conditional branch */
	uint64_t pc, count, taken;
};
struct weights;
/* insns: sorted by pc. The map need not outlive the weights. */
int weights_open(
    struct weights **weights, const struct map *map, const struct weights_insn *insns, size_t count); /* MAP_... */
void weights_close(struct weights *weights);
/* What all edges of the program add up to. */
uint64_t weights_total(const struct weights *weights);
/* Whether the run executed compressed instructions: some address was no multiple of 4. */
bool weights_compressed(const struct weights *weights);
/* By edge of function number `function` of the object with this id. NULL: none. */
const uint64_t *weights_of(const struct weights *weights, uint64_t id, uint32_t function, uint32_t edges);
#endif
