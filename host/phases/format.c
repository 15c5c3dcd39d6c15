/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/private.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "host/base/bytes.h"

const char *phases_strerror(int error)
{
	switch (error) {
	case PHASES_OK:
		return "no error";
	case PHASES_ENOMEM:
		return "out of memory";
	case PHASES_EWRITE:
		return "cannot write";
	case PHASES_EVALUE:
		return "a value that no run has";
	case PHASES_EOPEN:
		return "cannot be read";
	case PHASES_EFORMAT:
		return "not a phases file";
	case PHASES_EVERSION:
		return "of a newer version";
	case PHASES_EDAMAGED:
		return "this part of the file is damaged";
	case PHASES_EEND:
		return "behind the end of the run";
	case PHASES_ECODEC:
		return "zstd failed";
	default:
		return "unknown error";
	}
}

const char *phases_key_name(unsigned key)
{
	static const char *const names[PHASES_KEYS] = {"instruction", "block", "path", "repeated", "stratum", "cycle"};
	return key < PHASES_KEYS ? names[key] : "unknown";
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){0};
}

void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
	if (bytes->used + size > bytes->room && !bytes->failed) {
		size_t room = 2 * bytes->room + size + 256;
		uint8_t *bigger = realloc(bytes->data, room);
		bytes->failed = bigger == NULL;
		if (bigger != NULL) {
			bytes->data = bigger;
			bytes->room = room;
		}
	}
	if (bytes->failed || size == 0)
		return;
	memcpy(bytes->data + bytes->used, data, size);
	bytes->used += size;
}

void bytes_leb(struct bytes *bytes, uint64_t value)
{
	uint8_t coded[10];
	size_t size = 0;
	for (; value >= 0x80; value >>= 7)
		coded[size++] = (uint8_t)(value | 0x80);
	coded[size++] = (uint8_t)value;
	bytes_add(bytes, coded, size);
}

uint8_t input_byte(struct reading *input)
{
	if (input->at < input->size)
		return input->data[input->at++];
	input->failed = true;
	return 0;
}

uint64_t input_leb(struct reading *input)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		const uint8_t byte = input_byte(input);
		if (input->failed || (shift == 63 && byte > 1))
			break;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			return value;
	}
	input->failed = true;
	return 0;
}

/* ---------------------------------------------------------------- sections */

void section_write(const struct section *section, uint8_t head[SECTION_HEAD])
{
	bytes_put32(head, SECTION_MAGIC);
	bytes_put32(head + 4, section->type);
	bytes_put32(head + 8, section->number);
	bytes_put32(head + 12, section->size);
	bytes_put32(head + 16, section->crc);
	bytes_put32(head + 20, PHASES_VERSION);
}

bool section_read(const uint8_t head[SECTION_HEAD], struct section *section)
{
	*section = (struct section){
	    bytes_get32(head + 4), bytes_get32(head + 8), bytes_get32(head + 12), bytes_get32(head + 16)};
	/* the version is no part of the CRC's bytes as they lie there: section_crc() writes the one that it knows */
	return bytes_get32(head) == SECTION_MAGIC && bytes_get32(head + 20) == PHASES_VERSION &&
	       section->type >= SECTION_HEADER && section->type <= SECTION_END && section->size <= SECTION_SIZE_MAX;
}

uint32_t section_crc(const struct section *section, const void *payload, size_t size)
{
	struct section plain = *section;
	plain.crc = 0;
	uint8_t head[SECTION_HEAD];
	section_write(&plain, head);
	uLong crc = crc32(0, head, SECTION_HEAD);
	return (uint32_t)crc32_z(crc, payload, size);
}

void chunk_head_write(const struct chunk_head *h, struct bytes *bytes)
{
	const uint32_t numbers[] = {h->epoch, h->base, h->symbols, h->width, h->first_block, h->first_path,
	    h->first_symbol, h->blocks, h->paths, h->defined, h->times, h->marks, h->side_size, h->main_size};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		bytes_leb(bytes, numbers[i]);
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		bytes_leb(bytes, h->at.at[k]);
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		bytes_leb(bytes, h->length.at[k]);
	uint8_t crc[4];
	bytes_put32(crc, bytes->failed ? 0 : (uint32_t)crc32_z(0, bytes->data, bytes->used));
	bytes_add(bytes, crc, sizeof crc);
}

bool chunk_head_read(struct reading *input, struct chunk_head *h)
{
	uint32_t numbers[14];
	for (size_t i = 0; i < 14; i++) {
		const uint64_t value = input_leb(input);
		input->failed |= value > UINT32_MAX;
		numbers[i] = (uint32_t)value;
	}
	*h = (struct chunk_head){.epoch = numbers[0],
	    .base = numbers[1],
	    .symbols = numbers[2],
	    .width = (uint8_t)numbers[3],
	    .first_block = numbers[4],
	    .first_path = numbers[5],
	    .first_symbol = numbers[6],
	    .blocks = numbers[7],
	    .paths = numbers[8],
	    .defined = numbers[9],
	    .times = numbers[10],
	    .marks = numbers[11],
	    .side_size = numbers[12],
	    .main_size = numbers[13]};
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		h->at.at[k] = input_leb(input);
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		h->length.at[k] = input_leb(input);
	if (input->failed || input->size - input->at < 4)
		return false;
	const uint32_t crc = (uint32_t)crc32_z(0, input->data, input->at);
	input->at += 4;
	return bytes_get32(input->data + input->at - 4) == crc && numbers[3] >= 1 && numbers[3] <= 4;
}
