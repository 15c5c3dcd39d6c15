/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 30)

static int fail(char *detail, size_t size, int error, const char *format, ...) __attribute__((format(printf, 4, 5)));
static int fail(char *detail, size_t size, int error, const char *format, ...)
{
	if (detail != NULL && size > 0) {
		va_list list;
		va_start(list, format);
		vsnprintf(detail, size, format, list);
		va_end(list);
	}
	return error;
}

/* Reads a whole regular file. */
static int read_file(const char *path, uint8_t **bytes, size_t *length, char *detail, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fail(detail, size, ELF_FILE_EOPEN, "%s: cannot be opened: %s", path, strerror(errno));
	struct stat status;
	int error = ELF_FILE_OK;
	uint8_t *buffer = NULL;
	size_t done = 0;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		error = fail(detail, size, ELF_FILE_EOPEN, "%s: is %s, expected a RISC-V ELF program file", path,
		    S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
		goto out;
	}
	if ((uint64_t)status.st_size > FILE_MAX) {
		error = fail(detail, size, ELF_FILE_EOPEN, "%s: has %llu bytes, more than the %zu that are supported",
		    path, (unsigned long long)status.st_size, FILE_MAX);
		goto out;
	}
	size_t want = (size_t)status.st_size;
	buffer = malloc(want + 1); /* + 1: never a request for 0 bytes */
	if (buffer == NULL) {
		error = fail(detail, size, ELF_FILE_ENOMEM, "%s: out of memory for %zu bytes", path, want);
		goto out;
	}
	while (done < want) {
		ssize_t got = read(fd, buffer + done, want - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			error = fail(detail, size, ELF_FILE_EOPEN, "%s: read error at offset %zu: %s", path, done,
			    strerror(errno));
			goto out;
		}
		if (got == 0)
			break;
		done += (size_t)got;
	}
out:
	close(fd);
	if (error != ELF_FILE_OK) {
		free(buffer);
		return error;
	}
	*bytes = buffer;
	*length = done;
	return ELF_FILE_OK;
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_386:
		return "x86";
	case EM_ARM:
		return "Arm";
	case EM_AARCH64:
		return "AArch64";
	case EM_RISCV:
		return "RISC-V";
	default:
		return "another machine";
	}
}

/* The headers of both classes, widened to those of ELF64. By hand: libelf says only that something is wrong, the user
 * is to know where. */
static void widen_header(const uint8_t *b, bool wide, Elf64_Ehdr *header)
{
	Elf32_Ehdr narrow;
	if (wide) {
		memcpy(header, b, sizeof *header);
		return;
	}
	memcpy(&narrow, b, sizeof narrow);
	*header = (Elf64_Ehdr){.e_type = narrow.e_type,
	    .e_machine = narrow.e_machine,
	    .e_flags = narrow.e_flags,
	    .e_entry = narrow.e_entry,
	    .e_phoff = narrow.e_phoff,
	    .e_shoff = narrow.e_shoff,
	    .e_phentsize = narrow.e_phentsize,
	    .e_phnum = narrow.e_phnum,
	    .e_shentsize = narrow.e_shentsize,
	    .e_shnum = narrow.e_shnum};
}

static void widen_segment(const uint8_t *b, bool wide, Elf64_Phdr *program)
{
	Elf32_Phdr narrow;
	if (wide) {
		memcpy(program, b, sizeof *program);
		return;
	}
	memcpy(&narrow, b, sizeof narrow);
	*program = (Elf64_Phdr){.p_type = narrow.p_type,
	    .p_flags = narrow.p_flags,
	    .p_offset = narrow.p_offset,
	    .p_vaddr = narrow.p_vaddr,
	    .p_paddr = narrow.p_paddr,
	    .p_filesz = narrow.p_filesz,
	    .p_memsz = narrow.p_memsz};
}

static void widen_section(const uint8_t *b, bool wide, Elf64_Shdr *section)
{
	Elf32_Shdr narrow;
	if (wide) {
		memcpy(section, b, sizeof *section);
		return;
	}
	memcpy(&narrow, b, sizeof narrow);
	*section = (Elf64_Shdr){.sh_type = narrow.sh_type,
	    .sh_flags = narrow.sh_flags,
	    .sh_addr = narrow.sh_addr,
	    .sh_offset = narrow.sh_offset,
	    .sh_size = narrow.sh_size};
}

/* Whether [offset, offset + size) lies in the file; nothing overflows. */
static bool in_file(const struct elf_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->length && size <= file->length - offset;
}

