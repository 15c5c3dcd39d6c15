/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* dumps TURNS [for-ever]: leaves its folder, and sends itself SIGUSR1 each 100 turns if somebody handles that. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int step(int n);
long turn(int steps);
__attribute__((noipa)) int step(int n)
{
	return n % 3 ? n + 1 : n * 2;
}

__attribute__((noipa)) long turn(int steps)
{
	long sum = 0;
	for (int i = 0; i < steps; i++)
		sum += step(i);
	return sum;
}

int main(int argc, char **argv)
{
	struct sigaction action;
	long sum = 0;
	int turns = argc > 1 ? atoi(argv[1]) : 1;
	if (chdir("/") != 0 || sigaction(SIGUSR1, NULL, &action) != 0)
		return 2;
	int handled =
	    getenv("RIVULET_DUMP") != NULL && getenv("RIVULET_DUMP")[0] == 'U' && action.sa_handler != SIG_DFL;
	for (int i = 1; i <= turns; i++) {
		sum += turn(1000);
		if (handled && i % 100 == 0)
			raise(SIGUSR1);
	}
	printf("%ld\n", sum);
	fflush(stdout);
	while (argc > 2)
		sum += turn(1000);
	return sum == 0;
}
