/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Source text for display: each file is read once, when a line of it is first asked for. */
#include "host/image/private.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_MAX (64L << 20) /* a larger "source file" is none */

void image_source_free(struct image *image)
{
	for (size_t i = 0; i < image->source_count; i++) {
		free(image->sources[i].name);
		free(image->sources[i].text);
		free(image->sources[i].lines);
	}
	free(image->sources);
	image->sources = NULL;
	image->source_count = 0;
}

static char *read_text(const char *path, size_t *length, struct timespec *written)
{
	struct stat status;
	/* the name comes from the program: opening a pipe or a device of that name must not wait */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	char *text = NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= SOURCE_MAX)
		text = malloc((size_t)status.st_size + 1);
	if (text != NULL) {
		*length = fread(text, 1, (size_t)status.st_size, file);
		*written = status.st_mtim;
		text[*length] = '\0';
	}
	fclose(file);
	return text;
}

static int split_lines(struct source *source, size_t length)
{
	size_t count = 1;
	for (size_t i = 0; i < length; i++)
		count += source->text[i] == '\n';
	source->lines = calloc(count, sizeof *source->lines);
	if (source->lines == NULL)
		return IMAGE_ENOMEM;
	char *line = source->text;
	for (size_t i = 0; i <= length; i++) {
		char *c = &source->text[i];
		if (*c != '\n' && i < length)
			continue;
		*c = '\0';
		if (c > line && c[-1] == '\r')
			c[-1] = '\0';
		source->lines[source->line_count++] = line;
		line = c + 1;
	}
	return IMAGE_OK;
}

static bool unit_names_file(Dwarf_Die *unit, const char *name)
{
	Dwarf_Files *files;
	size_t count;
	if (dwarf_getsrcfiles(unit, &files, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *file = dwarf_filesrc(files, i, NULL, NULL);
		if (file != NULL && strcmp(file, name) == 0)
			return true;
	}
	return false;
}

/* Below the directory in which a unit was compiled that names the file. */
static char *read_compiled_text(const struct image *image, const char *name, size_t *length, struct timespec *written)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	char *text = NULL;
	while (text == NULL && image->dwarf != NULL &&
	       dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Attribute attribute;
		char path[4096];
		const char *folder = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
		if (folder == NULL || folder[0] != '/' || !unit_names_file(&die, name))
			continue;
		const int size = snprintf(path, sizeof path, "%s/%s", folder, name);
		if (size > 0 && (size_t)size < sizeof path)
			text = read_text(path, length, written);
	}
	return text;
}

static char *read_source_text(const struct image *image, const char *name, size_t *length, struct timespec *written)
{
	char *text = read_text(name, length, written);
	if (text != NULL || name[0] == '/')
		return text;
	text = read_compiled_text(image, name, length, written);
	for (size_t i = 0; text == NULL && i < image->other_count; i++)
		text = read_compiled_text(image->others[i], name, length, written);
	return text;
}

static struct source *find_source(struct image *image, const char *name)
{
	for (size_t i = 0; i < image->source_count; i++) {
		if (strcmp(image->sources[i].name, name) == 0)
			return &image->sources[i];
	}
	struct source *grown = realloc(image->sources, (image->source_count + 1) * sizeof *grown);
	if (grown == NULL)
		return NULL;
	image->sources = grown;
	struct source *source = &grown[image->source_count];
	*source = (struct source){.name = strdup(name)};
	if (source->name == NULL)
		return NULL;
	image->source_count++;
	size_t length = 0;
	source->text = read_source_text(image, name, &length, &source->written);
	if (source->text != NULL && split_lines(source, length) != IMAGE_OK) {
		free(source->text);
		source->text = NULL;
		source->line_count = 0;
	}
	return source;
}

const char *image_source(struct image *image, const char *file, unsigned line)
{
	if (file == NULL || line == 0)
		return NULL;
	struct source *source = find_source(image, file);
	return source == NULL || source->text == NULL || line > source->line_count ? NULL : source->lines[line - 1];
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

const char *image_newer_source(const struct image *image)
{
	struct stat status;
	if (image->source_count == 0 || image->file.path == NULL || stat(image->file.path, &status) != 0)
		return NULL;
	struct timespec built = status.st_mtim;
	for (size_t i = 0; i < image->other_count; i++) {
		const char *other = image->others[i]->file.path;
		if (other != NULL && stat(other, &status) == 0 && is_later(&status.st_mtim, &built))
			built = status.st_mtim;
	}
	for (size_t i = 0; i < image->source_count; i++) {
		if (image->sources[i].text != NULL && is_later(&image->sources[i].written, &built))
			return image->sources[i].name;
	}
	return NULL;
}
