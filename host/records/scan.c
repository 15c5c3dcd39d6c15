/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Where the blocks are: by the index at the end, or, if that is missing or does not fit, from sync mark to sync
 * mark. */
#include "host/records/private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define CHUNK 65536

/* ---------------------------------------------------------------- header and end block */

static int take_header(struct records *r, const uint8_t *text, size_t size)
{
	int error = header_get(&r->header, (const char *)text, size);
	if (error == RECORDS_OK)
		r->has_header = true;
	return error;
}

/* The payload of the end block. Slots are taken from it if wanted. RECORDS_EFORMAT: not what the writer writes. */
static int take_end(struct records *r, const struct head *head, const uint8_t *bytes, bool slots)
{
	if (head->plain < 4)
		return RECORDS_EFORMAT;
	uint32_t text = bytes_get32(bytes);
	if (text > HEADER_TEXT_MAX || head->plain - 4 < text || head->plain - 4 - text < END_NUMBERS * 8 ||
	    base_crc32(0, bytes + 4, text) != head->file)
		return RECORDS_EFORMAT;
	uint64_t n[END_NUMBERS];
	const uint8_t *at = bytes + 4 + text;
	for (size_t i = 0; i < END_NUMBERS; i++, at += 8)
		n[i] = bytes_get64(at);
	uint64_t count = n[11];
	if (count > RECORDS_BLOCKS_MAX || (size_t)(bytes + head->plain - at) != count * INDEX_ENTRY ||
	    n[8] >= RECORDS_ENDINGS || n[0] != head->first)
		return RECORDS_EFORMAT;
	if (!r->has_header) {
		int error = take_header(r, bytes + 4, text);
		if (error != RECORDS_OK)
			return error;
	}
	r->end = (struct records_end){.records = n[0],
	    .traces = n[1],
	    .cycles = n[2],
	    .instructions = n[3],
	    .first_cycle = n[4],
	    .last_cycle = n[5],
	    .traced_instructions = n[6],
	    .lost = n[7],
	    .ending = (unsigned)n[8],
	    .exit_code = (uint32_t)n[9]};
	r->has_end = true;
	r->change_count = head->coding == CODING_ZSTD ? changes_get(r->changes, r->stored, head->stored) : 0;
	if (!slots)
		return RECORDS_OK;
	r->slots = malloc((count == 0 ? 1 : count) * sizeof *r->slots);
	if (r->slots == NULL)
		return RECORDS_ENOMEM;
	r->slot_count = r->slot_room = (size_t)count;
	for (size_t i = 0; i < count; i++, at += INDEX_ENTRY)
		r->slots[i] = (struct slot){.offset = bytes_get64(at),
		    .first = bytes_get64(at + 8),
		    .cycle = bytes_get64(at + 16),
		    .skipped = bytes_get64(at + 24),
		    .size = bytes_get32(at + 32),
		    .count = bytes_get32(at + 36),
		    .ctrl = bytes_get32(at + 40)};
	return RECORDS_OK;
}

static bool head_at(struct records *r, uint64_t offset, struct head *head, int *error)
{
	uint8_t bytes[HEAD_SIZE];
	return source_read(r, offset, bytes, sizeof bytes, error) && head_get(head, bytes);
}

/* ---------------------------------------------------------------- by the index */

/* The index covers the file from its header to the end block without a gap, in order, and the blocks' heads are where
 * and what it says. */
static bool index_fits(struct records *r, uint64_t begin, uint64_t end, int *error)
{
	struct head head;
	uint64_t offset = begin, next = 0;
	for (size_t i = 0; i < r->slot_count; i++) {
		const struct slot *s = &r->slots[i];
		if (s->offset != offset || s->size <= HEAD_SIZE || s->first < next || s->first >= UINT64_C(1) << 62 ||
		    s->count == 0 || s->count > RECORDS_BLOCK_MAX || s->skipped > s->first ||
		    !head_at(r, offset, &head, error) || !same_head(r, &head, s))
			return false;
		offset += s->size;
		next = s->first + s->count;
	}
	return offset == end && next <= r->end.records;
}

