/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VIEW_DELTA_H
#define RIVULET_VIEW_DELTA_H
/*
 * What changed between two documents of `rivulet view --serve` (docs/view-format.md, "Deltas"). Both are as
 * view_write() writes them: an object of members, some of which are tables of columns.
 *
 *   before  {"total":7, "functions":{"name":["a","b"], "self":[3,4]}}
 *   after   {"total":9, "functions":{"name":["a","b"], "self":[3,6]}}
 *   delta   {"total":9, "functions":{"self":{"patch":[[1,6]]}}}
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct delta_text {
	const char *text;
	size_t size;
};
/* Writes the delta, or nothing and false: the documents have another shape, or less than half would be saved. */
bool delta_write(const struct delta_text *before, const struct delta_text *after, FILE *out);
#endif
