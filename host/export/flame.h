/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_FLAME_H
#define RIVULET_EXPORT_FLAME_H
/*
 * A flame graph: one box for each stack of functions, as wide as its share, callees above their callers, siblings by
 * name. Both formats draw the same boxes.
 *
 *   tree ──► flame_make(): boxes with place and width ──► SVG, or a page that zooms and searches
 */
#include "host/export/tree.h"

struct flame_box {
	uint32_t node;        /* of the tree */
	uint64_t from, width; /* in the unit of `all` */
};

struct flame {
	struct tree tree;
	struct flame_box *boxes; /* parents before children; those narrower than 1/4000 of all are left out */
	size_t count;
	uint64_t all;
	uint32_t depth; /* of the deepest box */
};

/* Returns EXPORT_OK, EXPORT_ENOMEM, EXPORT_EEMPTY. */
int flame_make(struct flame *flame, const struct export_input *input);
void flame_free(struct flame *flame);
/* The <svg> element. ids: each box carries its numbers for the page's script. */
int flame_svg(const struct flame *flame, const struct export_input *input, bool script, FILE *out);
#endif
