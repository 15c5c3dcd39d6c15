/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATH_H
#define RIVULET_PATH_H
/*
 * A path for readers: the code that one profile entry stands for, with its functions and source lines, in execution
 * order. Strings belong to the image.
 */
#include "host/profile/profile.h"
#include "host/walk/walk.h"

struct path_piece { /* one visit of a block */
	uint64_t start;
	uint32_t count;
	uint64_t starts; /* as in struct walk_block */
	int8_t outcome;  /* of the conditional branch at its end; -1: none */
	uint8_t reason;  /* of the end, in the last piece; else 0 */
};

struct path_lines { /* lines first to last of file; gaps of up to PATH_GAP lines without code of the path are inside */
	const char *file;
	unsigned first, last;
};
#define PATH_GAP 2

struct path {
	const struct record *entry;
	int error;   /* WALK_OK, WALK_UNKNOWN_END or why it cannot be followed; the pieces up to there are right */
	uint64_t at; /* address that an error is about */
	uint32_t insns;
	struct path_piece *pieces;
	size_t piece_count, piece_room;
	const char **functions; /* distinct, in order of appearance, an outer one before those inlined into it */
	size_t function_count, function_room;
	struct path_lines *lines; /* files in order of appearance, lines of each ascending */
	size_t line_count, line_room;
};

/* Follows the entry. Returns 0 (also if it cannot be followed: see error) or WALK_ENOMEM. */
int path_make(struct path *path, struct walk *walk, const struct record *entry);
/* Finds functions and lines of the pieces. Returns 0 or WALK_ENOMEM. */
int path_places(struct path *path, const struct image *image);
void path_free(struct path *path);
#endif
