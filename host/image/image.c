/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* ELF: headers, segments, symbols. */
#include "host/image/private.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/base/crc.h"

#define FILE_MAX ((size_t)1 << 30)

int image_fail(char *detail, size_t size, int error, const char *format, ...)
{
	if (detail != NULL && size > 0) {
		va_list list;
		va_start(list, format);
		vsnprintf(detail, size, format, list);
		va_end(list);
	}
	return error;
}

const char *image_strerror(int error)
{
	switch (error) {
	case IMAGE_OK:
		return "no error";
	case IMAGE_EOPEN:
		return "the file cannot be read";
	case IMAGE_EELF:
		return "not an ELF file, or a damaged one";
	case IMAGE_ETRUNCATED:
		return "the ELF file is cut off";
	case IMAGE_EARCH:
		return "not a little-endian RISC-V program";
	case IMAGE_ETYPE:
		return "not a linked program";
	case IMAGE_ENOMEM:
		return "out of memory";
	case IMAGE_ENODEBUG:
		return "no source line information";
	case IMAGE_ENOSYMBOL:
		return "a symbol is missing";
	case IMAGE_ERANGE:
		return "an address range is not in the file";
	default:
		return "unknown error";
	}
}

/* Reads a whole regular file. */
static int read_file(const char *path, uint8_t **bytes, size_t *length, char *detail, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return image_fail(detail, size, IMAGE_EOPEN, "%s: cannot be opened: %s", path, strerror(errno));
	struct stat status;
	int error = IMAGE_OK;
	uint8_t *buffer = NULL;
	size_t done = 0;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		error = image_fail(detail, size, IMAGE_EOPEN, "%s: is %s, expected a RISC-V ELF program file", path,
		    S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
		goto out;
	}
	if ((uint64_t)status.st_size > FILE_MAX) {
		error =
		    image_fail(detail, size, IMAGE_EOPEN, "%s: has %llu bytes, more than the %zu that are supported",
			path, (unsigned long long)status.st_size, FILE_MAX);
		goto out;
	}
	size_t want = (size_t)status.st_size;
	buffer = malloc(want + 1); /* + 1: never a request for 0 bytes */
	if (buffer == NULL) {
		error = image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory for %zu bytes", path, want);
		goto out;
	}
	while (done < want) {
		ssize_t got = read(fd, buffer + done, want - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			error = image_fail(
			    detail, size, IMAGE_EOPEN, "%s: read error at offset %zu: %s", path, done, strerror(errno));
			goto out;
		}
		if (got == 0)
			break;
		done += (size_t)got;
	}
out:
	close(fd);
	if (error != IMAGE_OK) {
		free(buffer);
		return error;
	}
	*bytes = buffer;
	*length = done;
	return IMAGE_OK;
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

/* The headers of both classes, widened to those of ELF64. By hand: libelf says only that something is wrong, the user is
 * to know where. */
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
	*section = (Elf64_Shdr){.sh_type = narrow.sh_type, .sh_offset = narrow.sh_offset, .sh_size = narrow.sh_size};
}

/* Whether [offset, offset + size) lies in the file; nothing overflows. */
static bool in_file(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->length && size <= image->length - offset;
}

