/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/object/anew.h"

#include <stdlib.h>
#include <string.h>

static void put_section_bytes(struct anew *o, const void *bytes, size_t size)
{
	if (o->error != OBJECT_OK)
		return;
	if (o->size + size > o->room) {
		size_t room = o->room + o->room / 2 + size + 256;
		uint8_t *data = realloc(o->data, room);
		if (data == NULL) {
			o->error = OBJECT_ENOMEM;
			return;
		}
		o->data = data;
		o->room = room;
	}
	memcpy(o->data + o->size, bytes, size);
	o->size += size;
}

void anew_byte(struct anew *o, unsigned byte)
{
	uint8_t b = (uint8_t)byte;
	put_section_bytes(o, &b, 1);
}

void anew_uleb(struct anew *o, uint64_t value)
{
	do {
		unsigned byte = value & 0x7F;
		value >>= 7;
		anew_byte(o, byte | (value != 0 ? 0x80 : 0));
	} while (value != 0);
}

void anew_reloc(struct anew *o, uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend)
{
	if (o->error != OBJECT_OK)
		return;
	if (o->reloc_count == o->reloc_room) {
		size_t room = o->reloc_room + o->reloc_room / 2 + 64;
		struct object_reloc *relocs = realloc(o->relocs, room * sizeof *relocs);
		if (relocs == NULL) {
			o->error = OBJECT_ENOMEM;
			return;
		}
		o->relocs = relocs;
		o->reloc_room = room;
	}
	o->relocs[o->reloc_count++] = (struct object_reloc){offset, addend, symbol, type};
}

void anew_copy(struct anew *o, uint64_t to)
{
	uint64_t from = o->at, base = o->size;
	for (uint64_t i = from; i < to; i++)
		o->map[i] = base + (i - from);
	put_section_bytes(o, o->old->data + from, to - from);
	while (o->next < o->old->reloc_count && o->old->relocs[o->next].offset < to) {
		const struct object_reloc *r = &o->old->relocs[o->next++];
		anew_reloc(o, base + (r->offset - from), r->type, r->symbol, r->addend);
	}
	o->at = to;
}

void anew_skip(struct anew *o, uint64_t to)
{
	for (uint64_t i = o->at; i < to; i++)
		o->map[i] = o->size;
	while (o->next < o->old->reloc_count && o->old->relocs[o->next].offset < to)
		o->next++;
	o->at = to;
}

void anew_set_32(struct anew *o, uint64_t at, uint32_t value)
{
	if (o->error == OBJECT_OK)
		memcpy(o->data + at, &value, 4);
}

void anew_mend_references(struct edit *e, uint32_t number, const struct anew *o, uint64_t old_size)
{
	for (uint32_t i = 1; i < e->object->section_count; i++) {
		struct object_section *s = &e->object->sections[i];
		for (size_t k = 0; k < s->reloc_count; k++) {
			struct object_reloc *r = &s->relocs[k];
			const struct object_symbol *symbol = &e->object->symbols[r->symbol];
			if (symbol->section != number || r->addend == 0)
				continue;
			uint64_t target = symbol->value + (uint64_t)r->addend;
			if (target <= old_size && symbol->value <= old_size)
				r->addend = (int64_t)(o->map[target] - o->map[symbol->value]);
		}
	}
	for (uint32_t i = 1; i < e->object->symbol_count; i++) {
		struct object_symbol *symbol = &e->object->symbols[i];
		if (symbol->section == number && symbol->value <= old_size)
			symbol->value = o->map[symbol->value];
	}
}

const struct object_reloc *anew_reloc_at(const struct anew *o, uint64_t offset, uint32_t a, uint32_t b)
{
	for (size_t i = o->next; i < o->old->reloc_count && o->old->relocs[i].offset <= offset; i++) {
		const struct object_reloc *r = &o->old->relocs[i];
		if (r->offset == offset && (r->type == a || r->type == b))
			return r;
	}
	return NULL;
}

uint64_t tables_uleb(const uint8_t *data, uint64_t *at, uint64_t end, bool *bad)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		if (*at >= end || shift > 63) {
			*bad = true;
			return 0;
		}
		uint8_t byte = data[(*at)++];
		value |= (uint64_t)(byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			return value;
	}
}

int64_t tables_sleb(const uint8_t *data, uint64_t *at, uint64_t end, bool *bad)
{
	int64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		if (*at >= end || shift > 56) {
			*bad = true;
			return 0;
		}
		uint8_t byte = data[(*at)++];
		value |= (int64_t)(byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			return (byte & 0x40) != 0 ? value - ((int64_t)1 << (shift + 7)) : value;
	}
}

uint32_t tables_32(const uint8_t *data)
{
	uint32_t value;
	memcpy(&value, data, 4);
	return value;
}
