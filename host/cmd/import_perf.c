/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/import_perf.h"

#include <inttypes.h>
#include <string.h>
#include "host/cmd/objects.h"

#define PAGE_MASK UINT64_C(0xFFF)
#define FORMAT_ETRACE 0 /* trTeFormat */
#define FORMAT_NTRACE 1

/* ---- which bytes ---- */

static const struct perf_file_cpu *perf_cpu_of(const struct perf_file *file, uint64_t cpu)
{
	for (size_t i = 0; i < file->cpu_count; i++) {
		if (file->cpus[i].cpu == cpu && file->cpus[i].bytes > 0)
			return &file->cpus[i];
	}
	return NULL;
}

/* The only one with bytes; *count: how many have some. */
static const struct perf_file_cpu *only_perf_cpu(const struct perf_file *file, size_t *count, char *list, size_t room)
{
	const struct perf_file_cpu *found = NULL;
	size_t used = 0;
	*count = 0;
	*list = '\0';
	for (size_t i = 0; i < file->cpu_count; i++) {
		if (file->cpus[i].bytes == 0)
			continue;
		found = &file->cpus[i];
		if (used < room)
			used += (size_t)snprintf(
			    list + used, room - used, "%s%" PRIu32, *count == 0 ? "" : ", ", found->cpu);
		++*count;
	}
	return found;
}

static const struct perf_file_cpu *choose_perf_cpu(const struct perf_file *file, const struct import_arguments *a)
{
	char list[200];
	size_t count;
	const struct perf_file_cpu *only = only_perf_cpu(file, &count, list, sizeof list);
	const struct perf_file_cpu *wanted = a->has_hart ? perf_cpu_of(file, a->hart) : only;
	if (count == 0)
		complain("%s: has no bytes of an encoder: record with `perf record -e rvtrace//'%s", a->log,
		    file->has_info ? "; tracing was on, but nothing was stored" : "");
	else if (wanted == NULL)
		complain("%s: has no bytes of CPU %" PRIu64 ", but of %s", a->log, a->hart, list);
	else if (!a->has_hart && count > 1)
		complain("%s: has bytes of several CPUs (%s): choose one by --hart", a->log, list);
	else
		return wanted;
	return NULL;
}

/* ---- how the encoder was set ---- */

static int set_perf_encoder(struct import_arguments *a, const struct perf_file_cpu *cpu)
{
	const enum import_form told = cpu->format == FORMAT_NTRACE ? IMPORT_NTRACE : IMPORT_ETRACE;
	if (!cpu->told && a->form != IMPORT_AUTO)
		return STATUS_OK;
	if (!cpu->told || cpu->format > FORMAT_NTRACE) {
		complain("%s: does not say how the encoder was set: give --form and --encoder, or --chip", a->log);
		return STATUS_FAILED;
	}
	if (a->form != IMPORT_AUTO && a->form != told) {
		complain(
		    "%s: has bytes of the form %s, not %s", a->log, import_form_name(told), import_form_name(a->form));
		return STATUS_FAILED;
	}
	if (a->form == IMPORT_AUTO)
		encoder_defaults(&a->encoder, told);
	a->form = told;
	const bool inhibited = cpu->inhibit_source != 0;
	const unsigned bits = inhibited || cpu->source_bits > 16 ? 0 : (unsigned)cpu->source_bits;
	a->encoder.ntrace.layout.source_bits = a->encoder.etrace.layout.source_bits = bits;
	a->encoder.ntrace.source = a->encoder.etrace.source = bits == 0 ? 0 : (unsigned)cpu->source;
	const char *wrong = encoder_check(&a->encoder);
	if (wrong != NULL)
		complain("%s: the encoder's settings in it: %s", a->log, wrong);
	return wrong == NULL ? STATUS_OK : STATUS_FAILED;
}

/* ---- where the program was ---- */

