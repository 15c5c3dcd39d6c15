/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a program computes of its code: a place by the length of entries, one by a byte of a table, what the low bits of
 * an address of an aligned function say. */
#include <stdint.h>
#include <stdio.h>

int entries(int n);
int table(int n);
__asm__(".text\n.balign 4\n.globl entries\n.type entries, @function\nentries:\n"
	".option push\n.option norvc\n.option norelax\n"
	"la t0, 1f\nslli a0, a0, 3\nadd t0, t0, a0\njr t0\n"
	"1: li a0, 10\nj 2f\nli a0, 20\nj 2f\nli a0, 30\nj 2f\nli a0, 40\nj 2f\n2: addi a0, a0, 1\nret\n"
	".option pop\n.size entries, . - entries\n");
/* the second block never runs: behind it the third is within 255 bytes of the beginning, before it is not */
__asm__(".balign 4\n.globl table\n.type table, @function\ntable:\n"
	"la t0, table\nla t1, 9f\nadd t1, t1, a0\nlbu t1, (t1)\nadd t0, t0, t1\njr t0\n"
	"1: li a0, 10\nj 4f\n2: .rept 52\naddi a1, a1, 100\n.endr\nli a0, 20\nj 4f\n3: li a0, 30\nj 4f\n"
	".rept 70\naddi a1, a1, 100\n.endr\n4: addi a0, a0, 1\nret\n.size table, . - table\n"
	".section .rodata\n9: .byte 1b - table, 2b - table, 3b - table\n.text\n");

#define TAGGED __attribute__((noinline, aligned(64)))
TAGGED int tripled(int x)
{
	return x * 3;
}
TAGGED int turned(int x)
{
	return x % 7 == 0 ? -x : x * 5;
}
TAGGED int mixed(int x)
{
	return x ^ 0x55;
}

__attribute__((noinline)) int tagged(uintptr_t function, int x)
{
	int (*f)(int) = (int (*)(int))(function & ~(uintptr_t)63);
	return f(x) + (int)(function & 63);
}

/* 64 bits each, one of them negative; and tags in data. */
__asm__(".section .rodata\n.balign 8\nways: .dword tripled - main, main - tripled\n.text\n");
extern const int64_t ways[2] __attribute__((visibility("hidden")));
static char *const in_data[] = {(char *)tripled + 41, (char *)turned + 52, (char *)mixed + 63};

int main(int count, char **arguments)
{
	const uintptr_t functions[] = {(uintptr_t)tripled + 41, (uintptr_t)turned + 52, (uintptr_t)mixed + 63};
	unsigned long sum = 0;
	(void)arguments;
	for (int i = 0; i < 1000; i++) {
		sum = sum * 3 + (unsigned long)entries(i % 4) + (unsigned long)table(count > 1 ? i % 3 : i % 2 * 2);
		sum += (unsigned long)tagged(functions[i % 3], i);
		sum += (unsigned long)tagged((uintptr_t)in_data[i * 7 % 3], i);
	}
	sum += (unsigned long)((int (*)(int))((char *)main + ways[0]))(5) + (unsigned long)(ways[0] + ways[1]);
	printf("%lu\n", sum);
	return 0;
}
