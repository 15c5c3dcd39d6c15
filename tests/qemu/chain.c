/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program that becomes others: each of its words is a program to go on with. STEPS calls of step() come first, which
 * is how tests/qemu/check tells the programs apart.
 *   chain run PROGRAM ARGUMENT...     becomes it, by a relative or absolute name or PATH
 *   chain start PROGRAM ARGUMENT...   starts it as a child, as a shell does, and waits; twice
 *   chain open PROGRAM ARGUMENT...    becomes an open file
 *   chain script SCRIPT PROGRAM ARGUMENT...   the same as run, as the interpreter of a script "#!chain script"
 *   chain many PROGRAM COUNT          becomes it, with so many words
 *   chain told MILLISECONDS HOW PROGRAM COUNT WORD   the same with this word, and a child sends it SIGTERM meanwhile;
 *           HOW: full: some handlers would block all signals; handled: within one of them, and nothing is sent
 *   chain bad                         exec() with what is no program and with addresses that are not there: all fail
 *   chain                             ends
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef STEPS
#define STEPS 1000
#endif

extern char **environ;
static volatile int sum;
__attribute__((noinline)) static void step(int i)
{
	sum += i;
}

static void start(char **words)
{
	pid_t child;
	int status;
	if (posix_spawnp(&child, words[0], NULL, NULL, words, environ) != 0)
		exit(3);
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		exit(4);
}

static int fails(void)
{
	char *words[] = {(char *)"x", NULL};
	int wrong = 0;
	wrong += execve("/nowhere/at/all", words, environ) != -1 || errno != ENOENT;
	wrong += execve("/etc/passwd", words, environ) != -1 || errno != EACCES;
	wrong += syscall(SYS_execve, 16, words, environ) != -1 || errno != EFAULT;
	wrong += syscall(SYS_execve, "/bin/true", 16, environ) != -1 || errno != EFAULT;
	printf("%d wrong\n", wrong);
	return wrong;
}

/* With so many words. */
static int becomes_many(char *program, size_t count, char *word)
{
	char **words = calloc(count + 1, sizeof *words);
	for (size_t i = 0; words != NULL && i < count; i++)
		words[i] = i == 0 ? program : word;
	if (words != NULL)
		execv(program, words);
	return 7;
}

static char **told_words;
static void become_told(int number)
{
	(void)number;
	exit(becomes_many(told_words[2], strtoul(told_words[3], NULL, 10), told_words[4]));
}

/* Handlers that block all signals while they run; the signals that are ignored or left as they are have such a mask
 * too, as shells set it. */
static void block_in_handlers(void)
{
	struct sigaction action = {.sa_handler = become_told};
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGUSR2, &action, NULL);
	action.sa_handler = SIG_DFL;
	sigaction(SIGTERM, &action, NULL);
}

/* Words: when, how, which program. */
static void told(char **words)
{
	told_words = words;
	if (strcmp(words[1], "plain") != 0)
		block_in_handlers();
	if (strcmp(words[1], "handled") == 0)
		raise(SIGUSR1);
	if (fork() == 0) {
		usleep(1000 * strtoul(words[0], NULL, 10));
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	become_told(0);
}

int main(int count, char **words)
{
	for (int i = 0; i < STEPS; i++)
		step(i);
	printf("%s has %d words, %s\n", words[0], count, getenv("CHAIN") == NULL ? "no CHAIN" : getenv("CHAIN"));
	fflush(stdout);
	if (count < 2)
		return 0;
	if (strcmp(words[1], "bad") == 0)
		return fails();
	if (strcmp(words[1], "many") == 0)
		return becomes_many(words[2], strtoul(words[3], NULL, 10), (char *)"bad"); /* which ends well */
	if (strcmp(words[1], "told") == 0)
		told(words + 2);
	if (strcmp(words[1], "start") == 0) {
		start(words + 2);
		start(words + 2);
	} else if (strcmp(words[1], "open") == 0) {
		setenv("CHAIN", "kept", 1);
		fexecve(open(words[2], O_RDONLY | O_CLOEXEC), words + 2, environ);
		return 5;
	} else {
		char **next = words + (strcmp(words[1], "script") == 0 ? 3 : 2);
		setenv("CHAIN", "kept", 1);
		execvp(next[0], next);
		return 6;
	}
	return 0;
}
