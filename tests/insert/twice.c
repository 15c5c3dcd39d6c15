/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Calls that return twice (setjmp(), vfork()), at times (longjmp() leaves them), or never (noreturn), several of
 * them in one block: how often was each of its instructions executed? */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink;
static jmp_buf back;

__attribute__((noipa)) static void add(int x)
{
	sink += x;
}

__attribute__((noipa)) static int spawn(int x)
{
	int status;
	add(x);
	pid_t pid = vfork();
	if (pid == 0)
		_exit(x & 7);
	waitpid(pid, &status, 0);
	add(status >> 8);
	return x > 3 ? 1 : 0;
}

/* The second call of a block returns more than once. */
__attribute__((noipa)) static int straight(int x)
{
	volatile int n = x;
	add(1);
	add(setjmp(back));
	add(2);
	add(3);
	if (n-- > 0)
		longjmp(back, n + 1);
	return 1;
}

__attribute__((noipa, noreturn)) static void leaves(int x)
{
	add(x);
	longjmp(back, x + 1);
}

__attribute__((noipa)) static void maybe(int x)
{
	if (x % 3 == 0)
		longjmp(back, x + 1);
	sink++;
}

__attribute__((noipa)) static int calls(int x)
{
	add(1);
	maybe(x);
	add(2);
	maybe(x + 1);
	add(3);
	if (x % 5 == 4) {
		add(4);
		leaves(x);
	}
	maybe(x + 2);
	add(5);
	return x;
}

__attribute__((noipa)) static int around(int n)
{
	volatile int i = 0, sum = 0;
	for (i = 0; i < n; i++) {
		if (setjmp(back) == 0)
			sum += calls(i);
		else
			sum += 3;
	}
	return sum;
}

__attribute__((noipa, noreturn)) static void ends(int x)
{
	add(x);
	exit(x);
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += spawn(i);
	for (int i = 0; i < 7; i++)
		sum += straight(i);
	sum += around(60);
	printf("%d\n", sum);
	fflush(stdout);
	ends(0);
}
