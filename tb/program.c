/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/program.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/run_config.h"

__attribute__((format(printf, 2, 3))) static int fail(struct program *p, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(p->error, sizeof(p->error), format, list);
	va_end(list);
	return -1;
}

static int by_address(const void *a, const void *b)
{
	const struct program_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (int)x->function - (int)y->function; /* the function last: it is what a search finds */
}

static int load_segments(struct program *p, Elf *elf, const char *path)
{
	size_t headers, raw_size;
	const char *raw = elf_rawfile(elf, &raw_size);
	int loaded = 0;

	if (!raw || elf_getphdrnum(elf, &headers))
		return fail(p, "%s: program headers cannot be read: %s", path, elf_errmsg(-1));
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			return fail(p, "%s: program header %zu cannot be read: %s", path, i, elf_errmsg(-1));
		if (ph.p_type != PT_LOAD || ph.p_memsz == 0)
			continue;
		if (ph.p_offset > raw_size || ph.p_filesz > raw_size - ph.p_offset)
			return fail(p,
			    "%s: segment %zu wants bytes %#llx..%#llx, but the file ends at %#zx: it is cut off, build "
			    "it again",
			    path, i, (unsigned long long)ph.p_offset, (unsigned long long)(ph.p_offset + ph.p_filesz),
			    raw_size);
		if (ph.p_filesz > ph.p_memsz)
			return fail(p, "%s: segment %zu is larger in the file than in memory", path, i);
		if (ph.p_paddr < p->base || ph.p_paddr - p->base > p->size ||
		    ph.p_memsz > p->size - (ph.p_paddr - p->base))
			return fail(p,
			    "%s: segment %zu at %#llx..%#llx does not fit into RAM at %#x..%#x: link it there, or "
			    "build with a larger SIM_RAM",
			    path, i, (unsigned long long)ph.p_paddr, (unsigned long long)(ph.p_paddr + ph.p_memsz),
			    p->base, p->base + p->size);
		memcpy(p->ram + (ph.p_paddr - p->base), raw + ph.p_offset, ph.p_filesz);
		loaded = 1;
	}
	return loaded ? 0 : fail(p, "%s: nothing to load (no PT_LOAD segment): is it an object file?", path);
}

static int load_symbols(struct program *p, Elf *elf, const char *path)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		p->symbols = calloc((size_t)(sh.sh_size / sh.sh_entsize) + 1, sizeof(*p->symbols));
		if (!p->symbols)
			return fail(p, "%s: no memory for its symbols", path);
		for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Sym sym;
			const char *name;

			if (!gelf_getsym(data, (int)i, &sym) || !(name = elf_strptr(elf, sh.sh_link, sym.st_name)))
				continue;
			/* Mapping symbols ($x, $d), local labels and absolute values name no place in the program. */
			if (!*name || *name == '$' || !strncmp(name, ".L", 2) || sym.st_shndx == SHN_UNDEF ||
			    sym.st_shndx == SHN_ABS || GELF_ST_TYPE(sym.st_info) == STT_FILE ||
			    GELF_ST_TYPE(sym.st_info) == STT_SECTION)
				continue;
			struct program_symbol *s = &p->symbols[p->count];
			s->address = (uint32_t)sym.st_value;
			s->size = (uint32_t)sym.st_size;
			s->function = GELF_ST_TYPE(sym.st_info) == STT_FUNC;
			s->name = strdup(name);
			if (!s->name)
				return fail(p, "%s: no memory for its symbols", path);
			p->count++;
		}
		break;
	}
	if (p->count)
		qsort(p->symbols, p->count, sizeof(*p->symbols), by_address);
	p->has_tohost = program_symbol(p, "tohost", &p->tohost);
	p->has_signature = program_symbol(p, "begin_signature", &p->signature_begin) &&
			   program_symbol(p, "end_signature", &p->signature_end);
	if (p->has_signature && (p->signature_begin < p->base || p->signature_end < p->signature_begin ||
				    p->signature_end - p->base > p->size))
		return fail(p, "%s: begin_signature %#x and end_signature %#x do not bound a part of RAM", path,
		    p->signature_begin, p->signature_end);
	return 0;
}

