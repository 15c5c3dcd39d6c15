/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/frame.h"
#include "common/rivulet_regs.h"
#include "host/image/image.h"
#include "host/records/private.h"

#define SIZE_MAX_WORDS RING_MAX_WORDS(RING_RECORDS_MAX, 6)

const char *ring_strerror(int error)
{
	switch (error) {
	case RING_OK:
		return "no error";
	case RING_ENONE:
		return "no dump of a flight recorder is in it";
	case RING_EBROKEN:
		return "a dump of a flight recorder begins in it, but none is whole";
	default:
		return "its dump says what no trace unit says";
	}
}

static uint32_t word_at(const uint8_t *words, size_t index)
{
	return bytes_get32(words + 4 * index);
}

static uint64_t long_at(const uint8_t *words, size_t index)
{
	return word_at(words, index) | (uint64_t)word_at(words, index + 1) << 32;
}

/* Whether a dump begins here: its size, else 0. *whole: it ends here as well, and its CRC is right. */
static size_t dump_begins(const uint8_t *bytes, size_t size, bool *whole)
{
	*whole = false;
	if (size < 4 * RING_WORDS || word_at(bytes, RING_MAGIC_WORD) != RING_MAGIC)
		return 0;
	const size_t words = word_at(bytes, RING_SIZE), count = word_at(bytes, RING_COUNT);
	const size_t width = word_at(bytes, RING_WIDTH);
	if ((width != 4 && width != 6) || count > RING_RECORDS_MAX || words != RING_MAX_WORDS(count, width))
		return 0;
	if (words * 4 <= size)
		*whole = frame_crc32(0, bytes, 4 * words - 4) == word_at(bytes, words - 1);
	return 4 * words;
}

static bool take_ring_record(const struct ring *ring, const uint8_t *at, size_t width, struct record *record)
{
	const bool wide = width == 6;
	const uint32_t info = word_at(at, wide ? 4 : 2);
	*record = (struct record){.start = wide ? long_at(at, 0) : word_at(at, 0),
	    .hist = wide ? long_at(at, 2) : word_at(at, 1),
	    .count = (info & RV_REC_INFO_REPEAT_MASK) >> RV_REC_INFO_REPEAT_LSB,
	    .insns = info >> RV_REC_INFO_INSNS_LSB,
	    .reason = (uint8_t)(info & RV_REC_INFO_REASON_MASK),
	    .cycles = word_at(at, wide ? 5 : 3)};
	record->timed = ring->cycles ? record->count : 0;
	return record->count != 0 && record->hist != 0 && record->reason < TRACE_REASONS && (record->start & 1) == 0;
}

static int take_dump(const uint8_t *at, struct ring *ring)
{
	const uint32_t id = word_at(at, RING_ID), caps = word_at(at, RING_CAPS);
	const size_t width = word_at(at, RING_WIDTH);
	ring->hist = (id & RV_ID_HIST_MASK) >> RV_ID_HIST_LSB;
	ring->xlen = caps & RV_CAPS_XLEN64_MASK ? 64 : 32;
	ring->insns = caps & RV_CAPS_INSNS_MASK;
	ring->cycles = caps & RV_CAPS_CYCLES_MASK;
	ring->repeat = caps & RV_CAPS_REPEAT_MASK;
	ring->reason = caps & RV_CAPS_REASON_MASK;
	ring->freeze = caps & RV_CAPS_FREEZE_MASK;
	ring->recorder = word_at(at, RING_RECORDER);
	ring->lost = word_at(at, RING_LOST);
	ring->pc = long_at(at, RING_PC);
	ring->resume = long_at(at, RING_RESUME);
	ring->cause = word_at(at, RING_MCAUSE);
	ring->epc = long_at(at, RING_MEPC);
	ring->tval = long_at(at, RING_MTVAL);
	ring->count = word_at(at, RING_COUNT);
	if (id >> RV_ID_MAGIC_LSB != RV_MAGIC || ring->hist < 8 || ring->hist > 64)
		return RING_EVALUE;
	for (size_t i = 0; i < ring->count; i++) {
		if (!take_ring_record(ring, at + 4 * (RING_WORDS + i * width), width, &ring->records[i]))
			return RING_EVALUE;
	}
	return RING_OK;
}

