/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Two stacks: one() and two() change to each other in their middle, so each returns to a caller that the other did not
 * have. */
typedef unsigned long word;
static word other[256];
word *kept_stack;
static volatile int a, b;
void change(void);
__asm__(".globl _start\n.type _start, @function\n_start: la sp, 0x80008000\n call main\n.size _start, . - _start\n"
	".globl change\n.type change, @function\n"
	"change: addi sp, sp, -32\n sw ra, 0(sp)\n sw s0, 4(sp)\n sw s1, 8(sp)\n sw s2, 12(sp)\n sw s3, 16(sp)\n"
	" la t0, kept_stack\n lw t1, 0(t0)\n sw sp, 0(t0)\n mv sp, t1\n"
	" lw ra, 0(sp)\n lw s0, 4(sp)\n lw s1, 8(sp)\n lw s2, 12(sp)\n lw s3, 16(sp)\n addi sp, sp, 32\n ret\n"
	".size change, . - change\n");
__attribute__((noipa)) static void one(int n)
{
	for (int i = 0; i < n; i++)
		a++;
	change();
	for (int i = 0; i < n; i++)
		a++;
}
__attribute__((noipa)) static void two(int n)
{
	for (int i = 0; i < n; i++)
		b++;
	change();
	for (int i = 0; i < n; i++)
		b++;
}
__attribute__((noipa)) static void second(void)
{
	for (;;)
		two(30);
}
int main(void)
{
	kept_stack = &other[248];
	kept_stack[0] = (word)second;
	for (int i = 0; i < 100; i++)
		one(10);
	*(volatile int *)0x10010004 = 0;
	for (;;)
		;
}
