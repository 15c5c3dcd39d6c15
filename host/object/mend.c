/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What names places of code by symbols and addends is made to name the new places. Symbols that were made on the way
 * name them already. */
#include <elf.h>
#include "host/object/edit_private.h"

uint64_t edit_label(const struct edit_section *section, uint64_t offset)
{
	const struct edit_atom *atom = edit_atom_at(section, offset);
	if (atom == NULL)
		return section->new_size + (offset - section->atoms[section->count - 1].offset);
	return offset == atom->offset ? atom->label : atom->at + (offset - atom->offset);
}

/* R_RISCV_PCREL_LO12 names the AUIPC by a label: the AUIPC itself, behind what was put before it. */
static int mend_pcrel(struct edit *e, struct object_reloc *r)
{
	const struct object_symbol *symbol = &e->object->symbols[r->symbol];
	struct edit_section *section = edit_section(e, symbol->section);
	if (section == NULL || !section->touched)
		return OBJECT_OK;
	struct edit_atom *atom = edit_atom_at(section, symbol->value);
	if (atom == NULL || atom->offset != symbol->value || atom->label == atom->at)
		return OBJECT_OK;
	if (atom->exact_symbol == 0 || atom->exact_symbol == UINT32_MAX) {
		int error = object_add_symbol(e->object,
		    &(struct object_new_symbol){
			NULL, atom->at, 0, section->number, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		    &atom->exact_symbol);
		if (error != OBJECT_OK)
			return error;
	}
	r->symbol = atom->exact_symbol;
	return OBJECT_OK;
}

/* The address of a function with bits in it, as of aligned ones, or one beyond it: a value, no place in code. */
static bool is_value(const struct edit_section *section, const struct object_symbol *symbol, uint64_t target)
{
	if (object_symbol_type(symbol) != STT_FUNC || symbol->size == 0 || target - symbol->value == symbol->size)
		return false;
	const struct edit_atom *atom = edit_atom_at(section, target);
	return target - symbol->value > symbol->size || atom == NULL || atom->offset != target;
}

int edit_mend_relocs(struct edit *e, uint32_t old_symbols)
{
	for (uint32_t i = 1; i < e->object->section_count; i++) {
		for (size_t k = 0; k < e->object->sections[i].reloc_count; k++) {
			struct object_reloc *r = &e->object->sections[i].relocs[k];
			if (r->type == R_RISCV_PCREL_LO12_I || r->type == R_RISCV_PCREL_LO12_S) {
				int error = mend_pcrel(e, r);
				if (error != OBJECT_OK)
					return error;
				continue;
			}
			const struct object_symbol *symbol = &e->object->symbols[r->symbol];
			const struct edit_section *section = edit_section(e, symbol->section);
			bool whole = object_symbol_type(symbol) == STT_SECTION;
			const bool first = whole && section != NULL && section->order != NULL; /* may lie elsewhere */
			/* what was added names new places already */
			if (r->symbol >= old_symbols || (r->addend == 0 && !first) || r->type == R_RISCV_ALIGN)
				continue;
			if (section == NULL || !section->touched || (r->addend == -1 && !whole))
				continue;
			uint64_t target = symbol->value + (uint64_t)r->addend;
			uint64_t size = section->atoms[section->count - 1].offset;
			if (target <= size && !is_value(section, symbol, target))
				r->addend = (int64_t)(edit_label(section, target) -
						      (first ? 0 : edit_label(section, symbol->value)));
		}
	}
	return OBJECT_OK;
}

void edit_mend_symbols(struct edit *e, uint32_t old_symbols)
{
	for (uint32_t i = 1; i < old_symbols; i++) {
		struct object_symbol *symbol = &e->object->symbols[i];
		const struct edit_section *section = edit_section(e, symbol->section);
		if (section == NULL || !section->touched || object_symbol_type(symbol) == STT_SECTION)
			continue;
		uint64_t start = edit_label(section, symbol->value);
		uint64_t old_size = section->atoms[section->count - 1].offset;
		if (symbol->size > 0 && symbol->value <= old_size && symbol->size <= old_size - symbol->value)
			symbol->size = order_extent(e, section, symbol->value, symbol->value + symbol->size);
		symbol->value = start;
	}
}

/* Names of functions, also in assembler without a type; not of compilers' and assemblers' own labels. */
static bool names_function(const struct object *o, uint32_t number)
{
	const struct object_symbol *symbol = &o->symbols[number];
	const char *name = object_symbol_name(o, number);
	const unsigned type = object_symbol_type(symbol);
	return type == STT_FUNC || (type == STT_NOTYPE && name[0] != '\0' && name[0] != '.' && name[0] != '$');
}

static void mark_function(struct edit *e, uint32_t section, uint64_t offset)
{
	struct edit_section *s = edit_section(e, section);
	struct edit_atom *atom = s == NULL ? NULL : edit_atom_at(s, offset);
	if (atom != NULL && atom->offset == offset)
		atom->exact_symbol = UINT32_MAX;
}

/* In sections that the linker does not align: which atoms are functions, data behind code, or places whose address code
 * loads, as one that a trap shall go to (mtvec has no bits for an odd one); to keep their alignment. */
void edit_mark_functions(struct edit *e)
{
	for (size_t i = 0; i < e->section_count; i++) {
		for (size_t k = 0; k < e->sections[i].count; k++)
			e->sections[i].atoms[k].exact_symbol = k > 0 && e->sections[i].atoms[k].kind == EDIT_DATA &&
								       e->sections[i].atoms[k - 1].kind != EDIT_DATA
								   ? UINT32_MAX
								   : 0;
	}
	for (uint32_t i = 1; i < e->object->symbol_count; i++) {
		const struct object_symbol *symbol = &e->object->symbols[i];
		if (names_function(e->object, i))
			mark_function(e, symbol->section, symbol->value);
	}
	for (size_t i = 0; i < e->section_count; i++) {
		const struct object_section *s = &e->object->sections[e->sections[i].number];
		for (size_t k = 0; k < e->sections[i].count; k++) {
			if (e->sections[i].atoms[k].address)
				mark_function(e, e->sections[i].number, e->sections[i].atoms[k].target);
		}
		for (size_t k = 0; k < s->reloc_count; k++) {
			const struct object_reloc *r = &s->relocs[k];
			const struct object_symbol *symbol = &e->object->symbols[r->symbol];
			if (r->type == R_RISCV_HI20 || r->type == R_RISCV_PCREL_HI20 || r->type == R_RISCV_GOT_HI20)
				mark_function(e, symbol->section, symbol->value + (uint64_t)r->addend);
		}
	}
}
