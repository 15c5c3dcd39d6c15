/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls the functions of many random programs and says a line for each: its number and the sum of the results, or the
 * signal that ended it. One child runs the programs, and another one those behind a program that a signal ended: a
 * process for each would take longer than all else. Without a C library, for RV32 and RV64 Linux. PROGRAMS: a list of
 * PROGRAM(number). */
#include <stddef.h>
#include <stdint.h>

enum { WRITE = 64, EXIT = 93, SETITIMER = 103, CLONE = 220, MMAP = 222, WAIT4 = 260, WAITID = 95, SIGCHLD = 17 };
typedef intptr_t function(intptr_t, intptr_t);
struct program {
	unsigned number;
	function *const *table;
	const uint32_t *count;
	int32_t *fuel;
	uint32_t *data;
};
#define PROGRAM(n)                                                                                                     \
	extern function *const table_##n[];                                                                            \
	extern const uint32_t count_##n;                                                                               \
	extern int32_t fuel_##n;                                                                                       \
	extern uint32_t data_##n[64];
#include PROGRAMS
#undef PROGRAM
#define PROGRAM(n) {n, table_##n, &count_##n, &fuel_##n, data_##n},
static const struct program programs[] = {
#include PROGRAMS
};

static long call(long number, long a, long b, long c, long d, long e)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e, a5 __asm__("a5") = 0, a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
	return a0;
}

void *memcpy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile char *)to)[i] = (char)value;
	return to;
}

static void say(unsigned number, const char *what, uint32_t value)
{
	char line[48];
	size_t at = 0;
	for (int shift = 28; shift >= 0; shift -= 4)
		line[at++] = "0123456789abcdef"[number >> shift & 15];
	for (; *what != 0; what++)
		line[at++] = *what;
	for (int shift = 28; shift >= 0; shift -= 4)
		line[at++] = "0123456789abcdef"[value >> shift & 15];
	line[at++] = '\n';
	call(WRITE, 1, (long)line, (long)at, 0, 0);
}

static uint32_t work(const struct program *p)
{
	uint32_t sum = 1;
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < *p->count; i++) {
			*p->fuel = 150;
			sum = sum * 31 + (uint32_t)p->table[i]((intptr_t)(int32_t)(sum ^ i), (intptr_t)round);
		}
	}
	for (uint32_t i = 0; i < 64; i++)
		sum = sum * 31 + p->data[i];
	return sum;
}

static void run_program(const struct program *p)
{
	static const long limit[4] = {0, 0, 10, 0}; /* seconds of a processor, if a program never ends */
	call(SETITIMER, 1, (long)limit, 0, 0, 0);
	say(p->number, " sum ", work(p));
}

static long start(void)
{
	const long pages = call(MMAP, 0, 4096, 3, 0x21, -1); /* read, write; shared, of no file */
	volatile size_t *at = (volatile size_t *)pages;
	if (pages < 0 && pages > -4096)
		return 1;
	while (*at < sizeof programs / sizeof *programs) {
		if (call(CLONE, SIGCHLD, 0, 0, 0, 0) == 0) {
			for (; *at < sizeof programs / sizeof *programs; ++*at)
				run_program(&programs[*at]);
			call(EXIT, 0, 0, 0, 0, 0);
		}
		struct { /* siginfo_t: signal, error, code, on RV64 a gap, process, user, status */
			int words[32];
		} info = {{0}};
		call(WAITID, 0, 0, (long)&info, 4, 0);
		if (info.words[2] == 1) /* CLD_EXITED */
			break;
		say(programs[*at].number, " ended by signal ", (uint32_t)info.words[sizeof(long) == 8 ? 6 : 5]);
		++*at;
	}
	return 0;
}

__attribute__((noreturn)) void _start(void);
void _start(void)
{
#if __riscv_xlen == 32
	__asm__ volatile(".option push\n.option norelax\nla gp, __global_pointer$\n.option pop");
#else
	__asm__ volatile(".option push\n.option norelax\nla gp, __global_pointer$\n.option pop");
#endif
	call(EXIT, start(), 0, 0, 0, 0);
	__builtin_unreachable();
}