static int check_header(struct image *image, Elf64_Ehdr *header, char *detail, size_t size)
{
	const char *path = image->path;
	const uint8_t *b = image->bytes;
	size_t length = image->length;
	if (length == 0)
		return image_fail(detail, size, IMAGE_EELF, "%s: is empty, expected a RISC-V ELF program file", path);
	size_t magic = length < SELFMAG ? length : SELFMAG;
	if (memcmp(b, ELFMAG, magic) != 0)
		return image_fail(detail, size, IMAGE_EELF,
		    "%s: offset 0: not an ELF file, expected it to begin with 0x7F \"ELF\"; give the linked program "
		    "(.elf)",
		    path);
	bool wide = length > EI_CLASS && b[EI_CLASS] == ELFCLASS64;
	size_t header_size = wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	if (length < EI_NIDENT)
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu in the ELF header, which has %zu bytes; link or copy it again", path,
		    length, header_size);
	if (b[EI_DATA] == ELFDATA2MSB)
		return image_fail(detail, size, IMAGE_EARCH,
		    "%s: offset 5: a big-endian ELF file, expected little-endian RISC-V; build it with a riscv32 "
		    "or riscv64 compiler",
		    path);
	if ((b[EI_CLASS] != ELFCLASS32 && !wide) || b[EI_DATA] != ELFDATA2LSB || b[EI_VERSION] != EV_CURRENT)
		return image_fail(detail, size, IMAGE_EELF,
		    "%s: offset 4: class %u, data %u, version %u, expected 1 or 2, 1, 1 (32-bit or 64-bit, "
		    "little-endian); the file is damaged",
		    path, b[EI_CLASS], b[EI_DATA], b[EI_VERSION]);
	if (length < header_size)
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu in the ELF header, which has %zu bytes; link or copy it again", path,
		    length, header_size);
	image->wide = wide;
	widen_header(b, wide, header);
	size_t program_size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr),
	       section_size = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	if (header->e_machine != EM_RISCV)
		return image_fail(detail, size, IMAGE_EARCH,
		    "%s: offset 18: a program for %s (machine %u), expected RISC-V (243); give the program that runs "
		    "on the core",
		    path, machine_name(header->e_machine), header->e_machine);
	if (header->e_type == ET_REL)
		return image_fail(detail, size, IMAGE_ETYPE,
		    "%s: offset 16: an object file, expected a linked program; link it and give the result", path);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return image_fail(detail, size, IMAGE_ETYPE, "%s: offset 16: ELF type %u, expected a program (2)", path,
		    header->e_type);
	if (header->e_phnum == 0)
		return image_fail(detail, size, IMAGE_ETYPE,
		    "%s: offset %u: no program headers, expected a linked program", path, wide ? 56 : 44);
	if (header->e_phentsize != program_size || (header->e_shnum != 0 && header->e_shentsize != section_size))
		return image_fail(detail, size, IMAGE_EELF,
		    "%s: offset %u: header entries of %u and %u bytes, expected %zu and %zu; the file is damaged", path,
		    wide ? 54 : 42, header->e_phentsize, header->e_shentsize, program_size, section_size);
	if (!in_file(image, header->e_phoff, header->e_phnum * program_size))
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu: the program headers (offset %" PRIu64
		    ") end at %llu; link or copy it again",
		    path, length, (uint64_t)header->e_phoff,
		    (unsigned long long)(header->e_phoff + header->e_phnum * program_size));
	if (header->e_shnum != 0 && !in_file(image, header->e_shoff, header->e_shnum * section_size))
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu: the section headers (offset %" PRIu64
		    ") end at %llu; link or copy it again",
		    path, length, (uint64_t)header->e_shoff,
		    (unsigned long long)(header->e_shoff + header->e_shnum * section_size));
	return IMAGE_OK;
}

static int check_sections(struct image *image, const Elf64_Ehdr *header, char *detail, size_t size)
{
	for (unsigned i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr section;
		uint64_t at = header->e_shoff + i * (image->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
		widen_section(image->bytes + at, image->wide, &section);
		if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL)
			continue;
		if (!in_file(image, section.sh_offset, section.sh_size))
			return image_fail(detail, size, IMAGE_ETRUNCATED,
			    "%s: cut off or damaged: section %u (header at offset %" PRIu64 ") has %" PRIu64
			    " bytes at offset %" PRIu64 ", the file has %zu; link or copy it again",
			    image->path, i, at, (uint64_t)section.sh_size, (uint64_t)section.sh_offset, image->length);
	}
	return IMAGE_OK;
}

