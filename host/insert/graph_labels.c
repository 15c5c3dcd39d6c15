/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A block begins at a symbol, behind a transfer, and at each label that something names: a branch, a relocation of data
 * (a jump table's entry, a stored address), an entry of an exception table. What names an entry of a function is no
 * label of another one. Parts that jump into each other's middle, as f and f.cold, are one function.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/graph/sets.h"
#include "host/base/order.h"
#include "host/insert/graph_labels.h"

static int labels_by_place(const void *a, const void *b)
{
	const struct graph_entry *x = a, *y = b;
	if (x->section != y->section)
		return x->section > y->section ? 1 : -1;
	if (x->offset != y->offset)
		return x->offset > y->offset ? 1 : -1;
	/* the name that others see first; then sized ones */
	if (x->cold != y->cold)
		return x->cold ? 1 : -1;
	if (x->function != y->function)
		return x->function ? -1 : 1;
	return ORDER_UP(x->symbol, y->symbol);
}

static bool is_cold(const char *name)
{
	const char *at = strstr(name, ".cold");
	return at != NULL && (at[5] == '\0' || at[5] == '.');
}

int graph_find_entries(struct graph_maker *m)
{
	const struct object *o = m->g->edit->object;
	m->entries = malloc((o->symbol_count + 1u) * sizeof *m->entries);
	if (m->entries == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		const struct object_symbol *s = &o->symbols[i];
		const struct edit_section *section = edit_section(m->g->edit, s->section);
		unsigned type = object_symbol_type(s);
		const char *name = object_symbol_name(o, i);
		if (section == NULL || (type != STT_FUNC && (type != STT_NOTYPE || object_symbol_bind(s) == STB_LOCAL)))
			continue;
		struct edit_atom *atom = edit_atom_at(section, s->value);
		if (atom == NULL || atom->offset != s->value || atom->kind == EDIT_END || atom->kind == EDIT_DATA)
			continue;
		m->entries[m->entry_count++] = (struct graph_entry){.section = m->g->edit->section_of[s->section] - 1,
		    .symbol = i,
		    .offset = s->value,
		    .size = s->size,
		    .function = type == STT_FUNC,
		    .cold = is_cold(name)};
	}
	qsort(m->entries, m->entry_count, sizeof *m->entries, labels_by_place);
	size_t kept = 0;
	for (size_t i = 0; i < m->entry_count; i++) {
		if (kept > 0 && m->entries[kept - 1].section == m->entries[i].section &&
		    m->entries[kept - 1].offset == m->entries[i].offset)
			continue;
		m->entries[kept++] = m->entries[i];
	}
	m->entry_count = kept;
	return OBJECT_OK;
}

size_t graph_atom_index(const struct edit_section *section, uint64_t offset)
{
	struct edit_atom *atom = edit_atom_at(section, offset);
	return atom == NULL || atom->offset != offset ? SIZE_MAX : (size_t)(atom - section->atoms);
}

/* The section index and atom that a symbol and addend name; false: not in code, or in the middle of something. */
bool graph_place_of(const struct graph *g, uint32_t symbol, int64_t addend, uint32_t *section, size_t *atom)
{
	const struct object_symbol *s = &g->edit->object->symbols[symbol];
	const struct edit_section *at = edit_section(g->edit, s->section);
	if (at == NULL)
		return false;
	*section = g->edit->section_of[s->section] - 1;
	*atom = graph_atom_index(at, s->value + (uint64_t)addend);
	return *atom != SIZE_MAX && at->atoms[*atom].kind != EDIT_END;
}

bool graph_is_branch_reloc(uint32_t type)
{
	return type == R_RISCV_BRANCH || type == R_RISCV_JAL || type == R_RISCV_RVC_BRANCH ||
	       type == R_RISCV_RVC_JUMP || type == R_RISCV_CALL || type == R_RISCV_CALL_PLT ||
	       type == R_RISCV_PCREL_LO12_I || type == R_RISCV_PCREL_LO12_S || type == R_RISCV_RELAX ||
	       type == R_RISCV_ALIGN || type == R_RISCV_SUB32 || type == R_RISCV_SUB64 || type == R_RISCV_SUB8 ||
	       type == R_RISCV_SUB16 || type == R_RISCV_SUB6;
}

/* Whether an entry of an exception table is a landing pad: behind start and length of a call site, 4 bytes each. */
static bool is_landing_pad(const struct object_section *s, size_t k)
{
	const struct object_reloc *r = &s->relocs[k];
	bool start = false, length = false;
	for (size_t b = k; b-- > 0 && s->relocs[b].offset + 8 >= r->offset;) {
		start = start || (s->relocs[b].offset + 8 == r->offset && s->relocs[b].type == R_RISCV_ADD32);
		length = length || (s->relocs[b].offset + 4 == r->offset && s->relocs[b].type == R_RISCV_ADD32);
	}
	return start && length && r->type == R_RISCV_ADD32;
}

static bool is_distance(uint32_t type)
{
	return type == R_RISCV_SUB8 || type == R_RISCV_SUB16 || type == R_RISCV_SUB32 || type == R_RISCV_SUB64 ||
	       type == R_RISCV_SUB6;
}

static bool is_narrow(uint32_t type)
{
	return type == R_RISCV_ADD8 || type == R_RISCV_SUB8 || type == R_RISCV_SET8 || type == R_RISCV_SET6 ||
	       type == R_RISCV_SUB6 || type == R_RISCV_ADD16 || type == R_RISCV_SUB16 || type == R_RISCV_SET16;
}

/* The object of the program that an entry lies in; 0: none, so the compiler made it. The last one found is tried
 * first. */
static uint32_t object_around(const struct object *o, uint32_t section, uint64_t offset, uint32_t last)
{
	for (uint32_t i = 0; i < o->symbol_count; i++) {
		uint32_t at = i == 0 ? last : i;
		const struct object_symbol *s = &o->symbols[at];
		if (at != 0 && s->section == section && object_symbol_type(s) == STT_OBJECT && s->value <= offset &&
		    offset - s->value < s->size)
			return at;
	}
	return 0;
}

/* Takes down that something names a label. Who names a function by its own symbol means the function. */
static int add_taken(
    struct graph_maker *m, uint32_t section, size_t atom, uint32_t symbol, const struct graph_table *how)
{
	struct graph *g = m->g;
	const struct object_symbol *s = &g->edit->object->symbols[symbol];
	unsigned flags = m->leader[section][atom], type = object_symbol_type(s);
	bool entry = (flags & (MARK_ENTRY | MARK_COLD)) == MARK_ENTRY;
	if (entry && (symbol == 0 || type == STT_FUNC || object_symbol_bind(s) != STB_LOCAL))
		return OBJECT_OK;
	if (!entry)
		m->leader[section][atom] |= MARK_LEADER | MARK_TAKEN;
	if (GRAPH_GROW(g->takens, g->taken_size, g->taken_count) != OBJECT_OK)
		return OBJECT_ENOMEM;
	struct graph_table *taken = &g->takens[g->taken_count++];
	*taken = *how;
	taken->section = section;
	taken->block = (uint32_t)atom;
	taken->offset = g->edit->sections[section].atoms[atom].offset;
	taken->entry = entry;
	return OBJECT_OK;
}

/* Labels that the relocations of a section name, other than those of branches: jump tables, stored addresses,
 * distances, landing pads. */
static int takens_of_section(struct graph_maker *m, uint32_t number)
{
	struct graph *g = m->g;
	struct object *o = g->edit->object;
	const struct object_section *s = &o->sections[number];
	bool exceptions = strncmp(s->name, ".gcc_except_table", 17) == 0;
	int error = object_sort_relocs(o, number); /* tables are read in their order */
	uint32_t around = 0;
	for (size_t k = 0; k < s->reloc_count && error == OBJECT_OK; k++) {
		const struct object_reloc *r = &s->relocs[k];
		uint32_t section;
		size_t atom;
		bool distance = is_distance(r->type);
		if ((graph_is_branch_reloc(r->type) && !distance) ||
		    !graph_place_of(g, r->symbol, r->addend, &section, &atom))
			continue;
		if (exceptions) {
			if (is_landing_pad(s, k))
				m->leader[section][atom] |= MARK_LEADER | MARK_ROOT | MARK_PAD;
			continue;
		}
		around = object_around(o, number, r->offset, around);
		error = add_taken(m, section, atom, r->symbol,
		    &(struct graph_table){.from = number,
			.reloc = k,
			.object = around,
			.distance = distance,
			.narrow = is_narrow(r->type)});
	}
	return error;
}

int graph_find_takens(struct graph_maker *m)
{
	const struct edit *e = m->g->edit;
	struct object *o = e->object;
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < o->section_count && error == OBJECT_OK; i++) {
		const struct object_section *s = &o->sections[i];
		if (s->reloc_count > 0 && (s->flags & SHF_ALLOC) != 0 && strcmp(s->name, ".eh_frame") != 0)
			error = takens_of_section(m, i);
	}
	for (uint32_t i = 0; i < e->section_count && error == OBJECT_OK; i++) {
		for (size_t k = 0; k < e->sections[i].count && error == OBJECT_OK; k++) {
			const struct edit_atom *atom = &e->sections[i].atoms[k];
			if (atom->address)
				error = add_taken(
				    m, i, graph_atom_index(&e->sections[i], atom->target), 0, &(struct graph_table){0});
		}
	}
	return error;
}

