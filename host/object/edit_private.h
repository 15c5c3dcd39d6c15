/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EDIT_PRIVATE_H
#define RIVULET_EDIT_PRIVATE_H
/* Shared by edit.c (code) and tables.c (what describes it) only. */
#include "host/object/edit.h"

struct edit_piece {
	struct edit_word *words;
	size_t count;
	uint32_t section, next; /* next: piece + 1 at the same place */
	uint64_t at;
};

struct edit_frame_change {
	uint32_t section;
	uint64_t function;
	uint32_t grow;
	bool begins;
	struct edit_saved saved[EDIT_SAVED_MAX];
	unsigned count;
};

/* Unwind entries and debug information that say distances, when atoms have their places and symbols their old ones. */
int edit_tables(struct edit *edit, char *detail, size_t size);
#endif
