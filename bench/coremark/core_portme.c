/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "coremark.h"
#include "sw/hal/hal.h"

#ifndef ITERATIONS
#error "ITERATIONS: how often; bench/coremark/module.mk gives it"
#endif

/* The seeds of a performance run: volatile, so that nothing is computed by the compiler. */
volatile ee_s32 seed1_volatile = 0x0;
volatile ee_s32 seed2_volatile = 0x0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS;
volatile ee_s32 seed5_volatile = 0;
ee_u32 default_num_contexts = 1;

static uint64_t cycles, instructions;

void start_time(void)
{
	instructions = hal_instructions();
	cycles = hal_cycles();
}

void stop_time(void)
{
	cycles = hal_cycles() - cycles;
	instructions = hal_instructions() - instructions;
}

CORE_TICKS get_time(void)
{
	return (CORE_TICKS)cycles;
}

secs_ret time_in_secs(CORE_TICKS ticks)
{
	return (secs_ret)ticks / 1e6;
}

void portable_init(core_portable *p, int *argc, char *argv[])
{
	(void)argc;
	(void)argv;
	p->portable_id = 1;
}

void portable_fini(core_portable *p)
{
	p->portable_id = 0;
	printf("Instructions     : %lu\n", (unsigned long)instructions);
}