static int compare_segments(const void *a, const void *b)
{
	const struct image_segment *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static int read_segments(struct image *image, const Elf64_Ehdr *header, char *detail, size_t size)
{
	image->segments = calloc(header->e_phnum, sizeof *image->segments);
	if (image->segments == NULL)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", image->path);
	for (unsigned i = 0; i < header->e_phnum; i++) {
		uint64_t at = header->e_phoff + i * (image->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
		uint64_t top = image->wide ? UINT64_MAX : UINT32_MAX;
		Elf64_Phdr program;
		widen_segment(image->bytes + at, image->wide, &program);
		if (program.p_type != PT_LOAD || program.p_memsz == 0)
			continue;
		if (program.p_filesz > program.p_memsz || program.p_memsz - 1 > top - program.p_vaddr)
			return image_fail(detail, size, IMAGE_EELF,
			    "%s: program header %u at offset %" PRIu64 ": %" PRIu64 " bytes at 0x%08" PRIx64
			    " from %" PRIu64 " bytes in the file do not fit; the file is damaged",
			    image->path, i, at, (uint64_t)program.p_memsz, (uint64_t)program.p_vaddr,
			    (uint64_t)program.p_filesz);
		if (!in_file(image, program.p_offset, program.p_filesz))
			return image_fail(detail, size, IMAGE_ETRUNCATED,
			    "%s: cut off at offset %zu: segment %u has %" PRIu64 " bytes at offset %" PRIu64
			    "; link or copy it again",
			    image->path, image->length, i, (uint64_t)program.p_filesz, (uint64_t)program.p_offset);
		image->segments[image->segment_count++] = (struct image_segment){.address = program.p_vaddr,
		    .size = program.p_memsz,
		    .offset = program.p_offset,
		    .file_size = program.p_filesz,
		    .execute = (program.p_flags & PF_X) != 0,
		    .write = (program.p_flags & PF_W) != 0,
		    .bytes = image->bytes + program.p_offset};
	}
	qsort(image->segments, image->segment_count, sizeof *image->segments, compare_segments);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *s = &image->segments[i];
		if (i > 0 && s->address - s[-1].address < s[-1].size)
			return image_fail(detail, size, IMAGE_EELF,
			    "%s: two segments overlap at 0x%08" PRIx64 " (file offsets %" PRIu64 " and %" PRIu64
			    "); the file is damaged",
			    image->path, s->address, s[-1].offset, s->offset);
		if (s->execute)
			image->code_size += s->file_size;
	}
	if (image->code_size == 0)
		return image_fail(detail, size, IMAGE_ETYPE,
		    "%s: no executable segment with content; give the linked program", image->path);
	return IMAGE_OK;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	if (x->address != y->address)
		return x->address > y->address ? 1 : -1;
	/* of several names for an address the last is found: global before local, then the name decides */
	if (x->global != y->global)
		return x->global ? 1 : -1;
	return strcmp(y->name, x->name);
}

/* Mapping symbols ($x, $d) and the compiler's local labels (.L) name no function. */
static bool names_code(const char *name)
{
	return name[0] != '$' && !(name[0] == '.' && name[1] == 'L') && name[0] != '\0';
}

/* Sorts the symbols, and makes the lists of functions and labels anew. */
static int sort_symbols(struct image *image)
{
	if (image->symbol_count == 0)
		return IMAGE_OK;
	free(image->functions);
	free(image->labels);
	image->function_count = image->label_count = 0;
	qsort(image->symbols, image->symbol_count, sizeof *image->symbols, compare_symbols);
	image->functions = calloc(image->symbol_count, sizeof *image->functions);
	image->labels = calloc(image->symbol_count, sizeof *image->labels);
	if (image->functions == NULL || image->labels == NULL)
		return IMAGE_ENOMEM;
	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct symbol *s = &image->symbols[i];
		if (s->sized)
			image->functions[image->function_count++] = *s;
		else if (s->code)
			image->labels[image->label_count++] = *s;
	}
	return IMAGE_OK;
}

