/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>
#include "sha256.h"

/* The first 32 bits behind the point of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
    0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c,
    0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t rotate_right(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static inline uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void store_be32(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 24);
	p[1] = (uint8_t)(value >> 16);
	p[2] = (uint8_t)(value >> 8);
	p[3] = (uint8_t)value;
}

/* The message schedule: 16 words of the block, then 48 that are mixed from those before. */
static void expand(uint32_t w[64], const uint8_t *block)
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = load_be32(block + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];
		uint32_t s0 = rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
		uint32_t s1 = rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10;
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
}

static void compress(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64];
	expand(w, block);
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	for (unsigned i = 0; i < 64; i++) {
		uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
		uint32_t choice = g ^ (e & (f ^ g));
		uint32_t t1 = h + s1 + choice + round_constants[i] + w[i];
		uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
		uint32_t majority = (a & b) | (c & (a | b));
		uint32_t t2 = s0 + majority;
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_init(struct sha256 *sha)
{
	static const uint32_t start[8] = {
	    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	memcpy(sha->state, start, sizeof start);
	sha->size = 0;
}

void sha256_update(struct sha256 *sha, const void *bytes, size_t n)
{
	const uint8_t *from = bytes;
	size_t waiting = (size_t)sha->size % SHA256_BLOCK;
	sha->size += n;
	if (waiting > 0) {
		size_t room = SHA256_BLOCK - waiting;
		if (n < room) {
			memcpy(sha->block + waiting, from, n);
			return;
		}
		memcpy(sha->block + waiting, from, room);
		compress(sha->state, sha->block);
		from += room;
		n -= room;
	}
	for (; n >= SHA256_BLOCK; n -= SHA256_BLOCK) {
		compress(sha->state, from);
		from += SHA256_BLOCK;
	}
	memcpy(sha->block, from, n);
}

void sha256_final(struct sha256 *sha, uint8_t digest[SHA256_DIGEST])
{
	size_t waiting = (size_t)sha->size % SHA256_BLOCK;
	sha->block[waiting++] = 0x80;
	/* The length takes the last 8 bytes of a block; if they are not free, a block of its own follows. */
	if (waiting > SHA256_BLOCK - 8) {
		memset(sha->block + waiting, 0, SHA256_BLOCK - waiting);
		compress(sha->state, sha->block);
		waiting = 0;
	}
	memset(sha->block + waiting, 0, SHA256_BLOCK - 8 - waiting);
	store_be32(sha->block + 56, (uint32_t)(sha->size >> 29));
	store_be32(sha->block + 60, (uint32_t)(sha->size << 3));
	compress(sha->state, sha->block);
	for (unsigned i = 0; i < 8; i++)
		store_be32(digest + 4 * i, sha->state[i]);
}

void sha256(const void *bytes, size_t n, uint8_t digest[SHA256_DIGEST])
{
	struct sha256 sha;
	sha256_init(&sha);
	sha256_update(&sha, bytes, n);
	sha256_final(&sha, digest);
}
