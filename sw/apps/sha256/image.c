/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * An image that is too large for the memory comes in parts. Its digest tells at the end whether it is whole; the hash
 * tree tells of every part by itself, from the root and a path of neighbours:
 *
 *	            root
 *	         /        \
 *	      n01          n23	     node: H(1, left, right)
 *	     /   \        /   \
 *	   l0     l1    l2     l3	leaf: H(0, part); one without a neighbour goes up as it is
 */
#include <stdlib.h>
#include <string.h>
#include "checks.h"

enum { MARK_LEAF, MARK_NODE };

typedef uint8_t digest_t[SHA256_DIGEST];

static void hash_marked(uint8_t mark, const void *bytes, size_t n, digest_t digest)
{
	struct sha256 sha;
	sha256_init(&sha);
	sha256_update(&sha, &mark, 1);
	sha256_update(&sha, bytes, n);
	sha256_final(&sha, digest);
}

static void hash_node(const digest_t left, const digest_t right, digest_t digest)
{
	uint8_t children[2 * SHA256_DIGEST];
	memcpy(children, left, SHA256_DIGEST);
	memcpy(children + SHA256_DIGEST, right, SHA256_DIGEST);
	hash_marked(MARK_NODE, children, sizeof children, digest);
}

static void make_part(uint8_t *part, size_t n, struct app_random *random)
{
	for (size_t i = 0; i < n; i += 4) {
		uint32_t x = app_random(random);
		memcpy(part + i, &x, 4);
	}
}

/* levels[0] has the leaves; behind each level lies the next, half as long, up to the root. Returns where the root is.
 */
static size_t build_tree(digest_t *nodes, size_t leaves)
{
	size_t level = 0;
	for (size_t count = leaves; count > 1;) {
		size_t above = level + count;
		for (size_t i = 0; i + 1 < count; i += 2)
			hash_node(nodes[level + i], nodes[level + i + 1], nodes[above + i / 2]);
		if (count % 2 == 1)
			memcpy(nodes[above + count / 2], nodes[level + count - 1], SHA256_DIGEST);
		level = above;
		count = (count + 1) / 2;
	}
	return level;
}

/* The root that follows from one leaf and its neighbours on the way up. */
static void climb(const digest_t *nodes, size_t leaves, size_t index, const digest_t leaf, digest_t root)
{
	const digest_t *level = nodes;
	memcpy(root, leaf, SHA256_DIGEST);
	for (size_t count = leaves; count > 1; count = (count + 1) / 2) {
		size_t neighbour = index ^ 1;
		if (neighbour < count) {
			if (index % 2 == 0)
				hash_node(root, level[neighbour], root);
			else
				hash_node(level[neighbour], root, root);
		}
		level += count;
		index /= 2;
	}
}

/* Every part of the image once more: it belongs at its place, and with one bit changed at none. */
static int check_parts(const struct image *image, const digest_t *nodes, const digest_t root, uint8_t *part)
{
	struct app_random random;
	uint32_t refused = 0, forged = 0;
	app_random_init(&random, image->seed);
	for (size_t i = 0; i < image->leaves; i++) {
		digest_t leaf, reached;
		make_part(part, image->leaf_size, &random);
		hash_marked(MARK_LEAF, part, image->leaf_size, leaf);
		climb(nodes, image->leaves, i, leaf, reached);
		refused += memcmp(reached, root, SHA256_DIGEST) != 0;
		if (i % 8 == 0) {
			part[i] ^= 1;
			hash_marked(MARK_LEAF, part, image->leaf_size, leaf);
			climb(nodes, image->leaves, i, leaf, reached);
			forged += memcmp(reached, root, SHA256_DIGEST) == 0;
		}
	}
	return app_check("parts refused", refused, 0) + app_check("forged parts accepted", forged, 0);
}

int check_image(const struct image *image)
{
	digest_t *nodes = malloc((2u * image->leaves + 16) * sizeof *nodes);
	uint8_t *part = malloc(image->leaf_size);
	if (nodes == NULL || part == NULL) {
		free(part);
		free(nodes);
		return app_check("memory for an image", 0, image->leaves);
	}
	struct sha256 whole;
	struct app_random random;
	sha256_init(&whole);
	app_random_init(&random, image->seed);
	for (size_t i = 0; i < image->leaves; i++) {
		make_part(part, image->leaf_size, &random);
		hash_marked(MARK_LEAF, part, image->leaf_size, nodes[i]);
		/* As a network would deliver it, in packets of odd sizes. */
		for (size_t at = 0, packet; at < image->leaf_size; at += packet) {
			packet = 1 + (at * 7 + i) % 97;
			if (packet > image->leaf_size - at)
				packet = image->leaf_size - at;
			sha256_update(&whole, part + at, packet);
		}
	}
	digest_t digest;
	sha256_final(&whole, digest);
	int failed = check_digest("digest of the image", digest, sizeof digest, image->digest);

	size_t root = build_tree(nodes, image->leaves);
	failed += check_digest("root of the hash tree", nodes[root], SHA256_DIGEST, image->root);
	failed += check_parts(image, (const digest_t *)nodes, (const uint8_t *)nodes[root], part);
	free(part);
	free(nodes);
	return failed;
}
