/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/objects.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t address;
	const char *path;
};

/* "4000000000-4000001000 r-xp 00000000 08:01 1234 /usr/bin/x" or "0x4000000000 x". False: no first mapping of a
 * file. */
static bool read_object_line(char *text, struct line *line)
{
	char *end;
	text[strcspn(text, "\n")] = '\0';
	errno = 0;
	line->address = strtoull(text, &end, 16);
	if (end == text || errno != 0)
		return false;
	if (*end == '-') {
		char *at = strchr(end, ' '); /* permissions, offset, device, inode, path */
		char *offset = at == NULL ? NULL : strchr(at + 1, ' ');
		if (offset == NULL || strtoull(offset, NULL, 16) != 0)
			return false;
		end = strchr(offset, '/');
		if (end == NULL)
			return false;
	} else
		end += strspn(end, " \t");
	line->path = end;
	return *end != '\0' && *end != '#';
}

static const char *object_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

static int add_library_object(struct image *image, const struct line *line, struct records_header *header)
{
	struct image *object;
	char detail[1024];
	int error = image_open(&object, line->path, detail, sizeof detail);
	if (error == IMAGE_OK && header->object_count == RECORDS_OBJECTS_MAX) {
		image_close(object);
		complain("%s: is left out: there are more than %u libraries", line->path, RECORDS_OBJECTS_MAX);
		return STATUS_OK;
	}
	if (error != IMAGE_OK) { /* the simulator's own files, fonts, ... */
		complain("%s; its code is not followed", detail);
		return STATUS_OK;
	}
	if (image_moveable(object))
		error = image_move(object, line->address, detail, sizeof detail);
	if (error == IMAGE_OK)
		error = image_add(image, object, detail, sizeof detail);
	if (error != IMAGE_OK) {
		complain("%s", detail);
		image_close(object);
		return STATUS_FAILED;
	}
	struct records_object *o = &header->objects[header->object_count++];
	o->base = line->address;
	snprintf(o->path, sizeof o->path, "%s", line->path);
	return STATUS_OK;
}

int objects_place_lines(struct image *image, FILE *file, const char *map, struct records_header *header)
{
	char text[4352], detail[1024];
	struct line line;
	bool found = false;
	int status = STATUS_OK;
	rewind(file);
	/* the program first: libraries are added to where it is */
	while (!found && fgets(text, sizeof text, file) != NULL) {
		if (!read_object_line(text, &line) ||
		    strcmp(object_base_name(line.path), object_base_name(image_path(image))) != 0)
			continue;
		found = true;
		if (image_moveable(image) && image_move(image, line.address, detail, sizeof detail) != IMAGE_OK) {
			complain("%s: %s", map, detail);
			status = STATUS_FAILED;
		}
	}
	if (!found) {
		complain("%s: has no mapping of %s: it is the map of another program, or its format is not known", map,
		    object_base_name(image_path(image)));
		status = STATUS_FAILED;
	}
	rewind(file);
	while (status == STATUS_OK && fgets(text, sizeof text, file) != NULL) {
		if (read_object_line(text, &line) &&
		    strcmp(object_base_name(line.path), object_base_name(image_path(image))) != 0)
			status = add_library_object(image, &line, header);
	}
	return status;
}

int objects_place(struct image *image, const char *map, struct records_header *header)
{
	FILE *file = fopen(map, "r");
	if (file == NULL) {
		complain("%s: cannot be opened: %s", map, strerror(errno));
		return STATUS_FAILED;
	}
	const int status = objects_place_lines(image, file, map, header);
	fclose(file);
	return status;
}
