/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

/* Most pieces are one character. A stream is one thread's, so nobody has to be kept out. */
static void put_piece(const struct json *json, const char *text, size_t size)
{
	if (size == 1)
		putc_unlocked(*text, json->out);
	else
		fwrite(text, 1, size, json->out);
}

static void new_line(struct json *json)
{
	putc_unlocked('\n', json->out);
	for (unsigned i = 0; !json->compact && i < 2 * json->depth; i++)
		putc_unlocked(' ', json->out);
}

/*
 * yajl's pieces, with white space between them. Punctuation comes as pieces of one character, and so do the quotes
 * around a string; a quote inside of it is a piece of two, \".
 */
static void append_layout(void *context, const char *text, size_t size)
{
	struct json *json = context;
	char c = size == 1 ? *text : '\0';
	if (json->quoted) {
		json->quoted = c != '"';
		put_piece(json, text, size);
		return;
	}
	bool closes = c == '}' || c == ']';
	if (closes)
		json->depth--;
	if (closes ? !json->empty && json->line == 0 : json->empty && json->depth > 0 && json->line == 0)
		new_line(json);
	json->empty = c == '{' || c == '[';
	json->quoted = c == '"';
	put_piece(json, text, size);
	if (json->empty)
		json->depth++;
	if (c == ',' && json->line == 0)
		new_line(json);
	else if ((c == ',' || c == ':') && !json->compact)
		putc_unlocked(' ', json->out);
}

static void take_status(struct json *json, yajl_gen_status status)
{
	if (status != yajl_gen_status_ok)
		json->failed = true;
}

/* How many bytes the character at c has; 0: it is no UTF-8 (overlong, a surrogate, above U+10FFFF, cut short). */
static size_t utf8_length(const unsigned char *c)
{
	size_t length = 0;
	if (*c < 0x80)
		length = 1;
	else if (*c >= 0xC2 && *c < 0xE0)
		length = 2;
	else if (*c >= 0xE0 && *c < 0xF0)
		length = 3;
	else if (*c >= 0xF0 && *c < 0xF5)
		length = 4;
	for (size_t i = 1; i < length; i++) {
		if ((c[i] & 0xC0) != 0x80)
			return 0;
	}
	bool wrong = (*c == 0xE0 && c[1] < 0xA0) || (*c == 0xED && c[1] >= 0xA0) || (*c == 0xF0 && c[1] < 0x90) ||
		     (*c == 0xF4 && c[1] >= 0x90);
	return wrong ? 0 : length;
}

bool json_is_utf8(const char *words)
{
	const unsigned char *c = (const unsigned char *)words;
	while (*c != '\0') {
		const size_t length = utf8_length(c);
		if (length == 0)
			return false;
		c += length;
	}
	return true;
}

char *json_make_utf8(const char *words)
{
	const unsigned char *text = (const unsigned char *)words;
	char *copy = malloc(3 * strlen(words) + 1), *to = copy;
	while (copy != NULL && *text != '\0') {
		size_t length = utf8_length(text);
		memcpy(to, length == 0 ? (const unsigned char *)"\xEF\xBF\xBD" : text, length == 0 ? 3 : length);
		to += length == 0 ? 3 : length;
		text += length == 0 ? 1 : length;
	}
	if (copy != NULL)
		*to = '\0';
	return copy;
}

static void put_string(struct json *json, const char *text)
{
	char *copy = NULL;
	if (json->generator == NULL)
		return;
	if (text == NULL) {
		take_status(json, yajl_gen_null(json->generator));
		return;
	}
	if (!json_is_utf8(text) && (copy = json_make_utf8(text)) == NULL) {
		json->failed = true;
		return;
	}
	const char *good = copy == NULL ? text : copy;
	take_status(json, yajl_gen_string(json->generator, (const unsigned char *)good, strlen(good)));
	free(copy);
}

static void put_json_key(struct json *json, const char *name)
{
	if (name != NULL)
		put_string(json, name);
}

/* A number as text. */
static void put_json_number(struct json *json, const char *name, const char *text, int size)
{
	put_json_key(json, name);
	if (json->generator != NULL)
		take_status(json, yajl_gen_number(json->generator, text, (size_t)size));
}

