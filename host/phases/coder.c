/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/coder.h"

#include <stdlib.h>
#include <string.h>

#define TOP (1u << 24)
#define PROB_MIN 64u

void coder_write(struct coder *coder, struct bytes *out)
{
	*coder = (struct coder){.out = out, .range = UINT32_MAX, .pending = 1};
}

void coder_read(struct coder *coder, const uint8_t *data, size_t size)
{
	*coder = (struct coder){.in = {data, size, 0, false}, .range = UINT32_MAX};
	for (unsigned i = 0; i < 5; i++)
		coder->code = coder->code << 8 | input_byte(&coder->in);
}

bool coder_failed(const struct coder *coder)
{
	return coder->in.failed;
}

/* Gives out the top byte of low, and the carry with it. */
static void shift_low(struct coder *c)
{
	if (c->low < 0xFF000000u || c->low > UINT32_MAX) {
		const uint8_t carry = (uint8_t)(c->low >> 32);
		uint8_t byte = c->cache;
		do {
			const uint8_t out = (uint8_t)(byte + carry);
			bytes_add(c->out, &out, 1);
			byte = 0xFF;
		} while (--c->pending != 0);
		c->cache = (uint8_t)(c->low >> 24);
	}
	c->pending++;
	c->low = c->low << 8 & UINT32_MAX;
}

void coder_finish(struct coder *coder)
{
	for (unsigned i = 0; i < 5; i++)
		shift_low(coder);
}

static void normalize_range(struct coder *c)
{
	while (c->range < TOP) {
		c->range <<= 8;
		if (c->out != NULL)
			shift_low(c);
		else
			c->code = c->code << 8 | input_byte(&c->in);
	}
}

unsigned code_bit(struct coder *c, struct prob *prob, unsigned bit)
{
	uint32_t zero = ((uint32_t)prob->fast + prob->slow) / 2;
	if (zero < PROB_MIN)
		zero = PROB_MIN;
	if (zero > 65536 - PROB_MIN)
		zero = 65536 - PROB_MIN;
	const uint32_t bound = (uint32_t)((uint64_t)c->range * zero >> 16);
	if (c->out == NULL)
		bit = c->code >= bound;
	if (bit == 0) {
		c->range = bound;
		prob->fast = (uint16_t)(prob->fast + ((65535 - prob->fast) >> 4));
		prob->slow = (uint16_t)(prob->slow + ((65535 - prob->slow) >> 7));
	} else {
		if (c->out != NULL)
			c->low += bound;
		else
			c->code -= bound;
		c->range -= bound;
		prob->fast = (uint16_t)(prob->fast - (prob->fast >> 4));
		prob->slow = (uint16_t)(prob->slow - (prob->slow >> 7));
	}
	normalize_range(c);
	return bit;
}

uint32_t code_even(struct coder *c, uint32_t value, unsigned bits)
{
	uint32_t result = 0;
	while (bits-- > 0) {
		const uint32_t half = c->range >> 1;
		unsigned bit = value >> bits & 1;
		if (c->out == NULL)
			bit = c->code >= half;
		if (bit != 0 && c->out != NULL)
			c->low += half;
		if (bit != 0 && c->out == NULL)
			c->code -= half;
		c->range = bit != 0 ? c->range - half : half;
		normalize_range(c);
		result = result << 1 | bit;
	}
	return result;
}

uint32_t code_tree(struct coder *c, struct prob *tree, uint32_t value, unsigned bits)
{
	uint32_t node = 1;
	for (unsigned i = bits; i-- > 0;)
		node = node << 1 | code_bit(c, &tree[node], value >> i & 1);
	return node - (1u << bits);
}

void number_reset(struct number *number)
{
	for (unsigned i = 0; i < NUMBER_LENGTHS * 2; i++)
		number->length[i] = PROB_EVEN;
	for (unsigned i = 0; i < 65; i++)
		for (unsigned k = 0; k < 8; k++)
			number->high[i][k] = PROB_EVEN;
}

/* value + 1 as its length in bits, and what stands behind its first 1: the three highest of these bits by probabilities
 * of that length, the others as they are. */
uint64_t code_number(struct coder *c, struct number *number, uint64_t value)
{
	const uint64_t plus = value + 1; /* 0 stands for 2^64 */
	unsigned bits;
	if (c->out == NULL)
		bits = 0;
	else if (plus == 0)
		bits = 64;
	else
		bits = 63 - (unsigned)__builtin_clzll(plus);
	bits = code_tree(c, number->length, bits, 7);
	if (bits > 64)
		bits = 64;
	const unsigned high = bits < 3 ? bits : 3;
	uint32_t node = 1;
	for (unsigned i = 0; i < high; i++)
		node = node << 1 | code_bit(c, &number->high[bits][node], plus >> (bits - 1 - i) & 1);
	uint64_t result = node; /* the first 1 is in it */
	for (unsigned left = bits - high; left > 0;) {
		const unsigned some = left < 16 ? left : 16;
		result = result << some | code_even(c, (uint32_t)(plus >> (left - some)) & ((1u << some) - 1), some);
		left -= some;
	}
	return result - 1;
}

