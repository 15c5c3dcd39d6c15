/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Faults in the first block of a handler that was a function before: each one handles the one before, 16 deep. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static char room[8], *places[64];
static volatile long small, large;
static volatile int depth;
static sigjmp_buf back;

__attribute__((noinline)) static void handle(int number)
{
	*(volatile char *)places[depth++] = 1;
	if (number > 1000)
		large++;
	else
		small++;
	if (number == SIGSEGV)
		siglongjmp(back, 1);
}

__attribute__((noinline)) static void call(int number)
{
	handle(number);
	small++;
}

__attribute__((noinline)) static void touch(void)
{
	if (small & 1)
		large++;
	*(volatile char *)places[depth] = 1;
}

int main(void)
{
	for (int i = 0; i < 64; i++)
		places[i] = room;
	for (int i = 0; i < 20; i++)
		call(i % 3 == 0 ? 2000 : 0);
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
	sigaction(SIGSEGV, &action, NULL);
	for (int last = 1; last < 32; last++) {
		places[last - 1] = NULL;
		depth = 0;
		if (sigsetjmp(back, 1) == 0)
			touch();
	}
	printf("%ld and %ld\n", small, large);
	return 0;
}
