/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_ADDED_H
#define RIVULET_EXPORT_ADDED_H
/*
 * Object code that the source does not have as such, and the construct of the source that it came from, by DWARF.
 *
 *   place of each instruction ──► no line: the compiler's own ──► the line before it in its function
 *                            └──► inlined frame: a copy       ──► the function, and the line of the call
 *                            └──► a branch or call of a place (line, column, discriminator, frame) that has one
 *                                 already                     ──► the first one
 *                            └──► a call that the text beside it does not name ──► the line
 *
 * The last one needs the source: the line, two before it, two behind it. What a macro calls counts as not named; names
 * of C++ are left out.
 */
#include "host/export/spots.h"
#include "host/export/gather.h"

enum added_kind {
	ADDED_NO_LINE,
	ADDED_INLINED,
	ADDED_AGAIN,  /* a loop turned, unrolled or peeled, an end of a way copied */
	ADDED_CALLED, /* a call of a helper: memcpy() of a structure, division */
	ADDED_KINDS
};
/* "without a line", ... */
const char *added_kind_name(unsigned kind);

struct added_piece { /* instructions that follow each other */
	uint64_t start, end;
	uint8_t kind;
	uint32_t build;                  /* for the caller */
	uint32_t insns, ran;             /* all, those that ran */
	uint32_t outcomes, outcomes_ran; /* of the conditional branches */
	const char *function;            /* of the program, that it stands in; NULL: not known */
	const char *file;                /* of the construct; NULL: not known */
	unsigned line, discriminator;
	const char *name; /* inlined, called: of that function; NULL: not known */
	uint64_t first;   /* again: the address of the first one */
};

struct added {
	struct added_piece *all; /* by build, kind, address */
	size_t count, room;
};

/* Adds the pieces of a program; what ran is in result's code. EXPORT_OK, EXPORT_ENOMEM. To be freed in any case. */
int added_make(struct added *added, struct image *image, const struct spots *spots, const struct gather_result *result,
    uint32_t build);
void added_free(struct added *added);
#endif
