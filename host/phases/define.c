/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What the chunks of a phases file define: blocks, paths, repeated paths. */
#include "host/phases/reader.h"

#include <stdlib.h>
#include <string.h>

bool reader_chunk_good(struct chunk *c)
{
	if (c->state == UNREAD) {
		const struct section section = {SECTION_CHUNK, c->number, c->size, c->crc};
		c->state = section_crc(&section, c->payload, c->size) == c->crc ? GOOD : BAD;
	}
	return c->state == GOOD;
}

static int read_blocks(struct phases_file *f, const struct chunk_head *h)
{
	const uint32_t end = h->first_block + h->blocks, old = f->block_count;
	struct phases_block block = {0};
	if (end < h->first_block || end > BLOCKS_MAX)
		return PHASES_EDAMAGED;
	if (end > old) {
		if (!reader_grow((void **)&f->blocks, &f->block_room, end, sizeof *f->blocks))
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
static int append_path(struct phases_file *f, uint32_t count)
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
	if (f->path_room_blocks == NULL || !reader_grow((void **)&f->paths, &f->path_room, end, sizeof *f->paths))
		return PHASES_ENOMEM;
	while (f->path_count < h->first_path) /* those of a lost chunk */
		f->paths[f->path_count++] = (struct path){0};
	while (f->path_count < end) {
		uint32_t count;
		if (!code_path(&f->definitions, f->path_room_blocks, &count, f->block_count))
			return PHASES_EDAMAGED;
		int error = append_path(f, count);
		if (error != PHASES_OK)
			return error;
	}
	return PHASES_OK;
}

static int read_chunk_symbols(struct phases_file *f, const struct chunk_head *h)
{
	const uint32_t end = h->first_symbol + h->defined;
	if (end < h->first_symbol || h->first_symbol < f->symbol_count || end > PATHS_MAX)
		return PHASES_EDAMAGED;
	if (!reader_grow((void **)&f->symbols, &f->symbol_room, end, sizeof *f->symbols))
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

int reader_begin_side(struct phases_file *f, uint32_t c, uint64_t *times, uint64_t *marks)
{
	struct chunk *chunk = &f->chunks[c];
	const struct chunk_head *h = &chunk->head;
	struct definitions *d = &f->definitions;
	if (!reader_chunk_good(chunk))
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
static int define_chunk(struct phases_file *f, uint32_t c)
{
	struct chunk *chunk = &f->chunks[c];
	const struct chunk_head *h = &chunk->head;
	int error = reader_begin_side(f, c, NULL, NULL);
	if (error != PHASES_OK)
		return error;
	error = read_blocks(f, h);
	if (error == PHASES_OK && h->epoch == f->epoch)
		error = read_paths(f, h);
	if (error == PHASES_OK && h->epoch == f->epoch)
		error = read_chunk_symbols(f, h);
	definitions_end(&f->definitions);
	if (error == PHASES_EDAMAGED)
		chunk->state = BAD;
	return error;
}

int reader_load_epoch(struct phases_file *f, uint32_t epoch)
{
	if (f->epoch == epoch)
		return PHASES_OK;
	f->epoch = epoch;
	f->path_count = f->symbol_count = 0;
	f->path_blocks_used = 0;
	for (uint32_t c = 0; c < f->chunk_count && f->chunks[c].head.epoch <= epoch; c++) {
		if (f->chunks[c].head.epoch != epoch && c < f->blocks_read)
			continue;
		int error = define_chunk(f, c);
		if (error != PHASES_OK && error != PHASES_EDAMAGED) {
			f->epoch = NONE;
			return error;
		}
		if (c >= f->blocks_read)
			f->blocks_read = c + 1;
	}
	return PHASES_OK;
}
