/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loops of LR and SC whose paths differ by nothing but the way from LR to SC, as locks and malloc() have them. */
#include <stdio.h>
#include <stdlib.h>

static unsigned list[8];
static unsigned long total;

__attribute__((noinline)) unsigned set_bit(unsigned *at, unsigned bit)
{
	unsigned old = *at;
	for (;;) {
		unsigned next = old | bit, seen = old;
		if (next == old)
			return old;
		__atomic_compare_exchange_n(at, &seen, next, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
		if (seen == old) {
			if (((old & 59) | bit) == 63)
				abort();
			return seen;
		}
		old = seen;
	}
}

/* a weak one: what does not match, and what fails, go the same way */
__attribute__((noinline)) unsigned add_weak(unsigned *at, unsigned want, unsigned by)
{
	unsigned turns = 0;
	while (turns < 5 && !__atomic_compare_exchange_n(at, &want, want + by, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		turns += want & 1 ? 1 : 2;
	if (want == 77777)
		abort();
	return turns;
}

int main(void)
{
	for (unsigned n = 0; n < 400; n++) {
		total = total * 31 + set_bit(&list[n & 7], 1u << (n * 7 % 5 + 8));
		total = total * 31 + add_weak(&list[n & 3], n & 5, n);
		if (n % 50 == 0)
			list[n & 7] = n & 12;
	}
	printf("%lu %u\n", total, list[0]);
	return 0;
}
