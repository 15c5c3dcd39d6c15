/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The v0 mangling of Rust, read by its grammar (RFC 2603) from left to right: a letter says what follows. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/demangle_rust.h"

enum { DEEPEST = 128, LONGEST = 1 << 16 }; /* a name that goes back to itself again and again may have no end */

/* ---------------------------------------------------------------- letters and numbers */

struct v0 {
	const char *name, *at; /* behind "_R"; places of back references count from there */
	FILE *out;             /* NULL: read over it */
	unsigned depth, lifetimes;
	bool wrong;
};

static bool v0_takes(struct v0 *v, char letter)
{
	const bool takes = !v->wrong && *v->at == letter;
	v->at += takes;
	return takes;
}

static void v0_put(struct v0 *v, const char *text)
{
	if (v->out == NULL || v->wrong)
		return;
	fputs(text, v->out);
	v->wrong = ftell(v->out) > LONGEST;
}

static void v0_put_number(struct v0 *v, uint64_t number)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, number);
	v0_put(v, text);
}

/* "_" is 0, "0_" is 1, "Z_" is 62. */
static uint64_t v0_base62(struct v0 *v)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	uint64_t number = 0;
	if (v0_takes(v, '_'))
		return 0;
	while (!v0_takes(v, '_')) {
		const char *digit = *v->at == '\0' ? NULL : strchr(digits, *v->at);
		if (digit == NULL || number > UINT64_MAX / 64) {
			v->wrong = true;
			return 0;
		}
		number = 62 * number + (uint64_t)(digit - digits);
		v->at++;
	}
	return number + 1;
}

/* The number behind an optional letter, counted from 1; 0 without it. */
static uint64_t v0_optional(struct v0 *v, char letter)
{
	return v0_takes(v, letter) ? v0_base62(v) + 1 : 0;
}

/* An identifier with its disambiguator. */
struct v0_identifier {
	const char *text;
	size_t length;
	uint64_t which;
	bool punycode;
};

static struct v0_identifier v0_identifier(struct v0 *v)
{
	struct v0_identifier id = {.which = v0_optional(v, 's')};
	char *end;
	id.punycode = v0_takes(v, 'u');
	if (*v->at < '0' || *v->at > '9')
		v->wrong = true;
	if (v->wrong)
		return id;
	id.length = strtoul(v->at, &end, 10);
	v->at = end;
	(void)v0_takes(v, '_');
	id.text = v->at;
	if (id.length > strlen(v->at)) {
		v->wrong = true;
		id.length = 0;
	}
	v->at += id.length;
	return id;
}

static void v0_put_identifier(struct v0 *v, const struct v0_identifier *id)
{
	if (v->out == NULL || v->wrong)
		return;
	fprintf(v->out, id->punycode ? "punycode{%.*s}" : "%.*s", (int)id->length, id->text);
}

/* ---------------------------------------------------------------- paths, types, constants */

static void v0_path(struct v0 *v, bool value);
static void v0_type(struct v0 *v);
static void v0_const(struct v0 *v);

/* What a back reference says is read by `read` at its place, which lies before it. */
static void v0_back(struct v0 *v, void (*read)(struct v0 *v))
{
	const char *start = v->at - 1;
	const uint64_t place = v0_base62(v);
	const char *behind = v->at;
	if (v->wrong || place >= (uint64_t)(start - v->name)) {
		v->wrong = true;
		return;
	}
	if (v->out == NULL)
		return;
	v->at = v->name + place;
	read(v);
	v->at = behind;
}

static void v0_path_of_type(struct v0 *v)
{
	v0_path(v, false);
}

static void v0_path_of_value(struct v0 *v)
{
	v0_path(v, true);
}

static void v0_lifetime(struct v0 *v, uint64_t which)
{
	if (which == 0) {
		v0_put(v, "'_");
		return;
	}
	if (which > v->lifetimes) {
		v->wrong = true;
		return;
	}
	const uint64_t depth = v->lifetimes - which;
	const char text[] = {'\'', (char)('a' + depth % 26), '\0'};
	v0_put(v, text);
	if (depth >= 26)
		v0_put_number(v, depth);
}

/* "for<'a, 'b> "; returns how many there are. */
static unsigned v0_binder(struct v0 *v)
{
	const uint64_t count = v0_optional(v, 'G');
	if (count > 64)
		v->wrong = true;
	for (unsigned i = 0; i < count && !v->wrong; i++) {
		v0_put(v, i == 0 ? "for<" : ", ");
		v->lifetimes++;
		v0_lifetime(v, 1);
	}
	if (count > 0)
		v0_put(v, "> ");
	return v->wrong ? 0 : (unsigned)count;
}

