/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ARCHIVE_H
#define RIVULET_ARCHIVE_H
/*
 * Archives (.a) as GNU ar and llvm-ar make them: a table of symbols (32 or 64 bits wide), a table of long names,
 * members. A thin archive holds the names of its members' files only.
 *
 *   archive_open() ──► archive_next() for each member ──► archive_put() ──► archive_finish()
 *
 * Memory is in proportion to the tables and the largest member. The table of symbols keeps its names, in their order:
 * an edited member defines the same global symbols. If no member changes, the archive is the same, byte by byte.
 */
#include "host/object/object.h"

struct archive_member {
	const char *name; /* without the slash; of a thin archive: a path, relative to the archive's folder */
	size_t name_length;
	const uint8_t *bytes; /* NULL: thin, the file has them */
	size_t size;
	uint64_t offset; /* of its header in the archive */
	uint64_t header_index;
};

struct archive {
	const uint8_t *file;
	size_t size;
	bool thin;
	uint64_t at;                    /* of the next member's header */
	const uint8_t *symbols, *names; /* contents of the tables, or NULL */
	size_t symbols_size, names_size;
	bool wide; /* the table of symbols has 64-bit offsets */
};

bool archive_is(const void *bytes, size_t size);
/* The bytes must stay as long as the archive. */
int archive_open(struct archive *archive, const void *bytes, size_t size, char *detail, size_t detail_size);
/* The next member that is no table: 1, at the end: 0, or an error. */
int archive_next(struct archive *archive, struct archive_member *member, char *detail, size_t detail_size);

/* Takes bytes to be written at an offset of the output; returns 0, or anything else to fail. */
typedef int archive_emit(void *context, uint64_t offset, const void *bytes, size_t size);

/* A second archive with the same members, of other sizes. */
struct archive_writer {
	const struct archive *archive;
	archive_emit *emit;
	void *context;
	uint64_t at;
	uint64_t *old, *now; /* offsets of members' headers */
	size_t count, room;
};
int archive_begin(struct archive_writer *writer, const struct archive *archive, archive_emit *emit, void *context);
/* The member with its new bytes, in the order of archive_next(). Of a thin archive: an ordinary member is made. */
int archive_put(struct archive_writer *writer, const struct archive_member *member, const void *bytes, size_t size);
/* Writes the tables. Frees the writer in any case. */
int archive_finish(struct archive_writer *writer, int error);
#endif
