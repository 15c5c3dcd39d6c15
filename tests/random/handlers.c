/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where the program starts, and how it traps. */
#include "tests/random/random.h"
#include <stdio.h>

void prolog(uint32_t seed)
{
	printf("/* Random program, seed %" PRIu32 ". */\n", seed);
	rvc(true);
	fputs("\t.option norelax\n"
	      "\t.section .text.init, \"ax\"\n"
	      "\t.globl _start\n"
	      "_start:\tla t6, stack_top\n"
	      "\tla sp, buffer + 2048\n"
	      "\tla s0, buffer + 2048\n"
	      "\tla t0, trap\n"
	      "\tcsrw mtvec, t0\n"
	      "\tli t0, 0x02004000\n"
	      "\tli t1, 500\n"
	      "\tsw t1, 0(t0)\n"
	      "\tsw x0, 4(t0)\n"
	      "\tli t0, 0x10888\n"
	      "\tcsrw mie, t0\n"
	      "\tcsrsi mstatus, 8\n"
	      "\tcsrwi mcounteren, 5\n"
	      "\tli t0, -1\n"
	      "\tcsrw pmpaddr3, t0\n"
	      "\tli t0, 0x1F000000\n"
	      "\tcsrw pmpcfg0, t0\n",
	    stdout);
	for (unsigned r = 1; r < 31; r++)
		if (r != 2 && r != 8 && r != 26 && r != 27)
			emit("li x%u, 0x%" PRIx32, r, value());
	emit("li s10, %d", ROUNDS);
	emit("csrsi " CSR(CTRL) ", 1");
	emit("j body");
}

