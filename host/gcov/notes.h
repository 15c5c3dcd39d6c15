/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GCOV_NOTES_H
#define RIVULET_GCOV_NOTES_H
/*
 * gcc's notes (.gcno): the graph of each function of a source as gcc has it where it counts, after its first
 * optimisations, with the lines of each block. `gcc -ftest-coverage' writes them.
 *
 *   header      magic "gcno", version, stamp, checksum, folder, unexecuted
 *   FUNCTION    ident, two checksums, name, artificial, file, first line and column, last line and column
 *   BLOCKS      how many; 0 is the entry, 1 the exit
 *   ARCS        block, then target and flags of each arc from it
 *   LINES       block, then lines; a line 0 is followed by a file, or by nothing at the end
 *
 * Words are little-endian, 32 bits; a text is its size with the final 0, then its bytes (gcc 12; before it, words).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum notes_error {
	NOTES_OK = 0,
	NOTES_ENOMEM = -1,
	NOTES_EMAGIC = -2,   /* no file of gcc's notes, or of the other byte order */
	NOTES_EVERSION = -3, /* of a gcc whose notes look different */
	NOTES_EDAMAGED = -4, /* ends early, or says what cannot be; the offset says where */
};
const char *notes_strerror(int error);

enum { NOTES_ENTRY = 0, NOTES_EXIT = 1 };
enum { NOTES_ARC_TREE = 1, NOTES_ARC_FAKE = 2, NOTES_ARC_FALL = 4 };

struct notes_arc {
	uint32_t from, to, flags; /* NOTES_ARC_TREE: it has no counter */
};
struct notes_line { /* of a block */
	uint32_t block, line;
	const char *file;
};
struct notes_function {
	uint32_t ident, line_checksum, graph_checksum;
	const char *name, *file;
	uint32_t first_line, last_line;
	bool artificial;      /* made by the compiler */
	uint32_t block_count; /* 0: gcc wrote no graph of it */
	size_t first_arc, arc_count, first_place, place_count;
};
struct notes {
	uint8_t *bytes; /* the texts */
	size_t size;    /* of the file */
	uint32_t version, stamp;
	struct notes_function *functions;
	struct notes_arc *arcs;
	struct notes_line *places; /* of lines; each function's in the order of the file */
	size_t function_count, function_room, arc_count, arc_room, place_count, place_room;
	size_t offset; /* of what is wrong */
};

/* Reads what bytes hold; they are copied. To be freed in any case. */
int notes_read(struct notes *notes, const void *bytes, size_t size);
void notes_free(struct notes *notes);
#endif
