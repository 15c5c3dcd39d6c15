/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/definitions.h"

static unsigned bits_for(uint32_t values) /* to tell values apart */
{
	unsigned bits = 0;
	while (bits < 32 && (uint64_t)1 << bits < values)
		bits++;
	return bits;
}

int definitions_begin(struct definitions *d, uint32_t blocks, uint32_t first_block, uint32_t paths)
{
	const unsigned all = bits_for(blocks), size = bits_for(paths) + 4;
	d->literal_bits = all < LITERAL_BITS ? all : LITERAL_BITS;
	d->even_bits = all - d->literal_bits;
	d->next_block = first_block;
	d->expected = 0;
	d->block_context = 0;
	d->was_new = 1;
	for (uint32_t i = 0; i < 1u << LITERAL_BITS; i++)
		d->literal[i] = PROB_EVEN;
	d->is_next = d->new_path[0] = d->new_path[1] = d->has_more = PROB_EVEN;
	struct number *const numbers[] = {
	    &d->address, &d->bytes, &d->packed, &d->context_number, &d->back, &d->trips, &d->time, &d->mark};
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		number_reset(numbers[i]);
	const unsigned least = size < 8 ? 8 : size;
	return context_open(&d->context, least > 18 ? 18 : least);
}

void definitions_end(struct definitions *d)
{
	context_close(&d->context);
}

bool code_block(struct definitions *d, struct phases_block *block)
{
	const uint64_t ahead =
	    code_number(&d->coder, &d->address, zigzag_encode((int64_t)(block->address - d->expected) / 2));
	const uint64_t halves = code_number(&d->coder, &d->bytes, block->bytes / 2 - 1) + 1;
	const uint64_t fewer = code_number(&d->coder, &d->packed, block->bytes / 2 - block->instructions);
	const uint64_t context =
	    code_number(&d->coder, &d->context_number, zigzag_encode((int64_t)block->context - d->block_context));
	if (halves == 0 || halves > UINT32_MAX / 2 || fewer >= halves)
		return false;
	block->address = d->expected + 2 * (uint64_t)zigzag_decode(ahead);
	block->bytes = (uint32_t)(2 * halves);
	block->instructions = (uint32_t)(halves - fewer);
	block->context = d->block_context + (uint32_t)zigzag_decode(context);
	d->expected = block->address + block->bytes;
	d->block_context = block->context;
	return true;
}

static uint32_t code_literal(struct definitions *d, uint32_t block)
{
	if (code_bit(&d->coder, &d->is_next, block != d->next_block) == 0)
		return d->next_block;
	const uint32_t high = code_tree(&d->coder, d->literal, block >> d->even_bits, d->literal_bits);
	return high << d->even_bits | code_even(&d->coder, block & ((1u << d->even_bits) - 1), d->even_bits);
}

bool code_path(struct definitions *d, uint32_t *blocks, uint32_t *count, uint32_t block_count)
{
	const bool reads = d->coder.out == NULL;
	for (uint32_t i = 0;; i++) {
		uint32_t symbol = !reads && i < *count ? blocks[i] + 1 : 0;
		if (!code_context(&d->coder, &d->context, &symbol)) {
			/* neither an end nor a block that was foretold */
			const bool ends = i > 0 && code_bit(&d->coder, &d->has_more, symbol != 0) == 0;
			symbol = ends ? 0 : code_literal(d, symbol - 1) + 1;
			context_learn(&d->context, symbol);
		}
		if (symbol == 0) {
			if (reads)
				*count = i;
			return i > 0;
		}
		if (symbol > block_count || i == LAYERS_LENGTH_MAX || coder_failed(&d->coder))
			return false;
		if (symbol - 1 >= d->next_block)
			d->next_block = symbol;
		if (reads)
			blocks[i] = symbol - 1;
	}
}

bool code_repeated(struct definitions *d, uint32_t next_path, uint32_t *path, uint32_t *trips)
{
	const unsigned old = code_bit(&d->coder, &d->new_path[d->was_new], *path != next_path);
	d->was_new = old == 0;
	uint64_t back = 0;
	if (old != 0)
		back = code_number(&d->coder, &d->back, (uint64_t)next_path - 1 - *path) + 1;
	const uint64_t more = code_number(&d->coder, &d->trips, (uint64_t)*trips - 1);
	if (back > next_path || more >= UINT32_MAX)
		return false;
	*path = next_path - (uint32_t)back;
	*trips = (uint32_t)more + 1;
	return true;
}