static const char *perf_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* Where the first page of the map's file is. False: the map shows no code of it. */
static bool first_page_of(const struct image *image, const struct perf_file_map *map, uint64_t *address)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *s = &segments[i];
		const uint64_t begin = s->offset & ~PAGE_MASK;
		if (!s->execute || map->offset < begin || map->offset >= s->offset + s->file_size)
			continue;
		const uint64_t place = s->address + (map->offset - s->offset);
		*address = map->start - place + (segments[0].address & ~PAGE_MASK);
		return true;
	}
	return false;
}

/* A line for objects_place_lines(), if the file can be read. */
static void write_perf_map(const struct image *program, const struct perf_file_map *map, FILE *lines)
{
	struct image *library = NULL;
	uint64_t address = map->start - map->offset;
	const bool own = strcmp(perf_base_name(map->path), perf_base_name(image_path(program))) == 0;
	bool shows = true;
	if (own)
		shows = first_page_of(program, map, &address);
	else if (image_open(&library, map->path, NULL, 0) == IMAGE_OK)
		shows = first_page_of(library, map, &address);
	image_close(library);
	if (shows)
		fprintf(lines, "0x%" PRIx64 " %s\n", address, map->path);
}

/* The maps of the process that ran the program; a file of which one code map is there already is not repeated. */
static int place_perf_maps(
    const struct perf_file *file, const struct import_arguments *a, struct image *image, struct records_header *header)
{
	const char *program = perf_base_name(image_path(image));
	const struct perf_file_map *first = NULL;
	for (size_t i = 0; i < file->map_count && first == NULL; i++) {
		if (strcmp(perf_base_name(file->maps[i].path), program) == 0)
			first = &file->maps[i];
	}
	if (first == NULL)
		return STATUS_OK;
	FILE *lines = tmpfile();
	if (lines == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < file->map_count; i++) {
		const struct perf_file_map *map = &file->maps[i];
		bool repeats = false;
		for (size_t k = 0; k < i; k++)
			repeats =
			    repeats || (file->maps[k].pid == first->pid && strcmp(file->maps[k].path, map->path) == 0);
		if (map->pid == first->pid && !repeats)
			write_perf_map(image, map, lines);
	}
	const int status = objects_place_lines(image, lines, a->log, header);
	fclose(lines);
	return status;
}

uint64_t import_perf_lost(const struct import_perf *perf)
{
	return perf->file.truncated + perf->file.lost + (perf->file.snapshots > 0);
}

static void tell_perf_lost(const struct import_arguments *a, const struct perf_file *file)
{
	if (file->truncated > 0)
		complain("%s: %s times the AUX buffer was full: what ran then is missing", a->log,
		    with_commas(file->truncated));
	if (file->lost > 0)
		complain(
		    "%s: %s records of perf are lost: maps of the program, or the word that bytes are missing, may be "
		    "among them",
		    a->log, with_commas(file->lost));
	if (file->snapshots > 0)
		complain("%s: is a snapshot: what ran before its bytes is missing", a->log);
}

int import_perf_open(
    struct import_perf *perf, struct import_arguments *a, struct image *image, struct records_header *header, FILE *log)
{
	const int error = perf_file_open(&perf->file, log);
	if (error != PERF_FILE_OK) {
		complain("%s: %s%s", a->log, perf_file_strerror(error),
		    error == PERF_FILE_EREAD ? "; a perf.data file cannot come through a pipe" : "");
		return STATUS_FAILED;
	}
	const struct perf_file_cpu *cpu = choose_perf_cpu(&perf->file, a);
	int status = cpu == NULL ? STATUS_FAILED : STATUS_OK;
	if (status == STATUS_OK && !a->find)
		status = set_perf_encoder(a, cpu);
	if (status == STATUS_OK && !a->has_load && a->map == NULL)
		status = place_perf_maps(&perf->file, a, image, header);
	if (status == STATUS_OK)
		tell_perf_lost(a, &perf->file);
	if (status != STATUS_OK) {
		import_perf_close(perf);
		return status;
	}
	perf->cpu = cpu->cpu;
	header->base = image_load_address(image);
	return STATUS_OK;
}

void import_perf_close(struct import_perf *perf)
{
	perf_file_close(&perf->file);
}
