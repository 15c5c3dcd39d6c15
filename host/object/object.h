/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_OBJECT_H
#define RIVULET_OBJECT_H
/*
 * A relocatable object file (ET_REL, RISC-V, ELF32 or ELF64, little endian) in memory, to be read, changed and written
 * again.
 *
 *   bytes ──► object_open() ──► sections, symbols, relocations ──► object_write() ──► bytes
 *
 * Written without a change, it is the same file, byte by byte. After a change, sections keep their order in the file,
 * their numbers and their alignment; offsets move.
 *
 * What is refused: files that are not ET_REL, other machines, objects of link-time optimisation (they hold no code).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum object_error {
	OBJECT_OK = 0,
	OBJECT_ENOMEM = -1,
	OBJECT_EFORMAT = -2,     /* no ELF file, or damaged; the detail says where */
	OBJECT_EMACHINE = -3,    /* not for RISC-V, or big endian */
	OBJECT_ETYPE = -4,       /* ELF, but not relocatable */
	OBJECT_ELTO = -5,        /* link-time optimisation: compile with -fno-lto or -ffat-lto-objects */
	OBJECT_EARCHIVE = -6,    /* a damaged archive */
	OBJECT_EWRITE = -7,      /* the emitter failed */
	OBJECT_EUNSUPPORTED = -8 /* cannot be edited without doubt; the detail says what and where */
};
const char *object_strerror(int error);

struct object_reloc {
	uint64_t offset; /* in the section */
	int64_t addend;
	uint32_t symbol; /* index in object->symbols */
	uint32_t type;   /* R_RISCV_... of <elf.h> */
};

struct object_section {
	const char *name;
	uint32_t name_offset, type, link, info;
	uint64_t flags, align, entry_size, address;
	uint64_t file_offset, size;
	uint64_t old_size; /* as it was read */
	uint8_t *data;     /* size bytes; NULL: takes no room in the file, or lies in symbols, relocs */
	bool owned;        /* data was allocated; else it is the caller's file, not to be written to */
	bool changed, added;
	/* of the section that `relocations` (its number) applies to; 0: has none */
	uint32_t relocations;
	struct object_reloc *relocs;
	size_t reloc_count, reloc_size;
	/* of the relocation section itself */
	uint32_t applies_to;
};

struct object_symbol {
	uint64_t value, size;
	uint32_t name;    /* offset in the string table */
	uint32_t section; /* number, or a reserved one of <elf.h>: SHN_UNDEF, SHN_ABS, SHN_COMMON */
	uint8_t info, other;
};

struct object {
	unsigned xlen;  /* 32 or 64 */
	uint32_t flags; /* e_flags: EF_RISCV_RVC and so on */
	struct object_section *sections;
	uint32_t section_count, section_size;
	struct object_symbol *symbols; /* [0] is the empty one; local ones first */
	uint32_t symbol_count, symbol_size, local_count;
	uint32_t symtab, strtab, shstrtab, xindex; /* section numbers; 0: has none */
	const uint8_t *file;                       /* the caller's bytes */
	size_t file_size;
	uint8_t header[64];
	uint64_t shoff;
	bool file_changed; /* sections or symbols were added */
};

/* The bytes must stay as long as the object. detail gets a sentence without file name. */
int object_open(struct object **object, const void *bytes, size_t size, char *detail, size_t detail_size);
void object_close(struct object *object);
/* *bytes is to be freed. */
int object_write(const struct object *object, uint8_t **bytes, size_t *size);

const char *object_symbol_name(const struct object *object, uint32_t symbol); /* "" for none */
static inline unsigned object_symbol_type(const struct object_symbol *symbol)
{
	return symbol->info & 15u;
}
static inline unsigned object_symbol_bind(const struct object_symbol *symbol)
{
	return symbol->info >> 4;
}
/* Section number by name, 0: there is none. */
uint32_t object_section_named(const struct object *object, const char *name);
/* Makes the section's bytes the object's own, of another size if need be (new bytes are 0). */
int object_resize(struct object *object, uint32_t section, uint64_t size);
struct object_new_section {
	const char *name;
	uint32_t type;
	uint64_t flags, align;
	const void *data; /* copied; NULL for SHT_NOBITS and for zeros */
	uint64_t size;
};
/* Appends a section; its number in *number. */
int object_add_section(struct object *object, const struct object_new_section *section, uint32_t *number);
int object_add_reloc(struct object *object, uint32_t section, const struct object_reloc *reloc);
struct object_new_symbol {
	const char *name; /* NULL: none */
	uint64_t value, size;
	uint32_t section;
	uint8_t info;
};
/* Appends a symbol at the end of the table; local ones are moved in front when the object is written, so numbers stay
 * good until then. */
int object_add_symbol(struct object *object, const struct object_new_symbol *symbol, uint32_t *number);
struct object_compressed { /* of a section with SHF_COMPRESSED */
	uint32_t type, header;
	uint64_t size, align; /* uncompressed */
};
bool object_compressed(const struct object *object, uint32_t section, struct object_compressed *compressed);
/* All compressed sections are uncompressed from now on. */
int object_decompress(struct object *object, char *detail, size_t detail_size);
/* Relocations of a section by offset, those at the same offset in their order. */
int object_sort_relocs(struct object *object, uint32_t section);
#endif
