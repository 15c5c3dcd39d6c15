/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A program that uses gp and tp as general registers while it is traced. It is small, so the trace driver's variables
 * are within reach of gp, and the compiler uses that. */
#include "sw/run/app.h"

/* Adds 2 to gp or tp for each bit 0 or 1 that is set in rounds to 1; traces of several forms. Returns their sum. */
static uint32_t work(uint32_t rounds)
{
	uint32_t sum;
	__asm__ volatile("	mv a2, gp\n"
			 "	mv a3, tp\n"
			 "	li gp, 0x40000001\n"
			 "	li tp, 0x40000003\n"
			 "1:	andi t0, %1, 1\n"
			 "	beqz t0, 2f\n"
			 "	addi gp, gp, 2\n"
			 "2:	andi t0, %1, 2\n"
			 "	beqz t0, 3f\n"
			 "	addi tp, tp, 2\n"
			 "3:	addi %1, %1, -1\n"
			 "	bnez %1, 1b\n"
			 "	add %0, gp, tp\n"
			 "	mv gp, a2\n"
			 "	mv tp, a3\n"
			 : "=&r"(sum), "+r"(rounds)
			 :
			 : "a2", "a3", "t0");
	return sum;
}

int app_main(int input)
{
	(void)input;
	return app_check("gp + tp", work(20001), 0x80000004u + 2 * (10001 + 10000));
}
