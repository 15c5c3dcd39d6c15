/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * rivulet cc, link-time optimisation: objects without code of their own (gcc -flto, clang -flto) are linked once as the
 * driver says, and what the optimiser leaves for the linker is what is edited:
 *
 *   a.o, b.o (no code) ──► the driver's linker and plugin, aside ──► FOLDER/x.ltrans0.ltrans.o ... (gcc)
 *                                                                    FOLDER/whole.o ...            (clang)
 *   they take the place of the first of these objects; the others are left out, and so is the plugin (cc_left_out())
 *
 * gcc keeps them if it is told to keep temporary files, by the variable in which its driver tells lto-wrapper the
 * options; lld and LLVM's plugin have an option for them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/cc/process.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/object/object.h"

#define OPTIONS "COLLECT_GCC_OPTIONS"

/* Whether a file is an object of link-time optimisation alone. */
static bool is_lto_object(const char *path)
{
	struct object *object = NULL;
	struct stat status;
	char detail[256];
	int file = open(path, O_RDONLY), error = OBJECT_OK;
	if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
		size_t size = (size_t)status.st_size;
		void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
		if (bytes != MAP_FAILED) {
			error = object_open(&object, bytes, size, detail, sizeof detail);
			object_close(object);
			munmap(bytes, size);
		}
	}
	if (file >= 0)
		close(file);
	return error == OBJECT_ELTO;
}

/* gcc writes debug information beside the object that it is of: there is a link to that in the folder. */
static bool link_in(const struct link *l, const char *path, size_t number, char text[PATH_MAX])
{
	char here[PATH_MAX], whole[2 * PATH_MAX];
	snprintf(text, PATH_MAX, "%.3900s/%zu.o", l->lto, number);
	if (path[0] == '/')
		return symlink(path, text) == 0;
	if (getcwd(here, sizeof here) == NULL)
		return false;
	snprintf(whole, sizeof whole, "%s/%s", here, path);
	return symlink(whole, text) == 0;
}

/* gcc's plugin reads the folder of temporary files from the end of the driver's options. */
static bool keep_temporary(const struct link *l, const char *before)
{
	const char *folder = strstr(before, " '-dumpdir'");
	const size_t length = folder != NULL ? (size_t)(folder - before) : strlen(before),
		     room = length + PATH_MAX + 64;
	char *options = malloc(room);
	if (options == NULL)
		return false;
	snprintf(options, room, "%.*s '-save-temps' '-dumpdir' '%.3900s/'", (int)length, before, l->lto);
	bool good = setenv(OPTIONS, options, 1) == 0;
	free(options);
	return good;
}

/* By the name of its file: folders above may have any. */
static bool is_lld(const struct link *l)
{
	const char *slash = strrchr(l->real, '/');
	return strstr(slash != NULL ? slash : l->real, "lld") != NULL;
}

/* The driver's link, with another output. Its status. */
static int link_aside(const struct link *l, const struct linker *linker, const bool *lto)
{
	struct cc_words command = {0};
	char text[PATH_MAX];
	const char *before = getenv(OPTIONS);
	char *kept = before != NULL ? strdup(before) : NULL;
	cc_push(&command, l->real);
	for (size_t i = 0; i < linker->count; i++) {
		size_t words;
		if (cc_output_of(linker, i, &words) != NULL)
			i += words - 1;
		else if (lto[i] && link_in(l, linker->words[i].path, i, text))
			cc_push(&command, text);
		else
			cc_push(&command, linker->words[i].text);
	}
	snprintf(text, sizeof text, "%.3900s/aside", l->lto);
	cc_push(&command, "-o");
	cc_push(&command, text);
	cc_push(&command,
	    "--unresolved-symbols=ignore-all"); /* the runtime is not there yet; the link itself tells others */
	if (is_lld(l) || !l->gnu_plugin) {
		snprintf(text, sizeof text, "%s=%.3900s/whole.o", is_lld(l) ? "--lto-obj-path" : "-plugin-opt=obj-path",
		    l->lto);
		cc_push(&command, text);
	}
	int status = 127;
	if (keep_temporary(l, kept != NULL ? kept : ""))
		status = cc_process_run(true, command.items, NULL, 0, NULL);
	if (kept != NULL)
		setenv(OPTIONS, kept, 1);
	else
		unsetenv(OPTIONS);
	free(kept);
	cc_drop(&command);
	return status;
}

