/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_JOINED_H
#define RIVULET_JOINED_H
/*
 * Paths that were cut in parts, because their function has more than one number holds, and are counted in a hash table:
 * a part knows which one came before it, so the whole path is known, however long.
 *
 *   entry ──► part 12 ──cut──► part 7 ──cut──► part 30 ──► exit          one path: 12.7.30
 *
 * In memory (sw/probe): the key of a part's bucket is its number and, above it, the context: which bucket was counted
 * at the cut before it; 0: none, a path begins here. The path register holds both, so what is added to it on the way is
 * the same with any context.
 *
 *   RV64   context * 2^32 + number - 0x60000000     context: 0 none, -1 not known, -2 - the index of its bucket
 *   RV32   31   context   17 16      number + 1          0              0, all ones, 3 * index + 1
 *
 * So on RV64 all numbers in tables are moved below zero, joined or not: what is in the path register then looks like
 * little else, and the runtime can tell it in the stack of a call that is left (sw/probe/left.c).
 *
 * In a profile: the history of a part's entry is what it is of any path in a hash table. Its start is the id of its
 * object if a path begins there, else a key that is made of all parts before. Each part before it has an entry of its
 * own, so a reader finds the key by making those of all parts.
 */
#include <stdint.h>

#define JOINED_SHIFT_64 32
#define JOINED_BASE_64 (-INT64_C(0x60000000)) /* number 0 */
#define JOINED_SLACK_64 INT64_C(0x20000000)   /* the path register may be so much less on the way to a number */
#define JOINED_SHIFT_32 17
#define JOINED_BASE_32 1      /* number 0: no key is 0 */
#define JOINED_STEP_32 3u     /* of contexts */
#define JOINED_LAST_32 10921u /* index of the last bucket that has one */
#define JOINED_LOST 4u        /* the start is the id of the object, with this: what came before found no room */

/* What is in memory: its number, and above it the context. */
static inline uint32_t joined_number_64(uint64_t key)
{
	return (uint32_t)(key - (uint64_t)JOINED_BASE_64);
}

static inline int64_t joined_context_64(uint64_t key)
{
	return (int64_t)(key - (uint64_t)JOINED_BASE_64 - joined_number_64(key)) / (INT64_C(1) << JOINED_SHIFT_64);
}

/* function: that of the history; key: of the parts before; at first the id. */
static inline uint64_t joined_mix(uint64_t history)
{
	uint64_t key = history + 0x9E3779B97F4A7C15u;
	for (unsigned round = 0; round < 3; round++) {
		key += key << 10;
		key ^= key >> 21;
		key += key << 15;
		key ^= key >> 33;
		key += key << 3;
	}
	return key;
}

static inline uint64_t joined_turn(uint64_t key, unsigned parts)
{
	unsigned by = 7 * parts % 64;
	return by == 0 ? key : key << by | key >> (64 - by);
}

/* The key of a part and those before it; the start of the next part is this without its lowest bit. */
static inline uint64_t joined_key(uint64_t before, uint64_t history)
{
	return joined_mix(history) ^ joined_turn(before, 1);
}
#define JOINED_START(key) ((key) & ~UINT64_C(1))
#endif