static int check_header(struct elf_file *file, Elf64_Ehdr *header, char *detail, size_t size)
{
	const char *path = file->path;
	const uint8_t *b = file->bytes;
	size_t length = file->length;
	if (length == 0)
		return fail(detail, size, ELF_FILE_EELF, "%s: is empty, expected a RISC-V ELF program file", path);
	size_t magic = length < SELFMAG ? length : SELFMAG;
	if (memcmp(b, ELFMAG, magic) != 0)
		return fail(detail, size, ELF_FILE_EELF,
		    "%s: offset 0: not an ELF file, expected it to begin with 0x7F \"ELF\"; give the linked program "
		    "(.elf), before any profile",
		    path);
	bool wide = length > EI_CLASS && b[EI_CLASS] == ELFCLASS64;
	size_t header_size = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	if (length < EI_NIDENT)
		return fail(detail, size, ELF_FILE_ETRUNCATED,
		    "%s: cut off at offset %zu in the ELF header, which has %zu bytes; link or copy it again", path,
		    length, header_size);
	if (b[EI_DATA] == ELFDATA2MSB)
		return fail(detail, size, ELF_FILE_EARCH,
		    "%s: offset 5: a big-endian ELF file, expected little-endian RISC-V; build it with a riscv32 "
		    "or riscv64 compiler",
		    path);
	if ((b[EI_CLASS] != ELFCLASS32 && !wide) || b[EI_DATA] != ELFDATA2LSB || b[EI_VERSION] != EV_CURRENT)
		return fail(detail, size, ELF_FILE_EELF,
		    "%s: offset 4: class %u, data %u, version %u, expected 1 or 2, 1, 1 (32-bit or 64-bit, "
		    "little-endian); the file is damaged",
		    path, b[EI_CLASS], b[EI_DATA], b[EI_VERSION]);
	if (length < header_size)
		return fail(detail, size, ELF_FILE_ETRUNCATED,
		    "%s: cut off at offset %zu in the ELF header, which has %zu bytes; link or copy it again", path,
		    length, header_size);
	file->wide = wide;
	widen_header(b, wide, header);
	size_t program_size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr),
	       section_size = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	if (header->e_machine != EM_RISCV)
		return fail(detail, size, ELF_FILE_EARCH,
		    "%s: offset 18: a program for %s (machine %u), expected RISC-V (243); give the program that runs "
		    "on the core",
		    path, machine_name(header->e_machine), header->e_machine);
	if (header->e_type == ET_REL)
		return fail(detail, size, ELF_FILE_ETYPE,
		    "%s: offset 16: an object file, expected a linked program; link it and give the result", path);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return fail(detail, size, ELF_FILE_ETYPE, "%s: offset 16: ELF type %u, expected a program (2)", path,
		    header->e_type);
	if (header->e_phnum == 0)
		return fail(detail, size, ELF_FILE_ETYPE,
		    "%s: offset %u: no program headers, expected a linked program", path, wide ? 56 : 44);
	if (header->e_phentsize != program_size || (header->e_shnum != 0 && header->e_shentsize != section_size))
		return fail(detail, size, ELF_FILE_EELF,
		    "%s: offset %u: header entries of %u and %u bytes, expected %zu and %zu; the file is damaged", path,
		    wide ? 54 : 42, header->e_phentsize, header->e_shentsize, program_size, section_size);
	if (!in_file(file, header->e_phoff, header->e_phnum * program_size))
		return fail(detail, size, ELF_FILE_ETRUNCATED,
		    "%s: cut off at offset %zu: the program headers (offset %" PRIu64
		    ") end at %llu; link or copy it again",
		    path, length, (uint64_t)header->e_phoff,
		    (unsigned long long)(header->e_phoff + header->e_phnum * program_size));
	if (header->e_shnum != 0 && !in_file(file, header->e_shoff, header->e_shnum * section_size))
		return fail(detail, size, ELF_FILE_ETRUNCATED,
		    "%s: cut off at offset %zu: the section headers (offset %" PRIu64
		    ") end at %llu; link or copy it again",
		    path, length, (uint64_t)header->e_shoff,
		    (unsigned long long)(header->e_shoff + header->e_shnum * section_size));
	return ELF_FILE_OK;
}

static int check_sections(struct elf_file *file, const Elf64_Ehdr *header, char *detail, size_t size)
{
	for (unsigned i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr section;
		uint64_t at = header->e_shoff + i * (file->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
		widen_section(file->bytes + at, file->wide, &section);
		if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL)
			continue;
		if (!in_file(file, section.sh_offset, section.sh_size))
			return fail(detail, size, ELF_FILE_ETRUNCATED,
			    "%s: cut off or damaged: section %u (header at offset %" PRIu64 ") has %" PRIu64
			    " bytes at offset %" PRIu64 ", the file has %zu; link or copy it again",
			    file->path, i, at, (uint64_t)section.sh_size, (uint64_t)section.sh_offset, file->length);
	}
	return ELF_FILE_OK;
}

