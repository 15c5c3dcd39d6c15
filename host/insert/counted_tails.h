/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_TAILS_H
#define RIVULET_COUNTED_TAILS_H
/*
 * --edges and --blocks count blocks. Where a call does not return, or returns twice, the instructions behind it were
 * executed less or more often than those before:
 *
 *   block, 1,000 times    |  addi  call f  |  add  call g  |  sub  bnez
 *   f left 300 times                       -300
 *   g: setjmp(), 5 more times                              +5
 *   executions            |      1,000     |      700      |     705
 */
#include "host/insert/counted.h"

struct counted_tail {
	uint32_t index; /* from this instruction of the block on, */
	uint64_t more;  /* so many executions more; less: as a negative number, modulo 2^64 */
};
struct counted_tails {
	struct counted_tail *items; /* by index, each once */
	size_t count, room;
};
/* Of a block that was begun `begun` times and left `left` times by edges that were counted (COUNTED_UNKNOWN: not
 * known). What does not follow from known calls is put behind the last call; if there are others, *unsure is increased
 * by it. COUNTED_OK or COUNTED_ENOMEM. */
int counted_tails(const struct counted *counted, uint32_t block, uint64_t begun, uint64_t left,
    struct counted_tails *tails, uint64_t *unsure);
/* Of a block of a function with regions: counted->parts. COUNTED_OK or COUNTED_ENOMEM. */
int counted_tails_parts(const struct counted *counted, uint32_t block, struct counted_tails *tails);
/* How many more (modulo 2^64) executions leave that block than begin it. */
uint64_t counted_parts_sum(const struct counted *counted, uint32_t block);
/* How many more (modulo 2^64) executions leave a block than begin it, by the calls that are known. */
uint64_t counted_surplus(const struct counted *counted, uint32_t block);
#endif
