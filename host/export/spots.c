/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/spots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"

struct maker {
	struct spots *spots;
	const struct image *image;
	size_t spot_room, place_room;
	uint32_t *table; /* spot + 1 by its key, open addressing, at most half full; 0: free */
	size_t table_size;
};

/* ---- spots, each once ---- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_spot(const struct spot *a, const struct spot *b)
{
	if (a->parent != b->parent || !same_text(a->name, b->name))
		return false;
	if (a->parent == SPOT_NONE)
		return a->start == b->start;
	return a->call_line == b->call_line && a->call_discriminator == b->call_discriminator &&
	       same_text(a->call_file, b->call_file);
}

static size_t hash_text(const char *text)
{
	uint32_t hash = 2166136261u;
	for (; text != NULL && *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

static size_t hash_spot(const struct spot *spot)
{
	uint64_t x = spot->parent == SPOT_NONE ? spot->start : spot->parent;
	x = x << 32 ^ (uint64_t)spot->call_line << 8 ^ spot->call_discriminator ^ (uint64_t)spot->parent << 20;
	x = (x ^ hash_text(spot->name)) * UINT64_C(0x9E3779B97F4A7C15);
	return (size_t)(x >> 24);
}

static size_t find_slot(const struct maker *maker, const struct spot *key)
{
	size_t slot = hash_spot(key) & (maker->table_size - 1);
	while (maker->table[slot] != 0 && !same_spot(&maker->spots->all[maker->table[slot] - 1], key))
		slot = (slot + 1) & (maker->table_size - 1);
	return slot;
}

static int grow_table(struct maker *maker)
{
	size_t size = maker->table_size == 0 ? 1024 : 2 * maker->table_size;
	uint32_t *table = calloc(size, sizeof *table);
	if (table == NULL)
		return SPOTS_ENOMEM;
	free(maker->table);
	maker->table = table;
	maker->table_size = size;
	for (size_t i = 0; i < maker->spots->count; i++)
		table[find_slot(maker, &maker->spots->all[i])] = (uint32_t)i + 1;
	return SPOTS_OK;
}

/* Index of the spot, made if it is new. */
static int take_spot(struct maker *maker, const struct spot *key, uint32_t *index)
{
	struct spots *spots = maker->spots;
	if (2 * (spots->count + 1) > maker->table_size && grow_table(maker) != SPOTS_OK)
		return SPOTS_ENOMEM;
	size_t slot = find_slot(maker, key);
	if (maker->table[slot] != 0) {
		*index = maker->table[slot] - 1;
		return SPOTS_OK;
	}
	if (spots->count == maker->spot_room) {
		size_t room = maker->spot_room == 0 ? 256 : 2 * maker->spot_room;
		struct spot *grown = realloc(spots->all, room * sizeof *grown);
		if (grown == NULL)
			return SPOTS_ENOMEM;
		spots->all = grown;
		maker->spot_room = room;
	}
	*index = (uint32_t)spots->count;
	spots->all[spots->count++] = *key;
	maker->table[slot] = *index + 1;
	return SPOTS_OK;
}

/* ---- places ---- */

