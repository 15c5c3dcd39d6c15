/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef HUFFMAN_H
#define HUFFMAN_H
/*
 * Canonical Huffman coding of blocks of bytes. A coded block is the lengths of the code words, then the code words,
 * most significant bit first:
 *
 *	for the symbols in order:	5 bits length, or 5 bits 0 and 8 bits r for r + 1 unused symbols
 *	for each byte of the block:	its code word
 */
#include <stddef.h>
#include <stdint.h>

#define HUFFMAN_SYMBOLS 256
/* Enough for 100,000 bytes: a tree so deep has 25 symbols whose frequencies grow like the Fibonacci numbers. */
#define HUFFMAN_LONGEST 24

/* A block of n bytes takes no more than this, coded: the words no more than 8 bits each on average, the lengths at
 * worst every second symbol by itself. */
#define HUFFMAN_BOUND(n) ((n) + HUFFMAN_SYMBOLS / 2 * (5 + 13) / 8 + 1)

enum { HUFFMAN_OK = 0, HUFFMAN_MEMORY = -1, HUFFMAN_TOO_DEEP = -2, HUFFMAN_BAD_CODE = -3, HUFFMAN_TRUNCATED = -4 };

/* length 0: the symbol does not occur. The used lengths fill the code space: the sum of 2^-length is 1. */
struct huffman_code {
	uint8_t length[HUFFMAN_SYMBOLS];
	uint32_t word[HUFFMAN_SYMBOLS];
};

/* Lengths of an optimal code. A symbol of frequency 0 gets a word only where fewer than two others have one. */
int huffman_lengths(struct huffman_code *code, const uint32_t *frequency);

/* Words from lengths: the shorter before the longer, symbols of one length in order. HUFFMAN_BAD_CODE if the space is
 * not filled. */
int huffman_words(struct huffman_code *code);

/* Codes a block of n bytes; out holds HUFFMAN_BOUND(n). Leaves the code that was used in *code. Returns the size or an
 * error. */
int huffman_encode(struct huffman_code *code, const uint8_t *text, size_t n, uint8_t *out);

/* Back to n bytes. Nothing is trusted: any input gives an error or n bytes. */
int huffman_decode(const uint8_t *coded, size_t size, uint8_t *text, size_t n);
#endif
