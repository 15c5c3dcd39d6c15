/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/added.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"
#include "host/export/export.h"
#include "isa/isa.h"

struct adder {
	struct added *added;
	struct image *image;
	const struct spots *spots;
	const struct gather_result *result;
	uint32_t build;
	struct hash places; /* of branches and calls: index of the first one of its place */
	unsigned *columns;  /* by place of the spots */
};

const char *added_kind_name(unsigned kind)
{
	static const char *const names[ADDED_KINDS] = {
	    "without a line", "inlined", "made again", "called, but not named"};
	return names[kind];
}

static struct added_piece *new_added_piece(struct adder *a, enum added_kind kind, const struct spot_place *place)
{
	struct added *added = a->added;
	const struct spots *spots = a->spots;
	if (!array_room(&added->all, added->count + 1, &added->room))
		return NULL;
	struct added_piece *piece = &added->all[added->count++];
	*piece = (struct added_piece){.start = place->pc,
	    .end = place->pc,
	    .kind = (uint8_t)kind,
	    .build = a->build,
	    .file = place->file,
	    .line = place->line,
	    .discriminator = place->discriminator};
	if (place->spot != SPOT_NONE)
		piece->function = spots->all[spots_function(spots, place->spot)].name;
	return piece;
}

static void extend_piece(const struct adder *a, struct added_piece *piece, const struct spot_place *place)
{
	const struct gather_code *code = gather_at(a->result, place->pc);
	piece->end = place->pc + place->length;
	piece->insns++;
	piece->ran += code != NULL && code->count > 0;
	if ((place->class_bits & ISA_BRANCH) == 0)
		return;
	piece->outcomes += 2;
	piece->outcomes_ran += code == NULL ? 0u : (uint32_t)(code->taken > 0) + (uint32_t)(code->not_taken > 0);
}

/* ---- without a line ---- */

static bool is_lineless(const struct spot_place *place)
{
	return place->file != NULL && place->line == 0;
}

/* The line that its function had last; without one before it the first behind it. */
static void find_construct(const struct adder *a, size_t at, struct added_piece *piece)
{
	const struct spot_place *all = a->spots->places;
	const uint32_t function = spots_function(a->spots, all[at].spot);
	for (int way = -1; way <= 1; way += 2) {
		for (size_t i = at; i < a->spots->place_count; i += (size_t)(int64_t)way) {
			if (all[i].spot == SPOT_NONE || spots_function(a->spots, all[i].spot) != function)
				break;
			if (all[i].line == 0 || all[i].file == NULL)
				continue;
			piece->file = all[i].file;
			piece->line = all[i].line;
			piece->discriminator = all[i].discriminator;
			return;
		}
	}
}

static int add_lineless(struct adder *a)
{
	const struct spot_place *all = a->spots->places;
	struct added_piece *piece = NULL;
	for (size_t i = 0; i < a->spots->place_count; i++) {
		if (!is_lineless(&all[i])) {
			piece = NULL;
			continue;
		}
		if (piece != NULL && (piece->end != all[i].pc || all[i].spot != all[i - 1].spot))
			piece = NULL;
		if (piece == NULL) {
			piece = new_added_piece(a, ADDED_NO_LINE, &all[i]);
			if (piece == NULL)
				return EXPORT_ENOMEM;
			if (all[i].spot != SPOT_NONE)
				find_construct(a, i, piece);
		}
		extend_piece(a, piece, &all[i]);
	}
	return EXPORT_OK;
}

/* ---- inlined ---- */

static int mark_inlined(struct adder *a)
{
	const struct spots *spots = a->spots;
	struct added_piece *piece = NULL;
	uint32_t at = SPOT_NONE;
	for (size_t i = 0; i < spots->place_count; i++) {
		const struct spot_place *place = &spots->places[i];
		const struct spot *spot = place->spot == SPOT_NONE ? NULL : &spots->all[place->spot];
		if (spot == NULL || spot->parent == SPOT_NONE) {
			piece = NULL;
			continue;
		}
		if (piece == NULL || piece->end != place->pc || at != place->spot) {
			piece = new_added_piece(a, ADDED_INLINED, place);
			if (piece == NULL)
				return EXPORT_ENOMEM;
			piece->name = spot->name;
			piece->file = spot->call_file;
			piece->line = spot->call_line;
			piece->discriminator = spot->call_discriminator;
			at = place->spot;
		}
		extend_piece(a, piece, place);
	}
	return EXPORT_OK;
}

/* ---- made again ---- */

struct place_key {
	const struct adder *adder;
	size_t place;
};

static bool same_source_place(const void *context, uint32_t index)
{
	const struct place_key *key = context;
	const struct spot_place *a = &key->adder->spots->places[key->place], *b = &key->adder->spots->places[index];
	const unsigned kinds = ISA_BRANCH | ISA_CALL;
	return a->spot == b->spot && a->line == b->line && a->discriminator == b->discriminator &&
	       (a->class_bits & kinds) == (b->class_bits & kinds) &&
	       ((a->class_bits & ISA_CALL) == 0 || a->target == b->target) &&
	       key->adder->columns[key->place] == key->adder->columns[index] && strcmp(a->file, b->file) == 0;
}

