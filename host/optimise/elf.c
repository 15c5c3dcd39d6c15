/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/optimise/elf.h"
#include "host/base/order.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

const char *optimise_elf_strerror(int error)
{
	switch (error) {
	case OPTIMISE_ELF_OK:
		return "no error";
	case OPTIMISE_ELF_ENOMEM:
		return "out of memory";
	case OPTIMISE_ELF_EWRITE:
		return "cannot be written";
	case OPTIMISE_ELF_EFORM:
		return "the program has no section headers, or code that is in no segment";
	default:
		return "unknown error";
	}
}

/* The new file as it grows. */
struct growing {
	uint8_t *bytes;
	size_t size, room;
	bool failed;
};

static size_t grow_file(struct growing *g, const void *bytes, size_t size, size_t align)
{
	size_t at = (g->size + align - 1) / align * align;
	if (at + size > g->room) {
		size_t room = 2 * (at + size) + 4096;
		uint8_t *more = realloc(g->bytes, room);
		if (more == NULL) {
			g->failed = true;
			return 0;
		}
		g->bytes = more;
		g->room = room;
	}
	memset(g->bytes + g->size, 0, at - g->size);
	memcpy(g->bytes + at, bytes, size);
	g->size = at + size;
	return at;
}

static bool patch_segments(const struct elf_file *file, struct growing *g, const struct optimise *optimise)
{
	for (uint32_t i = 0; i < optimise->patch_count; i++) {
		const struct optimise_patch *p = &optimise->patches[i];
		bool done = false;
		for (size_t s = 0; s < file->segment_count && !done; s++) {
			const struct elf_segment *segment = &file->segments[s];
			if (p->pc < segment->address || p->pc - segment->address + 4 > segment->file_size)
				continue;
			memcpy(g->bytes + segment->offset + (p->pc - segment->address), &p->after, 4);
			done = true;
		}
		if (!done)
			return false;
	}
	return true;
}

static int map_rows_by_address(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

/* The section .rivulet_optimise. */
static uint32_t *make_map(const struct optimise *optimise, size_t *size)
{
	uint32_t *map = calloc(4 + 2 * ((size_t)optimise->patch_count + optimise->insn_count), sizeof *map), *at = map;
	if (map == NULL)
		return NULL;
	*at++ = OPTIMISE_MAP_MAGIC;
	*at++ = 1;
	*at++ = optimise->patch_count;
	uint32_t *count = at++;
	for (uint32_t i = 0; i < optimise->patch_count; i++) {
		*at++ = optimise->patches[i].pc;
		*at++ = optimise->patches[i].before;
	}
	uint32_t *first = at;
	for (uint32_t i = 0; i < optimise->insn_count; i++) {
		const struct optimise_insn *insn = &optimise->insns[i];
		if (insn->size == 0)
			continue;
		*at++ = optimise->config.cache + 2u * insn->at;
		*at++ = insn->pc;
		++*count;
	}
	qsort(first, *count, 2 * sizeof *map, map_rows_by_address);
	*size = (size_t)(at - map) * sizeof *map;
	return map;
}

static int build_patched_file(const struct elf_file *file, const struct optimise *optimise, struct growing *g)
{
	Elf32_Ehdr header;
	struct elf_part table, strings;
	Elf32_Shdr names;
	memcpy(&header, file->bytes, sizeof header);
	if (header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum || header.e_phnum >= UINT16_MAX ||
	    header.e_shnum >= SHN_LORESERVE - 2 || header.e_shentsize != sizeof names ||
	    !elf_file_part(file, header.e_shoff, (uint64_t)header.e_shnum * sizeof names, &table))
		return OPTIMISE_ELF_EFORM;
	memcpy(&names, table.bytes + header.e_shstrndx * sizeof names, sizeof names);
	if (!elf_file_part(file, names.sh_offset, names.sh_size, &strings))
		return OPTIMISE_ELF_EFORM;
	grow_file(g, file->bytes, file->length, 1);
	if (g->failed)
		return OPTIMISE_ELF_ENOMEM;
	if (!patch_segments(file, g, optimise))
		return OPTIMISE_ELF_EFORM;

	static const char more_names[] = ".text.rivulet\0.rivulet_optimise";
	size_t map_size;
	uint8_t *cache = malloc(optimise->cache_used + 1u);
	uint32_t *map = make_map(optimise, &map_size);
	char *all_names = malloc(names.sh_size + sizeof more_names);
	Elf32_Shdr *all = malloc((header.e_shnum + 2u) * sizeof *all);
	if (cache != NULL && map != NULL && all_names != NULL && all != NULL) {
		optimise_emit(optimise, cache);
		memcpy(all_names, strings.bytes, strings.size);
		memcpy(all_names + names.sh_size, more_names, sizeof more_names);
		memcpy(all, table.bytes, table.size);
		size_t code = grow_file(g, cache, optimise->cache_used, 16);
		all[header.e_shnum] = (Elf32_Shdr){.sh_name = names.sh_size,
		    .sh_type = SHT_PROGBITS,
		    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		    .sh_addr = optimise->config.cache,
		    .sh_offset = (Elf32_Off)code,
		    .sh_size = optimise->cache_used,
		    .sh_addralign = 4};
		all[header.e_shnum + 1] = (Elf32_Shdr){.sh_name = names.sh_size + (Elf32_Word)strlen(more_names) + 1,
		    .sh_type = SHT_PROGBITS,
		    .sh_offset = (Elf32_Off)grow_file(g, map, map_size, 4),
		    .sh_size = (Elf32_Word)map_size,
		    .sh_addralign = 4};
		all[header.e_shstrndx].sh_offset =
		    (Elf32_Off)grow_file(g, all_names, names.sh_size + sizeof more_names, 1);
		all[header.e_shstrndx].sh_size = (Elf32_Word)(names.sh_size + sizeof more_names);
		const Elf32_Phdr load = {.p_type = PT_LOAD,
		    .p_offset = (Elf32_Off)code,
		    .p_vaddr = optimise->config.cache,
		    .p_paddr = optimise->config.cache,
		    .p_filesz = optimise->cache_used,
		    .p_memsz = optimise->cache_used,
		    .p_flags = PF_R | PF_X,
		    .p_align = 4};
		size_t segments =
		    grow_file(g, file->bytes + header.e_phoff, (size_t)header.e_phnum * sizeof(Elf32_Phdr), 4);
		grow_file(g, &load, sizeof load, 4);
		header.e_phoff = (Elf32_Off)segments;
		header.e_phnum++;
		header.e_shoff = (Elf32_Off)grow_file(g, all, (header.e_shnum + 2u) * sizeof *all, 4);
		header.e_shnum = (Elf32_Half)(header.e_shnum + 2);
		if (!g->failed)
			memcpy(g->bytes, &header, sizeof header);
	} else {
		g->failed = true;
	}
	free(cache);
	free(map);
	free(all_names);
	free(all);
	return g->failed ? OPTIMISE_ELF_ENOMEM : OPTIMISE_ELF_OK;
}

int optimise_elf_write(const struct elf_file *file, const struct optimise *optimise, FILE *out)
{
	struct growing g = {0};
	if (file->wide)
		return OPTIMISE_ELF_EFORM;
	int error = build_patched_file(file, optimise, &g);
	if (error == OPTIMISE_ELF_OK && fwrite(g.bytes, 1, g.size, out) != g.size)
		error = OPTIMISE_ELF_EWRITE;
	free(g.bytes);
	return error;
}
