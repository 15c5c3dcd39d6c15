/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What has no relocations in the file, and names code all the same: slots of the GOT, dynamic relocations and symbols,
 * .dynamic, the index of the unwind entries. An address there must be that of a symbol. */
#include <stdlib.h>
#include <string.h>
#include "host/linked/linked_private.h"
#include "host/base/order.h"

static int by_old_address(const void *a, const void *b)
{
	const struct moved_address *x = a, *y = b;
	return order_then(ORDER_UP(x->from, y->from), ORDER_UP(x->section, y->section));
}

int joining_find_moved(struct joining *j)
{
	const struct part *program = &j->parts[0];
	j->moved = malloc((j->old->symbol_count + 1) * sizeof *j->moved);
	if (j->moved == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t i = 1; i < j->old->symbol_count; i++) {
		const struct object_symbol *s = &j->old->symbols[i];
		if (s->section == SHN_UNDEF || s->section >= j->l->section_count ||
		    program->address[s->section] == j->l->sections[s->section].address ||
		    object_symbol_type(s) == STT_TLS)
			continue;
		j->moved[j->moved_count++] = (struct moved_address){j->l->sections[s->section].address + s->value,
		    program->address[s->section] + program->o->symbols[i].value, s->section};
	}
	qsort(j->moved, j->moved_count, sizeof *j->moved, by_old_address);
	return OBJECT_OK;
}

int joining_moved(const struct joining *j, uint64_t from, uint64_t *to, const char *what)
{
	const uint32_t section = linked_section_at(j->l, j->old, from);
	const struct moved_address key = {.from = from, .section = section};
	*to = from;
	if (section == 0 || j->parts[0].address[section] == j->l->sections[section].address)
		return OBJECT_OK;
	const struct moved_address *found = bsearch(&key, j->moved, j->moved_count, sizeof *j->moved, by_old_address);
	if (found == NULL)
		return linked_refuse(j->detail, j->detail_size,
		    "%s names address 0x%llx of section %s, where no symbol is", what, (unsigned long long)from,
		    j->old->sections[section].name);
	*to = found->to;
	return OBJECT_OK;
}

static uint8_t *bytes_at(struct joining *j, uint64_t address, unsigned bytes)
{
	const uint32_t section = linked_section_at(j->l, j->old, address);
	struct object *o = j->parts[0].o;
	if (section == 0 || o->sections[section].type == SHT_NOBITS)
		return NULL;
	const uint64_t offset = address - j->l->sections[section].address;
	if (bytes > o->sections[section].size || offset > o->sections[section].size - bytes ||
	    (!o->sections[section].owned && object_resize(o, section, o->sections[section].size) != OBJECT_OK))
		return NULL;
	return o->sections[section].data + offset;
}

/* The slots of the GOT that code names hold what their symbols mean. */
static int mend_slots(struct joining *j)
{
	const unsigned word = j->l->xlen / 8;
	for (uint32_t i = 1; i < j->old->symbol_count; i++) {
		const struct meaning *m = &j->parts[0].meanings[i];
		if (!j->l->bound[i].has_slot || !m->known)
			continue;
		const struct linked_dynamic *d = linked_dynamic_at(j->l, j->l->bound[i].slot);
		uint8_t *at = bytes_at(j, j->l->bound[i].slot, word);
		if (at == NULL)
			return linked_refuse(j->detail, j->detail_size, "the slot of `%s' in the GOT is not there",
			    object_symbol_name(j->old, i));
		if (d == NULL) {
			linked_put(at, word, m->value);
			continue;
		}
		if (d->type != R_RISCV_RELATIVE && d->type != R_RISCV_IRELATIVE && !m->wrapped)
			continue;
		struct linked_dynamic *now = &j->relocs[d - j->l->relocs];
		if (d->type != R_RISCV_IRELATIVE)
			now->type = R_RISCV_RELATIVE;
		now->symbol = 0;
		now->addend = (int64_t)m->value;
		j->done[d - j->l->relocs] = true;
	}
	return OBJECT_OK;
}

