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

/* Where a direct transfer of the object's goes: its function, and whether it is the entry. GRAPH_NONE: outside. */
static uint32_t target_function(const struct graph *g, const struct edit_atom *atom, bool *entry)
{
	const struct edit_section *to = atom->section == 0 ? NULL : edit_section(g->edit, atom->section);
	const struct edit_atom *at = to == NULL ? NULL : edit_atom_at(to, atom->target);
	*entry = false;
	if (at == NULL || at->kind == EDIT_END)
		return GRAPH_NONE;
	const uint32_t section = (uint32_t)(to - g->edit->sections);
	const uint32_t function = versions_function_at(g, section, (size_t)(at - to->atoms));
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

const char *versions_refuse_function(
    const struct graph *g, const struct switch_tables *all, const struct graph_function *f)
{
	const uint32_t function = (uint32_t)(f - g->functions);
	const char *why = f->odd != NULL ? f->odd : versions_refuse_labels(g, all, function);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && why == NULL; b++) {
		const struct graph_block *block = &g->blocks[b];
		if (block->section == GRAPH_NONE)
			continue;
		const struct edit_section *s = &g->edit->sections[block->section];
		for (uint32_t at = block->first; at <= block->last && why == NULL; at++) {
			why = refuse_atom(g, function, &s->atoms[at]);
			if (why == NULL && !versions_is_known(g, all, function, &s->atoms[at], s->number))
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

/* Sections with code of functions that are copied, or of which unwind entries speak, which are copied as a whole. All
 * others stay alone: a second table of vectors behind the first would move those of the next object. */
static void find_needed(const struct copier *c, bool *needed)
{
	for (uint32_t i = 0; i < c->g->function_count; i++) {
		const struct graph_function *f = &c->g->functions[i];
		for (uint32_t b = f->blocks; c->can[i] && b < f->blocks + f->block_count; b++) {
			if (c->g->blocks[b].section != GRAPH_NONE)
				needed[c->g->edit->sections[c->g->blocks[b].section].number] = true;
		}
	}
	for (uint32_t i = 1; i < c->v->sections; i++) {
		const struct object_section *s = &c->o->sections[i];
		for (size_t k = 0; is_copied_with_code(s) && k < s->reloc_count; k++) {
			const struct object_symbol *symbol = &c->o->symbols[s->relocs[k].symbol];
			if (symbol->section < c->v->sections)
				needed[symbol->section] = true;
		}
	}
}

static int copy_sections(struct copier *c)
{
	bool *needed = calloc(c->v->sections + 1u, sizeof *needed);
	int error = needed == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	if (error == OBJECT_OK)
		find_needed(c, needed);
	for (uint32_t i = 1; i < c->v->sections && error == OBJECT_OK; i++) {
		const struct object_section *s = &c->o->sections[i];
		if (s->size == 0 || s->data == NULL || (s->flags & SHF_COMPRESSED) != 0 ||
		    (!is_copied_with_code(s) && (edit_section(c->g->edit, i) == NULL || !needed[i])))
			continue;
		c->v->labels[i] = calloc(s->size + 1, sizeof *c->v->labels[i]);
		error = c->v->labels[i] == NULL ? OBJECT_ENOMEM : copy_section(c, i, 0, s->size, &c->v->second[i]);
	}
	free(needed);
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
enum { TLSDESC_LOAD_LO12 = 63, TLSDESC_CALL = 65 }; /* R_RISCV_TLSDESC_*, which elf.h does not have yet */

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
	if (s->value > c->o->sections[s->section].size)
		return OBJECT_EFORMAT;
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
	/* they name the instruction with the high part */
	if (r->type == R_RISCV_PCREL_LO12_I || r->type == R_RISCV_PCREL_LO12_S ||
	    (r->type >= TLSDESC_LOAD_LO12 && r->type <= TLSDESC_CALL))
		return name_copy(c, r);
	const uint32_t function =
	    atom == NULL ? GRAPH_NONE
			 : versions_function_at(c->g, (uint32_t)(s - c->g->edit->sections), (size_t)(atom - s->atoms));
	const bool dead = function == GRAPH_NONE || !c->can[function];
	if (is_transfer_reloc(r->type))
		return dead || stays_in_version(c->g, function, atom) ? name_copy(c, r) : OBJECT_OK;
	if (dead || !versions_names_address(r->type))
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
		const uint32_t function = versions_function_at(c->g, (uint32_t)(s - c->g->edit->sections), k);
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
