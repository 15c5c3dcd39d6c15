/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_LAYOUT_PRIVATE_H
#define RIVULET_LAYOUT_PRIVATE_H
/* Shared by the files of host/layout only. */
#include "host/layout/layout.h"
#include "host/object/edit.h"

struct layout_function {
	uint32_t first, end, body; /* atoms; behind body lies padding */
	uint64_t size, weight;     /* bytes; instructions executed */
	uint8_t reason;            /* enum layout_reason */
	bool table;                /* data names blocks of it */
	bool caught, sorted;       /* exception tables name places in it; its own can be sorted anew */
	bool own;                  /* its code reads its own address */
	bool sized;
	bool fixed; /* a place within it may be computed: each instruction keeps its length */
};
struct layout_kept { /* functions that a try before this one found cannot be changed */
	struct kept_function {
		uint32_t section;
		uint64_t offset; /* within it */
		uint8_t reason;
	} * all;
	size_t count, room;
	struct moved_function { /* whose blocks have another order in this try */
		uint32_t section;
		uint64_t from, to;
	} * moved;
	size_t moved_count, moved_room;
};
struct laying { /* a section of code */
	const struct linked *linked;
	struct edit *edit;
	struct edit_section *section;
	const struct layout_options *options;
	struct layout_kept *kept;
	struct layout_counts *counts;
	const struct layout_site **sites; /* by atom; NULL: it did not run */
	bool *glued, *apart;              /* by atom: it stays behind the one before it; a block begins with it */
	struct layout_function *functions;
	size_t function_count;
	uint32_t *order; /* atoms of each function, at its old place: as they shall lie */
};

/* functions.c: what is a function, and whether its blocks may be moved. */
int laying_functions(struct laying *l);
/* The function that an atom is in; UINT32_MAX: none. */
uint32_t laying_function_of(const struct laying *l, uint32_t atom);
static inline uint64_t laying_count(const struct laying *l, uint32_t atom)
{
	return l->sites[atom] == NULL ? 0 : l->sites[atom]->count;
}
/* blocks.c: l->order for a function. */
int laying_blocks(struct laying *l, struct layout_function *function);
#endif
