/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Leaves in the midst of calls, by the way that its first word names. What is behind the calls never runs. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;
static volatile int sum;
int inner(int n);
int middle(int n);
int outer(int n);

__attribute__((noinline)) static void leave(void)
{
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "_exit") == 0)
		_exit(3);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "segv") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(how, "term") == 0)
		raise(SIGTERM);
	sum++;
}

__attribute__((noinline)) int inner(int n)
{
	if (n > 40) {
		leave();
		sum += 2;
	} else if ((n & 1) != 0)
		sum += n;
	return sum;
}

__attribute__((noinline)) int middle(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		if (i % 3 == 0)
			all += inner(n + i);
		else
			all ^= i;
	}
	return n > 3 && n < 30 ? all + middle(n + 1) : all;
}

int outer(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += (i & 4) != 0 ? middle(i) : i;
	return all;
}

int main(int count, char **words)
{
	how = count > 1 ? words[1] : "";
	printf("%d\n", outer(12));
	return 0;
}