/* Where the target of a direct transfer is; false: outside, or nothing known. */
bool graph_target_of(const struct graph *g, const struct edit_atom *atom, uint32_t *section, size_t *to)
{
	const struct edit_section *s = atom->section == 0 ? NULL : edit_section(g->edit, atom->section);
	if (s == NULL)
		return false;
	*section = g->edit->section_of[atom->section] - 1;
	*to = graph_atom_index(s, atom->target);
	return *to != SIZE_MAX && s->atoms[*to].kind != EDIT_END;
}

int graph_find_nameless(struct graph_maker *m)
{
	const struct edit *e = m->g->edit;
	size_t *owned = malloc((e->section_count + 1) * sizeof *owned); /* by section: first atom that is somebody's */
	if (owned == NULL)
		return OBJECT_ENOMEM;
	for (size_t i = 0; i < e->section_count; i++)
		owned[i] = e->sections[i].count;
	for (size_t i = m->entry_count; i-- > 0;)
		owned[m->entries[i].section] =
		    graph_atom_index(&e->sections[m->entries[i].section], m->entries[i].offset);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < e->section_count; i++) {
			const struct edit_section *s = &e->sections[i];
			for (size_t k = 0; k < s->count; k++) {
				uint32_t section;
				size_t to;
				if ((s->atoms[k].flow != EDIT_JUMP && s->atoms[k].flow != EDIT_BRANCH) ||
				    !graph_target_of(m->g, &s->atoms[k], &section, &to) ||
				    (m->leader[section][to] & MARK_ENTRY) != 0 ||
				    (k >= owned[i]) == (to >= owned[section]))
					continue;
				uint32_t whose = k < owned[i] ? i : section;
				const struct edit_section *nameless = &e->sections[whose];
				size_t first = 0;
				while (nameless->atoms[first].kind == EDIT_DATA)
					first++;
				struct graph_entry *larger =
				    realloc(m->entries, (m->entry_count + 1) * sizeof *m->entries);
				if (larger == NULL) {
					free(owned);
					return OBJECT_ENOMEM;
				}
				m->entries = larger;
				m->entries[m->entry_count++] = (struct graph_entry){
				    .section = whose, .offset = nameless->atoms[first].offset, .cold = true};
				owned[whose] = 0;
				more = true;
			}
		}
	}
	free(owned);
	qsort(m->entries, m->entry_count, sizeof *m->entries, labels_by_place);
	return OBJECT_OK;
}

