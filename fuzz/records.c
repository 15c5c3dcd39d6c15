/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Record files. With the first bit of the mode the checksums and sizes of all blocks are made right first, so that what
 * stands in the blocks is reached. */
#include "fuzz/fuzz.h"

#include <zstd.h>
#include "host/image/image.h"
#include "host/profile/profile.h"
#include "host/records/private.h"

#define ITEMS_MAX 3000 /* read one by one */

/* One context for all inputs (--wrap): half of the time went into making it. Each block begins it anew. */
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *context);

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
	static ZSTD_DCtx *context;
	if (context == NULL)
		context = __real_ZSTD_createDCtx();
	return context;
}

size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *context)
{
	(void)context;
	return 0;
}

static size_t next_sync(const uint8_t *bytes, size_t size, size_t at)
{
	for (; at + SYNC_SIZE <= size; at++) {
		if (bytes[at] == records_sync[0] && (memcmp(bytes + at, records_sync, SYNC_SIZE) == 0 ||
							memcmp(bytes + at, records_trailer_sync, SYNC_SIZE) == 0))
			return at;
	}
	return size;
}

/* Entry `slot` of the index: place and size of the block whose head is at `at`. */
static void repair_slot(uint8_t *bytes, size_t end, size_t slot, size_t at, size_t stored)
{
	uint8_t *payload = bytes + end + HEAD_SIZE;
	uint64_t size = bytes_get32(bytes + end + 16), text = size >= 4 ? bytes_get32(payload) : size;
	uint64_t entry = 4 + text + END_NUMBERS * 8 + slot * INDEX_ENTRY;
	if (bytes[end + 9] != CODING_PLAIN || size < entry + INDEX_ENTRY)
		return;
	bytes_put64(payload + entry, at);
	bytes_put32(payload + entry + 32, (uint32_t)(HEAD_SIZE + stored));
}

static void repair_index(uint8_t *bytes, size_t end)
{
	size_t slot = 0;
	for (size_t at = next_sync(bytes, end, 0); at < end; at = next_sync(bytes, end, at + 1)) {
		if (end - at >= HEAD_SIZE && bytes[at + 8] == HEAD_RECORDS)
			repair_slot(bytes, end, slot++, at, bytes_get32(bytes + at + 16));
	}
}

static void repair(uint8_t *bytes, size_t size)
{
	uint32_t file = 0;
	size_t end = 0;
	for (size_t at = next_sync(bytes, size, 0); at < size;) {
		size_t next = next_sync(bytes, size, at + 1);
		if (memcmp(bytes + at, records_trailer_sync, SYNC_SIZE) == 0 && size - at >= TRAILER_SIZE) {
			bytes_put64(bytes + at + 8, end);
			bytes_put32(bytes + at + 16, file);
			bytes_put32(bytes + at + 20, base_crc32(0, bytes + at, 20));
		} else if (next - at >= HEAD_SIZE) {
			uint8_t *head = bytes + at, *payload = head + HEAD_SIZE;
			uint32_t stored = (uint32_t)(next - at - HEAD_SIZE);
			if (head[8] == HEAD_FILE)
				file = base_crc32(0, payload, stored);
			if (head[8] == HEAD_END)
				end = at;
			bytes_put32(head + 12, file);
			bytes_put32(head + 16, stored);
			if (head[9] == CODING_PLAIN)
				bytes_put32(head + 20, stored);
			if (head[8] == HEAD_END)
				repair_index(bytes, at);
			bytes_put32(head + 24, base_crc32(0, payload, stored));
			bytes_put32(head + 60, base_crc32(0, head, 60));
		}
		at = next;
	}
}

static uint64_t read_items(struct records *records)
{
	struct record record;
	struct record_place place;
	uint64_t count = 0, next = 0;
	while (count < ITEMS_MAX && records_next(records, &record, &place) == 1) {
		must(place.number >= next && record_valid(&record) && record.count >= 1);
		next = place.number + 1;
		count++;
	}
	must(records_position(records) <= records->length);
	return count;
}

static uint64_t read_blocks(struct records *records)
{
	struct records_block block;
	uint64_t count = 0;
	while (count < ITEMS_MAX && records_next_block(records, &block) == 1) {
		records_times(records, &block);
		for (uint32_t i = 0; i < block.count; i++)
			must(block.key[i] < block.key_count && block.repeat[i] >= 1);
		touch(block.time, block.count * sizeof *block.time);
		touch(block.cycles, block.count * sizeof *block.cycles);
		count += block.count;
	}
	return count;
}

static void read_damage(struct records *records)
{
	size_t kept;
	uint64_t count;
	const struct records_damage *damage = records_damage(records, &kept, &count);
	must(kept <= RECORDS_DAMAGE_MAX && kept <= count);
	for (size_t i = 0; i < kept; i++) {
		char text[512];
		int n = records_damage_describe(&damage[i], text, sizeof text);
		must(n > 0 && n < (int)sizeof text);
	}
}

static void sum_up(struct records *records)
{
	struct profile profile;
	struct records_extent extent;
	records_extent(records, &extent);
	if (extent.records > 200000 || profile_init(&profile) != PROFILE_OK)
		return;
	records_profile(records, &profile, NULL, NULL);
	profile_fini(&profile);
}

/* Whether they are of a program: every reader asks, whatever is left of the header. */
static void identify(const struct records *records)
{
	static const uint8_t code[] = {0x82, 0x80}; /* ret */
	static struct image *image;
	const struct records_header *header = records_header(records);
	char detail[512] = "";
	if (image == NULL)
		must(image_from_code(&image, 0x80000000u, code, sizeof code) == IMAGE_OK);
	enum records_match match = records_match(header, image, detail, sizeof detail);
	must(detail[0] != 0 && (header != NULL || match == RECORDS_UNKNOWN));
	must(match == records_match(header, image, NULL, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	unsigned mode = (unsigned)take(&in, 1);
	uint64_t where = take(&in, 4);
	uint8_t *copy = malloc(in.left + 1);
	struct records *records = NULL;
	char detail[512] = "";
	if (copy == NULL)
		return 0;
	memcpy(copy, in.at, in.left);
	if ((mode & 1) != 0)
		repair(copy, in.left);
	int error = records_open_memory(&records, copy, in.left, detail, sizeof detail);
	must((error == RECORDS_OK) == (records != NULL));
	must(error == RECORDS_OK || detail[0] != 0);
	if (records != NULL) {
		const struct records_header *header = records_header(records);
		identify(records);
		if (header != NULL) {
			touch_text(header->name);
			touch_text(header->options);
			touch_text(header->build_id);
		}
		(void)records_end(records);
		uint64_t items = read_items(records);
		read_damage(records);
		records_rewind(records);
		uint64_t in_blocks = read_blocks(records);
		must(items >= ITEMS_MAX || in_blocks >= ITEMS_MAX || items == in_blocks);
		if ((mode & 2) != 0 && records_seek(records, where) == RECORDS_OK)
			read_items(records);
		if ((mode & 4) != 0 && records_seek_cycle(records, where) == RECORDS_OK)
			read_items(records);
		if ((mode & 8) != 0)
			sum_up(records);
		(void)records_missing(records);
		read_damage(records);
		records_close(records);
	}
	free(copy);
	return 0;
}
