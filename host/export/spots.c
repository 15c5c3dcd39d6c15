/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/spots.h"
#include "host/base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"
#include "isa/isa.h"

struct maker {
	struct spots *spots;
	const struct image *image;
	size_t spot_room, place_room;
	struct hash table; /* of spots */
	const struct gather_result *result;
	uint64_t *entries; /* where direct calls went, sorted; NULL: not needed so far */
	size_t entry_count;
	uint64_t nameless; /* start of the function without a name that goes on, NOWHERE: none does */
};
#define NOWHERE UINT64_MAX

/* ---- spots, each once ---- */

static bool same_spot_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_spot(const struct spot *a, const struct spot *b)
{
	if (a->parent != b->parent || !same_spot_text(a->name, b->name))
		return false;
	if (a->parent == SPOT_NONE)
		return a->start == b->start;
	return a->call_line == b->call_line && a->call_discriminator == b->call_discriminator &&
	       same_spot_text(a->call_file, b->call_file);
}

static uint32_t hash_spot(const struct spot *spot)
{
	uint64_t x = spot->parent == SPOT_NONE ? spot->start : spot->parent;
	x = x << 32 ^ (uint64_t)spot->call_line << 8 ^ spot->call_discriminator ^ (uint64_t)spot->parent << 20;
	return hash_of_two(x, hash_of_text(spot->name));
}

struct spot_key {
	const struct spots *spots;
	const struct spot *spot;
};

static bool is_spot(const void *context, uint32_t index)
{
	const struct spot_key *key = context;
	return same_spot(&key->spots->all[index], key->spot);
}

/* Index of the spot, made if it is new. */
static int take_spot(struct maker *maker, const struct spot *spot, uint32_t *index)
{
	struct spots *spots = maker->spots;
	const struct spot_key key = {spots, spot};
	uint32_t hash = hash_spot(spot);
	*index = hash_find(&maker->table, hash, is_spot, &key);
	if (*index != HASH_NONE)
		return SPOTS_OK;
	if (!array_room(&spots->all, spots->count + 1, &maker->spot_room) ||
	    !hash_add(&maker->table, hash, (uint32_t)spots->count))
		return SPOTS_ENOMEM;
	*index = (uint32_t)spots->count;
	spots->all[spots->count++] = *spot;
	return SPOTS_OK;
}

/* ---- functions without names ---- */

static int by_address(const void *a, const void *b)
{
	return ORDER_UP(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Targets of direct calls, as `report` takes them (host/account): those of others are not known of every run. */
static bool collect_entries(struct maker *maker)
{
	const struct gather_result *result = maker->result;
	maker->entries = calloc(result->call_count + 1, sizeof *maker->entries);
	if (maker->entries == NULL)
		return false;
	for (size_t i = 0; i < result->call_count; i++) {
		struct isa_insn insn;
		if (image_insn(maker->image, result->calls[i].site, 0, &insn) && (insn.class_bits & ISA_INDIRECT) == 0)
			maker->entries[maker->entry_count++] = result->calls[i].target;
	}
	qsort(maker->entries, maker->entry_count, sizeof *maker->entries, by_address);
	return true;
}

/* Where the function of an instruction that nothing names begins. False: out of memory. */
static bool nameless_start(struct maker *maker, uint64_t pc, uint64_t *start)
{
	size_t low;
	if (maker->entries == NULL && !collect_entries(maker))
		return false;
	ORDER_FIRST(low, 0, maker->entry_count, maker->entries[low] < pc);
	if (maker->nameless == NOWHERE || (low < maker->entry_count && maker->entries[low] == pc))
		maker->nameless = pc;
	*start = maker->nameless;
	return true;
}

/* ---- places ---- */

static int add_spot_place(
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
	if (spot.name != NULL)
		maker->nameless = NOWHERE;
	else if (!nameless_start(maker, pc, &spot.start))
		return SPOTS_ENOMEM;
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
	if (!array_room(&spots->places, spots->place_count + 1, &maker->place_room))
		return SPOTS_ENOMEM;
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

/* One executable segment: what ran, and between that what has lines. */
static int scan_segment(struct maker *maker, const struct elf_segment *segment, size_t *next)
{
	const struct gather_code *code = maker->result->code;
	const size_t count = maker->result->code_count;
	uint64_t end = segment->address + segment->file_size, pc = (segment->address + 1) & ~UINT64_C(1);
	int error = SPOTS_OK;
	maker->nameless = NOWHERE;
	while (*next < count && code[*next].pc < pc)
		(*next)++;
	while (pc < end && error == SPOTS_OK) {
		struct image_place chain[SPOT_DEPTH_MAX];
		struct isa_insn insn;
		bool ran = *next < count && code[*next].pc == pc;
		uint64_t after = pc + 2; /* data and padding: looks again behind it */
		size_t depth = image_places(maker->image, pc, chain, SPOT_DEPTH_MAX);
		*next += ran;
		if ((ran || chain[0].file != NULL) && image_insn(maker->image, pc, 0, &insn)) {
			error = add_spot_place(maker, pc, &insn, chain, depth);
			after = pc + insn.length;
		}
		/* what ran is certain: an instruction that would overlap it was none */
		if (*next < count && code[*next].pc < after)
			after = code[*next].pc;
		pc = after;
	}
	return error;
}

int spots_make(struct spots *spots, const struct image *image, const struct gather_result *result)
{
	struct maker maker = {.spots = spots, .image = image, .result = result};
	size_t segment_count, next = 0;
	const struct elf_segment *segments = image_segments(image, &segment_count);
	int error = SPOTS_OK;
	*spots = (struct spots){.image = image};
	for (size_t i = 0; i < segment_count && error == SPOTS_OK; i++) {
		if (segments[i].execute)
			error = scan_segment(&maker, &segments[i], &next);
	}
	hash_free(&maker.table);
	free(maker.entries);
	if (error != SPOTS_OK)
		spots_free(spots);
	return error;
}

int spots_add(struct spots *spots, uint64_t pc, const char *name)
{
	size_t spot_room = spots->count, place_room = spots->place_count;
	if (!array_room(&spots->all, spots->count + 1, &spot_room) ||
	    !array_room(&spots->places, spots->place_count + 1, &place_room))
		return SPOTS_ENOMEM;
	spots->places[spots->place_count++] = (struct spot_place){.pc = pc, .spot = (uint32_t)spots->count};
	spots->all[spots->count++] = (struct spot){.name = name, .parent = SPOT_NONE, .start = pc};
	return SPOTS_OK;
}

void spots_free(struct spots *spots)
{
	free(spots->all);
	free(spots->places);
	*spots = (struct spots){0};
}

const struct spot_place *spots_at(const struct spots *spots, uint64_t pc)
{
	size_t low;
	ORDER_FIRST(low, 0, spots->place_count, spots->places[low].pc < pc);
	return low < spots->place_count && spots->places[low].pc == pc ? &spots->places[low] : NULL;
}

const struct spot_place *spots_behind(const struct spots *spots, const struct spot_place *place, uint64_t pc)
{
	if (place != NULL && place + 1 < spots->places + spots->place_count && place[1].pc == pc)
		return place + 1;
	return spots_at(spots, pc);
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
	if (spots->image == NULL || image_place(spots->image, spots->all[spot].start, text) == NULL)
		snprintf(text, SPOTS_NAME, "0x%08" PRIx64, spots->all[spot].start);
	return text;
}