void graph_find_leaders(struct graph_maker *m)
{
	struct edit *e = m->g->edit;
	for (size_t i = 0; i < m->entry_count; i++) {
		const struct graph_entry *entry = &m->entries[i];
		const struct edit_section *s = &e->sections[entry->section];
		size_t at = graph_atom_index(s, entry->offset);
		m->leader[entry->section][at] |= MARK_LEADER | MARK_ENTRY;
		for (; at < s->count && (i + 1 == m->entry_count || m->entries[i + 1].section != entry->section ||
					    s->atoms[at].offset < m->entries[i + 1].offset);
		     at++)
			m->entry_of[entry->section][at] = (uint32_t)i + 1;
	}
	for (uint32_t i = 0; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		for (size_t k = 0; k < s->count; k++) {
			const struct edit_atom *atom = &s->atoms[k];
			uint32_t section;
			size_t to;
			if (atom->flow == EDIT_NEXT)
				continue;
			if (atom->flow != EDIT_CALL && atom->flow != EDIT_INDIRECT_CALL)
				m->leader[i][k + 1] |= MARK_LEADER;
			if (!graph_target_of(m->g, atom, &section, &to))
				continue;
			if (atom->flow == EDIT_CALL) {
				m->leader[section][to] |= MARK_LEADER | MARK_CALLED;
				continue;
			}
			m->leader[section][to] |= MARK_LEADER | MARK_TARGET;
			uint32_t a = m->entry_of[i][k], b = m->entry_of[section][to];
			if (a != 0 && b != 0 && a != b &&
			    ((m->leader[section][to] & MARK_ENTRY) == 0 || m->entries[b - 1].cold)) {
				a = sets_of(m->part_of, a - 1);
				b = sets_of(m->part_of, b - 1);
				m->part_of[b > a ? b : a] = b > a ? a : b;
			}
		}
	}
}

void graph_join_cold(struct graph_maker *m)
{
	const struct object *o = m->g->edit->object;
	for (uint32_t c = 0; c < m->entry_count; c++) {
		const char *name = object_symbol_name(o, m->entries[c].symbol);
		size_t length = strlen(name);
		if (!m->entries[c].cold || length < 5 || strcmp(name + length - 5, ".cold") != 0)
			continue;
		for (uint32_t i = 0; i < m->entry_count; i++) {
			const char *whole = object_symbol_name(o, m->entries[i].symbol);
			if (strncmp(whole, name, length - 5) != 0 || whole[length - 5] != '\0')
				continue;
			uint32_t a = sets_of(m->part_of, c), b = sets_of(m->part_of, i);
			m->part_of[b > a ? b : a] = b > a ? a : b;
		}
	}
}
