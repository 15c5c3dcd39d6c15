/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_SHELF_H
#define RIVULET_BASE_SHELF_H
/*
 * States of a stack, each kept once and known by a number, so that two of them are equal if their numbers are, and one
 * can be put back. Stacks that begin alike share what they have in common:
 *
 *   number:  0 ◄── 1 (main) ◄── 2 (parse) ◄── 3 (string)
 *                               └◄─────────── 4 (number)
 *
 * Saving and loading cost what has changed, not the depth: the shelf remembers what the live stack held the last time,
 * and is told how far down it has changed since.
 */
#include "host/base/hash.h"

/* Frames are of `size` bytes; padding in them is the reason for the two functions. */
typedef uint32_t shelf_hash(const void *frame);
typedef bool shelf_same(const void *a, const void *b);

struct shelf_link {
	uint32_t below, depth; /* number of the stack without this frame; frames in all */
};
struct shelf {
	size_t size;
	shelf_hash *hash;
	shelf_same *same;
	unsigned char *frames; /* of number i at (i - 1) * size */
	struct shelf_link *links;
	size_t count, frame_room, link_room;
	struct hash table;
	uint32_t *live; /* number of the live stack's lowest i + 1 frames */
	size_t known, live_room;
};
void shelf_init(struct shelf *shelf, size_t size, shelf_hash *hash, shelf_same *same);
void shelf_free(struct shelf *shelf);
/* Forgets all states. */
void shelf_clear(struct shelf *shelf);
/* The number of the live stack of `depth` frames, of which the lowest `low` have not changed since the last save or
 * load. False: out of memory. */
bool shelf_save(struct shelf *shelf, const void *frames, size_t depth, size_t low, uint32_t *number);
size_t shelf_depth(const struct shelf *shelf, uint32_t number);
/* Makes the live stack that of number; there is room for shelf_depth() frames. False: out of memory. */
bool shelf_load(struct shelf *shelf, uint32_t number, void *frames, size_t low);
#endif
