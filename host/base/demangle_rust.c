/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/demangle_rust.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is longer is shown as it is: it is read again and again, so that a name of megabytes would take minutes. */
enum { HASH_LENGTH = 17, NAME_MOST = 1 << 16 };

/* The last identifier, "h" and 16 digits; behind it is what LLVM adds (.llvm.123). NULL: it is a name of C++. */
static const char *legacy_hash(const char *name)
{
	for (const char *at = name; (at = strstr(at, "17h")) != NULL; at++) {
		const char *hash = at + 2;
		if (strspn(hash + 1, "0123456789abcdef") == HASH_LENGTH - 1 && hash[HASH_LENGTH] == 'E' &&
		    (hash[HASH_LENGTH + 1] == '\0' || hash[HASH_LENGTH + 1] == '.'))
			return hash;
	}
	return NULL;
}

/* What stands for a character that assemblers do not take; its length, 0: none of these. */
static size_t put_escape(FILE *out, const char *text, size_t length)
{
	static const char *const escapes[][2] = {{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"},
	    {"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","}, {"..", "::"}};
	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
		const size_t size = strlen(escapes[i][0]);
		if (size <= length && strncmp(text, escapes[i][0], size) == 0) {
			fputs(escapes[i][1], out);
			return size;
		}
	}
	unsigned code;
	int used = 0;
	if (length >= 5 && sscanf(text, "$u%2x$%n", &code, &used) == 1 && used == 5 && code >= 0x20 && code < 0x7F) {
		fputc((int)code, out);
		return 5;
	}
	return 0;
}

static bool put_legacy(FILE *out, const char *at, const char *hash)
{
	for (bool first = true; at < hash - 2; first = false) {
		char *text;
		const size_t length = strtoul(at, &text, 10);
		if (text == at || length == 0 || length > (size_t)(hash - text))
			return false;
		at = text + length;
		if (!first)
			fputs("::", out);
		if (text[0] == '_' && text[1] == '$') /* no identifier begins with $ */
			text++;
		while (text < at) {
			const size_t escape = put_escape(out, text, (size_t)(at - text));
			if (escape == 0)
				fputc(*text, out);
			text += escape == 0 ? 1 : escape;
		}
	}
	return at == hash - 2;
}

char *demangle_rust(const char *name)
{
	const bool v0 = strncmp(name, "_R", 2) == 0 && name[2] >= 'A' && name[2] <= 'Z';
	if ((!v0 && strncmp(name, "_ZN", 3) != 0) || strnlen(name, NAME_MOST) == NAME_MOST)
		return NULL;
	const char *hash = v0 ? NULL : legacy_hash(name);
	char *text = NULL;
	size_t size;
	FILE *out = v0 || hash != NULL ? open_memstream(&text, &size) : NULL;
	if (out == NULL)
		return NULL;
	const bool good = v0 ? demangle_rust_v0(out, name + 2) : put_legacy(out, name + 3, hash);
	if (fclose(out) == 0 && good)
		return text;
	free(text);
	return NULL;
}