static int add_place(
    struct maker *maker, uint64_t pc, const struct isa_insn *insn, const struct image_place *chain, size_t depth)
{
	struct spots *spots = maker->spots;
	uint64_t start = 0;
	uint32_t index = SPOT_NONE;
	const char *symbol = image_whole_function(maker->image, pc, &start);
	const struct image_place *outer = &chain[depth - 1];
	struct spot spot = {.name = symbol != NULL ? symbol : outer->function,
	    .file = outer->file,
	    .parent = SPOT_NONE,
	    .start = symbol != NULL ? start : 0,
	    .declared = outer->declared};
	int error = take_spot(maker, &spot, &index);
	for (size_t i = depth - 1; i-- > 0 && error == SPOTS_OK;) {
		spot = (struct spot){.name = chain[i].function,
		    .file = chain[i].file,
		    .parent = index,
		    .start = pc,
		    .declared = chain[i].declared,
		    .call_line = chain[i + 1].line,
		    .call_discriminator = chain[i + 1].discriminator,
		    .call_file = chain[i + 1].file};
		error = take_spot(maker, &spot, &index);
	}
	if (error != SPOTS_OK)
		return error;
	if (spots->place_count == maker->place_room) {
		size_t room = maker->place_room == 0 ? 4096 : 2 * maker->place_room;
		struct spot_place *grown = realloc(spots->places, room * sizeof *grown);
		if (grown == NULL)
			return SPOTS_ENOMEM;
		spots->places = grown;
		maker->place_room = room;
	}
	spots->places[spots->place_count++] = (struct spot_place){.pc = pc,
	    .spot = index,
	    .file = chain[0].file,
	    .line = chain[0].line,
	    .discriminator = chain[0].discriminator,
	    .length = insn->length,
	    .class_bits = insn->class_bits,
	    .target = (insn->class_bits & (ISA_BRANCH | ISA_JUMP)) != 0 ? isa_target(insn, pc) : 0};
	return SPOTS_OK;
}

/* One executable segment: the given pcs, and between them what has lines. */
static int scan(struct maker *maker, const struct elf_segment *segment, const uint64_t *pcs, size_t count, size_t *next)
{
	uint64_t end = segment->address + segment->file_size, pc = (segment->address + 1) & ~UINT64_C(1);
	int error = SPOTS_OK;
	while (*next < count && pcs[*next] < pc)
		(*next)++;
	while (pc < end && error == SPOTS_OK) {
		struct image_place chain[SPOT_DEPTH_MAX];
		struct isa_insn insn;
		bool ran = *next < count && pcs[*next] == pc;
		uint64_t after = pc + 2; /* data and padding: looks again behind it */
		size_t depth = image_places(maker->image, pc, chain, SPOT_DEPTH_MAX);
		*next += ran;
		if ((ran || chain[0].file != NULL) && image_insn(maker->image, pc, 0, &insn)) {
			error = add_place(maker, pc, &insn, chain, depth);
			after = pc + insn.length;
		}
		/* what ran is certain: an instruction that would overlap it was none */
		if (*next < count && pcs[*next] < after)
			after = pcs[*next];
		pc = after;
	}
	return error;
}

int spots_make(struct spots *spots, const struct image *image, const uint64_t *pcs, size_t count)
{
	struct maker maker = {.spots = spots, .image = image};
	size_t segment_count, next = 0;
	const struct elf_segment *segments = image_segments(image, &segment_count);
	int error = SPOTS_OK;
	*spots = (struct spots){0};
	for (size_t i = 0; i < segment_count && error == SPOTS_OK; i++) {
		if (segments[i].execute)
			error = scan(&maker, &segments[i], pcs, count, &next);
	}
	free(maker.table);
	if (error != SPOTS_OK)
		spots_free(spots);
	return error;
}

void spots_free(struct spots *spots)
{
	free(spots->all);
	free(spots->places);
	*spots = (struct spots){0};
}

const struct spot_place *spots_at(const struct spots *spots, uint64_t pc)
{
	size_t low = 0, high = spots->place_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (spots->places[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < spots->place_count && spots->places[low].pc == pc ? &spots->places[low] : NULL;
}

uint32_t spots_function(const struct spots *spots, uint32_t spot)
{
	while (spots->all[spot].parent != SPOT_NONE)
		spot = spots->all[spot].parent;
	return spot;
}

const char *spots_name(const struct spots *spots, uint32_t spot, char text[SPOTS_NAME])
{
	if (spots->all[spot].name != NULL)
		return spots->all[spot].name;
	snprintf(text, SPOTS_NAME, "0x%08" PRIx64, spots->all[spot].start);
	return text;
}
