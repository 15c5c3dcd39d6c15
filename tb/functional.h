/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TB_FUNCTIONAL_H
#define RIVULET_TB_FUNCTIONAL_H
/*
 * Functional coverage: how often each point of trace_points.def, each instruction in each mode, each cause of a trap
 * and each interrupted kind of instruction was seen in the golden model. Both benches count; coverage/rtl adds up.
 */
#include <stdio.h>
#include "model/model.h"

struct functional;
struct functional *functional_open(void); /* NULL: no memory */
void functional_close(struct functional *f);
/* Before trace_cycle(): t holds the values during the cycle; write tells that this cycle writes register index. */
void functional_trace(struct functional *f, const struct trace *t, bool write, unsigned index);
/* After model_cycle(). */
void functional_core(struct functional *f, const struct model *model, const struct model_out *out);
/* A line for each point, also for those never seen: count, tabulator, name. Returns 0, or -1 if a write failed. */
int functional_write(const struct functional *f, FILE *file);
#endif
