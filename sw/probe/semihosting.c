/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Bare metal with a debugger or emulator that serves semihosting: the profile as a file of the host's, when the program
 * ends. Link with -Wl,--wrap=_exit. The file is rivulet_probe_file, weak, "rivulet.prof".
 */
#include "sw/probe/cycle.h"
#include "sw/probe/probe.h"

enum { SYS_OPEN = 1, SYS_CLOSE = 2, SYS_WRITE = 5, MODE_WB = 5 };

__attribute__((weak)) const char rivulet_probe_file[] = "rivulet.prof";
static long file = -1;

/* RISC-V semihosting: the three instructions stand together, uncompressed, within a page. */
static long call(long number, const void *arguments)
{
	register long a0 __asm__("a0") = number;
	register const void *a1 __asm__("a1") = arguments;
	__asm__ volatile(".option push\n\t.balign 16\n\t.option norvc\n\t"
			 "slli x0, x0, 0x1f\n\tebreak\n\tsrai x0, x0, 7\n\t.option pop"
			 : "+r"(a0)
			 : "r"(a1)
			 : "memory");
	return a0;
}

void rivulet_probe_put(const void *bytes, size_t size)
{
	const uintptr_t arguments[] = {(uintptr_t)file, (uintptr_t)bytes, size};
	if (file >= 0)
		call(SYS_WRITE, arguments);
}

void rivulet_probe_open(void)
{
	size_t length = 0;
	const volatile char *name = rivulet_probe_file; /* volatile: compilers make no call of strlen() of the loop */
	while (name[length] != '\0')
		length++;
	const uintptr_t arguments[] = {(uintptr_t)rivulet_probe_file, MODE_WB, length};
	if (file < 0)
		file = call(SYS_OPEN, arguments);
}

uint64_t rivulet_probe_cycles(void)
{
	return rivulet_probe_clock();
}

void rivulet_probe_begin(struct rivulet_probe_node *node)
{
	rivulet_probe_clear(node);
}

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
_Noreturn void __wrap__exit(int code)
{
	rivulet_probe_open();
	rivulet_probe_write();
	const uintptr_t closing[] = {(uintptr_t)file};
	if (file >= 0)
		call(SYS_CLOSE, closing);
	file = -1;
	__real__exit(code);
}
