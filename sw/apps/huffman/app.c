/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Codes and decodes blocks of several kinds. Checked: the decoded block, the code space, and that no code is
 * shorter. */
#include <stdlib.h>
#include <string.h>
#include "huffman.h"
#include "text.h"

struct plan {
	enum text_kind kind;
	uint16_t size, blocks;
};

static const struct plan train[] = {
    {TEXT_PROSE, 3500, 1},
    {TEXT_TABLE, 900, 1},
    {TEXT_GEOMETRIC, 400, 1},
    {TEXT_CONSTANT, 50, 1},
    {TEXT_PROSE, 0, 1},
};

static const struct plan ref[] = {
    {TEXT_PROSE, 10000, 11},
    {TEXT_TABLE, 10000, 7},
    {TEXT_SAMPLES, 8000, 5},
    {TEXT_PROSE, 1500, 12},
    {TEXT_GEOMETRIC, 10000, 4},
    {TEXT_NOISE, 5000, 3},
    {TEXT_TABLE, 300, 20},
    {TEXT_CONSTANT, 9000, 2},
};

/* These are too large for a small stack. */
struct checker {
	struct huffman_code code;
	uint32_t frequency[HUFFMAN_SYMBOLS];
	uint32_t leaves[HUFFMAN_SYMBOLS], joined[HUFFMAN_SYMBOLS];
};

static int ascending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

/*
 * The bits that the best code needs, without a tree: with the weights sorted, the sums of joined pairs come out in
 * order too, so that the lightest is at the front of one of two queues. Every join adds one bit to all below it.
 */
static uint32_t optimal_bits(struct checker *c)
{
	uint32_t *leaves = c->leaves, *joined = c->joined;
	size_t leaf_count = 0;
	for (int s = 0; s < HUFFMAN_SYMBOLS; s++)
		if (c->frequency[s] != 0)
			leaves[leaf_count++] = c->frequency[s];
	if (leaf_count < 2)
		return leaf_count == 0 ? 0 : leaves[0];
	qsort(leaves, leaf_count, sizeof leaves[0], ascending);

	uint32_t bits = 0;
	size_t leaf = 0, front = 0, back = 0;
	while (back < leaf_count - 1) {
		uint32_t sum = 0;
		for (int i = 0; i < 2; i++) {
			if (front == back || (leaf < leaf_count && leaves[leaf] <= joined[front]))
				sum += leaves[leaf++];
			else
				sum += joined[front++];
		}
		joined[back++] = sum;
		bits += sum;
	}
	return bits;
}

static int check_code(struct checker *c, const uint8_t *text, size_t n)
{
	const uint8_t *length = c->code.length;
	memset(c->frequency, 0, sizeof c->frequency);
	for (size_t i = 0; i < n; i++)
		c->frequency[text[i]]++;
	uint32_t space = 0, bits = 0;
	for (int s = 0; s < HUFFMAN_SYMBOLS; s++) {
		if (length[s] != 0)
			space += 1u << (HUFFMAN_LONGEST - length[s]);
		bits += c->frequency[s] * length[s];
	}
	return app_check("code space (Kraft)", space, 1u << HUFFMAN_LONGEST) +
	       app_check("bits of the block", bits, optimal_bits(c));
}

static int code_block(struct checker *c, const uint8_t *text, size_t n, uint8_t *coded, uint8_t *decoded)
{
	int size = huffman_encode(&c->code, text, n, coded);
	if (size < 0)
		return app_check("coding", (uint32_t)size, HUFFMAN_OK);
	int failed = check_code(c, text, n);
	failed += app_check("decoding", (uint32_t)huffman_decode(coded, (size_t)size, decoded, n), HUFFMAN_OK);
	failed += app_check("block differs", memcmp(text, decoded, n) != 0, false);
	/* Cut short it must be noticed, wherever a whole byte of it is needed. */
	if (n > 16)
		failed += app_check("cut block", (uint32_t)huffman_decode(coded, (size_t)size / 2, decoded, n),
		    (uint32_t)HUFFMAN_TRUNCATED);
	return failed;
}

static int run(struct checker *c, const struct plan *plan, struct app_random *random)
{
	uint8_t *text = malloc(plan->size + 1u), *decoded = malloc(plan->size + 1u);
	uint8_t *coded = malloc(HUFFMAN_BOUND((size_t)plan->size));
	int failed = 0;
	if (text == NULL || decoded == NULL || coded == NULL)
		failed = app_check("memory for a block", 0, plan->size);
	for (unsigned block = 0; block < plan->blocks && failed == 0; block++) {
		text_make(text, plan->size, plan->kind, random);
		failed += code_block(c, text, plan->size, coded, decoded);
	}
	free(coded);
	free(decoded);
	free(text);
	return failed;
}

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? train : ref;
	const struct plan *end =
	    plan + (input == APP_TRAIN ? sizeof train / sizeof train[0] : sizeof ref / sizeof ref[0]);
	struct app_random random;
	int failed = 0;
	struct checker *c = malloc(sizeof *c);
	if (c == NULL)
		return app_check("memory", 0, sizeof *c);
	app_random_init(&random, input == APP_TRAIN ? 1 : 1952);
	for (; plan < end; plan++)
		failed += run(c, plan, &random);
	free(c);
	return failed;
}
