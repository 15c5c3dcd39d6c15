/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _DEFAULT_SOURCE /* htole64(), realpath() */
#include "host/export/perf_data.h"

#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "host/export/export.h"
#include "host/records/records.h"

#define MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2" */
#define HEADER_SIZE 104
#define ATTR_SIZE 128
#define PROCESS 1u
#define ROUND_SAMPLES 4096 /* perf sorts and lets go what came before the end of a round */

/* PERF_RECORD_*, PERF_SAMPLE_*, HEADER_*: names of Linux without their prefix */
enum { RECORD_COMM = 3, RECORD_SAMPLE = 9, RECORD_MMAP2 = 10, RECORD_ROUND = 68 };
enum { SAMPLE_IP = 1, SAMPLE_TID = 2, SAMPLE_TIME = 4, SAMPLE_PERIOD = 0x100, SAMPLE_BRANCH_STACK = 0x800 };
enum { BRANCH_USER = 1, BRANCH_ANY = 8 };
enum { FEATURE_BUILD_ID = 2, FEATURE_ARCH = 6, FEATURE_COMMAND = 11, FEATURE_EVENTS = 12, FEATURE_BRANCH_STACK = 15 };
enum { FEATURES = 5 };
enum { MISC_USER = 2, MISC_BUILD_ID_SIZE = 1 << 15 };

struct perf_data {
	FILE *samples;
	uint64_t size; /* of them */
	uint64_t count;
	bool failed;
};

struct bytes { /* of a record that is put together */
	uint8_t at[8 + 8 * 8 + PATH_MAX + 16 + 24 * PERF_STACK];
	size_t used;
};

static void put_number(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->at[b->used++] = (uint8_t)(value >> 8 * i);
}

/* With its end, and zeros up to a multiple of `align` bytes. */
static void put_name(struct bytes *b, const char *name, size_t align)
{
	size_t length = strlen(name) + 1, whole = (length + align - 1) / align * align;
	memcpy(b->at + b->used, name, length);
	memset(b->at + b->used + length, 0, whole - length);
	b->used += whole;
}

static void begin_perf_event(struct bytes *b, uint32_t type, uint16_t misc)
{
	b->used = 0;
	put_number(b, type, 4);
	put_number(b, misc, 2);
	put_number(b, 0, 2);
}

static void end_event(struct bytes *b)
{
	b->at[6] = (uint8_t)b->used;
	b->at[7] = (uint8_t)(b->used >> 8);
}

struct perf_data *perf_data_open(void)
{
	struct perf_data *data = calloc(1, sizeof *data);
	if (data == NULL)
		return NULL;
	data->samples = tmpfile();
	if (data->samples == NULL) {
		free(data);
		return NULL;
	}
	return data;
}

void perf_data_close(struct perf_data *data)
{
	if (data == NULL)
		return;
	fclose(data->samples);
	free(data);
}

static void keep_event(struct perf_data *data, struct bytes *b)
{
	end_event(b);
	data->failed = fwrite(b->at, 1, b->used, data->samples) != b->used || data->failed;
	data->size += b->used;
}

void perf_data_sample(
    struct perf_data *data, const struct perf_branch *branches, unsigned count, uint64_t time, uint64_t period)
{
	struct bytes b;
	begin_perf_event(&b, RECORD_SAMPLE, MISC_USER);
	put_number(&b, branches[count - 1].to, 8);
	put_number(&b, PROCESS, 4);
	put_number(&b, PROCESS, 4);
	put_number(&b, time, 8);
	put_number(&b, period, 8);
	put_number(&b, count, 8);
	for (unsigned i = count; i-- > 0; b.used += 24) { /* the newest first */
		const struct perf_branch *branch = &branches[i];
		const uint64_t cycles = branch->cycles < UINT16_MAX ? branch->cycles : UINT16_MAX;
		/* from bit 4 on; not predicted nor mispredicted: not known */
		const uint64_t entry[3] = {htole64(branch->from), htole64(branch->to), htole64(cycles << 4)};
		memcpy(b.at + b.used, entry, sizeof entry);
	}
	keep_event(data, &b);
	if (++data->count % ROUND_SAMPLES == 0) {
		begin_perf_event(&b, RECORD_ROUND, 0);
		keep_event(data, &b);
	}
}

/* ---- what stands around the samples ---- */