/* Words at any offset: a memory image, a core. Returns where the last whole dump is, or NULL. */
static const uint8_t *find_words(const uint8_t *bytes, size_t size, struct ring *ring)
{
	const uint8_t *found = NULL, *at = bytes, *end = bytes + size;
	while ((at = memchr(at, RING_MAGIC & 0xFF, (size_t)(end - at))) != NULL) {
		bool whole;
		if (dump_begins(at, (size_t)(end - at), &whole) == 0) {
			at++;
			continue;
		}
		ring->others += whole && found != NULL;
		ring->broken += !whole;
		if (whole)
			found = at;
		at += whole ? 4 * RING_WORDS : 4;
	}
	return found;
}

/* One line of text: puts its words in their places. Returns false if it is none of a dump. */
static bool take_dump_line(const char *line, const char *end, uint8_t *words)
{
	static const char mark[] = RING_TEXT " ";
	char text[128], *at = text, *next;
	const size_t length = (size_t)(end - line);
	if (length < sizeof mark || length >= sizeof text || memcmp(line, mark, sizeof mark - 1) != 0)
		return false;
	memcpy(text, line, length);
	text[length] = '\0';
	at += sizeof mark - 1;
	unsigned long index = strtoul(at, &next, 16);
	for (unsigned i = 0; i < RING_TEXT_WORDS && next != at && index < SIZE_MAX_WORDS; i++, index++) {
		at = next;
		const unsigned long word = strtoul(at, &next, 16);
		if (next != at)
			bytes_put32(words + 4 * index, (uint32_t)word);
	}
	return true;
}

/* Lines of a console. Returns a copy of the last whole dump, to be freed, or NULL. */
static uint8_t *find_text(const uint8_t *bytes, size_t size, struct ring *ring)
{
	const char *line = (const char *)bytes, *last = line + size;
	uint8_t *words = calloc(SIZE_MAX_WORDS, 4), *found = NULL;
	bool any = false;
	while (words != NULL && line < last) {
		const char *end = memchr(line, '\n', (size_t)(last - line));
		end = end == NULL ? last : end;
		bool whole = false, taken = take_dump_line(line, end, words);
		any |= taken;
		if (taken && dump_begins(words, 4 * SIZE_MAX_WORDS, &whole) != 0 && whole) {
			ring->others += found != NULL;
			free(found);
			found = words;
			words = calloc(SIZE_MAX_WORDS, 4);
			any = false;
		}
		line = end + 1;
	}
	ring->broken += any;
	free(words);
	return found;
}

int ring_find(const uint8_t *bytes, size_t size, struct ring *ring)
{
	memset(ring, 0, sizeof *ring);
	const uint8_t *at = find_words(bytes, size, ring);
	uint8_t *text = at == NULL ? find_text(bytes, size, ring) : NULL;
	const bool broken = ring->broken != 0;
	if (at == NULL && text == NULL)
		return broken ? RING_EBROKEN : RING_ENONE;
	ring->offset = at != NULL ? (uint64_t)(at - bytes) : 0;
	const int error = take_dump(at != NULL ? at : text, ring);
	free(text);
	return error;
}