static int read_symbols(struct image *image)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(image->elf, section)) != NULL) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		if (data == NULL || data->d_size == 0)
			continue;
		size_t count = data->d_size / (image->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
		image->symbols = calloc(count, sizeof *image->symbols);
		if (image->symbols == NULL)
			return IMAGE_ENOMEM;
		for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
			GElf_Sym symbol;
			if (gelf_getsym(data, (int)i, &symbol) == NULL)
				continue;
			unsigned type = GELF_ST_TYPE(symbol.st_info);
			if (symbol.st_shndx == SHN_UNDEF || type == STT_FILE || type == STT_SECTION || type == STT_TLS)
				continue;
			const char *name = elf_strptr(image->elf, header.sh_link, symbol.st_name);
			if (name == NULL || *name == '\0')
				continue;
			struct symbol *s = &image->symbols[image->symbol_count++];
			size_t available;
			s->name = name;
			s->address = symbol.st_value;
			s->size = symbol.st_size;
			s->global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
			s->code = (type == STT_FUNC || type == STT_NOTYPE) && symbol.st_shndx != SHN_ABS &&
				  names_code(name) && image_code(image, s->address, &available) != NULL;
			s->sized = s->code && type == STT_FUNC && s->size > 0;
			image->code_symbol_count += s->code;
		}
		break; /* there is one .symtab */
	}
	return sort_symbols(image);
}

/* Takes ownership of bytes. */
static int open_bytes(struct image **out, const char *name, uint8_t *bytes, size_t length, char *detail, size_t size)
{
	struct image *image = calloc(1, sizeof *image);
	if (image == NULL) {
		free(bytes);
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", name);
	}
	image->bytes = bytes;
	image->length = length;
	image->path = strdup(name);
	Elf64_Ehdr header;
	int error = image->path == NULL ? IMAGE_ENOMEM : check_header(image, &header, detail, size);
	if (error == IMAGE_OK)
		error = check_sections(image, &header, detail, size);
	if (error == IMAGE_OK)
		error = read_segments(image, &header, detail, size);
	if (error == IMAGE_OK) {
		image->entry = header.e_entry;
		image->moveable = header.e_type == ET_DYN;
		elf_version(EV_CURRENT);
		image->elf = elf_memory((char *)bytes, length);
		if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF)
			error = image_fail(
			    detail, size, IMAGE_EELF, "%s: not a readable ELF file: %s", name, elf_errmsg(-1));
	}
	if (error == IMAGE_OK)
		image_isa_of(image);
	if (error == IMAGE_OK && read_symbols(image) != IMAGE_OK)
		error = image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory for its symbols", name);
	if (error != IMAGE_OK) {
		image_close(image);
		return error;
	}
	*out = image;
	return IMAGE_OK;
}

int image_open(struct image **image, const char *path, char *detail, size_t size)
{
	uint8_t *bytes = NULL;
	size_t length = 0;
	*image = NULL;
	int error = read_file(path, &bytes, &length, detail, size);
	return error != IMAGE_OK ? error : open_bytes(image, path, bytes, length, detail, size);
}

int image_open_memory(
    struct image **image, const char *name, const void *bytes, size_t length, char *detail, size_t size)
{
	*image = NULL;
	uint8_t *copy = malloc(length + 1);
	if (copy == NULL)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", name);
	if (length > 0)
		memcpy(copy, bytes, length);
	return open_bytes(image, name, copy, length, detail, size);
}

int image_from_code(struct image **out, uint64_t address, const void *bytes, size_t length)
{
	*out = NULL;
	if (length == 0 || length > UINT64_C(0x100000000) || address > UINT64_C(0x100000000) - length)
		return IMAGE_ERANGE;
	struct image *image = calloc(1, sizeof *image);
	if (image == NULL)
		return IMAGE_ENOMEM;
	image->path = strdup("(code)");
	image->bytes = malloc(length);
	image->segments = calloc(1, sizeof *image->segments);
	if (image->path == NULL || image->bytes == NULL || image->segments == NULL) {
		image_close(image);
		return IMAGE_ENOMEM;
	}
	memcpy(image->bytes, bytes, length);
	image->length = length;
	image->entry = address;
	image->code_size = length;
	image->isa = image->named = ISA_CORE;
	image->segment_count = 1;
	image->segments[0] = (struct image_segment){
	    .address = address, .size = length, .file_size = length, .execute = true, .bytes = image->bytes};
	*out = image;
	return IMAGE_OK;
}

bool image_moveable(const struct image *image)
{
	return image->moveable;
}

