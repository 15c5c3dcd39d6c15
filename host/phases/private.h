/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_PRIVATE_H
#define RIVULET_PHASES_PRIVATE_H
/* What writer and reader of the phases file share: sections, heads of chunks, numbers (docs/phases-format.md). */
#include "host/phases/file.h"

#define PHASES_MAGIC "RVPHASES"
#define PHASES_VERSION 1u
#define SECTION_MAGIC 0x53505652u /* "RVPS" in the file's bytes */
#define SECTION_HEAD 24u
#define SECTION_SIZE_MAX (64u << 20)
enum section_type { SECTION_HEADER = 1, SECTION_CHUNK = 2, SECTION_END = 3 };

struct section { /* head of a section: little-endian, 24 bytes */
	uint32_t type;
	uint32_t number; /* of the chunk; 0 in others */
	uint32_t size;   /* of what follows */
	uint32_t crc;    /* of what follows, begun with the head's other bytes */
};

/* Growing bytes. failed: out of memory, and then nothing more is added. */
struct bytes {
	uint8_t *data;
	size_t used, room;
	bool failed;
};
void bytes_free(struct bytes *bytes);
void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_leb(struct bytes *bytes, uint64_t value);
static inline uint64_t zigzag_encode(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}
static inline int64_t zigzag_decode(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}
struct reading { /* bytes being read; failed: they ended too early or a number is too long */
	const uint8_t *data;
	size_t size, at;
	bool failed;
};
uint64_t input_leb(struct reading *input);
uint8_t input_byte(struct reading *input);

uint32_t section_crc(const struct section *section, const void *payload, size_t size);
void section_write(const struct section *section, uint8_t head[SECTION_HEAD]);
bool section_read(const uint8_t head[SECTION_HEAD], struct section *section); /* magic, version and sizes fit */

/* What a chunk says before its compressed parts. */
struct chunk_head {
	uint32_t epoch;
	uint32_t base;          /* how many chunks before this one its prefix stands; 0: it has none */
	struct phases_place at; /* before it */
	uint32_t symbols;       /* repeated paths in it */
	uint8_t width;          /* bytes of a symbol, 1 to 4 */
	uint32_t first_block, first_path, first_symbol; /* numbers of the first ones that it defines */
	uint32_t blocks, paths, defined;                /* how many it defines */
	struct phases_place length;                     /* what it adds to the place */
	uint32_t times, marks;                          /* how many */
	uint32_t side_size, main_size;                  /* bytes of the definitions, and of the symbols */
};
/* At the beginning of bytes, which are empty: the head, and a CRC of it alone, so that it can be believed unread. */
void chunk_head_write(const struct chunk_head *head, struct bytes *bytes);
/* From the beginning of input. */
bool chunk_head_read(struct reading *input, struct chunk_head *head);
#endif
