/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Children of fork() that run code of their own, a signal in a loop; with an argument a signal ends one of them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static void count(int signal)
{
	caught += signal == SIGUSR1;
}
__attribute__((noinline)) static int work(int n)
{
	unsigned x = 1;
	for (int i = 0; i < n; i++)
		x = x * 33 + (x & 1 ? 7 : 5);
	return (int)(x % 100);
}

int main(int argc, char **argv)
{
	int sum = 0;
	(void)argv;
	signal(SIGUSR1, count);
	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		if (child == 0) {
			int found = work(1000 * (i + 1));
			if (i == 3 && argc > 1)
				abort();
			_exit(found);
		}
		int status;
		waitpid(child, &status, 0);
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
		raise(SIGUSR1);
		sum += work(500);
	}
	printf("%d %d\n", sum, (int)caught);
	return 0;
}