int image_move(struct image *image, uint64_t address, char *detail, size_t size)
{
	if (!image->moveable)
		return image_fail(detail, size, IMAGE_ETYPE,
		    "%s: is not position independent, so it runs where it was linked for; leave out the load address",
		    image->path);
	uint64_t low = image->segments[0].address & ~UINT64_C(0xFFF), bias = address - low;
	const struct image_segment *last = &image->segments[image->segment_count - 1];
	uint64_t span = last->address - low + last->size, top = image->wide ? UINT64_MAX : UINT32_MAX;
	if ((address & 0xFFF) != 0 || address > top || span - 1 > top - address)
		return image_fail(detail, size, IMAGE_ERANGE,
		    "%s: cannot be loaded at 0x%" PRIx64 ": it has %" PRIu64
		    " bytes, and pages have 4096; give the address of its first mapping",
		    image->path, address, span);
	for (size_t i = 0; i < image->segment_count; i++)
		image->segments[i].address += bias;
	for (size_t i = 0; i < image->symbol_count; i++)
		image->symbols[i].address += bias;
	for (size_t i = 0; i < image->function_count; i++)
		image->functions[i].address += bias;
	for (size_t i = 0; i < image->label_count; i++)
		image->labels[i].address += bias;
	image->entry += bias;
	image->bias += bias;
	return IMAGE_OK;
}

int image_add(struct image *image, struct image *other, char *detail, size_t size)
{
	size_t segments = image->segment_count + other->segment_count,
	       symbols = image->symbol_count + other->symbol_count;
	if (other->wide != image->wide)
		return image_fail(detail, size, IMAGE_EARCH, "%s: is of %u bits, but %s is of %u", other->path,
		    image_xlen(other), image->path, image_xlen(image));
	for (size_t i = 0; i < image->segment_count; i++) {
		for (size_t k = 0; k < other->segment_count; k++) {
			const struct image_segment *a = &image->segments[i], *b = &other->segments[k];
			if (a->address < b->address + b->size && b->address < a->address + a->size)
				return image_fail(detail, size, IMAGE_ERANGE,
				    "%s: lies over %s at 0x%" PRIx64 "; give the address that it was loaded at",
				    other->path, image->path, b->address);
		}
	}
	struct image_segment *s = realloc(image->segments, segments * sizeof *s);
	if (s != NULL)
		image->segments = s;
	struct symbol *y = realloc(image->symbols, (symbols + 1) * sizeof *y);
	if (y != NULL)
		image->symbols = y;
	struct image **o = realloc(image->others, (image->other_count + 1) * sizeof *o);
	if (o != NULL)
		image->others = o;
	if (s == NULL || y == NULL || o == NULL)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", other->path);
	memcpy(s + image->segment_count, other->segments, other->segment_count * sizeof *s);
	qsort(s, segments, sizeof *s, compare_segments);
	if (other->symbol_count > 0)
		memcpy(y + image->symbol_count, other->symbols, other->symbol_count * sizeof *y);
	image->segment_count = segments;
	image->symbol_count = symbols;
	image->code_symbol_count += other->code_symbol_count;
	image->code_size += other->code_size;
	image->isa |= other->isa;
	image->named |= other->named;
	if (sort_symbols(image) != IMAGE_OK)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", other->path);
	o[image->other_count++] = other;
	return IMAGE_OK;
}

void image_close(struct image *image)
{
	if (image == NULL)
		return;
	for (size_t i = 0; i < image->other_count; i++)
		image_close(image->others[i]);
	free(image->others);
	image_debug_free(image);
	image_source_free(image);
	if (image->elf != NULL)
		elf_end(image->elf);
	free(image->segments);
	free(image->symbols);
	free(image->functions);
	free(image->labels);
	free(image->bytes);
	free(image->path);
	free(image);
}

const char *image_path(const struct image *image)
{
	return image->path;
}

uint64_t image_entry(const struct image *image)
{
	return image->entry;
}

const struct image_segment *image_segments(const struct image *image, size_t *count)
{
	*count = image->segment_count;
	return image->segments;
}

uint64_t image_code_size(const struct image *image)
{
	return image->code_size;
}

