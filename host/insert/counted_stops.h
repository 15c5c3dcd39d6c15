/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_STOPS_H
#define RIVULET_COUNTED_STOPS_H
/* Calls that had not ended when the program did. */
#include "host/insert/counted.h"
#include "host/insert/unwind.h"

#define RIVULET_PROBE_STACK_ID UINT64_C(0x2C79737461636B02) /* sw/probe/probe.h */
#define RIVULET_PROBE_LIBRARY_ID UINT64_C(0x2C79726172626902)
/* back: a call there returned once more, so many times. COUNTED_OK or COUNTED_ENOMEM. */
int counted_stop(struct counted *counted, uint64_t address, uint64_t count, bool back);
/* How many instructions of a block stand before an address of the program as it was written. */
uint32_t counted_index(const struct counted *counted, uint32_t block, uint64_t address);
/* The address of an instruction of a block; of the one behind the last: the end. */
uint64_t counted_address(const struct counted *counted, uint32_t block, uint32_t index);
/* Puts counted->runs into order, which counted_place() searches. COUNTED_OK or COUNTED_ENOMEM. */
int counted_places(struct counted *counted);
/* The function with counters and the block of an address in the program as it was written; GRAPH_NONE. */
void counted_place(const struct counted *counted, uint64_t address, uint32_t *function, uint32_t *block);
/* A frame that was interrupted in code that was put in: what adds to a register there is brought to its end, where the
 * program's own code goes on. `times`: the stack stands for so many. False: it does more than that, and what it counts
 * is open. */
bool counted_leave_inserted(const struct counted *counted, uint64_t times, struct unwind_frame *frame);
/* A twin has other addresses than what ran: no stack of the run can be followed in it. */
void counted_no_stacks(struct counted *counted, const struct profile *profile);
/* Whether a call there is one that never returns: it has been counted as a way out. */
bool counted_goes_out(const struct counted *counted, uint32_t block, uint64_t address);
#endif
