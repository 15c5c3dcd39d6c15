/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/private.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "host/base/array.h"
#include "host/base/hash.h"

#define LEVEL 3

struct known {          /* a caller's key: block 0: not looked at yet */
	uint32_t block; /* in which it was found last */
	uint32_t base;  /* as the block has it */
	uint16_t index; /* in that block's keys */
	bool merges;    /* a trace that may be one with the next that is equal */
};

struct records_writer {
	struct records_header header;
	records_emit *emit;
	void *context;
	int level, error;
	bool begun, merging;
	uint32_t file, ctrl;
	uint64_t offset, next, traces;     /* next: number of the next record */
	uint64_t repeat_most, cycles_most; /* of a record that was merged */
	uint64_t skipped;                  /* before the block that is being filled */
	struct columns columns;
	struct hash table;   /* of the block's keys */
	struct known *known; /* by key of records_write_many() */
	size_t known_count, known_room;
	uint32_t block, known_context; /* block: counts them, from 1 on; known_context: that `known` is for */
	uint8_t *plain, *stored;
	size_t plain_room, stored_room;
	struct slot *index;
	size_t index_count, index_room;
	ZSTD_CCtx *zstd;
	char text[HEADER_TEXT_MAX];
	size_t text_size;
	struct record_change changes[RECORDS_CHANGES_MAX];
	size_t change_count;
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
	w->block = 1;
	w->zstd = ZSTD_createCCtx();
	if (w->zstd == NULL || columns_init(&w->columns, RECORDS_BLOCK_MAX) != RECORDS_OK) {
		records_writer_close(w);
		return RECORDS_ENOMEM;
	}
	*out = w;
	return RECORDS_OK;
}

void records_writer_close(struct records_writer *w)
{
	if (w == NULL)
		return;
	columns_fini(&w->columns);
	ZSTD_freeCCtx(w->zstd);
	hash_free(&w->table);
	free(w->known);
	free(w->plain);
	free(w->stored);
	free(w->index);
	free(w);
}

uint64_t records_written(const struct records_writer *w)
{
	return w->next;
}

static int emit_block_bytes(struct records_writer *w, const void *bytes, size_t size)
{
	if (w->emit(w->context, bytes, size) != 0)
		return RECORDS_EWRITE;
	w->offset += size;
	return RECORDS_OK;
}

/* Compresses w->plain if that helps, fills in the sizes, the checksum and the coding, and writes head and bytes. So
 * many phase changes go behind it. */
static int emit_block(struct records_writer *w, struct head *head, size_t size, bool compress, size_t changes)
{
	uint8_t bytes[HEAD_SIZE];
	const uint8_t *stored = w->plain;
	head->file = w->file;
	head->plain = head->stored = (uint32_t)size;
	head->coding = CODING_PLAIN;
	if (compress) {
		if (!array_room(&w->stored, ZSTD_compressBound(size) + CHANGES_SIZE, &w->stored_room))
			return RECORDS_ENOMEM;
		size_t packed = ZSTD_compressCCtx(w->zstd, w->stored, w->stored_room, w->plain, size, w->level);
		if (ZSTD_isError(packed))
			return RECORDS_ENOMEM;
		if (changes > 0)
			packed += changes_put(w->changes, changes, w->stored + packed);
		if (packed < size || changes > 0) {
			head->coding = CODING_ZSTD;
			head->stored = (uint32_t)packed;
			stored = w->stored;
		}
	}
	head->crc = base_crc32(0, stored, head->stored);
	head_put(head, bytes);
	int error = emit_block_bytes(w, bytes, sizeof bytes);
	return error == RECORDS_OK ? emit_block_bytes(w, stored, head->stored) : error;
}

/* The header comes with the first block: only then CTRL is known. */
static int begin_file(struct records_writer *w)
{
	struct head head = {.type = HEAD_FILE};
	if (w->begun)
		return RECORDS_OK;
	w->begun = true;
	w->header.ctrl = w->ctrl;
	w->text_size = header_put(&w->header, w->text);
	w->file = base_crc32(0, w->text, w->text_size);
	if (!array_room(&w->plain, w->text_size, &w->plain_room))
		return RECORDS_ENOMEM;
	memcpy(w->plain, w->text, w->text_size);
	return emit_block(w, &head, w->text_size, false, 0);
}

static int add_index(struct records_writer *w, const struct slot *slot)
{
	if (w->index_count == RECORDS_BLOCKS_MAX)
		return RECORDS_EFULL;
	if (!array_room(&w->index, w->index_count + 1, &w->index_room))
		return RECORDS_ENOMEM;
	w->index[w->index_count++] = *slot;
	return RECORDS_OK;
}

