/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/load_records.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/function_name.h"
#include "host/cmd/progress.h"
#include "host/profile/place.h"
#include "host/profile/stream.h"

bool is_record_file(const char *path)
{
	uint8_t bytes[8];
	const char *dot = strrchr(path, '.');
	struct stat status;
	/* what is read from a pipe is gone */
	if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return false;
	size_t got = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	return records_is(bytes, got) || (dot != NULL && strcmp(dot, ".rvr") == 0);
}

bool is_untimed_file(const char *path)
{
	struct records *records;
	char detail[512];
	if (!is_record_file(path) || records_open(&records, path, detail, sizeof detail) != RECORDS_OK)
		return false;
	const bool untimed = records_untimed(records_header(records));
	records_close(records);
	return untimed;
}

void print_records_damage(const struct records *records, FILE *out, const char *prefix, uint64_t max)
{
	size_t kept;
	uint64_t count;
	char text[512];
	const struct records_damage *damage = records_damage(records, &kept, &count);
	size_t shown = kept < max ? kept : (size_t)max;
	for (size_t i = 0; i < shown; i++) {
		records_damage_describe(&damage[i], text, sizeof text);
		fprintf(out, "%s%s\n", prefix, text);
	}
	if (count > shown)
		fprintf(out, "%s... and %s more like these\n", prefix, with_commas(count - shown));
	if (records_missing(records) > 0)
		fprintf(out, "%sin all, %s records are known to be missing\n", prefix,
		    with_commas(records_missing(records)));
}

/* What records say of their program, as profiles of Linux programs say it: the CRC of its code where it has no other
 * build, and where it and its libraries were loaded. False: out of memory. */
static bool identify_loaded(struct profile *profile, const struct records_header *header)
{
	if (header == NULL)
		return true;
	if (!header->has_build)
		profile->header.build = header->code_crc;
	bool good = header->base == 0 || profile_place(profile, header->base, "");
	for (unsigned i = 0; i < header->object_count && good; i++) {
		good = profile_place(profile, header->objects[i].base, header->objects[i].path);
		if (good)
			profile->places[profile->place_count - 1].code_crc = header->objects[i].code_crc;
	}
	return good;
}

int load_records(struct loaded *loaded, const char *path, bool by_length)
{
	struct records *records;
	struct progress progress;
	char detail[1024];
	size_t kept;
	uint64_t damage;
	*loaded = (struct loaded){0};
	loaded->reader = calloc(1, sizeof *loaded->reader);
	if (loaded->reader == NULL || profile_init(&loaded->profile) != PROFILE_OK) {
		complain("%s: out of memory", path);
		return STATUS_FAILED;
	}
	loaded->profile.by_length = by_length;
	loaded->reader->profile = &loaded->profile;
	if (records_open(&records, path, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	progress_begin(&progress, path);
	int error = records_profile(records, &loaded->profile, progress_show, &progress);
	progress_end(&progress);
	if (error == RECORDS_OK && !identify_loaded(&loaded->profile, records_header(records)))
		error = RECORDS_ENOMEM;
	if (error != RECORDS_OK) {
		complain("%s: %s", path, records_strerror(error));
		records_close(records);
		return STATUS_FAILED;
	}
	if (records_header(records) != NULL && records_header(records)->harts > 0) {
		loaded->hart_count = records_header(records)->harts;
		records_harts(records, loaded->harts); /* what is damaged was told */
	}
	records_damage(records, &kept, &damage);
	loaded->whole = damage == 0;
	if (!loaded->whole) {
		char prefix[4096 + 16];
		fflush(stdout);
		snprintf(prefix, sizeof prefix, "rivulet: %s: ", shown_path(path));
		print_records_damage(records, stderr, prefix, 8);
	}
	loaded->reader->damage_count = damage;
	if (loaded->profile.has_end)
		tell_ending(path, loaded->profile.end.ending);
	records_close(records);
	return loaded->whole ? STATUS_OK : STATUS_NO;
}

static void tell_records_estimate(const char *path, const char *rules, bool shared)
{
	if (shared)
		complain("%s: its cycles are of the times of an encoder's messages, shared out between two of them; "
			 "instructions are exact",
		    path);
	if (rules[0] != '\0')
		complain("%s: its cycles are an estimate by the rules of `%s', no time was measured; instructions are "
			 "exact",
		    path, rules);
}

/* Where a profile says that program and libraries were; false: it does not say. */
static bool places_of_profile(const char *path, struct records_header *header)
{
	struct profile profile = {0};
	struct profile_reader *reader = calloc(1, sizeof *reader);
	uint8_t buffer[65536];
	size_t got;
	FILE *file = reader == NULL ? NULL : fopen(path, "rb");
	if (file != NULL) {
		profile_reader_init(reader, &profile);
		while ((got = fread(buffer, 1, sizeof buffer, file)) > 0 &&
		       profile_feed(reader, buffer, got) == PROFILE_OK)
			;
		fclose(file);
	}
	free(reader);
	tell_records_estimate(path, profile.rules, false);
	for (size_t i = 0; i < profile.place_count; i++) {
		const struct profile_place *place = &profile.places[i];
		if (place->path[0] == '\0')
			header->base = place->base;
		else if (header->object_count < RECORDS_OBJECTS_MAX) {
			struct records_object *o = &header->objects[header->object_count++];
			o->base = place->base;
			o->code_crc = place->code_crc;
			snprintf(o->path, sizeof o->path, "%s", place->path);
		}
	}
	profile_fini(&profile);
	return header->base != 0 || header->object_count > 0;
}

int place_image(struct image *image, const char *input)
{
	struct records *records;
	struct records_header places = {0};
	struct stat status;
	char detail[1024];
	int error = RECORDS_OK;
	const bool moves = image_moveable(image) || image_hosted(image);
	/* what is read from a pipe is gone */
	if (strcmp(input, "-") == 0 || stat(input, &status) != 0 || !S_ISREG(status.st_mode))
		return STATUS_OK;
	if (!moves && !is_record_file(input))
		return STATUS_OK;
	if (is_record_file(input)) {
		if (records_open(&records, input, detail, sizeof detail) != RECORDS_OK)
			return STATUS_OK;
		const struct records_header *header = records_header(records);
		if (header != NULL)
			tell_records_estimate(input, header->rules, header->shared);
		if (header != NULL && moves)
			error = records_place(header, image, detail, sizeof detail);
		records_close(records);
	} else if (places_of_profile(input, &places))
		error = records_place(&places, image, detail, sizeof detail);
	if (error != RECORDS_OK)
		complain("%s: %s", input, detail);
	name_libraries(image);
	return error == RECORDS_OK ? STATUS_OK : STATUS_FAILED;
}

int check_records_match(const struct records *records, const char *path, const struct image *image, bool force)
{
	char detail[256];
	enum records_match match = records_match(records_header(records), image, detail, sizeof detail);
	if (match == RECORDS_SAME)
		return STATUS_OK;
	complain(
	    "%s: %s%s", path, detail, force ? "; used because of --force" : "; give the program that ran, or --force");
	return force ? STATUS_NO : STATUS_FAILED;
}

bool check_one_hart(const char *path)
{
	struct records *records;
	char detail[1024];
	/* what cannot be opened is told by who reads it */
	if (!is_record_file(path) || records_open(&records, path, detail, sizeof detail) != RECORDS_OK)
		return true;
	const struct records_header *header = records_header(records);
	const bool one = header == NULL || header->harts == 0;
	records_close(records);
	if (!one)
		complain("%s: its records are of several harts, so its cycles go back: `rivulet split' makes a file of "
			 "each",
		    path);
	return one;
}
