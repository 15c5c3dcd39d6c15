/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/qemu/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY_ALIGN UINT64_C(0x100000) /* of a library whose own place is taken */

bool places_open(struct code_places *places, const struct capture_file *file, const char *program)
{
	places->file = file;
	places->program = program;
	places->objects = (const struct capture_object *)((const char *)file + CAPTURE_OBJECTS_AT);
	places->all = calloc(CAPTURE_OBJECTS_MAX + 1, sizeof *places->all);
	return places->all != NULL;
}

void places_close(struct code_places *places)
{
	free(places->all);
	places->all = NULL;
}

/* Where the first page of an image lies as it is linked, or was moved to. */
static uint64_t first_page(const struct image *image)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	return segments[0].address & ~UINT64_C(0xFFF);
}

static enum place_kind code_at(struct code_place *place, uint64_t base, uint64_t at)
{
	place->kind = PLACE_CODE;
	place->shift = base - at;
	return PLACE_CODE;
}

/* The program itself runs where it is linked for, or can be moved to where it ran. */
static enum place_kind place_program(struct code_places *p, struct code_place *place, uint64_t base)
{
	if (image_moveable(p->image) && image_load_address(p->image) == 0) {
		if (image_move(p->image, base, NULL, 0) != IMAGE_OK)
			return PLACE_OUTSIDE;
		if (!profile_place(p->profile, base, ""))
			return PLACE_OUTSIDE;
	}
	/* a program that is not moved has its first page where the file says */
	return code_at(place, base, image_moveable(p->image) ? image_load_address(p->image) : base);
}

static enum place_kind add_library(struct code_places *p, struct code_place *place, const struct capture_object *o)
{
	struct image *library;
	uint64_t at = o->base;
	if (strlen(o->path) >= PROFILE_PATH_MAX || p->profile->place_count > RECORDS_OBJECTS_MAX ||
	    image_open(&library, o->path, NULL, 0) != IMAGE_OK)
		return PLACE_OUTSIDE;
	bool added = !image_moveable(library) || image_move(library, at, NULL, 0) == IMAGE_OK;
	if (!added || image_add(p->image, library, NULL, 0) != IMAGE_OK) { /* another one lies there */
		image_close(library);
		at = (image_end(p->image) + LIBRARY_ALIGN - 1) & ~(LIBRARY_ALIGN - 1);
		if (image_open(&library, o->path, NULL, 0) != IMAGE_OK)
			return PLACE_OUTSIDE;
		if (image_move(library, at, NULL, 0) != IMAGE_OK || image_add(p->image, library, NULL, 0) != IMAGE_OK) {
			image_close(library);
			return PLACE_OUTSIDE;
		}
	}
	if (!profile_place(p->profile, at, o->path))
		return PLACE_OUTSIDE;
	p->profile->places[p->profile->place_count - 1].code_crc = image_code_build(library);
	p->run->libraries++;
	return code_at(place, o->base, first_page(library));
}

/* The same file, mapped before: elsewhere, or by another process. */
static const struct profile_place *known_place(const struct code_places *p, const char *path)
{
	for (size_t i = 0; i < p->profile->place_count; i++) {
		if (strcmp(p->profile->places[i].path, path) == 0)
			return &p->profile->places[i];
	}
	return NULL;
}

static enum place_kind look_at(struct code_places *p, uint32_t number);

static bool is_program(const struct code_places *p, uint32_t number)
{
	return strcmp(p->objects[number].path, p->program) == 0;
}

/* Libraries are added to where the program is. */
static void look_at_program(struct code_places *p)
{
	const uint32_t count = atomic_load(&p->file->objects);
	for (uint32_t i = 1; i <= count && i <= CAPTURE_OBJECTS_MAX; i++) {
		if (atomic_load_explicit(&p->objects[i].ready, memory_order_acquire) == CAPTURE_FILE &&
		    is_program(p, i)) {
			if (p->all[i].kind == PLACE_NEW)
				look_at(p, i);
			return;
		}
	}
}

static enum place_kind look_at(struct code_places *p, uint32_t number)
{
	struct code_place *place = &p->all[number];
	const struct capture_object *o = &p->objects[number];
	const uint32_t ready = atomic_load_explicit(&o->ready, memory_order_acquire);
	if (ready == CAPTURE_MADE)
		return place->kind = PLACE_MADE;
	if (ready != CAPTURE_FILE)
		return PLACE_OUTSIDE;
	place->kind = PLACE_SEEN;
	if (!is_program(p, number))
		look_at_program(p);
	const struct profile_place *known = known_place(p, o->path);
	if (is_program(p, number))
		place->kind = (uint8_t)place_program(p, place, o->base);
	else if (known != NULL)
		code_at(place, o->base, known->base);
	else
		place->kind = (uint8_t)add_library(p, place, o);
	if (place->kind == PLACE_OUTSIDE && p->run->unread[0] == '\0')
		snprintf(p->run->unread, sizeof p->run->unread, "%.200s", o->path);
	return place->kind;
}

/* Of a system of this width: bit 47 is the sign. */
static uint64_t places_address(uint64_t address, uint32_t width)
{
	const uint64_t sign = width == 64 ? CAPTURE_ADDRESS(address) >> (CAPTURE_SPACE - 1) : 0;
	return CAPTURE_ADDRESS(address) | (0 - sign) << CAPTURE_SPACE;
}

enum place_kind places_find(struct code_places *places, uint64_t *address)
{
	const uint32_t width = places->file->system, all = (uint32_t)(*address >> CAPTURE_SPACE);
	const uint32_t number = width != 0 ? CAPTURE_SYSTEM_OBJECT(all) : all;
	const struct code_place *place = &places->all[number];
	const enum place_kind kind = place->kind == PLACE_NEW ? look_at(places, number) : (enum place_kind)place->kind;
	if (width != 0)
		*address = places_address(*address, width) - (kind == PLACE_CODE ? place->shift : 0);
	else if (kind == PLACE_CODE)
		*address = CAPTURE_ADDRESS(*address) - place->shift;
	return kind;
}