static int flush_block(struct records_writer *w)
{
	struct columns *c = &w->columns;
	if (c->count == 0)
		return RECORDS_OK;
	int error = begin_file(w);
	if (error != RECORDS_OK)
		return error;
	columns_close(c, c->count - 1, &c->last, c->before);
	struct head head = {.type = HEAD_RECORDS,
	    .first = w->next - c->count,
	    .cycle = c->first_time,
	    .count = c->count,
	    .ctrl = w->ctrl,
	    .skipped = w->skipped};
	struct slot slot = {.offset = w->offset,
	    .first = head.first,
	    .cycle = head.cycle,
	    .skipped = head.skipped,
	    .count = head.count,
	    .ctrl = head.ctrl};
	if (!array_room(&w->plain, columns_bound(c), &w->plain_room))
		return RECORDS_ENOMEM;
	size_t size = columns_put(c, w->plain);
	error = emit_block(w, &head, size, true, 0);
	if (error != RECORDS_OK)
		return error;
	slot.size = HEAD_SIZE + head.stored;
	columns_clear(c);
	w->skipped = 0;
	hash_clear(&w->table);
	w->block++;
	return add_index(w, &slot);
}

/* After an error the file ends where it is. */
static int settle_file(struct records_writer *w, int error)
{
	if (w->error == RECORDS_OK)
		w->error = error;
	return w->error;
}

static uint32_t hash_record_key(const struct record *key, uint32_t context)
{
	return hash_of_two(key->start ^ (uint64_t)context << 40 ^ (uint64_t)key->reason << 33,
	    key->hist + ((uint64_t)key->insns << 32));
}

struct key_wanted {
	const struct columns *columns;
	const struct record *key;
	uint32_t context;
};

static bool same_merge_key(const void *context, uint32_t index)
{
	const struct key_wanted *wanted = context;
	const struct record *a = &wanted->columns->keys[index], *b = wanted->key;
	return a->start == b->start && a->hist == b->hist && a->insns == b->insns && a->reason == b->reason &&
	       wanted->columns->context[index] == wanted->context;
}

/* Index of the key, HASH_NONE: out of memory. */
static uint32_t find_key(struct records_writer *w, const struct record *key, uint32_t context)
{
	struct columns *c = &w->columns;
	const struct key_wanted wanted = {c, key, context};
	uint32_t hash = hash_record_key(key, context), index = hash_find(&w->table, hash, same_merge_key, &wanted);
	if (index != HASH_NONE)
		return index;
	if (!hash_add(&w->table, hash, c->key_count))
		return HASH_NONE;
	c->keys[c->key_count] = *key;
	c->context[c->key_count] = context;
	c->base[c->key_count] = (uint32_t)key->cycles;
	return c->key_count++;
}

void records_writer_merge(struct records_writer *w)
{
	w->merging = w->header.repeat_bits != 0;
	w->repeat_most = (1u << w->header.repeat_bits) - 1;
	w->cycles_most = w->header.cycle_bits != 0 ? (UINT64_C(1) << w->header.cycle_bits) - 1 : UINT32_MAX;
}

/* As a unit with REPEAT, traces that ended themselves. */
static bool mergeable_reason(const struct records_writer *w, uint8_t reason)
{
	return w->merging && (reason == TRACE_BACKWARD || reason == TRACE_INDIRECT || reason == TRACE_FULL);
}

/* Puts so many records of the block's key `index` into the last one, if that is the same again, as it has room for.
 * Returns how many. */
static inline uint32_t merge_record(struct records_writer *w, uint32_t index, const struct record_use *use)
{
	struct columns *c = &w->columns;
	struct columns_last *last = &c->last;
	if (c->count == 0 || last->key != index || last->repeat >= w->repeat_most)
		return 0;
	uint64_t room = w->repeat_most - last->repeat;
	if (use->cycles > 0 && last->cycles + room * use->cycles > w->cycles_most)
		room = last->cycles < w->cycles_most ? (w->cycles_most - last->cycles) / use->cycles : 0;
	const uint32_t some = use->count < room ? use->count : (uint32_t)room;
	if (some == 0)
		return 0;
	last->cycles += some * use->cycles;
	last->repeat += some;
	last->time = use->time - (uint64_t)(use->count - some) * use->cycles;
	w->traces += some;
	return some;
}

static inline void append_record(
    struct records_writer *w, uint32_t index, uint32_t count, uint64_t cycles, uint64_t time)
{
	struct columns *c = &w->columns;
	if (c->count > 0)
		columns_close(c, c->count - 1, &c->last, c->before);
	c->count++;
	c->before = c->last.time;
	c->last = (struct columns_last){index, c->base[index], count, (uint32_t)cycles, time};
	w->next++;
	w->traces += count;
}

