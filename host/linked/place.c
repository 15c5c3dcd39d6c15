/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Addresses of what moves and of what is new: code and constants in one segment, data in another one. */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

static uint8_t kind_of_new(const struct object_section *s)
{
	if ((s->flags & SHF_ALLOC) == 0 || s->type == SHT_NOTE)
		return PART_NONE;
	if ((s->flags & SHF_EXECINSTR) != 0)
		return PART_CODE;
	if (strncmp(s->name, ".init_array", 11) == 0)
		return PART_INIT;
	if (strncmp(s->name, ".fini_array", 11) == 0)
		return PART_FINI;
	if (s->type == SHT_NOBITS)
		return PART_ZERO;
	return (s->flags & SHF_WRITE) != 0 ? PART_DATA : PART_CONSTANT;
}

/* Tables of dynamic symbols, which .dynamic names. */
static bool may_grow(const struct object_section *s)
{
	return s->type == SHT_DYNSYM || s->type == SHT_GNU_versym || strcmp(s->name, ".dynstr") == 0;
}

static int choose_kinds(struct joining *j)
{
	for (size_t p = 0; p < j->part_count; p++) {
		struct part *part = &j->parts[p];
		for (uint32_t i = 1; i < part->o->section_count; i++) {
			const struct object_section *s = &part->o->sections[i];
			const bool own = part->program && i < j->l->section_count;
			part->address[i] = own ? j->l->sections[i].address : 0;
			const bool moves = !own || j->l->sections[i].moves || (i == j->rela && i != 0) ||
					   s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY;
			if (moves)
				part->kind[i] = kind_of_new(s);
			else if (j->l->sections[i].allocated && s->size != j->old->sections[i].size && may_grow(s))
				part->kind[i] = PART_CONSTANT;
			else if (j->l->sections[i].allocated && s->size != j->old->sections[i].size)
				return linked_refuse(
				    j->detail, j->detail_size, "section %s has grown, but cannot move", s->name);
			if (!part->program && (s->flags & SHF_TLS) != 0)
				return linked_refuse(j->detail, j->detail_size,
				    "the runtime has thread-local variables: they have no place in a linked program");
		}
	}
	return OBJECT_OK;
}

/* Zeros in between would end the list of unwind entries. */
static bool is_frames(const struct object_section *s)
{
	return strcmp(s->name, ".eh_frame") == 0;
}

static void place_section(struct joining *j, struct part *part, uint32_t i, uint64_t *at)
{
	const struct object_section *s = &part->o->sections[i];
	*at = align_up(*at, s->align);
	part->address[i] = *at;
	*at += s->size;
	if (!part->program) {
		const unsigned kind = part->kind[i];
		if (j->runtime_at[kind] == 0)
			j->runtime_at[kind] = part->address[i];
		j->runtime_end[kind] = *at;
	}
}

/* All of a kind: of the program, of the runtime. */
static void place_kind(struct joining *j, uint8_t kind, uint64_t *at)
{
	for (size_t p = 0; p < j->part_count; p++) {
		struct part *part = &j->parts[p];
		for (uint32_t i = 1; i < part->o->section_count; i++) {
			if (part->kind[i] == kind && !is_frames(&part->o->sections[i]))
				place_section(j, part, i, at);
		}
	}
}

static void place_frames(struct joining *j, uint64_t *at)
{
	if (j->eh_frame == 0)
		return;
	*at = align_up(*at, 8);
	j->frames = *at;
	for (size_t p = j->part_count; p-- > 0;) {
		struct part *part = &j->parts[p];
		for (uint32_t i = 1; i < part->o->section_count; i++) {
			struct object_section *s = &part->o->sections[i];
			if (part->kind[i] != PART_CONSTANT || !is_frames(s))
				continue;
			part->address[i] = *at;
			*at += s->size;
		}
	}
}

/* Constructors: those of the runtime by their priority, of counters, of the program. */
static void place_list(struct joining *j, uint8_t kind, uint64_t *at)
{
	char last[64] = "";
	for (;;) {
		const char *next = NULL;
		for (size_t p = 1; p < j->part_count; p++) {
			const struct part *part = &j->parts[p];
			for (uint32_t i = 1; i < part->o->section_count; i++) {
				const char *name = part->o->sections[i].name;
				if (part->kind[i] == kind && strcmp(name, last) > 0 &&
				    (next == NULL || strcmp(name, next) < 0))
					next = name;
			}
		}
		if (next == NULL)
			break;
		for (size_t p = 1; p < j->part_count; p++) {
			struct part *part = &j->parts[p];
			for (uint32_t i = 1; i < part->o->section_count; i++) {
				if (part->kind[i] == kind && strcmp(part->o->sections[i].name, next) == 0)
					place_section(j, part, i, at);
			}
		}
		strncpy(last, next, sizeof last - 1);
	}
	struct part *program = &j->parts[0];
	for (unsigned old = 0; old < 2; old++) {
		for (uint32_t i = 1; i < program->o->section_count; i++) {
			if (program->kind[i] == kind && (i < j->l->section_count) == (old == 1))
				place_section(j, program, i, at);
		}
	}
}

/* ---- the table of segments ---- */
/* Loaders find it at the address that its place in the file has in the first segment: it goes to the room of old code,
 * or to the beginning of the new one, as far behind in the file as in memory. */
