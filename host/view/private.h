/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VIEW_PRIVATE_H
#define RIVULET_VIEW_PRIVATE_H
/* The sections of a profile's object, one function each. All tables are by column: a member is an array, and the same
 * index in each is one row. */
#include "host/view/view.h"

struct view_sum {
	uint64_t count, cycles; /* instructions executed, cycles */
};

struct view_function {
	const char *name, *file; /* NULL: not known */
	unsigned line;
	uint64_t start;
	uint64_t entered;            /* times its first instruction ran, or calls that were followed */
	struct view_sum self, total; /* total: with all that it calls; recursion once */
	uint32_t block_count;
	uint8_t unknown; /* enum edge_unknown, of total */
	bool ran;
};

struct view_line { /* an instruction's place, then a line */
	uint32_t file, line, function;
	uint32_t blocks, hit; /* basic blocks with code of it; those that ran */
	uint64_t count, cycles;
	uint32_t code; /* gather_code of the instruction; VIEW_NONE: it did not run */
};

struct view {
	const struct view_input *input;
	FILE *out;
	bool first; /* no member has been written yet */
	bool timed; /* the measure is cycles, else instructions */
	struct view_function *functions;
	size_t function_count, function_room;
	uint32_t *of_spot;  /* function of each spot */
	uint32_t *of_block; /* function of each block of the graph */
	const char **files;
	size_t file_count, file_room;
	uint32_t last_file; /* found or added */
	uint32_t *blocks; /* of the graph that are written, in order; the index is the block's number in the document */
	uint32_t *block_index; /* and back; UINT32_MAX: not written */
	size_t block_count;
	uint32_t *line_of_code; /* row of the table of lines, by gather_code; VIEW_NONE: none */
	size_t line_count;
};
#define VIEW_NONE UINT32_MAX

/* functions.c: the list; the function of an address, VIEW_NONE; the number of a file name. */
int view_functions_make(struct view *view);
uint32_t view_function_at(const struct view *view, uint64_t pc);
uint32_t view_file(struct view *view, const char *name); /* VIEW_NONE: no name, or no memory */
int view_write_functions(struct view *view);
int view_write_calls(struct view *view);
int view_write_stacks(struct view *view);
/* code.c */
int view_blocks_make(struct view *view);
int view_write_blocks(struct view *view);
int view_write_code(struct view *view);
int view_write_paths(struct view *view);
/* phases.c */
int view_write_phases(struct view *view);
uint64_t view_interval_begin(const struct view *view, uint32_t interval); /* its time; behind the last: the run's end */
/* cells.c: lines over time; behind the lines. */
int view_write_cells(struct view *view);
/* regions.c */
int view_write_regions(struct view *view);
/* lines.c */
int view_write_lines(struct view *view);

/* pack.c: the document as base64 of gzip; behind it, if there are any, zeros up to a multiple of eight bytes, and the
 * columns. */
int view_pack(const struct view_document *document, FILE *out);

/* column.c: begins a member of the profile's object, or an item of an array. */
void view_member(struct view *view, const char *name);
void view_table(struct view *view, const char *name); /* "name":{ */
void view_table_end(struct view *view);
/* A column of numbers, of the row's member at offset; how says the type. */
enum view_how {
	VIEW_U8,
	VIEW_U32,   /* VIEW_NONE is written as -1 */
	VIEW_U64,   /* UINT64_MAX too */
	VIEW_HEX64, /* as text: "0x80000000" */
	VIEW_TEXT,
	VIEW_SHOWN /* a name of the linker, as the source has it (demangle()) */
};
/* first: the member in the first of `count` rows of this size. */
void view_column(struct view *view, const char *name, const void *first, size_t count, size_t size, enum view_how how);
#define COLUMN(view, name, rows, count, member, how)                                                                   \
	view_column(view, name, &(rows)->member, count, sizeof *(rows), how)
/* The columns "name", and if there are names of C++ "shown": what people read. first: a text, as for VIEW_TEXT. */
void view_names(struct view *view, const void *first, size_t count, size_t size);
static inline uint64_t view_measure(const struct view *view, struct view_sum sum)
{
	return view->timed ? sum.cycles : sum.count;
}
#endif