/* Words of the GOT of a program that is not relocated, which no code names: of functions that are called by a symbol's
 * address elsewhere. */
static int mend_other_slots(struct joining *j)
{
	const unsigned word = j->l->xlen / 8;
	struct object *o = j->parts[0].o;
	for (uint32_t n = 1; n < j->l->section_count; n++) {
		const struct object_section *s = &j->old->sections[n];
		if (j->l->independent || strncmp(s->name, ".got", 4) != 0 || s->type == SHT_NOBITS)
			continue;
		for (uint64_t at = 0; at + word <= s->size; at += word) {
			const uint64_t old = linked_get(s->data + at, word);
			uint64_t now;
			if (linked_get(o->sections[n].data + at, word) != old)
				continue;
			int error = joining_moved(j, old, &now, "the GOT");
			if (error != OBJECT_OK)
				return error;
			uint8_t *place = bytes_at(j, j->l->sections[n].address + at, word);
			if (place != NULL)
				linked_put(place, word, now);
		}
	}
	return OBJECT_OK;
}

static uint64_t old_relocs(const struct joining *j)
{
	return j->old_rela == 0 ? 0 : j->old->sections[j->old_rela].size;
}

/* Dynamic relocations that no relocation of the file has mended; then all of them as bytes, new ones first: those by a
 * symbol come behind. */
static int write_relocs(struct joining *j)
{
	const unsigned word = j->l->xlen / 8;
	struct object *o = j->parts[0].o;
	size_t in_rela = 0;
	for (size_t i = 0; i < j->l->reloc_count; i++) {
		struct linked_dynamic *d = &j->relocs[i];
		const uint32_t section = linked_section_at(j->l, j->old, d->address);
		uint64_t to;
		if (!j->done[i] && (d->type == R_RISCV_RELATIVE || d->type == R_RISCV_IRELATIVE)) {
			int error = joining_moved(j, (uint64_t)d->addend, &to, "a dynamic relocation");
			if (error != OBJECT_OK)
				return error;
			d->addend = (int64_t)to;
		}
		if (section != 0)
			d->address += j->parts[0].address[section] - j->l->sections[section].address;
		in_rela += d->section == j->rela;
	}
	const size_t relatives = j->relative_count - j->import_count;
	const uint64_t shift = j->rela == 0 ? 0 : relatives * 3 * (uint64_t)word;
	if (j->rela != 0) {
		const uint64_t old = old_relocs(j), now = old + j->relative_count * 3 * (uint64_t)word;
		if (now > o->sections[j->rela].size)
			return linked_refuse(j->detail, j->detail_size, "its dynamic relocations have no room");
		int error = object_resize(o, j->rela, now);
		if (error != OBJECT_OK)
			return error;
		memmove(o->sections[j->rela].data + shift, o->sections[j->rela].data, old);
	}
	for (size_t i = 0; i < j->l->reloc_count + (j->rela == 0 ? 0 : j->relative_count); i++) {
		const bool fresh = i >= j->l->reloc_count;
		const struct linked_dynamic *d = fresh ? &j->relatives[i - j->l->reloc_count] : &j->relocs[i];
		const uint32_t section = fresh ? j->rela : d->section;
		if (!o->sections[section].owned && object_resize(o, section, o->sections[section].size) != OBJECT_OK)
			return OBJECT_ENOMEM;
		const size_t number = i - j->l->reloc_count;
		uint64_t offset = d->offset + (section == j->rela ? shift : 0);
		if (fresh)
			offset = number * 3 * word + (number < relatives ? 0 : old_relocs(j));
		uint8_t *at = o->sections[section].data + offset;
		linked_put(at, word, d->address);
		linked_put(at + word, word,
		    word == 8 ? (uint64_t)d->symbol << 32 | d->type : (uint64_t)d->symbol << 8 | d->type);
		linked_put(at + 2 * word, word, (uint64_t)d->addend);
	}
	return OBJECT_OK;
}

