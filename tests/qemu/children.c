/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Three children of 1,000 steps each: one ends, one is killed, one becomes another program. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;
__attribute__((noinline)) static void step(int i)
{
	sum += i;
}

int main(void)
{
	for (int child = 0; child < 3; child++) {
		if (fork() != 0)
			continue;
		for (int i = 0; i < 1000; i++)
			step(i);
		if (child == 1)
			kill(getpid(), SIGKILL);
		if (child == 2)
			execl("/bin/true", "true", (char *)NULL);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
