/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Tables by column, and text. */
#include <inttypes.h>
#include <string.h>
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
	}
}

void view_column(struct view *view, const char *name, const void *first, size_t count, size_t size, enum view_how how)
{
	const char *at = first;
	view_member(view, name);
	fputc('[', view->out);
	for (size_t i = 0; i < count; i++, at += size) {
		if (i > 0)
			fputc(',', view->out);
		write_item(view->out, at, how);
	}
	fputc(']', view->out);
}