int program_open(struct program *p, const char *path, uint32_t base, uint32_t size)
{
	Elf *elf = NULL;
	GElf_Ehdr eh;
	int status = -1;
	int fd = open(path, O_RDONLY);

	memset(p, 0, sizeof(*p));
	p->base = base;
	p->size = size;
	if (fd < 0)
		return fail(p, "%s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	p->ram = calloc(size, 1);
	if (!p->ram)
		fail(p, "%s: no memory for %u bytes of RAM", path, size);
	else if (!(elf = elf_begin(fd, ELF_C_READ, NULL)) || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
		fail(p, "%s: offset 0: not an ELF file: give an executable", path);
	else if (eh.e_machine != EM_RISCV || gelf_getclass(elf) != ELFCLASS32 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		fail(p,
		    "%s: offset 4: machine %u, class %u: a 32-bit little-endian RISC-V executable (machine 243, class "
		    "1) is needed",
		    path, eh.e_machine, eh.e_ident[EI_CLASS]);
	else if (!load_segments(p, elf, path))
		status = load_symbols(p, elf, path);
	p->entry = (uint32_t)eh.e_entry;
	elf_end(elf);
	close(fd);
	return status;
}

void program_close(struct program *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->symbols[i].name);
	free(p->symbols);
	free(p->ram);
	p->symbols = NULL;
	p->ram = NULL;
	p->count = 0;
}

static const struct program_symbol *find_symbol(const struct program *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (!strcmp(p->symbols[i].name, name))
			return &p->symbols[i];
	return NULL;
}

int program_set(struct program *p, const char *setting)
{
	const struct program_symbol *block = find_symbol(p, "rivulet_config");
	uint32_t at, magic, value;
	char detail[sizeof p->error - 16];

	if (block == NULL)
		return fail(
		    p, "--set %s: the program has no symbol rivulet_config, so nothing can be set in it", setting);
	at = block->address;
	if (at < p->base || at - p->base > p->size - sizeof(struct run_config))
		return fail(p, "--set %s: rivulet_config at %#x lies outside RAM", setting, at);
	memcpy(&magic, p->ram + (at - p->base), sizeof(magic));
	if (magic != RUN_CONFIG_MAGIC)
		return fail(p,
		    "--set %s: %#x at rivulet_config, expected %#x: built for another version, build it again", setting,
		    magic, RUN_CONFIG_MAGIC);
	int index = run_config_parse(setting, &value, detail, sizeof detail);
	if (index < 0)
		return fail(p, "--set %s", detail);
	const enum run_config_room room = run_config_room(block->size, index, value, detail, sizeof detail);
	if (room == RUN_CONFIG_MISSING)
		return fail(p, "--set %s: %s", setting, detail);
	if (room == RUN_CONFIG_WRITE)
		memcpy(p->ram + (at - p->base) + 4 * (uint32_t)index, &value, sizeof(value));
	return 0;
}

bool program_symbol(const struct program *p, const char *name, uint32_t *address)
{
	const struct program_symbol *symbol = find_symbol(p, name);
	if (symbol != NULL)
		*address = symbol->address;
	return symbol != NULL;
}

void program_where(const struct program *p, uint32_t address, char *text, size_t size)
{
	size_t low = 0, high = p->count; /* symbols below low are <= address, from high on > address */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - p->base >= p->size)
		snprintf(text, size, "?");
	else if (address == p->symbols[low - 1].address)
		snprintf(text, size, "%s", p->symbols[low - 1].name);
	else
		snprintf(text, size, "%s+0x%x", p->symbols[low - 1].name, address - p->symbols[low - 1].address);
}
