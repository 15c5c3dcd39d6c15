/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_DEFINITIONS_H
#define RIVULET_PHASES_DEFINITIONS_H
/*
 * What a chunk of a phases file defines, as the range coder writes and reads it (docs/phases-format.md): times and
 * marks, then blocks, paths, repeated paths. The same functions serve both directions (host/phases/coder.h).
 */
#include "host/phases/coder.h"

#define LITERAL_BITS 12u /* of a block's number, by probabilities; the lower ones are all alike */

struct definitions { /* the model; begins anew with each chunk */
	struct coder coder;
	struct context context; /* of blocks in paths: number + 1; 0: the path ends */
	struct prob literal[1u << LITERAL_BITS], is_next, new_path[2], has_more;
	unsigned literal_bits, even_bits;
	uint32_t next_block; /* the first one that no path has used */
	uint64_t expected;   /* address behind the last block */
	uint32_t block_context;
	unsigned was_new;
	struct number address, bytes, packed, context_number, back, trips, time, mark;
};
/* blocks: those known so far and those that the chunk defines; first_block: the first one that it defines; paths: that
 * it defines, for the size of the model. The coder is begun by the caller. */
int definitions_begin(struct definitions *definitions, uint32_t blocks, uint32_t first_block, uint32_t paths);
void definitions_end(struct definitions *definitions);

/* Each writes its argument, or reads it, by the coder's direction. False: no writer writes what was read. */
bool code_block(struct definitions *definitions, struct phases_block *block);
/* blocks has room for LAYERS_LENGTH_MAX; block_count: numbers below it exist. */
bool code_path(struct definitions *definitions, uint32_t *blocks, uint32_t *count, uint32_t block_count);
/* next_path: the first path that no repeated path of this epoch has used. */
bool code_repeated(struct definitions *definitions, uint32_t next_path, uint32_t *path, uint32_t *trips);
#endif
