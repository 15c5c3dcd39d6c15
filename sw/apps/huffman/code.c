/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>
#include "bits.h"
#include "huffman.h"

#define FAST_BITS 8

/* What one word length needs: its words are first .. first + count - 1, and its symbols begin at order[index]. */
struct length_class {
	uint32_t first;
	uint16_t count, index;
};

struct decoder {
	struct length_class classes[HUFFMAN_LONGEST + 1];
	uint8_t order[HUFFMAN_SYMBOLS];
	/* By the next FAST_BITS bits: the symbol whose word they begin with, and its length, 0 if the word is
	 * longer. */
	uint8_t fast_symbol[1 << FAST_BITS];
	uint8_t fast_length[1 << FAST_BITS];
};

/* Fills first, count and index from the lengths. */
static int make_classes(struct length_class *classes, const uint8_t *length)
{
	memset(classes, 0, (HUFFMAN_LONGEST + 1) * sizeof classes[0]);
	for (int s = 0; s < HUFFMAN_SYMBOLS; s++)
		classes[length[s]].count++;
	classes[0].count = 0;
	uint32_t word = 0;
	unsigned index = 0;
	for (unsigned bits = 1; bits <= HUFFMAN_LONGEST; bits++) {
		word = (word + classes[bits - 1].count) << 1;
		classes[bits].first = word;
		classes[bits].index = (uint16_t)index;
		index += classes[bits].count;
		if (word + classes[bits].count > 1u << bits)
			return HUFFMAN_BAD_CODE;
	}
	return word + classes[HUFFMAN_LONGEST].count == 1u << HUFFMAN_LONGEST ? HUFFMAN_OK : HUFFMAN_BAD_CODE;
}

int huffman_words(struct huffman_code *code)
{
	struct length_class classes[HUFFMAN_LONGEST + 1];
	int error = make_classes(classes, code->length);
	if (error < 0)
		return error;
	for (int s = 0; s < HUFFMAN_SYMBOLS; s++)
		if (code->length[s] != 0)
			code->word[s] = classes[code->length[s]].first++;
	return HUFFMAN_OK;
}

static void put_lengths(struct bit_writer *w, const uint8_t *length)
{
	for (unsigned s = 0; s < HUFFMAN_SYMBOLS;) {
		bits_put(w, length[s], 5);
		if (length[s++] != 0)
			continue;
		unsigned run = 0;
		while (s < HUFFMAN_SYMBOLS && length[s] == 0) {
			s++;
			run++;
		}
		bits_put(w, run, 8);
	}
}

static int get_lengths(struct bit_reader *r, uint8_t *length)
{
	for (unsigned s = 0; s < HUFFMAN_SYMBOLS;) {
		unsigned bits = bits_get(r, 5);
		if (bits > HUFFMAN_LONGEST)
			return HUFFMAN_BAD_CODE;
		length[s++] = (uint8_t)bits;
		if (bits != 0)
			continue;
		unsigned run = bits_get(r, 8);
		if (run > HUFFMAN_SYMBOLS - s)
			return HUFFMAN_BAD_CODE;
		memset(length + s, 0, run);
		s += run;
	}
	return HUFFMAN_OK;
}

int huffman_encode(struct huffman_code *code, const uint8_t *text, size_t n, uint8_t *out)
{
	uint32_t frequency[HUFFMAN_SYMBOLS];
	memset(frequency, 0, sizeof frequency);
	for (size_t i = 0; i < n; i++)
		frequency[text[i]]++;
	int error = huffman_lengths(code, frequency);
	if (error == HUFFMAN_OK)
		error = huffman_words(code);
	if (error < 0)
		return error;

	struct bit_writer w = {.to = out};
	put_lengths(&w, code->length);
	for (size_t i = 0; i < n; i++)
		bits_put(&w, code->word[text[i]], code->length[text[i]]);
	bits_flush(&w);
	return (int)(w.to - out);
}

static int make_decoder(struct decoder *d, const uint8_t *length)
{
	int error = make_classes(d->classes, length);
	if (error < 0)
		return error;
	uint16_t next[HUFFMAN_LONGEST + 1];
	for (unsigned bits = 0; bits <= HUFFMAN_LONGEST; bits++)
		next[bits] = d->classes[bits].index;
	memset(d->fast_length, 0, sizeof d->fast_length);
	for (unsigned s = 0; s < HUFFMAN_SYMBOLS; s++) {
		unsigned bits = length[s];
		if (bits == 0)
			continue;
		unsigned rank = next[bits]++;
		d->order[rank] = (uint8_t)s;
		if (bits > FAST_BITS)
			continue;
		const struct length_class *class = &d->classes[bits];
		uint32_t word = (class->first + rank - class->index) << (FAST_BITS - bits);
		memset(d->fast_symbol + word, (int)s, 1u << (FAST_BITS - bits));
		memset(d->fast_length + word, (int)bits, 1u << (FAST_BITS - bits));
	}
	return HUFFMAN_OK;
}

/* A word longer than FAST_BITS, bit by bit. The code space is filled, so that some length fits. */
static uint8_t decode_long(const struct decoder *d, struct bit_reader *r)
{
	unsigned bits = FAST_BITS + 1;
	for (; bits < HUFFMAN_LONGEST; bits++) {
		uint32_t word = r->window >> (32 - bits);
		if (word - d->classes[bits].first < d->classes[bits].count)
			break;
	}
	const struct length_class *class = &d->classes[bits];
	uint32_t word = r->window >> (32 - bits);
	bits_drop(r, bits);
	return d->order[class->index + (word - class->first)];
}

int huffman_decode(const uint8_t *coded, size_t size, uint8_t *text, size_t n)
{
	struct bit_reader r = {.from = coded, .end = coded + size};
	struct decoder d;
	uint8_t length[HUFFMAN_SYMBOLS];
	int error = get_lengths(&r, length);
	if (error == HUFFMAN_OK)
		error = make_decoder(&d, length);
	if (error < 0)
		return error;
	for (size_t i = 0; i < n; i++) {
		bits_fill(&r);
		uint32_t head = r.window >> (32 - FAST_BITS);
		if (d.fast_length[head] != 0) {
			text[i] = d.fast_symbol[head];
			bits_drop(&r, d.fast_length[head]);
		} else {
			text[i] = decode_long(&d, &r);
		}
	}
	return bits_overrun(&r) ? HUFFMAN_TRUNCATED : HUFFMAN_OK;
}
