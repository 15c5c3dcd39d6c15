/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/definitions.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define NONE UINT32_MAX
#define SYMBOLS_MAX (1u << 24) /* in a chunk: more is no chunk of ours; likewise blocks and paths */
#define BLOCKS_MAX (1u << 26)
#define PATHS_MAX (1u << 27)

struct chunk {
	const uint8_t *payload;
	uint32_t size, number, crc, head_size;
	struct chunk_head head;
	enum { UNREAD, GOOD, BAD } state; /* of the payload's CRC */
};

struct path {
	size_t first; /* in path_blocks */
	uint32_t count;
	uint64_t instructions;
};
struct symbol {
	uint32_t path, trips; /* path NONE: its definition is lost */
};

struct phases_file {
	const uint8_t *data;
	size_t size;
	bool mapped;
	struct phases_header header;
	struct phases_end end;
	bool has_end;
	struct chunk *chunks;
	uint32_t chunk_count, chunk_room;
	uint64_t bad_bytes;
	ZSTD_DCtx *zstd;

	struct phases_block *blocks; /* of the epochs read so far: those of a lost chunk have address 0, no bytes */
	uint32_t block_count, block_room;
	uint32_t blocks_read; /* chunks whose blocks are known */

	/* definitions of one epoch; NONE: of none */
	uint32_t epoch;
	struct path *paths;
	uint32_t path_count, path_room;
	struct symbol *symbols;
	uint32_t symbol_count, symbol_room;
	uint32_t *path_blocks;
	size_t path_blocks_used, path_blocks_room;
	uint32_t *path_room_blocks; /* room for one path that is being read */
	struct definitions definitions;
	struct phases_mark *marks;
	uint32_t mark_count, marks_room;
	bool all_marks;

	/* the chunk under the cursor, and the prefix of its group */
	uint32_t at;   /* index of the chunk; chunk_count: behind the last one */
	uint32_t base; /* index of the chunk that prefix holds; NONE: none */
	uint8_t *prefix, *raw;
	size_t prefix_size, prefix_room, raw_room;
	uint32_t *stream, stream_room; /* its symbols */
	uint64_t *times;               /* of chunk times_of, two numbers each, absolute; NONE: of none */
	uint32_t times_of, times_room;
	uint32_t loaded; /* index of the chunk in raw; NONE: none */
	uint32_t next;   /* symbol of the chunk that comes next */
	bool gap_told;   /* what is lost before the chunk has been given */
	struct phases_place place;
	/* strata of the chunk, found again */
	uint32_t *mark, mark_room, generation, stratum_length; /* as in host/phases/layers.c */
};

/* ---------------------------------------------------------------- opening */

static bool grow(void **array, uint32_t *room, uint32_t count, size_t one)
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

static bool read_header(struct phases_file *f, const uint8_t *payload, size_t size)
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

static bool read_end(struct phases_file *f, const uint8_t *payload, size_t size)
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
	return !in.failed;
}

/* A chunk is taken if it lies behind the one before it in the run: what a damaged file repeats or turns round is not. */
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
	if (!grow((void **)&f->chunks, &f->chunk_room, f->chunk_count + 1, sizeof *f->chunks))
		return PHASES_ENOMEM;
	f->chunks[f->chunk_count++] = chunk;
	*taken = true;
	return PHASES_OK;
}

/* From section to section; where there is none, on to the next place that looks like one. */
static int scan(struct phases_file *f, bool *header)
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
					good = *header = read_header(f, payload, section.size);
				else
					good = f->has_end = read_end(f, payload, section.size);
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

static int start(struct phases_file *f, char *detail, size_t size)
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
	int error = f->zstd == NULL ? PHASES_ENOMEM : scan(f, &header);
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
	int error = start(f, detail, size);
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

/* ---------------------------------------------------------------- definitions */

static bool chunk_good(struct chunk *c)
{
	if (c->state == UNREAD) {
		const struct section section = {SECTION_CHUNK, c->number, c->size, c->crc};
		c->state = section_crc(&section, c->payload, c->size) == c->crc ? GOOD : BAD;
	}
	return c->state == GOOD;
}

