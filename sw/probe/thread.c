/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --per-thread, for Linux: each thread has a copy of the memory of the counters, and counts there by a thread-local
 * distance. No instruction of the A extension is needed to count, and no two threads write one counter.
 *
 *   .bss of the program ── counters of the main thread, distance 0
 *   copy 1, copy 2 ...  ── mapped when a thread is made; pages that it does not count in take no memory
 *
 * Nothing is added up before the profile is written, so that what a thread does while it ends is counted too. A copy
 * whose thread is gone serves the next one, which goes on from its counts.
 *
 * Link with -Wl,--wrap=pthread_create,--wrap=__libc_start_main. The second makes the variable reachable before the C
 * library has set up thread-local memory. A static program needs thread_static.c too, with -Wl,--wrap=__clone_internal:
 * that is where glibc makes threads. In a dynamic one the C library does not count.
 */
#include "sw/probe/thread.h"

#define COPIES 4096
enum { CALL_GETPID = 172, CALL_TGKILL = 131, CALL_MMAP = 222, CALL_MADVISE = 233 };
#define NO_SUCH_PROCESS (-3)
#define PAGE 4096u

__thread intptr_t rivulet_probe_thread __attribute__((tls_model("local-exec")));

static struct rivulet_probe_copy copies[COPIES];
static unsigned copy_count;
static char busy;
extern char __bss_start[], _end[];

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
	return a0;
}

static uintptr_t counters_base(void)
{
	return (uintptr_t)__bss_start / PAGE * PAGE;
}

static size_t counters_size(void)
{
	return ((uintptr_t)_end - counters_base() + PAGE - 1) / PAGE * PAGE;
}

unsigned rivulet_probe_threads(void)
{
	return __atomic_load_n(&copy_count, __ATOMIC_ACQUIRE);
}

intptr_t rivulet_probe_distance(unsigned thread)
{
	return copies[thread].distance;
}

intptr_t rivulet_probe_own(void)
{
	return rivulet_probe_thread;
}

void rivulet_probe_clear_threads(void)
{
	for (unsigned i = 0; i < copy_count; i++) /* private pages are 0 then */
		call(CALL_MADVISE, (long)(counters_base() + (uintptr_t)copies[i].distance), (long)counters_size(), 4, 0,
		    0, 0);
}

struct rivulet_probe_copy *rivulet_probe_copy(void)
{
	struct rivulet_probe_copy *found = NULL;
	long process = call(CALL_GETPID, 0, 0, 0, 0, 0, 0);
	while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
		;
	for (unsigned i = 0; i < copy_count && found == NULL; i++) {
		if (copies[i].thread != 0 &&
		    call(CALL_TGKILL, process, copies[i].thread, 0, 0, 0, 0) == NO_SUCH_PROCESS)
			found = &copies[i];
	}
	if (found == NULL && copy_count < COPIES) {
		long at =
		    call(CALL_MMAP, 0, (long)counters_size(), 3, 0x4022, -1, 0); /* private, anonymous, no reserve */
		if (at < 0 && at > -4096)
			at = 0;
		if (at != 0) {
			found = &copies[copy_count];
			found->distance = (intptr_t)((uintptr_t)at - counters_base());
			__atomic_store_n(&copy_count, copy_count + 1, __ATOMIC_RELEASE);
		}
	}
	if (found != NULL)
		found->thread = 0;
	__atomic_clear(&busy, __ATOMIC_RELEASE);
	return found;
}

static uintptr_t thread_pointer(void)
{
	uintptr_t tp;
	__asm__ volatile("mv %0, tp" : "=r"(tp));
	return tp;
}

static void *begin(void *of)
{
	struct rivulet_probe_copy *copy = of;
	rivulet_probe_thread = copy->distance;
	copy->thread = call(178, 0, 0, 0, 0, 0, 0); /* gettid */
	return copy->start(copy->argument);
}

extern const char _DYNAMIC[] __attribute__((weak));
int __real_pthread_create(void *thread, const void *how, void *(*start)(void *), void *argument);
int __wrap_pthread_create(void *thread, const void *how, void *(*start)(void *), void *argument);
int __wrap_pthread_create(void *thread, const void *how, void *(*start)(void *), void *argument)
{
	struct rivulet_probe_copy *copy = _DYNAMIC != 0 ? rivulet_probe_copy() : NULL;
	if (copy == NULL)
		return __real_pthread_create(thread, how, start, argument);
	copy->start = start;
	copy->argument = argument;
	int error = __real_pthread_create(thread, how, begin, copy);
	if (error != 0)
		copy->thread = RIVULET_PROBE_NO_THREAD;
	return error;
}

/* Serves as thread-local memory before there is any: zeros, with the variable among them. */
static uint64_t early[1024];
int __real___libc_start_main(void *a, int b, void *c, void *d, void *e, void *f, void *g);
int __wrap___libc_start_main(void *a, int b, void *c, void *d, void *e, void *f, void *g);
int __wrap___libc_start_main(void *a, int b, void *c, void *d, void *e, void *f, void *g)
{
	if (thread_pointer() == 0) { /* then the variable's address is its offset */
		uintptr_t tp = (uintptr_t)&early[512] - (uintptr_t)&rivulet_probe_thread;
		__asm__ volatile("mv tp, %0" : : "r"(tp));
	}
	return __real___libc_start_main(a, b, c, d, e, f, g);
}