int records_write(struct records_writer *w, const struct record *record, const struct record_place *place)
{
	struct columns *c = &w->columns;
	if (w->error != RECORDS_OK)
		return w->error;
	if (!record_valid(record) || record->count == 0 || record->count > UINT16_MAX || record->cycles > UINT32_MAX)
		return RECORDS_EVALUE;
	if (c->count == RECORDS_BLOCK_MAX || (c->count > 0 && place->ctrl != w->ctrl)) {
		int error = settle_file(w, flush_block(w));
		if (error != RECORDS_OK)
			return error;
	}
	w->ctrl = place->ctrl;
	const uint32_t index = find_key(w, record, place->context);
	if (index == HASH_NONE)
		return settle_file(w, RECORDS_ENOMEM);
	const struct record_use use = {.cycles = (uint32_t)record->cycles, .time = place->time, .count = 1};
	if (record->count == 1 && mergeable_reason(w, record->reason) && merge_record(w, index, &use) == 1)
		return RECORDS_OK;
	append_record(w, index, (uint32_t)record->count, record->cycles, place->time);
	return RECORDS_OK;
}

static bool know_records(struct records_writer *w, size_t count, uint32_t context)
{
	if (!array_room(&w->known, count, &w->known_room))
		return false;
	if (w->known_context != context)
		w->known_count = 0;
	if (w->known_count < count)
		memset(&w->known[w->known_count], 0, (count - w->known_count) * sizeof *w->known);
	w->known_count = count;
	w->known_context = context;
	return true;
}

/* A record of a key that may be new to the block. */
static int write_first(
    struct records_writer *w, const struct record *key, const struct record_use *use, struct record_place *at)
{
	const struct columns *c = &w->columns;
	struct record record = *key;
	record.cycles = use->cycles;
	at->time = use->time - (uint64_t)(use->count - 1) * use->cycles;
	int error = records_write(w, &record, at);
	if (error == RECORDS_OK)
		w->known[use->key] =
		    (struct known){w->block, c->last.base, (uint16_t)c->last.key, mergeable_reason(w, key->reason)};
	return error;
}

/* Runs from the first on that are no more of the last record, and fit in one of their own: as most are. How many. */
static size_t append_runs(struct records_writer *w, const struct record_use *uses, size_t count)
{
	struct columns *c = &w->columns;
	const uint32_t block = w->block, begin = c->count;
	struct columns_last last = c->last;
	uint64_t before = c->before, traces = 0;
	uint32_t n = begin;
	size_t i = 0;
	for (; i < count && n > 0 && n < RECORDS_BLOCK_MAX; i++, n++) {
		const struct record_use *use = &uses[i];
		const struct known *known = &w->known[use->key];
		const uint64_t cycles = (uint64_t)use->count * use->cycles;
		if (known->block != block || (known->merges && last.key == known->index))
			break;
		if (use->count != 1 && (!known->merges || use->count > w->repeat_most || cycles > w->cycles_most))
			break;
		columns_close(c, n - 1, &last, before);
		before = last.time;
		last = (struct columns_last){known->index, known->base, use->count, (uint32_t)cycles, use->time};
		traces += use->count;
	}
	c->count = n;
	c->last = last;
	c->before = before;
	w->next += n - begin;
	w->traces += traces;
	return i;
}

/* Any other, record by record. */
static int write_run(
    struct records_writer *w, const struct records_many *many, struct record_use use, struct record_place *at)
{
	struct columns *c = &w->columns;
	const struct known *known = &w->known[use.key];
	int error = RECORDS_OK;
	while (use.count > 0 && error == RECORDS_OK) {
		uint32_t done = 1;
		if (known->block != w->block || c->count == RECORDS_BLOCK_MAX || at->ctrl != w->ctrl) {
			error = write_first(w, &many->keys[use.key], &use, at);
		} else if (!known->merges || (done = merge_record(w, known->index, &use)) == 0) {
			const uint64_t time = use.time - (uint64_t)(use.count - 1) * use.cycles;
			append_record(w, known->index, 1, use.cycles, time);
			done = 1;
		}
		use.count -= done;
	}
	return error;
}

int records_write_many(
    struct records_writer *w, const struct records_many *many, const struct record_place *place, size_t *taken)
{
	struct record_place at = *place;
	size_t i = 0;
	int error = w->error;
	if (error == RECORDS_OK && !know_records(w, many->key_count, place->context))
		error = settle_file(w, RECORDS_ENOMEM);
	while (i < many->count && error == RECORDS_OK) {
		if (place->ctrl == w->ctrl)
			i += append_runs(w, many->uses + i, many->count - i);
		if (i == many->count)
			break;
		error = write_run(w, many, many->uses[i], &at);
		i += error == RECORDS_OK;
	}
	if (taken != NULL)
		*taken = i;
	return error;
}

