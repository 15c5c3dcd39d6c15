/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A block of records as bytes: head and columns (docs/record-format.md). */
#include "host/records/private.h"

#include <stdlib.h>
#include <string.h>
#include "common/frame.h"

/* The first byte is no text and no zero; CR LF shows a transfer that changes line ends. */
const uint8_t records_sync[SYNC_SIZE] = {0x8B, 'R', 'V', 'R', 0x0D, 0x0A, 0x1A, 0xF5};
const uint8_t records_trailer_sync[SYNC_SIZE] = {0x8B, 'R', 'V', 'E', 0x0D, 0x0A, 0x1A, 0xF5};

void head_put(const struct head *head, uint8_t bytes[HEAD_SIZE])
{
	memset(bytes, 0, HEAD_SIZE);
	memcpy(bytes, records_sync, SYNC_SIZE);
	bytes[8] = head->type;
	bytes[9] = head->coding;
	bytes[10] = (uint8_t)head->depth;
	bytes_put32(bytes + 12, head->file);
	bytes_put32(bytes + 16, head->stored);
	bytes_put32(bytes + 20, head->plain);
	bytes_put32(bytes + 24, head->crc);
	bytes_put32(bytes + 28, head->count);
	bytes_put64(bytes + 32, head->first);
	bytes_put64(bytes + 40, head->cycle);
	bytes_put64(bytes + 48, head->skipped);
	bytes_put32(bytes + 56, head->ctrl);
	bytes_put32(bytes + 60, base_crc32(0, bytes, 60));
}

bool head_get(struct head *head, const uint8_t bytes[HEAD_SIZE])
{
	if (memcmp(bytes, records_sync, SYNC_SIZE) != 0 || bytes_get32(bytes + 60) != base_crc32(0, bytes, 60))
		return false;
	*head = (struct head){.type = bytes[8],
	    .coding = bytes[9],
	    .depth = (uint16_t)(bytes[10] | bytes[11] << 8),
	    .file = bytes_get32(bytes + 12),
	    .stored = bytes_get32(bytes + 16),
	    .plain = bytes_get32(bytes + 20),
	    .crc = bytes_get32(bytes + 24),
	    .count = bytes_get32(bytes + 28),
	    .first = bytes_get64(bytes + 32),
	    .cycle = bytes_get64(bytes + 40),
	    .skipped = bytes_get64(bytes + 48),
	    .ctrl = bytes_get32(bytes + 56)};
	uint32_t plain_max = PLAIN_MAX;
	if (head->type == HEAD_FILE)
		plain_max = HEADER_TEXT_MAX;
	else if (head->type == HEAD_END)
		plain_max = INDEX_PLAIN_MAX;
	if (head->type < HEAD_FILE || head->type > HEAD_END || head->coding > CODING_ZSTD || head->plain > plain_max ||
	    head->depth > (head->type == HEAD_RECORDS ? DEPTH_MAX : 0) || head->stored > plain_max + 1024 ||
	    (head->coding == CODING_PLAIN && head->stored != head->plain))
		return false;
	/* numbers and their ends stay below 2^63, so sums of them do not overflow */
	return head->type != HEAD_RECORDS || (head->count > 0 && head->count <= RECORDS_BLOCK_MAX &&
						 head->first < (UINT64_C(1) << 62) && head->skipped <= head->first);
}

int columns_init(struct columns *c, uint32_t room)
{
	*c = (struct columns){0};
	c->keys = malloc(room * sizeof *c->keys);
	c->context = malloc(room * sizeof *c->context);
	c->base = malloc(room * sizeof *c->base);
	c->key = malloc(room * sizeof *c->key);
	c->repeat = malloc(room * sizeof *c->repeat);
	c->cycles = malloc(room * sizeof *c->cycles);
	c->time = malloc(room * sizeof *c->time);
	if (c->keys == NULL || c->context == NULL || c->base == NULL || c->key == NULL || c->repeat == NULL ||
	    c->cycles == NULL || c->time == NULL) {
		columns_fini(c);
		return RECORDS_ENOMEM;
	}
	return RECORDS_OK;
}

void columns_fini(struct columns *c)
{
	free(c->keys);
	free(c->context);
	free(c->base);
	free(c->key);
	free(c->repeat);
	free(c->cycles);
	free(c->time);
	free(c->listed);
	free(c->less);
	free(c->extra);
	free(c->step);
	*c = (struct columns){0};
}

/* ---------------------------------------------------------------- columns that are read */

