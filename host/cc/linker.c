/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cc/linker.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cc/script.h"

#define NAME 4096
#define DEPTH 100

enum linker_kind linker_kind_of(const char *path)
{
	unsigned char bytes[18] = {0};
	FILE *file = fopen(path, "rb");
	size_t got = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
	if (file != NULL)
		fclose(file);
	if (got >= 8 && (memcmp(bytes, "!<arch>\n", 8) == 0 || memcmp(bytes, "!<thin>\n", 8) == 0))
		return LINKER_ARCHIVE;
	bool bitcode = got >= 4 && (memcmp(bytes, "BC\xC0\xDE", 4) == 0 || memcmp(bytes, "\xDE\xC0\x17\x0B", 4) == 0);
	return bitcode || (got == 18 && memcmp(bytes, ELFMAG, SELFMAG) == 0 && bytes[16] == ET_REL && bytes[17] == 0)
		   ? LINKER_OBJECT
		   : LINKER_WORD;
}

static bool add_linker_word(struct linker *l, const char *text)
{
	if (!array_room(&l->words, l->count + 1, &l->room))
		return false;
	l->words[l->count] = (struct linker_word){.text = strdup(text)};
	return l->words[l->count++].text != NULL;
}

/* The words of an @FILE: separated by blanks, with quotes and backslashes as the GNU tools write them. */
static bool add_response_file(struct linker *l, const char *path)
{
	FILE *file = fopen(path, "r");
	char text[NAME];
	size_t length = 0;
	bool in = false, good = file != NULL;
	int quote = 0, c;
	while (good && (c = getc(file)) != EOF) {
		if (quote == 0 && isspace(c)) {
			text[length] = '\0';
			good = !in || add_linker_word(l, text);
			in = false;
			length = 0;
			continue;
		}
		in = true;
		if (c == '\\' && quote != '\'')
			c = getc(file);
		else if (quote != 0 ? c == quote : c == '\'' || c == '"') {
			quote = quote != 0 ? 0 : c;
			continue;
		}
		good = length + 1 < sizeof text && c != EOF;
		if (good)
			text[length++] = (char)c;
	}
	text[length] = '\0';
	good = good && (!in || add_linker_word(l, text));
	if (file != NULL)
		fclose(file);
	return good;
}

/* Options with a word behind them that is no input. */
static bool takes_word(const char *text)
{
	static const char *const options[] = {"-o", "-T", "-R", "-m", "-e", "-u", "-z", "-L", "-h", "-y", "-A", "-b",
	    "-c", "-F", "-f", "-G", "-I", "-Y", "-Map", "-plugin", "-plugin-opt", "-dynamic-linker", "-soname",
	    "-rpath", "-rpath-link", "-init", "-fini", "-entry", "-undefined", "-defsym", "-wrap", "-version-script",
	    "-dynamic-list", "-just-symbols", "-script", "-default-script", "-dT", "-retain-symbols-file", "-assert",
	    "-Tbss", "-Tdata", "-Ttext", "-section-start", "-architecture", "-output", "-library-path", "-format",
	    "-oformat", "-exclude-libs", "-trace-symbol", "-auxiliary", "-filter", "-hash-style", "-sysroot"};
	if (text[0] == '-' && text[1] == '-' && text[2] != '\0')
		text++; /* both spellings */
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		if (strcmp(text, options[i]) == 0)
			return true;
	}
	return false;
}

struct search {
	const char **directories;
	size_t count, room;
	const char *sysroot;
	bool statically;
};

static bool try_directory(const struct search *s, const char *directory, const char *name, char path[NAME])
{
	bool root = directory[0] == '=' || strncmp(directory, "$SYSROOT", 8) == 0;
	const char *rest = directory;
	if (directory[0] == '=')
		rest = directory + 1;
	else if (root)
		rest = directory + 8;
	snprintf(path, NAME, "%s%s/%s", root ? s->sysroot : "", rest, name);
	FILE *file = fopen(path, "rb");
	if (file != NULL)
		fclose(file);
	return file != NULL;
}

/* -lNAME: the first directory that has it, there the shared one first. False: nowhere. */
static bool find_library(const struct search *s, const char *name, char path[NAME])
{
	char whole[NAME];
	for (size_t i = 0; i < s->count; i++) {
		if (name[0] == ':') {
			if (try_directory(s, s->directories[i], name + 1, path))
				return true;
			continue;
		}
		snprintf(whole, sizeof whole, "lib%.4000s.so", name);
		if (!s->statically && try_directory(s, s->directories[i], whole, path))
			return true;
		snprintf(whole, sizeof whole, "lib%.4000s.a", name);
		if (try_directory(s, s->directories[i], whole, path))
			return true;
	}
	return false;
}

static bool is_either(const char *text, const char *one, const char *two)
{
	return strcmp(text, one) == 0 || strcmp(text, two) == 0;
}

