/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* ELF: headers, segments, symbols. */
#include "host/image/private.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
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
		return "not a little-endian 32-bit RISC-V program";
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

/* The ELF header, by hand: libelf says only that something is wrong, the user is to know where. */
static int check_header(struct image *image, Elf32_Ehdr *header, char *detail, size_t size)
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
	if (length < EI_NIDENT)
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu in the ELF header, which has 52 bytes; link or copy it again", path,
		    length);
	unsigned machine = length >= 20 ? (unsigned)b[18] | (unsigned)b[19] << 8 : 0;
	if (b[EI_DATA] == ELFDATA2MSB)
		return image_fail(detail, size, IMAGE_EARCH,
		    "%s: offset 5: a big-endian ELF file, expected little-endian RISC-V; build it with a riscv32 "
		    "compiler",
		    path);
	if (b[EI_CLASS] == ELFCLASS64)
		return image_fail(detail, size, IMAGE_EARCH,
		    "%s: offset 4: a 64-bit ELF file (%s), expected 32-bit RISC-V; build it with -march=rv32imc "
		    "-mabi=ilp32",
		    path, machine_name(machine));
	if (b[EI_CLASS] != ELFCLASS32 || b[EI_DATA] != ELFDATA2LSB || b[EI_VERSION] != EV_CURRENT)
		return image_fail(detail, size, IMAGE_EELF,
		    "%s: offset 4: class %u, data %u, version %u, expected 1, 1, 1 (32-bit, little-endian); the file "
		    "is damaged",
		    path, b[EI_CLASS], b[EI_DATA], b[EI_VERSION]);
	if (length < sizeof *header)
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu in the ELF header, which has 52 bytes; link or copy it again", path,
		    length);
	memcpy(header, b, sizeof *header);
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
		return image_fail(
		    detail, size, IMAGE_ETYPE, "%s: offset 44: no program headers, expected a linked program", path);
	if (header->e_phentsize != sizeof(Elf32_Phdr) ||
	    (header->e_shnum != 0 && header->e_shentsize != sizeof(Elf32_Shdr)))
		return image_fail(detail, size, IMAGE_EELF,
		    "%s: offset 42: header entries of %u and %u bytes, expected 32 and 40; the file is damaged", path,
		    header->e_phentsize, header->e_shentsize);
	uint64_t programs = (uint64_t)header->e_phoff + (uint64_t)header->e_phnum * sizeof(Elf32_Phdr);
	if (programs > length)
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu: the program headers (offset %u) end at %llu; link or copy it again",
		    path, length, header->e_phoff, (unsigned long long)programs);
	uint64_t sections = (uint64_t)header->e_shoff + (uint64_t)header->e_shnum * sizeof(Elf32_Shdr);
	if (header->e_shnum != 0 && sections > length)
		return image_fail(detail, size, IMAGE_ETRUNCATED,
		    "%s: cut off at offset %zu: the section headers (offset %u) end at %llu; link or copy it again",
		    path, length, header->e_shoff, (unsigned long long)sections);
	return IMAGE_OK;
}

static int check_sections(struct image *image, const Elf32_Ehdr *header, char *detail, size_t size)
{
	for (unsigned i = 0; i < header->e_shnum; i++) {
		Elf32_Shdr section;
		memcpy(&section, image->bytes + header->e_shoff + i * sizeof section, sizeof section);
		if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL)
			continue;
		if ((uint64_t)section.sh_offset + section.sh_size > image->length)
			return image_fail(detail, size, IMAGE_ETRUNCATED,
			    "%s: cut off or damaged: section %u (header at offset %llu) has %u bytes at offset %u, the "
			    "file has %zu; link "
			    "or copy it again",
			    image->path, i, (unsigned long long)(header->e_shoff + i * sizeof section), section.sh_size,
			    section.sh_offset, image->length);
	}
	return IMAGE_OK;
}

