/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_LINKED_PRIVATE_H
#define RIVULET_LINKED_PRIVATE_H
/* Shared by the files of host/linked only. */
#include <elf.h>
#include "host/linked/linked.h"

/* Section whose presence says that an object was a linked program (host/object/edit.h). */
#define LINKED_MARK ".rivulet.linked"

__attribute__((format(printf, 3, 4))) int linked_refuse(char *detail, size_t size, const char *format, ...);

static inline uint64_t linked_get(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}
static inline void linked_put(uint8_t *at, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* ---- open.c ---- */
/* The section that an address is in; 0: none. */
uint32_t linked_section_at(const struct linked *l, const struct object *o, uint64_t address);
const struct linked_dynamic *linked_dynamic_at(const struct linked *l, uint64_t address);

/* ---- check.c: relocations against the bytes ---- */
int linked_check(struct linked *l, struct object *o, char *detail, size_t size);
/* Fills l->bound. */
int linked_bind(struct linked *l, struct object *o, char *detail, size_t size);

/* ---- fields.c: what a relocation's field holds ---- */
bool linked_is_low(uint32_t type);
int64_t linked_low_of(const uint8_t *at, uint32_t type); /* immediate of type I or S */
void linked_put_low(uint8_t *at, uint32_t type, int64_t value);
unsigned linked_field_bytes(uint32_t type); /* of data; 0: it is code */
int linked_sign(uint32_t type);             /* of ADD: 1, SUB: -1, SET: 2; 0: none of them */
uint64_t linked_field_mask(uint32_t type);
/* The relocation of the high part that a low part's symbol names. */
const struct object_reloc *linked_high_at(const struct object_section *s, uint64_t offset);

/* ---- place.c, relocate.c, dynamic.c, write.c: linking ---- */
enum part_kind { PART_NONE, PART_CODE, PART_CONSTANT, PART_INIT, PART_FINI, PART_DATA, PART_ZERO, PART_KINDS };
/* What a reference to a symbol means. */
struct meaning {
	uint64_t value;
	bool known;    /* else it is for the dynamic linker, or missing */
	bool absolute; /* a number, not an address of the program */
	bool wrapped;
};
struct part { /* an object that takes part */
	struct object *o;
	uint64_t *address;        /* by section */
	uint8_t *kind;            /* by section: enum part_kind of what has a new place */
	struct meaning *meanings; /* by symbol */
	uint32_t *got;            /* by symbol: number + 1 of its new slot */
	uint32_t *imports;        /* by symbol: dynamic symbol that it is; 0: none */
	uint32_t *stubs;          /* by symbol: number + 1 of the stub that calls of it go by */
	bool program;
};
struct named_symbol {
	const char *name;
	unsigned rank; /* 1, 2: strong, weak of the runtime; 3: of the program */
	uint32_t part, symbol;
};
struct joining {
	const struct linked *l;
	struct object *old; /* of l->bytes */
	const struct linked_runtime *runtime;
	struct part *parts; /* [0]: the program */
	size_t part_count;
	struct named_symbol *names; /* defined ones, by name */
	size_t name_count;
	uint32_t got_section, got_count; /* of the runtime, in the program */
	uint32_t stub_section;
	uint32_t rela, eh_frame, header;  /* sections: dynamic relocations, unwind entries and their index; 0: none */
	uint32_t old_rela;                /* rela, if the program had it */
	struct linked_dynamic *relocs;    /* those of the program, as they become */
	bool *done;                       /* by number in relocs: its addend is the new one */
	struct linked_dynamic *relatives; /* new ones */
	size_t relative_count, relative_room;
	size_t import_count;                                          /* of them: by a symbol, at the end */
	uint64_t page, code, code_end, data, data_file_end, data_end; /* the new segments */
	uint64_t runtime_at[PART_KINDS], runtime_end[PART_KINDS];
	uint64_t frames; /* where unwind entries begin, the runtime's first */
	uint64_t init, init_end, fini, fini_end;
	uint64_t table;        /* address of the table of segments */
	bool table_in_code;    /* at the beginning of the new code */
	struct moved_address { /* symbols of what moves, by old address; one section's end may be another's beginning */
		uint64_t from, to;
		uint32_t section;
	} * moved;
	size_t moved_count;
	char *detail;
	size_t detail_size;
};

int joining_names(struct joining *j);
int joining_meanings(struct joining *j);
/* Whether the runtime or the program defines a name, or the program's linker made an entry of the PLT for it; real: the
 * program alone. */
bool joining_has_name(const struct joining *j, const char *name, bool real);
#define IMPORT_STUB 16 /* bytes */
int joining_imports(struct joining *j);
int joining_stubs(struct joining *j);
int joining_places(struct joining *j);
int joining_relocate(struct joining *j);
int joining_relocate_one(struct joining *j, uint32_t section); /* of the program */
int joining_find_moved(struct joining *j);
int joining_moved(const struct joining *j, uint64_t from, uint64_t *to, const char *what);
int joining_dynamic(struct joining *j);
int joining_index_frames(struct joining *j);
int joining_image(struct joining *j, uint8_t **bytes, size_t *size);
#endif
