/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Programs that do to calling contexts what no call does, on RV64 Linux: program WHAT [NUMBER]. What it called is
 * counted by itself, and printed as "function calls" at the end, as far as it is known to be right.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define AWAY __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

extern uintptr_t rivulet_cycles_hint __attribute__((weak));
extern uintptr_t rivulet_cycles_nodes[] __attribute__((weak));
static volatile int sink;
static unsigned works, leafs, downs, coroutines, handlers;
static jmp_buf back;

AWAY int leaf(int x)
{
	int sum = 0;
	leafs++;
	for (int i = 0; i < x; i++)
		sum += i ^ sink;
	return sum;
}

AWAY int work(int x)
{
	works++;
	return leaf(x) + leaf(x + 1);
}

AWAY void down(int depth, void (*bottom)(void))
{
	downs++;
	if (depth == 0)
		bottom();
	else
		down(depth - 1, bottom);
	sink++;
}

static void jump_back(void)
{
	longjmp(back, 1);
}

/* ---- the stack pointer and ra as they were, and no register more: assembler that knows what it does */
static uintptr_t kept[14];
__attribute__((naked, noinline, returns_twice)) static int keep(uintptr_t *to)
{
	__asm__("sd ra, 0(a0)\n\tsd sp, 8(a0)\n\tsd s0, 16(a0)\n\tsd s1, 24(a0)\n\tsd s2, 32(a0)\n\tsd s3, 40(a0)\n\t"
		"sd s4, 48(a0)\n\tsd s5, 56(a0)\n\tsd s6, 64(a0)\n\tsd s7, 72(a0)\n\tsd s8, 80(a0)\n\tsd s9, 88(a0)\n\t"
		"sd s10, 96(a0)\n\tsd s11, 104(a0)\n\tli a0, 0\n\tret");
}

static void out_of_frames(void)
{
	register uintptr_t *from __asm__("t0") = kept;
	__asm__ volatile(
	    "ld ra, 0(t0)\n\tld sp, 8(t0)\n\tld s0, 16(t0)\n\tld s1, 24(t0)\n\tld s2, 32(t0)\n\tld s3, 40(t0)\n\t"
	    "ld s4, 48(t0)\n\tld s5, 56(t0)\n\tld s6, 64(t0)\n\tld s7, 72(t0)\n\tld s8, 80(t0)\n\tld s9, 88(t0)\n\t"
	    "ld s10, 96(t0)\n\tld s11, 104(t0)\n\tli a0, 1\n\tret"
	    :
	    : "r"(from)
	    : "memory");
}

/* ---- other stacks */
static ucontext_t main_context, others[3];
static unsigned rounds;

static void coroutine(void)
{
	coroutines++;
	for (unsigned i = 0; i < 20; i++) {
		work(3);
		rounds++;
		swapcontext(&others[rounds % 3], &others[(rounds + 1) % 3]);
	}
}

static void run_coroutines(void)
{
	for (int i = 0; i < 3; i++) {
		getcontext(&others[i]);
		others[i].uc_stack.ss_sp = malloc(65536);
		others[i].uc_stack.ss_size = 65536;
		others[i].uc_link = &main_context;
		makecontext(&others[i], coroutine, 0);
	}
	rounds = 0;
	swapcontext(&main_context, &others[0]);
}

/* ---- signals */
static sigjmp_buf out;

static void on_signal(int number)
{
	handlers++;
	work(number & 3);
}

static void on_signal_out(int number)
{
	handlers++;
	siglongjmp(out, number);
}

static void on_signal_exit(int number)
{
	handlers++;
	printf("handler %d\n", number);
	exit(0);
}

static void nothing(void) {}

static void raise_signal(void)
{
	raise(SIGUSR1);
}

static void *thread(void *unused)
{
	for (int i = 0; i < 1000; i++)
		work(2);
	return unused;
}

static uint64_t random_state;
static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

/* One word of the runtime, somewhere in what is used, becomes anything. */
AWAY static void overwrite(uint64_t seed)
{
	random_state = seed * 0x9E3779B97F4A7C15u + 1;
	for (int i = 0; i < 8; i++)
		next_random();
	uint64_t value = next_random(), at = next_random() % (32 * 12);
	if (at % 32 == 6) /* calls: of a function that always takes the same nothing else says how many there were */
		at++;
	value = seed % 4 == 0 ? value : seed % 4 == 1 ? value >> 32 : seed % 4 == 2 ? 0 : (uintptr_t)&sink;
	if (seed % 16 == 15)
		rivulet_cycles_hint = value;
	else
		rivulet_cycles_nodes[at] = value;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0, sum = 0;
	for (int i = 0; i < 10; i++)
		sum += work(i);
	if (strcmp(what, "longjmp") == 0) {
		for (int i = 0; i < 3; i++) {
			if (setjmp(back) == 0)
				down(1000, jump_back);
			work(1);
		}
	} else if (strcmp(what, "assembler") == 0) {
		for (int i = 0; i < 3; i++) {
			if (keep(kept) == 0)
				down(50, out_of_frames);
			work(1);
		}
	} else if (strcmp(what, "deep") == 0)
		down(number, nothing);
	else if (strcmp(what, "coroutines") == 0)
		run_coroutines();
	else if (strcmp(what, "handler") == 0) {
		signal(SIGUSR1, on_signal);
		for (int i = 0; i < 30; i++)
			down(4, raise_signal);
	} else if (strcmp(what, "handler-out") == 0) {
		struct sigaction action = {.sa_handler = on_signal_out};
		sigaction(SIGUSR1, &action, NULL);
		for (volatile int i = 0; i < 30; i++) {
			if (sigsetjmp(out, 1) == 0)
				down(4, raise_signal);
		}
	} else if (strcmp(what, "handler-exit") == 0) {
		signal(SIGUSR1, on_signal_exit);
		down(4, raise_signal);
	} else if (strcmp(what, "handlers-kept") == 0) { /* what sigaction() says of earlier ones */
		struct sigaction action = {.sa_handler = on_signal}, before;
		sigaction(SIGUSR1, &action, NULL);
		if (signal(SIGUSR1, SIG_IGN) != on_signal)
			puts("lost");
		raise_signal();
		sigaction(SIGUSR1, &action, &before);
		if (before.sa_handler != SIG_IGN)
			puts("lost");
		sigaction(SIGUSR1, NULL, &before);
		if (before.sa_handler != on_signal || (before.sa_flags & SA_SIGINFO) != 0)
			puts("lost");
		raise_signal();
	} else if (strcmp(what, "threads") == 0) {
		pthread_t threads[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, thread, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	} else if (strcmp(what, "fork") == 0) {
		fflush(stdout);
		int child = fork();
		works = leafs = 0;
		work(5);
		work(6);
		if (child != 0)
			waitpid(child, NULL, 0);
		works += child != 0 ? 10 : 0;
		leafs += child != 0 ? 20 : 0;
		if (child == 0) {
			printf("child work %u\nchild leaf %u\n", works, leafs);
			exit(0);
		}
	} else if (strcmp(what, "overwrite") == 0) {
		overwrite((uint64_t)number);
		for (int i = 0; i < 10; i++)
			sum += work(i);
	} else if (strcmp(what, "killed") == 0)
		raise(SIGUSR2);
	else if (strcmp(what, "flood") == 0)
		memset(&rivulet_cycles_nodes[(size_t)number], 0x5A, 65536);
	for (int i = 0; i < 10; i++)
		sum += work(i);
	printf("work %u\nleaf %u\ndown %u\ncoroutine %u\n", works, leafs, downs, coroutines);
	printf("handlers %u\n", handlers);
	return sum == 0;
}
