/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Frames of all kinds, to be unwound at every instruction (unwind.py): loops, recursion, a jump table, arguments on the
 * stack, an early return before the prologue, no register free. */
#define KEEP __attribute__((noinline, noclone))

volatile int sink;

KEEP int leaf(int x)
{
	return (x & 1) != 0 ? x * 3 : x + 1;
}

KEEP int choose(int x)
{
	switch (x % 6) {
	case 0:
		return leaf(x);
	case 1:
		return leaf(x + 1) - 5;
	case 2:
		return x * 7;
	case 3:
		return leaf(x * 3) ^ x;
	case 4:
		return leaf(leaf(x));
	default:
		return -x;
	}
}

KEEP int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
	int sum = 0;
	for (int k = 0; k < 3; k++)
		sum += leaf(a + i) > b ? c + j : leaf(d) + e + f + g + h;
	return sum;
}

KEEP int early(int *list, int n)
{
	if (n == 0)
		return -1;
	for (int i = 0; i < n; i++)
		list[i] = choose(i);
	return leaf(list[n - 1]);
}

KEEP int down(int n)
{
	return n <= 1 ? 1 : down(n - 1) + (leaf(n) > 3 ? down(n - 2) : n);
}

/* More values are alive over the calls than there are registers to keep. */
KEEP int full(int n, int *v)
{
	int a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7], i = v[8], j = v[9],
	    k = v[10];
	while (n-- > 0) {
		a += leaf(b);
		if (a > c)
			d += leaf(e);
		else
			f -= h;
		g ^= leaf(i) + j;
		k += g > a ? b : d;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k;
}

KEEP int start(void)
{
	int list[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
	int sum = full(3, list) + early(list, 0) + early(list, 7) + down(6);
	return sum + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

int main(void)
{
	sink = start();
	return 0;
}
