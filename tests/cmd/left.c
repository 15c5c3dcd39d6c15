/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Handlers that a stack of calls is led astray by. LEAVES: it jumps away and never returns. Otherwise it passes four
 * bytes of 0xFFFFFFFF, an instruction whose length nobody knows. */
volatile int sum;
void work(void);
#ifdef LEAVES
void fails(void);
__attribute__((noinline)) void fails(void)
{
	sum++;
	__asm__ volatile("ecall");
}
__attribute__((naked, noinline)) static void body(void)
{
	__asm__ volatile("mv s2, sp\n\tmv s4, ra\n\tli s3, 20\n\tla t0, 2f\n\tcsrw mtvec, t0\n"
			 "1:\n\tcall fails\n\t.align 2\n"
			 "2:\n\tmv sp, s2\n\taddi s3, s3, -1\n\tbnez s3, 1b\n\tmv ra, s4\n\tret");
}
__attribute__((noinline)) void work(void)
{
	body();
	*(volatile int *)0x10010004 = 0;
}
#else
__attribute__((interrupt, aligned(4))) static void handler(void)
{
	unsigned place;
	sum++;
	__asm__ volatile("csrr %0, mepc" : "=r"(place));
	__asm__ volatile("csrw mepc, %0" : : "r"(place + 4));
}
__attribute__((noinline)) static void step(int n)
{
	sum += n;
	__asm__ volatile(".word 0xffffffff");
	sum += n;
}
__attribute__((noinline)) void work(void)
{
	__asm__ volatile("csrw mtvec, %0" : : "r"(handler));
	for (int i = 0; i < 10; i++)
		step(i);
	*(volatile int *)0x10010004 = 0;
}
#endif
__attribute__((naked, section(".text.first"))) void _start(void)
{
	__asm__("li sp, 0x80010000\n\tcall work\n1:\tj 1b");
}