static int decompress(struct phases_file *f, const uint8_t *from, size_t size, const uint8_t *prefix,
    size_t prefix_size, uint8_t **to, size_t *room, size_t wanted)
{
	if (wanted > *room) {
		uint8_t *bigger = realloc(*to, wanted);
		if (bigger == NULL)
			return PHASES_ENOMEM;
		*to = bigger;
		*room = wanted;
	}
	ZSTD_DCtx_reset(f->zstd, ZSTD_reset_session_only);
	if (prefix != NULL)
		ZSTD_DCtx_refPrefix(f->zstd, prefix, prefix_size);
	const size_t got = wanted == 0 ? 0 : ZSTD_decompressDCtx(f->zstd, *to, wanted, from, size);
	return ZSTD_isError(got) || got != wanted ? PHASES_EDAMAGED : PHASES_OK;
}

static int read_blocks(struct phases_file *f, const struct chunk_head *h)
{
	const uint32_t end = h->first_block + h->blocks, old = f->block_count;
	struct phases_block block = {0};
	if (end < h->first_block || end > BLOCKS_MAX)
		return PHASES_EDAMAGED;
	if (end > old) {
		if (!grow((void **)&f->blocks, &f->block_room, end, sizeof *f->blocks))
			return PHASES_ENOMEM;
		memset(f->blocks + old, 0, (end - old) * sizeof *f->blocks);
		f->block_count = end;
	}
	for (uint32_t b = h->first_block; b < end; b++) {
		if (!code_block(&f->definitions, &block) || coder_failed(&f->definitions.coder))
			return PHASES_EDAMAGED;
		f->blocks[b] = block;
	}
	return PHASES_OK;
}

/* Appends a path; its numbers of blocks lie in path_room_blocks. */
static int add_path(struct phases_file *f, uint32_t count)
{
	struct path path = {.first = f->path_blocks_used, .count = count};
	if (f->path_blocks_used + count > f->path_blocks_room) {
		const size_t room = 2 * f->path_blocks_room + count + 1024;
		uint32_t *bigger = realloc(f->path_blocks, room * sizeof *bigger);
		if (bigger == NULL)
			return PHASES_ENOMEM;
		f->path_blocks = bigger;
		f->path_blocks_room = room;
	}
	memcpy(f->path_blocks + path.first, f->path_room_blocks, count * sizeof *f->path_blocks);
	for (uint32_t i = 0; i < count; i++) {
		const struct phases_block *block = &f->blocks[f->path_room_blocks[i]];
		path.instructions += block->instructions;
		if (block->bytes == 0) /* its definition is lost */
			path.count = 0;
	}
	f->path_blocks_used += count;
	f->paths[f->path_count++] = path;
	return PHASES_OK;
}

static int read_paths(struct phases_file *f, const struct chunk_head *h)
{
	const uint32_t end = h->first_path + h->paths;
	if (end < h->first_path || h->first_path < f->path_count || end > PATHS_MAX)
		return PHASES_EDAMAGED;
	if (f->path_room_blocks == NULL)
		f->path_room_blocks = malloc(LAYERS_LENGTH_MAX * sizeof *f->path_room_blocks);
	if (f->path_room_blocks == NULL || !grow((void **)&f->paths, &f->path_room, end, sizeof *f->paths))
		return PHASES_ENOMEM;
	while (f->path_count < h->first_path) /* those of a lost chunk */
		f->paths[f->path_count++] = (struct path){0};
	while (f->path_count < end) {
		uint32_t count;
		if (!code_path(&f->definitions, f->path_room_blocks, &count, f->block_count))
			return PHASES_EDAMAGED;
		int error = add_path(f, count);
		if (error != PHASES_OK)
			return error;
	}
	return PHASES_OK;
}

