/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_NAMES_H
#define RIVULET_REGIONS_NAMES_H
/*
 * Regions that a user names: a text file, a line for each.
 *
 *   # comment, empty lines
 *   NAME = function FUNCTION              the whole function gets this name
 *   NAME = loop FUNCTION LOOP             LOOP: L0, L1, ... as `rivulet cfg` has it, or the address of its head (0x...)
 *   NAME = lines FILE:FIRST[-LAST]        blocks whose first instruction comes from these lines, also by inlining; in
 *                                         each function that has such. FILE: its name, with as much of its folder as is
 *                                         needed
 *   NAME = addresses FIRST-LAST           blocks that start in [FIRST, LAST], within one function
 *   find loops                            and all loops of the program, unless they overlap a named region
 *   find hammocks
 *
 * A name is made of letters, digits, `_`, `.` and `-`. In a function, regions are nested or disjoint.
 */
#include "host/cfg/cited.h"
#include "host/regions/find.h"

enum regions_names_error { NAMES_OK = 0, NAMES_ENOMEM = -1, NAMES_EFILE = CITED_EFILE };

struct regions_name {
	char *name;
	unsigned line; /* of the file */
};
struct regions_named { /* the part of a named region in one function */
	uint32_t function, name;
	uint32_t *vertices, count; /* blocks, counted from the function's first; count 0: the whole function */
};
struct regions_names {
	struct regions_name *names;
	size_t count, room;
	struct regions_named *parts; /* by function, then in order of the file */
	size_t part_count, part_room;
	unsigned find; /* enum regions_find */
};

/* Reads the text. On an error `detail` is a sentence with file and line: what is named and not there, what overlaps. */
int regions_names_read(
    struct regions_names *names, const char *path, const char *text, const struct cfg *cfg, char *detail, size_t size);
void regions_names_free(struct regions_names *names);
/* Puts the regions of a function between regions_open() and regions_close(): those named (their tag is the index of the
 * name), then those to be found. REGIONS_... error. */
int regions_names_choose(const struct regions_names *names, uint32_t function, struct regions *regions);
#endif
