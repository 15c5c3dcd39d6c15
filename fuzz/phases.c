/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Phases files. With the first bit of the mode the checksums and sizes of all sections and of the heads of chunks are
 * made right first, so that what stands behind them is reached. */
#include "fuzz/fuzz.h"

#include <zlib.h>
#include "host/phases/private.h"

#define STEPS_MAX 3000

static void bytes_put32(uint8_t *to, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static size_t next_section(const uint8_t *bytes, size_t size, size_t at)
{
	for (; at + SECTION_HEAD <= size; at++)
		if (memcmp(bytes + at, "RVPS", 4) == 0)
			return at;
	return size;
}

/* The end of a chunk's head: 26 numbers. */
static void repair_chunk(uint8_t *payload, size_t size)
{
	size_t at = 0;
	for (unsigned n = 0; n < 26 && at < size; at++)
		n += payload[at] < 0x80;
	if (size - at >= 4)
		bytes_put32(payload + at, (uint32_t)crc32_z(0, payload, at));
}

static void repair(uint8_t *bytes, size_t size)
{
	for (size_t at = next_section(bytes, size, 0); at < size;) {
		const size_t next = next_section(bytes, size, at + 1), length = next - at - SECTION_HEAD;
		struct section section;
		bytes_put32(bytes + at + 12, (uint32_t)length);
		if (next - at >= SECTION_HEAD && section_read(bytes + at, &section)) {
			if (section.type == SECTION_CHUNK)
				repair_chunk(bytes + at + SECTION_HEAD, length);
			section.crc = section_crc(&section, bytes + at + SECTION_HEAD, length);
			section_write(&section, bytes + at);
		}
		at = next;
	}
}

static void read_steps(struct phases_file *file)
{
	struct phases_step step;
	int more = 1;
	for (unsigned i = 0; i < STEPS_MAX && (more = phases_next(file, &step)) == 1; i++) {
		if (step.lost)
			continue;
		must(step.trips > 0 && step.what.count > 0);
		touch(step.what.blocks, step.what.count * sizeof *step.what.blocks);
		for (uint32_t b = 0; b < step.what.count; b++) {
			must(step.what.blocks[b] < phases_block_count(file));
			must(phases_block(file, step.what.blocks[b])->bytes > 0);
		}
	}
	must(more >= 0 || more == PHASES_ENOMEM);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = {bytes, size};
	const unsigned mode = (unsigned)take(&in, 1);
	const uint64_t where = take(&in, 4);
	struct phases_file *file = NULL;
	struct phases_damage damage;
	struct phases_place total;
	const struct phases_mark *marks;
	size_t count;
	char detail[512] = "";
	uint8_t *copy = malloc(in.left + 1);
	if (copy == NULL)
		return 0;
	memcpy(copy, in.at, in.left);
	if ((mode & 1) != 0)
		repair(copy, in.left);
	const int error = phases_open_memory(&file, copy, in.left, detail, sizeof detail);
	must((error == PHASES_OK) == (file != NULL));
	must(error == PHASES_OK || error == PHASES_ENOMEM || detail[0] != '\0');
	if (file != NULL) {
		touch_text(phases_header(file)->program);
		read_steps(file);
		for (unsigned key = 0; key < PHASES_KEYS; key++)
			if (phases_seek(file, (enum phases_key)key, where) == PHASES_OK)
				read_steps(file);
		phases_total(file, &total);
		(void)phases_cycle_of(file, where);
		if (phases_marks(file, &marks, &count) == PHASES_OK)
			touch(marks, count * sizeof *marks);
		phases_damage(file, &damage);
		phases_close(file);
	}
	free(copy);
	return 0;
}
