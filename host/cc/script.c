/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cc/script.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define SCRIPT_MAX (1u << 24)

/* Behind blanks and comments. */
static const char *skip_comments(const char *at)
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
static const char *skip_tag(const char *at, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(at, word, length) != 0)
		return NULL;
	at = skip_comments(at + length);
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
	const char *at = text == NULL ? "" : skip_comments(text), *global;
	while (*at != '\0' && *at != '{')
		at = skip_comments(at + 1);
	if (*at == '{') {
		at = skip_comments(at + 1);
		global = skip_tag(at, "global");
		const char *before = skip_tag(at, "local") != NULL || *at == '}' ? "global: " : "";
		at = global != NULL ? global : at;
		size_t head = (size_t)(at - text), size = strlen(text) + strlen(symbol) + 16;
		out = malloc(size);
		if (out != NULL)
			snprintf(out, size, "%.*s %s%s; %s", (int)head, text, before, symbol, at);
	}
	free(text);
	return out;
}

/* ---------------------------------------------------------------- what a script names */
struct inputs {
	char **words;
	size_t count, room;
	bool bad;
};

static void put_input(struct inputs *in, const char *text, size_t length)
{
	if (in->bad || !array_room(&in->words, in->count + 2, &in->room)) {
		in->bad = true;
		return;
	}
	in->words[in->count] = strndup(text, length);
	in->bad = in->words[in->count] == NULL;
	in->count += !in->bad;
	in->words[in->count] = NULL;
}

static void put_input_word(struct inputs *in, const char *word)
{
	put_input(in, word, strlen(word));
}

static const char *skip_opening(struct inputs *in, const char *at)
{
	at = skip_comments(at);
	in->bad |= *at != '(';
	return at + (*at == '(');
}

/* A list up to its `)', which may have AS_NEEDED lists in it. */
static const char *read_input_list(struct inputs *in, const char *at, bool inside)
{
	for (;;) {
		at = skip_comments(at);
		if (*at == ',') {
			at++;
			continue;
		}
		if (*at == ')' || *at == '\0' || in->bad) {
			in->bad |= *at != ')';
			return at + (*at == ')');
		}
		bool quoted = *at == '"';
		size_t length = quoted ? strcspn(at + 1, "\"") : strcspn(at, " \t\r\n,()");
		if (!quoted && !inside && length == 9 && strncmp(at, "AS_NEEDED", 9) == 0) {
			put_input_word(in, "--push-state");
			put_input_word(in, "--as-needed");
			at = read_input_list(in, skip_opening(in, at + length), true);
			put_input_word(in, "--pop-state");
			continue;
		}
		in->bad |= length == 0 || (quoted && at[1 + length] == '\0');
		put_input(in, at + quoted, length);
		at += in->bad ? 0 : length + 2 * quoted;
	}
}

char **script_inputs(const char *path)
{
	struct inputs in = {0};
	char *text = read_whole(path);
	const char *at = text == NULL ? "" : skip_comments(text);
	while (*at != '\0' && !in.bad) {
		size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
		bool group = length == 5 && strncmp(at, "GROUP", 5) == 0;
		bool input = length == 5 && strncmp(at, "INPUT", 5) == 0;
		if (group)
			put_input_word(&in, "--start-group");
		if (group || input)
			at = read_input_list(&in, skip_opening(&in, at + length), false);
		else if (length == 13 && strncmp(at, "OUTPUT_FORMAT", 13) == 0) {
			size_t before = in.count;
			at = read_input_list(&in, skip_opening(&in, at + length), false);
			while (in.count > before)
				free(in.words[--in.count]);
		} else
			in.bad = true;
		if (group)
			put_input_word(&in, "--end-group");
		at = skip_comments(at);
		at += *at == ';';
		at = skip_comments(at);
	}
	free(text);
	if (in.words != NULL)
		in.words[in.count] = NULL;
	if (!in.bad && in.count > 0)
		return in.words;
	script_words_free(in.words);
	return NULL;
}

void script_words_free(char **words)
{
	for (char **w = words; w != NULL && *w != NULL; w++)
		free(*w);
	free(words);
}
