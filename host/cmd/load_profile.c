/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A profile of any form: frames, a record file, a capture of the UART, a dump of a debugger. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/load_records.h"
#include "host/profile/memory.h"

static void print_one(const struct damage *damage, FILE *out, const char *prefix)
{
	char text[256];
	damage_describe(damage, text, sizeof text);
	if (out == stderr && strncmp(prefix, COMPLAINT, strlen(COMPLAINT)) == 0)
		complain("%s%s", prefix + strlen(COMPLAINT), text);
	else
		fprintf(out, "%s%s\n", prefix, text);
}

void print_damage(const struct loaded *loaded, FILE *out, const char *prefix, uint64_t max)
{
	const struct profile_reader *reader = loaded->reader;
	uint64_t kept = reader->damage_count < DAMAGE_MAX ? reader->damage_count : DAMAGE_MAX;
	uint64_t places = 0, shown = 0;
	if (reader->frames == 0) { /* then what looked like damaged frames most likely is none */
		const struct damage none = {.kind = DAMAGE_NO_FRAMES, .size = reader->offset};
		print_one(&none, out, prefix);
		if (reader->damaged > 0)
			fprintf(
			    out, "%s%s pieces of it look like damaged frames\n", prefix, with_commas(reader->damaged));
		return;
	}
	/* single places first, as many as max, then what is true of the whole */
	for (uint64_t i = 0; i < kept; i++) {
		if (reader->damage[i].kind < DAMAGE_NO_FRAMES && places++ < max) {
			print_one(&reader->damage[i], out, prefix);
			shown++;
		}
	}
	uint64_t whole = kept - places;
	if (reader->damage_count - whole > shown)
		fprintf(
		    out, "%s... and %s more like these\n", prefix, with_commas(reader->damage_count - whole - shown));
	for (uint64_t i = 0; i < kept; i++) {
		if (reader->damage[i].kind > DAMAGE_NO_FRAMES)
			print_one(&reader->damage[i], out, prefix);
	}
}

/* A dump of a debugger, of which the first bytes have been read. Closes the file. */
static int load_memory(struct loaded *loaded, const char *path, FILE *file, const uint8_t *first, size_t got)
{
	char *bytes = NULL, more[65536];
	size_t size = 0;
	FILE *whole = open_memstream(&bytes, &size);
	bool good = whole != NULL;
	while (good && got > 0) {
		good = fwrite(first, 1, got, whole) == got;
		got = fread(more, 1, sizeof more, file);
		first = (const uint8_t *)more;
	}
	good = good && !ferror(file);
	if (whole != NULL && fclose(whole) != 0)
		good = false;
	if (file != stdin)
		fclose(file);
	int error = good ? profile_from_memory(&loaded->profile, bytes, size) : PROFILE_MEMORY_ENOMEM;
	free(bytes);
	loaded->whole = error == PROFILE_MEMORY_OK;
	loaded->reader->offset = size;
	loaded->reader->entries = loaded->profile.used;
	if (error == PROFILE_MEMORY_OK)
		return STATUS_OK;
	complain("%s: %s", path, good ? profile_memory_strerror(error) : "cannot be read");
	return STATUS_FAILED;
}

int load_profile(struct loaded *loaded, const char *path)
{
	uint8_t buffer[65536];
	bool standard = strcmp(path, "-") == 0;
	struct stat status;
	if (is_record_file(path))
		return load_records(loaded, path, false);
	*loaded = (struct loaded){0};
	loaded->reader = malloc(sizeof *loaded->reader);
	if (loaded->reader == NULL || profile_init(&loaded->profile) != PROFILE_OK) {
		complain("%s: out of memory", path);
		return STATUS_FAILED;
	}
	profile_reader_init(loaded->reader, &loaded->profile);
	FILE *file = standard ? stdin : fopen(path, "rb");
	if (file == NULL) {
		complain("%s: cannot be opened: %s; expected a profile, a record file or a capture of the UART", path,
		    strerror(errno));
		return STATUS_FAILED;
	}
	if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
		complain("%s: is a directory, expected a profile, a record file or a capture of the UART", path);
		fclose(file);
		return STATUS_FAILED;
	}
	int error = PROFILE_OK;
	size_t got;
	while (error == PROFILE_OK && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
		if (loaded->reader->offset == 0 && profile_is_memory(buffer, got))
			return load_memory(loaded, path, file, buffer, got);
		error = profile_feed(loaded->reader, buffer, got);
	}
	bool unread = ferror(file) != 0;
	if (!standard)
		fclose(file);
	if (error == PROFILE_OK)
		error = profile_finish(loaded->reader);
	if (unread) {
		complain("%s: read error at offset %" PRIu64 ": %s", path, loaded->reader->offset, strerror(errno));
		return STATUS_FAILED;
	}
	if (error != PROFILE_OK) {
		complain("%s: at offset %" PRIu64 ": %s", path, loaded->reader->offset, profile_strerror(error));
		return STATUS_FAILED;
	}
	loaded->whole = loaded->reader->damage_count == 0;
	loaded->hart_count = loaded->profile.header.harts;
	memcpy(loaded->harts, loaded->profile.hart, sizeof loaded->harts);
	if (!loaded->whole) {
		char prefix[4096 + 16];
		fflush(stdout);
		snprintf(prefix, sizeof prefix, COMPLAINT "%s: ", path);
		print_damage(loaded, stderr, prefix, 8);
	}
	if (loaded->profile.has_end)
		tell_ending(path, loaded->profile.end.ending);
	if (loaded->reader->frames == 0)
		return STATUS_FAILED;
	return loaded->whole ? STATUS_OK : STATUS_NO;
}

void free_profile(struct loaded *loaded)
{
	profile_fini(&loaded->profile);
	free(loaded->reader);
	*loaded = (struct loaded){0};
}
