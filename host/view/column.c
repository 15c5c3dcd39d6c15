/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Tables by column, and text. */
#include <inttypes.h>
#include <string.h>
#include "host/base/demangle.h"
#include "host/base/json.h"
#include "host/view/private.h"

void view_member(struct view *view, const char *name)
{
	fprintf(view->out, "%s\"%s\":", view->first ? "\n" : ",\n", name);
	view->first = false;
}

void view_table(struct view *view, const char *name)
{
	view_member(view, name);
	fputc('{', view->out);
	view->first = true;
}

void view_table_end(struct view *view)
{
	fputc('}', view->out);
	view->first = false;
}

static void write_item(FILE *out, const char *at, enum view_how how)
{
	uint64_t wide;
	uint32_t word;
	const char *text;
	switch (how) {
	case VIEW_U8:
		fprintf(out, "%u", *(const unsigned char *)at);
		return;
	case VIEW_U32:
		memcpy(&word, at, sizeof word);
		if (word == VIEW_NONE)
			fputs("-1", out);
		else
			fprintf(out, "%" PRIu32, word);
		return;
	case VIEW_U64:
		memcpy(&wide, at, sizeof wide);
		if (wide == UINT64_MAX)
			fputs("-1", out);
		else
			fprintf(out, "%" PRIu64, wide);
		return;
	case VIEW_HEX64:
		memcpy(&wide, at, sizeof wide);
		fprintf(out, "\"0x%" PRIx64 "\"", wide);
		return;
	case VIEW_TEXT:
		memcpy(&text, at, sizeof text);
		json_quoted(text, out);
		return;
	case VIEW_SHOWN:
		memcpy(&text, at, sizeof text);
		json_quoted(demangle(text), out);
		return;
	}
}

/* ---- columns as numbers of a fixed size ---- */

struct packed_type {
	const char *name;
	unsigned bytes; /* 8: a double */
};

static bool read_item(const char *at, enum view_how how, uint64_t *value)
{
	uint32_t word;
	switch (how) {
	case VIEW_U8:
		*value = *(const unsigned char *)at;
		return true;
	case VIEW_U32:
		memcpy(&word, at, sizeof word);
		*value = word == VIEW_NONE ? UINT64_MAX : word;
		return true;
	case VIEW_U64:
		memcpy(value, at, sizeof *value);
		return true;
	case VIEW_HEX64:
	case VIEW_TEXT:
	case VIEW_SHOWN:
		return false;
	}
	return false;
}

/* The smallest type that holds each item of the column; UINT64_MAX stands for -1. */
static struct packed_type type_of(const char *at, size_t count, size_t size, enum view_how how)
{
	uint64_t most = 0, value;
	bool negative = false;
	for (size_t i = 0; i < count && read_item(at, how, &value); i++, at += size) {
		negative = negative || value == UINT64_MAX;
		most = value != UINT64_MAX && value > most ? value : most;
	}
	if (negative)
		most *= 2;
	if (most <= UINT8_MAX)
		return (struct packed_type){negative ? "i8" : "u8", 1};
	if (most <= UINT16_MAX)
		return (struct packed_type){negative ? "i16" : "u16", 2};
	if (most <= UINT32_MAX)
		return (struct packed_type){negative ? "i32" : "u32", 4};
	return (struct packed_type){"f64", 8};
}

static void write_little(FILE *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		putc_unlocked((int)(value >> 8 * i & 255), out);
}

/* The numbers go behind the document; what stands in it says where. */
static void pack_column(struct view *view, const char *at, size_t count, size_t size, enum view_how how)
{
	struct view_columns *columns = view->input->columns;
	const struct packed_type type = type_of(at, count, size, how);
	for (; columns->size % 8 != 0; columns->size++)
		fputc(0, columns->out);
	fprintf(view->out, "{\"type\":\"%s\",\"at\":%" PRIu64 ",\"count\":%zu}", type.name, columns->size, count);
	columns->size += (uint64_t)count * type.bytes;
	for (size_t i = 0; i < count; i++, at += size) {
		uint64_t value = 0, bits;
		read_item(at, how, &value);
		const double number = value == UINT64_MAX ? -1 : (double)value;
		memcpy(&bits, &number, sizeof bits);
		write_little(columns->out, type.bytes == 8 ? bits : value, type.bytes);
	}
}

void view_column(struct view *view, const char *name, const void *first, size_t count, size_t size, enum view_how how)
{
	const char *at = first;
	view_member(view, name);
	if (view->input->columns != NULL && count >= VIEW_PACKED_ROWS && how < VIEW_HEX64) {
		pack_column(view, at, count, size, how);
		return;
	}
	fputc('[', view->out);
	for (size_t i = 0; i < count; i++, at += size) {
		if (i > 0)
			fputc(',', view->out);
		write_item(view->out, at, how);
	}
	fputc(']', view->out);
}

void view_names(struct view *view, const void *first, size_t count, size_t size)
{
	const char *at = first;
	bool differs = false;
	for (size_t i = 0; i < count && !differs; i++, at += size) {
		const char *name;
		memcpy(&name, at, sizeof name);
		differs = demangle(name) != name;
	}
	view_column(view, "name", first, count, size, VIEW_TEXT);
	if (differs)
		view_column(view, "shown", first, count, size, VIEW_SHOWN);
}