/* ---- .dynamic, .dynsym ---- */
static int mend_dynsym(struct joining *j)
{
	const unsigned word = j->l->xlen / 8;
	const size_t size = j->l->xlen == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct object *o = j->parts[0].o;
	for (uint32_t n = 1; n < j->l->section_count; n++) {
		if (o->sections[n].type != SHT_DYNSYM)
			continue;
		int error = o->sections[n].owned ? OBJECT_OK : object_resize(o, n, o->sections[n].size);
		for (size_t at = 0; error == OBJECT_OK && at + size <= o->sections[n].size; at += size) {
			uint8_t *symbol = o->sections[n].data + at, *value = symbol + (word == 8 ? 8 : 4);
			const uint64_t section = linked_get(symbol + (word == 8 ? 6 : 14), 2);
			uint64_t to;
			if (section == SHN_UNDEF || section >= j->l->section_count ||
			    (symbol[word == 8 ? 4 : 12] & 15) == STT_TLS || !j->l->sections[section].moves)
				continue;
			const uint64_t from = linked_get(value, word);
			error = joining_moved(j, from, &to, "the table of dynamic symbols");
			linked_put(value, word, to);
		}
		if (error != OBJECT_OK)
			return error;
	}
	return OBJECT_OK;
}

/* The new address of a section that begins at an old one. */
static uint64_t moved_table(const struct joining *j, uint64_t from)
{
	for (uint32_t i = 1; i < j->l->section_count; i++) {
		if (j->l->sections[i].allocated && j->l->sections[i].address == from && j->old->sections[i].size > 0)
			return j->parts[0].address[i];
	}
	return from;
}

static uint32_t dynsym_of(const struct joining *j)
{
	for (uint32_t i = 1; i < j->l->section_count; i++) {
		if (j->old->sections[i].type == SHT_DYNSYM)
			return i;
	}
	return 0;
}

struct tag {
	uint64_t number, value;
	bool needed, set;
};

static int mend_tags(struct joining *j, struct object_section *s)
{
	const unsigned word = j->l->xlen / 8;
	const struct part *program = &j->parts[0];
	uint64_t rela = 0, relative = j->relative_count - j->import_count;
	struct tag tags[] = {{DT_INIT_ARRAY, j->init, j->init_end > j->init, false},
	    {DT_INIT_ARRAYSZ, j->init_end - j->init, j->init_end > j->init, false},
	    {DT_FINI_ARRAY, j->fini, j->fini_end > j->fini, false},
	    {DT_FINI_ARRAYSZ, j->fini_end - j->fini, j->fini_end > j->fini, false},
	    {DT_RELA, j->rela == 0 ? 0 : program->address[j->rela], j->rela != 0, false},
	    {DT_RELASZ, j->rela == 0 ? 0 : program->o->sections[j->rela].size, j->rela != 0, false},
	    {DT_RELAENT, 3 * word, j->rela != 0, false}};
	const size_t tag_count = sizeof tags / sizeof *tags;
	for (uint64_t at = 0; at + 2 * word <= s->size; at += 2 * word) {
		const uint64_t tag = linked_get(s->data + at, word), value = linked_get(s->data + at + word, word);
		uint64_t to = value;
		int error = OBJECT_OK;
		if (tag == DT_INIT || tag == DT_FINI)
			error = joining_moved(j, value, &to, "DT_INIT or DT_FINI");
		if (error != OBJECT_OK)
			return error;
		if (tag == DT_SYMTAB || tag == DT_STRTAB || tag == DT_VERSYM)
			to = moved_table(j, value);
		if (tag == DT_STRSZ)
			to = program->o->sections[program->o->sections[dynsym_of(j)].link].size;
		if (tag == DT_RELA)
			rela = value;
		if (tag == DT_RELACOUNT)
			to = value + relative;
		for (size_t i = 0; i < tag_count; i++) {
			if (tags[i].number == tag && tags[i].needed) {
				to = tags[i].value;
				tags[i].set = true;
			}
		}
		linked_put(s->data + at + word, word, to);
	}
	if (j->old_rela != 0 && rela != j->l->sections[j->rela].address)
		return linked_refuse(
		    j->detail, j->detail_size, "its dynamic relocations do not begin with section .rela.dyn");
	/* entries at the end are spare; the last one stays */
	uint64_t spare = s->size;
	while (spare >= 2 * word && linked_get(s->data + spare - 2 * word, word) == DT_NULL)
		spare -= 2 * word;
	for (size_t i = 0; i < tag_count; i++) {
		if (!tags[i].needed || tags[i].set)
			continue;
		if (spare + 4 * word > s->size)
			return linked_refuse(
			    j->detail, j->detail_size, "section .dynamic has no room for constructors");
		linked_put(s->data + spare, word, tags[i].number);
		linked_put(s->data + spare + word, word, tags[i].value);
		spare += 2 * word;
	}
	return OBJECT_OK;
}

