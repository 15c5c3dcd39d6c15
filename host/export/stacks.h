/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_STACKS_H
#define RIVULET_EXPORT_STACKS_H
/* What formats of stacks with tables share (pprof, OTLP): a table of strings, and the instructions that stacks name,
 * each once. */
#include "host/base/hash.h"
#include "host/export/export.h"

struct export_strings { /* number 0 is "", once it was asked for first */
	char **all;     /* the caller's, or copies */
	size_t count, room;
	char **copies;
	size_t copy_count, copy_room;
	struct hash table;
};
/* The text, or a copy that is UTF-8: readers of protobuf refuse all of a message that has another text. NULL: out of
 * memory. */
const char *export_text(struct export_strings *strings, const char *text);
/* Number of a text that stays where it is; NULL is number 0; -1: out of memory. */
int64_t export_string(struct export_strings *strings, const char *text);
void export_strings_free(struct export_strings *strings);

struct export_pcs {
	uint64_t *all; /* sorted */
	size_t count;
};
/* All that ran, and all calls around it. EXPORT_OK, EXPORT_ENOMEM. To be freed: all. */
int export_pcs_make(struct export_pcs *pcs, const struct gather_result *result);
/* 1 + its place; 0: it is not there. */
uint64_t export_pc_number(const struct export_pcs *pcs, uint64_t pc);
#endif
