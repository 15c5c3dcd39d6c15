/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_GCOV_EVIDENCE_PRIVATE_H
#define RIVULET_GCOV_EVIDENCE_PRIVATE_H
/*
 * What the files of host/gcov/evidence.h share.
 *
 *   evidence_names.c        functions and files of notes, and which of them the spots are of
 *   evidence.c              instructions: which line of which copy each is of
 *   evidence_statements.c   the same of statements that begin
 */
#include "host/base/hash.h"
#include "host/gcov/evidence.h"

#define EVIDENCE_NONE UINT32_MAX

struct evidence_name { /* a function of notes, or a file */
	const char *text;
	uint32_t number, unit, first_line, last_line, file; /* number: of the function; of a file's name: of the file */
};

struct evidence_first { /* how often an inlined function was entered: as its first line ran */
	uint32_t line, place;
	uint64_t count;
};
struct evidence_maker {
	const struct export_input *input;
	struct evidence *evidence;
	struct evidence_name *functions, *files; /* files: names of notes and of the program */
	size_t function_count, function_room, file_count, file_room, known_files;
	struct hash file_table;
	uint32_t *of_spot; /* function by spot */
	uint32_t *unit_of_spot;
	uint32_t *rank;               /* by spot: its place in the source, in the function of the program */
	struct evidence_first *first; /* by spot */
	uint32_t *place_numbers;      /* by place: its basic block */
	struct evidence_name *noted;  /* functions, by number */
	uint64_t *targets;            /* of branches and jumps, sorted */
	size_t target_count;
	size_t line_room, part_room, statement_room;
};

/* The spots from that of a place outwards. */
struct evidence_chain {
	uint32_t all[SPOT_DEPTH_MAX + 1];
	size_t depth;
};

/* The number of a file; noted: a name of the notes, which is added, else EVIDENCE_NONE if they do not have it. False:
 * out of memory. */
bool evidence_file_number(struct evidence_maker *m, const char *text, bool noted, uint32_t *number);
/* Adds functions and lines of notes, the first of which has the number `first'. */
bool evidence_add_noted(struct evidence_maker *m, const struct notes *notes, uint32_t first, uint32_t unit);
/* Sorts what was added; then finds the function of each spot, and its place in the source. */
void evidence_sort_names(struct evidence_maker *m);
bool evidence_name_spots(struct evidence_maker *m);

void evidence_follow_chain(const struct spots *spots, uint32_t spot, struct evidence_chain *chain);
/* The outermost function whose notes have a line; row gets its number and its copy. The index in the chain, or its
 * depth: none has it. */
size_t evidence_find_home(struct evidence_maker *m, const struct evidence_chain *chain, struct evidence_part *row);
/* What tells parts of a line in one copy apart: where it was inlined, then the discriminator, in the order of the
 * source. */
uint64_t evidence_part_key(const struct evidence_maker *m, const struct evidence_chain *chain, uint32_t discriminator);
uint64_t evidence_place_count(const struct evidence_maker *m, const struct spot_place *place);

/* Adds the statements, one for each line of a copy. */
bool evidence_add_statements(struct evidence_maker *m);
#endif
