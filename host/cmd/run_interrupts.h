/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RUN_INTERRUPTS_H
#define RIVULET_RUN_INTERRUPTS_H
/*
 * `run --interrupts`: how long interrupts waited, cycle by cycle.
 *
 *   line up, and enabled in mie ──► since ──► first instruction of the handler retires: one latency, in cycles
 *
 * What holds it up is in it: interrupts switched off, another handler, a long instruction. A line that its handler
 * leaves up interrupts again without a cause of its own: that is counted, and has no latency.
 */
#include <stdio.h>
#include "host/base/output.h"
#include "model/model.h"

struct run_interrupts;
/* output is its own from now on; NULL: out of memory, or there is no output. */
struct run_interrupts *run_interrupts_open(struct output *output, const struct model *model);
void run_interrupts_close(struct run_interrupts *interrupts); /* in any case; NULL: nothing */
/* Of each cycle. */
void run_interrupts_cycle(struct run_interrupts *interrupts, const struct model_out *out);
/* Writes the file. STATUS_... */
int run_interrupts_finish(struct run_interrupts *interrupts);
#endif
