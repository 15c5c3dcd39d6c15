/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_INSERT_JUDGE_BLOCKS_H
#define RIVULET_TESTS_INSERT_JUDGE_BLOCKS_H
/* Counts of blocks from the counters of --blocks, by rules of its own: what goes into a block is its count, and comes
 * out again unless the block has calls. */
#include "host/insert/map.h"

/* edges, intos, blocks: counts by index in the map; those that have counters are there, the rest is filled. edited,
 * edited_of: the program's own map, and by function its number there. Returns how many blocks do not follow. */
uint64_t judge_blocks_derive(const struct map *m, const struct map *edited, const uint32_t *edited_of, uint64_t *edges,
    uint64_t *intos, uint64_t *blocks);
#endif
