/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/export_gcda.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/base/array.h"
#include "host/cmd/cmd.h"
#include "host/gcov/blocks.h"
#include "host/gcov/data.h"

#define NOTES_END ".gcno"
#define NAME_ROOM 4096
#define LARGEST_NOTES (UINT64_C(1) << 30) /* bytes */

const struct export_format gcda_format = {.name = "gcda",
    .text = "counters for gcc -fprofile-use, by its notes (--notes)",
    .write = NULL,
    .binary = true,
    .timeline = false};

struct notes_list {
	struct blocks_unit *units;
	size_t count, room;
};

/* ---- notes ---- */

static bool is_notes_name(const char *name)
{
	size_t size = strlen(name), end = strlen(NOTES_END);
	return size > end && strcmp(name + size - end, NOTES_END) == 0;
}

static int read_notes_file(struct notes_list *list, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat status;
	if (file == NULL || fstat(fileno(file), &status) != 0 || (uint64_t)status.st_size > LARGEST_NOTES) {
		complain("%s: cannot be read: %s", path, file == NULL ? strerror(errno) : "too large");
		if (file != NULL)
			fclose(file);
		return STATUS_FAILED;
	}
	size_t size = (size_t)status.st_size;
	uint8_t *bytes = malloc(size + 1);
	char *name = strdup(path);
	size_t got = bytes == NULL ? 0 : fread(bytes, 1, size, file);
	fclose(file);
	if (bytes == NULL || name == NULL || !array_room(&list->units, list->count + 1, &list->room)) {
		free(bytes);
		free(name);
		complain("out of memory");
		return STATUS_FAILED;
	}
	struct blocks_unit *unit = &list->units[list->count++];
	*unit = (struct blocks_unit){.name = name};
	int error = notes_read(&unit->notes, bytes, got);
	free(bytes);
	if (error == NOTES_OK)
		return STATUS_OK;
	complain("%s: %s (byte %zu): make it by gcc -ftest-coverage", path, notes_strerror(error), unit->notes.offset);
	return STATUS_FAILED;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int notes_name_ends(const struct dirent *entry)
{
	return is_notes_name(entry->d_name);
}

/* No system opens it, and cut it would be another file's. */
static int refuse_long_name(const char *folder, const char *name)
{
	complain("%s/%s: is a name of more than %d bytes: name the folder from within", folder, name, NAME_ROOM - 1);
	return STATUS_FAILED;
}

/* The notes of a folder, by name; not of folders in it. */
static int read_notes_folder(struct notes_list *list, const char *path)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, notes_name_ends, by_name), status = STATUS_OK;
	for (int i = 0; i < count; i++) {
		char name[NAME_ROOM];
		if (snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name) >= NAME_ROOM)
			status = refuse_long_name(path, entries[i]->d_name);
		if (status == STATUS_OK)
			status = read_notes_file(list, name);
		free(entries[i]);
	}
	free(entries);
	if (count > 0)
		return status;
	complain("%s: has no file *" NOTES_END ": gcc -ftest-coverage writes them beside the objects", path);
	return STATUS_FAILED;
}

static int read_notes_paths(struct notes_list *list, const struct notes_paths *paths)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < paths->count && status == STATUS_OK; i++) {
		struct stat what;
		if (stat(paths->all[i], &what) == 0 && S_ISDIR(what.st_mode))
			status = read_notes_folder(list, paths->all[i]);
		else
			status = read_notes_file(list, paths->all[i]);
	}
	return status;
}

/* ---- counters ---- */

/* "folder/unit.gcda", or beside the notes. False: it is too long. */
static bool counters_name(char name[NAME_ROOM], const struct blocks_unit *unit, const char *folder)
{
	const char *slash = strrchr(unit->name, '/'), *base = slash == NULL ? unit->name : slash + 1;
	size_t size = strlen(unit->name) - (is_notes_name(unit->name) ? strlen(NOTES_END) : 0);
	int length;
	if (folder == NULL)
		length = snprintf(name, NAME_ROOM, "%.*s.gcda", (int)size, unit->name);
	else
		length =
		    snprintf(name, NAME_ROOM, "%s/%.*s.gcda", folder, (int)(size - (size_t)(base - unit->name)), base);
	return length < NAME_ROOM;
}

