/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_READER_H
#define RIVULET_PHASES_READER_H
/* Inside the reader of phases files: read.c (opening, damage, marks), define.c (what chunks define), cursor.c
 * (places). */
#include "host/phases/definitions.h"

#include <zstd.h>

#define NONE UINT32_MAX
#define SYMBOLS_MAX (1u << 24) /* in a chunk: more is no chunk of ours; likewise blocks and paths */
#define BLOCKS_MAX (1u << 26)
#define PATHS_MAX (1u << 27)

struct chunk {
	const uint8_t *payload;
	uint32_t size, number, crc, head_size;
	struct chunk_head head;
	enum { UNREAD, GOOD, BAD } state; /* of the payload's CRC */
};

struct path {
	size_t first; /* in path_blocks */
	uint32_t count;
	uint64_t instructions;
};
struct symbol {
	uint32_t path, trips; /* path NONE: its definition is lost */
};

struct phases_file {
	const uint8_t *data;
	size_t size;
	bool mapped;
	struct phases_header header;
	struct phases_end end;
	bool has_end;
	struct chunk *chunks;
	uint32_t chunk_count, chunk_room;
	uint64_t bad_bytes;
	ZSTD_DCtx *zstd;

	struct phases_block *blocks; /* of the epochs read so far: those of a lost chunk have address 0, no bytes */
	uint32_t block_count, block_room;
	uint32_t blocks_read; /* chunks whose blocks are known */

	/* definitions of one epoch; NONE: of none */
	uint32_t epoch;
	struct path *paths;
	uint32_t path_count, path_room;
	struct symbol *symbols;
	uint32_t symbol_count, symbol_room;
	uint32_t *path_blocks;
	size_t path_blocks_used, path_blocks_room;
	uint32_t *path_room_blocks; /* room for one path that is being read */
	struct definitions definitions;
	struct phases_mark *marks;
	uint32_t mark_count, marks_room;
	bool all_marks;

	/* the chunk under the cursor, and the prefix of its group */
	uint32_t at;   /* index of the chunk; chunk_count: behind the last one */
	uint32_t base; /* index of the chunk that prefix holds; NONE: none */
	uint8_t *prefix, *raw;
	size_t prefix_size, prefix_room, raw_room;
	uint32_t *stream, stream_room; /* its symbols */
	uint64_t *times;               /* of chunk times_of, two numbers each, absolute; NONE: of none */
	uint32_t times_of, times_room;
	uint32_t loaded; /* index of the chunk in raw; NONE: none */
	uint32_t next;   /* symbol of the chunk that comes next */
	bool gap_told;   /* what is lost before the chunk has been given */
	struct phases_place place;
	/* strata of the chunk, found again */
	uint32_t *mark, mark_room, generation, stratum_length; /* as in host/phases/layers.c */
};

/* Room for count items; more than that, so that adding one by one costs the same for each. */
bool reader_grow(void **array, uint32_t *room, uint32_t count, size_t one);

/* ---- define.c ---- */
bool reader_chunk_good(struct chunk *chunk); /* its checksum is right */
/* Begins to read the definitions of chunk c: its times (two numbers each) and marks (four) into times and marks, which
 * have room for them or are NULL. The caller ends the model if this returns PHASES_OK. */
int reader_begin_side(struct phases_file *file, uint32_t c, uint64_t *times, uint64_t *marks);
/* Makes the definitions of this epoch known: those of damaged chunks are missing. */
int reader_load_epoch(struct phases_file *file, uint32_t epoch);
#endif
