/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>
#include "sha256.h"

void hmac_init(struct hmac *hmac, const void *key, size_t key_size)
{
	uint8_t pad[SHA256_BLOCK] = {0};
	if (key_size > SHA256_BLOCK)
		sha256(key, key_size, pad);
	else
		memcpy(pad, key, key_size);

	for (unsigned i = 0; i < SHA256_BLOCK; i++)
		pad[i] ^= 0x36;
	sha256_init(&hmac->inner);
	sha256_update(&hmac->inner, pad, sizeof pad);

	for (unsigned i = 0; i < SHA256_BLOCK; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha256_init(&hmac->outer);
	sha256_update(&hmac->outer, pad, sizeof pad);
}

void hmac_update(struct hmac *hmac, const void *bytes, size_t n)
{
	sha256_update(&hmac->inner, bytes, n);
}

void hmac_final(struct hmac *hmac, uint8_t mac[SHA256_DIGEST])
{
	sha256_final(&hmac->inner, mac);
	sha256_update(&hmac->outer, mac, SHA256_DIGEST);
	sha256_final(&hmac->outer, mac);
}

void pbkdf2(const char *password, const char *salt, unsigned iterations, uint8_t *key, size_t n)
{
	struct hmac keyed;
	hmac_init(&keyed, password, strlen(password));
	for (uint8_t index = 1; n > 0; index++) {
		const uint8_t index_be32[4] = {0, 0, 0, index};
		uint8_t u[SHA256_DIGEST], sum[SHA256_DIGEST];
		struct hmac hmac = keyed;
		hmac_update(&hmac, salt, strlen(salt));
		hmac_update(&hmac, index_be32, sizeof index_be32);
		hmac_final(&hmac, u);
		memcpy(sum, u, sizeof sum);
		for (unsigned i = 1; i < iterations; i++) {
			hmac = keyed;
			hmac_update(&hmac, u, sizeof u);
			hmac_final(&hmac, u);
			for (unsigned j = 0; j < SHA256_DIGEST; j++)
				sum[j] ^= u[j];
		}
		size_t part = n < SHA256_DIGEST ? n : SHA256_DIGEST;
		memcpy(key, sum, part);
		key += part;
		n -= part;
	}
}
