/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef SINE_H
#define SINE_H
/* The first quarter of the sine wave in Q31, both ends included, in steps of 1/1024 turn; sine_init() fills it. */
#include <stdint.h>

#define SINE_QUARTER 256
extern int32_t sine_table[SINE_QUARTER + 1];

void sine_init(void);

/* Sine of step/1024 turn, in Q31. */
int32_t sine_step(uint32_t step);
#endif