const uint8_t *image_code(const struct image *image, uint64_t address, size_t *available)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *s = &image->segments[i];
		if (s->execute && address >= s->address && address - s->address < s->file_size) {
			*available = s->file_size - (address - s->address);
			return s->bytes + (address - s->address);
		}
	}
	return NULL;
}

bool image_insn(const struct image *image, uint64_t address, unsigned set, struct isa_insn *insn)
{
	uint64_t word = 0;
	unsigned length = 2;
	for (unsigned got = 0; got < length; got += 2) {
		size_t available;
		const uint8_t *code = image_code(image, address + got, &available);
		if ((code == NULL || available < 2) && got >= 4) /* of a long one the first four bytes do */
			break;
		if (code == NULL || available < 2)
			return false;
		uint64_t half = (uint64_t)code[0] | (uint64_t)code[1] << 8;
		word |= half << 8 * got;
		if (got == 0 && (half & 3) == 3) {
			length = isa_length((uint16_t)half);
			length = length < 4 ? 4 : length > 8 ? 8 : length;
		}
	}
	isa_decode(word, set != 0 ? set : image->isa, insn);
	return true;
}

unsigned image_isa(const struct image *image)
{
	return image->isa;
}

unsigned image_isa_named(const struct image *image)
{
	return image->named;
}

unsigned image_xlen(const struct image *image)
{
	return image->isa & ISA_RV64 ? 64 : 32;
}

size_t image_symbol_count(const struct image *image)
{
	return image->code_symbol_count;
}

int image_symbol(const struct image *image, const char *name, uint64_t *address)
{
	for (size_t i = 0; i < image->symbol_count; i++) {
		if (strcmp(image->symbols[i].name, name) == 0) {
			*address = image->symbols[i].address;
			return IMAGE_OK;
		}
	}
	return IMAGE_ENOSYMBOL;
}

/* The last symbol at or before address. */
static const struct symbol *find_symbol(const struct symbol *symbols, size_t count, uint64_t address)
{
	size_t low = 0, high = count; /* symbols before low are <= address, from high on > address */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NULL : &symbols[low - 1];
}

const char *image_function(const struct image *image, uint64_t address, uint64_t *start)
{
	const struct symbol *function = find_symbol(image->functions, image->function_count, address);
	const struct symbol *label = find_symbol(image->labels, image->label_count, address);
	const struct symbol *found = NULL;
	if (function != NULL && address - function->address < function->size)
		found = function;
	else if (label != NULL && (function == NULL || label->address - function->address >= function->size)) {
		size_t here, there; /* a label speaks for its own segment only */
		const uint8_t *a = image_code(image, address, &here), *l = image_code(image, label->address, &there);
		if (a != NULL && l != NULL && a + here == l + there)
			found = label;
	}
	if (found == NULL)
		return NULL;
	if (start != NULL)
		*start = found->address;
	return found->name;
}

int image_build(const struct image *image, uint32_t *crc, char *detail, size_t size)
{
	uint64_t from, to;
	if (image_symbol(image, "__text_start", &from) != IMAGE_OK ||
	    image_symbol(image, "__text_end", &to) != IMAGE_OK)
		return image_fail(detail, size, IMAGE_ENOSYMBOL,
		    "%s: symbols __text_start and __text_end are not there, so it cannot be compared with the build of "
		    "a profile; use a "
		    "program that is not stripped, or --force",
		    image->path);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *s = &image->segments[i];
		if (from >= s->address && to >= from && to - s->address <= s->file_size) {
			*crc = base_crc32(0, s->bytes + (from - s->address), to - from);
			return IMAGE_OK;
		}
	}
	return image_fail(detail, size, IMAGE_ERANGE,
	    "%s: [__text_start, __text_end) = [0x%08" PRIx64 ", 0x%08" PRIx64 ") is not in one loaded segment",
	    image->path, from, to);
}

bool image_has_build(const struct image *image, uint32_t build)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *s = &image->segments[i];
		uint32_t crc = 0;
		for (uint64_t at = 0; s->execute && at + 2 <= s->file_size; at += 2) {
			crc = base_crc32(crc, s->bytes + at, 2);
			if (crc == build)
				return true;
		}
	}
	return false;
}
