/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* SHA-256 over messages of many lengths: known answers, pieces against the whole, HMAC, and a Merkle tree with
 * proofs. */
#include "app.h"

#include <string.h>

#include "sha256.h"

#define MESSAGE_MAX 16384
#define LEAVES_MAX 256

struct plan {
	uint32_t seed;
	unsigned messages; /* random messages, each hashed whole and in pieces */
	unsigned longest;
	unsigned leaves; /* of the Merkle tree, a power of two */
	unsigned leaf_size;
	unsigned proofs;
};
static const struct plan train = {17, 3, 450, 8, 40, 4};
static const struct plan ref = {4242, 17, 12000, 256, 200, 32};

static uint8_t message[MESSAGE_MAX];

static uint32_t digest_word(const uint8_t digest[SHA256_DIGEST], int i)
{
	return (uint32_t)digest[4 * i] << 24 | (uint32_t)digest[4 * i + 1] << 16 | (uint32_t)digest[4 * i + 2] << 8 |
	       digest[4 * i + 3];
}

static int check_digest(const char *what, const uint8_t digest[SHA256_DIGEST], const uint32_t expected[8])
{
	int failed = 0;
	for (int i = 0; i < 8; i++)
		failed += app_check(what, digest_word(digest, i), expected[i]);
	return failed;
}

/* FIPS 180-4 examples and RFC 4231 cases 1, 2 and 6 (a key longer than a block). */
static int known_answers(void)
{
	static const uint32_t abc[8] = {
	    0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
	static const uint32_t empty[8] = {
	    0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855};
	static const uint32_t two[8] = {
	    0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039, 0xa33ce459, 0x64ff2167, 0xf6ecedd4, 0x19db06c1};
	static const uint32_t case1[8] = {
	    0xb0344c61, 0xd8db3853, 0x5ca8afce, 0xaf0bf12b, 0x881dc200, 0xc9833da7, 0x26e9376c, 0x2e32cff7};
	static const uint32_t case2[8] = {
	    0x5bdcc146, 0xbf60754e, 0x6a042426, 0x089575c7, 0x5a003f08, 0x9d273983, 0x9dec58b9, 0x64ec3843};
	static const uint32_t case6[8] = {
	    0x60e43159, 0x1ee0b67f, 0x0d8a26aa, 0xcbf5b77f, 0x8e0bc621, 0x3728c514, 0x0546040f, 0x0ee37f54};
	static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	uint8_t digest[SHA256_DIGEST], key[131];
	struct hmac hmac;
	int failed = 0;
	sha256_of("abc", 3, digest);
	failed += check_digest("abc", digest, abc);
	sha256_of("", 0, digest);
	failed += check_digest("empty message", digest, empty);
	sha256_of(long_text, sizeof long_text - 1, digest);
	failed += check_digest("two blocks", digest, two);
	memset(key, 0x0b, 20);
	hmac_init(&hmac, key, 20);
	hmac_update(&hmac, "Hi There", 8);
	hmac_final(&hmac, digest);
	failed += check_digest("HMAC case 1", digest, case1);
	hmac_init(&hmac, "Jefe", 4);
	hmac_update(&hmac, "what do ya want for nothing?", 28);
	hmac_final(&hmac, digest);
	failed += check_digest("HMAC case 2", digest, case2);
	memset(key, 0xaa, sizeof key);
	hmac_init(&hmac, key, sizeof key);
	hmac_update(&hmac, "Test Using Larger Than Block-Size Key - Hash Key First", 54);
	hmac_final(&hmac, digest);
	return failed + check_digest("HMAC case 6", digest, case6);
}

/* One message whole, then in pieces of odd sizes; a flipped bit must change the HMAC. */
static int check_message(struct app_random *random, unsigned longest)
{
	uint8_t whole[SHA256_DIGEST], pieces[SHA256_DIGEST], mac[SHA256_DIGEST], other[SHA256_DIGEST];
	struct sha256 hash;
	struct hmac hmac;
	size_t size = app_random_below(random, longest + 1);
	for (size_t i = 0; i < size; i++)
		message[i] = (uint8_t)app_random(random);
	sha256_of(message, size, whole);
	sha256_init(&hash);
	for (size_t at = 0; at < size;) {
		size_t piece = 1 + app_random_below(random, 150);
		if (piece > size - at)
			piece = size - at;
		sha256_update(&hash, message + at, piece);
		at += piece;
	}
	sha256_final(&hash, pieces);
	int failed = app_check("pieces differ from the whole", memcmp(whole, pieces, sizeof whole) != 0, 0);
	hmac_init(&hmac, whole, sizeof whole);
	hmac_update(&hmac, message, size);
	hmac_final(&hmac, mac);
	message[size / 2] ^= (uint8_t)(1u << app_random_below(random, 8));
	hmac_init(&hmac, whole, sizeof whole);
	hmac_update(&hmac, message, size ? size : 1);
	hmac_final(&hmac, other);
	return failed + app_check("a flipped bit keeps the HMAC", memcmp(mac, other, sizeof mac) == 0, 0);
}

/* Merkle tree in an array: node i has children 2i and 2i + 1, leaves from index `leaves`. */
static uint8_t nodes[2 * LEAVES_MAX][SHA256_DIGEST];

static void hash_pair(const uint8_t *left, const uint8_t *right, uint8_t digest[SHA256_DIGEST])
{
	struct sha256 hash;
	sha256_init(&hash);
	sha256_update(&hash, left, SHA256_DIGEST);
	sha256_update(&hash, right, SHA256_DIGEST);
	sha256_final(&hash, digest);
}

static void build_tree(const struct plan *plan, struct app_random *random)
{
	for (unsigned i = 0; i < plan->leaves; i++) {
		for (unsigned j = 0; j < plan->leaf_size; j++)
			message[j] = (uint8_t)app_random(random);
		sha256_of(message, plan->leaf_size, nodes[plan->leaves + i]);
	}
	for (unsigned i = plan->leaves - 1; i >= 1; i--)
		hash_pair(nodes[2 * i], nodes[2 * i + 1], nodes[i]);
}

/* Follows a leaf to the root with the siblings on the way; true if the root comes out. */
static bool prove(const uint8_t leaf[SHA256_DIGEST], unsigned node)
{
	uint8_t digest[SHA256_DIGEST];
	memcpy(digest, leaf, sizeof digest);
	for (; node > 1; node /= 2)
		if (node & 1)
			hash_pair(nodes[node - 1], digest, digest);
		else
			hash_pair(digest, nodes[node + 1], digest);
	return memcmp(digest, nodes[1], sizeof digest) == 0;
}

static int check_proofs(const struct plan *plan, struct app_random *random)
{
	int failed = 0;
	for (unsigned i = 0; i < plan->proofs; i++) {
		unsigned node = plan->leaves + app_random_below(random, plan->leaves);
		uint8_t forged[SHA256_DIGEST];
		memcpy(forged, nodes[node], sizeof forged);
		forged[app_random_below(random, SHA256_DIGEST)] ^= 1;
		failed += app_check("proof of a leaf", prove(nodes[node], node), true);
		failed += app_check("proof of a forged leaf", prove(forged, node), false);
	}
	return failed;
}

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? &train : &ref;
	struct app_random random;
	app_random_init(&random, plan->seed);
	int failed = known_answers();
	for (unsigned i = 0; i < plan->messages; i++)
		failed += check_message(&random, plan->longest);
	build_tree(plan, &random);
	return failed + check_proofs(plan, &random);
}