static int read_symbols(struct phases_file *f, const struct chunk_head *h)
{
	const uint32_t end = h->first_symbol + h->defined;
	if (end < h->first_symbol || h->first_symbol < f->symbol_count || end > PATHS_MAX)
		return PHASES_EDAMAGED;
	if (!grow((void **)&f->symbols, &f->symbol_room, end, sizeof *f->symbols))
		return PHASES_ENOMEM;
	while (f->symbol_count < h->first_symbol)
		f->symbols[f->symbol_count++] = (struct symbol){NONE, 0};
	uint32_t next_path = h->first_path;
	while (f->symbol_count < end) {
		uint32_t path = 0, trips = 1;
		if (!code_repeated(&f->definitions, next_path, &path, &trips) || path >= f->path_count ||
		    coder_failed(&f->definitions.coder))
			return PHASES_EDAMAGED;
		next_path += path == next_path;
		f->symbols[f->symbol_count++] = (struct symbol){f->paths[path].count == 0 ? NONE : path, trips};
	}
	return PHASES_OK;
}

/* Begins to read the definitions of chunk c: its times (two numbers each) and marks (four) into times and marks, which
 * have room for them or are NULL. The caller ends the model if this returns PHASES_OK. */
static int begin_side(struct phases_file *f, uint32_t c, uint64_t *times, uint64_t *marks)
{
	struct chunk *chunk = &f->chunks[c];
	const struct chunk_head *h = &chunk->head;
	struct definitions *d = &f->definitions;
	if (!chunk_good(chunk))
		return PHASES_EDAMAGED;
	if (definitions_begin(d, h->first_block + h->blocks, h->first_block, h->paths) != PHASES_OK)
		return PHASES_ENOMEM;
	coder_read(&d->coder, chunk->payload + chunk->head_size, h->side_size);
	for (uint64_t i = 0; i < 2 * (uint64_t)h->times + 4 * (uint64_t)h->marks && !coder_failed(&d->coder); i++) {
		const bool is_time = i < 2 * (uint64_t)h->times;
		const uint64_t value = code_number(&d->coder, is_time ? &d->time : &d->mark, 0);
		if (is_time && times != NULL)
			times[i] = value;
		if (!is_time && marks != NULL)
			marks[i - 2 * (uint64_t)h->times] = value;
	}
	if (coder_failed(&d->coder)) {
		definitions_end(d);
		chunk->state = BAD;
		return PHASES_EDAMAGED;
	}
	return PHASES_OK;
}

/* Takes in the definitions of chunk c. Paths and repeated paths are taken too if the chunk is of the present epoch. */
static int define(struct phases_file *f, uint32_t c)
{
	struct chunk *chunk = &f->chunks[c];
	const struct chunk_head *h = &chunk->head;
	int error = begin_side(f, c, NULL, NULL);
	if (error != PHASES_OK)
		return error;
	error = read_blocks(f, h);
	if (error == PHASES_OK && h->epoch == f->epoch)
		error = read_paths(f, h);
	if (error == PHASES_OK && h->epoch == f->epoch)
		error = read_symbols(f, h);
	definitions_end(&f->definitions);
	if (error == PHASES_EDAMAGED)
		chunk->state = BAD;
	return error;
}

/* Makes the definitions of this epoch known: those of damaged chunks are missing. */
static int load_epoch(struct phases_file *f, uint32_t epoch)
{
	if (f->epoch == epoch)
		return PHASES_OK;
	f->epoch = epoch;
	f->path_count = f->symbol_count = 0;
	f->path_blocks_used = 0;
	for (uint32_t c = 0; c < f->chunk_count && f->chunks[c].head.epoch <= epoch; c++) {
		if (f->chunks[c].head.epoch != epoch && c < f->blocks_read)
			continue;
		int error = define(f, c);
		if (error != PHASES_OK && error != PHASES_EDAMAGED) {
			f->epoch = NONE;
			return error;
		}
		if (c >= f->blocks_read)
			f->blocks_read = c + 1;
	}
	return PHASES_OK;
}

/* ---------------------------------------------------------------- the cursor */

static int load_base(struct phases_file *f, uint32_t base)
{
	struct chunk *chunk = &f->chunks[base];
	if (f->base == base)
		return PHASES_OK;
	f->base = NONE;
	if (!chunk_good(chunk))
		return PHASES_EDAMAGED;
	f->prefix_size = (size_t)chunk->head.symbols * chunk->head.width;
	int error = decompress(f, chunk->payload + chunk->head_size + chunk->head.side_size, chunk->head.main_size,
	    NULL, 0, &f->prefix, &f->prefix_room, f->prefix_size);
	if (error == PHASES_OK)
		f->base = base;
	return error;
}

