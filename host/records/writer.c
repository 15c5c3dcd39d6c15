/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/private.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define TABLE_SIZE (2u * RECORDS_BLOCK_MAX) /* a power of two */
#define EMPTY UINT32_MAX
#define LEVEL 3

struct records_writer {
	struct records_header header;
	records_emit *emit;
	void *context;
	int level, error;
	bool begun;
	uint32_t file, ctrl;
	uint64_t offset, next, traces; /* next: number of the next record */
	uint64_t skipped;              /* before the block that is being filled */
	struct columns columns;
	uint32_t *table; /* hash of a key -> its index, EMPTY */
	uint8_t *plain, *stored;
	size_t plain_room, stored_room;
	struct slot *index;
	size_t index_count, index_room;
	ZSTD_CCtx *zstd;
	char text[HEADER_TEXT_MAX];
	size_t text_size;
};

int records_writer_open(
    struct records_writer **out, const struct records_header *header, int level, records_emit *emit, void *context)
{
	struct records_writer *w = calloc(1, sizeof *w);
	*out = NULL;
	if (w == NULL)
		return RECORDS_ENOMEM;
	w->header = *header;
	w->header.ctrl = 0;
	w->level = level == 0 ? LEVEL : level;
	w->emit = emit;
	w->context = context;
	w->table = malloc(TABLE_SIZE * sizeof *w->table);
	w->zstd = ZSTD_createCCtx();
	if (w->table == NULL || w->zstd == NULL || columns_init(&w->columns, RECORDS_BLOCK_MAX) != RECORDS_OK) {
		records_writer_close(w);
		return RECORDS_ENOMEM;
	}
	memset(w->table, 0xFF, TABLE_SIZE * sizeof *w->table);
	*out = w;
	return RECORDS_OK;
}

void records_writer_close(struct records_writer *w)
{
	if (w == NULL)
		return;
	columns_fini(&w->columns);
	ZSTD_freeCCtx(w->zstd);
	free(w->table);
	free(w->plain);
	free(w->stored);
	free(w->index);
	free(w);
}

uint64_t records_written(const struct records_writer *w)
{
	return w->next;
}

static bool room_for(uint8_t **bytes, size_t *room, size_t wanted)
{
	if (wanted <= *room)
		return true;
	uint8_t *grown = realloc(*bytes, wanted);
	if (grown == NULL)
		return false;
	*bytes = grown;
	*room = wanted;
	return true;
}

static int emit(struct records_writer *w, const void *bytes, size_t size)
{
	if (w->emit(w->context, bytes, size) != 0)
		return RECORDS_EWRITE;
	w->offset += size;
	return RECORDS_OK;
}

/* Compresses w->plain if that helps, fills in the sizes, the checksum and the coding, and writes head and bytes. */
static int emit_block(struct records_writer *w, struct head *head, size_t size, bool compress)
{
	uint8_t bytes[HEAD_SIZE];
	const uint8_t *stored = w->plain;
	head->file = w->file;
	head->plain = head->stored = (uint32_t)size;
	head->coding = CODING_PLAIN;
	if (compress) {
		if (!room_for(&w->stored, &w->stored_room, ZSTD_compressBound(size)))
			return RECORDS_ENOMEM;
		size_t packed = ZSTD_compressCCtx(w->zstd, w->stored, w->stored_room, w->plain, size, w->level);
		if (ZSTD_isError(packed))
			return RECORDS_ENOMEM;
		if (packed < size) {
			head->coding = CODING_ZSTD;
			head->stored = (uint32_t)packed;
			stored = w->stored;
		}
	}
	head->crc = base_crc32(0, stored, head->stored);
	head_put(head, bytes);
	int error = emit(w, bytes, sizeof bytes);
	return error == RECORDS_OK ? emit(w, stored, head->stored) : error;
}

/* The header comes with the first block: only then CTRL is known. */
static int begin(struct records_writer *w)
{
	struct head head = {.type = HEAD_FILE};
	if (w->begun)
		return RECORDS_OK;
	w->begun = true;
	w->header.ctrl = w->ctrl;
	w->text_size = header_put(&w->header, w->text);
	w->file = base_crc32(0, w->text, w->text_size);
	if (!room_for(&w->plain, &w->plain_room, w->text_size))
		return RECORDS_ENOMEM;
	memcpy(w->plain, w->text, w->text_size);
	return emit_block(w, &head, w->text_size, false);
}

static int add_index(struct records_writer *w, const struct slot *slot)
{
	if (w->index_count == RECORDS_BLOCKS_MAX)
		return RECORDS_EFULL;
	if (w->index_count == w->index_room) {
		size_t room = w->index_room == 0 ? 64 : 2 * w->index_room;
		struct slot *grown = realloc(w->index, room * sizeof *grown);
		if (grown == NULL)
			return RECORDS_ENOMEM;
		w->index = grown;
		w->index_room = room;
	}
	w->index[w->index_count++] = *slot;
	return RECORDS_OK;
}

