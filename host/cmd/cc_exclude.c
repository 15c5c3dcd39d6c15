/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: which files of the link stay as they are, and which words are left out. */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/insert/insert.h"

static const char *file_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* Whether a word of the driver's is a source that it makes an object of. */
static bool is_source(const char *word)
{
	static const char *const kinds[] = {
	    "c", "cc", "cpp", "cxx", "c++", "cp", "CPP", "C", "s", "S", "sx", "i", "ii", "m", "mm", "M"};
	const char *dot = strrchr(file_name_of(word), '.');
	for (size_t i = 0; word[0] != '-' && dot != NULL && i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(dot + 1, kinds[i]) == 0)
			return true;
	}
	return false;
}

static bool is_temporary(const struct linker_word *w)
{
	return w->kind == LINKER_OBJECT && file_name_of(w->path)[insert_lasting_name(file_name_of(w->path))] != '\0';
}

/* The source of a temporary object: the drivers keep the order. NULL: it is none, or cannot be known. */
static const char *temporary_source_of(const struct link *l, const struct linker *linker, size_t at)
{
	const struct cc_words *d = &l->arguments.driver;
	size_t before = 0, temporary = 0, sources = 0;
	const char *source = NULL;
	if (!is_temporary(&linker->words[at]))
		return NULL;
	for (size_t i = 0; i < linker->count; i++) {
		before += i < at && is_temporary(&linker->words[i]);
		temporary += is_temporary(&linker->words[i]);
	}
	for (size_t i = 1; i < d->count; i++) {
		if (strcmp(d->items[i - 1], "-o") == 0 || !is_source(d->items[i]))
			continue;
		if (sources++ == before)
			source = d->items[i];
	}
	return sources == temporary ? source : NULL;
}

static bool matches_object(const char *pattern, const char *path)
{
	return fnmatch(pattern, file_name_of(path), 0) == 0 || fnmatch(pattern, path, 0) == 0;
}

static bool matches_any(const char *const *patterns, const char *path)
{
	for (size_t k = 0; patterns[k] != NULL; k++) {
		if (fnmatch(patterns[k], file_name_of(path), 0) == 0)
			return true;
	}
	return false;
}

/* The object's name, of a temporary one what it would be called: gcc's ccrtXXXX.o is no start-up code. "": unknown. */
static void find_object_name(const struct link *l, const struct linker *linker, size_t at, char *name, size_t size)
{
	const char *source = temporary_source_of(l, linker, at);
	name[0] = '\0';
	if (source != NULL)
		snprintf(name, size, "%.*s.o", (int)(strrchr(file_name_of(source), '.') - source), source);
	else if (!is_temporary(&linker->words[at]))
		snprintf(name, size, "%s", linker->words[at].path);
}

/* By its name: the files of the C library and the compiler, and those that a program has in their place. */
static bool is_startup(const struct link *l, const struct linker *linker, size_t at)
{
	static const char *const usual[] = {"crt*.o", "?crt*.o", NULL};
	char name[PATH_MAX];
	find_object_name(l, linker, at, name, sizeof name);
	return linker->words[at].kind == LINKER_OBJECT && matches_any(usual, name);
}

void cc_tell_startup(const struct link *l, const struct linker *linker)
{
	static const char *const known[] = {"crt0*.o", "?crt[01].o", "crt[1in].o", "crtbegin*.o", "crtend*.o",
	    "crtfastmath.o", "crtsavres.o", "crt2.o", NULL};
	char name[PATH_MAX];
	for (size_t i = 0; i < linker->count; i++) {
		find_object_name(l, linker, i, name, sizeof name);
		if (is_startup(l, linker, i) && !matches_any(known, name))
			complain(
			    "%s is taken for start-up code by its name, and left alone: nothing of it is counted; with "
			    "another name it is",
			    name);
	}
}

void cc_find_early(struct link *l, const struct linker *linker)
{
	for (size_t i = 0; i < linker->count && !l->shared && !cc_is_linux(l); i++) {
		const struct linker_word *w = &linker->words[i];
		if (is_startup(l, linker, i) && cc_copies_at_start(w->path)) {
			cc_push(&l->arguments.insert, "--early");
			return;
		}
	}
}

bool cc_excluded(const struct link *l, const struct linker *linker, size_t i)
{
	const char *path = linker->words[i].path, *source = temporary_source_of(l, linker, i);
	char object[PATH_MAX];
	if (is_startup(l, linker, i))
		return true;
	find_object_name(l, linker, i, object, sizeof object);
	for (size_t k = 0; k < l->arguments.exclude.count; k++) {
		const char *pattern = l->arguments.exclude.items[k];
		if (matches_object(pattern, path) ||
		    (source != NULL && (matches_object(pattern, source) || matches_object(pattern, object))))
			return true;
	}
	return false;
}

bool cc_left_out(const struct link *l, const struct linker *linker, bool twin, size_t *i)
{
	static const char *const strips[] = {"-s", "-S", "--strip-all", "--strip-debug"};
	const char *word = linker->words[*i].text;
	if (strcmp(word, "-plugin") == 0 || strcmp(word, "--plugin") == 0) {
		++*i;
		return true;
	}
	for (size_t k = 0; k < sizeof strips / sizeof *strips; k++) {
		if (strcmp(word, strips[k]) != 0)
			continue;
		if (!twin)
			complain("%s is left out: reports need .debug_rivulet of %s; strip a copy of it", word,
			    l->output != NULL ? l->output : "the program");
		return true;
	}
	return cc_begins(word, "-plugin-opt=") || cc_begins(word, "--plugin-opt=");
}

unsigned cc_near_bytes(const struct linker *linker, bool archive)
{
	size_t objects = 0;
	for (size_t i = 0; i < linker->count; i++)
		objects += linker->words[i].kind == LINKER_OBJECT;
	if (archive || objects > 64)
		return 0;
	if (objects > 16)
		return 32;
	return objects > 4 ? 128 : 512;
}
