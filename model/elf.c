/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loading a program: segments into RAM, and the symbols that a run needs. */
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/elf_file.h"
#include "model/private.h"

struct loader {
	struct model *model;
	struct elf_file file;
	char *detail;
	size_t size;
};

#define FAIL(l, error, ...) (snprintf((l)->detail, (l)->size, __VA_ARGS__), (error))

static int model_error(int error)
{
	switch (error) {
	case ELF_FILE_OK:
		return MODEL_OK;
	case ELF_FILE_EOPEN:
		return MODEL_EOPEN;
	case ELF_FILE_EARCH:
		return MODEL_EARCH;
	case ELF_FILE_ENOMEM:
		return MODEL_ENOMEM;
	default:
		return MODEL_EELF;
	}
}

/* What of all RISC-V programs this core runs. */
static int check_program(struct loader *l)
{
	const struct elf_file *file = &l->file;
	if (file->wide)
		return FAIL(l, MODEL_EARCH,
		    "%s: offset 4: a 64-bit program, expected 32-bit; compile with -march=rv32imc -mabi=ilp32",
		    file->path);
	if (file->moveable)
		return FAIL(l, MODEL_EELF,
		    "%s: offset 16: type 3 (position independent), expected 2 (executable); link it with -static "
		    "-no-pie",
		    file->path);
	return MODEL_OK;
}

/* Of data that start-up code moves from flash only what the file has lies there. */
static uint64_t loaded_size(const struct elf_segment *s)
{
	return s->physical != s->address ? s->file_size : s->size;
}

static int by_physical_address(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;
	return (x->physical > y->physical) - (x->physical < y->physical);
}

/* What is loaded over another segment would be neither of them. */
static int check_load_addresses(struct loader *l)
{
	const size_t count = l->file.segment_count;
	struct elf_segment *sorted = malloc((count + 1) * sizeof *sorted);
	int error = sorted == NULL ? MODEL_ENOMEM : MODEL_OK;
	size_t last = SIZE_MAX;
	for (size_t i = 0; !error && i < count; i++)
		sorted[i] = l->file.segments[i];
	if (!error)
		qsort(sorted, count, sizeof *sorted, by_physical_address);
	for (size_t i = 0; !error && i < count; i++) {
		if (loaded_size(&sorted[i]) == 0)
			continue;
		if (last != SIZE_MAX && sorted[i].physical - sorted[last].physical < loaded_size(&sorted[last]))
			error = FAIL(l, MODEL_EELF,
			    "%s: two segments are loaded over each other at 0x%08" PRIx64 " (file offsets %" PRIu64
			    " and %" PRIu64 "); give them load addresses of their own in the linker script (AT)",
			    l->file.path, sorted[i].physical, sorted[last].offset, sorted[i].offset);
		last = i;
	}
	free(sorted);
	return error;
}

static int load_segment(struct loader *l, const struct elf_segment *s)
{
	struct model *m = l->model;
	uint32_t offset = (uint32_t)s->physical - m->config.ram_base, first, room;
	const bool there = s->physical <= UINT32_MAX && model_memory_of(&m->config, offset, &first, &room);
	const uint64_t size = loaded_size(s);
	if (s->size == 0)
		return MODEL_OK;
	if (!there || size > room - (offset - first))
		return FAIL(l, MODEL_ESIZE,
		    "%s: the segment at offset %" PRIu64 " needs 0x%" PRIx64 "..0x%" PRIx64
		    ", RAM is 0x%x..0x%x (%u KiB); make it smaller, link it there, or give more RAM (--ram) or other "
		    "memories (--map)",
		    l->file.path, s->offset, s->physical, s->physical + s->size, m->config.ram_base,
		    m->config.ram_base + m->config.ram_size, m->config.ram_size >> 10);
	memset(m->ram + offset, 0, size);
	memcpy(m->ram + offset, s->bytes, s->file_size);
	return MODEL_OK;
}

static int find_entry(struct loader *l)
{
	for (size_t i = 0; i < l->file.segment_count; i++) {
		const struct elf_segment *s = &l->file.segments[i];
		if (l->file.entry >= s->address && l->file.entry - s->address < s->file_size &&
		    l->file.entry % 2 == 0) {
			l->model->entry = (uint32_t)l->file.entry;
			return MODEL_OK;
		}
	}
	return FAIL(l, MODEL_EELF,
	    "%s: offset 24: the entry 0x%" PRIx64 " lies in no segment of the program; link it with -Wl,-e,SYMBOL or "
	    "ENTRY(SYMBOL)",
	    l->file.path, l->file.entry);
}

/* Symbols are optional: a stripped program runs too. */
/* A stack that our start-up code would put outside the RAM: the program would only trap. */
static int check_stack(struct loader *l)
{
	const struct model_config *c = &l->model->config;
	uint32_t stack = l->model->stack;
	if (!l->model->has_stack || model_is_memory(c, stack - 4 - c->ram_base))
		return MODEL_OK;
	return FAIL(l, MODEL_ESIZE,
	    "%s: its stack begins at 0x%x (symbol __stack), RAM is 0x%x..0x%x (%u KiB); give more RAM (--ram), or link "
	    "it for less",
	    l->file.path, stack, c->ram_base, c->ram_base + c->ram_size, c->ram_size >> 10);
}

static void find_symbols(struct loader *l, Elf *elf)
{
	struct model *m = l->model;
	bool begin = false, end = false;
	m->has_tohost = m->has_signature = m->has_run_config = m->has_stack = false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr sh;
		Elf_Data *data;
		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_SYMTAB || !(data = elf_getdata(section, NULL)) ||
		    sh.sh_entsize == 0)
			continue;
		for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Sym sym;
			const char *name;
			if (!gelf_getsym(data, (int)i, &sym) || !(name = elf_strptr(elf, sh.sh_link, sym.st_name)))
				continue;
			uint32_t value = (uint32_t)sym.st_value;
			if (!strcmp(name, "tohost")) {
				m->tohost = value;
				m->has_tohost = true;
			} else if (!strcmp(name, "begin_signature")) {
				m->signature_begin = value;
				begin = true;
			} else if (!strcmp(name, "end_signature")) {
				m->signature_end = value;
				end = true;
			} else if (!strcmp(name, "__stack")) {
				m->stack = value;
				m->has_stack = true;
			} else if (!strcmp(name, "rivulet_config")) {
				m->run_config = value;
				m->run_config_size = (uint32_t)sym.st_size;
				m->has_run_config = true;
			}
		}
	}
	m->has_signature = begin && end;
}

int model_load_elf(struct model *model, const char *path, char *detail, size_t size)
{
	struct loader l = {.model = model, .detail = detail, .size = size};
	int error = model_error(elf_file_open(&l.file, path, detail, size));
	if (error)
		return error;
	error = check_program(&l);
	if (!error)
		error = check_load_addresses(&l);
	for (size_t i = 0; !error && i < l.file.segment_count; i++)
		error = load_segment(&l, &l.file.segments[i]);
	if (!error)
		error = find_entry(&l);
	if (!error && elf_version(EV_CURRENT) != EV_NONE) {
		Elf *elf = elf_memory((char *)l.file.bytes, l.file.length);
		if (elf)
			find_symbols(&l, elf);
		elf_end(elf);
		error = check_stack(&l);
	}
	elf_file_close(&l.file);
	return error;
}
