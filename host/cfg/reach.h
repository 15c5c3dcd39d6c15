/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CFG_REACH_H
#define RIVULET_CFG_REACH_H
/*
 * Code that nothing known leads to: neither a call nor a jump from code that is reached, nor a pointer to it in data or
 * formed by code, nor a run.
 *
 *   entry, pointers, exported symbols, what ran ──► blocks ──► edges, calls ──► blocks ... ; the rest is dead
 *
 * Whatever may be a pointer counts as one: each word of data that is an address of code, each constant that an
 * instruction may form from a LUI or AUIPC of its function. So code that is dead here is dead for a program that gets
 * no address of code from outside; code that is not may be dead all the same.
 */
#include "host/cfg/cfg.h"

struct cfg_reach {
	bool *blocks; /* by block of the graph: something leads there */
};

/* ran: addresses that ran, sorted. CFG_OK, CFG_ENOMEM. To be freed in any case. */
int cfg_reach_make(struct cfg_reach *reach, const struct cfg *cfg, const uint64_t *ran, size_t ran_count);
void cfg_reach_free(struct cfg_reach *reach);
/* Whether the instruction at pc is in a block that nothing leads to; false too where the graph has no code. */
bool cfg_is_dead(const struct cfg_reach *reach, const struct cfg *cfg, uint64_t pc);
#endif
