/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_SPOTS_H
#define RIVULET_EXPORT_SPOTS_H
/*
 * Where in the source each instruction comes from, as a tree: a function of the program, in it the functions inlined
 * into it at each place, and so on.
 *
 *   place of 0x80000124 = spot (inlined "rotate" at line 31 of "mix") + line 12
 *                              └ parent: spot (function "mix")
 *
 * A spot of a function of the program begins where the symbol table says; in code that no symbol and no DWARF names, a
 * spot without name begins wherever a direct call went. `f.cold` belongs to f.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/export/gather.h"
#include "host/image/image.h"

#define SPOT_NONE UINT32_MAX
#define SPOT_DEPTH_MAX 32 /* inlined into each other; deeper ones are left out */

struct spot {
	const char *name;  /* NULL: not known */
	const char *file;  /* that declares the function, as far as its lines tell; NULL: not known */
	uint32_t parent;   /* index, smaller than its own; SPOT_NONE: a function of the program */
	uint64_t start;    /* functions: address; inlined: that of the lowest instruction */
	unsigned declared; /* line that declares it, 0: not known */
	unsigned call_line, call_discriminator; /* inlined: of the call, in the parent */
	const char *call_file;
};

struct spot_place { /* of one instruction */
	uint64_t pc;
	uint32_t spot;
	const char *file; /* NULL: not known */
	unsigned line, discriminator;
	uint8_t length;
	uint16_t class_bits; /* enum isa_class */
	uint64_t target;     /* of a direct branch or jump */
};

struct spots {
	const struct image *image;
	struct spot *all;
	size_t count;
	struct spot_place *places; /* sorted by pc */
	size_t place_count;
};

enum { SPOTS_OK = 0, SPOTS_ENOMEM = -1 };

/* Places of the instructions that ran (result->code), and of all others of code that has source lines. The image stays
 * open until spots_free(). */
int spots_make(struct spots *spots, const struct image *image, const struct gather_result *result);
/* A function that no image has, of one place, behind all others. The name is not copied. */
int spots_add(struct spots *spots, uint64_t pc, const char *name);
void spots_free(struct spots *spots);
/* NULL: pc is not there. */
const struct spot_place *spots_at(const struct spots *spots, uint64_t pc);
/* The same, of an instruction behind this place, most often the next one; NULL: behind none. */
const struct spot_place *spots_behind(const struct spots *spots, const struct spot_place *place, uint64_t pc);
/* The function of the program that spot is inlined into, or itself. */
uint32_t spots_function(const struct spots *spots, uint32_t spot);
/* "main", "ld.so+0x120" in a library, or "0x80000120". text: room for one without a name. */
#define SPOTS_NAME IMAGE_PLACE
const char *spots_name(const struct spots *spots, uint32_t spot, char text[SPOTS_NAME]);
#endif
