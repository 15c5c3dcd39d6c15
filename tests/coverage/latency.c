/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Measures how late its timer's handler is, by the timer itself, with critical sections of many lengths around it. The
 * signature has least, most, sum and number. */
typedef unsigned int u32;
#define MTIME (*(volatile u32 *)0x0200BFF8)
#define MTIMECMP ((volatile u32 *)0x02004000)
#define INTERRUPTS 150

volatile u32 begin_signature[4] = {~0u, 0, 0, 0};
u32 end_signature[1];
static volatile u32 work;
static u32 due;

__attribute__((interrupt, aligned(4))) void on_timer(void)
{
	u32 late = MTIME - due;
	begin_signature[0] = late < begin_signature[0] ? late : begin_signature[0];
	begin_signature[1] = late > begin_signature[1] ? late : begin_signature[1];
	begin_signature[2] += late;
	begin_signature[3]++;
	due = MTIME + 211 + begin_signature[3] % 17;
	MTIMECMP[0] = due;
	MTIMECMP[1] = begin_signature[3] < INTERRUPTS ? 0 : ~0u;
	(void)MTIMECMP[1];
}

int main(void)
{
	u32 number = 7;
	due = MTIME + 300;
	MTIMECMP[1] = 0;
	MTIMECMP[0] = due;
	__asm__ volatile("csrw mtvec, %0" ::"r"(on_timer));
	__asm__ volatile("csrw mie, %0\ncsrsi mstatus, 8" ::"r"(1u << 7));
	while (begin_signature[3] < INTERRUPTS) {
		number = number * 1103515245u + 12345u;
		__asm__ volatile("csrci mstatus, 8");
		for (u32 i = 0; i < (number >> 16) % 23; i++)
			work += i;
		__asm__ volatile("csrsi mstatus, 8");
		for (u32 i = 0; i < (number >> 20) % 31; i++)
			work += number / (i + 1);
	}
	return 0;
}

__asm__(
    ".pushsection .text.start, \"ax\"\n.globl _start\n.type _start, @function\n_start: la sp, 0x80020000\ncall main\n"
    "li t0, 0x10010000\nsw a0, 4(t0)\n1: j 1b\n.size _start, . - _start\n.popsection\n");
