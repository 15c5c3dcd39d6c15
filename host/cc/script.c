/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cc/script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_MAX (1u << 24)

/* Behind blanks and comments. */
static const char *skip(const char *at)
{
	for (;;) {
		const char *end;
		if (isspace((unsigned char)*at))
			at++;
		else if (*at == '#')
			at += strcspn(at, "\n");
		else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")) != NULL)
			at = end + 2;
		else
			return at;
	}
}

/* Behind `word:', or NULL. */
static const char *tag(const char *at, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(at, word, length) != 0)
		return NULL;
	at = skip(at + length);
	return *at == ':' ? at + 1 : NULL;
}

static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL, *grown;
	size_t used = 0, got = 1;
	while (file != NULL && got > 0 && used < SCRIPT_MAX) {
		grown = realloc(text, used + 4096 + 1);
		if (grown == NULL)
			break;
		text = grown;
		got = fread(text + used, 1, 4096, file);
		used += got;
		text[used] = '\0';
	}
	if (file != NULL)
		fclose(file);
	return text;
}

char *script_export(const char *path, const char *symbol)
{
	char *text = read_whole(path), *out = NULL;
	const char *at = text == NULL ? "" : skip(text), *global;
	while (*at != '\0' && *at != '{')
		at = skip(at + 1);
	if (*at == '{') {
		at = skip(at + 1);
		global = tag(at, "global");
		const char *before = tag(at, "local") != NULL || *at == '}' ? "global: " : "";
		at = global != NULL ? global : at;
		size_t head = (size_t)(at - text), size = strlen(text) + strlen(symbol) + 16;
		out = malloc(size);
		if (out != NULL)
			snprintf(out, size, "%.*s %s%s; %s", (int)head, text, before, symbol, at);
	}
	free(text);
	return out;
}
