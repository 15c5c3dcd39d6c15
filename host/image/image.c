/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* ELF: headers, segments, symbols. */
#include "host/image/machine.h"
#include "host/base/order.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/decoded.h"
#include "isa/isa.h"

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

static int compare_segments(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;
	return ORDER_UP(x->address, y->address);
}

static int add_segments(struct image *image, char *detail, size_t size)
{
	const struct elf_file *file = &image->file;
	image->segments = calloc(file->segment_count + 1, sizeof *image->segments);
	if (image->segments == NULL)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", file->path);
	image->segment_count = file->segment_count;
	for (size_t i = 0; i < file->segment_count; i++) {
		image->segments[i] = file->segments[i];
		if (file->segments[i].execute)
			image->code_size += file->segments[i].file_size;
	}
	if (image->code_size == 0)
		return image_fail(detail, size, IMAGE_ETYPE,
		    "%s: no executable segment with content; give the linked program", file->path);
	return IMAGE_OK;
}

/* libelf writes over the heads of compressed sections when it unpacks them, and a loaded segment may have these heads
 * in it, as those of Go's linker do. */
static bool image_unpacks(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (gelf_getshdr(section, &head) == NULL)
			continue;
		const char *name = elf_strptr(elf, names, head.sh_name);
		if ((head.sh_flags & SHF_COMPRESSED) != 0 || (name != NULL && strncmp(name, ".zdebug", 7) == 0))
			return true;
	}
	return false;
}

/* For libelf: the file's bytes, or a copy of them if it would change them. */
static int open_image_elf(struct image *image, char *detail, size_t size)
{
	elf_version(EV_CURRENT);
	image->elf = elf_memory((char *)image->file.bytes, image->file.length);
	if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF)
		return image_fail(
		    detail, size, IMAGE_EELF, "%s: not a readable ELF file: %s", image->file.path, elf_errmsg(-1));
	if (!image_unpacks(image->elf))
		return IMAGE_OK;
	elf_end(image->elf);
	image->elf_copy = malloc(image->file.length);
	if (image->elf_copy != NULL)
		memcpy(image->elf_copy, image->file.bytes, image->file.length);
	image->elf = image->elf_copy == NULL ? NULL : elf_memory(image->elf_copy, image->file.length);
	return image->elf != NULL ? IMAGE_OK : IMAGE_ENOMEM;
}

/* file is image's from now on. */
static int open_image_file(struct image **out, struct elf_file *file, char *detail, size_t size)
{
	struct image *image = calloc(1, sizeof *image);
	if (image == NULL) {
		elf_file_close(file);
		return image_fail(detail, size, IMAGE_ENOMEM, "out of memory for an image");
	}
	image->file = *file;
	image->wide = file->wide;
	image->entry = file->entry;
	image->moveable = file->moveable;
	image->hosted = file->hosted;
	int error = add_segments(image, detail, size);
	if (error == IMAGE_OK)
		error = open_image_elf(image, detail, size);
	if (error == IMAGE_OK) {
		image_isa_of(image);
		image->hosted = image->hosted || image_calls_linux(image);
	}
	if (error == IMAGE_OK && image_read_symbols(image, SHT_SYMTAB) != IMAGE_OK)
		error = IMAGE_ENOMEM;
	/* of a stripped library: what it offers to others */
	if (error == IMAGE_OK && image->symbols == NULL && image_read_symbols(image, SHT_DYNSYM) != IMAGE_OK)
		error = IMAGE_ENOMEM;
	if (error == IMAGE_ENOMEM)
		image_fail(detail, size, error, "%s: out of memory for its symbols", image->file.path);
	if (error != IMAGE_OK) {
		image_close(image);
		return error;
	}
	*out = image;
	return IMAGE_OK;
}

int image_open(struct image **image, const char *path, char *detail, size_t size)
{
	struct elf_file file;
	*image = NULL;
	if (machine_is_file(path))
		return machine_open(image, path, detail, size);
	int error = elf_file_open(&file, path, detail, size);
	return error != ELF_FILE_OK ? error : open_image_file(image, &file, detail, size);
}

int image_open_memory(
    struct image **image, const char *name, const void *bytes, size_t length, char *detail, size_t size)
{
	struct elf_file file;
	*image = NULL;
	uint8_t *copy = malloc(length + 1);
	if (copy == NULL)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", name);
	if (length > 0)
		memcpy(copy, bytes, length);
	int error = elf_file_take(&file, name, copy, length, detail, size);
	return error != ELF_FILE_OK ? error : open_image_file(image, &file, detail, size);
}

