/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* One jump goes to more places than a node of the plugin remembers, some of which begin with a system call; by one
 * thread, and by several at the same time. */
#include <pthread.h>
#include <stdint.h>

typedef uint64_t place(uint64_t x);
static uint64_t up(uint64_t x)
{
	return x + 1;
}
static uint64_t down(uint64_t x)
{
	return x - 3;
}
static uint64_t twice(uint64_t x)
{
	return (x & 1) != 0 ? 2 * x : x / 2;
}
uint64_t ask(uint64_t x); /* getpid(): its first block ends with the call */
__asm__("ask: li a7, 172\n ecall\n andi a0, a0, 0\n addi a0, a0, 7\n ret\n");
static place *const places[] = {up, down, ask, down, twice, up, ask, ask, twice, down, up};

static void *go(void *to)
{
	uint64_t x = (uintptr_t)to;
	for (unsigned i = 0; i < 3000; i++)
		x = places[i % (sizeof places / sizeof *places)](x);
	return (void *)(uintptr_t)(x & 127);
}

int main(void)
{
	pthread_t threads[3];
	uintptr_t sum = (uintptr_t)go((void *)5);
	for (uintptr_t i = 0; i < 3; i++) {
		if (pthread_create(&threads[i], 0, go, (void *)i) != 0)
			return 1;
	}
	for (int i = 0; i < 3; i++) {
		void *got = 0;
		pthread_join(threads[i], &got);
		sum += (uintptr_t)got;
	}
	return sum > 1000;
}
