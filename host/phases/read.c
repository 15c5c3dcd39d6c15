/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool reader_grow(void **array, uint32_t *room, uint32_t count, size_t one)
{
	if (count <= *room)
		return true;
	const uint32_t wanted = count < UINT32_MAX / 2 ? 2 * count : count;
	void *bigger = realloc(*array, wanted * one);
	if (bigger == NULL)
		return false;
	*array = bigger;
	*room = wanted;
	return true;
}

bool phases_is(const void *bytes, size_t size)
{
	return size >= 8 && memcmp(bytes, PHASES_MAGIC, 8) == 0;
}

static bool read_phases_header(struct phases_file *f, const uint8_t *payload, size_t size)
{
	struct reading in = {payload, size, 0, false};
	if (size < 8 || memcmp(payload, PHASES_MAGIC, 8) != 0)
		return false;
	in.at = 8;
	const uint64_t name = input_leb(&in);
	if (in.failed || name >= PHASES_NAME_MAX || name > in.size - in.at)
		return false;
	memcpy(f->header.program, in.data + in.at, name);
	in.at += name;
	const uint64_t id = input_leb(&in);
	if (in.failed || id > sizeof f->header.build_id || id > in.size - in.at)
		return false;
	f->header.build_id_size = (uint8_t)id;
	memcpy(f->header.build_id, in.data + in.at, id);
	in.at += id;
	f->header.code_crc = (uint32_t)input_leb(&in);
	f->header.started = input_leb(&in);
	f->header.cycles = input_leb(&in) != 0;
	f->header.stratum_max = (uint32_t)input_leb(&in);
	return !in.failed;
}

static bool read_phases_end(struct phases_file *f, const uint8_t *payload, size_t size)
{
	struct reading in = {payload, size, 0, false};
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		f->end.total.at[k] = input_leb(&in);
	f->end.paths = input_leb(&in);
	f->end.gaps = input_leb(&in);
	f->end.missing = input_leb(&in);
	f->end.changes = input_leb(&in);
	f->end.ending = (uint8_t)input_leb(&in);
	input_leb(&in);
	struct phases_run *run = &f->end.run;
	uint64_t *const of_run[] = {&run->instructions, &run->cycles, &run->traced, &run->traced_cycles, &run->lost,
	    &run->unfit, &run->uncounted, &run->flags};
	for (unsigned i = 0; i < sizeof of_run / sizeof *of_run && in.at < size; i++) /* files of old have none */
		*of_run[i] = input_leb(&in);
	return !in.failed;
}

/* A chunk is taken if it lies behind the one before it in the run: what a damaged file repeats or turns round is
 * not. */
static int take_chunk(struct phases_file *f, const struct section *section, const uint8_t *payload, bool *taken)
{
	struct chunk chunk = {
	    .payload = payload, .size = section->size, .number = section->number, .crc = section->crc};
	struct reading in = {payload, section->size, 0, false};
	*taken = false;
	if (!chunk_head_read(&in, &chunk.head))
		return PHASES_OK;
	chunk.head_size = (uint32_t)in.at;
	if ((uint64_t)chunk.head_size + chunk.head.side_size + chunk.head.main_size != section->size ||
	    chunk.head.symbols > SYMBOLS_MAX || chunk.head.times > section->size * 64u ||
	    chunk.head.marks > section->size * 64u)
		return PHASES_OK;
	if (f->chunk_count > 0) {
		const struct chunk *last = &f->chunks[f->chunk_count - 1];
		if (chunk.number <= last->number || chunk.head.epoch < last->head.epoch)
			return PHASES_OK;
		for (unsigned k = 0; k < PHASES_KEYS; k++)
			if (chunk.head.at.at[k] < last->head.at.at[k] + last->head.length.at[k])
				return PHASES_OK;
	}
	if (!reader_grow((void **)&f->chunks, &f->chunk_room, f->chunk_count + 1, sizeof *f->chunks))
		return PHASES_ENOMEM;
	f->chunks[f->chunk_count++] = chunk;
	*taken = true;
	return PHASES_OK;
}

