/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Code that goes on elsewhere, so that its time is no part of its caller: an own longjmp(), a switch of contexts, an
 * unwinder's way back. And code that moves its own stack pointer: its bound is one.
 */
typedef unsigned u32;
static u32 buffer[4], contexts[2][14], other_stack[64];
static volatile u32 sink;

/* u32 keep(u32 *): 0, and once more what leap() gives. The buffer: ra, sp, s0, s1. */
u32 keep(u32 *);
__attribute__((noreturn)) void leap(u32 *, u32 value);
/* Goes on in the other context. */
void change(u32 *from, u32 *to);
__asm__(
    ".globl keep\n.type keep, @function\nkeep: sw ra, 0(a0)\nsw sp, 4(a0)\nsw s0, 8(a0)\nsw s1, 12(a0)\n"
    "li a0, 0\nret\n.size keep, . - keep\n"
    ".globl leap\n.type leap, @function\nleap: lw ra, 0(a0)\nlw sp, 4(a0)\nlw s0, 8(a0)\nlw s1, 12(a0)\n"
    "mv a0, a1\nret\n.size leap, . - leap\n"
    ".globl change\n.type change, @function\nchange: sw ra, 0(a0)\nsw sp, 4(a0)\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11\nsw s\\n, 8 + 4 * \\n(a0)\n.endr\n"
    "lw ra, 0(a1)\nlw sp, 4(a1)\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11\nlw s\\n, 8 + 4 * \\n(a1)\n.endr\nret\n"
    ".size change, . - change\n"
    /* as the unwinder of gcc comes to a handler: the distance is computed */
    ".globl unwinds\n.type unwinds, @function\nunwinds: addi sp, sp, -16\nsw ra, 12(sp)\nlw a4, 4(a0)\nlw ra, 12(sp)\n"
    "addi sp, sp, 16\nadd sp, sp, a4\nret\n.size unwinds, . - unwinds\n"
    /* comes back by a trap return */
    ".globl traps\n.type traps, @function\ntraps: csrw mepc, ra\nli t0, 0x1800\ncsrs mstatus, t0\nmret\n"
    ".size traps, . - traps\n");
void unwinds(u32 *), traps(void);

__attribute__((noinline)) static void turns(u32 n)
{
	for (u32 i = 0; i < n; i++) /* rivulet: loop 100 */
		sink += i;
}

/* The way behind keep() is taken twice: longer than any way through the code. */
__attribute__((noinline)) u32 jumps_back(u32 n)
{
	u32 from = keep(buffer);
	turns(n);
	if (from == 0)
		leap(buffer, 1);
	return from;
}

/* What the other context does in between takes its time here. */
__attribute__((noinline)) void switches(void)
{
	change(contexts[0], contexts[1]);
}

static void other_context(void)
{
	for (;;) {
		turns(100);
		change(contexts[1], contexts[0]);
	}
}

/* A row on its own stack, as long as the caller says; its bound is one. */
__attribute__((noinline)) u32 grows(u32 n)
{
	u32 row[(n & 15) + 1];
	u32 all = 0;
	for (u32 i = 0; i <= (n & 15); i++) /* rivulet: loop 17 */
		((volatile u32 *)row)[i] = i;
	for (u32 i = 0; i <= (n & 15); i++) /* rivulet: loop 17 */
		all += ((volatile u32 *)row)[i];
	return all;
}

/* And one of more bytes than an instruction says. */
__attribute__((noinline)) u32 wide(u32 n)
{
	volatile u32 row[2000];
	row[n & 1023] = n;
	turns(n & 7);
	return row[n & 1023];
}

__attribute__((noinline)) void unwound(void)
{
	u32 none[2] = {0, 0};
	unwinds(none);
}

__attribute__((noinline)) void trapped(void)
{
	traps();
	sink++;
}

int main(void)
{
	contexts[1][0] = (u32)other_context;
	contexts[1][1] = (u32)(other_stack + 64);
	for (u32 n = 0; n < 20; n++) {
		sink += jumps_back(90 + n % 10) + grows(n) + wide(n);
		switches();
		unwound();
		trapped();
	}
	return 0;
}

__asm__(
    ".pushsection .text.start, \"ax\"\n.globl _start\n.type _start, @function\n_start: la sp, 0x80040000\ncall main\n"
    "li t0, 0x10010000\nsw a0, 4(t0)\n1: j 1b\n.size _start, . - _start\n.popsection\n");
