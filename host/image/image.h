/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMAGE_H
#define RIVULET_IMAGE_H
/*
 * A program image: what an ELF file says about the code that ran. Segments and symbols are read by image_open(); source
 * lines and inlined functions (DWARF) by image_debug(), which is slower and may find nothing; source text on demand by
 * image_source().
 *
 * The whole file is read into memory and checked first, so a file that changes or ends early is an error with an
 * offset, never a crash. Accepted: little-endian ELF32 and ELF64 for RISC-V, linked. Position-independent programs and
 * the libraries of a dynamic one are given the addresses that they were loaded at. Everything returned belongs to the
 * image and lives until image_close(). Not for use by several threads at once.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/elf_file.h"

struct isa_insn; /* isa/isa.h */

enum image_error { /* the first as enum elf_file_error */
	IMAGE_OK = 0,
	IMAGE_EOPEN = -1,      /* cannot be opened or read, or is not a regular file */
	IMAGE_EELF = -2,       /* not an ELF file, or its headers contradict each other */
	IMAGE_ETRUNCATED = -3, /* a part named by a header lies behind the end of the file */
	IMAGE_EARCH = -4,      /* another class, byte order or machine */
	IMAGE_ETYPE = -5,      /* not linked, or without code */
	IMAGE_ENOMEM = -6,
	IMAGE_ENODEBUG = -7,  /* no usable DWARF: addresses and symbols still work */
	IMAGE_ENOSYMBOL = -8, /* a symbol that is needed is not there */
	IMAGE_ERANGE = -9     /* an address range that the file does not fill */
};
const char *image_strerror(int error);

struct image;

/* A point in the source. Members are NULL or 0 where nothing is known. */
struct image_place {
	const char *function; /* innermost first: an inlined function before the one that it was inlined into */
	const char *file;     /* as the compiler named it */
	unsigned line, column;
	unsigned discriminator; /* tells apart blocks of one line, as DWARF has it */
	unsigned declared;      /* line that declares the function */
};

/* Reads path. On an error *image is NULL and detail (size bytes, may be NULL) takes the sentence that the user is to
 * read: file, offset, what was expected, what to do. */
int image_open(struct image **image, const char *path, char *detail, size_t size);
/* The same from bytes in memory, which are copied; name stands for the file in messages. */
int image_open_memory(
    struct image **image, const char *name, const void *bytes, size_t length, char *detail, size_t size);
/* Code without an ELF file around it: one executable segment, no symbols. */
int image_from_code(struct image **image, uint64_t address, const void *bytes, size_t length);
void image_close(struct image *image);

const char *image_path(const struct image *image);
uint64_t image_entry(const struct image *image);
const struct elf_segment *image_segments(const struct image *image, size_t *count);
/* A position-independent program or library (ET_DYN): puts its first page at address, which is a multiple of 4096.
 * Before image_debug(). IMAGE_ETYPE: it is not position independent. */
bool image_moveable(const struct image *image);
int image_move(struct image *image, uint64_t address, char *detail, size_t size);
/* Adds a library, which has been moved to where it was loaded: from now on its code, symbols and lines are image's.
 * image owns it. On an error nothing has changed, and other is still the caller's. */
int image_add(struct image *image, struct image *other, char *detail, size_t size);
/* The libraries that were added, from index 0 on; NULL behind the last one. */
const struct image *image_library(const struct image *image, size_t index);
/* "libm.so+0x412" in text if address is in a library that was added, else NULL: a name where there is no symbol. */
#define IMAGE_PLACE 64
const char *image_place(const struct image *image, uint64_t address, char text[IMAGE_PLACE]);
uint64_t image_bias(const struct image *image); /* what image_move() added to the addresses of the file */
/* The first address behind all segments, at a page. */
uint64_t image_end(const struct image *image);
/* What isa_decode() is to know: width and extensions of the program (from its class and its attributes); ISA_CORE for
 * image_from_code(). */
unsigned image_isa(const struct image *image);
/* The same, but only the extensions that its linker named; without names all. For what may be code or data. */
unsigned image_isa_named(const struct image *image);
unsigned image_xlen(const struct image *image); /* 32, 64 */
/* Of a machine file (docs/machines.md): instructions stand for bytecodes, and have no bytes. */
bool image_of_machine(const struct image *image);
/* A program of an operating system (it says how its stack is to be, or who loads it; of one in assembler its calls of
 * Linux say it): its ECALLs are served, and go on behind themselves. */
bool image_hosted(const struct image *image);
/* Whether the EBREAK at address is a call of the host (RISC-V semihosting), which goes on behind it: it stands between
 * slli x0,x0,0x1f and srai x0,x0,7. */
