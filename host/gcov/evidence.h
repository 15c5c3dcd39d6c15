/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GCOV_EVIDENCE_H
#define RIVULET_GCOV_EVIDENCE_H
/* What the instructions of a program say of the lines of the functions that notes are of (host/gcov/blocks.h). */
#include "host/gcov/blocks.h"

/* A line of a function of notes, in one block; sorted by function, file and line. */
struct evidence_line {
	uint32_t function, file, line, block;
	bool ends;  /* the block's last one */
	bool calls; /* and a call that may not return is behind it */
};
/* How often one part of a line ran: what is of one basic block of the program, in one copy of the function. Sorted by
 * function, copy, file and line, then by where the line was inlined to, by its discriminator and by address:
 * discriminators are numbered in the order of gcc's blocks, and code that has none is about in that order. */
struct evidence_part {
	uint32_t function, home, file, line;
	uint64_t key;
	uint32_t place; /* number of the basic block, by address */
	uint64_t count;
	bool calls; /* it has a call, or something that was inlined after gcc counts */
};
/* How often the statements of a line began, in one copy: of the most executed one, all the places that its code was
 * copied to. What was moved away from a statement is not in it. */
struct evidence_statement {
	uint32_t function, home, file, line, place;
	uint64_t key; /* of the column, too */
	uint64_t count;
};
struct evidence {
	struct evidence_line *lines;
	size_t line_count;
	struct evidence_part *parts;
	size_t part_count;
	struct evidence_statement *statements; /* one for each line of a copy; sorted in this way */
	size_t statement_count;
	uint64_t *executed; /* instructions, by function */
	uint8_t *present;   /* by function: it has instructions */
};
/* Functions are numbered through all units. To be freed in any case. */
int evidence_gather(
    struct evidence *evidence, const struct blocks_unit *units, size_t unit_count, const struct export_input *input);
void evidence_free(struct evidence *evidence);
#endif
