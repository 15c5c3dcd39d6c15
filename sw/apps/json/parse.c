/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "json.h"

#include <string.h>

#define DEPTH_MAX 24

struct parser {
	const char *at, *end;
	struct json_arena *arena;
	unsigned depth;
};

static void *allocate(struct parser *p, size_t size)
{
	size_t start = (p->arena->used + 7) & ~(size_t)7;
	if (size > p->arena->size || start > p->arena->size - size)
		return NULL;
	p->arena->used = start + size;
	return p->arena->bytes + start;
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
		p->at++;
}

static bool accept(struct parser *p, char c)
{
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static int hex_digits(struct parser *p, uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++, p->at++) {
		if (p->at == p->end)
			return JSON_ESTRING;
		char c = *p->at;
		uint32_t digit = c >= '0' && c <= '9'                 ? (uint32_t)(c - '0')
				 : (c | 32) >= 'a' && (c | 32) <= 'f' ? (uint32_t)((c | 32) - 'a' + 10)
								      : 16;
		if (digit == 16)
			return JSON_ESTRING;
		*value = *value << 4 | digit;
	}
	return JSON_OK;
}

static char *put_utf8(char *out, uint32_t code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xC0 | code >> 6);
		*out++ = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		*out++ = (char)(0xE0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 63));
		*out++ = (char)(0x80 | (code & 63));
	} else {
		*out++ = (char)(0xF0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 63));
		*out++ = (char)(0x80 | (code >> 6 & 63));
		*out++ = (char)(0x80 | (code & 63));
	}
	return out;
}

/* What follows \u: one escape, or two for a character beyond the basic plane. */
static int unicode_escape(struct parser *p, uint32_t *code)
{
	uint32_t low;
	int error = hex_digits(p, code);
	if (error || *code < 0xD800 || *code > 0xDFFF)
		return error;
	if (*code > 0xDBFF || !accept(p, '\\') || !accept(p, 'u') || (error = hex_digits(p, &low)) || low < 0xDC00 ||
	    low > 0xDFFF)
		return JSON_ESTRING;
	*code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
	return JSON_OK;
}

static int parse_escape(struct parser *p, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	if (p->at == p->end)
		return JSON_ESTRING;
	char c = *p->at++;
	if (c == 'u') {
		uint32_t code;
		int error = unicode_escape(p, &code);
		if (!error)
			*out = put_utf8(*out, code);
		return error;
	}
	const char *found = memchr(from, c, sizeof from - 1);
	if (!found)
		return JSON_ESTRING;
	*(*out)++ = to[found - from];
	return JSON_OK;
}

/* A string without escapes stays where it is; one with escapes is copied, and only becomes shorter. */
static int parse_string(struct parser *p, const char **text, uint16_t *length)
{
	const char *start = p->at;
	while (p->at < p->end && *p->at != '"' && *p->at != '\\' && (unsigned char)*p->at >= 0x20)
		p->at++;
	if (p->at < p->end && *p->at == '"') {
		*text = start;
		*length = (uint16_t)(p->at++ - start);
		return JSON_OK;
	}
	const char *closing = p->at;
	while (closing < p->end && *closing != '"')
		closing += *closing == '\\' && closing + 1 < p->end ? 2 : 1;
	char *copy = allocate(p, (size_t)(closing - start) + 1);
	if (!copy)
		return JSON_EMEMORY;
	size_t plain = (size_t)(p->at - start);
	memcpy(copy, start, plain);
	char *out = copy + plain;
	for (;;) {
		if (p->at == p->end || (unsigned char)*p->at < 0x20)
			return JSON_ESTRING;
		char c = *p->at++;
		if (c == '"')
			break;
		if (c != '\\') {
			*out++ = c;
			continue;
		}
		int error = parse_escape(p, &out);
		if (error)
			return error;
	}
	*text = copy;
	*length = (uint16_t)(out - copy);
	return JSON_OK;
}

