/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a new user brings: a bare-metal program that has never heard of rivulet. SLOW: a worse pivot. */
#define COUNT 300
static unsigned values[COUNT];
static volatile unsigned char *const console = (volatile unsigned char *)0x10010000;

static void say(const char *text)
{
	while (*text != '\0')
		*console = (unsigned char)*text++;
}

static unsigned next_random(unsigned *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

__attribute__((noinline)) static void fill(void)
{
	unsigned state = 1;
	for (int i = 0; i < COUNT; i++)
		values[i] = next_random(&state) % 1000;
}

__attribute__((noinline)) static void swap(unsigned *a, unsigned *b)
{
	unsigned kept = *a;
	*a = *b;
	*b = kept;
}

__attribute__((noinline)) static int partition(int low, int high)
{
#ifndef SLOW
	swap(&values[(low + high) / 2], &values[high]);
#endif
	unsigned pivot = values[high];
	int at = low;
	for (int i = low; i < high; i++) {
		if (values[i] < pivot)
			swap(&values[i], &values[at++]);
	}
	swap(&values[at], &values[high]);
	return at;
}

__attribute__((noinline)) static void sort(int low, int high)
{
	if (low >= high)
		return;
	int middle = partition(low, high);
	sort(low, middle - 1);
	sort(middle + 1, high);
}

__attribute__((noinline)) static int sorted(void)
{
	for (int i = 1; i < COUNT; i++) {
		if (values[i - 1] > values[i])
			return 0;
	}
	return 1;
}

int main(void)
{
	fill();
	for (int turn = 0; turn < 2; turn++) /* the second time it is sorted already */
		sort(0, COUNT - 1);
	say(sorted() ? "sorted\n" : "not sorted\n");
	return !sorted();
}
__asm__(
    ".pushsection .text.start, \"ax\"\n.globl _start\n.type _start, @function\n_start: la sp, 0x80010000\ncall main\n"
    "li t0, 0x10010000\nsw a0, 4(t0)\n1: j 1b\n.size _start, . - _start\n.popsection\n");
