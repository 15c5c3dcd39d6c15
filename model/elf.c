/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Loading a program: segments into RAM, and the symbols that a run needs. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/private.h"

struct loader {
	struct model *model;
	const char *path;
	char *detail;
	size_t size;
	int fd;
	uint64_t file_size;
	Elf *elf;
};

#define FAIL(l, error, ...) (snprintf((l)->detail, (l)->size, __VA_ARGS__), (error))

static int check_header(struct loader *l, size_t *segments)
{
	GElf_Ehdr header;
	if (elf_kind(l->elf) != ELF_K_ELF)
		return FAIL(l, MODEL_EELF,
		    "%s: offset 0: no ELF header; give the .elf file that the linker wrote, not a binary image or a "
		    "listing",
		    l->path);
	if (!gelf_getehdr(l->elf, &header))
		return FAIL(l, MODEL_EELF,
		    "%s: offset 0: the ELF header is cut off (file of %llu bytes); copy the file again", l->path,
		    (unsigned long long)l->file_size);
	if (header.e_machine != EM_RISCV)
		return FAIL(l, MODEL_EARCH,
		    "%s: offset 18: machine %u, expected 243 (RISC-V); compile with riscv64-unknown-elf-gcc "
		    "-march=rv32imc -mabi=ilp32",
		    l->path, header.e_machine);
	if (header.e_ident[EI_CLASS] != ELFCLASS32)
		return FAIL(l, MODEL_EARCH,
		    "%s: offset 4: a 64-bit program, expected 32-bit; compile with -march=rv32imc -mabi=ilp32",
		    l->path);
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return FAIL(l, MODEL_EARCH, "%s: offset 5: a big-endian program, expected little-endian", l->path);
	if (header.e_type != ET_EXEC)
		return FAIL(l, MODEL_EELF, "%s: offset 16: type %u, expected 2 (executable); link it first", l->path,
		    header.e_type);
	if (elf_getphdrnum(l->elf, segments) != 0 || *segments == 0)
		return FAIL(l, MODEL_EELF,
		    "%s: offset %llu: no program headers; link it, or copy the file again if it is cut off", l->path,
		    (unsigned long long)header.e_phoff);
	return MODEL_OK;
}

static int load_segment(struct loader *l, size_t index)
{
	GElf_Phdr ph;
	struct model *m = l->model;
	if (!gelf_getphdr(l->elf, (int)index, &ph))
		return FAIL(l, MODEL_EELF,
		    "%s: program header %zu is cut off (file of %llu bytes); copy the file again", l->path, index,
		    (unsigned long long)l->file_size);
	if (ph.p_type != PT_LOAD || ph.p_memsz == 0)
		return MODEL_OK;
	if (ph.p_filesz > ph.p_memsz)
		return FAIL(l, MODEL_EELF,
		    "%s: program header %zu: %llu bytes in the file for %llu in memory; the file is damaged", l->path,
		    index, (unsigned long long)ph.p_filesz, (unsigned long long)ph.p_memsz);
	if (ph.p_offset > l->file_size || ph.p_filesz > l->file_size - ph.p_offset)
		return FAIL(l, MODEL_EELF,
		    "%s: offset %llu: segment %zu wants %llu bytes, the file ends at %llu; it is cut off, copy it "
		    "again",
		    l->path, (unsigned long long)ph.p_offset, index, (unsigned long long)ph.p_filesz,
		    (unsigned long long)l->file_size);
	uint64_t offset = ph.p_paddr - m->config.ram_base;
	if (ph.p_paddr < m->config.ram_base || offset > m->config.ram_size || ph.p_memsz > m->config.ram_size - offset)
		return FAIL(l, MODEL_ESIZE,
		    "%s: segment %zu needs 0x%llx..0x%llx, RAM is 0x%x..0x%x (%u KiB); make it smaller, link it there, "
		    "or give more RAM (--ram)",
		    l->path, index, (unsigned long long)ph.p_paddr, (unsigned long long)(ph.p_paddr + ph.p_memsz),
		    m->config.ram_base, m->config.ram_base + m->config.ram_size, m->config.ram_size >> 10);
	memset(m->ram + offset, 0, ph.p_memsz);
	for (uint64_t done = 0; done < ph.p_filesz;) {
		ssize_t got = pread(l->fd, m->ram + offset + done, ph.p_filesz - done, (off_t)(ph.p_offset + done));
		if (got <= 0)
			return FAIL(l, MODEL_EOPEN, "%s: offset %llu: %s", l->path,
			    (unsigned long long)(ph.p_offset + done),
			    got < 0 ? strerror(errno) : "unexpected end of file");
		done += (uint64_t)got;
	}
	return MODEL_OK;
}

/* Symbols are optional: a stripped program runs too. */
static void find_symbols(struct loader *l)
{
	struct model *m = l->model;
	bool begin = false, end = false;
	m->has_tohost = m->has_signature = m->has_run_config = false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(l->elf, section));) {
		GElf_Shdr sh;
		Elf_Data *data;
		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_SYMTAB || !(data = elf_getdata(section, NULL)) ||
		    sh.sh_entsize == 0)
			continue;
		for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Sym sym;
			const char *name;
			if (!gelf_getsym(data, (int)i, &sym) || !(name = elf_strptr(l->elf, sh.sh_link, sym.st_name)))
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
			} else if (!strcmp(name, "rivulet_config")) {
				m->run_config = value;
				m->has_run_config = true;
			}
		}
	}
	m->has_signature = begin && end;
}

static int load(struct loader *l)
{
	size_t segments = 0;
	int error = check_header(l, &segments);
	for (size_t i = 0; !error && i < segments; i++)
		error = load_segment(l, i);
	if (!error)
		find_symbols(l);
	return error;
}

int model_load_elf(struct model *model, const char *path, char *detail, size_t size)
{
	struct loader l = {.model = model, .path = path, .detail = detail, .size = size};
	struct stat st;
	l.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (l.fd < 0)
		return FAIL(&l, MODEL_EOPEN, "%s: %s", path, strerror(errno));
	int error;
	if (fstat(l.fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		error = FAIL(&l, MODEL_EOPEN, "%s: not a regular file; give an ELF executable", path);
	} else if (elf_version(EV_CURRENT) == EV_NONE || !(l.elf = elf_begin(l.fd, ELF_C_READ, NULL))) {
		error = FAIL(&l, MODEL_EELF, "%s: %s", path, elf_errmsg(-1));
	} else {
		l.file_size = (uint64_t)st.st_size;
		error = load(&l);
	}
	elf_end(l.elf);
	close(l.fd);
	return error;
}