int records_writer_skip(struct records_writer *w, uint64_t count)
{
	int error = settle_file(w, flush_block(w));
	if (error == RECORDS_OK) {
		w->skipped += count;
		w->next += count;
	}
	return error;
}

int records_writer_append(struct records_writer *w, struct records *from, uint64_t time)
{
	int error = settle_file(w, flush_block(w));
	for (size_t i = 0; i < from->slot_count && error == RECORDS_OK; i++) {
		struct slot slot = from->slots[i];
		uint8_t bytes[HEAD_SIZE];
		struct head head;
		w->ctrl = slot.ctrl; /* of the file, if it is the first */
		if ((error = begin_file(w)) != RECORDS_OK)
			break;
		if (!array_room(&w->stored, slot.size, &w->stored_room))
			error = RECORDS_ENOMEM;
		else if (!source_read(from, slot.offset, bytes, sizeof bytes, &error) || !head_get(&head, bytes) ||
			 head.stored != slot.size - HEAD_SIZE ||
			 !source_read(from, slot.offset + HEAD_SIZE, w->stored, head.stored, &error))
			error = error == RECORDS_OK ? RECORDS_EFORMAT : error;
		if (error != RECORDS_OK)
			break;
		head.file = w->file;
		head.first = w->next;
		head.cycle += time;
		head.skipped += w->skipped;
		slot.offset = w->offset;
		slot.first = head.first;
		slot.cycle = head.cycle;
		slot.skipped = head.skipped;
		head_put(&head, bytes);
		error = emit_block_bytes(w, bytes, sizeof bytes);
		if (error == RECORDS_OK)
			error = emit_block_bytes(w, w->stored, head.stored);
		if (error == RECORDS_OK)
			error = add_index(w, &slot);
		w->next += head.count;
		w->skipped = 0;
	}
	if (error == RECORDS_OK && from->has_end)
		w->traces += from->end.traces;
	return settle_file(w, error);
}

int records_writer_flush(struct records_writer *w)
{
	return settle_file(w, flush_block(w));
}

/* header text, 12 numbers, index */
static size_t put_end(struct records_writer *w, const struct records_end *end)
{
	const uint64_t numbers[] = {w->next, w->traces, end->cycles, end->instructions, end->first_cycle,
	    end->last_cycle, end->traced_instructions, end->lost, end->ending, end->exit_code, w->skipped,
	    w->index_count};
	uint8_t *to = w->plain;
	bytes_put32(to, (uint32_t)w->text_size);
	memcpy(to + 4, w->text, w->text_size);
	to += 4 + w->text_size;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++, to += 8)
		bytes_put64(to, numbers[i]);
	for (size_t i = 0; i < w->index_count; i++, to += INDEX_ENTRY) {
		const struct slot *slot = &w->index[i];
		bytes_put64(to, slot->offset);
		bytes_put64(to + 8, slot->first);
		bytes_put64(to + 16, slot->cycle);
		bytes_put64(to + 24, slot->skipped);
		bytes_put32(to + 32, slot->size);
		bytes_put32(to + 36, slot->count);
		bytes_put32(to + 40, slot->ctrl);
		bytes_put32(to + 44, 0);
	}
	return (size_t)(to - w->plain);
}

int records_writer_changes(struct records_writer *w, const struct record_change *changes, size_t count)
{
	w->change_count = count < RECORDS_CHANGES_MAX ? count : RECORDS_CHANGES_MAX;
	if (w->change_count > 0)
		memcpy(w->changes, changes, w->change_count * sizeof *changes);
	return w->error;
}

int records_writer_finish(struct records_writer *w, const struct records_end *end)
{
	uint8_t trailer[TRAILER_SIZE] = {0};
	struct head head = {.type = HEAD_END, .first = w->next, .count = 0, .ctrl = w->ctrl};
	int error = settle_file(w, flush_block(w));
	if (error == RECORDS_OK)
		error = settle_file(w, begin_file(w));
	if (error != RECORDS_OK)
		return error;
	if (!array_room(&w->plain, 4 + w->text_size + END_NUMBERS * 8 + w->index_count * INDEX_ENTRY, &w->plain_room))
		return settle_file(w, RECORDS_ENOMEM);
	head.first = w->next;
	head.cycle = end->last_cycle;
	memcpy(trailer, records_trailer_sync, SYNC_SIZE);
	bytes_put64(trailer + SYNC_SIZE, w->offset);
	bytes_put32(trailer + 16, w->file);
	bytes_put32(trailer + 20, base_crc32(0, trailer, 20));
	error = emit_block(w, &head, put_end(w, end), true, w->change_count);
	if (error == RECORDS_OK)
		error = emit_block_bytes(w, trailer, sizeof trailer);
	return settle_file(w, error);
}
