/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Counts that reached their maximum: every path of the record port's profile is in one of the processes' profiles, with
 * its count there or, if that is more than MAX, with MAX; and nothing else is in them.
 * Usage: long-short MAX PORT.prof PROCESS.prof...   Status 0 if that is so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "host/profile/stream.h"

static int load(const char *path, struct profile *profile)
{
	static struct profile_reader reader;
	static char bytes[1 << 20];
	FILE *file = fopen(path, "rb");
	if (file == NULL || profile_init(profile) != PROFILE_OK)
		return -1;
	profile_reader_init(&reader, profile);
	size_t size;
	while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
		if (profile_feed(&reader, bytes, size) != PROFILE_OK)
			return -1;
	fclose(file);
	return profile_finish(&reader) == PROFILE_OK && reader.damage_count == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct profile port, process;
	if (argc < 4 || load(argv[2], &port) != 0) {
		fprintf(stderr, "long-short: the record port's profile cannot be read\n");
		return 2;
	}
	uint64_t most = strtoull(argv[1], NULL, 0), at_most = 0, paths = 0, wrong = 0, not_counted = 0;
	for (int i = 3; i < argc; i++) {
		if (load(argv[i], &process) != 0) {
			fprintf(stderr, "long-short: %s is damaged\n", argv[i]);
			return 2;
		}
		not_counted += process.end.dropped + process.end.lost;
		for (size_t n = 0; n < process.used; n++) {
			const struct record *e = &process.entries[n];
			const struct record *other = profile_find(&port, e->start, e->hist, record_partial(e));
			uint64_t expected = other == NULL ? 0 : other->count < most ? other->count : most;
			wrong += e->count != expected;
			at_most += e->count == most;
			paths++;
		}
		profile_fini(&process);
	}
	printf("short counters: %" PRIu64 " paths, %" PRIu64 " of them at the maximum of %" PRIu64 ", %" PRIu64
	       " wrong, %" PRIu64 " missing, %" PRIu64 " dropped or lost\n",
	    paths, at_most, most, wrong, (uint64_t)port.used - paths, not_counted);
	return wrong == 0 && paths == port.used && at_most > 0 && not_counted == 0 ? 0 : 1;
}
