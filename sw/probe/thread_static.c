/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where glibc makes a thread, in a static program: its thread-local memory gets the distance before it runs. */
#include "sw/probe/thread.h"

#define CLONE_VM 0x100u
#define CLONE_SETTLS 0x80000u

struct clone_words {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
};
int __real___clone_internal(struct clone_words *words, int (*function)(void *), void *argument);
int __wrap___clone_internal(struct clone_words *words, int (*function)(void *), void *argument);
int __wrap___clone_internal(struct clone_words *words, int (*function)(void *), void *argument)
{
	if ((words->flags & CLONE_VM) == 0 || (words->flags & CLONE_SETTLS) == 0)
		return __real___clone_internal(words, function, argument);
	struct rivulet_probe_copy *copy = rivulet_probe_copy();
	uintptr_t tp;
	__asm__ volatile("mv %0, tp" : "=r"(tp));
	uintptr_t offset = (uintptr_t)&rivulet_probe_thread - tp;
	*(intptr_t *)((uintptr_t)words->tls + offset) = copy != NULL ? copy->distance : 0;
	int thread = __real___clone_internal(words, function, argument);
	if (copy != NULL)
		copy->thread = thread > 0 ? thread : RIVULET_PROBE_NO_THREAD;
	return thread;
}
