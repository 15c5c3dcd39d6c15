/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/notes.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/bytes.h"

#define NOTES_MAGIC 0x67636E6FU /* "gcno", as the number that is written */
#define NOTES_MAJOR 0x42320000U /* "B2": gcc 12 */
#define TAG_FUNCTION 0x01000000U
#define TAG_BLOCKS 0x01410000U
#define TAG_ARCS 0x01430000U
#define TAG_LINES 0x01450000U

struct note_cursor { /* within a record */
	struct notes *notes;
	size_t at, end;
	bool bad; /* it went past the end */
};

const char *notes_strerror(int error)
{
	switch (error) {
	case NOTES_OK:
		return "no error";
	case NOTES_ENOMEM:
		return "out of memory";
	case NOTES_EMAGIC:
		return "is no .gcno file of gcc (little-endian)";
	case NOTES_EVERSION:
		return "is not of gcc 12: the notes of other versions are not read";
	default:
		return "is damaged";
	}
}

static uint32_t note_word(struct note_cursor *c)
{
	if (c->end - c->at < 4) {
		c->bad = true;
		return 0;
	}
	c->at += 4;
	return bytes_get32(c->notes->bytes + c->at - 4);
}

/* NULL: the empty text, or none. */
static const char *note_text(struct note_cursor *c)
{
	uint32_t size = note_word(c);
	const char *text = (const char *)c->notes->bytes + c->at;
	if (size == 0 || c->bad)
		return NULL;
	if (size > c->end - c->at || text[size - 1] != '\0') {
		c->bad = true;
		return NULL;
	}
	c->at += size;
	return text;
}

static int note_function(struct note_cursor *c)
{
	struct notes *notes = c->notes;
	if (!array_room(&notes->functions, notes->function_count + 1, &notes->function_room))
		return NOTES_ENOMEM;
	struct notes_function function = {.first_arc = notes->arc_count, .first_place = notes->place_count};
	function.ident = note_word(c);
	function.line_checksum = note_word(c);
	function.graph_checksum = note_word(c);
	function.name = note_text(c);
	function.artificial = note_word(c) != 0;
	function.file = note_text(c);
	function.first_line = note_word(c);
	(void)note_word(c);
	function.last_line = note_word(c);
	(void)note_word(c);
	if (function.name == NULL || function.file == NULL)
		return NOTES_EDAMAGED;
	notes->functions[notes->function_count++] = function;
	return NOTES_OK;
}

static int note_arcs(struct note_cursor *c, struct notes_function *function)
{
	struct notes *notes = c->notes;
	uint32_t from = note_word(c);
	while (c->end - c->at >= 8) {
		struct notes_arc arc = {.from = from};
		arc.to = note_word(c);
		arc.flags = note_word(c);
		if (arc.from >= function->block_count || arc.to >= function->block_count)
			return NOTES_EDAMAGED;
		if (!array_room(&notes->arcs, notes->arc_count + 1, &notes->arc_room))
			return NOTES_ENOMEM;
		notes->arcs[notes->arc_count++] = arc;
		function->arc_count++;
	}
	return NOTES_OK;
}

static int note_lines(struct note_cursor *c, struct notes_function *function)
{
	struct notes *notes = c->notes;
	struct notes_line place = {.block = note_word(c)};
	if (place.block >= function->block_count)
		return NOTES_EDAMAGED;
	while (c->at < c->end && !c->bad) {
		place.line = note_word(c);
		if (place.line == 0) {
			place.file = note_text(c);
			if (place.file == NULL)
				return NOTES_OK;
			continue;
		}
		if (place.file == NULL)
			return NOTES_EDAMAGED;
		if (!array_room(&notes->places, notes->place_count + 1, &notes->place_room))
			return NOTES_ENOMEM;
		notes->places[notes->place_count++] = place;
		function->place_count++;
	}
	return NOTES_OK;
}

/* A record; what it may be that is not known here is passed over, as gcc's own tools do. */
static int note_record(struct note_cursor *c, uint32_t tag)
{
	struct notes *notes = c->notes;
	if (tag == TAG_FUNCTION)
		return note_function(c);
	if (tag != TAG_BLOCKS && tag != TAG_ARCS && tag != TAG_LINES)
		return NOTES_OK;
	if (notes->function_count == 0)
		return NOTES_EDAMAGED;
	struct notes_function *function = &notes->functions[notes->function_count - 1];
	if (tag == TAG_ARCS)
		return note_arcs(c, function);
	if (tag == TAG_LINES)
		return note_lines(c, function);
	if (function->block_count != 0)
		return NOTES_EDAMAGED;
	function->block_count = note_word(c);
	/* each has arcs or lines, so a file has more bytes than blocks; solving the graph takes room for each */
	if (function->block_count <= NOTES_EXIT || function->block_count > notes->size)
		return NOTES_EDAMAGED;
	return function->block_count < UINT32_MAX / 4 ? NOTES_OK : NOTES_EDAMAGED;
}

static int note_records(struct note_cursor *file)
{
	struct notes *notes = file->notes;
	while (file->end - file->at >= 8) {
		notes->offset = file->at;
		uint32_t tag = note_word(file), size = note_word(file);
		if (size > file->end - file->at)
			return NOTES_EDAMAGED;
		struct note_cursor record = {.notes = notes, .at = file->at, .end = file->at + size};
		int error = note_record(&record, tag);
		if (error != NOTES_OK || record.bad)
			return error == NOTES_OK ? NOTES_EDAMAGED : error;
		file->at += size;
	}
	notes->offset = file->at;
	return file->at == file->end || (file->end - file->at == 4 && note_word(file) == 0) ? NOTES_OK : NOTES_EDAMAGED;
}

int notes_read(struct notes *notes, const void *bytes, size_t size)
{
	*notes = (struct notes){.bytes = malloc(size + 1), .size = size};
	if (notes->bytes == NULL)
		return NOTES_ENOMEM;
	memcpy(notes->bytes, bytes, size);
	struct note_cursor file = {.notes = notes, .end = size};
	if (note_word(&file) != NOTES_MAGIC)
		return NOTES_EMAGIC;
	notes->version = note_word(&file);
	if ((notes->version & 0xFFFF0000U) != NOTES_MAJOR)
		return NOTES_EVERSION;
	notes->stamp = note_word(&file);
	(void)note_word(&file); /* of the sources: 0 here */
	(void)note_text(&file);
	(void)note_word(&file);
	notes->offset = file.at;
	return file.bad ? NOTES_EDAMAGED : note_records(&file);
}

void notes_free(struct notes *notes)
{
	free(notes->bytes);
	free(notes->functions);
	free(notes->arcs);
	free(notes->places);
	*notes = (struct notes){0};
}