bool image_semihosting(const struct image *image, uint64_t address);
/* Whether there is such a call anywhere in the code. */
bool image_calls_host(const struct image *image);
/* Whether the instruction at address is one of both calls: it ends, and the program goes on behind it. */
bool image_serves(const struct image *image, const struct isa_insn *insn, uint64_t address);
uint64_t image_load_address(const struct image *image); /* of its first page; 0 if it was not moved */
/* Bytes of code in all executable segments. */
uint64_t image_code_size(const struct image *image);
/* The code at address: NULL if it is in no executable segment; else *available bytes (> 0) can be read there. */
const uint8_t *image_code(const struct image *image, uint64_t address, size_t *available);
/* The instruction at address; set as of isa_decode(), 0: the image's own. Its parts may lie in two segments. False: a
 * part of it is in no executable segment. */
bool image_insn(const struct image *image, uint64_t address, unsigned set, struct isa_insn *insn);
/* Where the JALR at address goes, if it has its address from the AUIPC right before it: a call further than JAL
 * reaches, or one that the linker did not relax. */
bool image_far_target(const struct image *image, uint64_t address, uint64_t *target);
/* As isa_format(); of a machine file (docs/machines.md) as that writes it. */
int image_format(const struct image *image, const struct isa_insn *insn, uint64_t pc, char *text, size_t size);

/* Symbols. */
size_t image_symbol_count(const struct image *image); /* functions and labels in code; 0: stripped */
int image_symbol(const struct image *image, const char *name, uint64_t *address);
/* Whether it has a symbol of this name, its own or another library's. */
bool image_uses(const struct image *image, const char *name);
/* The function or assembler label that address belongs to, or NULL. *start (may be NULL) is its first address. */
const char *image_function(const struct image *image, uint64_t address, uint64_t *start);
/* The same, but f for `f.cold`, which is a part of f that the compiler put elsewhere. */
const char *image_whole_function(const struct image *image, uint64_t address, uint64_t *start);
/* All named symbols, by address; index from 0 on, false behind the last one. */
struct image_label {
	const char *name;
	uint64_t address, size;
	bool code;     /* in code, and neither a mapping symbol nor a local label of the compiler */
	bool function; /* code, with type and size of a function */
	bool global;
};
bool image_label(const struct image *image, size_t index, struct image_label *label);
/* What may hold instructions: the executable sections; of a file without section headers its executable segments, in
 * which constants may lie too. */
struct image_text {
	uint64_t start, size;
	bool section;
};
bool image_text(const struct image *image, size_t index, struct image_text *text);
/* As image_code(), for constants: any segment. */
const uint8_t *image_data(const struct image *image, uint64_t address, size_t *available);

/* The bytes of a section of the program's own file, loaded or not; NULL: it has none of this name, or none in the
 * file. */
const uint8_t *image_section(const struct image *image, const char *name, size_t *size);

/* CRC-32 of [__text_start, __text_end), the `build` of docs/profile-format.md. */
int image_build(const struct image *image, uint32_t *crc, char *detail, size_t size);

/* Whether the program can be the one with this build although its symbols are gone: some code from the start of an
 * executable segment on has this CRC. */
bool image_has_build(const struct image *image, uint32_t build);
/* For a program that never had the symbols: the CRC-32 of its first executable segment, which image_has_build()
 * finds. strip does not change it. */
uint32_t image_code_build(const struct image *image);

/* DWARF. Call image_debug() once; without it the others know symbols only. */
int image_debug(struct image *image, char *detail, size_t size);
/* Source places of address, innermost inlined function first; the first has the line that the code came from, each next
 * one the line of the call. Returns how many were stored (at most max, at least 1 if max > 0: members may then be
 * NULL). */
size_t image_places(const struct image *image, uint64_t address, struct image_place *places, size_t max);
/* What the compiler of the code at address calls itself, often with its options (DW_AT_producer), or NULL. */
const char *image_producer(const struct image *image, uint64_t address);
/* Variables and parameters of a function, by its name, that are in an integer register at an address (the function may
 * be inlined there). How many; their names, at most max. */
size_t image_variables(
    const struct image *image, uint64_t address, unsigned reg, const char *function, const char **names, size_t max);
/* The next place where a statement begins, of the image's own code and not its libraries', from row *index on (0 at
 * first); several may be at one address, which image_places() knows the last of. False: there is none any more. */
bool image_statement(const struct image *image, size_t *index, uint64_t *address, struct image_place *place);
/* Text of a source line without its line end, or NULL. File names that are not absolute are tried below the current
 * directory, then below those where the units that name them were compiled. */
const char *image_source(struct image *image, const char *file, unsigned line);
/* A file of which image_source() gave lines, and which was written after the program and its libraries; NULL: none. */
const char *image_newer_source(const struct image *image);
#endif
