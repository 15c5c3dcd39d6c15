/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What the runtime takes from libraries: the program's dynamic symbols, and a few that are added behind them. The
 * dynamic linker writes their addresses into slots of the runtime's GOT; calls go by a stub:
 *
 *      auipc t3, slot; ld t3, slot(t3); jr t3; nop
 *
 * A name is found in a library by its hash table, which has only what is defined: so tables of names stay as they are.
 */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"

/* Variables and functions of the C library and the unwinder that a program need not have used itself. */
static bool is_wanted(const char *name)
{
	static const char *const wanted[] = {"environ", "__libc_stack_end", "_Unwind_GetCFA"};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		if (strcmp(wanted[i], name) == 0)
			return true;
	}
	return false;
}

static uint32_t section_of_type(const struct joining *j, uint32_t type)
{
	for (uint32_t i = 1; i < j->l->section_count; i++) {
		if (j->parts[0].o->sections[i].type == type && j->l->sections[i].allocated)
			return i;
	}
	return 0;
}

static size_t symbol_size(const struct joining *j)
{
	return j->l->xlen == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* Number of a dynamic symbol; 0: there is none. */
static uint32_t find_dynamic(const struct joining *j, uint32_t table, const char *name)
{
	const struct object *o = j->parts[0].o;
	const struct object_section *s = &o->sections[table], *names = &o->sections[s->link];
	for (size_t at = 0; at + symbol_size(j) <= s->size; at += symbol_size(j)) {
		const uint64_t offset = linked_get(s->data + at, 4);
		if (names->data != NULL && offset < names->size &&
		    strncmp((const char *)names->data + offset, name, names->size - offset) == 0)
			return (uint32_t)(at / symbol_size(j));
	}
	return 0;
}

/* One more, of any version; not to be found is no error. */
static int add_dynamic(struct joining *j, uint32_t table, const char *name, uint32_t *number)
{
	struct object *o = j->parts[0].o;
	const uint32_t names = o->sections[table].link, versions = section_of_type(j, SHT_GNU_versym);
	const uint64_t at = o->sections[names].size, symbol = o->sections[table].size;
	const size_t length = strlen(name) + 1;
	int error = object_resize(o, names, at + length);
	if (error == OBJECT_OK)
		error = object_resize(o, table, symbol + symbol_size(j));
	if (error == OBJECT_OK && versions != 0)
		error = object_resize(o, versions, o->sections[versions].size + 2);
	if (error != OBJECT_OK)
		return error;
	memcpy(o->sections[names].data + at, name, length);
	uint8_t *s = o->sections[table].data + symbol;
	linked_put(s, 4, at);
	s[j->l->xlen == 64 ? 4 : 12] = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE);
	if (versions != 0)
		linked_put(o->sections[versions].data + o->sections[versions].size - 2, 2, VER_NDX_GLOBAL);
	*number = (uint32_t)(symbol / symbol_size(j));
	return OBJECT_OK;
}

static int import_symbol(struct joining *j, struct part *part, uint32_t i, uint32_t table)
{
	const struct object_symbol *s = &part->o->symbols[i];
	const char *name = object_symbol_name(part->o, i);
	const bool real = strncmp(name, "__real_", 7) == 0;
	name += real ? 7 : 0;
	if (s->section != SHN_UNDEF || *name == '\0' || joining_has_name(j, name, real))
		return OBJECT_OK;
	part->imports[i] = find_dynamic(j, table, name);
	if (part->imports[i] == 0 && is_wanted(name))
		return add_dynamic(j, table, name, &part->imports[i]);
	return OBJECT_OK;
}

int joining_imports(struct joining *j)
{
	const uint32_t table = section_of_type(j, SHT_DYNSYM);
	const struct object_new_section stubs = {".plt.rivulet", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, NULL, 0};
	uint32_t count = 0;
	int error = object_add_section(j->parts[0].o, &stubs, &j->stub_section);
	for (size_t p = 0; p < j->part_count && error == OBJECT_OK; p++) {
		struct part *part = &j->parts[p];
		part->imports = calloc(part->o->symbol_count, sizeof *part->imports);
		part->stubs = calloc(part->o->symbol_count, sizeof *part->stubs);
		if (part->imports == NULL || part->stubs == NULL)
			return OBJECT_ENOMEM;
		for (uint32_t i = 1; i < part->o->symbol_count && error == OBJECT_OK && table != 0 && p > 0; i++)
			error = import_symbol(j, part, i, table);
		for (uint32_t i = 1; i < part->o->section_count && p > 0; i++) {
			const struct object_section *s = &part->o->sections[i];
			for (size_t k = 0; k < s->reloc_count; k++) {
				const struct object_reloc *r = &s->relocs[k];
				if ((r->type == R_RISCV_CALL || r->type == R_RISCV_CALL_PLT) &&
				    part->imports[r->symbol] != 0 && part->stubs[r->symbol] == 0)
					part->stubs[r->symbol] = ++count;
			}
		}
	}
	return error == OBJECT_OK ? object_resize(j->parts[0].o, j->stub_section, count * (uint64_t)IMPORT_STUB)
				  : error;
}

int joining_stubs(struct joining *j)
{
	const unsigned word = j->l->xlen / 8;
	struct part *program = &j->parts[0];
	for (size_t p = 1; p < j->part_count; p++) {
		const struct part *part = &j->parts[p];
		for (uint32_t i = 0; i < part->o->symbol_count; i++) {
			if (part->stubs[i] == 0)
				continue;
			const uint64_t offset = (part->stubs[i] - 1) * (uint64_t)IMPORT_STUB;
			const uint64_t slot = program->address[j->got_section] + (part->got[i] - 1) * (uint64_t)word;
			const uint64_t distance = slot - program->address[j->stub_section] - offset;
			uint8_t *at = program->o->sections[j->stub_section].data + offset;
			linked_put(at, 4, 0x00000E17u | ((distance + 0x800) & 0xFFFFF000u));
			linked_put(at + 4, 4, (word == 8 ? 0x000E3E03u : 0x000E2E03u) | (distance & 0xFFF) << 20);
			linked_put(at + 8, 4, 0x000E0067u);
			linked_put(at + 12, 4, 0x00000013u);
		}
	}
	return OBJECT_OK;
}
