/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The file: the old segments at their offsets, the new ones, then what takes no memory. Relocations are not written
 * again. Sections of the runtime are one for each kind.
 */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"

struct header { /* of a section that is written */
	uint32_t name, type, link, info;
	uint64_t flags, address, offset, size, align, entry_size;
	const uint8_t *data; /* NULL: its bytes are in the segments */
};
struct imaging {
	struct joining *j;
	uint8_t *bytes;
	size_t size, room;
	struct header *headers;
	uint32_t count;
	uint32_t *number; /* of the program's sections, in the file */
	uint32_t runtime[PART_KINDS];
	uint8_t *names, *strings; /* of sections, of symbols */
	size_t names_size, strings_size, strings_room;
	uint64_t code_offset, data_offset;
	int error;
};

static uint64_t round_up(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

/* Makes the file so long; new bytes are 0. */
static bool grow_image(struct imaging *m, uint64_t size)
{
	if (size > m->room) {
		const uint64_t larger = size + size / 4 + 4096;
		uint8_t *bytes = realloc(m->bytes, larger);
		if (bytes == NULL) {
			m->error = OBJECT_ENOMEM;
			return false;
		}
		memset(bytes + m->room, 0, larger - m->room);
		m->bytes = bytes;
		m->room = larger;
	}
	m->size = size > m->size ? size : m->size;
	return true;
}

/* The place of an address in the file; size: it and what follows are in a segment. */
static bool offset_of(const struct imaging *m, uint64_t address, uint64_t size, uint64_t *offset)
{
	const struct joining *j = m->j;
	if (address >= j->code && address <= j->code_end) {
		*offset = m->code_offset + (address - j->code);
		return size <= j->code_end - address;
	}
	if (address >= j->data && address <= j->data_end) {
		*offset = m->data_offset + (address - j->data);
		return size == 0 || (address <= j->data_file_end && size <= j->data_file_end - address);
	}
	for (size_t i = 0; i < j->l->segment_count; i++) {
		const struct linked_segment *g = &j->l->segments[i];
		if (g->type == PT_LOAD && address >= g->address && address - g->address <= g->file_size &&
		    size <= g->file_size - (address - g->address)) {
			*offset = g->offset + (address - g->address);
			return true;
		}
	}
	return false;
}

/* ---- memory ---- */
/* The old segments, without what has moved; the offsets of the new ones. */
static void begin_file(struct imaging *m)
{
	const struct joining *j = m->j;
	const struct linked *l = j->l;
	uint64_t end = 0;
	for (size_t i = 0; i < l->segment_count; i++) {
		const struct linked_segment *g = &l->segments[i];
		if (g->type == PT_LOAD && g->offset + g->file_size > end)
			end = g->offset + g->file_size;
	}
	m->code_offset = j->table_in_code ? j->code - l->base : round_up(end, j->page) + j->code % j->page;
	m->data_offset = m->code_offset + (j->data - j->code);
	if (m->code_offset < end) {
		m->error = linked_refuse(
		    j->detail, j->detail_size, "its segments are further apart in the file than in memory");
		return;
	}
	if (!grow_image(m, m->data_offset + (j->data_file_end - j->data)))
		return;
	memcpy(m->bytes, l->file, end);
	for (uint32_t i = 1; i < l->section_count; i++) {
		uint64_t offset;
		const struct object_section *s = &j->old->sections[i];
		if (l->sections[i].allocated && s->type != SHT_NOBITS &&
		    j->parts[0].address[i] != l->sections[i].address &&
		    offset_of(m, l->sections[i].address, s->size, &offset))
			memset(m->bytes + offset, 0, s->size);
	}
}

static void put_sections(struct imaging *m)
{
	for (size_t p = 0; p < m->j->part_count; p++) {
		const struct part *part = &m->j->parts[p];
		for (uint32_t i = 1; i < part->o->section_count; i++) {
			const struct object_section *s = &part->o->sections[i];
			const bool own = part->program && i < m->j->l->section_count && m->j->l->sections[i].allocated;
			uint64_t offset;
			if ((part->kind[i] == PART_NONE && !own) || s->type == SHT_NOBITS || s->size == 0)
				continue;
			if (offset_of(m, part->address[i], s->size, &offset))
				memcpy(m->bytes + offset, s->data, s->size);
		}
	}
}

/* ---- headers of sections ---- */
static uint32_t add_name(struct imaging *m, const char *name)
{
	const size_t length = strlen(name) + 1, at = m->names_size;
	uint8_t *larger = realloc(m->names, at + length);
	if (larger == NULL) {
		m->error = OBJECT_ENOMEM;
		return 0;
	}
	m->names = larger;
	memcpy(m->names + at, name, length);
	m->names_size += length;
	return (uint32_t)at;
}

/* Sections that are written: all but relocations of the program that the linker has used up. */
static bool is_written(const struct joining *j, uint32_t i)
{
	const struct object_section *s = &j->parts[0].o->sections[i];
	if (s->type == SHT_RELA || strcmp(s->name, LINKED_MARK) == 0 || (s->size == 0 && i >= j->l->section_count))
		return false;
	return s->type != SHT_NULL;
}

static void list_sections(struct imaging *m)
{
	const struct joining *j = m->j;
	const struct object *o = j->parts[0].o;
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t flags;
	} kinds[PART_KINDS] = {[PART_CODE] = {".text.runtime", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
	    [PART_CONSTANT] = {".rodata.runtime", SHT_PROGBITS, SHF_ALLOC},
	    [PART_DATA] = {".data.runtime", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
	    [PART_ZERO] = {".bss.runtime", SHT_NOBITS, SHF_ALLOC | SHF_WRITE}};
	add_name(m, "");
	m->count = 1;
	for (uint32_t i = 1; i < o->section_count; i++) {
		const struct object_section *s = &o->sections[i];
		if (!is_written(j, i))
			continue;
		m->number[i] = m->count;
		m->headers[m->count++] = (struct header){.name = add_name(m, s->name),
		    .type = i < j->l->section_count && strncmp(s->name, ".rela", 5) == 0 && (s->flags & SHF_ALLOC) != 0
				? SHT_RELA
				: s->type,
		    .link = s->link,
		    .info = s->info,
		    .flags = s->flags | (strncmp(s->name, ".plt", 4) == 0 ? SHF_EXECINSTR : 0),
		    .address = j->parts[0].address[i],
		    .size = s->size,
		    .align = s->align,
		    .entry_size = s->entry_size,
		    .data = s->data};
	}
	for (unsigned k = 0; k < PART_KINDS; k++) {
		if (kinds[k].name == NULL || j->runtime_end[k] == j->runtime_at[k])
			continue;
		m->runtime[k] = m->count;
		m->headers[m->count++] = (struct header){.name = add_name(m, kinds[k].name),
		    .type = kinds[k].type,
		    .flags = kinds[k].flags,
		    .address = j->runtime_at[k],
		    .size = j->runtime_end[k] - j->runtime_at[k],
		    .align = 8};
	}
	for (uint32_t i = 1; i < m->count; i++) {
		struct header *h = &m->headers[i];
		h->link = h->link < o->section_count ? m->number[h->link] : 0;
		if ((h->flags & SHF_INFO_LINK) != 0)
			h->info = h->info < o->section_count ? m->number[h->info] : 0;
	}
}

/* ---- symbols ---- */
static void put_symbol(
    const struct imaging *m, uint8_t *at, const struct object_symbol *s, uint32_t section, uint64_t value)
{
	const bool wide = m->j->l->xlen == 64;
	linked_put(at, 4, s->name);
	linked_put(at + (wide ? 6 : 14), 2, section);
	at[wide ? 4 : 12] = s->info;
	at[wide ? 5 : 13] = s->other;
	linked_put(at + (wide ? 8 : 4), wide ? 8 : 4, value);
	linked_put(at + (wide ? 16 : 8), wide ? 8 : 4, s->size);
}

static bool is_runtime_symbol(const struct part *part, uint32_t i)
{
	const struct object_symbol *s = &part->o->symbols[i];
	const unsigned type = object_symbol_type(s);
	return s->section != SHN_UNDEF && s->section < part->o->section_count && part->kind[s->section] != PART_NONE &&
	       part->kind[s->section] != PART_INIT && part->kind[s->section] != PART_FINI &&
	       (type == STT_FUNC || type == STT_OBJECT);
}

/* The name of a runtime's symbol goes behind those of the program. */
static uint32_t add_string(struct imaging *m, const char *name)
{
	const size_t length = strlen(name) + 1, at = m->strings_size;
	if (at + length > m->strings_room) {
		m->strings_room = 2 * (at + length);
		uint8_t *larger = realloc(m->strings, m->strings_room);
		if (larger == NULL) {
			m->error = OBJECT_ENOMEM;
			return 0;
		}
		m->strings = larger;
	}
	memcpy(m->strings + at, name, length);
	m->strings_size += length;
	return (uint32_t)at;
}

/* One after the other: local ones, then the others; those of the runtime are local. */
static uint8_t *make_symbols(struct imaging *m, struct header *h)
{
	const struct joining *j = m->j;
	const struct object *o = j->parts[0].o;
	const size_t size = j->l->xlen == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t room = 0, used = 0;
	for (size_t p = 0; p < j->part_count; p++)
		room += j->parts[p].o->symbol_count;
	uint8_t *table = calloc(room + 1, size);
	if (table == NULL) {
		m->error = OBJECT_ENOMEM;
		return NULL;
	}
	for (unsigned local = 1; local < 2; local--) {
		for (uint32_t i = 0; i < o->symbol_count; i++) {
			const struct object_symbol *s = &o->symbols[i];
			uint32_t section = s->section;
			uint64_t value = s->value;
			if ((object_symbol_bind(s) == STB_LOCAL) != (local == 1))
				continue;
			if (section != SHN_UNDEF && section < o->section_count) {
				if (i != 0 && m->number[section] == 0)
					continue;
				value += object_symbol_type(s) == STT_TLS ? 0 : j->parts[0].address[section];
				section = m->number[section];
			} else if (section == SHN_UNDEF && i != 0 &&
				   strncmp(object_symbol_name(o, i), "rivulet_", 8) == 0)
				continue;
			put_symbol(m, table + used++ * size, s, section, value);
		}
		for (size_t p = 1; p < j->part_count && local == 1; p++) {
			for (uint32_t i = 1; i < j->parts[p].o->symbol_count; i++) {
				struct object_symbol s = j->parts[p].o->symbols[i];
				if (!is_runtime_symbol(&j->parts[p], i))
					continue;
				s.name = add_string(m, object_symbol_name(j->parts[p].o, i));
				s.info = ELF64_ST_INFO(STB_LOCAL, object_symbol_type(&s));
				put_symbol(m, table + used++ * size, &s, m->runtime[j->parts[p].kind[s.section]],
				    j->parts[p].address[s.section] + s.value);
			}
		}
		if (local == 1)
			h->info = (uint32_t)used;
	}
	h->size = used * size;
	return table;
}

/* ---- the end of the file ---- */
static void put_header(const struct imaging *m, uint8_t *at, const struct header *h)
{
	const unsigned word = m->j->l->xlen / 8;
	const uint64_t wide[] = {h->flags, h->address, h->offset, h->size}, last[] = {h->align, h->entry_size};
	linked_put(at, 4, h->name);
	linked_put(at + 4, 4, h->type);
	for (unsigned i = 0; i < 4; i++)
		linked_put(at + 8 + i * word, word, wide[i]);
	linked_put(at + 8 + 4 * word, 4, h->link);
	linked_put(at + 12 + 4 * word, 4, h->info);
	for (unsigned i = 0; i < 2; i++)
		linked_put(at + 16 + (4 + i) * word, word, last[i]);
}

static void append_bytes(struct imaging *m, struct header *h, const uint8_t *data, uint64_t size)
{
	h->offset = round_up(m->size, h->align);
	h->size = size;
	if (grow_image(m, h->offset + size) && size > 0 && data != NULL)
		memcpy(m->bytes + h->offset, data, size);
}

/* Sections without memory, tables, headers. Returns where the headers are. */
static uint64_t end_file(struct imaging *m)
{
	const struct joining *j = m->j;
	const struct object *o = j->parts[0].o;
	uint32_t symbols = m->number[o->symtab], strings = m->number[o->strtab], names = m->number[o->shstrtab];
	uint8_t *table = make_symbols(m, &m->headers[symbols]);
	for (uint32_t i = 1; i < m->count && m->error == OBJECT_OK; i++) {
		struct header *h = &m->headers[i];
		if (i == symbols)
			append_bytes(m, h, table, h->size);
		else if (i == strings)
			append_bytes(m, h, m->strings, m->strings_size);
		else if (i == names)
			append_bytes(m, h, m->names, m->names_size);
		else if ((h->flags & SHF_ALLOC) == 0)
			append_bytes(m, h, h->data, h->size);
		else if (!offset_of(m, h->address, h->type == SHT_NOBITS ? 0 : h->size, &h->offset))
			h->offset = m->size;
	}
	free(table);
	const size_t size = j->l->xlen == 64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	const uint64_t at = round_up(m->size, 8);
	if (m->error == OBJECT_OK && grow_image(m, at + m->count * size)) {
		for (uint32_t i = 1; i < m->count; i++)
			put_header(m, m->bytes + at + i * size, &m->headers[i]);
	}
	return at;
}

static void put_segment(const struct imaging *m, uint8_t *at, const struct linked_segment *g)
{
	const uint64_t last[] = {g->offset, g->address, g->physical, g->file_size, g->size};
	const bool wide = m->j->l->xlen == 64;
	const unsigned word = wide ? 8 : 4;
	linked_put(at, 4, g->type);
	linked_put(at + (wide ? 4 : 24), 4, g->flags);
	for (unsigned i = 0; i < 5; i++)
		linked_put(at + (wide ? 8 : 4) + i * word, word, last[i]);
	linked_put(at + (wide ? 48 : 28), word, g->align);
}

/* What a segment is that describes a section. */
static void move_segment(const struct imaging *m, struct linked_segment *g, uint64_t table_size, uint64_t table_offset)
{
	const struct joining *j = m->j;
	if (g->type == PT_PHDR) {
		g->offset = table_offset;
		g->address = g->physical = j->table;
		g->file_size = g->size = table_size;
	} else if (g->type == PT_GNU_EH_FRAME && j->header != 0) {
		g->address = g->physical = j->parts[0].address[j->header];
		g->file_size = g->size = j->parts[0].o->sections[j->header].size;
		offset_of(m, g->address, g->size, &g->offset);
	} else if (g->type == 0x70000003) { /* PT_RISCV_ATTRIBUTES */
		const uint32_t section = object_section_named(j->parts[0].o, ".riscv.attributes");
		g->offset = section == 0 ? 0 : m->headers[m->number[section]].offset;
		g->file_size = section == 0 ? 0 : g->file_size;
	}
}

static int put_segments(struct imaging *m)
{
	const struct joining *j = m->j;
	const size_t size = j->l->xlen == 64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	const size_t count = j->l->segment_count + 2;
	uint64_t offset = 0;
	size_t used = 0, after = 0;
	for (size_t i = 0; i < j->l->segment_count; i++)
		after = j->l->segments[i].type == PT_LOAD ? i + 1 : after;
	if (!offset_of(m, j->table, count * size, &offset))
		return linked_refuse(j->detail, j->detail_size, "the table of its segments has no room");
	const struct linked_segment fresh[] = {{PT_LOAD, PF_R | PF_X, m->code_offset, j->code, j->code,
						   j->code_end - j->code, j->code_end - j->code, j->page},
	    {PT_LOAD, PF_R | PF_W, m->data_offset, j->data, j->data, j->data_file_end - j->data, j->data_end - j->data,
		j->page}};
	for (size_t i = 0; i <= j->l->segment_count; i++) {
		for (unsigned k = 0; k < 2 && i == after; k++)
			put_segment(m, m->bytes + offset + used++ * size, &fresh[k]);
		if (i == j->l->segment_count)
			break;
		struct linked_segment g = j->l->segments[i];
		move_segment(m, &g, count * size, offset);
		put_segment(m, m->bytes + offset + used++ * size, &g);
	}
	return OBJECT_OK;
}

static int put_file_header(struct imaging *m, uint64_t headers)
{
	const struct joining *j = m->j;
	const bool wide = j->l->xlen == 64;
	uint8_t *b = m->bytes;
	uint64_t entry, offset = 0;
	const unsigned word = wide ? 8 : 4;
	/* a library has no entry, but the linker says where its code begins */
	int error = j->l->entry == 0 || j->l->shared ? OBJECT_OK : joining_moved(j, j->l->entry, &entry, "the entry");
	if (error != OBJECT_OK)
		return error;
	if (j->l->entry == 0 || j->l->shared)
		entry = 0;
	offset_of(m, j->table, 0, &offset);
	memcpy(b, j->l->file, wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	linked_put(b + 24, word, entry);
	linked_put(b + 24 + word, word, offset);
	linked_put(b + 24 + 2 * word, word, headers);
	uint8_t *rest = b + 24 + 3 * word + 6; /* e_phentsize on */
	linked_put(rest + 2, 2, j->l->segment_count + 2);
	linked_put(rest + 6, 2, m->count);
	linked_put(rest + 8, 2, m->number[j->parts[0].o->shstrtab]);
	return OBJECT_OK;
}

int joining_image(struct joining *j, uint8_t **bytes, size_t *size)
{
	struct object *o = j->parts[0].o;
	struct imaging m = {.j = j};
	const struct object_section *strings = &o->sections[o->strtab];
	m.number = calloc(o->section_count, sizeof *m.number);
	m.headers = calloc(o->section_count + PART_KINDS, sizeof *m.headers);
	m.strings = malloc(strings->size + 1);
	if (m.number == NULL || m.headers == NULL || m.strings == NULL)
		m.error = OBJECT_ENOMEM;
	else {
		memcpy(m.strings, strings->data, strings->size);
		m.strings_size = m.strings_room = strings->size;
		list_sections(&m);
		begin_file(&m);
	}
	if (m.error == OBJECT_OK)
		put_sections(&m);
	const uint64_t headers = m.error == OBJECT_OK ? end_file(&m) : 0;
	if (m.error == OBJECT_OK)
		m.error = put_segments(&m);
	if (m.error == OBJECT_OK)
		m.error = put_file_header(&m, headers);
	free(m.number);
	free(m.headers);
	free(m.strings);
	free(m.names);
	if (m.error != OBJECT_OK) {
		free(m.bytes);
		return m.error;
	}
	*bytes = m.bytes;
	*size = m.size;
	return OBJECT_OK;
}
