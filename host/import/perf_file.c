/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _XOPEN_SOURCE 700 /* fseeko() */
#include "host/import/perf_file.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/bytes.h"

#define HEAD_BYTES 104u
#define PIPE_HEAD_BYTES 16u /* of `perf record -o -`: magic and its own size */
#define EVENT_HEAD 8u
#define EVENT_MOST 65536u
#define AUXTRACE_BYTES 48u
#define INFO_WORDS 7u /* of a CPU */

/* PERF_RECORD_*, without their prefix */
enum {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_TRACING = 66,
	RECORD_INFO = 70,
	RECORD_AUXTRACE = 71
};
enum { RECORD_COMPRESSED = 81, RECORD_COMPRESSED2 = 83 };
enum {
	MISC_MMAP_DATA = 1 << 13,
	AUX_TRUNCATED = 1,
	AUX_OVERWRITE = 2,
	AUX_PARTIAL = 4,
	AUX_COLLISION = 8,
	PROTECTION_EXECUTE = 4
};

const char *perf_file_strerror(int error)
{
	switch (error) {
	case PERF_FILE_OK:
		return "no error";
	case PERF_FILE_ENOMEM:
		return "out of memory";
	case PERF_FILE_EREAD:
		return "ends inside a record, or cannot be read";
	case PERF_FILE_EFORM:
		return "is no perf.data file of this byte order";
	case PERF_FILE_ECOMPRESSED:
		return "has compressed records: record without -z, or use `perf inject' to make it plain";
	default:
		return "stopped";
	}
}

struct event {
	uint64_t at; /* in the file */
	uint32_t type;
	uint16_t misc;
	size_t size;
	uint8_t bytes[EVENT_MOST];
};

static uint16_t bytes_get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* The record at perf->file's place. 1: there is one; 0: the end. */
static int next_event(struct perf_file *perf, struct event *event)
{
	event->at = (uint64_t)ftello(perf->file);
	if (event->at >= perf->end)
		return 0;
	const size_t got = fread(event->bytes, 1, EVENT_HEAD, perf->file);
	if (got == 0 && perf->end == UINT64_MAX && ferror(perf->file) == 0)
		return 0;
	if (got != EVENT_HEAD)
		return PERF_FILE_EREAD;
	event->type = bytes_get32(event->bytes);
	event->misc = bytes_get16(event->bytes + 4);
	event->size = bytes_get16(event->bytes + 6);
	if (event->size < EVENT_HEAD)
		return PERF_FILE_EREAD;
	const size_t rest = event->size - EVENT_HEAD;
	return fread(event->bytes + EVENT_HEAD, 1, rest, perf->file) == rest ? 1 : PERF_FILE_EREAD;
}

/* Bytes that stand behind the record, and are not in its size. */
static uint64_t behind_event(const struct event *e)
{
	if (e->type == RECORD_AUXTRACE && e->size >= AUXTRACE_BYTES)
		return bytes_get64(e->bytes + EVENT_HEAD);
	if (e->type == RECORD_TRACING && e->size >= EVENT_HEAD + 4)
		return ((uint64_t)bytes_get32(e->bytes + EVENT_HEAD) + 7) & ~UINT64_C(7);
	return 0;
}

static int skip_behind(struct perf_file *perf, const struct event *event)
{
	const uint64_t size = behind_event(event);
	if (size > perf->size - event->at - event->size)
		return PERF_FILE_EREAD;
	return size == 0 || fseeko(perf->file, (off_t)(event->at + event->size + size), SEEK_SET) == 0
		   ? PERF_FILE_OK
		   : PERF_FILE_EREAD;
}

/* ---- what the records say ---- */

/* NULL: out of memory. */
static struct perf_file_cpu *find_perf_cpu(struct perf_file *perf, uint32_t cpu)
{
	for (size_t i = 0; i < perf->cpu_count; i++) {
		if (perf->cpus[i].cpu == cpu)
			return &perf->cpus[i];
	}
	if (!array_room(&perf->cpus, perf->cpu_count + 1, &perf->cpu_room))
		return NULL;
	perf->cpus[perf->cpu_count] = (struct perf_file_cpu){.cpu = cpu};
	return &perf->cpus[perf->cpu_count++];
}