static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t one = strlen(x), other = strlen(y);
	return one != other ? (one > other) - (one < other) : strcmp(x, y); /* ltrans2 before ltrans10 */
}

/* Objects with code in the folder, in order. */
static size_t find_left_objects(const struct link *l, struct cc_words *found)
{
	char path[PATH_MAX];
	DIR *folder = opendir(l->lto);
	const struct dirent *entry;
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		snprintf(path, sizeof path, "%.3900s/%.190s", l->lto, entry->d_name);
		if (linker_kind_of(path) == LINKER_OBJECT && !is_lto_object(path))
			cc_push(found, path);
	}
	if (folder != NULL)
		closedir(folder);
	if (found->count > 0)
		qsort(found->items, found->count, sizeof *found->items, compare_names);
	return found->count;
}

/* What was left takes the place of the objects that it was made from. */
static bool replace_objects(struct linker *linker, const bool *lto, const struct cc_words *left)
{
	struct linker_word *words = calloc(linker->count + left->count + 1, sizeof *words);
	size_t count = 0;
	bool good = words != NULL, placed = false;
	for (size_t i = 0; i < linker->count && good; i++) {
		if (!lto[i]) {
			words[count++] = linker->words[i];
			continue;
		}
		free(linker->words[i].text);
		free(linker->words[i].path);
		for (size_t k = 0; k < left->count && !placed && good; k++) {
			words[count] =
			    (struct linker_word){strdup(left->items[k]), strdup(left->items[k]), LINKER_OBJECT};
			good = words[count].text != NULL && words[count].path != NULL;
			count++;
		}
		placed = true;
	}
	if (words == NULL)
		return false;
	free(linker->words);
	linker->words = words;
	linker->count = count;
	linker->room = count;
	return good;
}

int cc_undo_lto(struct link *l, struct linker *linker)
{
	bool *lto = calloc(linker->count + 1, sizeof *lto);
	struct cc_words left = {0};
	char folder[PATH_MAX];
	size_t found = 0;
	int status = lto == NULL ? STATUS_FAILED : STATUS_OK;
	for (size_t i = 0; i < linker->count && lto != NULL; i++) {
		lto[i] = linker->words[i].kind == LINKER_OBJECT && is_lto_object(linker->words[i].path);
		found += lto[i];
		l->gnu_plugin |= strstr(linker->words[i].text, "lto-wrapper") != NULL;
	}
	if (found > 0 && !linker->relocatable) {
		snprintf(folder, sizeof folder, "%.3900s/lto.XXXXXX", l->cache.directory);
		if (mkdtemp(folder) == NULL)
			complain("%s: %s", folder, strerror(errno));
		else
			l->lto = strdup(folder);
		status = l->lto != NULL ? link_aside(l, linker, lto) : STATUS_FAILED;
		if (status == 0 && find_left_objects(l, &left) == 0) {
			complain(
			    "objects of link-time optimisation left no code behind: compile with -fno-lto, or with "
			    "-ffat-lto-objects");
			status = STATUS_FAILED;
		}
		if (status == 0 && !replace_objects(linker, lto, &left))
			status = STATUS_FAILED;
	}
	cc_drop(&left);
	free(lto);
	return status;
}

void cc_end_lto(struct link *l)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *folder = l->lto != NULL ? opendir(l->lto) : NULL;
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		snprintf(path, sizeof path, "%.3900s/%.190s", l->lto, entry->d_name);
		unlink(path);
	}
	if (folder != NULL)
		closedir(folder);
	if (l->lto != NULL)
		rmdir(l->lto);
	free(l->lto);
	l->lto = NULL;
}