static void v0_argument(struct v0 *v)
{
	if (v0_takes(v, 'L'))
		v0_lifetime(v, v0_base62(v));
	else if (v0_takes(v, 'K'))
		v0_const(v);
	else
		v0_type(v);
}

/* Up to E, with commas between; how many. */
static unsigned v0_list(struct v0 *v, void (*read)(struct v0 *v))
{
	unsigned count = 0;
	for (; !v->wrong && !v0_takes(v, 'E'); count++) {
		if (count > 0)
			v0_put(v, ", ");
		read(v);
	}
	return count;
}

/* Where an implementation stands is not shown, but its type. */
static void v0_skip_impl(struct v0 *v)
{
	FILE *out = v->out;
	v->out = NULL;
	(void)v0_optional(v, 's');
	v0_path(v, false);
	v->out = out;
}

static void v0_nested(struct v0 *v, bool value)
{
	const char space = *v->at;
	v->at += space != '\0';
	v0_path(v, value);
	const struct v0_identifier id = v0_identifier(v);
	if (space >= 'A' && space <= 'Z') { /* {closure#0}, {shim:vtable#0} */
		v0_put(v, "::{");
		if (space == 'C' || space == 'S')
			v0_put(v, space == 'C' ? "closure" : "shim");
		else
			v0_put(v, (const char[]){space, '\0'});
		if (id.length > 0)
			v0_put(v, ":");
		v0_put_identifier(v, &id);
		v0_put(v, "#");
		v0_put_number(v, id.which);
		v0_put(v, "}");
	} else if (space < 'a' || space > 'z')
		v->wrong = true;
	else if (id.length > 0) {
		v0_put(v, "::");
		v0_put_identifier(v, &id);
	}
}

static void v0_path_kind(struct v0 *v, char kind, bool value)
{
	struct v0_identifier id;
	switch (kind) {
	case 'C': /* a crate */
		id = v0_identifier(v);
		v0_put_identifier(v, &id);
		return;
	case 'M':                /* <Type> */
	case 'X':                /* <Type as Trait> */
		v0_skip_impl(v); /* fall through */
	case 'Y':
		v0_put(v, "<");
		v0_type(v);
		if (kind != 'M') {
			v0_put(v, " as ");
			v0_path(v, false);
		}
		v0_put(v, ">");
		return;
	case 'N':
		v0_nested(v, value);
		return;
	case 'I':
		v0_path(v, value);
		v0_put(v, value ? "::<" : "<");
		v0_list(v, v0_argument);
		v0_put(v, ">");
		return;
	case 'B':
		v0_back(v, value ? v0_path_of_value : v0_path_of_type);
		return;
	default:
		v->wrong = true;
	}
}

/* False: there is nothing, or it lies too deep. */
static bool v0_enter(struct v0 *v)
{
	v->wrong = v->wrong || v->depth == DEEPEST || *v->at == '\0';
	v->depth += !v->wrong;
	return !v->wrong;
}

static void v0_path(struct v0 *v, bool value)
{
	if (!v0_enter(v))
		return;
	const char kind = *v->at++;
	v0_path_kind(v, kind, value);
	v->depth--;
}