static bool digit(const struct parser *p)
{
	return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

/* Integer part, up to three digits of fraction are kept; exponents shift the decimal point. */
static int parse_number(struct parser *p, int64_t *thousandths)
{
	bool negative = accept(p, '-');
	int64_t value = 0;
	int scale = 3;
	if (!digit(p) || (*p->at == '0' && p->at + 1 < p->end && p->at[1] >= '0' && p->at[1] <= '9'))
		return JSON_ENUMBER;
	for (; digit(p); p->at++) {
		if (value > INT64_MAX / 100000)
			return JSON_ENUMBER;
		value = value * 10 + (*p->at - '0');
	}
	if (accept(p, '.')) {
		if (!digit(p))
			return JSON_ENUMBER;
		for (; digit(p); p->at++)
			if (scale > 0) {
				value = value * 10 + (*p->at - '0');
				scale--;
			}
	}
	if (accept(p, 'e') || accept(p, 'E')) {
		bool down = accept(p, '-');
		int exponent = 0;
		if (!down)
			accept(p, '+');
		if (!digit(p))
			return JSON_ENUMBER;
		for (; digit(p); p->at++)
			if (exponent < 100)
				exponent = exponent * 10 + (*p->at - '0');
		scale += down ? -exponent : exponent;
	}
	for (; scale > 0 && value; scale--) {
		if (value > INT64_MAX / 10)
			return JSON_ENUMBER;
		value *= 10;
	}
	for (; scale < 0 && value; scale++)
		value /= 10;
	*thousandths = negative ? -value : value;
	return JSON_OK;
}

static int parse_value(struct parser *p, struct json *value);

/* Elements of an array, or members of an object, up to the closing bracket. */
static int parse_children(struct parser *p, struct json *parent, char closing)
{
	struct json **link = &parent->u.first;
	*link = NULL;
	skip_blanks(p);
	if (accept(p, closing))
		return JSON_OK;
	do {
		struct json *child = allocate(p, sizeof *child);
		if (!child)
			return JSON_EMEMORY;
		memset(child, 0, sizeof *child);
		skip_blanks(p);
		if (parent->kind == JSON_OBJECT) {
			if (!accept(p, '"'))
				return JSON_ESYNTAX;
			int error = parse_string(p, &child->name, &child->name_length);
			if (error)
				return error;
			skip_blanks(p);
			if (!accept(p, ':'))
				return JSON_ESYNTAX;
		}
		int error = parse_value(p, child);
		if (error)
			return error;
		*link = child;
		link = &child->next;
		parent->length++;
		skip_blanks(p);
	} while (accept(p, ','));
	return accept(p, closing) ? JSON_OK : JSON_ESYNTAX;
}

static int parse_word(struct parser *p, struct json *value, const char *word, enum json_kind kind)
{
	size_t length = strlen(word);
	if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length))
		return JSON_ESYNTAX;
	p->at += length;
	value->kind = (uint8_t)kind;
	return JSON_OK;
}

static int parse_value(struct parser *p, struct json *value)
{
	skip_blanks(p);
	if (p->at == p->end)
		return JSON_ESYNTAX;
	switch (*p->at) {
	case '{':
	case '[':
		if (++p->depth > DEPTH_MAX)
			return JSON_EDEPTH;
		value->kind = *p->at == '{' ? JSON_OBJECT : JSON_ARRAY;
		p->at++;
		int error = parse_children(p, value, value->kind == JSON_OBJECT ? '}' : ']');
		p->depth--;
		return error;
	case '"':
		p->at++;
		value->kind = JSON_STRING;
		return parse_string(p, &value->u.text, &value->length);
	case 't':
		return parse_word(p, value, "true", JSON_TRUE);
	case 'f':
		return parse_word(p, value, "false", JSON_FALSE);
	case 'n':
		return parse_word(p, value, "null", JSON_NULL);
	default:
		value->kind = JSON_NUMBER;
		return parse_number(p, &value->u.thousandths);
	}
}

int json_parse(struct json_arena *arena, const char *text, size_t size, struct json **root, size_t *at)
{
	struct parser p = {text, text + size, arena, 0};
	int error = JSON_EMEMORY;
	*root = allocate(&p, sizeof **root);
	if (*root) {
		memset(*root, 0, sizeof **root);
		error = parse_value(&p, *root);
		skip_blanks(&p);
		if (!error && p.at != p.end)
			error = JSON_ESYNTAX;
	}
	*at = (size_t)(p.at - text);
	return error;
}