int image_from_code(struct image **out, uint64_t address, const void *bytes, size_t length)
{
	*out = NULL;
	if (length == 0 || length > UINT64_C(0x100000000) || address > UINT64_C(0x100000000) - length)
		return IMAGE_ERANGE;
	struct image *image = calloc(1, sizeof *image);
	if (image == NULL)
		return IMAGE_ENOMEM;
	image->file.path = strdup("(code)");
	image->file.bytes = malloc(length);
	image->segments = calloc(1, sizeof *image->segments);
	if (image->file.path == NULL || image->file.bytes == NULL || image->segments == NULL) {
		image_close(image);
		return IMAGE_ENOMEM;
	}
	memcpy(image->file.bytes, bytes, length);
	image->file.length = length;
	image->entry = address;
	image->code_size = length;
	image->isa = image->named = ISA_CORE;
	image->segment_count = 1;
	image->segments[0] = (struct elf_segment){
	    .address = address, .size = length, .file_size = length, .execute = true, .bytes = image->file.bytes};
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
		    image->file.path);
	uint64_t low = image->segments[0].address & ~UINT64_C(0xFFF), bias = address - low;
	const struct elf_segment *last = &image->segments[image->segment_count - 1];
	uint64_t span = last->address - low + last->size, top = image->wide ? UINT64_MAX : UINT32_MAX;
	if ((address & 0xFFF) != 0 || address > top || span - 1 > top - address)
		return image_fail(detail, size, IMAGE_ERANGE,
		    "%s: cannot be loaded at 0x%" PRIx64 ": it has %" PRIu64
		    " bytes, and pages have 4096; give the address of its first mapping",
		    image->file.path, address, span);
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
	image->load = address;
	return IMAGE_OK;
}

int image_add(struct image *image, struct image *other, char *detail, size_t size)
{
	size_t segments = image->segment_count + other->segment_count,
	       symbols = image->symbol_count + other->symbol_count;
	if (other->wide != image->wide)
		return image_fail(detail, size, IMAGE_EARCH, "%s: is of %u bits, but %s is of %u", other->file.path,
		    image_xlen(other), image->file.path, image_xlen(image));
	for (size_t i = 0; i < image->segment_count; i++) {
		for (size_t k = 0; k < other->segment_count; k++) {
			const struct elf_segment *a = &image->segments[i], *b = &other->segments[k];
			if (a->address < b->address + b->size && b->address < a->address + a->size)
				return image_fail(detail, size, IMAGE_ERANGE,
				    "%s: lies over %s at 0x%" PRIx64 "; give the address that it was loaded at",
				    other->file.path, image->file.path, b->address);
		}
	}
	struct elf_segment *s = realloc(image->segments, segments * sizeof *s);
	if (s != NULL)
		image->segments = s;
	struct symbol *y = realloc(image->symbols, (symbols + 1) * sizeof *y);
	if (y != NULL)
		image->symbols = y;
	struct image **o = realloc(image->others, (image->other_count + 1) * sizeof *o);
	if (o != NULL)
		image->others = o;
	if (s == NULL || y == NULL || o == NULL)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", other->file.path);
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
	if (image_sort_symbols(image) != IMAGE_OK)
		return image_fail(detail, size, IMAGE_ENOMEM, "%s: out of memory", other->file.path);
	o[image->other_count++] = other;
	return IMAGE_OK;
}

const struct image *image_library(const struct image *image, size_t index)
{
	return index < image->other_count ? image->others[index] : NULL;
}

const char *image_place(const struct image *image, uint64_t address, char text[IMAGE_PLACE])
{
	for (size_t i = 0; i < image->other_count; i++) {
		const struct image *library = image->others[i];
		const char *slash = strrchr(library->file.path, '/');
		const char *name = slash == NULL ? library->file.path : slash + 1, *dot = strrchr(name, '.');
		int length = (int)(dot != NULL && strcmp(dot, ".twin") == 0 ? (size_t)(dot - name) : strlen(name));
		for (size_t s = 0; s < library->segment_count; s++) {
			if (address - library->segments[s].address >= library->segments[s].size)
				continue;
			snprintf(text, IMAGE_PLACE, "%.*s+0x%" PRIx64, length < 40 ? length : 40, name,
			    address - library->bias);
			return text;
		}
	}
	return NULL;
}

