/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/vm/records.h"

#include <string.h>
#include "common/frame.h"
#include "common/rivulet_regs.h"

enum { HEAD_SIZE = 64, HEAD_FILE = 1, HEAD_RECORDS = 2, HEAD_END = 3, END_NUMBERS = 12, INDEX_ENTRY = 48 };
static const uint8_t sync_mark[8] = {0x8B, 'R', 'V', 'R', 0x0D, 0x0A, 0x1A, 0xF5};
static const uint8_t trailer_mark[8] = {0x8B, 'R', 'V', 'E', 0x0D, 0x0A, 0x1A, 0xF5};
/* What comes between a bytecode's begin and end is traced as the handlers of a core are. */
static const uint32_t ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_HANDLERS_MASK;

static uint8_t *put_word(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*to++ = (uint8_t)(value >> 8 * i);
	return to;
}

static uint8_t *put_number(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

static void write_bytes(struct rivulet_vm_records *file, const void *bytes, size_t size)
{
	if (!file->failed && size > 0)
		file->failed = file->write(file->context, bytes, size) != 0;
	file->offset += size;
}

/* What stands behind the head is known by its parts: first its size and checksum, then the bytes themselves. */
struct payload {
	struct rivulet_vm_records *file; /* NULL: only sized */
	uint32_t size, crc;
};

static void add_bytes(struct payload *p, const void *bytes, size_t size)
{
	p->size += (uint32_t)size;
	if (p->file != NULL)
		write_bytes(p->file, bytes, size);
	else
		p->crc = frame_crc32(p->crc, bytes, size);
}

static void write_head(
    struct rivulet_vm_records *file, uint8_t type, const struct payload *payload, uint64_t first, uint64_t time)
{
	uint8_t bytes[HEAD_SIZE] = {0};
	memcpy(bytes, sync_mark, sizeof sync_mark);
	bytes[8] = type;
	uint8_t *to = put_word(bytes + 12, file->text_crc, 4);
	to = put_word(to, payload->size, 4);
	to = put_word(to, payload->size, 4);
	to = put_word(to, payload->crc, 4);
	to = put_word(to, type == HEAD_RECORDS ? file->count : 0, 4);
	to = put_word(to, first, 8);
	put_word(to, time, 8);
	put_word(bytes + 56, ctrl, 4);
	put_word(bytes + 60, frame_crc32(0, bytes, 60), 4);
	write_bytes(file, bytes, sizeof bytes);
}

static char *add_text(char *to, const char *text, size_t most)
{
	while (*text != '\0' && most-- > 0)
		*to++ = *text++;
	return to;
}

void rivulet_vm_records_begin(struct rivulet_vm_records *file, const char *name, rivulet_vm_write *write, void *context)
{
	const unsigned hist = RIVULET_VM_HIST;
	char *to = file->text;
	file->write = write;
	file->context = context;
	file->failed = false;
	file->offset = file->records = file->bytecodes = file->first = 0;
	file->count = file->key_count = file->blocks = 0;
	memset(file->heads, 0, sizeof file->heads);
	to = add_text(to, "rivulet records\nversion=1\nxlen=", 40);
	to = add_text(to, sizeof(uintptr_t) == 8 ? "64" : "32", 2);
	to = add_text(to, "\nhist=", 6);
	*to++ = (char)('0' + hist / 10);
	*to++ = (char)('0' + hist % 10);
	to = add_text(
	    to, "\ninsn_bits=32\ncycle_bits=0\nrepeat_bits=0\nctrl=0x00000000\nsource=machine\ncode=0\nname=", 90);
	to = add_text(to, name, 100);
	*to++ = '\n';
	file->text_size = (uint32_t)(to - file->text);
	file->text_crc = frame_crc32(0, file->text, file->text_size);
	const struct payload payload = {.size = file->text_size, .crc = file->text_crc};
	write_head(file, HEAD_FILE, &payload, 0, 0);
	write_bytes(file, file->text, file->text_size);
}

static uint32_t find_key(struct rivulet_vm_records *file, const struct rivulet_vm_key *key)
{
	const uint32_t mask = 2 * RIVULET_VM_BLOCK - 1;
	uint64_t mixed = (key->start + key->hist * 31 + ((uint64_t)key->insns << 40)) * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t at = (uint32_t)(mixed >> 40) & mask;
	for (; file->heads[at] != 0; at = (at + 1) & mask) {
		const struct rivulet_vm_key *k = &file->keys[file->heads[at] - 1];
		if (k->start == key->start && k->hist == key->hist && k->insns == key->insns &&
		    k->reason == key->reason && k->context == key->context)
			return file->heads[at] - 1u;
	}
	file->keys[file->key_count] = *key;
	file->heads[at] = (uint16_t)++file->key_count;
	return file->key_count - 1;
}

static void add_keys(const struct rivulet_vm_records *file, struct payload *p)
{
	uint64_t start = 0;
	for (uint32_t i = 0; i < file->key_count; i++) {
		const struct rivulet_vm_key *k = &file->keys[i];
		uint8_t bytes[40], *to = bytes;
		to = put_number(to, frame_zigzag((int64_t)(k->start - start) / 2));
		to = put_number(to, k->hist);
		*to++ = k->reason;
		to = put_number(to, k->insns);
		to = put_number(to, k->context);
		to = put_number(to, 0);
		start = k->start;
		add_bytes(p, bytes, (size_t)(to - bytes));
	}
}

/* The columns of docs/record-format.md: keys, the number of each record's, no repeats, no cycles, and bytecodes. */
static void add_columns(const struct rivulet_vm_records *file, struct payload *p)
{
	uint32_t most = 0;
	for (uint32_t i = 1; i < file->count; i++) /* the first one's are in the head's time */
		most |= 2 * file->steps[i];
	const unsigned key_bytes = file->key_count == 1 ? 0 : file->key_count <= 256 ? 1 : 2;
	const unsigned step_bytes = most == 0 ? 0 : most <= 0xFF ? 1 : most <= 0xFFFF ? 2 : 4;
	uint8_t bytes[64], *to = put_word(bytes, file->key_count, 4);
	*to++ = (uint8_t)key_bytes;
	*to++ = 0;
	*to++ = 0;
	*to++ = (uint8_t)step_bytes;
	add_bytes(p, bytes, 8);
	add_keys(file, p);
	for (uint32_t i = 0; i < file->count && key_bytes > 0;) {
		for (to = bytes; i < file->count && to < bytes + 60; i++)
			to = put_word(to, file->key[i], key_bytes);
		add_bytes(p, bytes, (size_t)(to - bytes));
	}
	for (uint32_t i = 0; i < file->count && step_bytes > 0;) {
		for (to = bytes; i < file->count && to < bytes + 60; i++)
			to = put_word(to, i == 0 ? 0 : 2 * (uint64_t)file->steps[i], step_bytes);
		add_bytes(p, bytes, (size_t)(to - bytes));
	}
}

void rivulet_vm_records_flush(struct rivulet_vm_records *file)
{
	struct payload payload = {0};
	if (file->count == 0)
		return;
	const uint64_t offset = file->offset, first = file->records - file->count;
	add_columns(file, &payload);
	write_head(file, HEAD_RECORDS, &payload, first, file->first);
	payload = (struct payload){.file = file};
	add_columns(file, &payload);
	if (file->blocks < RIVULET_VM_BLOCKS) {
		file->index[file->blocks].offset = offset;
		file->index[file->blocks].first = first;
		file->index[file->blocks].time = file->first;
		file->index[file->blocks].size = HEAD_SIZE + payload.size;
		file->index[file->blocks].count = file->count;
	}
	file->blocks++;
	file->count = file->key_count = 0;
	memset(file->heads, 0, sizeof file->heads);
}

void rivulet_vm_records_put(void *taker, const struct record *record)
{
	struct rivulet_vm_records *file = taker;
	const struct rivulet_vm_key key = {record->start, record->hist, record->insns, record->reason, record->context};
	const uint32_t i = file->count;
	file->bytecodes += record->insns;
	if (i == 0)
		file->first = file->bytecodes;
	file->key[i] = (uint16_t)find_key(file, &key);
	file->steps[i] = record->insns;
	file->count++;
	file->records++;
	if (file->count == RIVULET_VM_BLOCK)
		rivulet_vm_records_flush(file);
}

/* Header text, the twelve numbers of the run, index. */
static void add_end(const struct rivulet_vm_records *file, struct payload *p)
{
	const uint64_t b = file->bytecodes;
	const uint64_t numbers[END_NUMBERS] = {file->records, file->records, b, b, 0, b, b, 0, 0, 0, 0, file->blocks};
	uint8_t bytes[8 * END_NUMBERS], *to;
	add_bytes(p, bytes, (size_t)(put_word(bytes, file->text_size, 4) - bytes));
	add_bytes(p, file->text, file->text_size);
	to = bytes;
	for (unsigned i = 0; i < END_NUMBERS; i++)
		to = put_word(to, numbers[i], 8);
	add_bytes(p, bytes, (size_t)(to - bytes));
	for (uint32_t i = 0; i < file->blocks; i++) {
		to = put_word(bytes, file->index[i].offset, 8);
		to = put_word(to, file->index[i].first, 8);
		to = put_word(to, file->index[i].time, 8);
		to = put_word(to, 0, 8);
		to = put_word(to, file->index[i].size, 4);
		to = put_word(to, file->index[i].count, 4);
		to = put_word(to, ctrl, 4);
		to = put_word(to, 0, 4);
		add_bytes(p, bytes, INDEX_ENTRY);
	}
}

bool rivulet_vm_records_end(struct rivulet_vm_records *file)
{
	uint8_t trailer[24] = {0};
	struct payload payload = {0};
	rivulet_vm_records_flush(file);
	if (file->blocks > RIVULET_VM_BLOCKS)
		return !file->failed;
	const uint64_t offset = file->offset;
	add_end(file, &payload);
	write_head(file, HEAD_END, &payload, file->records, file->bytecodes);
	payload = (struct payload){.file = file};
	add_end(file, &payload);
	memcpy(trailer, trailer_mark, sizeof trailer_mark);
	uint8_t *to = put_word(trailer + 8, offset, 8);
	to = put_word(to, file->text_crc, 4);
	put_word(to, frame_crc32(0, trailer, 20), 4);
	write_bytes(file, trailer, sizeof trailer);
	return !file->failed;
}