/* What an option changes for the words behind it. */
static bool apply_linker_option(struct linker *l, struct search *s, size_t i, bool directories)
{
	const char *text = l->words[i].text, *next = i + 1 < l->count ? l->words[i + 1].text : NULL;
	if (directories) {
		const char *directory = NULL;
		if (is_either(text, "-L", "--library-path"))
			directory = next;
		else if (strncmp(text, "-L", 2) == 0)
			directory = text + 2;
		else if (strncmp(text, "--library-path=", 15) == 0)
			directory = text + 15;
		if (strncmp(text, "--sysroot=", 10) == 0)
			s->sysroot = text + 10;
		l->relocatable |= is_either(text, "-r", "--relocatable");
		l->shared |= is_either(text, "-shared", "--shared") || strcmp(text, "-Bshareable") == 0;
		l->dynamic |= is_either(text, "-dynamic-linker", "--dynamic-linker") ||
			      is_either(text, "-pie", "--pie") || strncmp(text, "-dynamic-linker=", 16) == 0 ||
			      strncmp(text, "--dynamic-linker=", 17) == 0;
		if (directory != NULL) {
			if (!array_room(&s->directories, s->count + 1, &s->room))
				return false;
			s->directories[s->count++] = directory;
		}
	} else if (is_either(text, "-Bstatic", "-static") || is_either(text, "-dn", "-non_shared") ||
		   strcmp(text, "--static") == 0)
		s->statically = true;
	else if (is_either(text, "-Bdynamic", "-dy") || strcmp(text, "-call_shared") == 0)
		s->statically = false;
	return true;
}

/* The file that a name in a linker script means. */
static bool find_named_input(const struct search *s, const char *name, char path[NAME])
{
	if (try_directory(s, ".", name, path) || name[0] == '/') {
		snprintf(path, NAME, "%s%s", name[0] == '/' ? s->sysroot : "", name);
		FILE *file = fopen(path, "rb");
		if (file == NULL)
			snprintf(path, NAME, "%s", name);
		else
			fclose(file);
		return true;
	}
	for (size_t i = 0; i < s->count; i++) {
		if (try_directory(s, s->directories[i], name, path))
			return true;
	}
	return false;
}

/* A linker script that only names files takes its place in the words: they are read next. The C library's is left. */
static bool expand_script(struct linker *l, const struct search *s, size_t at, const char *script)
{
	const char *slash = strrchr(script, '/');
	char **words = strncmp(slash != NULL ? slash + 1 : script, "libc.so", 7) == 0 ? NULL : script_inputs(script);
	char path[NAME];
	size_t count = 0;
	bool good = words != NULL;
	for (; good && words[count] != NULL; count++) {
		if (words[count][0] == '-')
			continue;
		char *whole = find_named_input(s, words[count], path) ? strdup(path) : NULL;
		good = whole != NULL;
		if (good) {
			free(words[count]);
			words[count] = whole;
		}
	}
	good = good && array_room(&l->words, l->count + count, &l->room);
	if (good) {
		free(l->words[at].text);
		memmove(&l->words[at + count], &l->words[at + 1], (l->count - at - 1) * sizeof *l->words);
		for (size_t i = 0; i < count; i++)
			l->words[at + i] = (struct linker_word){.text = words[i]};
		l->count += count - 1;
		free(words);
		return true;
	}
	script_words_free(words);
	return false;
}

static bool resolve_words(struct linker *l)
{
	struct search s = {.sysroot = ""};
	char path[NAME];
	bool good = true;
	unsigned depth = 0;                           /* scripts that were expanded: one may name itself */
	for (size_t i = 0; i < l->count && good; i++) /* directories count for all -l, wherever they stand */
		good = apply_linker_option(l, &s, i, true);
	for (size_t i = 0; i < l->count && good; i++) {
		struct linker_word *w = &l->words[i];
		const char *file = NULL;
		good = apply_linker_option(l, &s, i, false);
		if (strncmp(w->text, "-l", 2) == 0 && w->text[2] != '\0')
			file = find_library(&s, w->text + 2, path) ? path : NULL;
		else if (strncmp(w->text, "--library=", 10) == 0)
			file = find_library(&s, w->text + 10, path) ? path : NULL;
		else if (takes_word(w->text))
			i++;
		else if (w->text[0] != '-')
			file = w->text;
		const char *slash = file != NULL ? strrchr(file, '/') : NULL;
		l->libc |= strcmp(w->text, "-lc") == 0 ||
			   (file != NULL && strncmp(slash != NULL ? slash + 1 : file, "libc.", 5) == 0);
		enum linker_kind kind = file != NULL ? linker_kind_of(file) : LINKER_WORD;
		if (kind == LINKER_WORD) {
			if (file != NULL && depth < DEPTH && expand_script(l, &s, i, file)) {
				depth++;
				i--; /* what it names is read now */
			}
			continue;
		}
		w->kind = (unsigned char)kind;
		w->path = strdup(file);
		good = w->path != NULL;
	}
	free(s.directories);
	return good;
}

bool linker_open(struct linker *l, char *const *words, size_t count)
{
	bool good = true;
	*l = (struct linker){0};
	for (size_t i = 0; i < count && good; i++)
		good = words[i][0] == '@' ? add_response_file(l, words[i] + 1) : add_linker_word(l, words[i]);
	return good && resolve_words(l);
}

void linker_close(struct linker *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->words[i].text);
		free(l->words[i].path);
	}
	free(l->words);
	*l = (struct linker){0};
}
