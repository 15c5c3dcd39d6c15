/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_JSON_H
#define RIVULET_BASE_JSON_H
/*
 * JSON, one value after the other: yajl's generator writes and escapes, this adds the white space. Members of objects
 * have a name, items of arrays have NULL.
 *
 *   struct json j;
 *   json_open(&j, out);                  {
 *   json_text(&j, "name", "main");         "name": "main",
 *   json_row(&j, "blocks");                "blocks": [1, 2]
 *   json_number(&j, NULL, 1);            }
 *   json_number(&j, NULL, 2);
 *   json_array_end(&j);
 *   json_close(&j);
 *
 * Text that is no UTF-8 comes out with U+FFFD in place of what is wrong; numbers that are not finite are null.
 * At most JSON_DEPTH objects and arrays stand inside of each other.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 127

/* Whether a text is UTF-8; and a copy in which U+FFFD stands for each byte that belongs to no character, to be freed.
 * NULL: out of memory. */
bool json_is_utf8(const char *words);
char *json_make_utf8(const char *words);

/* Invariant: from json_open() to json_close() `generator` is yajl's, or it is NULL and `failed` is set. */
struct json {
	FILE *out;
	void *generator;
	unsigned depth;
	unsigned line;              /* the depth inside the object or array that is on one line; 0: none */
	bool array[JSON_DEPTH + 1]; /* which of those around are arrays */
	bool compact;               /* no indentation, no spaces */
	bool quoted;                /* yajl is inside a string */
	bool empty;                 /* nothing stands in the innermost object or array yet */
	bool failed;                /* out of memory, or a value at a place where none may stand */
};

/* Begins the outermost object; json_close() ends it, with a line end, and says whether all that was asked for is
 * written. It does not look at the stream: ferror(). */
void json_open(struct json *json, FILE *out);
void json_open_compact(struct json *json, FILE *out); /* for documents of megabytes */
void json_open_line(struct json *json, FILE *out);    /* all of it on one line */
bool json_close(struct json *json);

void json_object(struct json *json, const char *name); /* each member on a line of its own */
void json_line(struct json *json, const char *name);   /* an object on one line, with all inside */
void json_object_end(struct json *json);
void json_array(struct json *json, const char *name); /* each item on a line of its own */
void json_row(struct json *json, const char *name);   /* an array on one line, with all inside */
void json_array_end(struct json *json);

void json_text(struct json *json, const char *name, const char *text); /* NULL: null */
void json_number(struct json *json, const char *name, uint64_t value);
void json_signed(struct json *json, const char *name, int64_t value);
void json_real(struct json *json, const char *name, double value);                /* 9 digits */
void json_fixed(struct json *json, const char *name, double value, int decimals); /* so many behind the point */
void json_milli(struct json *json, const char *name, uint64_t value);             /* thousandths: 1234 is 1.234 */
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
void json_hex(struct json *json, const char *name, uint64_t value, int digits); /* "0x0000001f" */

/* A string alone, with its quotes; NULL: null. For a writer that keeps its own order. False: out of memory. */
bool json_quoted(const char *text, FILE *out);
#endif
