// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
/* Children of fork() in the midst of calls: they return through what their parent began, end in it, leave it by
 * longjmp(), fork again, or are made by the C library itself (daemon()). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
static jmp_buf back, outside;

static int is_child(pid_t pid)
{
	int status = 0;
	if (pid == 0)
		return 1;
	waitpid(pid, &status, 0);
	sink += status >> 8;
	return 0;
}

/* Returns in the child too, through frames that branch before and behind. */
__attribute__((noinline)) static int descend(int depth, int at)
{
	int sum = 0;
	for (int i = 0; i < depth; i++) {
		if ((i + depth) % 3 == 0)
			sum += i;
		else
			sink++;
	}
	if (depth == at) {
		pid_t pid = fork();
		if (is_child(pid))
			sum += 1000;
		return sum;
	}
	if (depth % 2 != 0)
		sum += descend(depth - 1, at);
	else
		sum -= descend(depth - 1, at);
	if (sum > 500)
		sink += 2;
	return sum;
}

/* Straight behind the call: the parent has counted the path before it. */
__attribute__((noinline)) static pid_t straight(int x)
{
	sink += x > 3 ? 1 : 2;
	pid_t pid = fork();
	sink += x;
	return pid;
}

/* A loop with the call in it; its turns are counted as they come. */
__attribute__((noinline)) static int around(int turns)
{
	for (int i = 0; i < turns; i++) {
		sink += i;
		if (is_child(straight(i))) {
			sink += 5;
			if (i % 2 != 0)
				_exit(i);
			return i;
		}
	}
	return -1;
}

__attribute__((noinline)) static void jumps(int how)
{
	sink += how;
	if (is_child(fork())) {
		for (int i = 0; i < how; i++)
			sink += i;
		longjmp(how > 2 ? outside : back, how);
	}
	sink++;
}

__attribute__((noinline)) static int catches(int how)
{
	volatile int n = how * 3;
	int from = setjmp(back);
	if (from != 0) {
		sink += n;
		exit(from);
	}
	if (how % 2 == 0)
		n++;
	jumps(how);
	return n;
}

/* longjmp() goes back to before a loop whose turns are paths of their own. */
__attribute__((noinline)) static void leaves(int how)
{
	sink += how;
	longjmp(back, how);
}

__attribute__((noinline)) static int loops_back(int turns)
{
	volatile int n = turns > 2 ? 7 : 8;
	if (setjmp(back) != 0)
		return n + 1;
	for (int i = 0; i < turns; i++) {
		sink += i % 2 != 0 ? 1 : n;
		if (i == turns - 1)
			leaves(turns);
	}
	return n;
}

/* A child that forks again, and returns in all three. */
__attribute__((noinline)) static int twice(int x)
{
	pid_t first = fork();
	if (first == 0) {
		sink += x;
		pid_t second = fork();
		if (is_child(second))
			sink += 3 * x;
		sink++;
		exit(sink & 7);
	}
	is_child(first);
	return x > 0 ? x + 1 : 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	int from = setjmp(outside);
	if (from != 0) {
		sink += from;
		_exit(sink & 7);
	}
	for (int at = 0; at < 6; at++) {
		int sum = descend(5, at);
		if (sum > 500 || sum < -500)
			exit(at);
	}
	if (around(4) >= 0)
		exit(2);
	for (int how = 1; how < 5; how++)
		catches(how);
	for (int turns = 0; turns < 5; turns++)
		sink += loops_back(turns);
	sink += twice(argc);
	if (is_child(fork())) {
		if (daemon(1, 1) == 0)
			exit(3);
		exit(4);
	}
	printf("%d\n", sink);
	return 0;
}
