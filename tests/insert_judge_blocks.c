/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/insert_judge_blocks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void *room(size_t count)
{
	void *made = calloc(count + 1, 1);
	if (made == NULL) {
		fprintf(stderr, "insert-judge: out of memory\n");
		exit(2);
	}
	return made;
}

/* Counts of blocks with --blocks: what goes in is the block's count; it comes out again, unless the block has calls. */
static void solve_blocks(const struct map *m, const struct map_function *f, uint64_t *edges, uint64_t *intos,
    uint64_t *blocks, bool *known, bool *known_into, bool *known_block)
{
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct map_block *own = &m->blocks[b];
			for (int out = 0; out < 2; out++) {
				uint64_t sum = 0, *open = NULL;
				bool *state = NULL;
				unsigned left = 0;
				if (out == 1 && ((own->flags & MAP_LEAVES) != 0 || own->edge_count == 0))
					continue;
				for (uint32_t e = f->edges; e < f->edges + f->edge_count; e++) {
					if (out == 1 ? e < own->edges || e >= own->edges + own->edge_count
						     : m->edges[e].to != b - f->blocks)
						continue;
					if (known[e])
						sum += edges[e];
					else {
						left++;
						open = &edges[e];
						state = &known[e];
					}
				}
				if (out == 0 && known_into[b])
					sum += intos[b];
				else if (out == 0) {
					left++;
					open = &intos[b];
					state = &known_into[b];
				}
				if (left == 0 && !known_block[b]) {
					blocks[b] = sum;
					known_block[b] = more = true;
				} else if (left == 1 && known_block[b]) {
					*open = blocks[b] - sum;
					*state = more = true;
				}
			}
		}
	}
}

uint64_t judge_blocks_derive(const struct map *m, const struct map *edited, const uint32_t *edited_of, uint64_t *edges,
    uint64_t *intos, uint64_t *blocks)
{
	bool *known = room(m->edge_count), *known_into = room(m->block_count), *known_block = room(m->block_count);
	uint64_t missing = 0;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i], *e = &edited->functions[edited_of[i]];
		if (f->address == 0 || (f->flags & MAP_COUNTED) == 0)
			continue;
		for (uint32_t k = 0; k < e->word_count; k++) {
			uint32_t word = edited->words[e->words + k];
			if (word < EDGES_INTO)
				known[f->edges + word] = true;
			else if (word < EDGES_BLOCK)
				known_into[f->blocks + word - EDGES_INTO] = true;
			else
				known_block[f->blocks + word - EDGES_BLOCK] = true;
		}
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
			known_into[b] = known_into[b] || (m->blocks[b].flags & MAP_ROOT) == 0;
		solve_blocks(m, f, edges, intos, blocks, known, known_into, known_block);
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
			missing += !known_block[b];
	}
	free(known);
	free(known_into);
	free(known_block);
	return missing;
}