uint64_t image_bias(const struct image *image)
{
	return image->bias;
}

uint64_t image_end(const struct image *image)
{
	const struct elf_segment *last = &image->segments[image->segment_count - 1];
	return (last->address + last->size + 0xFFF) & ~UINT64_C(0xFFF);
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
	machine_close(image->machine);
	if (image->elf != NULL)
		elf_end(image->elf);
	free(image->elf_copy);
	free(image->segments);
	free(image->symbols);
	free(image->functions);
	free(image->labels);
	elf_file_close(&image->file);
	free(image);
}

const char *image_path(const struct image *image)
{
	return image->file.path;
}

uint64_t image_entry(const struct image *image)
{
	return image->entry;
}

const struct elf_segment *image_segments(const struct image *image, size_t *count)
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
		const struct elf_segment *s = &image->segments[i];
		if (s->execute && address >= s->address && address - s->address < s->file_size) {
			*available = s->file_size - (address - s->address);
			return s->bytes + (address - s->address);
		}
	}
	return NULL;
}

bool image_insn(const struct image *image, uint64_t address, unsigned set, struct isa_insn *insn)
{
	if (image->machine != NULL)
		return machine_insn(image->machine, address, insn);
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
			if (length < 4)
				length = 4;
			else if (length > 8)
				length = 8;
		}
	}
	decode_again(word, set != 0 ? set : image->isa, insn);
	return true;
}

bool image_far_target(const struct image *image, uint64_t address, uint64_t *target)
{
	struct isa_insn upper, jump;
	/* a jump of two bytes is no part of a far call: what stands before it may be the end of another instruction */
	if (!image_insn(image, address, 0, &jump) || (jump.class_bits & ISA_INDIRECT) == 0 || jump.length != 4 ||
	    !image_insn(image, address - 4, 0, &upper) || upper.length != 4 || upper.op != ISA_AUIPC ||
	    upper.rd != jump.rs1)
		return false;
	*target = address - 4 + (uint64_t)(int64_t)upper.imm + (uint64_t)(int64_t)jump.imm;
	if (image_xlen(image) == 32)
		*target = (uint32_t)*target;
	return image_insn(image, *target, 0, &upper);
}

int image_format(const struct image *image, const struct isa_insn *insn, uint64_t pc, char *text, size_t size)
{
	const char *own = image->machine == NULL ? NULL : machine_text(image->machine, pc);
	return own == NULL ? isa_format(insn, pc, text, size) : snprintf(text, size, "%s", own);
}

bool image_of_machine(const struct image *image)
{
	return image->machine != NULL;
}

unsigned image_isa(const struct image *image)
{
	return image->isa;
}

unsigned image_isa_named(const struct image *image)
{
	return image->named;
}

bool image_hosted(const struct image *image)
{
	return image->hosted;
}

bool image_semihosting(const struct image *image, uint64_t address)
{
	struct isa_insn before, behind;
	return image_insn(image, address - 4, 0, &before) && before.word == 0x01F01013u &&
	       image_insn(image, address + 4, 0, &behind) && behind.word == 0x40705013u;
}

bool image_calls_host(const struct image *image)
{
	static const uint8_t call[] = {0x13, 0x10, 0xF0, 0x01, 0x73, 0x00, 0x10, 0x00, 0x13, 0x50, 0x70, 0x40};
	struct image_text text;
	for (size_t i = 0; image_text(image, i, &text); i++) {
		size_t available = 0;
		const uint8_t *code = image_code(image, text.start, &available);
		const size_t size = available < text.size ? available : (size_t)text.size;
		for (size_t at = 0; code != NULL && at + sizeof call <= size; at += 2) {
			if (memcmp(code + at, call, sizeof call) == 0)
				return true;
		}
	}
	return false;
}

bool image_serves(const struct image *image, const struct isa_insn *insn, uint64_t address)
{
	return (insn->op == ISA_ECALL && image_hosted(image)) ||
	       (insn->op == ISA_EBREAK && image_semihosting(image, address));
}

uint64_t image_load_address(const struct image *image)
{
	return image->load;
}

unsigned image_xlen(const struct image *image)
{
	return image->isa & ISA_RV64 ? 64 : 32;
}