/* ---------------------------------------------------------------- symbols in context */

int context_open(struct context *context, unsigned bits)
{
	*context = (struct context){.bits = bits};
	for (unsigned n = 0; n < CONTEXT_ORDERS; n++) {
		context->slots[n] = calloc((size_t)1 << bits, sizeof *context->slots[n]);
		if (context->slots[n] == NULL) {
			context_close(context);
			return PHASES_ENOMEM;
		}
		for (unsigned k = 0; k < 16; k++)
			context->first[n][k] = context->second[n][k] = PROB_EVEN;
	}
	return PHASES_OK;
}

void context_close(struct context *context)
{
	for (unsigned n = 0; n < CONTEXT_ORDERS; n++)
		free(context->slots[n]);
	*context = (struct context){0};
}

/* The slots of the present context, longest order first, and their checks. */
static void find_slots(
    struct context *context, struct context_slot *slot[CONTEXT_ORDERS], uint32_t check[CONTEXT_ORDERS])
{
	uint32_t hash = 0;
	for (unsigned n = 0; n < CONTEXT_ORDERS; n++) {
		hash = (hash + context->last[n] + 1) * 0x9E3779B1u;
		hash ^= hash >> 15;
		const unsigned to = CONTEXT_ORDERS - 1 - n;
		check[to] = hash;
		slot[to] = &context->slots[to][hash >> (32 - context->bits)];
	}
}

bool code_context(struct coder *c, struct context *context, uint32_t *symbol)
{
	struct context_slot *slot[CONTEXT_ORDERS];
	uint32_t check[CONTEXT_ORDERS], tried[2 * CONTEXT_ORDERS];
	unsigned count = 0;
	find_slots(context, slot, check);
	for (unsigned n = 0; n < CONTEXT_ORDERS; n++) {
		if (slot[n]->check != check[n])
			continue;
		for (unsigned k = 0; k < 2 && slot[n]->sure[k] > 0; k++) {
			const uint32_t guess = slot[n]->symbol[k];
			bool known = false;
			for (unsigned t = 0; t < count && !known; t++)
				known = tried[t] == guess;
			if (known)
				continue;
			tried[count++] = guess;
			struct prob *prob =
			    k == 0 ? &context->first[n][slot[n]->sure[0]] : &context->second[n][slot[n]->sure[1]];
			if (code_bit(c, prob, *symbol != guess) == 0) {
				*symbol = guess;
				context_learn(context, guess);
				return true;
			}
		}
	}
	return false;
}

static void learn_symbol(struct context_slot *s, uint32_t check, uint32_t symbol)
{
	if (s->check != check || s->sure[0] == 0) {
		*s = (struct context_slot){.check = check, .symbol = {symbol}, .sure = {1}};
		return;
	}
	if (s->symbol[0] == symbol) {
		s->sure[0] = (uint8_t)(s->sure[0] < 15 ? s->sure[0] + 1 : 15);
		return;
	}
	if (s->sure[1] > 0 && s->symbol[1] == symbol)
		s->sure[1] = (uint8_t)(s->sure[1] < 15 ? s->sure[1] + 1 : 15);
	else if (s->sure[1] > 1)
		s->sure[1] /= 2;
	else {
		s->symbol[1] = symbol;
		s->sure[1] = 1;
	}
	s->sure[0] = (uint8_t)(s->sure[0] - s->sure[0] / 4);
	if (s->sure[1] >= s->sure[0] && s->symbol[1] == symbol) {
		const uint32_t old = s->symbol[0];
		const uint8_t sure = s->sure[0];
		s->symbol[0] = symbol;
		s->sure[0] = s->sure[1];
		s->symbol[1] = old;
		s->sure[1] = sure;
	}
}

void context_learn(struct context *context, uint32_t symbol)
{
	struct context_slot *slot[CONTEXT_ORDERS];
	uint32_t check[CONTEXT_ORDERS];
	find_slots(context, slot, check);
	for (unsigned n = 0; n < CONTEXT_ORDERS; n++)
		learn_symbol(slot[n], check[n], symbol);
	memmove(context->last + 1, context->last, (CONTEXT_ORDERS - 1) * sizeof *context->last);
	context->last[0] = symbol;
}
