/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OBJECT_CATCHES_H
#define RIVULET_OBJECT_CATCHES_H
/*
 * Exception tables (.gcc_except_table), found by the unwind entries that name them: which code is about which landing
 * pad. The records of a function are sorted by their code; when that gets another order, they do too.
 */
#include "host/object/edit.h"

#define CATCH_NONE UINT64_MAX
struct catch_record {
	uint64_t start, end, pad; /* code, old offsets; pad: CATCH_NONE: there is none */
	uint64_t action;          /* where the number of its action is, in the section of the table */
	uint32_t action_size;
};
struct catch_table {
	uint32_t section, code; /* of the table, of its function */
	uint64_t function;      /* what distances are from */
	uint64_t from, to;      /* records, in the section of the table */
	size_t first, count;    /* in records */
};
struct catches {
	struct catch_table *tables; /* those that can be written anew */
	struct catch_record *records;
	size_t table_count, table_room, record_count, record_room;
};
int catches_find(const struct edit *edit, struct catches *catches);
void catches_free(struct catches *catches);
/* The tables of code in another order, when that has its places. OBJECT_EUNSUPPORTED: edit->failed says which. */
int catches_write(struct edit *edit, char *detail, size_t size);
#endif
