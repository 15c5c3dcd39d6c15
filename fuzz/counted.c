/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What inserted code counted, on a program with any map: counters of other programs, of libraries that are not there,
 * that were overwritten, of any size. Whatever they are, they are read or refused, and what has no place is said.
 *
 *   choice, entries, then each: which id, counter (2 bytes; 0xFFFF: 8 more), count (1 byte; 0xFF: 8 more); then the
 *   program
 */
#include "fuzz/fuzz.h"
#include "host/insert/counted.h"
#include "host/insert/counted_stops.h"
#include "host/insert/insert.h"

/* An id of the program's, or another. */
static uint64_t take_id(struct input *input, const struct map *map)
{
	uint64_t which = take(input, 1);
	if (which == 0xFF)
		return take(input, 8);
	if (which == 0xFE)
		return RIVULET_PROBE_STACK_ID;
	if (which == 0xFD)
		return RIVULET_PROBE_LIBRARY_ID;
	return map->object_count > 0 ? map->objects[which % map->object_count].id : which;
}

static bool take_entries(struct input *input, const struct map *map, struct profile *profile)
{
	uint64_t count = take(input, 1);
	for (uint64_t i = 0; i < count; i++) {
		struct record entry = {.start = take_id(input, map)};
		entry.hist = take(input, 2);
		entry.hist = entry.hist == 0xFFFF ? take(input, 8) : entry.hist + 1;
		entry.count = take(input, 1);
		entry.count = entry.count == 0xFF ? take(input, 8) : entry.count;
		if (profile_add(profile, &entry) != PROFILE_OK)
			return false;
	}
	return true;
}

static void read_counters(const struct image *image, const struct profile *profile)
{
	struct counted *counted;
	struct profile stretches;
	int error = counted_open(&counted, image, profile);
	must((counted == NULL) == (error != COUNTED_OK));
	must(counted_strerror(error)[0] != '\0');
	if (counted == NULL)
		return;
	for (size_t i = 0; i < counted->path_count; i++) {
		const struct counted_path *p = &counted->paths[i];
		must(p->function < counted->map->function_count && p->first < counted->map->block_count);
		must((uint64_t)p->edges + p->length <= counted->edge_count);
	}
	for (size_t i = 0; i < counted->stop_count; i++)
		must(counted->stops[i].block == GRAPH_NONE || counted->stops[i].block < counted->map->block_count);
	if (profile_init(&stretches) == PROFILE_OK) {
		if (counted_profile(counted, profile, &stretches) == COUNTED_OK) {
			for (size_t i = 0; i < stretches.used; i++)
				must(stretches.entries[i].hist != 0);
		}
		profile_fini(&stretches);
	}
	counted_close(counted);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};
	struct image *image;
	struct map *map = NULL;
	struct profile profile;
	size_t length;
	uint64_t choice = take(&input, 1), room = take(&input, 2);
	struct input entries = {input.at, room < input.left ? room : input.left};
	input.at += entries.left;
	input.left -= entries.left;
	if (image_open_memory(&image, "fuzz", input.at, input.left, NULL, 0) != IMAGE_OK)
		return 0;
	const uint8_t *section = image_section(image, ".debug_rivulet", &length);
	if (section != NULL && map_open(&map, section, length) == MAP_OK && profile_init(&profile) == PROFILE_OK) {
		profile.has_header = true;
		profile.header.source = PROFILE_COUNTERS;
		profile.header.xlen = image_xlen(image);
		profile.header.ctrl = map->object_count > 0 ? map->objects[0].mode : INSERT_PATHS;
		profile.has_end = (choice & 1) != 0;
		if (take_entries(&entries, map, &profile))
			read_counters(image, &profile);
		profile_fini(&profile);
	}
	map_close(map);
	image_close(image);
	return 0;
}
