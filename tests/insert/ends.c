/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Bare metal: ends in the midst of calls by HOW: 0 _exit, 1 abort, 2 a fault, whose handler says what it
 * interrupted. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void rivulet_probe_trap(const uintptr_t *x, uintptr_t pc) __attribute__((weak));
uintptr_t interrupted[32];
void entry(void);
void trapped(void);
__asm__(".balign 4\n"
	".globl entry\n"
	"entry:\n"
	"	csrw mscratch, t0\n"
	"	la t0, interrupted\n"
	"	.irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	sw x\\n, 4*\\n(t0)\n"
	"	.endr\n"
	"	csrr t1, mscratch\n"
	"	sw t1, 4*5(t0)\n"
	"	j trapped\n");

void trapped(void)
{
	uintptr_t pc;
	__asm__ volatile("csrr %0, mepc" : "=r"(pc));
	if (rivulet_probe_trap != NULL)
		rivulet_probe_trap(interrupted, pc);
	_exit(4);
}

static volatile int sum;
void leave(int n);
int inner(int n);
int middle(int n);
int outer(int n);

__attribute__((noipa)) void leave(int n)
{
	if (HOW == 0)
		_exit(3);
	if (HOW == 1)
		abort();
	__asm__ volatile(".half 0" : : "r"(n)); /* illegal */
	sum++;
}

__attribute__((noipa)) int inner(int n)
{
	if (n > 40) {
		leave(n);
		sum += 2;
	} else if ((n & 1) != 0)
		sum += n;
	return sum;
}

__attribute__((noinline)) int middle(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += i % 3 == 0 ? inner(n + i) : i ^ 5;
	return n > 3 && n < 30 ? all + middle(n + 1) : all;
}

__attribute__((noinline)) int outer(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += (i & 4) != 0 ? middle(i) : i;
	return all;
}

int main(void)
{
	__asm__ volatile("csrw mtvec, %0" : : "r"((uintptr_t)entry));
	printf("%d\n", outer(12));
	return 0;
}
