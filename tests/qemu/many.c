/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* More ways than the plugin has nodes for: 32 branches in a row that go as the bits of a random number say. */
#include <stdint.h>

/* a statement of which the compiler makes a branch, whatever it knows */
#define BIT(N)                                                                                                         \
	if ((x & UINT64_C(1) << (N)) != 0)                                                                             \
		__asm__ volatile("addi %0, %0, 3" : "+r"(sum));
#define BITS(N) BIT(N) BIT(N + 1) BIT(N + 2) BIT(N + 3) BIT(N + 4) BIT(N + 5) BIT(N + 6) BIT(N + 7)

int main(void)
{
	uint64_t x = 88172645463325252u, sum = 0;
	for (unsigned i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		BITS(0)
		BITS(8)
		BITS(16)
		BITS(24)
	}
	return sum == 0;
}
