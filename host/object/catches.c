/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/object/catches.h"
#include "host/base/order.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/object/anew.h"

#define ENCODING_NONE 0xFF
#define ENCODING_UDATA4 0x03

void catches_free(struct catches *c)
{
	free(c->tables);
	free(c->records);
	*c = (struct catches){0};
}

/* The first relocation at an offset or behind it. */
static size_t first_reloc(const struct object_section *s, uint64_t offset)
{
	size_t low;
	ORDER_FIRST(low, 0, s->reloc_count, s->relocs[low].offset < offset);
	return low;
}

/* The place of code that 4 bytes of a table say: by a relocation, or a distance from `base`. */
static uint64_t code_place(const struct edit *e, const struct object_section *s, uint64_t at, uint64_t base)
{
	const struct edit_section *section;
	for (size_t i = first_reloc(s, at); i < s->reloc_count && s->relocs[i].offset == at; i++) {
		if (s->relocs[i].type == R_RISCV_ADD32)
			return tables_where(e, s->relocs[i].symbol, s->relocs[i].addend, &section);
	}
	return base + tables_32(s->data + at);
}

static bool add_catch_record(const struct edit *e, struct catches *c, const struct catch_table *t, uint64_t *at)
{
	const struct object_section *s = &e->object->sections[t->section];
	bool bad = false;
	if (t->to - *at < 13 || !array_room(&c->records, c->record_count + 1, &c->record_room))
		return false;
	struct catch_record r = {.start = code_place(e, s, *at, t->function), .pad = CATCH_NONE, .action = *at + 12};
	r.end = code_place(e, s, *at + 4, r.start);
	const uint64_t pad = code_place(e, s, *at + 8, t->function);
	r.pad = pad == t->function ? CATCH_NONE : pad;
	*at += 12;
	tables_uleb(s->data, at, t->to, &bad);
	r.action_size = (uint32_t)(*at - r.action);
	c->records[c->record_count++] = r;
	return !bad && r.end >= r.start;
}

/* A table at an offset of its section. What is not as gcc and clang write it for RISC-V is left out. */
static bool add_catch_table(const struct edit *e, struct catches *c, struct catch_table *t, uint64_t at)
{
	const struct object_section *s = &e->object->sections[t->section];
	const size_t first = c->record_count;
	bool bad = false;
	if (s->data == NULL || s->size < 5 || at > s->size - 5 || s->data[at] != ENCODING_NONE)
		return true;
	if (s->data[++at] != ENCODING_NONE) {
		at++;
		tables_uleb(s->data, &at, s->size, &bad);
	} else
		at++;
	if (bad || at >= s->size || s->data[at++] != ENCODING_UDATA4)
		return true;
	const uint64_t length = tables_uleb(s->data, &at, s->size, &bad);
	if (bad || length > s->size - at)
		return true;
	t->from = at;
	t->to = at + length;
	t->first = first;
	while (at < t->to && !bad)
		bad = !add_catch_record(e, c, t, &at);
	t->count = c->record_count - first;
	if (bad) {
		c->record_count = first;
		return true;
	}
	if (!array_room(&c->tables, c->table_count + 1, &c->table_room))
		return false;
	c->tables[c->table_count++] = *t;
	return true;
}

/* Each unwind entry that names a table. */
static bool follow_entries(const struct edit *e, const struct object_section *s, struct catches *c)
{
	const struct object *o = e->object;
	for (uint64_t at = 0; at + 12 <= s->size;) {
		const uint64_t end = at + 4 + tables_32(s->data + at);
		struct catch_table t = {0};
		const struct edit_section *code = NULL;
		if (end > s->size || end == at + 4)
			break;
		for (size_t i = first_reloc(s, at + 8); i < s->reloc_count && s->relocs[i].offset < end; i++) {
			const struct object_reloc *r = &s->relocs[i];
			const struct object_symbol *symbol = &o->symbols[r->symbol];
			if (r->offset == at + 8) {
				t.function = tables_where(e, r->symbol, r->addend, &code);
				t.code = symbol->section;
			} else if (code != NULL && symbol->section < o->section_count &&
				   strncmp(o->sections[symbol->section].name, ".gcc_except_table", 17) == 0) {
				t.section = symbol->section;
				if (!add_catch_table(e, c, &t, symbol->value + (uint64_t)r->addend))
					return false;
			}
		}
		at = end;
	}
	return true;
}

