/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Programs whose flow is known, for bounds of their time: each a function of its own, called ROUNDS times with random
 * inputs. single_*: one way through, so that the bound is what the core takes. How often loops go round is said in
 * comments (tests/bound/run checks that none is too small), the rest in tests/bound/facts.
 */
typedef unsigned int u32;
typedef unsigned char u8;
#ifndef ROUNDS
#define ROUNDS 1000
#endif
#define PROGRAM __attribute__((noinline, noclone))

static u32 seed = 2463534242u;
static volatile u32 sink;
static int matrix_a[6][6], matrix_b[6][6], numbers[16];
static volatile int matrix_c[6][6];
static u8 bytes[64];
static const short taps[16] = {1, -3, 7, 12, -20, 31, 44, 60, 60, 44, 31, -20, 12, 7, -3, 1};

static u32 next_number(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

PROGRAM void single_matrix(void)
{
	for (int i = 0; i < 6; i++)           /* rivulet: loop 6 */
		for (int j = 0; j < 6; j++) { /* rivulet: loop 6 */
			int sum = 0;
			for (int k = 0; k < 6; k++) /* rivulet: loop 6 */
				sum += matrix_a[i][k] * matrix_b[k][j];
			matrix_c[i][j] = sum;
		}
}

PROGRAM int single_filter(void)
{
	int sum = 0;
	for (int i = 0; i < 16; i++) /* rivulet: loop 16 */
		sum += numbers[i] * taps[i];
	return sum >> 8;
}

PROGRAM u32 single_crc(void)
{
	u32 crc = ~0u;
	for (int i = 0; i < 16; i++) { /* rivulet: loop 16 */
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++) /* rivulet: loop 8 */
			crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
	}
	return ~crc;
}

PROGRAM u32 single_sum(void)
{
	u32 a = 1, b = 0;
	for (int i = 0; i < 64; i++) { /* rivulet: loop 64 */
		a += bytes[i];
		b += a;
	}
	return b << 16 | (a & 0xFFFF);
}

PROGRAM void single_copy(void)
{
	for (int i = 0; i < 16; i++) /* rivulet: loop 16 */
		matrix_c[0][i & 3] = numbers[i];
}

PROGRAM u32 single_polynomial(u32 x)
{
	u32 y = 0;
	for (int i = 0; i < 16; i++) /* rivulet: loop 16 */
		y = y * x + (u32)taps[i];
	return y;
}

static PROGRAM u32 mix_once(u32 x)
{
	x ^= x >> 15;
	x *= 0x2C1B3C6Du;
	return x ^ x >> 12;
}

PROGRAM u32 single_calls(u32 x)
{
	for (int i = 0; i < 10; i++) /* rivulet: loop 10 */
		x += mix_once(x);
	return x;
}

PROGRAM u32 single_tail(u32 x)
{
	return mix_once(x + 1);
}

PROGRAM u32 single_straight(u32 x)
{
	u32 y = (x & 0x55555555u) + (x >> 1 & 0x55555555u);
	y = (y & 0x33333333u) + (y >> 2 & 0x33333333u);
	y = (y + (y >> 4)) & 0x0F0F0F0Fu;
	return (y * 0x01010101u) >> 24;
}

PROGRAM void insertion_sort(void)
{
	for (int i = 1; i < 8; i++) { /* rivulet: loop 7 */
		int x = numbers[i], j = i;
		while (j > 0 && numbers[j - 1] > x) { /* rivulet: loop 8 total 35 */
			numbers[j] = numbers[j - 1];
			j--;
		}
		numbers[j] = x;
	}
}

PROGRAM void bubble_sort(void)
{
	int changed = 1;
	for (int end = 5; end > 0 && changed; end--) { /* rivulet: loop 6 */
		changed = 0;
		for (int i = 0; i < end; i++) { /* rivulet: loop 6 total 20 */
			if (numbers[i] > numbers[i + 1]) {
				int kept = numbers[i];
				numbers[i] = numbers[i + 1];
				numbers[i + 1] = kept;
				changed = 1;
			}
		}
	}
}