static int take_info(struct perf_file *perf, const struct event *e)
{
	const size_t words = e->size < 16 ? 0 : (e->size - 16) / 8;
	const uint64_t head = words == 0 ? 0 : bytes_get64(e->bytes + 16);
	perf->has_info = true;
	if (words < 1 + INFO_WORDS || (head & UINT32_MAX) != (words - 1) / INFO_WORDS || (words - 1) % INFO_WORDS != 0)
		return PERF_FILE_OK;
	for (size_t i = 1; i < words; i += INFO_WORDS) {
		const uint8_t *at = e->bytes + 16 + 8 * i;
		struct perf_file_cpu *cpu = find_perf_cpu(perf, bytes_get32(at));
		if (cpu == NULL)
			return PERF_FILE_ENOMEM;
		cpu->told = true;
		cpu->format = bytes_get64(at + 16);
		cpu->inhibit_source = bytes_get64(at + 32);
		cpu->source_bits = bytes_get64(at + 40);
		cpu->source = bytes_get64(at + 48);
	}
	return PERF_FILE_OK;
}

static int take_auxtrace(struct perf_file *perf, const struct event *e)
{
	if (e->size < AUXTRACE_BYTES)
		return PERF_FILE_EREAD;
	struct perf_file_cpu *cpu = find_perf_cpu(perf, bytes_get32(e->bytes + 40));
	if (cpu == NULL)
		return PERF_FILE_ENOMEM;
	cpu->bytes += behind_event(e);
	return PERF_FILE_OK;
}

/* Code of a file. */
static int take_map(struct perf_file *perf, const struct event *e)
{
	const bool wide = e->type == RECORD_MMAP2;
	const size_t name = wide ? 72 : 40;
	const char *path = (const char *)e->bytes + name;
	if (e->size <= name || memchr(path, '\0', e->size - name) == NULL)
		return PERF_FILE_EREAD;
	const bool code =
	    wide ? (bytes_get32(e->bytes + 64) & PROTECTION_EXECUTE) != 0 : (e->misc & MISC_MMAP_DATA) == 0;
	if (!code || path[0] != '/')
		return PERF_FILE_OK;
	if (!array_room(&perf->maps, perf->map_count + 1, &perf->map_room))
		return PERF_FILE_ENOMEM;
	struct perf_file_map *map = &perf->maps[perf->map_count];
	*map = (struct perf_file_map){.pid = bytes_get32(e->bytes + 8),
	    .start = bytes_get64(e->bytes + 16),
	    .size = bytes_get64(e->bytes + 24),
	    .offset = bytes_get64(e->bytes + 32)};
	map->path = malloc(strlen(path) + 1);
	if (map->path == NULL)
		return PERF_FILE_ENOMEM;
	strcpy(map->path, path);
	perf->map_count++;
	return PERF_FILE_OK;
}

static void take_aux(struct perf_file *perf, const struct event *e)
{
	const uint64_t flags = e->size >= 32 ? bytes_get64(e->bytes + 24) : 0;
	perf->truncated += (flags & (AUX_TRUNCATED | AUX_PARTIAL | AUX_COLLISION)) != 0;
	perf->snapshots += (flags & AUX_OVERWRITE) != 0;
}

static int take_perf_event(struct perf_file *perf, const struct event *e)
{
	switch (e->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return take_map(perf, e);
	case RECORD_LOST:
		perf->lost += e->size >= 24 ? bytes_get64(e->bytes + 16) : 1;
		return PERF_FILE_OK;
	case RECORD_AUX:
		take_aux(perf, e);
		return PERF_FILE_OK;
	case RECORD_INFO:
		return take_info(perf, e);
	case RECORD_AUXTRACE:
		return take_auxtrace(perf, e);
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return PERF_FILE_ECOMPRESSED;
	default:
		return PERF_FILE_OK;
	}
}

/* ---- the file ---- */