/* RECORDS_OK: everything found; RECORDS_EFORMAT: no index, or one that does not fit. */
static int by_index(struct records *r)
{
	uint8_t trailer[TRAILER_SIZE];
	struct head file, end;
	const uint8_t *payload;
	int error = RECORDS_OK;
	if (r->length < 2 * HEAD_SIZE + TRAILER_SIZE ||
	    !source_read(r, r->length - TRAILER_SIZE, trailer, sizeof trailer, &error))
		return error == RECORDS_OK ? RECORDS_EFORMAT : error;
	if (memcmp(trailer, records_trailer_sync, SYNC_SIZE) != 0 ||
	    bytes_get32(trailer + 20) != base_crc32(0, trailer, 20))
		return RECORDS_EFORMAT;
	uint64_t offset = bytes_get64(trailer + SYNC_SIZE);
	if (offset > r->length - TRAILER_SIZE - HEAD_SIZE || !head_at(r, 0, &file, &error) || file.type != HEAD_FILE ||
	    !head_at(r, offset, &end, &error) || end.type != HEAD_END || end.file != file.file ||
	    end.file != bytes_get32(trailer + 16) || offset + HEAD_SIZE + end.stored != r->length - TRAILER_SIZE)
		return error == RECORDS_OK ? RECORDS_EFORMAT : error;
	error = source_payload(r, &file, 0, &payload);
	if (error == RECORDS_OK)
		error = take_header(r, payload, file.plain);
	if (error == RECORDS_OK)
		error = source_payload(r, &end, offset, &payload);
	if (error == RECORDS_OK)
		error = take_end(r, &end, payload, true);
	if (error != RECORDS_OK)
		return error;
	r->file = file.file;
	r->known_file = r->indexed = index_fits(r, HEAD_SIZE + (uint64_t)file.stored, offset, &error);
	if (!r->indexed && error == RECORDS_OK)
		error = RECORDS_EFORMAT;
	return error;
}

/* ---------------------------------------------------------------- by scanning */

/* Offset of the next sync mark from `from` on, or the file's length. */
static uint64_t find_sync(struct records *r, uint64_t from, int *error)
{
	uint8_t bytes[CHUNK];
	while (from < r->length) {
		size_t size = r->length - from < CHUNK ? (size_t)(r->length - from) : CHUNK;
		if (!source_read(r, from, bytes, size, error))
			return r->length;
		for (const uint8_t *at = bytes; (at = memchr(at, records_sync[0], size - (size_t)(at - bytes))) != NULL;
		     at++) {
			size_t left = size - (size_t)(at - bytes);
			if (left >= SYNC_SIZE && memcmp(at, records_sync, SYNC_SIZE) == 0)
				return from + (size_t)(at - bytes);
		}
		if (size < CHUNK)
			break;
		from += size - (SYNC_SIZE - 1); /* a mark may lie across the seam */
	}
	return r->length;
}

static int add_slot(struct records *r, const struct head *head, uint64_t offset)
{
	if (r->slot_count == RECORDS_BLOCKS_MAX) {
		if (r->damage_count == 0 || r->damage[r->damage_count - 1].kind != RECORDS_TOO_MANY)
			damage_add(r, &(struct records_damage){.kind = RECORDS_TOO_MANY, .offset = offset});
		return RECORDS_OK;
	}
	if (!array_room(&r->slots, r->slot_count + 1, &r->slot_room))
		return RECORDS_ENOMEM;
	r->slots[r->slot_count++] = (struct slot){.offset = offset,
	    .first = head->first,
	    .cycle = head->cycle,
	    .skipped = head->skipped,
	    .size = HEAD_SIZE + head->stored,
	    .count = head->count,
	    .ctrl = head->ctrl};
	return RECORDS_OK;
}

static bool is_trailer(struct records *r, uint64_t offset, int *error)
{
	uint8_t bytes[TRAILER_SIZE];
	return r->length - offset >= TRAILER_SIZE && source_read(r, offset, bytes, sizeof bytes, error) &&
	       memcmp(bytes, records_trailer_sync, SYNC_SIZE) == 0 &&
	       bytes_get32(bytes + 20) == base_crc32(0, bytes, 20) &&
	       (!r->known_file || bytes_get32(bytes + 16) == r->file);
}

/* A block of another kind than records. */
static int take_other(struct records *r, const struct head *head, uint64_t offset)
{
	const uint8_t *payload;
	int error = source_payload(r, head, offset, &payload);
	if (error == RECORDS_OK && head->type == HEAD_END)
		error = r->has_end ? RECORDS_OK : take_end(r, head, payload, false);
	else if (error == RECORDS_OK && !r->has_header && base_crc32(0, payload, head->plain) == head->file)
		error = take_header(r, payload, head->plain);
	if (error == RECORDS_EFORMAT) {
		damage_add(
		    r, &(struct records_damage){
			   .kind = RECORDS_DAMAGED, .offset = offset, .size = HEAD_SIZE + (uint64_t)head->stored});
		error = RECORDS_OK;
	}
	return error;
}

