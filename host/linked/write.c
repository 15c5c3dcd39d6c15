/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"
#include "host/object/host_call.h"

/* Common symbols that counters brought get their room. */
static int place_commons(struct object *o)
{
	const struct object_new_section room = {".bss.rivulet.common", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 16, NULL, 0};
	uint32_t section = 0;
	for (uint32_t i = 1; i < o->symbol_count; i++) {
		struct object_symbol *s = &o->symbols[i];
		if (s->section != SHN_COMMON)
			continue;
		int error = section != 0 ? OBJECT_OK : object_add_section(o, &room, &section);
		if (error != OBJECT_OK)
			return error;
		const uint64_t align = s->value > 0 ? s->value : 1;
		s->value = (o->sections[section].size + align - 1) / align * align;
		s->section = section;
		o->sections[section].size = s->value + s->size;
	}
	return OBJECT_OK;
}

/* The three instructions of a call of the host (semihosting) must lie in one page: code that keeps its lengths may have
 * come over a border with them. */
static int check_host_calls(const struct joining *j)
{
	for (size_t p = 0; p < j->part_count; p++) {
		const struct part *part = &j->parts[p];
		for (uint32_t i = 1; i < part->o->section_count; i++) {
			const struct object_section *s = &part->o->sections[i];
			if (part->kind[i] != PART_CODE || s->data == NULL)
				continue;
			uint64_t at;
			if (host_call_is_split(s->data, (size_t)s->size, part->address[i], &at))
				return linked_refuse(j->detail, j->detail_size,
				    "a call of the host would lie in two pages: align its slli to 16 bytes");
		}
	}
	return OBJECT_OK;
}

static int join_all(struct joining *j, uint8_t **bytes, size_t *size)
{
	int error = place_commons(j->parts[0].o);
	if (error == OBJECT_OK)
		error = joining_names(j);
	if (error == OBJECT_OK)
		error = joining_imports(j);
	if (error == OBJECT_OK)
		error = joining_places(j);
	if (error == OBJECT_OK)
		error = joining_find_moved(j);
	if (error == OBJECT_OK)
		error = joining_meanings(j);
	if (error == OBJECT_OK)
		error = joining_relocate(j);
	if (error == OBJECT_OK)
		error = joining_dynamic(j);
	if (error == OBJECT_OK)
		error = joining_index_frames(j);
	if (error == OBJECT_OK)
		error = check_host_calls(j);
	if (error == OBJECT_OK)
		error = joining_image(j, bytes, size);
	return error;
}

int linked_write(
    const struct linked *l, struct object *edited, const struct linked_runtime *runtime, struct linked_result *result)
{
	struct joining j = {.l = l,
	    .runtime = runtime,
	    .part_count = runtime->object_count + 1,
	    .detail = result->detail,
	    .detail_size = result->detail_size};
	int error = object_open(&j.old, l->bytes, l->byte_count, result->detail, result->detail_size);
	if (error != OBJECT_OK)
		return error;
	j.parts = calloc(j.part_count, sizeof *j.parts);
	j.relocs = malloc((l->reloc_count + 1) * sizeof *j.relocs);
	j.done = calloc(l->reloc_count + 1, sizeof *j.done);
	if (j.parts == NULL || j.relocs == NULL || j.done == NULL)
		error = OBJECT_ENOMEM;
	else {
		if (l->reloc_count > 0)
			memcpy(j.relocs, l->relocs, l->reloc_count * sizeof *j.relocs);
		j.parts[0].o = edited;
		j.parts[0].program = true;
		for (size_t i = 0; i < runtime->object_count; i++)
			j.parts[i + 1].o = runtime->objects[i];
		error = join_all(&j, &result->bytes, &result->size);
	}
	for (size_t p = 0; j.parts != NULL && p < j.part_count; p++) {
		free(j.parts[p].address);
		free(j.parts[p].kind);
		free(j.parts[p].meanings);
		free(j.parts[p].got);
		free(j.parts[p].imports);
		free(j.parts[p].stubs);
	}
	free(j.parts);
	free(j.relocs);
	free(j.done);
	free(j.relatives);
	free(j.names);
	free(j.moved);
	object_close(j.old);
	if (error == OBJECT_ENOMEM)
		linked_refuse(result->detail, result->detail_size, "out of memory");
	return error;
}
