/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Functions of a section by its symbols, each up to the next one, and whether their blocks may be moved: nothing but
 * direct transfers and tables with relocations may name a place within them. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/layout/layout_private.h"
#include "host/object/catches.h"

struct span { /* of a symbol of a function */
	uint64_t from, to;
};

static int by_span_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to < y->to) - (x->to > y->to);
}

uint32_t laying_function_of(const struct laying *l, uint32_t atom)
{
	size_t low = 0, high = l->function_count;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (l->functions[middle].first <= atom)
			low = middle;
		else
			high = middle;
	}
	return high > low && atom >= l->functions[low].first && atom < l->functions[low].end ? (uint32_t)low
											     : UINT32_MAX;
}

static uint32_t atom_number(const struct laying *l, uint64_t offset)
{
	const struct edit_atom *atom = edit_atom_at(l->section, offset);
	return atom == NULL || atom->offset != offset ? UINT32_MAX : (uint32_t)(atom - l->section->atoms);
}

static void keep_function(struct layout_function *f, enum layout_reason reason)
{
	if (f != NULL &&
	    (reason == LAYOUT_DATA || reason == LAYOUT_ADDRESS || reason == LAYOUT_TABLE || reason == LAYOUT_NARROW))
		f->fixed = true;
	if (f != NULL && f->reason == LAYOUT_DONE)
		f->reason = (uint8_t)reason;
}

/* ---- what is a function ---- */
static bool begin_function(struct laying *l, uint64_t from, uint64_t to)
{
	const uint32_t atom = atom_number(l, from);
	struct layout_function *last = l->function_count == 0 ? NULL : &l->functions[l->function_count - 1];
	if (atom == UINT32_MAX || atom + 1 >= l->section->count) {
		keep_function(last, LAYOUT_ENTRIES);
		return false;
	}
	if (last != NULL && last->first == atom)
		return false;
	const uint32_t end = atom_number(l, to);
	l->functions[l->function_count++] =
	    (struct layout_function){.first = atom, .body = end == UINT32_MAX ? atom : end, .sized = to > from};
	return true;
}

/* Symbols of functions, by place; the section's beginning and what no symbol has is a function too. */
static int find_spans(struct laying *l)
{
	const struct object *o = l->edit->object;
	struct span *spans = calloc(o->symbol_count + 1, sizeof *spans);
	size_t count = 0;
	uint64_t reached = 0;
	l->functions = calloc(o->symbol_count + 2, sizeof *l->functions);
	if (spans == NULL || l->functions == NULL) {
		free(spans);
		return OBJECT_ENOMEM;
	}
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		const struct object_symbol *s = &o->symbols[i];
		if (s->section == l->section->number && object_symbol_type(s) == STT_FUNC)
			spans[count++] = (struct span){s->value, s->value + s->size};
	}
	qsort(spans, count, sizeof *spans, by_span_start);
	if (count == 0 || spans[0].from > 0)
		begin_function(l, 0, 0);
	for (size_t i = 0; i < count; i++) {
		struct layout_function *last = l->function_count == 0 ? NULL : &l->functions[l->function_count - 1];
		if (i > 0 && spans[i].from == spans[i - 1].from)
			continue;
		if (spans[i].from < reached) { /* in the middle of another one */
			keep_function(last, LAYOUT_ENTRIES);
			reached = spans[i].to > reached ? spans[i].to : reached;
			continue;
		}
		if (begin_function(l, spans[i].from, spans[i].to))
			reached = spans[i].to;
	}
	free(spans);
	return OBJECT_OK;
}

static bool is_nop(const struct edit_atom *atom)
{
	return atom->kind == EDIT_INSN && (atom->word == 0x13 || atom->word == 1) && atom->relocs == 0;
}

static void end_functions(struct laying *l)
{
	const struct edit_atom *atoms = l->section->atoms;
	for (size_t i = 0; i < l->function_count; i++) {
		struct layout_function *f = &l->functions[i];
		f->end = i + 1 < l->function_count ? l->functions[i + 1].first : (uint32_t)l->section->count - 1;
		f->body = f->body < f->first || f->body > f->end ? f->end : f->body;
		for (uint32_t a = f->body; a < f->end; a++) {
			if (!is_nop(&atoms[a])) {
				f->body = f->end;
				f->sized = false;
			}
		}
		f->size = atoms[f->end].offset - atoms[f->first].offset;
		for (uint32_t a = f->first; a < f->end; a++) {
			if (__builtin_add_overflow(f->weight, laying_count(l, a), &f->weight))
				f->weight = UINT64_MAX;
		}
		if (!f->sized)
			keep_function(f, LAYOUT_ENTRIES);
	}
}

/* ---- what names places within functions ---- */
static struct layout_function *function_within(const struct laying *l, uint64_t offset)
{
	const struct edit_atom *atom = edit_atom_at(l->section, offset);
	const uint32_t number = atom == NULL ? UINT32_MAX : laying_function_of(l, (uint32_t)(atom - l->section->atoms));
	if (number == UINT32_MAX || l->section->atoms[l->functions[number].first].offset == offset)
		return NULL;
	return &l->functions[number];
}

static bool is_address_of_code(uint32_t type)
{
	return type == R_RISCV_PCREL_HI20 || type == R_RISCV_HI20 || type == R_RISCV_GOT_HI20 ||
	       type == R_RISCV_RVC_LUI || type == R_RISCV_LO12_I || type == R_RISCV_LO12_S;
}

