/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_LINKED_H
#define RIVULET_LINKED_H
/*
 * A linked program or shared library that kept its relocations (ld --emit-relocs) becomes a relocatable object, is
 * edited as any other one, and is linked again.
 *
 *   program ──► linked_open() ──► bytes of an object ──► object_open(), edits ──► linked_write() ──► program
 *
 * Data stays where it is: only code, unwind entries and what grows get new places, in two segments behind the old ones.
 *
 *      old segments            new ones
 *   ┌──────────┬──────────┬───────────────────────┬──────────────────────────┐
 *   │ code     │ data     │ code, unwind entries, │ lists of constructors,   │
 *   │ (zeros)  │          │ dynamic relocations   │ counters, runtime's data │
 *   └──────────┴──────────┴───────────────────────┴──────────────────────────┘
 *
 * linked_open() holds every relocation against the bytes that the linker wrote for it. What does not agree is refused,
 * unless it leads to something that stays where it is (an entry of the PLT, a slot of the GOT).
 */
#include "host/object/object.h"

struct linked_segment {
	uint32_t type, flags;
	uint64_t offset, address, physical, file_size, size, align;
};
struct linked_section { /* of the program, by number */
	uint64_t address;
	bool allocated, moves;
};
struct linked_dynamic { /* a dynamic relocation */
	uint64_t address;
	int64_t addend;
	uint32_t type, symbol; /* in .dynsym */
	uint32_t section;      /* that holds it */
	uint64_t offset;       /* in that */
};
struct linked_bound {        /* where the linker sent references to a symbol of the object */
	uint64_t call, slot; /* entry of the PLT, slot of the GOT */
	bool has_call, has_slot;
};

struct linked {
	const uint8_t *file; /* the program; the caller's */
	size_t size;
	unsigned xlen;
	bool independent; /* of its position: ET_DYN */
	bool dynamic, shared;
	uint64_t entry, gp, base; /* base: address of offset 0 of the file */
	struct linked_segment *segments;
	size_t segment_count;
	struct linked_section *sections;
	uint32_t section_count;
	struct linked_dynamic *relocs; /* by address */
	size_t reloc_count;
	struct linked_bound *bound; /* by symbol of the object */
	uint8_t *bytes;             /* the object */
	size_t byte_count;
};

/* An ELF file that is an executable or a shared library. */
bool linked_is(const void *bytes, size_t size);
/* The bytes must stay. Errors are those of object.h; detail gets a sentence without file name. */
int linked_open(struct linked **linked, const void *bytes, size_t size, char *detail, size_t detail_size);
void linked_close(struct linked *linked);

struct linked_runtime {
	struct object **objects; /* relocatable, position independent; without relaxation */
	size_t object_count;
	const char **wraps; /* references to NAME go to __wrap_NAME of the runtime; its __real_NAME is NAME */
	size_t wrap_count;
};
struct linked_result { /* bytes: to be freed; detail: the caller's, for a sentence without file name */
	uint8_t *bytes;
	size_t size;
	char *detail;
	size_t detail_size;
};
/* The program with the edited object in place of the old code. edited: what was made of linked->bytes. */
int linked_write(const struct linked *linked, struct object *edited, const struct linked_runtime *runtime,
    struct linked_result *result);
/* The program as it is, and a section that takes no memory in addition: with addresses of `edited`, whose code must
 * have stayed where it was. */
int linked_attach(
    const struct linked *linked, struct object *edited, const char *section, struct linked_result *result);
#endif