static bool names_differ(const struct notes_list *list, const char *folder)
{
	for (size_t i = 0; i < list->count; i++) {
		char one[NAME_ROOM], other[NAME_ROOM];
		if (!counters_name(one, &list->units[i], folder)) {
			refuse_long_name(folder == NULL ? "." : folder, list->units[i].name);
			return false;
		}
		for (size_t k = 0; k < i; k++) {
			if (!counters_name(other, &list->units[k], folder) || strcmp(one, other) != 0)
				continue;
			complain("%s and %s: both would be %s: leave -o out, then each is beside its notes",
			    list->units[k].name, list->units[i].name, one);
			return false;
		}
	}
	return true;
}

static int write_counters(const struct notes_list *list, const char *folder)
{
	uint64_t largest = data_largest(list->units, list->count);
	int status = STATUS_OK;
	for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
		char name[NAME_ROOM];
		struct output *output = NULL;
		if (counters_name(name, &list->units[i], folder))
			output = begin_output(name, OUTPUT_REPLACE, NULL, 0);
		if (output == NULL)
			return STATUS_FAILED;
		data_write(&list->units[i], largest, output_file(output));
		status = finish_output(output, STATUS_OK);
	}
	return status;
}

/* ---- what was left out ---- */

struct fate_sum {
	size_t functions;
	uint64_t executed;
};

static void tell_fates(const struct notes_list *list, const struct export_input *input)
{
	static const char *const why[BLOCKS_FATES] = {[BLOCKS_NO_GRAPH] = "gcc wrote no graph of them",
	    [BLOCKS_NO_CODE] = "the program has no code of them with source lines",
	    [BLOCKS_NO_LINES] = "no line of their notes has code of their own"};
	struct fate_sum sums[BLOCKS_FATES] = {0};
	uint64_t known = 0, moved = 0;
	for (size_t i = 0; i < list->count; i++) {
		for (size_t k = 0; k < list->units[i].notes.function_count; k++) {
			const struct blocks_function *function = &list->units[i].functions[k];
			sums[function->fate].functions++;
			sums[function->fate].executed += function->executed;
			known += function->known;
			moved += function->moved;
		}
	}
	complain("%s functions have counters, with %s of %s instructions of the run; blocks differ from their lines "
		 "by %.2f%%",
	    with_commas(sums[BLOCKS_COUNTED].functions), with_commas(sums[BLOCKS_COUNTED].executed),
	    with_commas(input->result->count), known == 0 ? 0.0 : 100.0 * (double)moved / (double)known);
	for (int i = 0; i < BLOCKS_FATES; i++) {
		if (why[i] != NULL && sums[i].functions > 0)
			complain("%s functions are left out, with %s instructions: %s", with_commas(sums[i].functions),
			    with_commas(sums[i].executed), why[i]);
	}
}

int export_gcda(const struct notes_paths *paths, const char *folder, const struct export_input *input)
{
	struct notes_list list = {0};
	int status = read_notes_paths(&list, paths);
	if (status == STATUS_OK && !names_differ(&list, folder))
		status = STATUS_FAILED;
	if (status == STATUS_OK && blocks_count(list.units, list.count, input) != BLOCKS_OK) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	if (status == STATUS_OK)
		status = write_counters(&list, folder);
	if (status == STATUS_OK)
		tell_fates(&list, input);
	blocks_free(list.units, list.count);
	for (size_t i = 0; i < list.count; i++)
		free((char *)(uintptr_t)list.units[i].name);
	free(list.units);
	return status;
}
