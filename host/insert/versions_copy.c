/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The copy of an object's code. Each section of code gets a second one of the same name, so that a linker script puts
 * both to the same kind of memory; so do unwind entries and exception tables. Tables of switches are copied one by one.
 *
 *   relocation of              goes to                       in the copy it names
 *   a branch or jump           the same function             the copy of that place
 *   a call; a jump elsewhere   a function                    the first version, as before
 *   an address (PCREL_HI20)    a function, data              the same, as before
 *                              the table of its own switch   the copy of the table
 *   a lower part (PCREL_LO12)  its AUIPC                     the copy of the AUIPC
 *   an unwind entry, a table   a place in code               the copy of that place
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/insert/versions.h"

struct copier {
	struct versions *v;
	const struct graph *g;
	struct object *o;
	struct switch_tables *tables;
	const bool *can; /* by function of the graph */
};

/* ---------------------------------------------------------------- what can be copied */
const char *versions_refuse_section(const struct object_section *s)
{
	/* pieces of one function, which the linker puts one behind the other */
	if (strcmp(s->name, ".init") == 0 || strcmp(s->name, ".fini") == 0)
		return "the object has pieces of code in .init or .fini";
	return (s->flags & SHF_ALLOC) == 0 ? "the object has code that is not loaded" : NULL;
}

static uint32_t function_at(const struct graph *g, uint32_t section, size_t atom)
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

/* Where a direct transfer of the object's goes: its function, and whether it is the entry. GRAPH_NONE: outside. */
static uint32_t target_function(const struct graph *g, const struct edit_atom *atom, bool *entry)
{
	const struct edit_section *to = atom->section == 0 ? NULL : edit_section(g->edit, atom->section);
	const struct edit_atom *at = to == NULL ? NULL : edit_atom_at(to, atom->target);
	*entry = false;
	if (at == NULL || at->kind == EDIT_END)
		return GRAPH_NONE;
	const uint32_t section = (uint32_t)(to - g->edit->sections);
	const uint32_t function = function_at(g, section, (size_t)(at - to->atoms));
	if (function != GRAPH_NONE)
		*entry = g->functions[function].block_count > 0 &&
			 g->block_of[section][at - to->atoms] == g->functions[function].blocks + 1;
	return function;
}

/* Whether a transfer of a function stays in the same activation of it, and so in the version. */
static bool stays_in_version(const struct graph *g, uint32_t function, const struct edit_atom *atom)
{
	bool entry;
	const uint32_t to = target_function(g, atom, &entry);
	return to == function && to != GRAPH_NONE && (atom->flow != EDIT_CALL || !entry);
}

static const char *refuse_atom(const struct graph *g, uint32_t function, const struct edit_atom *atom)
{
	const bool direct = atom->flow == EDIT_BRANCH || atom->flow == EDIT_JUMP || atom->flow == EDIT_CALL;
	if (atom->address)
		return "it computes the address of code without a relocation";
	if (!direct || stays_in_version(g, function, atom))
		return NULL;
	if (atom->kind == EDIT_INSN && (atom->flow == EDIT_BRANCH || atom->length == 2))
		return "a short jump goes to another function";
	return NULL;
}

/* ---------------------------------------------------------------- tables of switches */
static bool names_address(uint32_t type)
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
	return taken->entry ? GRAPH_NONE : function_at(g, taken->section, taken->block);
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
static bool is_address_known(const struct graph *g, const struct switch_tables *all, uint32_t function,
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
		if (!names_address(r->type) || !here)
			continue;
		const struct switch_table *t = versions_table_around(all, symbol->section, to);
		if (t != NULL ? t->function != function : !is_in_object(o, symbol->section, to))
			return false;
	}
	return true;
}

/* Why a function's labels cannot be told from those of its copy; NULL: each version has tables of its own. */
static const char *refuse_labels(const struct graph *g, const struct switch_tables *all, uint32_t function)
{
	for (size_t i = 0; i < g->taken_count; i++) {
		const struct graph_table *t = &g->takens[i];
		if (function_of_taken(g, t) == function && (t->from == 0 || t->object != 0 || t->distance ||
							       t->narrow || edit_section(g->edit, t->from) != NULL))
			return "addresses of its labels may be kept from one call to another, and be those of the "
			       "other version";
	}
	for (size_t i = 0; i < all->count; i++) {
		if (all->tables[i].function == function && !names_itself_or_code(g, &all->tables[i]))
			return "the table of a switch is part of something else";
	}
	return NULL;
}