/* Whose blocks are ours: the first good head decides. */
static int take_head(struct records *r, const struct head *head, uint64_t offset)
{
	if (!r->known_file) {
		r->known_file = true;
		r->file = head->file;
	}
	if (head->file != r->file) {
		damage_add(
		    r, &(struct records_damage){
			   .kind = RECORDS_FOREIGN, .offset = offset, .size = HEAD_SIZE + (uint64_t)head->stored});
		return RECORDS_OK;
	}
	return head->type == HEAD_RECORDS ? add_slot(r, head, offset) : take_other(r, head, offset);
}

static void add_garbage(struct records *r, uint64_t from, uint64_t to)
{
	if (to > from)
		damage_add(r, &(struct records_damage){.kind = RECORDS_GARBAGE, .offset = from, .size = to - from});
}

static int by_scanning(struct records *r)
{
	struct head head;
	int error = RECORDS_OK;
	uint64_t at = 0, covered = 0; /* covered: end of what is accounted for */
	uint64_t behind = 0;          /* place behind the last head that was good */
	bool cut = false;
	while (at < r->length) {
		if (head_at(r, at, &head, &error)) {
			uint64_t end = at + HEAD_SIZE + head.stored;
			add_garbage(r, covered, at);
			cut = end > r->length;
			if (cut)
				damage_add(r, &(struct records_damage){.kind = RECORDS_CUT,
						  .offset = at,
						  .size = r->length - at,
						  .record = head.first,
						  .count = head.type == HEAD_RECORDS ? head.count : 0,
						  .cycle = head.cycle});
			else
				error = take_head(r, &head, at);
			if (error != RECORDS_OK)
				return error;
			covered = cut ? r->length : end;
			behind = at + HEAD_SIZE;
			at = cut ? find_sync(r, behind, &error) : end;
		} else if (error == RECORDS_OK && at == covered && is_trailer(r, at, &error)) {
			at = covered = behind = at + TRAILER_SIZE;
		} else {
			/* not where it should be: perhaps bytes of the last block are missing, so look inside it too */
			uint64_t from = behind > 0 && behind < covered ? behind : at + 1;
			behind = 0;
			at = find_sync(r, from, &error);
		}
		if (error != RECORDS_OK)
			return error;
	}
	add_garbage(r, covered, r->length);
	return RECORDS_OK;
}

/* ---------------------------------------------------------------- order */

static int blocks_by_number(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return order_then(ORDER_UP(x->first, y->first), ORDER_UP(x->offset, y->offset));
}

/* Sorts the table; blocks that hold what another one holds already are left out. */
static void put_in_order(struct records *r)
{
	uint64_t top = 0;
	size_t kept = 0;
	for (size_t i = 0; i < r->slot_count; i++) {
		struct slot *s = &r->slots[i];
		if (i > 0 && s->first < top)
			s->moved = true;
		else
			top = s->first;
	}
	if (r->slot_count > 0) /* else there is no table */
		qsort(r->slots, r->slot_count, sizeof *r->slots, blocks_by_number);
	for (size_t i = 0; i < r->slot_count; i++) {
		const struct slot *s = &r->slots[i];
		struct records_damage damage = {.kind = RECORDS_ORDER,
		    .offset = s->offset,
		    .size = s->size,
		    .record = s->first,
		    .count = s->count,
		    .cycle = s->cycle};
		if (kept > 0 && s->first < r->slots[kept - 1].first + r->slots[kept - 1].count) {
			damage.kind = RECORDS_REPEATED;
			damage_add(r, &damage);
			continue;
		}
		if (s->moved)
			damage_add(r, &damage);
		r->slots[kept++] = *s;
	}
	r->slot_count = kept;
}

int scan_file(struct records *r)
{
	int error = by_index(r);
	if (error == RECORDS_EFORMAT) {
		free(r->slots);
		r->slots = NULL;
		r->slot_count = r->slot_room = 0;
		r->has_header = r->has_end = false;
		error = by_scanning(r);
		if (error != RECORDS_OK)
			return error;
		put_in_order(r);
		if (r->has_end && r->damage_count == 0)
			damage_add(r, &(struct records_damage){.kind = RECORDS_INDEX, .offset = r->length});
		if (!r->has_header && r->slot_count == 0 && !r->has_end)
			return RECORDS_EFORMAT;
		if (!r->has_header)
			damage_add(r, &(struct records_damage){.kind = RECORDS_NO_HEADER});
		if (!r->has_end)
			damage_add(r, &(struct records_damage){.kind = RECORDS_NO_END, .offset = r->length});
	}
	return error;
}