/* The symbols of chunk c in f->stream. */
static int load_chunk(struct phases_file *f, uint32_t c)
{
	struct chunk *chunk = &f->chunks[c];
	int error = load_epoch(f, chunk->head.epoch);
	if (error != PHASES_OK || f->loaded == c)
		return error;
	f->loaded = NONE;
	if (!chunk_good(chunk))
		return PHASES_EDAMAGED;
	if (chunk->head.base > 0) { /* the chunk of that number, if it is there */
		uint32_t base = c;
		while (base > 0 && f->chunks[base].number + chunk->head.base > chunk->number)
			base--;
		if (f->chunks[base].number + chunk->head.base != chunk->number || f->chunks[base].head.base != 0)
			error = PHASES_EDAMAGED;
		else
			error = load_base(f, base);
		if (error != PHASES_OK)
			return error;
	}
	error = decompress(f, chunk->payload + chunk->head_size + chunk->head.side_size, chunk->head.main_size,
	    chunk->head.base > 0 ? f->prefix : NULL, f->prefix_size, &f->raw, &f->raw_room,
	    (size_t)chunk->head.symbols * chunk->head.width);
	if (error != PHASES_OK)
		return error;
	if (!grow((void **)&f->stream, &f->stream_room, chunk->head.symbols, sizeof *f->stream))
		return PHASES_ENOMEM;
	const uint8_t *bytes = f->raw;
	uint32_t next = chunk->head.first_symbol;
	for (uint32_t i = 0; i < chunk->head.symbols; i++) {
		uint32_t value = 0;
		for (unsigned b = 0; b < chunk->head.width; b++)
			value |= (uint32_t)*bytes++ << 8 * b;
		f->stream[i] = value == 0 ? next++ : value - 1;
	}
	f->loaded = c;
	return PHASES_OK;
}

/* Puts the cursor before the first symbol of chunk c. */
static void enter_chunk(struct phases_file *f, uint32_t c)
{
	f->at = c;
	f->next = 0;
	f->gap_told = false;
	f->generation++;
	f->stratum_length = 0;
}

/* Room in the marks for every symbol of the epoch. */
static int make_marks(struct phases_file *f)
{
	const uint32_t old = f->mark_room;
	if (!grow((void **)&f->mark, &f->mark_room, f->symbol_count, sizeof *f->mark))
		return PHASES_ENOMEM;
	if (f->mark_room > old)
		memset(f->mark + old, 0, (f->mark_room - old) * sizeof *f->mark);
	return PHASES_OK;
}

/* Whether this symbol begins a stratum anew: the one under construction holds it already, or is full. */
static bool begins_stratum(const struct phases_file *f, uint32_t symbol)
{
	const uint32_t max = f->header.stratum_max == 0 ? LAYERS_LENGTH_MAX : f->header.stratum_max;
	return f->stratum_length == max || (symbol < f->mark_room && f->mark[symbol] == f->generation);
}

/* What the next symbol of the chunk stands for; path NONE: nobody knows. */
static struct symbol meaning(const struct phases_file *f, uint32_t symbol)
{
	return symbol < f->symbol_count ? f->symbols[symbol] : (struct symbol){NONE, 0};
}

/* Moves the cursor over the next symbol of the chunk. */
static void pass(struct phases_file *f, uint32_t symbol)
{
	const struct symbol what = meaning(f, symbol);
	if (begins_stratum(f, symbol)) {
		f->place.at[PHASES_STRATUM]++;
		f->stratum_length = 0;
		f->generation++;
	}
	if (symbol < f->mark_room)
		f->mark[symbol] = f->generation;
	f->stratum_length++;
	f->next++;
	f->place.at[PHASES_REPEATED]++;
	if (what.path == NONE)
		return;
	f->place.at[PHASES_INSTRUCTION] += what.trips * f->paths[what.path].instructions;
	f->place.at[PHASES_BLOCK] += (uint64_t)what.trips * f->paths[what.path].count;
	f->place.at[PHASES_PATH] += what.trips;
}