static void place_table(struct joining *j)
{
	const uint64_t need = (j->l->segment_count + 2) * (j->l->xlen == 64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	for (uint32_t i = 1; i < j->l->section_count; i++) {
		const struct object_section *s = &j->old->sections[i];
		const uint64_t at = align_up(j->l->sections[i].address, 8);
		if (!j->l->sections[i].moves || s->type == SHT_NOBITS ||
		    at + need > j->l->sections[i].address + s->size)
			continue;
		for (size_t k = 0; k < j->l->segment_count; k++) {
			const struct linked_segment *g = &j->l->segments[k];
			if (g->type == PT_LOAD && g->address - g->offset == j->l->base && at >= g->address &&
			    at + need <= g->address + g->file_size) {
				j->table = at;
				return;
			}
		}
	}
	j->table_in_code = true;
}

static uint32_t section_of_program(const struct joining *j, const char *name)
{
	const uint32_t number = object_section_named(j->parts[0].o, name);
	return number < j->l->section_count && j->l->sections[number].allocated ? number : 0;
}

/* Entries in a list of unwind entries. */
static size_t count_frames(const struct object_section *s)
{
	size_t count = 0;
	for (uint64_t at = 0; at + 8 <= s->size;) {
		const uint64_t length = linked_get(s->data + at, 4);
		count += length != 0 && linked_get(s->data + at + 4, 4) != 0;
		at += 4 + length;
	}
	return count;
}

/* Room for what is made when addresses are known. */
static int make_room(struct joining *j)
{
	size_t frames = 0, words = 0;
	const unsigned word = j->l->xlen / 8;
	struct object *o = j->parts[0].o;
	int error = OBJECT_OK;
	for (size_t p = 0; p < j->part_count; p++) {
		struct part *part = &j->parts[p];
		for (uint32_t i = 1; i < part->o->section_count; i++) {
			const struct object_section *s = &part->o->sections[i];
			if (part->kind[i] == PART_CONSTANT && is_frames(s)) {
				frames += count_frames(s);
				if (!part->program && (j->eh_frame == 0 || s->size % 8 != 0))
					part->kind[i] = PART_NONE;
			}
			for (size_t k = 0; k < s->reloc_count; k++) {
				const struct object_reloc *r = &s->relocs[k];
				words += (s->flags & SHF_ALLOC) != 0 && linked_field_bytes(r->type) == word &&
					 linked_sign(r->type) == 0 && (!part->program || i >= j->l->section_count);
				if (!part->program && (r->type == R_RISCV_GOT_HI20 || part->stubs[r->symbol] != 0) &&
				    part->got[r->symbol] == 0)
					part->got[r->symbol] = ++j->got_count;
			}
		}
	}
	if (j->header != 0)
		error = object_resize(o, j->header, 12 + 8 * frames);
	if (error == OBJECT_OK && j->rela != 0)
		error = object_resize(o, j->rela, o->sections[j->rela].size + (words + j->got_count) * 3 * word);
	if (error == OBJECT_OK)
		error = object_resize(o, j->got_section, j->got_count * (uint64_t)word);
	return error;
}

int joining_places(struct joining *j)
{
	uint64_t at = 0;
	struct part *program = &j->parts[0];
	const struct object_new_section got = {
	    ".got.rivulet", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, j->l->xlen / 8, NULL, 0};
	const struct object_new_section rela = {".rela.rivulet", SHT_PROGBITS, SHF_ALLOC, j->l->xlen / 8, NULL, 0};
	int error = object_add_section(program->o, &got, &j->got_section);
	j->rela = j->l->independent || j->l->dynamic ? section_of_program(j, ".rela.dyn") : 0;
	j->old_rela = j->rela;
	/* one whose functions come by the PLT alone has none yet */
	if (error == OBJECT_OK && j->rela == 0 && (j->l->independent || j->l->dynamic))
		error = object_add_section(program->o, &rela, &j->rela);
	for (size_t p = 0; p < j->part_count && error == OBJECT_OK; p++) {
		struct part *part = &j->parts[p];
		part->address = calloc(part->o->section_count, sizeof *part->address);
		part->kind = calloc(part->o->section_count, sizeof *part->kind);
		part->got = calloc(part->o->symbol_count, sizeof *part->got);
		if (part->address == NULL || part->kind == NULL || part->got == NULL)
			error = OBJECT_ENOMEM;
	}
	j->eh_frame = section_of_program(j, ".eh_frame");
	j->header = section_of_program(j, ".eh_frame_hdr");
	if (error == OBJECT_OK)
		error = choose_kinds(j);
	if (error == OBJECT_OK)
		error = make_room(j);
	if (error != OBJECT_OK)
		return error;
	j->page = 0x1000;
	for (size_t i = 0; i < j->l->segment_count; i++) {
		const struct linked_segment *g = &j->l->segments[i];
		if (g->type != PT_LOAD)
			continue;
		j->page = g->align > j->page && g->align <= 0x200000 ? g->align : j->page;
		at = g->address + g->size > at ? g->address + g->size : at;
	}
	j->code = at = align_up(at, j->page);
	place_table(j);
	if (j->table_in_code) {
		j->table = at;
		at += (j->l->segment_count + 2) * sizeof(Elf64_Phdr);
	}
	place_kind(j, PART_CODE, &at);
	place_kind(j, PART_CONSTANT, &at);
	place_frames(j, &at);
	j->code_end = at;
	j->data = at = align_up(at, j->page);
	at = align_up(at, 8);
	j->init = at;
	place_list(j, PART_INIT, &at);
	j->init_end = j->fini = at;
	place_list(j, PART_FINI, &at);
	j->fini_end = at;
	place_kind(j, PART_DATA, &at);
	j->data_file_end = at;
	place_kind(j, PART_ZERO, &at);
	j->data_end = at;
	return OBJECT_OK;
}
