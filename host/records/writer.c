/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A record file as it is written: header, blocks, index and end. writer_records.c fills the blocks. */
#include "host/records/writer_private.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

/* Blocks that hardly become smaller, as those of random paths, cost the most time, with the least to gain. The first of
 * some such in a row is packed twice: where a search for what comes again gains little beside the lengths of the codes
 * alone, the others go without it. */
#define LEVEL 3
#define LEVEL_FAST 1
#define LEVEL_CHEAP (-1000)
#define POOR(packed, plain) ((packed) > (plain) / 9)
#define VERY_POOR(packed, plain) ((packed) > (plain) / 9 * 2)
#define GAINS_LITTLE(cheap, packed) ((cheap) <= (packed) + (packed) / 6)
#define POOR_BLOCKS 16u

/* From so many keys on the next block carries them: fewer cost little, and what is damaged spoils least as it is. */
#define CARRY_LEAST SIZED(1024u, 12u)

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
	w->list = 1;
	w->window = WINDOW_LEAST;
	w->zstd = ZSTD_createCCtx();
	if (writer_cycle_init(&w->cycle) != RECORDS_OK || w->zstd == NULL ||
	    columns_init_written(&w->columns, RECORDS_BLOCK_MAX) != RECORDS_OK || !hash_reserve(&w->table, 1)) {
		records_writer_close(w);
		return RECORDS_ENOMEM;
	}
	w->columns.clocked = header->clocked;
	w->columns.multiplied = header->multiplied;
	*out = w;
	return RECORDS_OK;
}

void records_writer_close(struct records_writer *w)
{
	if (w == NULL)
		return;
	columns_fini(&w->columns);
	writer_cycle_fini(&w->cycle);
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

/* w->plain to w->stored; a size or an error of zstd. */
static size_t pack_block(struct records_writer *w, size_t size, int level)
{
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level);
	/* without it, levels below 0 store bytes as they are */
	ZSTD_CCtx_setParameter(
	    w->zstd, ZSTD_c_literalCompressionMode, level < 0 ? (int)ZSTD_ps_enable : (int)ZSTD_ps_auto);
	return ZSTD_compress2(w->zstd, w->stored, w->stored_room, w->plain, size);
}

/* The same, of records, at the level that is worth it. */
static size_t pack_records(struct records_writer *w, size_t size)
{
	const bool poor = w->poor > 0 && w->level > LEVEL_FAST, both = poor && w->poor % POOR_BLOCKS == 1;
	const size_t cheap = both ? pack_block(w, size, LEVEL_CHEAP) : 0;
	int level = w->level;
	if (poor && w->cheap && !both)
		level = LEVEL_CHEAP;
	else if (both || (poor && w->very_poor))
		level = LEVEL_FAST;
	const size_t packed = pack_block(w, size, level);
	if (both)
		w->cheap = GAINS_LITTLE(cheap, packed);
	w->very_poor = VERY_POOR(packed, size);
	w->poor = POOR(packed, size) ? w->poor + 1 : 0;
	return packed;
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
		size_t packed = head->type == HEAD_RECORDS ? pack_records(w, size) : pack_block(w, size, w->level);
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

/* The next block has none of the keys. */
static void forget_list(struct records_writer *w)
{
	columns_clear(&w->columns, false);
	hash_clear(&w->table);
	w->depth = 0;
	w->uneven = false;
	w->list++;
}

int writer_flush_block(struct records_writer *w)
{
	struct columns *c = &w->columns;
	if (c->count == 0)
		return RECORDS_OK;
	int error = begin_file(w);
	if (error != RECORDS_OK)
		return error;
	columns_close(c, c->count - 1, &c->last, c->before);
	const bool carry = w->header.carried && c->key_count >= CARRY_LEAST && w->depth < DEPTH_MAX;
	struct head head = {.type = HEAD_RECORDS,
	    .depth = (uint16_t)w->depth,
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
	size_t size = columns_put(c, carry, w->plain);
	error = emit_block(w, &head, size, true, 0);
	if (error != RECORDS_OK)
		return error;
	slot.size = HEAD_SIZE + head.stored;
	if (carry) {
		columns_clear(c, true);
		w->depth++;
	} else {
		forget_list(w);
	}
	w->skipped = 0;
	return add_index(w, &slot);
}

int writer_renew_keys(struct records_writer *w)
{
	const int error = writer_flush_block(w);
	if (error == RECORDS_OK && w->columns.carried > 0)
		forget_list(w);
	return error;
}

/* After an error the file ends where it is. */
int writer_settle(struct records_writer *w, int error)
{
	if (w->error == RECORDS_OK)
		w->error = error;
	return w->error;
}

int records_writer_skip(struct records_writer *w, uint64_t count)
{
	int error = writer_settle(w, writer_flush_block(w));
	if (error == RECORDS_OK) {
		w->skipped += count;
		w->next += count;
	}
	return error;
}

/* The file may have blocks that are coded as those of another one. */
static int take_coding(struct records_writer *w, const struct records *from)
{
	const bool carried = from->has_header && from->header.carried;
	const bool multiplied = from->has_header && from->header.multiplied;
	if (w->begun && ((carried && !w->header.carried) || (multiplied && !w->header.multiplied)))
		return RECORDS_ECODING;
	w->header.carried |= carried;
	w->header.multiplied |= multiplied;
	return RECORDS_OK;
}

int records_writer_append(struct records_writer *w, struct records *from, size_t *done, uint64_t time)
{
	int error = writer_settle(w, writer_renew_keys(w));
	if (error == RECORDS_OK)
		error = take_coding(w, from);
	for (; *done < from->slot_count && error == RECORDS_OK; ++*done) {
		struct slot slot = from->slots[*done];
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
		w->next += head.skipped; /* what is missing there is missing here */
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
	return writer_settle(w, error);
}

int records_writer_flush(struct records_writer *w)
{
	return writer_settle(w, writer_flush_block(w));
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
	int error = writer_settle(w, writer_flush_block(w));
	if (error == RECORDS_OK)
		error = writer_settle(w, begin_file(w));
	if (error != RECORDS_OK)
		return error;
	if (!array_room(&w->plain, 4 + w->text_size + END_NUMBERS * 8 + w->index_count * INDEX_ENTRY, &w->plain_room))
		return writer_settle(w, RECORDS_ENOMEM);
	head.first = w->next;
	head.cycle = end->last_cycle;
	memcpy(trailer, records_trailer_sync, SYNC_SIZE);
	bytes_put64(trailer + SYNC_SIZE, w->offset);
	bytes_put32(trailer + 16, w->file);
	bytes_put32(trailer + 20, base_crc32(0, trailer, 20));
	error = emit_block(w, &head, put_end(w, end), true, w->change_count);
	if (error == RECORDS_OK)
		error = emit_block_bytes(w, trailer, sizeof trailer);
	return writer_settle(w, error);
}