static int read_perf_head(struct perf_file *perf)
{
	uint8_t head[HEAD_BYTES];
	if (fseeko(perf->file, 0, SEEK_END) != 0)
		return PERF_FILE_EREAD;
	perf->size = (uint64_t)ftello(perf->file);
	rewind(perf->file);
	if (fread(head, 1, PIPE_HEAD_BYTES, perf->file) != PIPE_HEAD_BYTES || memcmp(head, PERF_FILE_MAGIC, 8) != 0)
		return PERF_FILE_EFORM;
	perf->data = PIPE_HEAD_BYTES;
	perf->end = UINT64_MAX;
	if (bytes_get64(head + 8) == PIPE_HEAD_BYTES)
		return PERF_FILE_OK;
	if (fread(head + PIPE_HEAD_BYTES, 1, HEAD_BYTES - PIPE_HEAD_BYTES, perf->file) != HEAD_BYTES - PIPE_HEAD_BYTES)
		return PERF_FILE_EREAD;
	perf->data = bytes_get64(head + 40);
	perf->end = perf->data + bytes_get64(head + 48);
	return perf->data > perf->size || perf->end > perf->size ? PERF_FILE_EREAD : PERF_FILE_OK;
}

/* A record after the other to take; 0: goes on. */
static int walk_events(
    struct perf_file *perf, int (*take)(struct perf_file *, const struct event *, void *), void *context)
{
	struct event *event = malloc(sizeof *event);
	int got = 1, error = event == NULL ? PERF_FILE_ENOMEM : PERF_FILE_OK;
	if (error == PERF_FILE_OK && fseeko(perf->file, (off_t)perf->data, SEEK_SET) != 0)
		error = PERF_FILE_EREAD;
	while (error == PERF_FILE_OK && (got = next_event(perf, event)) == 1) {
		error = take(perf, event, context);
		if (error == PERF_FILE_OK)
			error = skip_behind(perf, event);
	}
	free(event);
	return error == PERF_FILE_OK && got < 0 ? got : error;
}

static int note_event(struct perf_file *perf, const struct event *event, void *context)
{
	(void)context;
	return take_perf_event(perf, event);
}

int perf_file_open(struct perf_file *perf, FILE *file)
{
	*perf = (struct perf_file){.file = file};
	int error = read_perf_head(perf);
	if (error == PERF_FILE_OK)
		error = walk_events(perf, note_event, NULL);
	if (error != PERF_FILE_OK)
		perf_file_close(perf);
	return error;
}

void perf_file_close(struct perf_file *perf)
{
	for (size_t i = 0; i < perf->map_count; i++)
		free(perf->maps[i].path);
	free(perf->maps);
	free(perf->cpus);
	*perf = (struct perf_file){0};
}

struct aux_reading {
	uint32_t cpu;
	perf_file_taker *taker;
	void *context;
	uint64_t next; /* offset in the AUX area at which the next bytes join */
	bool begun;
};

static int give_bytes(struct perf_file *perf, const struct event *e, void *context)
{
	struct aux_reading *r = context;
	uint8_t buffer[EVENT_MOST];
	if (e->type != RECORD_AUXTRACE || bytes_get32(e->bytes + 40) != r->cpu)
		return PERF_FILE_OK;
	const uint64_t offset = bytes_get64(e->bytes + 16), size = behind_event(e);
	uint64_t at = e->at + e->size;
	bool joins = !r->begun || offset == r->next;
	r->begun = true;
	r->next = offset + size;
	for (uint64_t left = size; left > 0; joins = true) {
		const size_t piece = left < sizeof buffer ? (size_t)left : sizeof buffer;
		if (fread(buffer, 1, piece, perf->file) != piece)
			return PERF_FILE_EREAD;
		if (r->taker(r->context, buffer, piece, at, joins) != 0)
			return PERF_FILE_ESTOPPED;
		left -= piece;
		at += piece;
	}
	return PERF_FILE_OK;
}

int perf_file_bytes(struct perf_file *perf, uint32_t cpu, perf_file_taker *taker, void *context)
{
	struct aux_reading reading = {.cpu = cpu, .taker = taker, .context = context};
	return walk_events(perf, give_bytes, &reading);
}
