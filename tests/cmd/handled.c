/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A handler of ECALL: rare() and the handler itself run in it alone, shared() outside of it too, never() nowhere. */
volatile int sum;
void work(void);
__attribute__((noinline)) static void shared(int n)
{
	sum += n;
}
__attribute__((noinline)) static void rare(int n)
{
	sum -= n;
}
__attribute__((noinline)) static void never(int n)
{
	sum *= n;
}
__attribute__((interrupt, aligned(4))) static void handler(void)
{
	unsigned place;
	shared(1);
	rare(2);
	__asm__ volatile("csrr %0, mepc" : "=r"(place));
	__asm__ volatile("csrw mepc, %0" : : "r"(place + 4));
}
__attribute__((noinline)) void work(void)
{
	__asm__ volatile("csrw mtvec, %0" : : "r"(handler));
	for (int i = 0; i < 10; i++) {
		shared(i);
		__asm__ volatile("ecall");
	}
	if (sum > 1000)
		never(3);
	*(volatile int *)0x10010004 = 0;
}
__attribute__((naked, section(".text.first"))) void _start(void)
{
	__asm__("li sp, 0x80010000\n\tcall work\n1:\tj 1b");
}