static int compare_segments(const void *a, const void *b)
{
	const struct image_segment *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static int read_segments(struct image *image, const Elf32_Ehdr *header, char *detail, size_t size)
{
	image->segments = calloc(header->e_phnum, sizeof *image->segments);
	if (image->segments == NULL)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", image->path);
	for (unsigned i = 0; i < header->e_phnum; i++) {
		size_t at = header->e_phoff + i * sizeof(Elf32_Phdr);
		Elf32_Phdr program;
		memcpy(&program, image->bytes + at, sizeof program);
		if (program.p_type != PT_LOAD || program.p_memsz == 0)
			continue;
		if (program.p_filesz > program.p_memsz ||
		    (uint64_t)program.p_vaddr + program.p_memsz > UINT64_C(0x100000000))
			return image_fail(detail, size, IMAGE_EELF,
			    "%s: program header %u at offset %zu: %u bytes at 0x%08x from %u bytes in the file do not "
			    "fit; the file is damaged",
			    image->path, i, at, program.p_memsz, program.p_vaddr, program.p_filesz);
		if ((uint64_t)program.p_offset + program.p_filesz > image->length)
			return image_fail(detail, size, IMAGE_ETRUNCATED,
			    "%s: cut off at offset %zu: segment %u has %u bytes at offset %u; link or copy it again",
			    image->path, image->length, i, program.p_filesz, program.p_offset);
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
			    "%s: two segments overlap at 0x%08x (file offsets %u and %u); the file is damaged",
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
		size_t count = data->d_size / sizeof(Elf32_Sym);
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
			s->address = (uint32_t)symbol.st_value;
			s->size = (uint32_t)symbol.st_size;
			s->global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
			s->code = (type == STT_FUNC || type == STT_NOTYPE) && symbol.st_shndx != SHN_ABS &&
				  names_code(name) && image_code(image, s->address, &available) != NULL;
			s->sized = s->code && type == STT_FUNC && s->size > 0;
			image->code_symbol_count += s->code;
		}
		break; /* there is one .symtab */
	}
	if (image->symbol_count == 0)
		return IMAGE_OK;
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
	Elf32_Ehdr header;
	int error = image->path == NULL ? IMAGE_ENOMEM : check_header(image, &header, detail, size);
	if (error == IMAGE_OK)
		error = check_sections(image, &header, detail, size);
	if (error == IMAGE_OK)
		error = read_segments(image, &header, detail, size);
	if (error == IMAGE_OK) {
		image->entry = header.e_entry;
		elf_version(EV_CURRENT);
		image->elf = elf_memory((char *)bytes, length);
		if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF)
			error = image_fail(
			    detail, size, IMAGE_EELF, "%s: not a readable ELF file: %s", name, elf_errmsg(-1));
	}
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

int image_from_code(struct image **out, uint32_t address, const void *bytes, size_t length)
{
	*out = NULL;
	if (length == 0 || address + (uint64_t)length > UINT64_C(0x100000000))
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
	image->code_size = (uint32_t)length;
	image->segment_count = 1;
	image->segments[0] = (struct image_segment){.address = address,
	    .size = (uint32_t)length,
	    .file_size = (uint32_t)length,
	    .execute = true,
	    .bytes = image->bytes};
	*out = image;
	return IMAGE_OK;
}

void image_close(struct image *image)
{
	if (image == NULL)
		return;
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

uint32_t image_entry(const struct image *image)
{
	return image->entry;
}

const struct image_segment *image_segments(const struct image *image, size_t *count)
{
	*count = image->segment_count;
	return image->segments;
}

uint32_t image_code_size(const struct image *image)
{
	return image->code_size;
}

const uint8_t *image_code(const struct image *image, uint32_t address, size_t *available)
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

bool image_insn(const struct image *image, uint32_t address, unsigned set, struct isa_insn *insn)
{
	size_t available;
	const uint8_t *code = image_code(image, address, &available);
	if (code == NULL || available < 2)
		return false;
	uint32_t word = (uint32_t)code[0] | (uint32_t)code[1] << 8;
	if ((word & 3) == 3) {
		const uint8_t *high = available >= 4 ? code + 2 : image_code(image, address + 2, &available);
		if (high == NULL || available < 2)
			return false;
		word |= (uint32_t)high[0] << 16 | (uint32_t)high[1] << 24;
	}
	isa_decode(word, set != 0 ? set : ISA_CORE, insn);
	return true;
}

size_t image_symbol_count(const struct image *image)
{
	return image->code_symbol_count;
}

int image_symbol(const struct image *image, const char *name, uint32_t *address)
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
static const struct symbol *find_symbol(const struct symbol *symbols, size_t count, uint32_t address)
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

const char *image_function(const struct image *image, uint32_t address, uint32_t *start)
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
	uint32_t from, to;
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
	    "%s: [__text_start, __text_end) = [0x%08x, 0x%08x) is not in one loaded segment", image->path, from, to);
}

bool image_has_build(const struct image *image, uint32_t build)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *s = &image->segments[i];
		uint32_t crc = 0;
		for (uint32_t at = 0; s->execute && at + 2 <= s->file_size; at += 2) {
			crc = base_crc32(crc, s->bytes + at, 2);
			if (crc == build)
				return true;
		}
	}
	return false;
}
