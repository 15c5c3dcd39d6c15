/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Turns of work; counting is switched before each of them: by a signal, or by the runtime's functions (-DCALLS).
 * -DPLAIN: it is not. -DTHREADS: while four threads work; -DFORK: a child works on. */
#include <stdio.h>
#ifdef CALLS
#include <stdint.h>
void rivulet_probe_switch_on(void);
void rivulet_probe_switch_off(void);
extern volatile uint32_t rivulet_probe_switch;
static void change(void)
{
	if (rivulet_probe_switch != 0)
		rivulet_probe_switch_off();
	else
		rivulet_probe_switch_on();
}
#else
#include <signal.h>
#include <unistd.h>
#include <sys/wait.h>
#ifdef PLAIN
static void change(void) {}
#else
static void change(void)
{
	raise(SIGUSR2);
}
#endif
#endif
#ifdef THREADS
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#endif

__attribute__((noinline)) int work(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++)
		sum += (i & 3) != 0 ? i : x;
	return sum;
}

__attribute__((noinline)) int turn(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += work(i);
	__asm__ volatile("" : "+r"(sum)); /* else a loop that calls it calls it once */
	return sum;
}

#ifdef THREADS
/* The threads begin once counting is on, and it stays on until some of their turns are done: however they are
 * scheduled. */
static atomic_int turns_done = -1;
static void *run(void *unused)
{
	long sum = 0;
	while (atomic_load(&turns_done) < 0)
		sched_yield();
	for (int i = 0; i < 200; i++) {
		sum += turn(100);
		atomic_fetch_add(&turns_done, 1);
	}
	(void)unused;
	return (void *)sum;
}
#endif

int main(void)
{
	long sum = 0;
#ifdef THREADS
	pthread_t threads[4];
	fputs("begun\n", stderr); /* from here on signals may come from outside */
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, run, 0);
	for (int i = 0; i < 300; i++) { /* every other one of these turns is counted */
		change();
		sum += turn(100);
		if (i == 0)
			for (atomic_store(&turns_done, 0); atomic_load(&turns_done) < 8;)
				sched_yield();
	}
	for (int i = 0; i < 4; i++) {
		void *result;
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
#else
	for (int i = 0; i < 6; i++) {
		change();
		sum += turn(100 + i);
	}
#endif
#ifdef FORK
	fflush(stdout);
	if (fork() == 0) {
		change();
		sum += turn(500);
	} else
		wait(0);
#endif
	printf("%ld\n", sum);
	return 0;
}
