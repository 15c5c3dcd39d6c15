/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* 12,345 steps, then an end that is no exit. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sum;
__attribute__((noinline)) static void step(int i)
{
	sum += i;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 12345; i++)
		step(i);
	if (strcmp(how, "segv") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	while (strcmp(how, "wait") == 0)
		pause();
	return 0;
}