PROGRAM int binary_search(int wanted)
{
	int low = 0, high = 63;
	while (low < high) { /* rivulet: loop 7 */
		int middle = (low + high) / 2;
		if (bytes[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

PROGRAM int count_bits(u32 x)
{
	int n = 0;
	while (x != 0) { /* rivulet: loop 33 */
		n += x & 1;
		x >>= 1;
	}
	return n;
}

PROGRAM u32 divisor(u32 a, u32 b)
{
	while (b != 0) { /* rivulet: loop 14 */
		u32 c = a % b;
		a = b;
		b = c;
	}
	return a;
}

PROGRAM int state_machine(void)
{
	int state = 0, words = 0;
	for (int i = 0; i < 32; i++) { /* rivulet: loop 32 */
		switch (bytes[i] & 7) {
		case 0:
			state = 0;
			break;
		case 1:
		case 2:
			words += state == 0;
			state = 1;
			break;
		case 3:
			state = state == 1 ? 2 : 0;
			break;
		case 4:
			words -= state == 2;
			break;
		default:
			state = 3;
		}
	}
	return words;
}

PROGRAM int clip_samples(void)
{
	int clipped = 0;
	for (int i = 0; i < 16; i++) { /* rivulet: loop 16 */
		if (numbers[i] > 20000) {
			numbers[i] = 20000;
			clipped++;
		} else if (numbers[i] < -20000) {
			numbers[i] = -20000;
			clipped++;
		}
	}
	return clipped;
}

PROGRAM u32 square_root(u32 x)
{
	u32 root = 0, bit = 1u << 30;
	while (bit != 0) { /* rivulet: loop 17 */
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else
			root >>= 1;
		bit >>= 2;
	}
	return root;
}

PROGRAM int find_byte(int wanted)
{
	int i = 0;
	while (i < 32 && bytes[i] != wanted) /* rivulet: loop 33 */
		i++;
	return i;
}

__attribute__((optimize("no-optimize-sibling-calls"))) PROGRAM u32 fibonacci(u32 n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

PROGRAM u32 op_add(u32 a, u32 b)
{
	return a + b;
}
PROGRAM u32 op_scale(u32 a, u32 b)
{
	return a * 3 + (b > 9 ? b : 9);
}
PROGRAM u32 op_mix(u32 a, u32 b)
{
	return (a ^ b) * 17 + (a >> 3);
}
static u32 (*volatile const operations[4])(u32, u32) = {op_add, op_scale, op_mix, op_add};

PROGRAM u32 dispatch(void)
{
	u32 sum = 0;
	for (int i = 0; i < 16; i++) /* rivulet: loop 16 */
		sum = operations[bytes[i] & 3](sum, bytes[i + 1]);
	return sum;
}

PROGRAM u32 sparse_product(void)
{
	u32 sum = 0;
	for (int i = 0; i < 16; i++) { /* rivulet: loop 16 */
		if (bytes[i] < 128)
			continue;
		for (int j = 0; j < 4; j++) /* rivulet: loop 4 */
			sum += (u32)bytes[i] * bytes[16 + j];
	}
	return sum;
}

PROGRAM void op_spin(u32 x)
{
	while ((x & 7) != 0)
		x = x * 5 ^ sink;
}

/* op_spin() is never called: only that makes a bound */
PROGRAM u32 guarded(u32 x)
{
	if (x == 0xFFFFFFFFu)
		op_spin(x);
	return x * 3;
}

/* A loop that is entered in two places, in the middle if n is odd. */
PROGRAM int two_entries(int n);
__asm__(".globl two_entries\n.type two_entries, @function\ntwo_entries: andi a0, a0, 15\nli a1, 0\nandi a2, a0, "
	"1\nbnez a2, 2f\n"
	"1: addi a1, a1, 3\n2: addi a1, a1, 1\naddi a0, a0, -1\nbgez a0, 1b\nmv a0, a1\nret\n"
	".size two_entries, . - two_entries\n");

/* Never called either: how long it waits nobody knows. */
__attribute__((used)) PROGRAM void op_wait(void)
{
	__asm__ volatile("wfi");
}

static void fill_inputs(void)
{
	for (int i = 0; i < 64; i++)
		bytes[i] = (u8)(next_number() >> 24);
	for (int i = 0; i < 16; i++)
		numbers[i] = (short)(next_number() >> 8);
	for (int i = 0; i < 36; i++)
		((int *)matrix_a)[i] = (int)(next_number() >> 20);
}

int main(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		fill_inputs();
		single_matrix();
		sink = (u32)single_filter() + single_crc() + single_sum() + single_polynomial(seed);
		single_copy();
		sink = single_calls(seed) + single_straight(seed) + single_tail(seed) + guarded(seed >> 1) +
		       (u32)two_entries((int)seed);
		sink = (u32)state_machine() + square_root(seed) + (u32)find_byte(bytes[63]) + dispatch() +
		       sparse_product();
		sink = (u32)count_bits(seed) + divisor(seed >> 22, seed & 1023) + fibonacci(seed % 7);
		sink = (u32)clip_samples();
		insertion_sort();
		fill_inputs();
		bubble_sort();
		for (int i = 0; i < 64; i++)
			bytes[i] = (u8)(4 * i);
		sink = (u32)binary_search((int)(seed & 255));
	}
	return 0;
}

__asm__(
    ".pushsection .text.start, \"ax\"\n.globl _start\n.type _start, @function\n_start: la sp, 0x80020000\ncall main\n"
    "li t0, 0x10010000\nsw a0, 4(t0)\n1: j 1b\n.size _start, . - _start\n.popsection\n");