static int flush(struct records_writer *w)
{
	struct columns *c = &w->columns;
	if (c->count == 0)
		return RECORDS_OK;
	int error = begin(w);
	if (error != RECORDS_OK)
		return error;
	struct head head = {.type = HEAD_RECORDS,
	    .first = w->next - c->count,
	    .cycle = c->time[0],
	    .count = c->count,
	    .ctrl = w->ctrl,
	    .skipped = w->skipped};
	struct slot slot = {.offset = w->offset,
	    .first = head.first,
	    .cycle = head.cycle,
	    .skipped = head.skipped,
	    .count = head.count,
	    .ctrl = head.ctrl};
	if (!room_for(&w->plain, &w->plain_room, columns_bound(c)))
		return RECORDS_ENOMEM;
	size_t size = columns_put(c, c->time[0], w->plain);
	error = emit_block(w, &head, size, true);
	if (error != RECORDS_OK)
		return error;
	slot.size = HEAD_SIZE + head.stored;
	c->count = c->key_count = 0;
	w->skipped = 0;
	memset(w->table, 0xFF, TABLE_SIZE * sizeof *w->table);
	return add_index(w, &slot);
}

/* After an error the file ends where it is. */
static int settle(struct records_writer *w, int error)
{
	if (w->error == RECORDS_OK)
		w->error = error;
	return w->error;
}

static uint32_t hash_key(const struct record *key, uint32_t context)
{
	uint64_t x = key->start * UINT64_C(0x9E3779B97F4A7C15) ^
		     (key->hist + key->insns) * UINT64_C(0xC2B2AE3D27D4EB4F) ^
		     ((uint64_t)context << 8 | key->reason) * UINT64_C(0x165667B19E3779F9);
	return (uint32_t)(x >> 40) ^ (uint32_t)(x >> 13);
}

static uint16_t find_key(struct records_writer *w, const struct record *key, uint32_t context)
{
	struct columns *c = &w->columns;
	uint32_t at = hash_key(key, context) & (TABLE_SIZE - 1);
	for (; w->table[at] != EMPTY; at = (at + 1) & (TABLE_SIZE - 1)) {
		const struct record *other = &c->keys[w->table[at]];
		if (other->start == key->start && other->hist == key->hist && other->insns == key->insns &&
		    c->context[w->table[at]] == context && other->reason == key->reason)
			return (uint16_t)w->table[at];
	}
	w->table[at] = c->key_count;
	c->keys[c->key_count] = *key;
	c->context[c->key_count] = context;
	c->base[c->key_count] = (uint32_t)key->cycles;
	return (uint16_t)c->key_count++;
}

int records_write(struct records_writer *w, const struct record *record, const struct record_place *place)
{
	struct columns *c = &w->columns;
	if (w->error != RECORDS_OK)
		return w->error;
	if (!record_valid(record) || record->count == 0 || record->count > UINT16_MAX || record->cycles > UINT32_MAX)
		return RECORDS_EVALUE;
	if (c->count == RECORDS_BLOCK_MAX || (c->count > 0 && place->ctrl != w->ctrl)) {
		int error = settle(w, flush(w));
		if (error != RECORDS_OK)
			return error;
	}
	w->ctrl = place->ctrl;
	uint32_t i = c->count++;
	c->key[i] = find_key(w, record, place->context);
	c->repeat[i] = (uint16_t)record->count;
	c->cycles[i] = (uint32_t)record->cycles;
	c->time[i] = place->time;
	w->next++;
	w->traces += record->count;
	return RECORDS_OK;
}

int records_writer_skip(struct records_writer *w, uint64_t count)
{
	int error = settle(w, flush(w));
	if (error == RECORDS_OK) {
		w->skipped += count;
		w->next += count;
	}
	return error;
}

int records_writer_flush(struct records_writer *w)
{
	return settle(w, flush(w));
}

/* header text, 12 numbers, index */
static size_t put_end(struct records_writer *w, const struct records_end *end)
{
	const uint64_t numbers[] = {w->next, w->traces, end->cycles, end->instructions, end->first_cycle,
	    end->last_cycle, end->traced_instructions, end->lost, end->ending, end->exit_code, w->skipped,
	    w->index_count};
	uint8_t *to = w->plain;
	put32(to, (uint32_t)w->text_size);
	memcpy(to + 4, w->text, w->text_size);
	to += 4 + w->text_size;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++, to += 8)
		put64(to, numbers[i]);
	for (size_t i = 0; i < w->index_count; i++, to += INDEX_ENTRY) {
		const struct slot *slot = &w->index[i];
		put64(to, slot->offset);
		put64(to + 8, slot->first);
		put64(to + 16, slot->cycle);
		put64(to + 24, slot->skipped);
		put32(to + 32, slot->size);
		put32(to + 36, slot->count);
		put32(to + 40, slot->ctrl);
		put32(to + 44, 0);
	}
	return (size_t)(to - w->plain);
}

int records_writer_finish(struct records_writer *w, const struct records_end *end)
{
	uint8_t trailer[TRAILER_SIZE] = {0};
	struct head head = {.type = HEAD_END, .first = w->next, .count = 0, .ctrl = w->ctrl};
	int error = settle(w, flush(w));
	if (error == RECORDS_OK)
		error = settle(w, begin(w));
	if (error != RECORDS_OK)
		return error;
	if (!room_for(&w->plain, &w->plain_room, 4 + w->text_size + END_NUMBERS * 8 + w->index_count * INDEX_ENTRY))
		return settle(w, RECORDS_ENOMEM);
	head.first = w->next;
	head.cycle = end->last_cycle;
	memcpy(trailer, records_trailer_sync, SYNC_SIZE);
	put64(trailer + SYNC_SIZE, w->offset);
	put32(trailer + 16, w->file);
	put32(trailer + 20, base_crc32(0, trailer, 20));
	error = emit_block(w, &head, put_end(w, end), true);
	if (error == RECORDS_OK)
		error = emit(w, trailer, sizeof trailer);
	return settle(w, error);
}
