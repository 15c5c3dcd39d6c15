/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RUN_DIVISORS_H
#define RIVULET_RUN_DIVISORS_H
/* `run --divisors`: the divisors that repeat, for `rivulet optimise --divisors` (host/optimise/divisors.h). */
#include <stdio.h>
#include "model/model.h"

struct run_divisors;
struct run_divisors *run_divisors_open(void); /* NULL: out of memory */
void run_divisors_close(struct run_divisors *divisors);
void run_divisors_retire(struct run_divisors *divisors, const struct model_out *out);
/* A line for each division that had one divisor in most of its executions, the most executed first. */
void run_divisors_write(const struct run_divisors *divisors, FILE *file);
/* Executions of divisions for which there was no room. */
uint64_t run_divisors_left_out(const struct run_divisors *divisors);
#endif