/* One handler for all causes. Frame: t0 t1 t2 a0, mepc, mstatus. */
void handlers(void)
{
	rvc(false);
	fputs("\t.balign 128\n"
	      "vectors:\n"
	      "\t.rept 32\n"
	      "\tj trap\n"
	      "\t.endr\n",
	    stdout);
	rvc(true);
	fputs("\t.balign 4\n"
	      "trap:\taddi t6, t6, -32\n"
	      "\tsw t0, 0(t6)\n"
	      "\tsw t1, 4(t6)\n"
	      "\tsw t2, 8(t6)\n"
	      "\tsw a0, 12(t6)\n"
	      "\tcsrr t0, mepc\n"
	      "\tsw t0, 16(t6)\n"
	      "\tcsrr t0, mstatus\n"
	      "\tsw t0, 20(t6)\n"
	      "\tcsrr t1, mcause\n"
	      "\tla t2, trap_count\n"
	      "\tlw a0, 0(t2)\n"
	      "\taddi a0, a0, 1\n"
	      "\tsw a0, 0(t2)\n"
	      "\tbltz t1, interrupt\n"
	      "\tlw t0, 16(t6)\n"
	      "\tli t2, 1\n"
	      "\tbeq t1, t2, nowhere\n"
	      "\tli t2, 8\n"
	      "\tbeq t1, t2, from_user\n"
	      "\tli t2, 11\n"
	      "\tbeq t1, t2, from_machine\n"
	      "step:\n",
	    stdout);
	if (gen.with_c)
		fputs("\tlhu t2, 0(t0)\n"
		      "\tandi t2, t2, 3\n"
		      "\taddi t2, t2, -3\n"
		      "\tsnez t2, t2\n"
		      "\tslli t2, t2, 1\n"
		      "\tsub t0, t0, t2\n",
		    stdout);
	fputs("\taddi t0, t0, 4\n"
	      "\tsw t0, 16(t6)\n"
	      /* now and then an exception inside the handler; in bursts deeper than the trace unit counts */
	      "\tandi t0, a0, 0x3FF\n"
	      "\taddi t0, t0, -0x100\n"
	      "\tsltiu t0, t0, 20\n"
	      "\tandi t2, a0, 31\n"
	      "\taddi t2, t2, -5\n"
	      "\tsltiu t2, t2, 1\n"
	      "\tor t0, t0, t2\n"
	      "\tbeqz t0, 1f\n"
	      "\tebreak\n"
	      "\tli t2, 0x20000\n" /* MPP is U after it: with MPRV the frame could be out of reach */
	      "\tcsrc mstatus, t2\n"
	      "1:\tj leave\n"
	      "nowhere:\n"
	      "\tla t1, _start\n"
	      "\tbltu t0, t1, 1f\n"
	      "\tla t1, tohost\n"
	      "\tbgeu t0, t1, 1f\n"
	      "\tli t1, -1\n" /* memory protection: again, with all rights */
	      "\tcsrw pmpaddr3, t1\n"
	      "\tli t1, 0x1F000000\n"
	      "\tcsrw pmpcfg0, t1\n"
	      "\tj leave\n"
	      "1:"
	      "\tsw ra, 16(t6)\n"
	      "\tj leave\n"
	      "from_user:\n"
	      "\tli t1, 0x1800\n"
	      "\tlw t2, 20(t6)\n"
	      "\tor t2, t2, t1\n"
	      "\tsw t2, 20(t6)\n"
	      "\tj step\n"
	      "from_machine:\n"
	      "\tandi t1, a0, 1\n"
	      "\tbeqz t1, step\n"
	      "\tli t1, 0x21800\n"
	      "\tnot t1, t1\n"
	      "\tlw t2, 20(t6)\n"
	      "\tand t2, t2, t1\n"
	      "\tsw t2, 20(t6)\n"
	      "\tj step\n"
	      "interrupt:\n"
	      "\tslli t1, t1, 1\n"
	      "\tsrli t1, t1, 1\n"
	      "\tli t2, 3\n"
	      "\tbeq t1, t2, soft\n"
	      "\tli t2, 7\n"
	      "\tbeq t1, t2, tick\n"
	      "\tli t2, 11\n"
	      "\tbeq t1, t2, external\n"
	      "\tcsrr t0, " CSR(
		  REC_START) "\n"
			     "\tcsrr t0, " CSR(
				 REC_HIST) "\n"
					   "\tcsrw " CSR(
					       POP) ", x0\n"
						    "\tcsrw " CSR(
							POP) ", x0\n"
							     "\tcsrw " CSR(
								 POP) ", x0\n"
								      "\tcsrwi " CSR(
									  STATUS) ", 8\n"
										  "\tcsrw " CSR(
										      LOST) ", x0\n"
											    "\tj served\n"
											    "soft:\tli t1, 0x02000000\n"
											    "\tsw x0, 0(t1)\n"
											    "\tj served\n"
											    "tick:\tli t1, 0x0200BFF8\n"
											    "\tlw t2, 0(t1)\n"
											    "\tandi t1, a0, 0x1FF\n"
											    "\tadd t2, t2, t1\n"
											    "\taddi t2, t2, 300\n"
											    "\tli t1, 0x02004000\n"
											    "\tsw t2, 0(t1)\n"
											    "\tsw x0, 4(t1)\n"
											    "\tj served\n"
											    "external:\n"
											    "\tli t1, 0x10000000\n"
											    "\tlw t1, 0(t1)\n"
											    "served:\n"
											    "\tla t1, interrupt_count\n"
											    "\tlw t2, 0(t1)\n"
											    "\taddi t2, t2, 1\n"
											    "\tsw t2, 0(t1)\n"
											    "\tli t1, ",
	    stdout);
	printf("%d\n", INTERRUPT_LIMIT);
	fputs("\tblt t2, t1, 1f\n"
	      "\tli t1, 0x80\n"
	      "\tcsrw mie, t1\n"
	      "\tli t1, 0x1F3F\n"
	      "\tcsrc " CSR(CTRL) ", t1\n"
				  "1:\tandi t1, t2, 7\n"
				  "\taddi t1, t1, -3\n"
				  "\tsltiu t1, t1, 3\n"
				  "\tbeqz t1, leave\n"
				  "\tla t1, stack_top - 512\n" /* not deeper than the stack is */
				  "\tbltu t6, t1, leave\n"
				  "\tandi t1, t2, 8\n" /* nested interrupts: what comes by itself, or one for sure */
				  "\tbeqz t1, 2f\n"
				  "\tli t1, 0x02000000\n"
				  "\tli t2, 1\n"
				  "\tsw t2, 0(t1)\n"
				  "2:\tcsrsi mstatus, 8\n"
				  "\tnop\n"
				  "\tmul t2, t1, t1\n"
				  "\tbgez t1, 3f\n"
				  "\taddi t2, t2, 1\n"
				  "3:\tbeqz t2, 4f\n"
				  "4:"
				  "\tcsrci mstatus, 8\n"
				  "\tli t2, 0x20000\n"
				  "\tcsrc mstatus, t2\n"
				  "leave:\tlw t0, 20(t6)\n"
				  "\tcsrw mstatus, t0\n"
				  "\tlw t0, 16(t6)\n"
				  "\tcsrw mepc, t0\n"
				  "\tlw t0, 0(t6)\n"
				  "\tlw t1, 4(t6)\n"
				  "\tlw t2, 8(t6)\n"
				  "\tlw a0, 12(t6)\n"
				  "\taddi t6, t6, 32\n"
				  "\tmret\n",
	    stdout);
}