const char *versions_refuse_function(
    const struct graph *g, const struct switch_tables *all, const struct graph_function *f)
{
	const uint32_t function = (uint32_t)(f - g->functions);
	const char *why = f->odd != NULL ? f->odd : refuse_labels(g, all, function);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && why == NULL; b++) {
		const struct graph_block *block = &g->blocks[b];
		if (block->section == GRAPH_NONE)
			continue;
		const struct edit_section *s = &g->edit->sections[block->section];
		for (uint32_t at = block->first; at <= block->last && why == NULL; at++) {
			why = refuse_atom(g, function, &s->atoms[at]);
			if (why == NULL && !is_address_known(g, all, function, &s->atoms[at], s->number))
				why = "the table of a switch may be meant by another address";
		}
	}
	return why;
}

/* ---------------------------------------------------------------- copies of sections */
static bool is_copied_with_code(const struct object_section *s)
{
	return strncmp(s->name, ".gcc_except_table", 17) == 0 || strcmp(s->name, ".eh_frame") == 0 ||
	       strcmp(s->name, ".debug_frame") == 0;
}

static int copy_section(struct copier *c, uint32_t number, uint64_t from, uint64_t end, uint32_t *copy)
{
	const struct object_section s = c->o->sections[number];
	const struct object_new_section fresh = {
	    s.name, s.type, s.flags & ~(uint64_t)(SHF_MERGE | SHF_STRINGS), s.align, NULL, end - from};
	char name[256];
	if ((size_t)snprintf(name, sizeof name, "%s", s.name) >= sizeof name)
		return OBJECT_EUNSUPPORTED;
	struct object_new_section named = fresh; /* the old name moves when the new one is added */
	named.name = name;
	int error = object_add_section(c->o, &named, copy);
	if (error == OBJECT_OK && s.data != NULL)
		memcpy(c->o->sections[*copy].data, s.data + from, end - from);
	if (error == OBJECT_OK && (s.flags & SHF_LINK_ORDER) != 0 && s.link < c->v->sections)
		c->o->sections[*copy].link = c->v->second[s.link] != 0 ? c->v->second[s.link] : s.link;
	return error;
}

static int copy_sections(struct copier *c)
{
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < c->v->sections && error == OBJECT_OK; i++) {
		const struct object_section *s = &c->o->sections[i];
		if (s->size == 0 || s->data == NULL || (s->flags & SHF_COMPRESSED) != 0 ||
		    (edit_section(c->g->edit, i) == NULL && !is_copied_with_code(s)))
			continue;
		c->v->labels[i] = calloc(s->size + 1, sizeof *c->v->labels[i]);
		error = c->v->labels[i] == NULL ? OBJECT_ENOMEM : copy_section(c, i, 0, s->size, &c->v->second[i]);
	}
	return error;
}

static int copy_tables(struct copier *c)
{
	int error = OBJECT_OK;
	for (size_t i = 0; i < c->tables->count && error == OBJECT_OK; i++) {
		struct switch_table *t = &c->tables->tables[i];
		if (c->can[t->function])
			error = copy_section(c, t->section, t->offset, t->end, &t->copy);
	}
	return error;
}

/* ---------------------------------------------------------------- symbols */
/* The copy of a place. */
static int label_of_copy(struct copier *c, uint32_t section, uint64_t offset, uint32_t *symbol)
{
	uint32_t *known = &c->v->labels[section][offset];
	if (*known == 0) {
		int error = object_add_symbol(c->o,
		    &(struct object_new_symbol){
			NULL, offset, 0, c->v->second[section], ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		    known);
		if (error != OBJECT_OK)
			return error;
	}
	*symbol = *known;
	return OBJECT_OK;
}

static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && (name[1] == 'x' || name[1] == 'd');
}

