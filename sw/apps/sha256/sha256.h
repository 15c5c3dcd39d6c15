/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef SHA256_H
#define SHA256_H
/* SHA-256 (FIPS 180-4), HMAC (RFC 2104) and PBKDF2 (RFC 8018) on it. Messages are whole bytes. */
#include <stddef.h>
#include <stdint.h>

#define SHA256_BLOCK 64
#define SHA256_DIGEST 32

/* A message in the making. The last `size % SHA256_BLOCK` bytes wait in `block`; `state` holds all before them. */
struct sha256 {
	uint32_t state[8];
	uint64_t size;
	uint8_t block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *sha);
void sha256_update(struct sha256 *sha, const void *bytes, size_t n);
/* The context is used up. */
void sha256_final(struct sha256 *sha, uint8_t digest[SHA256_DIGEST]);
void sha256(const void *bytes, size_t n, uint8_t digest[SHA256_DIGEST]);

/* Both hashes after their first block, the padded key. Copy it to authenticate many messages with one key. */
struct hmac {
	struct sha256 inner, outer;
};

void hmac_init(struct hmac *hmac, const void *key, size_t key_size);
void hmac_update(struct hmac *hmac, const void *bytes, size_t n);
void hmac_final(struct hmac *hmac, uint8_t mac[SHA256_DIGEST]);

/* Derives n bytes of key from a password. */
void pbkdf2(const char *password, const char *salt, unsigned iterations, uint8_t *key, size_t n);
#endif
