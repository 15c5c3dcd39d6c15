/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ETRACE_STATE_H
#define RIVULET_ETRACE_STATE_H
/*
 * What an E-Trace encoder and its decoder keep in step: a predictor of branches, a cache of jump targets, a stack of
 * return addresses. A synchronising packet empties all three on both sides.
 *
 *   predictor, two bits at pc >> shift     01 ◄──► 00     N: bit 1 is 0      a wrong prediction moves along the arrows,
 *                                           │      ▲                         a right one to 00 or 11
 *                                           ▼      │
 *                                          11 ◄──► 10     T: bit 1 is 1
 */
#include "host/etrace/packet.h"

#define ETRACE_NO_TARGET 1u /* odd: no address */

struct etrace_state {
	const struct etrace_layout *layout;
	uint8_t predictor[1 << ETRACE_TABLE_BITS];
	uint64_t cache[1 << ETRACE_TABLE_BITS];
	uint64_t stack[1 << ETRACE_TABLE_BITS];
	unsigned top, depth;
};

void etrace_state_reset(struct etrace_state *state, const struct etrace_layout *layout);
bool etrace_predict(const struct etrace_state *state, uint64_t pc);
void etrace_train(struct etrace_state *state, uint64_t pc, bool taken);
uint64_t *etrace_place(struct etrace_state *state, uint64_t target); /* of the cache */
unsigned etrace_index(const struct etrace_state *state, uint64_t target);
void etrace_push(struct etrace_state *state, uint64_t address); /* full: the oldest is lost */
uint64_t etrace_top(const struct etrace_state *state);          /* depth above 0 */
void etrace_pop(struct etrace_state *state);
#endif