/* What is missing before the place of chunk c's beginning. */
static bool lost_before(const struct phases_file *f, uint32_t c, struct phases_place *from)
{
	*from = (struct phases_place){0};
	if (c > 0)
		for (unsigned k = 0; k < PHASES_KEYS; k++)
			from->at[k] = f->chunks[c - 1].head.at.at[k] + f->chunks[c - 1].head.length.at[k];
	const struct phases_place *to = c < f->chunk_count ? &f->chunks[c].head.at : f->has_end ? &f->end.total : NULL;
	return to != NULL && to->at[PHASES_REPEATED] > from->at[PHASES_REPEATED];
}

static void lost_step(struct phases_step *step, const struct phases_place *place)
{
	*step = (struct phases_step){.place = *place, .lost = true};
}

int phases_next(struct phases_file *f, struct phases_step *step)
{
	for (;;) {
		struct phases_place from;
		if (!f->gap_told) {
			f->gap_told = true;
			if (lost_before(f, f->at, &from)) {
				lost_step(step, &from);
				return 1;
			}
		}
		if (f->at >= f->chunk_count)
			return 0;
		const struct chunk_head *head = &f->chunks[f->at].head;
		if (f->next == 0) {
			f->place = head->at;
			int error = load_chunk(f, f->at);
			if (error == PHASES_OK)
				error = make_marks(f);
			if (error == PHASES_EDAMAGED) {
				lost_step(step, &f->place);
				enter_chunk(f, f->at + 1);
				return 1;
			}
			if (error != PHASES_OK)
				return error;
		}
		if (f->next < head->symbols)
			break;
		enter_chunk(f, f->at + 1);
	}
	const uint32_t symbol = f->stream[f->next];
	const struct symbol what = meaning(f, symbol);
	lost_step(step, &f->place);
	if (what.path != NONE) {
		const struct path *path = &f->paths[what.path];
		*step = (struct phases_step){.place = f->place,
		    .epoch = f->epoch,
		    .path = what.path,
		    .trips = what.trips,
		    .what = {f->path_blocks + path->first, path->count, path->instructions}};
	}
	step->place.at[PHASES_STRATUM] += begins_stratum(f, symbol);
	pass(f, symbol);
	return 1;
}

/* The times of chunk c, made absolute, those that do not lie within it left out. Returns how many, or an error. */
static int load_times(struct phases_file *f, uint32_t c)
{
	const struct chunk_head *h = &f->chunks[c].head;
	if (f->times_of != c) {
		f->times_of = NONE;
		if (!grow((void **)&f->times, &f->times_room, 2 * h->times + 1, sizeof *f->times))
			return PHASES_ENOMEM;
		int error = begin_side(f, c, f->times, NULL);
		if (error != PHASES_OK)
			return error;
		definitions_end(&f->definitions);
		for (uint32_t i = 1; i < h->times; i++) {
			f->times[2 * i] += f->times[2 * i - 2];
			f->times[2 * i + 1] += f->times[2 * i - 1];
		}
		f->times_of = c;
	}
	return PHASES_OK;
}

/* From one clock to the other, in chunk c: in proportion between the two times of the chunk that value lies between.
 * from and to: PHASES_INSTRUCTION and PHASES_CYCLE, or the other way round. */
static int convert(struct phases_file *f, uint32_t c, enum phases_key from, uint64_t value, uint64_t *result)
{
	const struct chunk_head *h = &f->chunks[c].head;
	const enum phases_key to = from == PHASES_CYCLE ? PHASES_INSTRUCTION : PHASES_CYCLE;
	const unsigned of = from == PHASES_CYCLE, at = !of;
	uint64_t low = h->at.at[from], high = low + h->length.at[from];
	uint64_t low_to = h->at.at[to], high_to = low_to + h->length.at[to];
	const uint64_t end = high, end_to = high_to, begin_to = low_to;
	int error = load_times(f, c);
	if (error != PHASES_OK)
		return error;
	for (uint32_t i = 0; i < h->times; i++) {
		const uint64_t x = f->times[2 * i + of], y = f->times[2 * i + at];
		if (x <= low || x >= end || y < low_to || y > end_to || y < begin_to)
			continue;
		if (x > value) {
			high = x;
			high_to = y;
			break;
		}
		low = x;
		low_to = y;
	}
	*result = low_to;
	if (value > low && high > low)
		*result += (uint64_t)((double)(high_to - low_to) * (double)(value - low) / (double)(high - low));
	return PHASES_OK;
}