/* The program's, then those of its libraries; NULL behind them. */
static const struct image *object_at(const struct image *image, size_t index)
{
	return index == 0 ? image : image_library(image, index - 1);
}

static void object_path(const struct image *object, char path[PATH_MAX])
{
	if (realpath(image_path(object), path) == NULL)
		snprintf(path, PATH_MAX, "%s", image_path(object));
}

static void write_event(struct bytes *b, FILE *out)
{
	end_event(b);
	fwrite(b->at, 1, b->used, out);
}

static size_t write_map(const struct image *object, const struct elf_segment *segment, FILE *out)
{
	struct bytes b;
	char path[PATH_MAX];
	uint64_t page = segment->address % 4096, offset = segment->offset;
	if (offset % 4096 != page)
		page = 0; /* a program of no system, whose file is not mapped by pages */
	object_path(object, path);
	begin_perf_event(&b, RECORD_MMAP2, MISC_USER);
	put_number(&b, PROCESS, 4);
	put_number(&b, PROCESS, 4);
	put_number(&b, segment->address - page, 8);
	put_number(&b, segment->size + page, 8);
	put_number(&b, offset - page, 8);
	put_number(&b, 0, 8); /* device */
	put_number(&b, 0, 8); /* inode */
	put_number(&b, 0, 8);
	put_number(&b, 5, 4); /* PROT_READ | PROT_EXEC */
	put_number(&b, 2, 4); /* MAP_PRIVATE */
	put_name(&b, path, 8);
	if (out != NULL)
		write_event(&b, out);
	return b.used;
}

/* A program has the segments of its libraries too, which are theirs. */
static bool is_library_segment(const struct image *image, const struct elf_segment *segment)
{
	const struct image *library;
	for (size_t i = 0; (library = image_library(image, i)) != NULL; i++) {
		size_t count;
		const struct elf_segment *segments = image_segments(library, &count);
		for (size_t k = 0; k < count; k++) {
			if (segments[k].address == segment->address)
				return true;
		}
	}
	return false;
}

/* COMM and the maps; returns their bytes. out NULL: only that. */
static size_t write_maps(const struct image *image, FILE *out)
{
	struct bytes b;
	char path[PATH_MAX], name[16];
	object_path(image, path);
	const char *slash = strrchr(path, '/');
	snprintf(name, sizeof name, "%.15s", slash == NULL ? path : slash + 1);
	begin_perf_event(&b, RECORD_COMM, 0);
	put_number(&b, PROCESS, 4);
	put_number(&b, PROCESS, 4);
	put_name(&b, name, 8);
	if (out != NULL)
		write_event(&b, out);
	size_t size = b.used;
	const struct image *object;
	for (size_t i = 0; (object = object_at(image, i)) != NULL; i++) {
		size_t count;
		const struct elf_segment *segments = image_segments(object, &count);
		for (size_t k = 0; k < count; k++) {
			if (segments[k].execute && !is_library_segment(object, &segments[k]))
				size += write_map(object, &segments[k], out);
		}
	}
	return size;
}

static size_t write_build_ids(const struct image *image, FILE *out)
{
	const struct image *object;
	size_t size = 0;
	for (size_t i = 0; (object = object_at(image, i)) != NULL; i++) {
		struct records_header header = {0};
		struct bytes b;
		char path[PATH_MAX];
		records_identify(&header, object);
		size_t digits = strlen(header.build_id);
		if (digits == 0 || digits > 40)
			continue;
		object_path(object, path);
		begin_perf_event(&b, 0, MISC_USER | MISC_BUILD_ID_SIZE);
		put_number(&b, UINT32_MAX, 4); /* any process */
		for (size_t k = 0; k < 40; k += 2) {
			char byte[3] = {0};
			if (k < digits)
				memcpy(byte, header.build_id + k, 2);
			put_number(&b, strtoul(byte, NULL, 16), 1);
		}
		put_number(&b, digits / 2, 4);
		put_name(&b, path, 64);
		if (out != NULL)
			write_event(&b, out);
		size += b.used;
	}
	return size;
}

static size_t write_architecture(const struct image *image, FILE *out)
{
	struct bytes b = {.used = 0};
	const char *name = image_xlen(image) == 32 ? "riscv32" : "riscv64";
	put_number(&b, 64, 4);
	put_name(&b, name, 64);
	if (out != NULL)
		fwrite(b.at, 1, b.used, out);
	return b.used;
}

