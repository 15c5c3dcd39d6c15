/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What daemons do to a process. Each word is one step; behind all of them 1,000 calls of step() each in this process,
 * in a thread of it, in a child, in a thread of the child, and in the child's own child: 5,000 in all.
 *   user    becomes nobody      root   sees only the folder that it is in
 *   close   has no file open, by close_range() and one by one
 *   limit   may open no file any more
 *   beside  the child is forked while the thread runs, and makes no thread: 4,000 in all
 *   run PROGRAM ARGUMENT...   the last one: then the child's child becomes it
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;
static int beside, there[2], done[2];
__attribute__((noinline)) static void step(int i)
{
	sum += i;
}
static void steps(void)
{
	for (int i = 0; i < 1000; i++)
		step(i);
}

/* Behind its steps it waits, if its process is to fork beside it. */
static void *in_thread(void *data)
{
	char byte;
	steps();
	if (beside && data == NULL && (write(there[1], "x", 1) != 1 || read(done[0], &byte, 1) != 1))
		_exit(9);
	return NULL;
}

static int all_closed(void)
{
	if (syscall(SYS_close_range, 0, ~0U, 0) != 0)
		return 1;
	for (int i = 0; i < 4096; i++)
		close(i);
	return 0;
}

static int take_step(const char *word)
{
	const struct rlimit none = {0, 0};
	if (strcmp(word, "user") == 0)
		return setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 ||
		       setresuid(65534, 65534, 65534) != 0;
	if (strcmp(word, "root") == 0)
		return chroot(".") != 0 || chdir("/") != 0;
	if (strcmp(word, "close") == 0)
		return all_closed();
	if (strcmp(word, "beside") == 0)
		return (beside = 1) != 1;
	return strcmp(word, "limit") != 0 || setrlimit(RLIMIT_NOFILE, &none) != 0;
}

static int in_child(char **words)
{
	pthread_t thread;
	int status = 0;
	steps();
	if (!beside && (pthread_create(&thread, NULL, in_thread, &status) != 0 || pthread_join(thread, NULL) != 0))
		return 6;
	const pid_t child = fork();
	if (child == 0) {
		steps();
		if (*words != NULL)
			execv(*words, words);
		_exit(*words != NULL ? 7 : 0);
	}
	return waitpid(child, &status, 0) != child ? 8 : WEXITSTATUS(status);
}

int main(int count, char **words)
{
	pthread_t thread;
	char byte;
	int status = 0;
	(void)count;
	for (words++; *words != NULL && strcmp(*words, "run") != 0; words++)
		if (take_step(*words) != 0)
			return 3;
	words += *words != NULL;
	steps();
	if (beside && (pipe(there) != 0 || pipe(done) != 0))
		return 4;
	if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
		return 5;
	if (beside ? read(there[0], &byte, 1) != 1 : pthread_join(thread, NULL) != 0)
		return 10;
	const pid_t child = fork();
	if (child == 0)
		_exit(in_child(words));
	if (waitpid(child, &status, 0) != child)
		return 11;
	if (beside && (write(done[1], "x", 1) != 1 || pthread_join(thread, NULL) != 0))
		return 12;
	return WEXITSTATUS(status);
}