/* Names of functions, which the copy has too, for itself alone; and where data lies in code. */
static int copy_symbols(struct copier *c)
{
	const uint32_t count = c->o->symbol_count;
	for (uint32_t i = 1; i < count; i++) {
		const struct object_symbol s = c->o->symbols[i];
		const unsigned type = object_symbol_type(&s);
		const bool local = object_symbol_bind(&s) == STB_LOCAL;
		uint32_t copy;
		if (s.section >= c->v->sections || edit_section(c->g->edit, s.section) == NULL ||
		    c->v->second[s.section] == 0)
			continue;
		const bool mapping = type == STT_NOTYPE && local && is_mapping_symbol(object_symbol_name(c->o, i));
		if (type != STT_FUNC && !(type == STT_NOTYPE && !local) && !mapping)
			continue;
		int error = object_add_symbol(c->o,
		    &(struct object_new_symbol){NULL, s.value, s.size, c->v->second[s.section],
			ELF64_ST_INFO(STB_LOCAL, mapping ? STT_NOTYPE : STT_FUNC)},
		    &copy);
		if (error != OBJECT_OK)
			return error;
		c->o->symbols[copy].name = s.name;
		c->o->symbols[copy].other = (uint8_t)(s.other & ~3u); /* a local symbol's visibility is the default */
	}
	return OBJECT_OK;
}

/* ---------------------------------------------------------------- relocations */
static int name_table(struct copier *c, const struct switch_table *t, uint64_t offset, struct object_reloc *r)
{
	r->addend = 0;
	return object_add_symbol(c->o,
	    &(struct object_new_symbol){NULL, offset - t->offset, 0, t->copy, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
	    &r->symbol);
}

/* A relocation names the copy of what it named, if there is one. */
static int name_copy(struct copier *c, struct object_reloc *r)
{
	const struct object_symbol *s = &c->o->symbols[r->symbol];
	const uint64_t offset = s->value + (uint64_t)r->addend;
	if (r->symbol == 0 || s->section >= c->v->sections || c->v->second[s->section] == 0)
		return OBJECT_OK;
	if (offset > c->o->sections[s->section].size)
		return label_of_copy(c, s->section, s->value, &r->symbol);
	r->addend = 0;
	return label_of_copy(c, s->section, offset, &r->symbol);
}

static bool is_transfer_reloc(uint32_t type)
{
	return type == R_RISCV_BRANCH || type == R_RISCV_JAL || type == R_RISCV_RVC_BRANCH ||
	       type == R_RISCV_RVC_JUMP || type == R_RISCV_CALL || type == R_RISCV_CALL_PLT;
}

/* One of code. What cannot have a second version is never executed in the copy: there all short jumps stay near. */
static int name_in_code(struct copier *c, const struct edit_section *s, struct object_reloc *r)
{
	const struct object_symbol *symbol = &c->o->symbols[r->symbol];
	const struct edit_atom *atom = edit_atom_at(s, r->offset);
	const struct switch_table *t;
	if (r->type == R_RISCV_PCREL_LO12_I || r->type == R_RISCV_PCREL_LO12_S)
		return name_copy(c, r);
	const uint32_t function =
	    atom == NULL ? GRAPH_NONE
			 : function_at(c->g, (uint32_t)(s - c->g->edit->sections), (size_t)(atom - s->atoms));
	const bool dead = function == GRAPH_NONE || !c->can[function];
	if (is_transfer_reloc(r->type))
		return dead || stays_in_version(c->g, function, atom) ? name_copy(c, r) : OBJECT_OK;
	if (dead || !names_address(r->type))
		return OBJECT_OK;
	t = versions_table_around(c->tables, symbol->section, symbol->value + (uint64_t)r->addend);
	return t == NULL || t->function != function ? OBJECT_OK
						    : name_table(c, t, symbol->value + (uint64_t)r->addend, r);
}

/* Calls and jumps to other functions that had no relocation, since both lay in one section. */
static int name_nameless(struct copier *c, const struct edit_section *s)
{
	int error = OBJECT_OK;
	for (size_t k = 0; k < s->count && error == OBJECT_OK; k++) {
		const struct edit_atom *atom = &s->atoms[k];
		const uint32_t function = function_at(c->g, (uint32_t)(s - c->g->edit->sections), k);
		const bool direct = atom->flow == EDIT_JUMP || atom->flow == EDIT_CALL;
		uint32_t symbol;
		if (!direct || function == GRAPH_NONE || !c->can[function] || atom->symbol != 0 ||
		    atom->section != s->number || stays_in_version(c->g, function, atom))
			continue;
		error = object_add_symbol(c->o,
		    &(struct object_new_symbol){NULL, atom->target, 0, s->number, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)},
		    &symbol);
		if (error == OBJECT_OK)
			error = object_add_reloc(c->o, c->v->second[s->number],
			    &(struct object_reloc){
				atom->offset, 0, symbol, atom->kind == EDIT_PAIR ? R_RISCV_CALL_PLT : R_RISCV_JAL});
	}
	return error;
}