static void start_document(struct json *json, FILE *out, bool compact)
{
	*json = (struct json){.out = out, .compact = compact, .generator = yajl_gen_alloc(NULL)};
	if (json->generator == NULL)
		json->failed = true;
	else
		yajl_gen_config(json->generator, yajl_gen_print_callback, append_layout, json);
}

static bool finish_document(struct json *json)
{
	if (json->generator != NULL)
		yajl_gen_free(json->generator);
	json->generator = NULL;
	return !json->failed;
}

void json_open(struct json *json, FILE *out)
{
	start_document(json, out, false);
	json_object(json, NULL);
}

void json_open_compact(struct json *json, FILE *out)
{
	start_document(json, out, true);
	json_object(json, NULL);
}

void json_open_line(struct json *json, FILE *out)
{
	start_document(json, out, false);
	json_line(json, NULL);
}

bool json_close(struct json *json)
{
	json_object_end(json);
	if (json->depth != 0)
		json->failed = true;
	fputc('\n', json->out);
	return finish_document(json);
}

static void begin_container(struct json *json, const char *name, bool array)
{
	unsigned depth = json->depth;
	put_json_key(json, name);
	if (json->generator != NULL)
		take_status(json, array ? yajl_gen_array_open(json->generator) : yajl_gen_map_open(json->generator));
	if (json->depth > depth)
		json->array[depth] = array;
}

/* yajl does not look which of the two it ends. */
static void end_container(struct json *json, bool array)
{
	if (json->depth == 0 || json->array[json->depth - 1] != array)
		json->failed = true;
	else
		take_status(json, array ? yajl_gen_array_close(json->generator) : yajl_gen_map_close(json->generator));
	if (json->line > json->depth)
		json->line = 0;
}

void json_object(struct json *json, const char *name)
{
	begin_container(json, name, false);
}

void json_object_end(struct json *json)
{
	end_container(json, false);
}

void json_array(struct json *json, const char *name)
{
	begin_container(json, name, true);
}

void json_array_end(struct json *json)
{
	end_container(json, true);
}

static void on_one_line(struct json *json)
{
	if (json->line == 0)
		json->line = json->depth;
}

void json_line(struct json *json, const char *name)
{
	json_object(json, name);
	on_one_line(json);
}

void json_row(struct json *json, const char *name)
{
	json_array(json, name);
	on_one_line(json);
}

void json_text(struct json *json, const char *name, const char *value)
{
	put_json_key(json, name);
	put_string(json, value);
}

void json_number(struct json *json, const char *name, uint64_t value)
{
	char text[24];
	size_t at = sizeof text;
	do
		text[--at] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	put_json_number(json, name, text + at, (int)(sizeof text - at));
}

void json_signed(struct json *json, const char *name, int64_t value)
{
	char text[24];
	put_json_number(json, name, text, snprintf(text, sizeof text, "%" PRId64, value));
}

void json_real(struct json *json, const char *name, double value)
{
	char text[40];
	if (isfinite(value))
		put_json_number(json, name, text, snprintf(text, sizeof text, "%.9g", value));
	else
		json_null(json, name);
}

void json_fixed(struct json *json, const char *name, double value, int decimals)
{
	char text[400];
	if (isfinite(value))
		put_json_number(json, name, text, snprintf(text, sizeof text, "%.*f", decimals, value));
	else
		json_null(json, name);
}

void json_milli(struct json *json, const char *name, uint64_t value)
{
	char text[32];
	put_json_number(
	    json, name, text, snprintf(text, sizeof text, "%" PRIu64 ".%03u", value / 1000, (unsigned)(value % 1000)));
}

void json_bool(struct json *json, const char *name, bool value)
{
	put_json_key(json, name);
	if (json->generator != NULL)
		take_status(json, yajl_gen_bool(json->generator, value));
}

void json_null(struct json *json, const char *name)
{
	put_json_key(json, name);
	if (json->generator != NULL)
		take_status(json, yajl_gen_null(json->generator));
}

void json_hex(struct json *json, const char *name, uint64_t value, int digits)
{
	char text[24];
	snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value);
	json_text(json, name, text);
}

bool json_quoted(const char *text, FILE *out)
{
	struct json json;
	start_document(&json, out, true);
	put_string(&json, text);
	return finish_document(&json);
}