static const char *v0_basic(char letter)
{
	static const char *const names[26] = {"i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize",
	    NULL, "i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL, "i64", "u64", "!"};
	return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

static void v0_function(struct v0 *v)
{
	const unsigned bound = v0_binder(v);
	if (v0_takes(v, 'U'))
		v0_put(v, "unsafe ");
	if (v0_takes(v, 'K')) {
		const struct v0_identifier abi = {.text = "C", .length = 1};
		const struct v0_identifier other = v0_takes(v, 'C') ? abi : v0_identifier(v);
		v0_put(v, "extern \"");
		v0_put_identifier(v, &other);
		v0_put(v, "\" ");
	}
	v0_put(v, "fn(");
	v0_list(v, v0_type);
	v0_put(v, ")");
	if (!v0_takes(v, 'u')) { /* it returns something */
		v0_put(v, " -> ");
		v0_type(v);
	}
	v->lifetimes -= v->wrong ? 0 : bound;
}

/* A trait of `dyn`: its path, whose arguments stay open for what it is bound to: Iterator<Item = u8>. */
static void v0_bound(struct v0 *v)
{
	const bool generic = v0_takes(v, 'I');
	bool open = generic;
	v0_path(v, false);
	if (generic) {
		v0_put(v, "<");
		v0_list(v, v0_argument);
	}
	while (v0_takes(v, 'p')) {
		v0_put(v, open ? ", " : "<");
		open = true;
		const struct v0_identifier id = v0_identifier(v);
		v0_put_identifier(v, &id);
		v0_put(v, " = ");
		v0_type(v);
	}
	if (open)
		v0_put(v, ">");
}

static void v0_dyn(struct v0 *v)
{
	v0_put(v, "dyn ");
	const unsigned bound = v0_binder(v);
	for (unsigned i = 0; !v->wrong && !v0_takes(v, 'E'); i++) {
		if (i > 0)
			v0_put(v, " + ");
		v0_bound(v);
	}
	v->lifetimes -= v->wrong ? 0 : bound;
	if (!v0_takes(v, 'L')) {
		v->wrong = true;
		return;
	}
	const uint64_t lifetime = v0_base62(v);
	if (lifetime > 0) {
		v0_put(v, " + ");
		v0_lifetime(v, lifetime);
	}
}

static void v0_reference(struct v0 *v, bool changes)
{
	v0_put(v, "&");
	const uint64_t lifetime = v0_takes(v, 'L') ? v0_base62(v) : 0;
	if (lifetime > 0) {
		v0_lifetime(v, lifetime);
		v0_put(v, " ");
	}
	if (changes)
		v0_put(v, "mut ");
	v0_type(v);
}

static void v0_type_kind(struct v0 *v, char kind)
{
	switch (kind) {
	case 'A':
	case 'S':
		v0_put(v, "[");
		v0_type(v);
		if (kind == 'A') {
			v0_put(v, "; ");
			v0_const(v);
		}
		v0_put(v, "]");
		return;
	case 'T':
		v0_put(v, "(");
		v0_put(v, v0_list(v, v0_type) == 1 ? ",)" : ")");
		return;
	case 'R':
	case 'Q':
		v0_reference(v, kind == 'Q');
		return;
	case 'P':
	case 'O':
		v0_put(v, kind == 'P' ? "*const " : "*mut ");
		v0_type(v);
		return;
	case 'F':
		v0_function(v);
		return;
	case 'D':
		v0_dyn(v);
		return;
	case 'B':
		v0_back(v, v0_type);
		return;
	default:
		v->at--;
		v0_path(v, false);
	}
}

static void v0_type(struct v0 *v)
{
	const char *basic = v0_basic(*v->at);
	if (!v0_enter(v))
		return;
	const char kind = *v->at++;
	if (basic != NULL)
		v0_put(v, basic);
	else
		v0_type_kind(v, kind);
	v->depth--;
}

/* A number in hexadecimal, as its type has it. */
static void v0_const_value(struct v0 *v, char type)
{
	const bool negative = v0_takes(v, 'n');
	const size_t length = strspn(v->at, "0123456789abcdef");
	char digits[20] = "";
	if (v->at[length] != '_' || length > 16) {
		v->wrong = true;
		return;
	}
	memcpy(digits, v->at, length);
	v->at += length + 1;
	const uint64_t number = strtoull(digits, NULL, 16);
	if (type == 'b')
		v0_put(v, number != 0 ? "true" : "false");
	else if (type == 'c' && number >= 0x20 && number < 0x7F && number != '\'' && number != '\\')
		v0_put(v, (const char[]){'\'', (char)number, '\'', '\0'});
	else if (type == 'c') {
		char text[32];
		snprintf(text, sizeof text, "'\\u{%" PRIx64 "}'", number);
		v0_put(v, text);
	} else {
		v0_put(v, negative ? "-" : "");
		v0_put_number(v, number);
	}
}

/* A back reference to a constant may lead to another one, and so on: that lies as deep as a type would. */
static void v0_const(struct v0 *v)
{
	if (!v0_enter(v))
		return;
	if (v0_takes(v, 'B'))
		v0_back(v, v0_const);
	else if (v0_takes(v, 'p'))
		v0_put(v, "_");
	else if (*v->at != '\0' && strchr("ahijlmnostxybc", *v->at) != NULL)
		v0_const_value(v, *v->at++);
	else
		v->wrong = true;
	v->depth--;
}

bool demangle_rust_v0(FILE *out, const char *name)
{
	struct v0 v = {.name = name, .at = name, .out = out};
	v0_path(&v, true);
	if (!v.wrong && *v.at != '\0' && *v.at != '.' && *v.at != '$') { /* the crate that made this instance */
		v.out = NULL;
		v0_path(&v, false);
	}
	return !v.wrong && (*v.at == '\0' || *v.at == '.' || *v.at == '$');
}
