/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Tables of switches, for versions_copy.c: each version of a function needs its own. */
#include <elf.h>
#include <stdlib.h>
#include "host/base/array.h"
#include "host/insert/versions.h"

uint32_t versions_function_at(const struct graph *g, uint32_t section, size_t atom)
{
	const uint32_t block = g->block_of[section][atom];
	size_t low = 0, high = g->function_count;
	if (block == 0)
		return GRAPH_NONE;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (g->functions[middle].blocks <= block - 1)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

bool versions_names_address(uint32_t type)
{
	return type == R_RISCV_HI20 || type == R_RISCV_LO12_I || type == R_RISCV_LO12_S || type == R_RISCV_PCREL_HI20 ||
	       type == R_RISCV_GOT_HI20;
}

/* Adds an entry of a table to the table that it goes on with, or to a new one. Entries come in the order of a section's
 * relocations, which is that of their places. */
static bool add_table_entry(
    struct switch_tables *all, const struct object *o, const struct graph_table *taken, uint32_t function)
{
	const struct object_reloc *r = &o->sections[taken->from].relocs[taken->reloc];
	struct switch_table *last = all->count > 0 ? &all->tables[all->count - 1] : NULL;
	if (last == NULL || last->section != taken->from || last->function != function || last->end != r->offset) {
		if (!array_room(&all->tables, all->count + 1, &all->room))
			return false;
		last = &all->tables[all->count++];
		*last = (struct switch_table){.section = taken->from, .function = function, .offset = r->offset};
	}
	last->end = r->offset + (r->type == R_RISCV_64 || r->type == R_RISCV_ADD64 ? 8 : 4);
	return true;
}

/* The function that a taken label is in; GRAPH_NONE: none, or the label is an entry. */
static uint32_t function_of_taken(const struct graph *g, const struct graph_table *taken)
{
	return taken->entry ? GRAPH_NONE : versions_function_at(g, taken->section, taken->block);
}

int versions_find_tables(struct switch_tables *all, const struct graph *g)
{
	for (size_t i = 0; i < g->taken_count; i++) {
		const uint32_t function = function_of_taken(g, &g->takens[i]);
		if (function == GRAPH_NONE || g->takens[i].from == 0)
			continue;
		if (!add_table_entry(all, g->edit->object, &g->takens[i], function))
			return OBJECT_ENOMEM;
	}
	return OBJECT_OK;
}

/* A table whose entries are distances names itself, too. */
static bool names_itself_or_code(const struct graph *g, const struct switch_table *t)
{
	const struct object *o = g->edit->object;
	const struct object_section *s = &o->sections[t->section];
	for (size_t k = 0; k < s->reloc_count; k++) {
		const struct object_reloc *r = &s->relocs[k];
		const struct object_symbol *symbol = &o->symbols[r->symbol];
		const uint64_t to = symbol->value + (uint64_t)r->addend;
		if (r->offset < t->offset || r->offset >= t->end || edit_section(g->edit, symbol->section) != NULL)
			continue;
		if (symbol->section != t->section || to < t->offset || to > t->end)
			return false;
	}
	return s->data != NULL && t->end <= s->size;
}

static bool is_in_object(const struct object *o, uint32_t section, uint64_t offset)
{
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		const struct object_symbol *s = &o->symbols[i];
		if (s->section == section && object_symbol_type(s) == STT_OBJECT && offset >= s->value &&
		    offset - s->value < s->size)
			return true;
	}
	return false;
}

const struct switch_table *versions_table_around(const struct switch_tables *all, uint32_t section, uint64_t offset)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct switch_table *t = &all->tables[i];
		if (t->section == section && offset >= t->offset && offset < t->end)
			return t;
	}
	return NULL;
}

/* Whether an address in a section with tables of the function is one of them, or of an object of the program: an
 * address of something else could be that of a table by another name. */
bool versions_is_known(const struct graph *g, const struct switch_tables *all, uint32_t function,
    const struct edit_atom *atom, uint32_t code)
{
	const struct object *o = g->edit->object;
	for (uint32_t i = 0; i < atom->relocs; i++) {
		const struct object_reloc *r = &o->sections[code].relocs[atom->reloc + i];
		const struct object_symbol *symbol = &o->symbols[r->symbol];
		const uint64_t to = symbol->value + (uint64_t)r->addend;
		bool here = false;
		for (size_t t = 0; t < all->count; t++)
			here =
			    here || (all->tables[t].function == function && all->tables[t].section == symbol->section);
		if (!versions_names_address(r->type) || !here)
			continue;
		const struct switch_table *t = versions_table_around(all, symbol->section, to);
		if (t != NULL ? t->function != function : !is_in_object(o, symbol->section, to))
			return false;
	}
	return true;
}

/* Whether an instruction of the function names a table: what nobody names is no table of a switch, but a list of
 * places that something else reads, and must not grow. */
static bool is_table_used(const struct graph *g, const struct graph_function *f, const struct switch_table *t)
{
	const struct object *o = g->edit->object;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		if (block->section == GRAPH_NONE)
			continue;
		const struct edit_section *s = &g->edit->sections[block->section];
		const struct edit_atom *first = &s->atoms[block->first], *last = &s->atoms[block->last];
		for (uint32_t i = first->reloc; i < last->reloc + last->relocs; i++) {
			const struct object_reloc *r = &o->sections[s->number].relocs[i];
			const uint64_t to = o->symbols[r->symbol].value + (uint64_t)r->addend;
			if (versions_names_address(r->type) && o->symbols[r->symbol].section == t->section &&
			    to >= t->offset && to < t->end)
				return true;
		}
	}
	return false;
}

/* Why a function's labels cannot be told from those of its copy; NULL: each version has tables of its own. */
const char *versions_refuse_labels(const struct graph *g, const struct switch_tables *all, uint32_t function)
{
	for (size_t i = 0; i < g->taken_count; i++) {
		const struct graph_table *t = &g->takens[i];
		if (function_of_taken(g, t) == function && (t->from == 0 || t->object != 0 || t->distance ||
							       t->narrow || edit_section(g->edit, t->from) != NULL))
			return "addresses of its labels may be kept from one call to another, and be those of the "
			       "other version";
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct switch_table *t = &all->tables[i];
		if (t->function == function &&
		    (!names_itself_or_code(g, t) || !is_table_used(g, &g->functions[function], t)))
			return "the table of a switch is part of something else";
	}
	return NULL;
}
