/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_CODER_H
#define RIVULET_PHASES_CODER_H
/*
 * An adaptive binary range coder, and a model of symbols in context, for the definitions of a phases file: many short
 * sequences that repeat parts of each other, for which a general compressor needs half as many bytes again.
 *
 * One set of functions both writes and reads: each takes the value to be written and returns the value that was written
 * or read. So the model of writer and reader cannot differ.
 */
#include "host/phases/private.h"

struct prob { /* of a 0, in 1/65536: the mean of a fast and a slow estimate */
	uint16_t fast, slow;
};
#define PROB_EVEN ((struct prob){32768, 32768})

struct coder {
	struct bytes *out; /* NULL: reads */
	struct reading in;
	uint64_t low;
	uint32_t range, code;
	uint64_t pending; /* bytes that a carry may still change */
	uint8_t cache;
};
void coder_write(struct coder *coder, struct bytes *out);
void coder_read(struct coder *coder, const uint8_t *data, size_t size);
void coder_finish(struct coder *coder); /* after the last value that was written */
/* It has read far behind its data: what it gives is not what was written. */
bool coder_failed(const struct coder *coder);

unsigned code_bit(struct coder *coder, struct prob *prob, unsigned bit);
uint32_t code_even(struct coder *coder, uint32_t value, unsigned bits); /* bits up to 32, all equally likely */
/* bits up to 16, by a tree of 2^bits probabilities. */
uint32_t code_tree(struct coder *coder, struct prob *tree, uint32_t value, unsigned bits);

#define NUMBER_LENGTHS 64
struct number { /* numbers of any size, small ones often */
	struct prob length[NUMBER_LENGTHS * 2];
	struct prob high[65][8];
};
void number_reset(struct number *number);
uint64_t code_number(struct coder *coder, struct number *number, uint64_t value);

/*
 * The next symbol of a sequence by what followed the last one, two or three symbols before: each context remembers two
 * symbols, and how sure it is. What no context foretells is left to the caller.
 */
#define CONTEXT_ORDERS 3u
struct context_slot {
	uint32_t check, symbol[2];
	uint8_t sure[2];
};
struct context {
	struct context_slot *slots[CONTEXT_ORDERS];
	unsigned bits;
	uint32_t last[CONTEXT_ORDERS];
	struct prob first[CONTEXT_ORDERS][16], second[CONTEXT_ORDERS][16];
};
int context_open(struct context *context, unsigned bits); /* 2^bits slots for each order */
void context_close(struct context *context);
/* Returns whether the symbol was foretold; *symbol is read or written. If it was not, the caller codes it by other
 * means and then calls context_learn(); else that has been done. */
bool code_context(struct coder *coder, struct context *context, uint32_t *symbol);
void context_learn(struct context *context, uint32_t symbol);
#endif
