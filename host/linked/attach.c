/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The program as it is, byte by byte, with one section more behind its end. */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"

/* Addresses as they are in the program. */
static int relocate_attached(const struct linked *l, struct object *edited, uint32_t number, char *detail, size_t size)
{
	const struct linked_runtime none = {0};
	struct part part = {.o = edited, .program = true};
	struct joining j = {
	    .l = l, .runtime = &none, .parts = &part, .part_count = 1, .detail = detail, .detail_size = size};
	int error = object_open(&j.old, l->bytes, l->byte_count, detail, size);
	part.address = calloc(edited->section_count, sizeof *part.address);
	part.kind = calloc(edited->section_count, sizeof *part.kind);
	if (part.address == NULL || part.kind == NULL)
		error = OBJECT_ENOMEM;
	for (uint32_t i = 1; i < l->section_count && error == OBJECT_OK; i++) {
		part.address[i] = l->sections[i].address;
		if (l->sections[i].allocated && edited->sections[i].size != j.old->sections[i].size)
			error = linked_refuse(detail, size, "section %s has grown", edited->sections[i].name);
	}
	if (error == OBJECT_OK)
		error = joining_names(&j);
	if (error == OBJECT_OK)
		error = joining_meanings(&j);
	if (error == OBJECT_OK)
		error = joining_relocate_one(&j, number);
	free(part.address);
	free(part.kind);
	free(part.meanings);
	free(j.names);
	object_close(j.old);
	return error;
}

struct attached { /* headers of sections in the file */
	const uint8_t *headers;
	unsigned word;
	size_t size, count, names;
};

static uint8_t *field_of(const struct attached *a, uint8_t *headers, size_t section, unsigned number)
{
	return headers + section * a->size + 8 + number * a->word;
}

int linked_attach(const struct linked *l, struct object *edited, const char *section, struct linked_result *result)
{
	const uint32_t number = object_section_named(edited, section);
	const unsigned word = l->xlen / 8;
	const uint8_t *counts = l->file + 24 + 3 * word + 6; /* e_phentsize on */
	const struct attached a = {l->file + linked_get(l->file + 24 + 2 * word, word), word,
	    l->xlen == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), l->section_count,
	    (size_t)linked_get(counts + 8, 2)};
	if (a.names >= a.count)
		return linked_refuse(result->detail, result->detail_size, "its sections have no names");
	if (number == 0)
		return linked_refuse(result->detail, result->detail_size, "nothing of it can be described");
	int error = relocate_attached(l, edited, number, result->detail, result->detail_size);
	if (error != OBJECT_OK)
		return error;
	const struct object_section *s = &edited->sections[number];
	uint8_t *old = (uint8_t *)(uintptr_t)a.headers;
	const uint64_t names_at = linked_get(field_of(&a, old, a.names, 2), word),
		       names_size = linked_get(field_of(&a, old, a.names, 3), word);
	const uint64_t at = l->size, new_names = at + s->size, name_size = strlen(section) + 1;
	const uint64_t headers = (new_names + names_size + name_size + 7) / 8 * 8;
	uint8_t *out = calloc(headers + (a.count + 1) * a.size + 1, 1);
	if (out == NULL)
		return linked_refuse(result->detail, result->detail_size, "out of memory");
	memcpy(out, l->file, l->size);
	memcpy(out + at, s->data, s->size);
	memcpy(out + new_names, l->file + names_at, names_size);
	memcpy(out + new_names + names_size, section, name_size);
	memcpy(out + headers, a.headers, a.count * a.size);
	linked_put(field_of(&a, out + headers, a.names, 2), word, new_names);
	linked_put(field_of(&a, out + headers, a.names, 3), word, names_size + name_size);
	uint8_t *fresh = out + headers + a.count * a.size;
	linked_put(fresh, 4, names_size);
	linked_put(fresh + 4, 4, SHT_PROGBITS);
	linked_put(field_of(&a, out + headers, a.count, 2), word, at);
	linked_put(field_of(&a, out + headers, a.count, 3), word, s->size);
	linked_put(field_of(&a, out + headers, a.count, 4) + 8, word, 1);
	linked_put(out + 24 + 2 * word, word, headers);
	linked_put(out + (counts - l->file) + 6, 2, a.count + 1);
	result->bytes = out;
	result->size = headers + (a.count + 1) * a.size;
	return OBJECT_OK;
}
