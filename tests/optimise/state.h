/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_OPTIMISE_STATE_H
#define RIVULET_TESTS_OPTIMISE_STATE_H
/* A line of what a program has come to, which is the same with the optimiser on the core as without. */
#include "sw/hal/hal.h"

static inline void print_state(const char *what, uint32_t value)
{
	hal_print("state ");
	hal_print(what);
	hal_print(" ");
	hal_print_hex(value);
	hal_print("\n");
}
#endif
