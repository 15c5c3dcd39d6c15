/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/view/delta.h"

#include <stdlib.h>
#include <string.h>

/* A part of a document: a value, or what is left of it. */
struct part {
	const char *at, *end;
};

static bool same_text(struct part a, struct part b)
{
	return a.end - a.at == b.end - b.at && memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0;
}

static bool is_begun_by(struct part part, char c)
{
	return part.at < part.end && *part.at == c;
}

static void skip_space(struct part *rest)
{
	while (rest->at < rest->end && (*rest->at == '\n' || *rest->at == ' ' || *rest->at == ','))
		rest->at++;
}

static const char *end_of_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

/* The next value of an array or object; rest goes behind it. False: there is none. */
static bool next_value(struct part *rest, struct part *value)
{
	skip_space(rest);
	const char *at = rest->at;
	unsigned depth = 0;
	if (at >= rest->end || *at == ']' || *at == '}')
		return false;
	for (bool more = true; more && at < rest->end;) {
		if (*at == '"') {
			at = end_of_string(at, rest->end);
		} else if (*at == '[' || *at == '{') {
			depth++;
			at++;
		} else if (*at == ']' || *at == '}') {
			depth--;
			at++;
		} else
			at++;
		more = depth > 0 || (at < rest->end && strchr(",]}:\n", *at) == NULL);
	}
	*value = (struct part){rest->at, at < rest->end ? at : rest->end};
	rest->at = value->end;
	return true;
}

/* The next member of an object; rest begins behind its brace. */
static bool next_member(struct part *rest, struct part *name, struct part *value)
{
	if (!next_value(rest, name) || !is_begun_by(*rest, ':'))
		return false;
	rest->at++;
	return next_value(rest, value);
}

static struct part inside_of(struct part value)
{
	value.at++;
	return value;
}

/* Writers keep the order of members: the one sought is most often the next one. */
static bool find_member(struct part object, struct part *place, struct part name, struct part *value)
{
	struct part found;
	for (unsigned turn = 0; turn < 2; turn++) {
		while (next_member(place, &found, value))
			if (same_text(found, name))
				return true;
		*place = inside_of(object);
	}
	return false;
}

struct writer {
	FILE *out;
	bool any; /* of the object that is open */
};

static void copy_part(FILE *out, struct part part)
{
	fwrite(part.at, 1, (size_t)(part.end - part.at), out);
}

static void begin_member(struct writer *writer, struct part name)
{
	if (writer->any)
		fputc(',', writer->out);
	writer->any = true;
	copy_part(writer->out, name);
	fputc(':', writer->out);
}

/* ---- a column ---- */

/* The rows that changed or are new, each run of them as [first, value, ...]; false: it has become shorter. */
static bool write_runs(struct part before, struct part after, FILE *out)
{
	struct part old = inside_of(before), new = inside_of(after), a, b;
	bool open = false, any = false;
	for (size_t row = 0; next_value(&new, &b); row++) {
		const bool same = next_value(&old, &a) && same_text(a, b);
		if (same && open)
			fputc(']', out);
		if (!same && !open)
			fprintf(out, "%s[%zu", any ? "," : "", row);
		if (!same) {
			fputc(',', out);
			copy_part(out, b);
		}
		any = any || !same;
		open = !same;
	}
	if (open)
		fputc(']', out);
	return !next_value(&old, &a);
}

/* The column as a patch if that is shorter, else whole. */
static void write_column(struct part before, struct part after, FILE *out)
{
	char *bytes = NULL;
	size_t size = 0;
	bool fits = false;
	FILE *runs = is_begun_by(before, '[') && is_begun_by(after, '[') ? open_memstream(&bytes, &size) : NULL;
	if (runs != NULL) {
		fits = write_runs(before, after, runs);
		fits = fclose(runs) == 0 && fits && size + sizeof "{\"patch\":[]}" < (size_t)(after.end - after.at);
	}
	if (fits)
		fprintf(out, "{\"patch\":[%s]}", bytes);
	else
		copy_part(out, after);
	free(bytes);
}

/* ---- a profile ---- */

/* Names of the members of one object that another one does not have. */
static void write_gone(struct writer *writer, struct part before, struct part after)
{
	static const char gone[] = "\"gone\"";
	struct part rest = inside_of(before), place = inside_of(after), name, value, other;
	bool any = false;
	while (next_member(&rest, &name, &value)) {
		if (find_member(after, &place, name, &other))
			continue;
		if (!any)
			begin_member(writer, (struct part){gone, gone + sizeof gone - 1});
		fputc(any ? ',' : '[', writer->out);
		any = true;
		copy_part(writer->out, name);
	}
	if (any)
		fputc(']', writer->out);
}

/* columns: the members are columns, else they are a profile's. */
static void write_members(struct writer *writer, struct part before, struct part after, bool columns)
{
	struct part rest = inside_of(after), place = inside_of(before), name, value, old;
	while (next_member(&rest, &name, &value)) {
		const bool known = find_member(before, &place, name, &old);
		if (known && same_text(old, value))
			continue;
		begin_member(writer, name);
		if (known && columns) {
			write_column(old, value, writer->out);
		} else if (known && is_begun_by(old, '{') && is_begun_by(value, '{')) {
			struct writer table = {writer->out, false};
			fputc('{', writer->out);
			write_members(&table, old, value, true);
			write_gone(&table, old, value);
			fputc('}', writer->out);
		} else
			copy_part(writer->out, value);
	}
}

/* The array "profiles" of a document. */
static bool find_profiles(const struct delta_text *document, struct part *profiles)
{
	static const char name[] = "\"profiles\"";
	struct part whole = {document->text, document->text + document->size};
	if (!is_begun_by(whole, '{'))
		return false;
	struct part place = inside_of(whole);
	return find_member(whole, &place, (struct part){name, name + sizeof name - 1}, profiles) &&
	       is_begun_by(*profiles, '[');
}

static bool write_profiles(const struct delta_text *before, const struct delta_text *after, FILE *out)
{
	struct part olds, news, old, new;
	if (!find_profiles(before, &olds) || !find_profiles(after, &news))
		return false;
	olds = inside_of(olds);
	news = inside_of(news);
	fputs("{\"format\":\"rivulet view delta\",\"version\":1,\"profiles\":[", out);
	for (bool first = true; next_value(&news, &new); first = false) {
		struct writer writer = {out, false};
		if (!next_value(&olds, &old))
			return false;
		fputs(first ? "{" : ",{", out);
		write_members(&writer, old, new, false);
		write_gone(&writer, old, new);
		fputc('}', out);
	}
	fputs("]}\n", out);
	return !next_value(&olds, &old);
}

bool delta_write(const struct delta_text *before, const struct delta_text *after, FILE *out)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&bytes, &size);
	bool fits = memory != NULL && write_profiles(before, after, memory);
	if (memory != NULL && fclose(memory) != 0)
		fits = false;
	fits = fits && size < after->size / 2;
	if (fits)
		fwrite(bytes, 1, size, out);
	free(bytes);
	return fits;
}
