/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Bits, 64-bit arithmetic, tight loops: CRC-32, SHA-256, a hash table. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint32_t crc(uint32_t c, const uint8_t *b, size_t n)
{
	for (c = ~c; n-- > 0;) {
		c ^= *b++;
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (0xEDB88320u & -(c & 1));
	}
	return ~c;
}
static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}
static void sha(uint32_t h[8], const uint8_t *b, const uint32_t *k)
{
	uint32_t w[64], v[8];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)b[4 * i] << 24 | (uint32_t)b[4 * i + 1] << 16 | (uint32_t)b[4 * i + 2] << 8 |
		       b[4 * i + 3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, h, sizeof v);
	for (int i = 0; i < 64; i++) {
		uint32_t t = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
			     ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
		uint32_t u = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
			     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t;
		v[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}
int main(void)
{
	static uint8_t block[64];
	uint32_t k[64], h[8] = {0}, c = 0;
	uint64_t table[256] = {0}, x = 88172645463325252u;
	for (uint32_t i = 0; i < 64; i++)
		k[i] = i * 2654435761u;
	for (int round = 0; round < 8; round++) {
		for (int i = 0; i < 64; i++)
			block[i] = (uint8_t)(round * 31 + i);
		c = crc(c, block, sizeof block);
		sha(h, block, k);
		for (int i = 0; i < 100; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			size_t at = x % 200;
			while (table[at] != 0 && table[at] != x % 200)
				at = (at + 1) % 256;
			table[at] = x % 200;
		}
	}
	printf("%08x %08x %llu\n", c, h[3], (unsigned long long)(table[5] + x));
	return 0;
}
