/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_ORIGINS_H
#define RIVULET_MCDC_ORIGINS_H
/*
 * What a branch compares: variables, constants, results of calls, and values that an instruction with the place of a
 * condition made. An optimiser may have joined conditions and taken them apart in another order; its columns are then
 * the same for all of them, but what the branches compare is not.
 *
 *   registers of the branch ──► DWARF: a variable ──► is its name in the condition's text?
 *                          └──► the instruction that wrote it ──► constant, call, place, or its own registers
 */
#include "host/mcdc/scan.h"

/* Whether the branches, one for each condition in its order, are these conditions: each compares what its condition
 * names, and in no other order that gives the decision the same value would all of them. */
bool origins_identify(struct scan *scan, uint32_t decision, const uint32_t *branches);
#endif
