/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef SHA256_H
#define SHA256_H
/* SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), streaming. */
#include <stddef.h>
#include <stdint.h>

#define SHA256_BLOCK 64
#define SHA256_DIGEST 32

struct sha256 { /* fill < SHA256_BLOCK: bytes of the block that is not hashed yet */
	uint32_t state[8];
	uint64_t length;
	size_t fill;
	uint8_t block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *hash);
void sha256_update(struct sha256 *hash, const void *bytes, size_t size);
void sha256_final(struct sha256 *hash, uint8_t digest[SHA256_DIGEST]);
void sha256_of(const void *bytes, size_t size, uint8_t digest[SHA256_DIGEST]);

struct hmac {
	struct sha256 inner, outer;
};
void hmac_init(struct hmac *hmac, const void *key, size_t size);
void hmac_update(struct hmac *hmac, const void *bytes, size_t size);
void hmac_final(struct hmac *hmac, uint8_t digest[SHA256_DIGEST]);
#endif