int catches_find(const struct edit *e, struct catches *c)
{
	int error = OBJECT_OK;
	for (uint32_t i = 1; i < e->object->section_count && error == OBJECT_OK; i++) {
		const struct object_section *s = &e->object->sections[i];
		const bool frames = strcmp(s->name, ".eh_frame") == 0;
		if (frames || strncmp(s->name, ".gcc_except_table", 17) == 0)
			error = object_sort_relocs(e->object, i);
	}
	for (uint32_t i = 1; i < e->object->section_count && error == OBJECT_OK; i++) {
		const struct object_section *s = &e->object->sections[i];
		if (strcmp(s->name, ".eh_frame") == 0 && s->data != NULL && !follow_entries(e, s, c))
			error = OBJECT_ENOMEM;
	}
	return error;
}

/* ---- written anew ---- */
struct placed_record {
	uint64_t start;
	const struct catch_record *record;
};

static int by_new_start(const void *a, const void *b)
{
	const struct placed_record *x = a, *y = b;
	return order_then(ORDER_UP(x->start, y->start), ORDER_UP(x->record, y->record));
}

/* Whether the code of a record is still in one piece, in its order. */
static bool is_together(const struct edit_section *s, const struct catch_record *r)
{
	const struct edit_atom *atom = edit_atom_at(s, r->start);
	for (; atom != NULL && atom->kind != EDIT_END && atom[1].kind != EDIT_END && atom[1].offset < r->end; atom++) {
		if (s->rank[atom - s->atoms] + 1 != s->rank[atom + 1 - s->atoms] || atom->then != 0)
			return false;
	}
	return atom != NULL;
}

static uint8_t *put_catch_word(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 4; i++)
		*to++ = (uint8_t)(value >> 8 * i);
	return to;
}

static void write_catch_records(
    struct edit *e, const struct catch_table *t, const struct placed_record *placed, uint8_t *bytes)
{
	struct object_section *s = &e->object->sections[t->section];
	const struct edit_section *code = edit_section(e, t->code);
	const uint64_t base = edit_label(code, t->function);
	uint8_t *to = bytes;
	for (size_t i = 0; i < t->count; i++) {
		const struct catch_record *r = placed[i].record;
		to = put_catch_word(to, placed[i].start - base);
		to = put_catch_word(to, order_extent(e, code, r->start, r->end));
		to = put_catch_word(to, r->pad == CATCH_NONE ? 0 : edit_label(code, r->pad) - base);
		memcpy(to, s->data + r->action, r->action_size);
		to += r->action_size;
	}
	memcpy(s->data + t->from, bytes, t->to - t->from);
	for (size_t i = first_reloc(s, t->from); i < s->reloc_count && s->relocs[i].offset < t->to; i++)
		s->relocs[i].type = R_RISCV_NONE;
}

static int write_table(struct edit *e, const struct catches *c, const struct catch_table *t)
{
	const struct edit_section *code = edit_section(e, t->code);
	struct object_section *s = &e->object->sections[t->section];
	if (code == NULL || code->order == NULL)
		return OBJECT_OK;
	struct placed_record *placed = calloc(t->count + 1, sizeof *placed);
	uint8_t *bytes = malloc(t->to - t->from + 1);
	int error = placed == NULL || bytes == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	if (error == OBJECT_OK && !s->owned)
		error = object_resize(e->object, t->section, s->size);
	for (size_t i = 0; i < t->count && error == OBJECT_OK; i++) {
		const struct catch_record *r = &c->records[t->first + i];
		placed[i] = (struct placed_record){edit_label(code, r->start), r};
		if (!is_together(code, r) || placed[i].start < edit_label(code, t->function)) {
			e->failed = t->function + 1;
			e->failed_section = t->code;
			e->failed_unwind = true;
			error = OBJECT_EUNSUPPORTED;
		}
	}
	if (error == OBJECT_OK) {
		qsort(placed, t->count, sizeof *placed, by_new_start);
		write_catch_records(e, t, placed, bytes);
	}
	free(placed);
	free(bytes);
	return error;
}

int catches_write(struct edit *e, char *detail, size_t size)
{
	struct catches c = {0};
	bool ordered = false;
	for (size_t i = 0; i < e->section_count; i++)
		ordered = ordered || e->sections[i].order != NULL;
	if (!ordered)
		return OBJECT_OK;
	int error = catches_find(e, &c);
	for (size_t i = 0; i < c.table_count && error == OBJECT_OK; i++)
		error = write_table(e, &c, &c.tables[i]);
	if (error == OBJECT_EUNSUPPORTED)
		edit_too_odd(detail, size, &e->object->sections[e->failed_section], e->failed - 1,
		    "an exception table cannot be written anew");
	catches_free(&c);
	return error;
}
