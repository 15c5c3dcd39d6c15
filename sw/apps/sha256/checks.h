/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef CHECKS_H
#define CHECKS_H
/* Each returns the number of checks that failed. Digests are expected in hexadecimal. */
#include "sha256.h"
#include "sw/hal/app.h"

int check_digest(const char *what, const uint8_t *digest, size_t n, const char *hex);

/* Published and recomputed vectors; `all` adds the long ones. */
int check_messages(bool all);
int check_hmac(void);
int check_pbkdf2(bool all);

/* The chain of NIST's Monte Carlo test, count 0: each message is the three digests before. */
int check_chain(void);

/* An image of `leaves` parts of `leaf_size` bytes, made from `seed`, as an update over the air would check it. */
struct image {
	uint32_t seed;
	uint16_t leaves, leaf_size;
	const char *digest; /* of the whole */
	const char *root;   /* of the hash tree over its parts */
};
int check_image(const struct image *image);
#endif
