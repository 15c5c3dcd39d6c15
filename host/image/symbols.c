/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Names of addresses. A function with a size speaks for its bytes; a label (of assembler, which has no sizes) for what
 * lies behind it, up to the next name and within its segment. */
#include "host/image/private.h"
#include "host/base/order.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

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

int image_sort_symbols(struct image *image)
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

int image_read_symbols(struct image *image, unsigned table)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(image->elf, section)) != NULL) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) == NULL || header.sh_type != table)
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
		break; /* there is one */
	}
	return image_sort_symbols(image);
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
	size_t low;
	ORDER_FIRST(low, 0, count, symbols[low].address <= address);
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

const char *image_whole_function(const struct image *image, uint64_t address, uint64_t *start)
{
	uint64_t other = 0;
	const char *name = image_function(image, address, &other);
	const char *part = name == NULL ? NULL : strstr(name, ".cold");
	char whole[512];
	size_t length = part == NULL ? 0 : (size_t)(part - name);
	if (length > 0 && length < sizeof whole) {
		uint64_t entry;
		memcpy(whole, name, length);
		whole[length] = '\0';
		if (image_symbol(image, whole, &entry) == IMAGE_OK)
			name = image_function(image, entry, &other);
	}
	if (start != NULL && name != NULL)
		*start = other;
	return name;
}
