/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_JOINED_H
#define RIVULET_COUNTED_JOINED_H
/*
 * Which part of a cut path came before which: entries of a profile whose start is no id of an object, but the key of
 * the parts before (common/joined.h). Keys are made from the ids on, part by part:
 *
 *   id ──► entries with this start: first parts ──► their keys ──► entries with these starts: second parts ──► ...
 */
#include "host/insert/counted.h"

#define COUNTED_NO_PART UINT32_MAX

struct counted_joined {                   /* by entry, in the order in which they are given */
	const struct map_object **object; /* NULL: none of the program's */
	uint32_t *before;                 /* entry of the part before; COUNTED_NO_PART: a path begins with this one */
	bool *lost;                       /* it is not known what came before */
};
/* entries: sorted by start. */
int counted_joined_find(
    struct counted_joined *joined, const struct counted *counted, const struct record *const *entries, size_t count);
void counted_joined_free(struct counted_joined *joined);
#endif
