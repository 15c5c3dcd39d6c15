/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/object/archive.h"
#include "host/base/order.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THIN_MAGIC "!<thin>\n"
#define HEADER sizeof(struct ar_hdr)

static int fail_archive(char *detail, size_t size, uint64_t at, const char *what)
{
	snprintf(detail, size, "the archive is damaged at offset %llu: %s", (unsigned long long)at, what);
	return OBJECT_EARCHIVE;
}

bool archive_is(const void *bytes, size_t size)
{
	return size >= SARMAG && (memcmp(bytes, ARMAG, SARMAG) == 0 || memcmp(bytes, THIN_MAGIC, SARMAG) == 0);
}

static bool read_decimal(const char *text, size_t length, uint64_t *value)
{
	size_t i = 0;
	*value = 0;
	while (i < length && text[i] >= '0' && text[i] <= '9')
		*value = *value * 10 + (uint64_t)(text[i++] - '0');
	bool any = i > 0;
	while (i < length && text[i] == ' ')
		i++;
	return any && i == length;
}

/* The header at archive->at; a table's contents are in the archive even if it is thin. */
static int read_member_header(
    const struct archive *a, struct ar_hdr *header, uint64_t *size, char *detail, size_t detail_size)
{
	if (a->size - a->at < HEADER)
		return fail_archive(detail, detail_size, a->at, "a member's header is cut off");
	memcpy(header, a->file + a->at, HEADER);
	if (memcmp(header->ar_fmag, ARFMAG, 2) != 0 || !read_decimal(header->ar_size, sizeof header->ar_size, size))
		return fail_archive(detail, detail_size, a->at, "no member begins here");
	return OBJECT_OK;
}

static bool is_symbol_table(const struct ar_hdr *header)
{
	return memcmp(header->ar_name, "/ ", 2) == 0 || memcmp(header->ar_name, "// ", 3) == 0 ||
	       memcmp(header->ar_name, "/SYM64/ ", 8) == 0;
}

int archive_open(struct archive *a, const void *bytes, size_t size, char *detail, size_t detail_size)
{
	*a = (struct archive){.file = bytes, .size = size, .at = SARMAG};
	if (!archive_is(bytes, size))
		return fail_archive(detail, detail_size, 0, "it does not begin as one");
	a->thin = memcmp(bytes, THIN_MAGIC, SARMAG) == 0;
	while (a->at < size) {
		struct ar_hdr header;
		uint64_t length;
		int error = read_member_header(a, &header, &length, detail, detail_size);
		if (error != OBJECT_OK)
			return error;
		if (!is_symbol_table(&header))
			break;
		if (length > size - a->at - HEADER)
			return fail_archive(detail, detail_size, a->at, "a table reaches beyond the end");
		const uint8_t *content = a->file + a->at + HEADER;
		if (memcmp(header.ar_name, "// ", 3) == 0) {
			a->names = content;
			a->names_size = length;
		} else {
			a->symbols = content;
			a->symbols_size = length;
			a->wide = header.ar_name[1] == 'S';
		}
		a->at += HEADER + length + (length & 1);
	}
	return OBJECT_OK;
}

int archive_next(struct archive *a, struct archive_member *member, char *detail, size_t detail_size)
{
	struct ar_hdr header;
	uint64_t length, where;
	if (a->at >= a->size)
		return 0;
	int error = read_member_header(a, &header, &length, detail, detail_size);
	if (error != OBJECT_OK)
		return error;
	*member = (struct archive_member){.offset = a->at};
	const char *name = (const char *)a->file + a->at;
	size_t room = sizeof header.ar_name;
	if (header.ar_name[0] == '/' && read_decimal(header.ar_name + 1, sizeof header.ar_name - 1, &where)) {
		if (a->names == NULL || where >= a->names_size)
			return fail_archive(detail, detail_size, a->at, "its long name is not there");
		name = (const char *)a->names + where;
		room = a->names_size - where;
		const char *end = memchr(name, '\n', room);
		member->name_length = end == NULL ? room : (size_t)(end - name);
		if (member->name_length > 0 && name[member->name_length - 1] == '/')
			member->name_length--;
	} else {
		const char *end = memchr(name, '/', room);
		member->name_length = end == NULL ? room : (size_t)(end - name);
		while (end == NULL && member->name_length > 0 && name[member->name_length - 1] == ' ')
			member->name_length--;
	}
	member->name = name;
	member->size = length;
	if (a->thin) {
		a->at += HEADER;
		return 1;
	}
	if (length > a->size - a->at - HEADER)
		return fail_archive(detail, detail_size, a->at, "a member reaches beyond the end");
	member->bytes = a->file + a->at + HEADER;
	a->at += HEADER + length;
	a->at += a->at & 1;
	return 1;
}