/* From section to section; where there is none, on to the next place that looks like one. */
static int scan_sections(struct phases_file *f, bool *header)
{
	size_t at = 8;
	*header = false;
	while (at < f->size) {
		struct section section;
		bool good = false;
		if (f->size - at >= SECTION_HEAD && section_read(f->data + at, &section) &&
		    section.size <= f->size - at - SECTION_HEAD) {
			const uint8_t *payload = f->data + at + SECTION_HEAD;
			if (section.type == SECTION_CHUNK) {
				int error = take_chunk(f, &section, payload, &good);
				if (error != PHASES_OK)
					return error;
			} else if (section_crc(&section, payload, section.size) == section.crc) {
				if (section.type == SECTION_HEADER)
					good = *header = read_phases_header(f, payload, section.size);
				else
					good = f->has_end = read_phases_end(f, payload, section.size);
			}
		}
		if (good) {
			at += SECTION_HEAD + section.size;
			continue;
		}
		size_t to = at + 1;
		while (to < f->size) {
			const uint8_t *r = memchr(f->data + to, 'R', f->size - to);
			to = r == NULL ? f->size : (size_t)(r - f->data);
			if (f->size - to < 4 || memcmp(f->data + to, "RVPS", 4) == 0)
				break;
			to++;
		}
		if (f->size - to < 4)
			to = f->size;
		f->bad_bytes += to - at;
		at = to;
	}
	return PHASES_OK;
}

static int start_reading(struct phases_file *f, char *detail, size_t size)
{
	bool header;
	if (!phases_is(f->data, f->size)) {
		snprintf(detail, size, "this is no phases file: it does not begin with %s", PHASES_MAGIC);
		return PHASES_EFORMAT;
	}
	if (f->size >= 8 + SECTION_HEAD && f->data[8 + 20] > PHASES_VERSION && memcmp(f->data + 8, "RVPS", 4) == 0 &&
	    f->data[8 + 21] == 0) {
		snprintf(detail, size, "it has format version %u, and this rivulet knows up to %u: update rivulet",
		    f->data[8 + 20], PHASES_VERSION);
		return PHASES_EVERSION;
	}
	f->zstd = ZSTD_createDCtx();
	int error = f->zstd == NULL ? PHASES_ENOMEM : scan_sections(f, &header);
	if (error == PHASES_OK && !header && f->chunk_count == 0)
		error = PHASES_EFORMAT;
	if (error != PHASES_OK)
		snprintf(
		    detail, size, "%s", error == PHASES_EFORMAT ? "nothing in it can be read" : phases_strerror(error));
	return error;
}

static struct phases_file *new_file(void)
{
	struct phases_file *f = calloc(1, sizeof *f);
	if (f != NULL) {
		f->epoch = f->base = f->loaded = f->times_of = NONE;
		f->generation = 1;
	}
	return f;
}

int phases_open_memory(struct phases_file **file, const void *bytes, size_t length, char *detail, size_t size)
{
	struct phases_file *f = new_file();
	*file = NULL;
	if (f == NULL)
		return PHASES_ENOMEM;
	f->data = bytes;
	f->size = length;
	int error = start_reading(f, detail, size);
	if (error != PHASES_OK)
		phases_close(f);
	else
		*file = f;
	return error;
}

int phases_open(struct phases_file **file, const char *path, char *detail, size_t size)
{
	struct stat status;
	*file = NULL;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
		map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED) {
		snprintf(detail, size, "%s", fd < 0 ? "cannot be opened" : "is no regular file, or empty");
		return PHASES_EOPEN;
	}
	int error = phases_open_memory(file, map, (size_t)status.st_size, detail, size);
	if (error == PHASES_OK)
		(*file)->mapped = true;
	else
		munmap(map, (size_t)status.st_size);
	return error;
}