static int add_again(struct adder *a)
{
	const struct spots *spots = a->spots;
	for (size_t i = 0; i < spots->place_count; i++) {
		const struct spot_place *place = &spots->places[i];
		const struct place_key key = {a, i};
		struct image_place source;
		if (place->file == NULL || place->line == 0 || (place->class_bits & (ISA_BRANCH | ISA_CALL)) == 0)
			continue;
		a->columns[i] = image_places(a->image, place->pc, &source, 1) == 1 ? source.column : 0;
		const uint32_t hash = hash_of_two((uint64_t)place->line << 32 | a->columns[i], place->spot);
		const uint32_t first = hash_find(&a->places, hash, same_source_place, &key);
		if (first == HASH_NONE) {
			if (!hash_add(&a->places, hash, (uint32_t)i))
				return EXPORT_ENOMEM;
			continue;
		}
		struct added_piece *piece = new_added_piece(a, ADDED_AGAIN, place);
		if (piece == NULL)
			return EXPORT_ENOMEM;
		piece->first = spots->places[first].pc;
		extend_piece(a, piece, place);
	}
	return EXPORT_OK;
}

/* ---- called, but not named ---- */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether the text has the name, of which a compiler's suffix (".part.0") is no part. */
static bool names_function(const char *text, const char *name)
{
	char own[256];
	name += strspn(name, "_");
	const size_t length = strcspn(name, ".");
	if (length >= sizeof own)
		return true;
	memcpy(own, name, length);
	own[length] = '\0';
	for (const char *at = strstr(text, own); at != NULL; at = strstr(at + 1, own)) {
		if ((at == text || !is_name_char(at[-1])) && !is_name_char(at[length]))
			return true;
	}
	return false;
}

/* The first symbol of the image at an address or behind it. */
static size_t first_label(const struct image *image, uint64_t address)
{
	struct image_label label;
	size_t low = 0, high = 1;
	while (image_label(image, high, &label) && label.address < address)
		high *= 2;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (image_label(image, middle, &label) && label.address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether a text has one of the names that the function at an address has. */
static bool names_any(const struct image *image, const char *text, uint64_t address)
{
	struct image_label label;
	for (size_t i = first_label(image, address); image_label(image, i, &label) && label.address == address; i++) {
		if (names_function(text, label.name))
			return true;
	}
	return false;
}

/* In the lines from two before to two behind it; or none of them can be read. */
static bool is_named_beside(struct image *image, const struct spot_place *place, uint64_t address)
{
	bool read = false;
	const unsigned first = place->line > 2 ? place->line - 2 : 1;
	for (unsigned line = first; line <= place->line + 2; line++) {
		const char *text = image_source(image, place->file, line);
		if (text != NULL && names_any(image, text, address))
			return true;
		read = read || text != NULL;
	}
	return !read;
}

/* Where a call goes: by JAL, or by JALR behind its AUIPC; 0: not known. */
static uint64_t called_address(const struct adder *a, size_t at)
{
	const struct spot_place *place = &a->spots->places[at];
	uint64_t target = place->target;
	if (target == 0 && !image_far_target(a->image, place->pc, &target))
		return 0;
	return target;
}

static int add_called(struct adder *a)
{
	for (size_t i = 0; i < a->spots->place_count; i++) {
		const struct spot_place *place = &a->spots->places[i];
		const uint64_t target = called_address(a, i);
		uint64_t start;
		if (place->file == NULL || place->line == 0 || (place->class_bits & ISA_CALL) == 0 || target == 0)
			continue;
		const char *name = image_whole_function(a->image, target, &start);
		if (name == NULL || strncmp(name, "_Z", 2) == 0 || is_named_beside(a->image, place, start))
			continue;
		struct added_piece *piece = new_added_piece(a, ADDED_CALLED, place);
		if (piece == NULL)
			return EXPORT_ENOMEM;
		piece->name = name;
		extend_piece(a, piece, place);
	}
	return EXPORT_OK;
}

int added_make(struct added *added, struct image *image, const struct spots *spots, const struct gather_result *result,
    uint32_t build)
{
	struct adder a = {.added = added, .image = image, .spots = spots, .result = result, .build = build};
	a.columns = calloc(spots->place_count + 1, sizeof *a.columns);
	int error = a.columns == NULL ? EXPORT_ENOMEM : add_lineless(&a);
	if (error == EXPORT_OK)
		error = mark_inlined(&a);
	if (error == EXPORT_OK)
		error = add_again(&a);
	if (error == EXPORT_OK)
		error = add_called(&a);
	hash_free(&a.places);
	free(a.columns);
	return error;
}

void added_free(struct added *added)
{
	free(added->all);
	*added = (struct added){0};
}
