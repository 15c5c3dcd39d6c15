/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Code that is made at run time: in memory of its own, written anew again and again, and over the program's own code.
 * It says how many instructions of it run. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <stdint.h>

__attribute__((noinline, aligned(4096))) static int replaced(int a)
{
	__asm__ volatile("" : "+r"(a));
	return a * 3 + 1;
}
__attribute__((aligned(4096))) static int behind(int a)
{
	return a - 1;
}

typedef int call(int);
static unsigned long instructions;

static void put(void *at, uint32_t immediate)
{
	const uint32_t code[] = {0x00000513u | immediate << 20, 0x00008067u}; /* li a0,immediate; ret */
	memcpy(at, code, sizeof code);
	__asm__ volatile("fence.i" ::: "memory");
	__builtin___clear_cache((char *)at, (char *)at + sizeof code);
}

int main(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;
	if (page == MAP_FAILED)
		return 1;
	for (uint32_t i = 0; i < 200; i++) {
		put(page, i);
		for (int k = 0; k < 50; k++) {
			sum += ((call *)page)(k);
			instructions += 2;
		}
	}
	int (*volatile own)(int) = replaced;
	sum += own(4);
	if (mprotect((void *)((uintptr_t)own & ~4095ul), 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return 1;
	put((void *)(uintptr_t)own, 7);
	for (int k = 0; k < 1000; k++) {
		sum += own(k);
		instructions += 2;
	}
	printf("%d %d\ninstructions %lu\n", sum, behind(2), instructions);
	return 0;
}
