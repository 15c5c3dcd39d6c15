/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_NAMED_H
#define RIVULET_INSERT_NAMED_H
/*
 * Regions that a user names (host/regions/names.h), for objects. Names are of a linked program: its lines, addresses
 * and loops. The program was linked from the same objects, edited by --map, so that it says where their blocks are:
 *
 *   names ──► blocks of the program (cfg) ──► addresses ──► blocks of an object's function (map)
 *
 * A block of an object is in a region if its first instruction is in a block of the region. The vertex of a jump table
 * has no code: it is in a region if all that leads to it is.
 */
#include "host/insert/map.h"
#include "host/regions/names.h"

struct named_part { /* of a region, in one function of an object */
	uint64_t id;
	uint32_t function, name;   /* counted from the object's first; in names */
	uint32_t *vertices, count; /* count 0: the whole function */
};
struct named {
	const struct regions_names *names;
	struct named_part *parts; /* by id, function, then in order of the file */
	size_t count, room;
	uint64_t *ids; /* of the program's objects, sorted */
	size_t id_count;
};

enum named_error { NAMED_OK = 0, NAMED_ENOMEM = -1, NAMED_EFILE = -2 };
/* names must live as long. path: of the file, for `detail`, a sentence on errors: a region that is in none of the
 * objects, regions that overlap there. To be closed in any case. */
struct named_program { /* the unedited one */
	const struct map *map;
	const struct cfg *cfg;
};
int named_open(struct named *named, const struct named_program *program, const struct regions_names *names,
    const char *path, char *detail, size_t size);
void named_close(struct named *named);
/* Whether the program has the object with this id. */
bool named_knows(const struct named *named, uint64_t id);
/* Puts the regions of a function, between regions_open() and regions_close(); tags are indexes of names. named may be
 * NULL. REGIONS_... error. */
int named_choose(const struct named *named, uint64_t id, uint32_t function, struct regions *regions);
#endif
