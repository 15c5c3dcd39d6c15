/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Two parts of 48 loops each, every one a path of its own: with a small table (4 KiB) its chains have several entries,
 * and those of the second part pass those of the first. */
#include <stdint.h>
#include "sw/run/app.h"

#define LOOP(turns)                                                                                                    \
	for (uint32_t i = (turns); i > 0; i--)                                                                         \
		__asm__ volatile("" : "+r"(i));
#define LOOPS4(turns) LOOP(turns) LOOP(turns) LOOP(turns) LOOP(turns)
#define LOOPS16(turns) LOOPS4(turns) LOOPS4(turns) LOOPS4(turns) LOOPS4(turns)

static __attribute__((noinline)) void first(uint32_t turns)
{
	LOOPS16(turns)
	LOOPS16(turns)
	LOOPS16(turns)
}

static __attribute__((noinline)) void second(uint32_t turns)
{
	__asm__ volatile("nop"); /* else compilers make one function of both */
	LOOPS16(turns)
	LOOPS16(turns)
	LOOPS16(turns)
}

int app_main(int input)
{
	(void)input;
	second(4); /* they are in the table, and cold */
	first(70);
	second(750); /* each by ten times and more between two looks at it */
	return 0;
}