void phases_close(struct phases_file *f)
{
	if (f == NULL)
		return;
	if (f->mapped)
		munmap((void *)(uintptr_t)f->data, f->size);
	ZSTD_freeDCtx(f->zstd);
	free(f->chunks);
	free(f->blocks);
	free(f->paths);
	free(f->symbols);
	free(f->path_blocks);
	free(f->path_room_blocks);
	free(f->stream);
	free(f->times);
	free(f->marks);
	free(f->prefix);
	free(f->raw);
	free(f->mark);
	free(f);
}

uint64_t phases_size(const struct phases_file *f)
{
	return f->size;
}

const struct phases_header *phases_header(const struct phases_file *f)
{
	return &f->header;
}

const struct phases_end *phases_end(const struct phases_file *f)
{
	return f->has_end ? &f->end : NULL;
}

void phases_total(const struct phases_file *f, struct phases_place *total)
{
	*total = (struct phases_place){0};
	if (f->has_end)
		*total = f->end.total;
	else if (f->chunk_count > 0)
		for (unsigned k = 0; k < PHASES_KEYS; k++)
			total->at[k] = f->chunks[f->chunk_count - 1].head.at.at[k] +
				       f->chunks[f->chunk_count - 1].head.length.at[k];
}

int phases_marks(struct phases_file *f, const struct phases_mark **marks, size_t *count)
{
	for (uint32_t c = 0; c < f->chunk_count && !f->all_marks; c++) {
		const uint32_t more = f->chunks[c].head.marks;
		if (more == 0 || !reader_chunk_good(&f->chunks[c]))
			continue;
		uint64_t *numbers = malloc((size_t)4 * more * sizeof *numbers);
		if (numbers == NULL ||
		    !reader_grow((void **)&f->marks, &f->marks_room, f->mark_count + more, sizeof *f->marks)) {
			free(numbers);
			return PHASES_ENOMEM;
		}
		int error = reader_begin_side(f, c, NULL, numbers);
		uint64_t at = 0;
		for (uint32_t i = 0; i < more && error == PHASES_OK; i++) {
			at += numbers[4 * i + 1];
			if (numbers[4 * i] < PHASES_MARK_KINDS)
				f->marks[f->mark_count++] = (struct phases_mark){.instruction = at,
				    .value = numbers[4 * i + 2],
				    .path = (uint32_t)numbers[4 * i + 3],
				    .kind = (uint8_t)numbers[4 * i]};
		}
		if (error == PHASES_OK)
			definitions_end(&f->definitions);
		free(numbers);
		if (error == PHASES_ENOMEM)
			return error;
	}
	f->all_marks = true;
	*marks = f->marks;
	*count = f->mark_count;
	return PHASES_OK;
}

void phases_damage(struct phases_file *f, struct phases_damage *damage)
{
	*damage = (struct phases_damage){.bytes = f->bad_bytes, .no_end = !f->has_end};
	struct phases_place before = {0};
	uint32_t number = 0;
	for (uint32_t c = 0; c < f->chunk_count; c++) {
		const struct chunk_head *h = &f->chunks[c].head;
		damage->chunks += f->chunks[c].number - number;
		damage->instructions += h->at.at[PHASES_INSTRUCTION] - before.at[PHASES_INSTRUCTION];
		number = f->chunks[c].number + 1;
		for (unsigned k = 0; k < PHASES_KEYS; k++)
			before.at[k] = h->at.at[k] + h->length.at[k];
		if (!reader_chunk_good(&f->chunks[c])) {
			damage->chunks++;
			damage->instructions += h->length.at[PHASES_INSTRUCTION];
		}
	}
	if (f->has_end && f->end.total.at[PHASES_REPEATED] > before.at[PHASES_REPEATED]) {
		damage->chunks++;
		damage->instructions += f->end.total.at[PHASES_INSTRUCTION] - before.at[PHASES_INSTRUCTION];
	}
}

const struct phases_block *phases_block(const struct phases_file *f, uint32_t number)
{
	return &f->blocks[number];
}

uint32_t phases_block_count(const struct phases_file *f)
{
	return f->block_count;
}