static uint32_t zigzag_unfold32(uint32_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

static bool get_leb(const uint8_t *bytes, size_t size, size_t *at, uint64_t max, uint64_t *value)
{
	return frame_get_leb(bytes, size, at, value) == 0 && *value <= max;
}

/* From key number `from` on, up to c->key_count. */
static bool get_keys(struct columns *c, uint32_t from, const uint8_t *bytes, size_t size, size_t *at)
{
	uint64_t start = 0;
	for (uint32_t k = from; k < c->key_count; k++) {
		struct record *key = &c->keys[k];
		uint64_t step, hist, insns, context, base;
		if (!get_leb(bytes, size, at, UINT64_MAX, &step) || !get_leb(bytes, size, at, UINT64_MAX, &hist) ||
		    *at >= size)
			return false;
		uint8_t reason = bytes[(*at)++];
		if (!get_leb(bytes, size, at, UINT32_MAX, &insns) || !get_leb(bytes, size, at, UINT32_MAX, &context) ||
		    !get_leb(bytes, size, at, UINT32_MAX, &base))
			return false;
		start += 2 * (uint64_t)frame_unzigzag(step);
		*key = (struct record){.start = start, .hist = hist, .insns = (uint32_t)insns, .reason = reason};
		if (!record_valid(key))
			return false;
		c->context[k] = (uint32_t)context;
		c->base[k] = (uint32_t)base;
	}
	return true;
}

/* Each loop reads a column as it is stored, and does all that is to be done to a value at once: a block has tens of
 * thousands, and reading them is most of what a fast reader does. */

static uint64_t stored_value(const uint8_t *from, uint32_t i, unsigned width)
{
	switch (width) {
	case 0:
		return 0;
	case 1:
		return from[i];
	case 2:
		return from[2 * (size_t)i] | (uint64_t)from[2 * (size_t)i + 1] << 8;
	case 4:
		return bytes_get32(from + 4 * (size_t)i);
	default:
		return bytes_get64(from + 8 * (size_t)i);
	}
}

/* Runs a statement for each stored value; the width is a constant in each loop. */
#define EACH(count, from, width, value, statement)                                                                     \
	do {                                                                                                           \
		for (uint32_t i = 0; (width) == 0 && i < (count); i++) {                                               \
			const uint64_t value = 0;                                                                      \
			statement;                                                                                     \
		}                                                                                                      \
		for (uint32_t i = 0; (width) == 1 && i < (count); i++) {                                               \
			const uint64_t value = stored_value(from, i, 1);                                               \
			statement;                                                                                     \
		}                                                                                                      \
		for (uint32_t i = 0; (width) == 2 && i < (count); i++) {                                               \
			const uint64_t value = stored_value(from, i, 2);                                               \
			statement;                                                                                     \
		}                                                                                                      \
		for (uint32_t i = 0; (width) == 4 && i < (count); i++) {                                               \
			const uint64_t value = stored_value(from, i, 4);                                               \
			statement;                                                                                     \
		}                                                                                                      \
		for (uint32_t i = 0; (width) == 8 && i < (count); i++) {                                               \
			const uint64_t value = stored_value(from, i, 8);                                               \
			statement;                                                                                     \
		}                                                                                                      \
	} while (0)

/* Whether so many bytes a value are allowed where `most` suffice for all values. */
static bool width_fits(unsigned width, unsigned most)
{
	return width <= most && (width & (width - 1)) == 0;
}

static bool get_keys_of(
    struct columns *c, uint32_t count, const uint8_t *from, unsigned width, bool steps, uint32_t most)
{
	uint16_t *key = c->key, now = UINT16_MAX;
	uint32_t top = 0;
	if (steps) {
		EACH(count, from, width, value, key[i] = now = (uint16_t)(now + 1 + value);
		     top = now > top ? now : top);
		return top < most;
	}
	EACH(count, from, width, value, key[i] = (uint16_t)value; top = value > top ? (uint32_t)value : top);
	return top < most;
}

static bool get_repeats(struct columns *c, uint32_t count, const uint8_t *from, unsigned width)
{
	uint16_t *repeat = c->repeat;
	uint32_t top = 0;
	EACH(count, from, width, value, repeat[i] = (uint16_t)(value + 1); top = value > top ? (uint32_t)value : top);
	return top < UINT16_MAX;
}

/* Cycles of each record: those of its key, and what it had more or less. Their sum. */
static uint64_t get_cycles(struct columns *c, uint32_t count, const uint8_t *from, unsigned width)
{
	uint32_t *cycles = c->cycles;
	const uint16_t *key = c->key, *repeat = c->repeat;
	const uint32_t *base = c->base;
	uint32_t some = width; /* whether there are cycles: else they are zeros as they stand */
	uint64_t sum = 0;
	for (uint32_t k = 0; k < c->key_count; k++)
		some |= base[k];
	if (some == 0)
		memset(cycles, 0, count * sizeof *cycles);
	else if (c->multiplied)
		EACH(count, from, width, value, cycles[i] = base[key[i]] * repeat[i] + zigzag_unfold32((uint32_t)value);
		     sum += cycles[i]);
	else
		EACH(count, from, width, value, cycles[i] = base[key[i]] + zigzag_unfold32((uint32_t)value);
		     sum += cycles[i]);
	return sum;
}

/* Instructions of the records from one to before another. */
static uint64_t clocked_time(const struct columns *c, uint32_t from, uint32_t to)
{
	uint64_t sum = 0;
	for (uint32_t i = from; i < to; i++)
		sum += (uint64_t)c->keys[c->key[i]].insns * c->repeat[i];
	return sum;
}

bool columns_carries(const struct columns *list, const uint8_t *bytes, size_t size)
{
	return size >= COLUMNS_HEAD + COLUMNS_CARRIED && list->key_count > 0 &&
	       bytes_get32(bytes + COLUMNS_HEAD) == list->key_count &&
	       bytes_get32(bytes + COLUMNS_HEAD + 4) == list->sum;
}

/* The list of keys, put behind those that there are, and its sum to theirs; *end: where the columns begin. */
static bool get_list(struct columns *c, size_t begin, const uint8_t *bytes, size_t size, size_t *end)
{
	const uint32_t before = c->key_count, sum = before > 0 ? c->sum : 0, count = bytes_get32(bytes);
	if (count > RECORDS_BLOCK_MAX - before || before + count == 0)
		return false;
	c->key_count = before + count;
	*end = begin;
	if (!get_keys(c, before, bytes, size, end)) {
		c->key_count = before;
		return false;
	}
	c->sum = base_crc32(sum, bytes + begin, *end - begin);
	return true;
}

bool columns_list(struct columns *list, bool carries, const uint8_t *bytes, size_t size)
{
	size_t end;
	if (!carries)
		list->key_count = 0;
	return size >= COLUMNS_HEAD &&
	       get_list(list, COLUMNS_HEAD + (carries ? (size_t)COLUMNS_CARRIED : 0), bytes, size, &end);
}

/* The keys that the records have of a list, each once, in the order in which they are met, become those of the columns.
 * The list's cycles say where each of its keys has come to. */
static void take_used_keys(struct columns *c, struct columns *list, uint32_t count)
{
	uint32_t *const place = list->cycles, used = 0;
	memset(place, 0, list->key_count * sizeof *place);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t key = c->key[i];
		if (place[key] == 0) {
			c->keys[used] = list->keys[key];
			c->context[used] = list->context[key];
			c->base[used] = list->base[key];
			place[key] = ++used;
		}
		c->key[i] = (uint16_t)(place[key] - 1);
	}
	c->key_count = used;
}