/* Part of a distance that may not fit when code lies elsewhere. */
static bool is_narrow(uint32_t type)
{
	return type == R_RISCV_ADD8 || type == R_RISCV_SUB8 || type == R_RISCV_ADD16 || type == R_RISCV_SUB16 ||
	       type == R_RISCV_SET8 || type == R_RISCV_SET16;
}

/* Tables without addresses for the program: they describe code. */
static bool describes_code(const char *name)
{
	return strncmp(name, ".debug_", 7) == 0 || strncmp(name, ".eh_frame", 9) == 0;
}

/* Code that reads where its function begins may compute places within it. */
static void note_own_start(const struct laying *l, uint64_t offset, uint64_t start)
{
	const struct edit_atom *atom = edit_atom_at(l->section, offset);
	const uint32_t number = atom == NULL ? UINT32_MAX : laying_function_of(l, (uint32_t)(atom - l->section->atoms));
	if (number != UINT32_MAX && l->section->atoms[l->functions[number].first].offset == start)
		l->functions[number].own = true;
}

static void follow_relocs(struct laying *l, uint32_t number)
{
	const struct object *o = l->edit->object;
	const struct object_section *s = &o->sections[number];
	const bool code = (s->flags & SHF_EXECINSTR) != 0;
	const bool catches = strncmp(s->name, ".gcc_except_table", 17) == 0;
	for (size_t i = 0; i < s->reloc_count; i++) {
		const struct object_reloc *r = &s->relocs[i];
		const struct object_symbol *symbol = &o->symbols[r->symbol];
		if (symbol->section != l->section->number || (code && !is_address_of_code(r->type)))
			continue;
		struct layout_function *f = function_within(l, symbol->value + (uint64_t)r->addend);
		if (code && number == l->section->number)
			note_own_start(l, r->offset, symbol->value + (uint64_t)r->addend);
		if (f == NULL)
			continue;
		if (code)
			keep_function(f, LAYOUT_ADDRESS);
		else if (catches)
			f->caught = true;
		else if (is_narrow(r->type))
			keep_function(f, LAYOUT_NARROW);
		else
			f->table = true;
	}
}

/* rs1 of a jump by a register. */
static unsigned jump_register(const struct edit_atom *atom)
{
	return atom->length == 2 ? atom->word >> 7 & 31 : atom->word >> 15 & 31;
}

static void follow_atom(struct laying *l, const struct edit_atom *atom)
{
	const uint32_t number = laying_function_of(l, (uint32_t)(atom - l->section->atoms));
	struct layout_function *f = number == UINT32_MAX ? NULL : &l->functions[number];
	if (f == NULL)
		return;
	if (atom->kind == EDIT_DATA || atom->kind == EDIT_PAD)
		keep_function(f, LAYOUT_DATA);
	if (atom->host_call) /* its three instructions follow one another, in one page */
		l->glued[atom - l->section->atoms + 1] = l->glued[atom - l->section->atoms + 2] = true;
	if (atom->address)
		keep_function(function_within(l, atom->target), LAYOUT_ADDRESS);
	if (atom->flow == EDIT_CALL && atom->section == l->section->number)
		keep_function(function_within(l, atom->target), LAYOUT_ENTRIES);
	if (atom->flow == EDIT_INDIRECT && jump_register(atom) != 1 && jump_register(atom) != 5 && !f->table && f->own)
		keep_function(f, LAYOUT_TABLE);
}

/* Code that a record of an exception table is about stays in one piece; the records are sorted anew. */
static void glue_record(const struct laying *l, const struct catch_record *r)
{
	const uint32_t from = atom_number(l, r->start), to = atom_number(l, r->end);
	if (from == UINT32_MAX || to == UINT32_MAX)
		return;
	l->apart[from] = l->apart[to] = true;
	for (uint32_t a = from + 1; a < to; a++)
		l->glued[a] = true;
}

static int follow_catches(struct laying *l)
{
	struct catches c = {0};
	int error = catches_find(l->edit, &c);
	for (size_t i = 0; i < c.table_count && error == OBJECT_OK; i++) {
		const struct catch_table *t = &c.tables[i];
		const uint32_t atom = t->code == l->section->number ? atom_number(l, t->function) : UINT32_MAX;
		const uint32_t number = atom == UINT32_MAX ? UINT32_MAX : laying_function_of(l, atom);
		if (number == UINT32_MAX || l->functions[number].first != atom)
			continue;
		l->functions[number].sorted = true;
		for (size_t k = 0; k < t->count; k++)
			glue_record(l, &c.records[t->first + k]);
	}
	for (size_t i = 0; i < l->function_count; i++) {
		if (l->functions[i].caught && !l->functions[i].sorted)
			keep_function(&l->functions[i], LAYOUT_CATCHES);
	}
	catches_free(&c);
	return error;
}

int laying_functions(struct laying *l)
{
	int error = find_spans(l);
	if (error != OBJECT_OK)
		return error;
	end_functions(l);
	for (uint32_t i = 1; i < l->edit->object->section_count; i++) {
		if (!describes_code(l->edit->object->sections[i].name))
			follow_relocs(l, i);
	}
	error = follow_catches(l);
	for (size_t i = 0; i + 1 < l->section->count; i++)
		follow_atom(l, &l->section->atoms[i]);
	for (size_t i = 0; i < l->kept->count; i++) {
		const struct kept_function *k = &l->kept->all[i];
		const struct edit_atom *atom = edit_atom_at(l->section, k->offset);
		if (k->section != l->section->number || atom == NULL)
			continue;
		const uint32_t number = laying_function_of(l, (uint32_t)(atom - l->section->atoms));
		if (number != UINT32_MAX)
			keep_function(&l->functions[number], k->reason);
	}
	return error;
}