/* ---- the index of unwind entries ---- */
struct frame_row {
	uint64_t code, entry;
};

static int by_code(const void *a, const void *b)
{
	const struct frame_row *x = a, *y = b;
	return ORDER_UP(x->code, y->code);
}

/* Entries begin with the distance to their code, of 32 bits: so all compilers for RISC-V write them. */
static size_t rows_of(const struct object_section *s, uint64_t address, struct frame_row *rows, size_t room)
{
	size_t count = 0;
	for (uint64_t at = 0; at + 12 <= s->size && count < room;) {
		const uint64_t length = linked_get(s->data + at, 4);
		if (length != 0 && linked_get(s->data + at + 4, 4) != 0)
			rows[count++] = (struct frame_row){
			    address + at + 8 + (uint64_t)(int64_t)(int32_t)linked_get(s->data + at + 8, 4),
			    address + at};
		at += 4 + length;
	}
	return count;
}

int joining_index_frames(struct joining *j)
{
	struct object *o = j->parts[0].o;
	if (j->header == 0)
		return OBJECT_OK;
	struct object_section *h = &o->sections[j->header];
	const uint64_t place = j->parts[0].address[j->header];
	const size_t room = (size_t)(h->size - 12) / 8;
	struct frame_row *rows = calloc(room + 1, sizeof *rows);
	size_t count = 0;
	if (rows == NULL)
		return OBJECT_ENOMEM;
	for (size_t p = 0; p < j->part_count; p++) {
		const struct part *part = &j->parts[p];
		for (uint32_t i = 1; i < part->o->section_count; i++) {
			if (part->kind[i] == PART_CONSTANT && strcmp(part->o->sections[i].name, ".eh_frame") == 0)
				count += rows_of(&part->o->sections[i], part->address[i], rows + count, room - count);
		}
	}
	qsort(rows, count, sizeof *rows, by_code);
	/* version 1; address of the entries by distance, number of 4 bytes, rows by distance from here */
	memcpy(h->data, "\1\x1b\3\x3b", 4);
	linked_put(h->data + 4, 4, j->frames - (place + 4));
	linked_put(h->data + 8, 4, count);
	for (size_t i = 0; i < count; i++) {
		linked_put(h->data + 12 + 8 * i, 4, rows[i].code - place);
		linked_put(h->data + 16 + 8 * i, 4, rows[i].entry - place);
	}
	free(rows);
	return OBJECT_OK;
}

int joining_dynamic(struct joining *j)
{
	struct object *o = j->parts[0].o;
	int error = mend_slots(j);
	if (error == OBJECT_OK)
		error = mend_other_slots(j);
	if (error == OBJECT_OK)
		error = write_relocs(j);
	if (error == OBJECT_OK)
		error = mend_dynsym(j);
	for (uint32_t n = 1; n < j->l->section_count && error == OBJECT_OK; n++) {
		if (o->sections[n].type != SHT_DYNAMIC)
			continue;
		error = o->sections[n].owned ? OBJECT_OK : object_resize(o, n, o->sections[n].size);
		if (error == OBJECT_OK)
			error = mend_tags(j, &o->sections[n]);
	}
	return error;
}
