/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* An application as a Linux program for qemu-riscv32: the same objects, with this instead of sw/hal. One call of
 * app_main() on ref input; the exit status is its result. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sw/run/app.h"

enum { LINUX_WRITE = 64, LINUX_EXIT = 93 };
#define HEAP (1u << 20)

const char app_name[] = "user";
static char heap[HEAP], *heap_at = heap;
static char tls[1024] __attribute__((used)); /* picolibc has nothing in it that does not begin as 0 */

static long linux_call(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

void *sbrk(ptrdiff_t size);
void *sbrk(ptrdiff_t size)
{
	char *old = heap_at;
	if (size > heap + HEAP - heap_at)
		return (void *)-1;
	heap_at += size;
	return old;
}

_Noreturn void _exit(int code);
_Noreturn void _exit(int code)
{
	for (;;)
		linux_call(LINUX_EXIT, code, 0, 0);
}

static int put(char c, FILE *file)
{
	(void)file;
	linux_call(LINUX_WRITE, 1, (long)&c, 1);
	return (unsigned char)c;
}
static FILE out = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &out;
FILE *const stderr = &out;

int app_check(const char *what, uint32_t got, uint32_t expected)
{
	if (got != expected)
		printf("%s: got %lx, expected %lx\n", what, (unsigned long)got, (unsigned long)expected);
	return got != expected;
}

void start(void);
void start(void)
{
	_exit(app_main(APP_REF));
}
__asm__(".globl _start\n_start:\n.option push\n.option norelax\nla gp, __global_pointer$\n.option pop\nla tp, tls\n"
	"andi sp, sp, -16\ncall start\n");
