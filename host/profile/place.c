/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/place.h"

#include <stdio.h>
#include <string.h>
#include "host/base/array.h"

#define PLACES_MAX 65536 /* more is damage */

bool profile_place(struct profile *profile, uint64_t base, const char *path)
{
	if (!array_room(&profile->places, profile->place_count + 1, &profile->place_room))
		return false;
	struct profile_place *place = &profile->places[profile->place_count++];
	*place = (struct profile_place){.base = base};
	snprintf(place->path, sizeof place->path, "%s", path);
	return true;
}

/* A piece of text behind the one in `to`; it is printed: nothing in it may steer a terminal. */
static bool take_text(char *to, size_t room, const uint8_t *bytes, size_t size)
{
	const size_t used = strlen(to);
	if (size >= room - used)
		return false;
	for (size_t i = 0; i < size; i++)
		to[used + i] = bytes[i] < 0x20 || bytes[i] == 0x7F ? '?' : (char)bytes[i];
	to[used + size] = '\0';
	return true;
}

/* The CRC-32 of the code of the place before. */
static bool take_place_code(struct profile *p, const uint8_t *content, size_t size, size_t at)
{
	uint64_t crc;
	if (p->place_count == 0 || frame_get_leb(content, size, &at, &crc) != 0 || crc > UINT32_MAX || at != size)
		return false;
	p->places[p->place_count - 1].code_crc = (uint32_t)crc;
	return true;
}

bool profile_place_read(struct profile *p, const uint8_t *content, size_t size, int *error)
{
	uint64_t part, base;
	size_t at = 2;
	if (frame_get_leb(content, size, &at, &part) != 0)
		return false;
	if (part == FRAME_PLACE_RULES)
		return p->rules[0] == '\0' && take_text(p->rules, sizeof p->rules, content + at, size - at);
	if (part == FRAME_PLACE_CODE)
		return take_place_code(p, content, size, at);
	if (part == FRAME_PLACE_MORE)
		return p->place_count > 0 &&
		       take_text(p->places[p->place_count - 1].path, PROFILE_PATH_MAX, content + at, size - at);
	if (part != FRAME_PLACE_BEGIN || p->place_count == PLACES_MAX ||
	    frame_get_leb(content, size, &at, &base) != 0 || size - at >= PROFILE_PATH_MAX)
		return false;
	if (!profile_place(p, base, "")) {
		*error = PROFILE_ENOMEM;
		return true;
	}
	return take_text(p->places[p->place_count - 1].path, PROFILE_PATH_MAX, content + at, size - at);
}

static const char *put_frame_text(struct frame *frame, const char *text)
{
	while (*text != '\0' && frame_room(frame) > 0)
		frame_byte(frame, (uint8_t)*text++);
	return text;
}

int profile_place_write(const struct profile *profile, struct frame *frame, void (*begin)(void *context),
    int (*end)(void *context), void *context)
{
	int error = PROFILE_OK;
	for (size_t i = 0; i < profile->place_count && error == PROFILE_OK; i++) {
		const struct profile_place *place = &profile->places[i];
		const char *left = place->path;
		begin(context);
		frame_leb(frame, FRAME_PLACE_BEGIN);
		frame_leb(frame, place->base);
		left = put_frame_text(frame, left);
		error = end(context);
		while (*left != '\0' && error == PROFILE_OK) {
			begin(context);
			frame_leb(frame, FRAME_PLACE_MORE);
			left = put_frame_text(frame, left);
			error = end(context);
		}
		if (place->code_crc != 0 && error == PROFILE_OK) {
			begin(context);
			frame_leb(frame, FRAME_PLACE_CODE);
			frame_leb(frame, place->code_crc);
			error = end(context);
		}
	}
	if (profile->rules[0] != '\0' && error == PROFILE_OK) {
		begin(context);
		frame_leb(frame, FRAME_PLACE_RULES);
		put_frame_text(frame, profile->rules);
		error = end(context);
	}
	return error;
}

static bool same_place_of_code(const struct profile_place *a, const struct profile_place *b)
{
	return a->base == b->base && (a->code_crc == b->code_crc || a->code_crc == 0 || b->code_crc == 0);
}

int profile_merge_places(struct profile *profile, const struct profile *from)
{
	const size_t own = profile->place_count;
	if (profile->used > 0 && from->used > 0 && strcmp(profile->rules, from->rules) != 0)
		return PROFILE_EBUILD;
	if (profile->rules[0] == '\0')
		memcpy(profile->rules, from->rules, sizeof profile->rules);
	for (size_t i = 0; i < from->place_count; i++) {
		const struct profile_place *place = &from->places[i];
		size_t k = 0;
		while (k < own && strcmp(profile->places[k].path, place->path) != 0)
			k++;
		if (k < own && !same_place_of_code(&profile->places[k], place))
			return PROFILE_EBUILD;
		if (k == own && !profile_place(profile, place->base, place->path))
			return PROFILE_ENOMEM;
		struct profile_place *sum = &profile->places[k < own ? k : profile->place_count - 1];
		sum->code_crc = sum->code_crc == 0 ? place->code_crc : sum->code_crc;
	}
	return PROFILE_OK;
}