/* The last chunk that begins at or before number. */
static uint32_t find_chunk(const struct phases_file *f, enum phases_key key, uint64_t number)
{
	uint32_t low = 0, high = f->chunk_count;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (f->chunks[middle].head.at.at[key] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int phases_seek(struct phases_file *f, enum phases_key key, uint64_t number)
{
	struct phases_place total;
	phases_total(f, &total);
	if (number >= total.at[key] || f->chunk_count == 0)
		return PHASES_EEND;
	uint32_t c = find_chunk(f, key, number);
	const struct chunk_head *h = &f->chunks[c].head;
	if (number < h->at.at[key]) { /* before the first chunk that is left */
		enter_chunk(f, c);
		return PHASES_OK;
	}
	if (number >= h->at.at[key] + h->length.at[key]) { /* in a lost chunk behind this one */
		enter_chunk(f, c + 1);
		return PHASES_OK;
	}
	enter_chunk(f, c);
	f->gap_told = true;
	f->place = h->at;
	int error = load_chunk(f, c);
	if (error == PHASES_OK)
		error = make_marks(f);
	if (error == PHASES_OK && key == PHASES_CYCLE) {
		key = PHASES_INSTRUCTION;
		error = convert(f, c, PHASES_CYCLE, number, &number);
		if (number >= h->at.at[key] + h->length.at[key])
			number = h->at.at[key] + h->length.at[key] - 1;
	}
	if (error == PHASES_EDAMAGED)
		return PHASES_OK; /* phases_next() tells that it is lost */
	while (error == PHASES_OK && f->next < h->symbols) {
		const uint32_t symbol = f->stream[f->next];
		if (key == PHASES_STRATUM && f->place.at[key] + begins_stratum(f, symbol) >= number)
			break;
		const struct symbol what = meaning(f, symbol);
		uint64_t step = 1;
		if (what.path == NONE)
			step = key == PHASES_REPEATED;
		else if (key == PHASES_PATH)
			step = what.trips;
		else if (key == PHASES_INSTRUCTION)
			step = what.trips * f->paths[what.path].instructions;
		else if (key == PHASES_BLOCK)
			step = (uint64_t)what.trips * f->paths[what.path].count;
		if (key != PHASES_STRATUM && f->place.at[key] + step > number)
			break;
		pass(f, symbol);
	}
	return error;
}

uint64_t phases_cycle_of(struct phases_file *f, uint64_t instruction)
{
	struct phases_place total;
	uint64_t cycle = 0;
	phases_total(f, &total);
	if (f->chunk_count == 0 || instruction >= total.at[PHASES_INSTRUCTION])
		return total.at[PHASES_CYCLE];
	const uint32_t c = find_chunk(f, PHASES_INSTRUCTION, instruction);
	if (convert(f, c, PHASES_INSTRUCTION, instruction, &cycle) != PHASES_OK)
		return f->chunks[c].head.at.at[PHASES_CYCLE];
	return cycle;
}

int phases_marks(struct phases_file *f, const struct phases_mark **marks, size_t *count)
{
	for (uint32_t c = 0; c < f->chunk_count && !f->all_marks; c++) {
		const uint32_t more = f->chunks[c].head.marks;
		if (more == 0 || !chunk_good(&f->chunks[c]))
			continue;
		uint64_t *numbers = malloc((size_t)4 * more * sizeof *numbers);
		if (numbers == NULL ||
		    !grow((void **)&f->marks, &f->marks_room, f->mark_count + more, sizeof *f->marks)) {
			free(numbers);
			return PHASES_ENOMEM;
		}
		int error = begin_side(f, c, NULL, numbers);
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
		if (!chunk_good(&f->chunks[c])) {
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
