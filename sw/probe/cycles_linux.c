/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The runtime of --cycles on Linux. Signal handlers have contexts of their own, without a caller: link with
 * -Wl,--wrap=sigaction,--wrap=signal. The profile has the number of handlers that did not return (siglongjmp, exit),
 * and of calls from other threads and from stacks that the program did not report: they cannot be told from the main
 * ones.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include "sw/probe/cycles.h"

extern char **environ;
static uintptr_t low, high, thread;
static struct sigaction theirs[_NSIG];
static volatile uintptr_t entered;

static uintptr_t thread_pointer(void)
{
	uintptr_t tp;
	__asm__ volatile("mv %0, tp" : "=r"(tp));
	return tp;
}

/* The environment's pointers are above all frames of the main thread. */
__attribute__((constructor(101))) static void begin(void)
{
	struct rlimit limit;
	const uintptr_t most = (uintptr_t)1 << 30;
	bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < most;
	thread = thread_pointer();
	high = (uintptr_t)environ;
	low = high - (known ? (uintptr_t)limit.rlim_cur : most);
}

enum rivulet_cycles_strange rivulet_cycles_strange(uintptr_t sp)
{
	if (thread != 0 && thread_pointer() != thread)
		return RIVULET_CYCLES_THREAD;
	return high != 0 && (sp > high || sp < low) ? RIVULET_CYCLES_STACK : RIVULET_CYCLES_KNOWN;
}

uintptr_t rivulet_cycles_gone(void)
{
	return entered;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	const struct sigaction *to = &theirs[number];
	uintptr_t interrupted = rivulet_cycles_handler();
	entered++;
	if ((to->sa_flags & SA_SIGINFO) != 0)
		to->sa_sigaction(number, info, context);
	else
		to->sa_handler(number);
	entered--;
	rivulet_cycles_switch(interrupted);
}

int __real_sigaction(int number, const struct sigaction *action, struct sigaction *before);
int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *before);
int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction ours, was = {0};
	bool known = number > 0 && number < _NSIG;
	if (action != NULL) {
		ours = *action;
		if (known && ((action->sa_flags & SA_SIGINFO) != 0 ||
				 (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN))) {
			ours.sa_sigaction = on_signal;
			ours.sa_flags |= SA_SIGINFO;
		}
	}
	const struct sigaction mine = known ? theirs[number] : was;
	/* before the kernel has it: the first signal may come at once */
	if (known && action != NULL && ours.sa_sigaction == on_signal)
		theirs[number] = *action;
	int result = __real_sigaction(number, action != NULL ? &ours : NULL, &was);
	if (result != 0 && known)
		theirs[number] = mine;
	if (result == 0 && before != NULL)
		*before = (was.sa_flags & SA_SIGINFO) != 0 && was.sa_sigaction == on_signal ? mine : was;
	return result;
}

void (*__wrap_signal(int number, void (*handler)(int)))(int);
void (*__wrap_signal(int number, void (*handler)(int)))(int)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, number);
	return __wrap_sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
