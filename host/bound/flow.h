/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BOUND_FLOW_H
#define RIVULET_BOUND_FLOW_H
/*
 * What a user knows of a program's flow, for a bound of its time: a text file, a line for each fact.
 *
 *   # comment, empty lines
 *   loop FUNCTION LOOP N [total M]     LOOP: L0, L1, ... as `rivulet cfg` has it, or the address of its head (0x...).
 *                                      Its head
 *   loop FILE:LINE N [total M]         runs at most N times for each time the loop is entered, and M times in a call
 *   depth FUNCTION N                   at most N calls of it are open at a time
 *   call PLACE FUNCTION...             the call or jump by a register at PLACE goes to these functions alone
 *   never PLACE                        is never executed: a function, FILE:LINE, an address (0x...)
 *   cost PLACE CYCLES                  the instruction there takes at most that: a wait, an environment call
 *
 * A line names the innermost loop of which one block begins in it. In the source, a comment "rivulet: loop N" or
 * "rivulet: loop N total M" in the first line of a loop, or in the line before it, does the same.
 */
#include "host/cfg/cited.h"

enum flow_error { FLOW_OK = 0, FLOW_ENOMEM = -1, FLOW_EFILE = CITED_EFILE };

struct flow_loop {            /* most 0: nothing is known */
	uint64_t most, total; /* total 0: not said */
};
struct flow_call {
	uint64_t site;
	uint32_t function;
};
struct flow_cost {
	uint64_t address, cycles;
};

struct flow_facts {
	struct flow_loop *loops; /* by loop of the graph */
	uint64_t *depths;        /* by function; 0: not said */
	bool *never;             /* by block */
	struct flow_call *calls; /* in order of the file */
	size_t call_count, call_room;
	struct flow_cost *costs;
	size_t cost_count, cost_room;
};

int flow_facts_open(struct flow_facts *facts, const struct cfg *cfg);
void flow_facts_close(struct flow_facts *facts);
/* Reads a text. On an error `detail` is a sentence with file and line. */
int flow_facts_read(
    struct flow_facts *facts, const char *path, const char *text, const struct cfg *cfg, char *detail, size_t size);
/* Takes the comments of the source at the loops that no fact is known of. */
void flow_facts_source(struct flow_facts *facts, const struct cfg *cfg, struct image *image);
/* What an instruction costs at most by a fact; false: there is none. */
bool flow_facts_cost(const struct flow_facts *facts, uint64_t address, uint64_t *cycles);
#endif