size_t ring_words(const struct ring *ring, uint32_t id, uint32_t caps, uint32_t *words)
{
	const bool wide = ring->xlen > 32 || ring->hist > 32;
	const uint32_t width = wide ? 6 : 4;
	const size_t size = RING_MAX_WORDS(ring->count, width);
	const uint32_t head[RING_WORDS] = {[RING_MAGIC_WORD] = RING_MAGIC,
	    [RING_SIZE] = (uint32_t)size,
	    [RING_ID] = id,
	    [RING_CAPS] = caps,
	    [RING_RECORDER] = ring->recorder,
	    [RING_LOST] = (uint32_t)ring->lost,
	    [RING_PC] = (uint32_t)ring->pc,
	    [RING_PC_HI] = (uint32_t)(ring->pc >> 32),
	    [RING_RESUME] = (uint32_t)ring->resume,
	    [RING_RESUME_HI] = (uint32_t)(ring->resume >> 32),
	    [RING_MCAUSE] = ring->cause,
	    [RING_MEPC] = (uint32_t)ring->epc,
	    [RING_MEPC_HI] = (uint32_t)(ring->epc >> 32),
	    [RING_MTVAL] = (uint32_t)ring->tval,
	    [RING_MTVAL_HI] = (uint32_t)(ring->tval >> 32),
	    [RING_COUNT] = (uint32_t)ring->count,
	    [RING_WIDTH] = width};
	memcpy(words, head, sizeof head);
	uint32_t *at = words + RING_WORDS;
	for (size_t i = 0; i < ring->count; i++) {
		const struct record *r = &ring->records[i];
		*at++ = (uint32_t)r->start;
		if (wide)
			*at++ = (uint32_t)(r->start >> 32);
		*at++ = (uint32_t)r->hist;
		if (wide)
			*at++ = (uint32_t)(r->hist >> 32);
		*at++ = r->insns << RV_REC_INFO_INSNS_LSB | (uint32_t)r->count << RV_REC_INFO_REPEAT_LSB | r->reason;
		*at++ = (uint32_t)r->cycles;
	}
	*at = frame_crc32(0, words, 4 * size - 4);
	return size;
}

uint32_t ring_ctrl(const struct ring *ring)
{
	return RV_CTRL_ENABLE_MASK | RV_CTRL_MODES_MASK | (ring->repeat ? RV_CTRL_REPEAT_MASK : 0) |
	       (ring->recorder & RV_RECORDER_NO_BACKWARD_MASK ? RV_CTRL_NO_BACKWARD_MASK : 0) |
	       (ring->recorder & RV_RECORDER_NO_INDIRECT_MASK ? RV_CTRL_NO_INDIRECT_MASK : 0);
}

/* CAPS does not say how wide the cycles are: those of the default, unless one is wider. */
static unsigned cycle_bits_of(const struct ring *ring)
{
	unsigned bits = ring->cycles ? 16 : 0;
	for (size_t i = 0; i < ring->count; i++)
		bits = ring->records[i].cycles > UINT16_MAX ? 32 : bits;
	return bits;
}

int ring_write_records(const struct ring *ring, const struct image *image, records_emit *emit, void *context)
{
	struct records_writer *writer;
	struct record_place place = {.ctrl = ring_ctrl(ring)};
	struct records_end end = {.ending = RECORDS_END_OTHER};
	struct records_header header = {.xlen = ring->xlen,
	    .hist = ring->hist,
	    .insn_bits = ring->insns ? 16 : 0,
	    .cycle_bits = cycle_bits_of(ring),
	    .repeat_bits = ring->repeat ? 8 : 0,
	    .source = RECORDS_BOARD};
	const char *path = image_path(image), *slash = strrchr(path, '/');
	snprintf(header.name, sizeof header.name, "%s", slash == NULL ? path : slash + 1);
	snprintf(header.options, sizeof header.options, "flight recorder; records before the first: %llu",
	    (unsigned long long)ring->lost);
	records_identify_run(&header, image);
	int error = records_writer_open(&writer, &header, 0, emit, context);
	if (error != RECORDS_OK)
		return error;
	for (size_t i = 0; i < ring->count && error == RECORDS_OK; i++) {
		place.time += ring->records[i].cycles;
		end.traced_instructions += ring->records[i].insns * ring->records[i].count;
		error = records_write(writer, &ring->records[i], &place);
	}
	end.cycles = end.last_cycle = place.time;
	end.instructions = end.traced_instructions;
	if (error == RECORDS_OK)
		error = records_writer_finish(writer, &end);
	records_writer_close(writer);
	return error;
}
