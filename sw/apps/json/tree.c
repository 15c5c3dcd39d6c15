/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Queries on a parsed tree, and its canonical text. */
#include <string.h>

#include "json.h"

static const struct json *child_named(const struct json *value, const char *name, size_t length)
{
	for (const struct json *child = value->u.first; child; child = child->next)
		if (child->name_length == length && !memcmp(child->name, name, length))
			return child;
	return NULL;
}

static const struct json *child_at(const struct json *value, const char *index, size_t length)
{
	unsigned n = 0;
	for (size_t i = 0; i < length; i++) {
		if (index[i] < '0' || index[i] > '9')
			return NULL;
		n = n * 10 + (unsigned)(index[i] - '0');
	}
	const struct json *child = value->u.first;
	while (child && n--)
		child = child->next;
	return child;
}

const struct json *json_find(const struct json *value, const char *path)
{
	while (value && *path) {
		size_t length = strcspn(path, ".");
		if (value->kind == JSON_OBJECT)
			value = child_named(value, path, length);
		else if (value->kind == JSON_ARRAY)
			value = child_at(value, path, length);
		else
			return NULL;
		path += length;
		path += *path == '.';
	}
	return value;
}

struct writer {
	char *text;
	size_t size, length;
};

static void put(struct writer *w, char c)
{
	if (w->length < w->size)
		w->text[w->length] = c;
	w->length++;
}

static void put_text(struct writer *w, const char *text, size_t length)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	put(w, '"');
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		const char *escape = c < 0x20 || c == '"' || c == '\\' ? memchr(special, c, sizeof special - 1) : NULL;
		if (escape) {
			put(w, '\\');
			put(w, letters[escape - special]);
		} else if (c < 0x20) {
			for (const char *u = "\\u00"; *u; u++)
				put(w, *u);
			put(w, "0123456789abcdef"[c >> 4]);
			put(w, "0123456789abcdef"[c & 15]);
		} else {
			put(w, (char)c);
		}
	}
	put(w, '"');
}

static void put_number(struct writer *w, int64_t thousandths)
{
	char digits[24];
	unsigned n = 0;
	uint64_t rest = thousandths < 0 ? 0 - (uint64_t)thousandths : (uint64_t)thousandths;
	unsigned fraction = (unsigned)(rest % 1000);
	rest /= 1000;
	if (thousandths < 0)
		put(w, '-');
	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	while (n)
		put(w, digits[--n]);
	if (!fraction)
		return;
	put(w, '.');
	for (unsigned scale = 100; fraction; fraction %= scale, scale /= 10)
		put(w, (char)('0' + fraction / scale));
}

static void put_value(struct writer *w, const struct json *value)
{
	static const char *const words[] = {"null", "false", "true"};
	switch (value->kind) {
	case JSON_NUMBER:
		put_number(w, value->u.thousandths);
		break;
	case JSON_STRING:
		put_text(w, value->u.text, value->length);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		put(w, value->kind == JSON_OBJECT ? '{' : '[');
		for (const struct json *child = value->u.first; child; child = child->next) {
			if (value->kind == JSON_OBJECT) {
				put_text(w, child->name, child->name_length);
				put(w, ':');
			}
			put_value(w, child);
			if (child->next)
				put(w, ',');
		}
		put(w, value->kind == JSON_OBJECT ? '}' : ']');
		break;
	default:
		for (const char *c = words[value->kind]; *c; c++)
			put(w, *c);
	}
}

size_t json_write(const struct json *value, char *text, size_t size)
{
	struct writer w = {text, size, 0};
	put_value(&w, value);
	return w.length;
}
