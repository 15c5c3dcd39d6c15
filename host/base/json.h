/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_BASE_JSON_H
#define RIVULET_BASE_JSON_H
/*
 * JSON: one value after the other, commas and indentation made here. Members of objects have a name, items
 * of arrays have NULL. Text that is no UTF-8 comes out with U+FFFD in place of what is wrong; numbers that are not
 * finite are null.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The inside of a string; a string with its quotes, NULL: null. */
void json_escaped(const char *text, FILE *out);
void json_quoted(const char *text, FILE *out);

struct json {
	FILE *out;
	unsigned depth;
	bool first;  /* nothing stands in the innermost object or array yet */
	bool inside; /* it is written on one line */
	unsigned inside_from;
};

void json_open(struct json *json, FILE *out); /* begins the outermost object */
void json_close(struct json *json);           /* ends it, with a line end */
void json_object(struct json *json, const char *name);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *name);
void json_array_end(struct json *json);
void json_line(struct json *json, const char *name); /* an object that is written on one line, with all inside */
void json_text(struct json *json, const char *name, const char *text); /* NULL: null */
void json_number(struct json *json, const char *name, uint64_t value);
void json_signed(struct json *json, const char *name, int64_t value);
void json_real(struct json *json, const char *name, double value); /* 9 digits */
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
void json_hex(struct json *json, const char *name, uint64_t value, int digits); /* "0x0000001f" */
#endif
