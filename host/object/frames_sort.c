/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Unwind entries by the new place of their code, as the linker had them: a program that registers them at its beginning
 * (a static one) sorts them itself when it throws first, which is quick if there is nothing to do. CIEs come first.
 * What lies before the beginning that such a program knows stays there. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/object/frames_private.h"
#include "host/base/order.h"

struct sorted_entry {
	uint64_t at, size, to; /* to: where it comes */
	uint64_t code;         /* of an FDE: section and place */
	uint32_t number;
	bool cie, fixed;
};
struct sorting {
	struct anew *o;
	struct sorted_entry *by_place, *by_code;
	size_t count;
	uint64_t begin, end; /* of the entries that are sorted; the end mark */
};

static int by_new_code(const void *a, const void *b)
{
	const struct sorted_entry *x = a, *y = b;
	if (x->fixed || y->fixed)
		return x->fixed == y->fixed ? (x->number > y->number) - (x->number < y->number) : y->fixed - x->fixed;
	if (x->cie != y->cie)
		return x->cie ? -1 : 1;
	if (x->code != y->code && !x->cie)
		return x->code < y->code ? -1 : 1;
	return ORDER_UP(x->number, y->number);
}

/* Where the code of an FDE is. */
static uint64_t code_of_entry(const struct anew *o, const struct object_reloc *r)
{
	const struct edit_section *section;
	const struct object_symbol *symbol = &o->edit->object->symbols[r->symbol];
	const uint64_t old = tables_where(o->edit, r->symbol, r->addend, &section);
	const uint64_t place = r->symbol >= o->edit->old_symbols ? symbol->value : tables_place(section, old);
	return (uint64_t)symbol->section << 48 | (place & 0xFFFFFFFFFFFF);
}

/* false: they cannot be told apart. */
static bool find_sorted(struct sorting *s)
{
	const struct anew *o = s->o;
	size_t next = 0;
	uint64_t at = 0;
	while (at + 8 <= o->size && tables_32(o->data + at) != 0) {
		struct sorted_entry *e = &s->by_place[s->count];
		*e = (struct sorted_entry){.at = at,
		    .size = 4 + (uint64_t)tables_32(o->data + at),
		    .number = (uint32_t)s->count,
		    .fixed = at < s->begin,
		    .cie = tables_32(o->data + at + 4) == 0};
		while (next < o->reloc_count && o->relocs[next].offset < at + 8)
			next++;
		if (!e->cie && (next == o->reloc_count || o->relocs[next].offset != at + 8))
			return false;
		if (!e->cie)
			e->code = code_of_entry(o, &o->relocs[next]);
		at += e->size;
		s->count++;
	}
	s->end = at;
	return true;
}

static uint64_t sorted_place(const struct sorting *s, uint64_t at)
{
	size_t low = 0, high = s->count;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (s->by_place[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return at >= s->end ? at : s->by_place[low].to + (at - s->by_place[low].at);
}

static void move_entries(struct sorting *s, uint8_t *data)
{
	struct anew *o = s->o;
	for (size_t i = 0; i < s->count; i++) {
		const struct sorted_entry *e = &s->by_place[i];
		memcpy(data + e->to, o->data + e->at, e->size);
		if (e->cie)
			continue;
		const uint64_t cie = e->at + 4 - tables_32(o->data + e->at + 4);
		const uint64_t distance = e->to + 4 - sorted_place(s, cie);
		for (unsigned k = 0; k < 4; k++)
			data[e->to + 4 + k] = (uint8_t)(distance >> 8 * k);
	}
	memcpy(data + s->end, o->data + s->end, o->size - s->end);
	for (size_t i = 0; i < o->reloc_count; i++)
		o->relocs[i].offset = sorted_place(s, o->relocs[i].offset);
	free(o->data);
	o->data = data;
}

/* The beginning of the entries that the program registers, by the symbol of gcc's start-up files: its old offset. */
static uint64_t registered_begin(const struct object *object, uint32_t number)
{
	for (uint32_t i = 1; i < object->symbol_count; i++) {
		if (object->symbols[i].section == number &&
		    strcmp(object_symbol_name(object, i), "__EH_FRAME_BEGIN__") == 0)
			return object->symbols[i].value;
	}
	return 0;
}

int frames_sort(struct anew *o, uint32_t number, uint64_t old_size)
{
	const uint64_t registered = registered_begin(o->edit->object, number);
	struct sorting s = {.o = o, .begin = registered <= old_size ? o->map[registered] : 0};
	const size_t room = o->size / 8 + 1;
	uint8_t *data = malloc(o->size + 1);
	s.by_place = calloc(room, sizeof *s.by_place);
	s.by_code = calloc(room, sizeof *s.by_code);
	if (data == NULL || s.by_place == NULL || s.by_code == NULL) {
		free(data);
		free(s.by_place);
		free(s.by_code);
		return OBJECT_ENOMEM;
	}
	if (find_sorted(&s)) {
		uint64_t at = 0;
		memcpy(s.by_code, s.by_place, s.count * sizeof *s.by_code);
		qsort(s.by_code, s.count, sizeof *s.by_code, by_new_code);
		for (size_t i = 0; i < s.count; i++) {
			s.by_place[s.by_code[i].number].to = at;
			at += s.by_code[i].size;
		}
		for (uint64_t i = 0; i <= old_size; i++)
			o->map[i] = registered != 0 && i == registered ? s.begin : sorted_place(&s, o->map[i]);
		move_entries(&s, data);
		data = NULL;
	}
	free(data);
	free(s.by_place);
	free(s.by_code);
	return OBJECT_OK;
}