int archive_begin(struct archive_writer *w, const struct archive *archive, archive_emit *emit, void *context)
{
	*w = (struct archive_writer){.archive = archive, .emit = emit, .context = context, .at = SARMAG};
	/* a thin archive's tables have their header and contents in it too; what comes first keeps its size, except
	 * for names of a thin archive, which are paths */
	if (archive->symbols != NULL)
		w->at += HEADER + archive->symbols_size + (archive->symbols_size & 1);
	if (archive->names != NULL)
		w->at += HEADER + archive->names_size + (archive->names_size & 1);
	return OBJECT_OK;
}

static int emit_member(struct archive_writer *w, uint64_t at, const void *bytes, size_t size)
{
	return w->emit(w->context, at, bytes, size) == 0 ? OBJECT_OK : OBJECT_EWRITE;
}

int archive_put(struct archive_writer *w, const struct archive_member *member, const void *bytes, size_t size)
{
	struct ar_hdr header;
	char text[24];
	if (w->count == w->room) {
		size_t larger = w->room + w->room / 2 + 64;
		uint64_t *old = realloc(w->old, larger * sizeof *old);
		if (old == NULL)
			return OBJECT_ENOMEM;
		w->old = old;
		uint64_t *now = realloc(w->now, larger * sizeof *now);
		if (now == NULL)
			return OBJECT_ENOMEM;
		w->now = now;
		w->room = larger;
	}
	w->old[w->count] = member->offset;
	w->now[w->count++] = w->at;
	memcpy(&header, w->archive->file + member->offset, HEADER);
	if (size != member->size || w->archive->thin) {
		int length = snprintf(text, sizeof text, "%-10zu", size);
		if (length != 10)
			return OBJECT_EUNSUPPORTED;
		memcpy(header.ar_size, text, 10);
	}
	int error = emit_member(w, w->at, &header, HEADER);
	if (error == OBJECT_OK)
		error = emit_member(w, w->at + HEADER, bytes, size);
	w->at += HEADER + size;
	if (error == OBJECT_OK && (w->at & 1) != 0)
		error = emit_member(w, w->at++, "\n", 1);
	return error;
}

static uint64_t get_big(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void put_big(uint8_t *bytes, unsigned size, uint64_t value)
{
	for (unsigned i = size; i-- > 0; value >>= 8)
		bytes[i] = (uint8_t)value;
}

static uint64_t moved_offset(const struct archive_writer *w, uint64_t offset)
{
	size_t low;
	ORDER_FIRST(low, 0, w->count, w->old[low] < offset);
	return low < w->count && w->old[low] == offset ? w->now[low] : offset;
}

/* A table with its header as it stands in the old archive: contents point there. */
static int put_archive_table(
    struct archive_writer *w, uint64_t *at, const uint8_t *content, size_t size, const uint8_t *now)
{
	int error = emit_member(w, *at, content - HEADER, HEADER);
	if (error == OBJECT_OK)
		error = emit_member(w, *at + HEADER, now, size);
	*at += HEADER + size;
	if (error == OBJECT_OK && (size & 1) != 0)
		error = emit_member(w, (*at)++, "\n", 1);
	return error;
}

int archive_finish(struct archive_writer *w, int error)
{
	const struct archive *a = w->archive;
	uint64_t at = SARMAG;
	if (error == OBJECT_OK)
		error = emit_member(w, 0, ARMAG, SARMAG);
	if (error == OBJECT_OK && a->symbols != NULL) {
		unsigned wide = a->wide ? 8 : 4;
		uint64_t count = a->symbols_size >= wide ? get_big(a->symbols, wide) : 0;
		uint8_t *now = malloc(a->symbols_size + 1);
		if (now == NULL)
			error = OBJECT_ENOMEM;
		else {
			memcpy(now, a->symbols, a->symbols_size);
			for (uint64_t i = 1; i <= count && (i + 1) * wide <= a->symbols_size; i++)
				put_big(now + i * wide, wide, moved_offset(w, get_big(now + i * wide, wide)));
			if (!a->wide && w->at > UINT32_MAX)
				error = OBJECT_EUNSUPPORTED;
			else
				error = put_archive_table(w, &at, a->symbols, a->symbols_size, now);
		}
		free(now);
	}
	if (error == OBJECT_OK && a->names != NULL)
		error = put_archive_table(w, &at, a->names, a->names_size, a->names);
	free(w->old);
	free(w->now);
	return error;
}