/* A link script whose PHDRS give no flags leaves a segment that may do nothing: its sections say what it is for. */
static void take_section_flags(const struct elf_file *file, const Elf64_Ehdr *header, struct elf_segment *segment)
{
	for (unsigned i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr section;
		uint64_t at = header->e_shoff + i * (file->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
		widen_section(file->bytes + at, file->wide, &section);
		if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0 ||
		    section.sh_addr - segment->address >= segment->size)
			continue;
		segment->execute = segment->execute || (section.sh_flags & SHF_EXECINSTR) != 0;
		segment->write = segment->write || (section.sh_flags & SHF_WRITE) != 0;
	}
}

static int compare_segments(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static int read_segments(struct elf_file *file, const Elf64_Ehdr *header, char *detail, size_t size)
{
	file->segments = calloc(header->e_phnum, sizeof *file->segments);
	if (file->segments == NULL)
		return fail(detail, size, ELF_FILE_ENOMEM, "%s: out of memory", file->path);
	for (unsigned i = 0; i < header->e_phnum; i++) {
		uint64_t at = header->e_phoff + i * (file->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
		uint64_t top = file->wide ? UINT64_MAX : UINT32_MAX;
		Elf64_Phdr program;
		widen_segment(file->bytes + at, file->wide, &program);
		file->hosted = file->hosted || program.p_type == PT_GNU_STACK || program.p_type == PT_INTERP;
		if (program.p_type != PT_LOAD || program.p_memsz == 0)
			continue;
		if (program.p_filesz > program.p_memsz || program.p_memsz - 1 > top - program.p_vaddr)
			return fail(detail, size, ELF_FILE_EELF,
			    "%s: program header %u at offset %" PRIu64 ": %" PRIu64 " bytes at 0x%08" PRIx64
			    " from %" PRIu64 " bytes in the file do not fit; the file is damaged",
			    file->path, i, at, (uint64_t)program.p_memsz, (uint64_t)program.p_vaddr,
			    (uint64_t)program.p_filesz);
		if (!in_file(file, program.p_offset, program.p_filesz))
			return fail(detail, size, ELF_FILE_ETRUNCATED,
			    "%s: cut off at offset %zu: segment %u has %" PRIu64 " bytes at offset %" PRIu64
			    "; link or copy it again",
			    file->path, file->length, i, (uint64_t)program.p_filesz, (uint64_t)program.p_offset);
		file->segments[file->segment_count++] = (struct elf_segment){.address = program.p_vaddr,
		    .physical = program.p_paddr,
		    .size = program.p_memsz,
		    .offset = program.p_offset,
		    .file_size = program.p_filesz,
		    .execute = (program.p_flags & PF_X) != 0,
		    .write = (program.p_flags & PF_W) != 0,
		    .bytes = file->bytes + program.p_offset};
		if ((program.p_flags & (PF_R | PF_W | PF_X)) == 0)
			take_section_flags(file, header, &file->segments[file->segment_count - 1]);
	}
	qsort(file->segments, file->segment_count, sizeof *file->segments, compare_segments);
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *s = &file->segments[i];
		if (i > 0 && s->address - s[-1].address < s[-1].size)
			return fail(detail, size, ELF_FILE_EELF,
			    "%s: two segments overlap at 0x%08" PRIx64 " (file offsets %" PRIu64 " and %" PRIu64
			    "); the file is damaged",
			    file->path, s->address, s[-1].offset, s->offset);
	}
	return ELF_FILE_OK;
}

int elf_file_take(struct elf_file *file, const char *name, uint8_t *bytes, size_t length, char *detail, size_t size)
{
	Elf64_Ehdr header;
	*file = (struct elf_file){.bytes = bytes, .length = length, .path = strdup(name)};
	int error = file->path == NULL ? fail(detail, size, ELF_FILE_ENOMEM, "%s: out of memory", name)
				       : check_header(file, &header, detail, size);
	if (error == ELF_FILE_OK)
		error = check_sections(file, &header, detail, size);
	if (error == ELF_FILE_OK)
		error = read_segments(file, &header, detail, size);
	if (error == ELF_FILE_OK) {
		file->entry = header.e_entry;
		file->moveable = header.e_type == ET_DYN;
	} else
		elf_file_close(file);
	return error;
}

int elf_file_open(struct elf_file *file, const char *path, char *detail, size_t size)
{
	uint8_t *bytes = NULL;
	size_t length = 0;
	*file = (struct elf_file){0};
	int error = read_file(path, &bytes, &length, detail, size);
	return error != ELF_FILE_OK ? error : elf_file_take(file, path, bytes, length, detail, size);
}

void elf_file_close(struct elf_file *file)
{
	free(file->segments);
	free(file->bytes);
	free(file->path);
	*file = (struct elf_file){0};
}

bool elf_file_part(const struct elf_file *file, uint64_t offset, uint64_t size, struct elf_part *part)
{
	if (offset > file->length || size > file->length - offset)
		return false;
	*part = (struct elf_part){file->bytes + offset, (size_t)size};
	return true;
}
