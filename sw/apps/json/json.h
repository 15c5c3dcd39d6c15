/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef JSON_H
#define JSON_H
/* JSON (RFC 8259) into a tree in an arena, queries by path, and canonical text. Numbers are fixed point: thousandths in
 * 64 bits. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	uint8_t kind;     /* enum json_kind */
	uint16_t length;  /* bytes of text, or number of children */
	const char *name; /* in an object; not terminated */
	uint16_t name_length;
	union {
		int64_t thousandths;
		const char *text;   /* UTF-8, escapes resolved, not terminated */
		struct json *first; /* child */
	} u;
	struct json *next; /* sibling */
};

struct json_arena { /* used <= size */
	uint8_t *bytes;
	size_t size, used;
};

enum json_error {
	JSON_OK = 0,
	JSON_ESYNTAX = -1,
	JSON_EDEPTH = -2,
	JSON_EMEMORY = -3,
	JSON_ENUMBER = -4,
	JSON_ESTRING = -5
};

/* Returns 0 or a negative error; *at is then the offset of the offending character. */
int json_parse(struct json_arena *arena, const char *text, size_t size, struct json **root, size_t *at);
/* "list.3.name": members by name, elements by index; NULL if there is no such value. */
const struct json *json_find(const struct json *value, const char *path);
/* Canonical text: no blanks, members as they came, shortest escapes. Returns the length, as snprintf. */
size_t json_write(const struct json *value, char *text, size_t size);
#endif