bool columns_get(
    struct columns *c, struct columns *list, uint32_t count, uint64_t first_time, const uint8_t *bytes, size_t size)
{
	c->count = c->key_count = 0;
	if (size < COLUMNS_HEAD || count == 0 || count > RECORDS_BLOCK_MAX || bytes_get32(bytes) > count)
		return false;
	const uint8_t widths[4] = {(uint8_t)(bytes[4] & ~COLUMNS_STEPS), bytes[5],
	    (uint8_t)(bytes[6] & ~COLUMNS_MULTIPLIED), (uint8_t)(bytes[7] & ~COLUMNS_CLOCKED)};
	c->multiplied = (bytes[6] & COLUMNS_MULTIPLIED) != 0;
	c->clocked = (bytes[7] & COLUMNS_CLOCKED) != 0;
	size_t at, head = COLUMNS_HEAD;
	struct columns *keys = c;
	if (list != NULL) {
		keys = list;
		head += COLUMNS_CARRIED;
	}
	if (!width_fits(widths[0], 2) || !width_fits(widths[1], 2) || !width_fits(widths[2], 4) ||
	    !width_fits(widths[3], 8) || (list != NULL && !columns_carries(list, bytes, size)) ||
	    !get_list(keys, head, bytes, size, &at) ||
	    size - at != (size_t)count * ((size_t)widths[0] + widths[1] + widths[2] + widths[3]))
		return false;

	const uint8_t *from = bytes + at;
	const bool steps = (bytes[4] & COLUMNS_STEPS) != 0;
	if (!get_keys_of(c, count, from, widths[0], steps, (list != NULL ? list : c)->key_count))
		return false;
	if (list != NULL)
		take_used_keys(c, list, count);
	from += (size_t)count * widths[0];
	if (!get_repeats(c, count, from, widths[1]))
		return false;
	from += (size_t)count * widths[1];
	uint64_t time = get_cycles(c, count, from, widths[2]);
	from += (size_t)count * widths[2];

	c->time_steps = from;
	c->time_width = widths[3];
	c->first_time = first_time;
	EACH(count, from, widths[3], value, time += (uint64_t)frame_unzigzag(value));
	if (c->clocked)
		time += clocked_time(c, 1, count);
	c->last_time = first_time - c->cycles[0] + time;
	c->count = count;
	return true;
}

void columns_times(struct columns *c)
{
	uint64_t *to = c->time, time = c->first_time - c->cycles[0];
	const uint32_t *cycles = c->cycles;
	if (c->clocked) {
		time -= clocked_time(c, 0, 1);
		EACH(c->count, c->time_steps, c->time_width, value,
		     time += cycles[i] + clocked_time(c, i, i + 1) + (uint64_t)frame_unzigzag(value);
		     to[i] = time);
		return;
	}
	EACH(c->count, c->time_steps, c->time_width, value, time += cycles[i] + (uint64_t)frame_unzigzag(value);
	     to[i] = time);
}
