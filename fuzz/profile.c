/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Profile streams: any bytes in any pieces; what was read can be written and read again. */
#include "fuzz/fuzz.h"
#include "fuzz/framed.h"
#include "host/profile/kernel.h"
#include "host/profile/split.h"
#include "host/profile/stream.h"

struct buffer {
	uint8_t *bytes;
	size_t size, room;
};

static int emit(void *context, const void *bytes, size_t size)
{
	struct buffer *b = context;
	if (size > b->room - b->size) {
		size_t room = 2 * b->room + size;
		uint8_t *grown = realloc(b->bytes, room);
		if (grown == NULL)
			return 1;
		b->bytes = grown;
		b->room = room;
	}
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
	return 0;
}

/* Returns what profile_feed() or profile_finish() said. */
static int read_all(
    struct profile_reader *reader, struct profile *profile, const uint8_t *bytes, size_t size, size_t step)
{
	profile_reader_init(reader, profile);
	for (size_t at = 0; at < size; at += step) {
		int error = profile_feed(reader, bytes + at, size - at < step ? size - at : step);
		if (error != PROFILE_OK)
			return error;
	}
	return profile_finish(reader);
}

static void write_and_read(const struct profile *profile)
{
	static struct profile_reader reader;
	struct profile again;
	struct buffer buffer = {0};
	if (profile_write(profile, emit, &buffer) == PROFILE_OK && profile_init(&again) == PROFILE_OK) {
		must(read_all(&reader, &again, buffer.bytes, buffer.size, buffer.size) == PROFILE_OK);
		must(again.total == profile->total && again.used == profile->used);
		must(reader.damage_count == 0);
		must(profile->total == 0 || profile_overlap(profile, &again) > 0.999999);
		profile_fini(&again);
	}
	free(buffer.bytes);
}

/* What is said of a run of the kernel: slots and slices are in order, whatever the bytes. */
static void kernel(const uint8_t *bytes, size_t size)
{
	static struct kernel_run run;
	unsigned bad;
	if (kernel_run_read(&run, bytes, size, &bad) == 0) {
		for (size_t i = 0; i < run.first_count; i++) {
			must(run.first[i].slot >= 1 && run.first[i].slot <= run.count);
			must(run.first[i].begin <= run.first[i].end);
			must(i == 0 || run.first[i - 1].end <= run.first[i].begin);
		}
		must(run.there || run.first_count == 0);
	}
	kernel_run_fini(&run);
}

static void split(const uint8_t *bytes, size_t size)
{
	struct profile_range range;
	size_t at = 0, behind = 0;
	while (profile_next(bytes, size, &at, &range) == 1) {
		must(range.begin >= behind && range.size > 0 && range.begin + range.size <= size);
		must(at > behind || behind == 0);
		behind = at;
	}
}

/* What the kernel sends for processes (docs/profile-format.md, "Text that is no frame"): never a frame, for no
 * reader. */
static void marked(const uint8_t *bytes, size_t size)
{
	static struct profile_reader reader;
	struct profile profile;
	struct profile_range range;
	struct buffer b = {0};
	size_t at = 0;
	if (profile_init(&profile) != PROFILE_OK)
		return;
	int error = emit(&b, "\0\xFF\xFF", 3);
	for (size_t i = 0; error == 0 && i < size; i++)
		error = bytes[i] != 0 ? emit(&b, bytes + i, 1) : emit(&b, "\xC0\x80", 2);
	if (error == 0 && emit(&b, "\0", 1) == 0) {
		must(profile_next(b.bytes, b.size, &at, &range) == 0);
		must(read_all(&reader, &profile, b.bytes, b.size, b.size) == PROFILE_OK);
		must(reader.frames == 0 && reader.damaged == 0);
	}
	profile_fini(&profile);
	free(b.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct profile_reader reader, other;
	struct profile profile, second;
	struct input in = {bytes, size};
	unsigned mode = (unsigned)take(&in, 1);
	size_t length = in.left;
	marked(in.at, in.left);
	uint8_t *made = NULL;
	const uint8_t *stream = in.at;
	if ((mode & 1) != 0) {
		stream = made = framed(in.at, in.left, &length);
		if (made == NULL)
			return 0;
	}
	if (profile_init(&profile) == PROFILE_OK) {
		int error = read_all(&reader, &profile, stream, length, length + 1);
		for (size_t i = 0; i < reader.damage_count && i < DAMAGE_MAX; i++) {
			char text[256];
			int n = damage_describe(&reader.damage[i], text, sizeof text);
			must(n > 0 && n < (int)sizeof text);
		}
		must(reader.text_bytes <= length);
		if ((mode & 4) != 0 && profile_init(&second) == PROFILE_OK) {
			must(read_all(&other, &second, stream, length, (mode >> 1) + 1u) == error);
			must(second.total == profile.total && second.used == profile.used);
			must(other.damage_count == reader.damage_count && other.frames == reader.frames);
			must(other.text_bytes == reader.text_bytes);
			if (error == PROFILE_OK && profile.total < UINT64_MAX / 2) {
				struct profile_header header = profile.header;
				error = profile_merge(&second, &profile);
				must(error != PROFILE_OK || second.total == 2 * profile.total);
				must(memcmp(&header, &profile.header, sizeof header) == 0);
			}
			profile_fini(&second);
		}
		if (profile.has_header && profile.has_end && (mode & 2) != 0)
			write_and_read(&profile);
		profile_fini(&profile);
	}
	kernel(stream, length);
	split(stream, length);
	free(made);
	return 0;
}