static int copy_relocs(struct copier *c)
{
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < c->v->sections && error == OBJECT_OK; i++) {
		const struct edit_section *code = edit_section(c->g->edit, i);
		if (c->v->second[i] == 0)
			continue;
		for (size_t k = 0; k < c->o->sections[i].reloc_count && error == OBJECT_OK; k++) {
			struct object_reloc r = c->o->sections[i].relocs[k];
			error = code != NULL ? name_in_code(c, code, &r) : name_copy(c, &r);
			if (error == OBJECT_OK)
				error = object_add_reloc(c->o, c->v->second[i], &r);
		}
		if (code != NULL && error == OBJECT_OK)
			error = name_nameless(c, code);
	}
	for (size_t i = 0; i < c->tables->count && error == OBJECT_OK; i++) {
		const struct switch_table *t = &c->tables->tables[i];
		for (size_t k = 0; k < c->o->sections[t->section].reloc_count && t->copy != 0 && error == OBJECT_OK;
		     k++) {
			struct object_reloc r = c->o->sections[t->section].relocs[k];
			const struct object_symbol *s = &c->o->symbols[r.symbol];
			const uint64_t to = s->value + (uint64_t)r.addend;
			if (r.offset < t->offset || r.offset >= t->end)
				continue;
			error = s->section == t->section ? name_table(c, t, to, &r) : name_copy(c, &r);
			r.offset -= t->offset;
			if (error == OBJECT_OK)
				error = object_add_reloc(c->o, t->copy, &r);
		}
	}
	return error;
}

/* ---------------------------------------------------------------- groups */
/* A copy comes and goes with what it is a copy of: a template's function that another object has too. */
static int join_group(struct copier *c, uint32_t group, uint32_t section)
{
	const uint32_t members[] = {section, c->o->sections[section].relocations};
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t at = c->o->sections[group].size;
		if (members[i] == 0)
			continue;
		int error = object_resize(c->o, group, at + 4);
		if (error != OBJECT_OK)
			return error;
		memcpy(c->o->sections[group].data + at, &members[i], 4);
	}
	return OBJECT_OK;
}

static int copy_groups(struct copier *c)
{
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < c->v->sections && error == OBJECT_OK; i++) {
		const struct object_section *s = &c->o->sections[i];
		const uint64_t size = s->size;
		if (s->type != SHT_GROUP || s->data == NULL)
			continue;
		for (uint64_t at = 4; at + 4 <= size && error == OBJECT_OK; at += 4) {
			uint32_t member;
			memcpy(&member, c->o->sections[i].data + at, 4);
			if (member < c->v->sections && c->v->second[member] != 0)
				error = join_group(c, i, c->v->second[member]);
			for (size_t k = 0; k < c->tables->count && error == OBJECT_OK; k++) {
				const struct switch_table *t = &c->tables->tables[k];
				if (t->section == member && t->copy != 0)
					error = join_group(c, i, t->copy);
			}
		}
	}
	return error;
}

int versions_copy(struct versions *v, const struct graph *g, struct switch_tables *tables, const bool *can)
{
	struct copier c = {.v = v, .g = g, .o = g->edit->object, .tables = tables, .can = can};
	int error = copy_sections(&c);
	if (error == OBJECT_OK)
		error = copy_tables(&c);
	if (error == OBJECT_OK)
		error = copy_symbols(&c);
	if (error == OBJECT_OK)
		error = copy_relocs(&c);
	if (error == OBJECT_OK)
		error = copy_groups(&c);
	return error;
}
