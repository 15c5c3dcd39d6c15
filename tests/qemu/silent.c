/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What blocks that do not call the plugin must stand: a handler of signals that was a function before, faults in the
 * middle of blocks and in ends of loops, returns from handlers into the middle, one place that many jumps go to, memory
 * that is shared while it runs, children, code that becomes another's by longjmp(), a run so long that other blocks are
 * chosen. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long handled, sum;
static char *volatile page;
static sigjmp_buf back;

__attribute__((noinline)) static void handle(int number)
{
	if (number > 1000)
		sum += number;
	else if (number > 0)
		handled++;
	if (handled % 2 == 1 && number == SIGSEGV)
		mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
	else if (number == SIGSEGV)
		siglongjmp(back, 1);
}

/* A fault now and then, in each of the blocks. */
__attribute__((noinline)) static void fault(long from)
{
	for (volatile long i = from; i < from + 80; i++) {
		if (sigsetjmp(back, 1) != 0)
			continue;
		for (long k = 0; k < 8; k++) {
			if (k == (i & 7))
				mprotect((void *)page, 4096, PROT_NONE);
			if (i % 3 == 0)
				sum += page[k];
			if (i % 5 < 3)
				sum ^= page[k + 1];
			if (i % 7 < 4)
				page[k] = (char)i;
			if (i & 16)
				sum += page[k + 2];
		}
	}
	mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
}

__attribute__((noinline)) static long turn(unsigned op, long value)
{
	switch (op % 13) {
	case 0:
		return value + 1;
	case 1:
		value ^= 5;
		break;
	case 2:
		value *= 3;
		break;
	case 3:
		value -= 7;
		break;
	case 4:
		if (value & 1)
			break; /* fall through */
	case 5:
		value += 11;
		break;
	case 6:
		value |= 64;
		break;
	case 7:
		value &= ~8l;
		break;
	case 8:
		value = -value;
		break;
	case 9:
		value <<= 1;
		break;
	case 10:
		value >>= 1;
		break;
	default:
		value ^= op;
	}
	return value & 0xFFFF;
}

static void work(long times)
{
	for (long i = 0; i < times; i++)
		sum = turn((unsigned)(i * 7 ^ sum), sum);
}

int main(int argc, char **argv)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 500; i++)
		handle(i % 3 == 0 ? 2000 : 0);
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	work(5000);
	fault(0);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	if (argc > 1 && strcmp(argv[1], "share") == 0) {
		long *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		work(3000);
		*shared = sum;
	}
	const bool far = argc > 1 && strcmp(argv[1], "far") == 0;
	for (int i = 0; far && i < 40; i++) { /* until blocks are chosen anew, in the middle of all this, and again */
		work(20000 * (i + 1));
		fault(i);
		raise(SIGUSR1);
	}
	if (fork() == 0) {
		work(far ? 2000000 : 2000);
		fault(3);
		exit(0);
	}
	work(1000);
	wait(NULL);
	fault(7);
	printf("%ld handled, sum %ld\n", handled, sum);
	return 0;
}
