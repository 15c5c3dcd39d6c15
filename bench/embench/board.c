/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Embench's board: cycles and instructions between the triggers are printed as "embench: CYCLES INSTRUCTIONS". */
#include "sw/hal/hal.h"

void initialise_board(void);
void start_trigger(void);
void stop_trigger(void);

static uint64_t cycles, instructions;

void initialise_board(void) {}

void start_trigger(void)
{
	instructions = hal_instructions();
	cycles = hal_cycles();
}

void stop_trigger(void)
{
	cycles = hal_cycles() - cycles;
	instructions = hal_instructions() - instructions;
	hal_print("embench: ");
	hal_print_decimal(cycles);
	hal_print(" ");
	hal_print_decimal(instructions);
	hal_print("\n");
}