/* hotspot takes no features of a file that has neither this nor a host's name. */
static size_t write_command(const struct image *image, FILE *out)
{
	struct bytes b = {.used = 0};
	char path[PATH_MAX];
	object_path(image, path);
	put_number(&b, 1, 4);
	put_number(&b, (strlen(path) + 64) / 64 * 64, 4);
	put_name(&b, path, 64);
	if (out != NULL)
		fwrite(b.at, 1, b.used, out);
	return b.used;
}

static void put_attribute(struct bytes *b)
{
	size_t end = b->used + ATTR_SIZE;
	put_number(b, 0, 4); /* PERF_TYPE_HARDWARE */
	put_number(b, ATTR_SIZE, 4);
	put_number(b, 0, 8); /* PERF_COUNT_HW_CPU_CYCLES */
	put_number(b, 1, 8); /* period */
	put_number(b, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_BRANCH_STACK, 8);
	while (b->used < end)
		put_number(b, 0, 1);
	/* at byte 72: branch_sample_type */
	b->at[end - ATTR_SIZE + 72] = BRANCH_USER | BRANCH_ANY;
}

/* The name of what is counted, and its id, which no sample has: hotspot knows an event by these alone. */
static size_t write_perf_events(FILE *out)
{
	struct bytes b = {.used = 0};
	put_number(&b, 1, 4);
	put_number(&b, ATTR_SIZE, 4);
	put_attribute(&b);
	put_number(&b, 1, 4);
	put_number(&b, 64, 4);
	put_name(&b, "cycles", 64);
	put_number(&b, 0, 8);
	if (out != NULL)
		fwrite(b.at, 1, b.used, out);
	return b.used;
}

static void write_perf_head(uint64_t size, FILE *out)
{
	struct bytes b = {.used = 0};
	put_number(&b, MAGIC, 8);
	put_number(&b, HEADER_SIZE, 8);
	put_number(&b, ATTR_SIZE + 16, 8);
	put_number(&b, HEADER_SIZE, 8); /* attributes */
	put_number(&b, ATTR_SIZE + 16, 8);
	put_number(&b, HEADER_SIZE + ATTR_SIZE + 16, 8); /* data */
	put_number(&b, size, 8);
	put_number(&b, 0, 8); /* event types: none since long */
	put_number(&b, 0, 8);
	put_number(&b,
	    1u << FEATURE_BUILD_ID | 1u << FEATURE_ARCH | 1u << FEATURE_COMMAND | 1u << FEATURE_EVENTS |
		1u << FEATURE_BRANCH_STACK,
	    8);
	for (int i = 0; i < 3; i++)
		put_number(&b, 0, 8);
	put_attribute(&b);
	put_number(&b, 0, 8); /* ids: none */
	put_number(&b, 0, 8);
	fwrite(b.at, 1, b.used, out);
}

static void write_features(const struct image *image, uint64_t at, FILE *out)
{
	struct bytes b = {.used = 0};
	const uint64_t sizes[FEATURES] = {write_build_ids(image, NULL), write_architecture(image, NULL),
	    write_command(image, NULL), write_perf_events(NULL), 0};
	at += FEATURES * 16;
	for (int i = 0; i < FEATURES; i++) {
		put_number(&b, at, 8);
		put_number(&b, sizes[i], 8);
		at += sizes[i];
	}
	fwrite(b.at, 1, b.used, out);
	write_build_ids(image, out);
	write_architecture(image, out);
	write_command(image, out);
	write_perf_events(out);
}

int perf_data_write(struct perf_data *data, const struct image *image, FILE *out)
{
	char buffer[65536];
	size_t got;
	uint64_t size = write_maps(image, NULL) + data->size;
	if (data->failed || fflush(data->samples) != 0)
		return EXPORT_EWRITE;
	rewind(data->samples);
	write_perf_head(size, out);
	write_maps(image, out);
	while ((got = fread(buffer, 1, sizeof buffer, data->samples)) > 0) {
		if (fwrite(buffer, 1, got, out) != got)
			return EXPORT_EWRITE;
	}
	write_features(image, HEADER_SIZE + ATTR_SIZE + 16 + size, out);
	return ferror(out) || ferror(data->samples) ? EXPORT_EWRITE : EXPORT_OK;
}
