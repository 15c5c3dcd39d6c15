/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OBJECT_ANEW_H
#define RIVULET_OBJECT_ANEW_H
/* Writes a section of tables again while the old one is read. Parts that stay the same are copied with their
 * relocations. The new offset of each old one is kept, so that references into the section can be changed. frames.c and
 * tables.c use it. */
#include "host/object/edit_private.h"

struct anew {
	struct edit *edit;
	const struct object_section *old;
	uint8_t *data;
	size_t size, room;
	struct object_reloc *relocs;
	size_t reloc_count, reloc_room;
	size_t next;   /* relocation of the old section */
	uint64_t *map; /* new offset of each old one, and of the end */
	uint64_t at;   /* in the old section */
	int error;
};

void anew_byte(struct anew *o, unsigned byte);
void anew_uleb(struct anew *o, uint64_t value);
void anew_reloc(struct anew *o, uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend);
/* The old bytes up to `to` as they are, with their relocations. */
void anew_copy(struct anew *o, uint64_t to);
/* Leaves out the old bytes up to `to`; their relocations are gone. */
void anew_skip(struct anew *o, uint64_t to);
void anew_set_32(struct anew *o, uint64_t at, uint32_t value);
/* Everything in other sections that names a place in this one, when the map is whole. */
void anew_mend_references(struct edit *edit, uint32_t number, const struct anew *o, uint64_t old_size);
const struct object_reloc *anew_reloc_at(const struct anew *o, uint64_t offset, uint32_t a, uint32_t b);
uint64_t tables_uleb(const uint8_t *data, uint64_t *at, uint64_t end, bool *bad);
int64_t tables_sleb(const uint8_t *data, uint64_t *at, uint64_t end, bool *bad);
uint32_t tables_32(const uint8_t *data);

/* tables.c: where a symbol and an addend point to, in the old section *section; its place in the new one. */
uint64_t tables_where(const struct edit *e, uint32_t symbol, int64_t addend, const struct edit_section **section);
uint64_t tables_place(const struct edit_section *section, uint64_t offset);

/* frames.c: .eh_frame or .debug_frame, section `number`. */
int frames_rewrite(struct edit *edit, uint32_t number, bool eh, char *detail, size_t detail_size);
#endif
