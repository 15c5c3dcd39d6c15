/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What object code has beside its source, on bare metal: functions that nothing leads to, a pointer to one, copies by
 * inlining, a call that the source does not have, ways that the compiler joined. */
struct wide {
	int values[1024];
};

int lost(int a) /* DEAD */
{
	return a > 3 ? a * 5 : a;
}

int lost_too(int a)
{
	return lost(a) + 1;
} /* DEAD */

int by_pointer(int a)
{
	return a + 9;
}

int (*volatile const pointer)(int) = by_pointer;
volatile int input = 3;
int kept;
static struct wide one, two;

static inline __attribute__((always_inline)) int rotate(int a, int by)
{
	return (int)((unsigned)a << by | (unsigned)a >> (32 - by));
}

__attribute__((noinline)) int copies(struct wide *to, const struct wide *from, int n)
{
	long long share = (long long)from->values[n] * 1000003;
	kept += (int)(share / n); /* HELPER */
	for (int i = 0; i < n; i++)
		to->values[i & 1023] = rotate(to->values[i & 1023], 3); /* INLINED */
	return rotate(to->values[5], 7);                                /* INLINED */
}

__attribute__((noinline)) void merged(int a)
{
	if (a > 5)
		kept = a * 3;
	else
		kept = a + 7;
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
	int n = input;
	for (int i = 0; i < 1024; i++)
		one.values[i] = i * n;
	int sum = copies(&two, &one, n * 3);
	if (n > 20)
		sum += pointer(n);
	merged(n);
	sum += fibonacci(n + 3);
	return sum == 0;
}

__asm__(
    ".pushsection .text.start, \"ax\"\n.globl _start\n.type _start, @function\n_start: la sp, 0x80020000\ncall main\n"
    "li t0, 0x10010000\nsw a0, 4(t0)\n1: j 1b\n.size _start, . - _start\n.popsection\n");
