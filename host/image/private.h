/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMAGE_PRIVATE_H
#define RIVULET_IMAGE_PRIVATE_H
/* Shared by the files of host/image only. */
#include <libelf.h>
#include <time.h>
#include "host/image/image.h"

struct symbol {
	const char *name; /* in the file's string table */
	uint64_t address, size;
	bool code;  /* in an executable segment, and not a mapping symbol or a local label */
	bool sized; /* a function with a size */
	bool global;
};

struct line_row { /* of the line table, all units together, sorted by address; the code from address to that of the next
		     row */
	uint64_t address;
	const char *file; /* NULL: end of a sequence */
	unsigned line, column, discriminator;
	size_t order;      /* as read: the last of several rows for an address counts */
	bool begins;       /* a statement */
	uint16_t producer; /* of image->producers, from 1 on; 0: not known */
};

struct scope { /* one range of a function or inlined function */
	uint64_t low, high;
	const char *name;
	const char *call_file; /* inlined: where it was called */
	unsigned call_line, call_discriminator, declared, depth;
	int32_t parent; /* index of the scope around it, -1: none */
	size_t order;
};

struct scope_piece { /* [address, next piece's address) belongs to scope; -1: to none */
	uint64_t address;
	int32_t scope;
};

struct source {
	char *name;
	char *text;   /* NULL: cannot be read */
	char **lines; /* in text */
	size_t line_count;
	struct timespec written;
};

struct image {
	struct machine *machine; /* of machine_open(); NULL: a program */
	struct elf_file file;    /* of image_from_code(): path, bytes, length only */
	Elf *elf;                /* on the file's bytes, or elf_copy; NULL for image_from_code() */
	char *elf_copy;          /* the file's bytes for libelf alone; NULL: it has those of the file */
	void *dwarf;             /* Dwarf *; its strings are used below */
	uint64_t entry, code_size;
	uint64_t load;               /* what image_move() was given; 0: it was not called */
	uint64_t bias;               /* what image_move() added to the file's addresses */
	unsigned isa, named;         /* sets of isa_decode(): that may be there, that the linker named */
	bool wide, moveable, hosted; /* ELF64; ET_DYN; PT_GNU_STACK or PT_INTERP, or image_calls_linux() */
	struct image *
	    *others; /* objects that image_add() gave to it; their segments and symbols are in the lists here too */
	size_t other_count;
	struct elf_segment *segments; /* sorted by address, disjoint */
	size_t segment_count;
	struct symbol *symbols; /* sorted by address, all symbols with a name */
	size_t symbol_count, code_symbol_count;
	struct symbol *functions, *labels; /* sorted by address: sized functions; other code symbols */
	size_t function_count, label_count;
	struct line_row *rows;
	size_t row_count;
	const char **producers; /* what the units' compilers call themselves, each once */
	size_t producer_count;
	struct scope *scopes;
	size_t scope_count;
	struct scope_piece *pieces;
	size_t piece_count;
	struct source *sources;
	size_t source_count;
};

/* Formats the sentence for the user and returns error. */
int image_fail(char *detail, size_t size, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Sets isa and named: the instructions that the file may hold, by its width and the extensions that it names
 * (attributes of the linker). */
void image_isa_of(struct image *image);
bool image_calls_linux(const struct image *image); /* hosted.c */
/* symbols.c: those of a table, SHT_SYMTAB or SHT_DYNSYM. IMAGE_OK, IMAGE_ENOMEM. */
int image_read_symbols(struct image *image, unsigned table);
/* Sorts the symbols, and makes the lists of functions and labels anew. */
int image_sort_symbols(struct image *image);
void image_debug_free(struct image *image);
void image_source_free(struct image *image);
#endif
