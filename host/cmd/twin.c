/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/twin.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/cmd.h"
#include "host/cmd/counters.h"
#include "host/cmd/load_records.h"
#include "host/insert/insert.h"
#include "host/insert/map.h"
#include "host/profile/memory.h"
#include "host/profile/stream.h"

/* Whether a file begins with what inserted code wrote. Files that can be read twice only. */
static bool is_inserted(const char *path)
{
	uint8_t buffer[4096];
	struct stat status;
	struct profile profile;
	size_t got;
	bool inserted = false, memory = false;
	FILE *file =
	    stat(path, &status) == 0 && S_ISREG(status.st_mode) && !is_record_file(path) ? fopen(path, "rb") : NULL;
	struct profile_reader *reader = file != NULL ? malloc(sizeof *reader) : NULL;
	if (reader != NULL && profile_init(&profile) == PROFILE_OK) {
		profile_reader_init(reader, &profile);
		while (!memory && !profile.has_header && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
			memory = reader->offset == 0 && profile_is_memory(buffer, got);
			if (profile_feed(reader, buffer, got) != PROFILE_OK)
				break;
		}
		inserted = memory || is_counters(&profile);
		profile_fini(&profile);
	}
	free(reader);
	if (file != NULL)
		fclose(file);
	return inserted;
}

static struct map *map_of(const struct image *image)
{
	struct map *map = NULL;
	size_t size;
	const uint8_t *bytes = image_section(image, ".debug_rivulet", &size);
	return bytes != NULL && map_open(&map, bytes, size) == MAP_OK ? map : NULL;
}

static const struct map_object *object_by_name(const struct map *map, const char *name)
{
	for (size_t i = 0; i < map->object_count; i++) {
		if (strcmp(map->objects[i].name, name) == 0)
			return &map->objects[i];
	}
	return NULL;
}

/* The twin of cycles and of regions that a file names is one of no counters in particular. */
static bool is_original(const struct map *program, const struct map *twin)
{
	const unsigned mode = program->object_count > 0 ? program->objects[0].mode : INSERT_PATHS;
	return (mode == INSERT_CYCLES || mode == INSERT_REGIONS) && twin->object_count > 0 &&
	       twin->objects[0].mode == INSERT_PATHS;
}

/* Whether the objects of a program are in the twin, with the same counters. Those that only the runtime calls for are
 * not; one that is there by name alone was edited from another file. */
static bool twin_fits(const struct map *program, const struct map *twin)
{
	bool any = false;
	for (size_t i = 0; i < program->object_count; i++) {
		const struct map_object *mine = &program->objects[i], *its = map_object(twin, mine->id);
		if (its == NULL && object_by_name(twin, mine->name) != NULL)
			return false;
		if (its != NULL && (its->form != MAP_TWIN || its->mode != mine->mode ||
				       its->counters != mine->counters || its->function_count != mine->function_count))
			return false;
		any |= its != NULL;
	}
	return any;
}

struct image *open_twin(const struct image *image, const char *input)
{
	struct image *twin = NULL;
	char path[PATH_MAX];
	struct map *program = map_of(image), *its = NULL;
	snprintf(path, sizeof path, "%.4000s" TWIN_SUFFIX, image_path(image));
	if (map_is_edited(program) && (input == NULL || is_inserted(input)) &&
	    image_open(&twin, path, NULL, 0) == IMAGE_OK) {
		its = map_of(twin);
		if (its == NULL || !twin_fits(program, its)) {
			if (its == NULL || !is_original(program, its))
				complain("%s: is no twin of this %s, and is not read", path, image_path(image));
			image_close(twin);
			twin = NULL;
		}
	}
	map_close(its);
	map_close(program);
	return twin;
}

void prefer_twin(struct image **image, const char *input)
{
	struct image *twin = open_twin(*image, input);
	if (twin == NULL)
		return;
	image_close(*image);
	*image = twin;
}
