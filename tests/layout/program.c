/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Code whose hot way is not the one that it is written in: loops with rare cases in front, a switch, computed gotos,
 * tail calls by pointers, recursion. What it is called from is read by unwinding, in blocks that move. With an
 * argument, other blocks are the hot ones. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

static unsigned long sum;
static int depth;

static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *known)
{
	depth++;
	const char *function = _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context));
	for (void **k = known; *k != NULL; k++) {
		if (*k == function)
			sum = sum * 31 + (unsigned long)(k - (void **)known) + 1;
	}
	return _URC_NO_REASON;
}

int main(int argc, char **argv);
int turn(int x, int rare);
int way(int op, int x);
int threaded(const unsigned char *code, int x);
int deeper(int n, int rare);

__attribute__((noinline)) void look(void)
{
	void *known[] = {(void *)main, (void *)turn, (void *)way, (void *)threaded, (void *)deeper, NULL};
	_Unwind_Backtrace(one_frame, known);
}

__attribute__((noinline)) int turn(int x, int rare)
{
	char name[48];
	for (int i = 0; i < 20; i++) {
		if (x % rare == 0) {
			snprintf(name, sizeof name, "rare %d", x);
			look();
			x += (int)strlen(name);
		} else if (x % 3 != 1) {
			x = x * 5 + 1;
		} else {
			x = (x >> 1) ^ i;
			if (x < 0)
				return -x;
		}
	}
	return x & 0x7FFFFFFF;
}

__attribute__((noinline)) int way(int op, int x)
{
	switch (op) {
	case 0:
		return x + 1;
	case 1:
		look();
		return x - 1;
	case 2:
		return x * 3;
	case 3:
		return turn(x, 7);
	case 4:
		return ~x;
	case 5:
		return x ^ 0x55;
	case 6:
		return x >> 3;
	}
	look();
	return 0;
}

__attribute__((noinline)) int threaded(const unsigned char *code, int x)
{
	static const void *const steps[] = {&&add, &&twice, &&odd, &&seen, &&end};
	goto *steps[*code++];
add:
	x += 3;
	goto *steps[*code++];
twice:
	x *= 2;
	goto *steps[*code++];
odd:
	if ((x & 1) == 0)
		goto *steps[*code++];
	x = 3 * x + 1;
	goto *steps[*code++];
seen:
	look();
	goto *steps[*code++];
end:
	return x;
}

__attribute__((noinline)) int deeper(int n, int rare)
{
	if (n == 0) {
		look();
		return 1;
	}
	if (n % rare == 0)
		return deeper(n - 1, rare) ^ turn(n, rare);
	return deeper(n - 1, rare) + n;
}

static int (*volatile tail)(int, int) = way;
__attribute__((noinline)) int leave(int op, int x)
{
	if (op > 100)
		abort();
	return tail(op, x + 1);
}

static void caught(int number)
{
	look();
	sum += (unsigned long)number;
}

int main(int argc, char **argv)
{
	const int rare = argc > 1 ? atoi(argv[1]) : 97;
	const unsigned char code[] = {0, 1, 2, 0, 0, 1, 2, 3, 2, 1, 4};
	int x = 12345;
	signal(SIGUSR1, caught);
	for (int i = 0; i < 500; i++) {
		x = turn(x + i, rare);
		x ^= way(i % (rare > 50 ? 3 : 8), x);
		x += threaded(code, i);
		x ^= leave(i % 7, x);
		if (i % 200 == 3)
			raise(SIGUSR1);
	}
	x += deeper(40, rare);
	printf("%d %lu %d\n", x, sum, depth);
	return 0;
}
