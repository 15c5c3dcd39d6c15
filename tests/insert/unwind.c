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

/* Its frame begins behind a branch; what goes around it ends in tail calls. */
KEEP int wrapped(int x, int y, const int *list)
{
	int sum = 0;
	if (x < 0)
		return leaf(y);
	if (x == 7)
		return choose(y + 1);
	for (int k = 0; k < y; k++)
		sum += (k & 1) != 0 ? leaf(list[k] + sum) : choose(k);
	if (sum > 1000)
		return down(3);
	return sum > 60 ? leaf(sum) : sum;
}

/* Branches that are tail calls, where there is no frame; their stubs come between code that has one. */
int around(int x, int y);
__asm__(".text\n"
	".globl around\n"
	".type around, @function\n"
	"around:\n"
	"	.cfi_startproc\n"
	"	bltz a0, leaf\n"
	"	addi sp, sp, -32\n"
	"	.cfi_def_cfa_offset 32\n"
	"	sd ra, 24(sp)\n"
	"	sd s0, 16(sp)\n"
	"	.cfi_offset 1, -8\n"
	"	.cfi_offset 8, -16\n"
	"	mv s0, a1\n"
	"	beqz a1, 2f\n"
	"	call leaf\n"
	"1:	add a0, a0, s0\n"
	"	.cfi_remember_state\n"
	"	ld ra, 24(sp)\n"
	"	ld s0, 16(sp)\n"
	"	.cfi_restore 1\n"
	"	.cfi_restore 8\n"
	"	addi sp, sp, 32\n"
	"	.cfi_def_cfa_offset 0\n"
	"	bgtz a0, choose\n"
	"	ret\n"
	"2:	.cfi_restore_state\n"
	"	li a0, 5\n"
	"	call choose\n"
	"	li s0, -40\n"
	"	j 1b\n"
	"	.cfi_endproc\n"
	"	.size around, . - around\n");

KEEP int start(void)
{
	int list[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
	int sum = around(-1, 3) + around(1, 3) + around(2, 0) + wrapped(-1, 3, list) + wrapped(7, 2, list) +
		  wrapped(1, 3, list) + wrapped(2, 9, list);
	sum += full(3, list) + early(list, 0) + early(list, 7) + down(6);
	return sum + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

int main(void)
{
	sink = start();
	return 0;
}
