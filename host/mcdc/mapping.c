/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The mapping's regions, from the sections of an object to decisions. */
#include "host/mcdc/mapping.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/base/bytes.h"
#include "host/mcdc/private.h"

#define FUNCTION_HEAD 28 /* bytes: name, size, hash of the code, names of files */
#define FUNCTION_ALIGN 8u
#define FILES_MAX 65536u

const char *mcdc_strerror(int error)
{
	switch (error) {
	case MCDC_OK:
		return "no error";
	case MCDC_ENOMEM:
		return "out of memory";
	case MCDC_EOPEN:
		return "cannot be read";
	case MCDC_EELF:
		return "is no object file (ELF); clang-19 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc "
		       "-c makes one";
	case MCDC_ENOMAP:
		return "has no decisions: it is to be made by clang-19 -fprofile-instr-generate -fcoverage-mapping "
		       "-fcoverage-mcdc -c";
	case MCDC_EVERSION:
		return "its coverage mapping is of another version, or of several files: an object of clang-19 is "
		       "expected, not linked";
	case MCDC_EFORMAT:
		return "its coverage mapping is damaged";
	default:
		return "unknown error";
	}
}

/* ---- regions of a function ---- */

enum region_kind { REGION_CODE, REGION_EXPANSION, REGION_BRANCH, REGION_DECISION };

struct region {
	uint8_t kind;
	uint64_t file, expanded; /* numbers within the function */
	struct mcdc_span span;
	uint64_t count;                 /* decision: conditions */
	uint64_t id, if_true, if_false; /* branch: from 1 on; 0: the outcome */
	bool constant;
};

struct function_map {
	struct mcdc_reader in;
	uint64_t *files; /* numbers of the object's files */
	size_t file_count;
	struct region *regions;
	size_t count, room;
};

/* What stands behind the kind; false: this kind has nothing to say here. */
static bool read_region_kind(struct mcdc_reader *in, struct region *region)
{
	enum { KIND_CODE = 0, KIND_SKIPPED = 2, KIND_BRANCH = 4, KIND_DECISION = 5, KIND_MCDC_BRANCH = 6 };
	uint64_t head = mcdc_read_number(in), first, second;
	region->kind = REGION_CODE;
	if ((head & 3) != 0) /* a counter */
		return true;
	if ((head & 4) != 0) {
		region->kind = REGION_EXPANSION;
		region->expanded = head >> 3;
		return true;
	}
	switch (head >> 3) {
	case KIND_CODE:
	case KIND_SKIPPED:
		return true;
	case KIND_BRANCH:
		(void)mcdc_read_number(in);
		(void)mcdc_read_number(in);
		return true;
	case KIND_DECISION:
		region->kind = REGION_DECISION;
		(void)mcdc_read_number(in); /* its bits */
		region->count = mcdc_read_number(in);
		return true;
	case KIND_MCDC_BRANCH:
		region->kind = REGION_BRANCH;
		first = mcdc_read_number(in);
		second = mcdc_read_number(in);
		region->constant = first == 0 && second == 0;
		region->id = mcdc_read_number(in);
		region->if_true = mcdc_read_number(in);
		region->if_false = mcdc_read_number(in);
		return true;
	default:
		return false;
	}
}

static bool read_region(struct function_map *f, uint64_t file, uint64_t *line)
{
	struct region region = {.file = file};
	if (!read_region_kind(&f->in, &region))
		return false;
	*line += mcdc_read_number(&f->in);
	uint64_t column = mcdc_read_number(&f->in), lines = mcdc_read_number(&f->in);
	uint64_t end = mcdc_read_number(&f->in) & 0x7FFFFFFF;
	if (f->in.bad || *line > INT32_MAX || column > INT32_MAX || lines > INT32_MAX)
		return false;
	region.span =
	    (struct mcdc_span){(unsigned)*line, (unsigned)column, (unsigned)*line + (unsigned)lines, (unsigned)end};
	if (region.kind == REGION_CODE)
		return true;
	if (!array_room(&f->regions, f->count + 1, &f->room))
		return false;
	f->regions[f->count++] = region;
	return true;
}

/* Files, expressions of counters, regions file by file. */
static bool read_function(struct function_map *f)
{
	f->file_count = mcdc_read_number(&f->in);
	if (f->in.bad || f->file_count > FILES_MAX)
		return false;
	f->files = calloc(f->file_count + 1, sizeof *f->files);
	if (f->files == NULL)
		return false;
	for (size_t i = 0; i < f->file_count; i++)
		f->files[i] = mcdc_read_number(&f->in);
	uint64_t expressions = mcdc_read_number(&f->in);
	for (uint64_t i = 0; i < expressions && !f->in.bad; i++) {
		(void)mcdc_read_number(&f->in);
		(void)mcdc_read_number(&f->in);
	}
	for (size_t i = 0; i < f->file_count && !f->in.bad; i++) {
		uint64_t regions = mcdc_read_number(&f->in), line = 0;
		for (uint64_t k = 0; k < regions; k++) {
			if (f->in.bad || !read_region(f, i, &line))
				return false;
		}
	}
	return !f->in.bad;
}

/* ---- regions to decisions ---- */

/* Where a region stands in this file: that of a macro's text is where the macro was used. */
static bool region_in_file(
    const struct function_map *f, const struct region *region, uint64_t file, struct mcdc_span *at)
{
	uint64_t from = region->file;
	*at = region->span;
	for (size_t turns = 0; from != file && turns <= f->file_count; turns++) {
		size_t i = 0;
		while (i < f->count && (f->regions[i].kind != REGION_EXPANSION || f->regions[i].expanded != from))
			i++;
		if (i == f->count)
			return false;
		from = f->regions[i].file;
		*at = f->regions[i].span;
	}
	return from == file;
}

static int next_condition(uint64_t next, int outcome)
{
	return next == 0 ? outcome : (int)(next - 1);
}

/* The conditions inside of a decision, by their numbers; false: they are not all there. */
static bool collect_conditions(const struct function_map *f, const struct region *region, struct mcdc_condition *found)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < f->count; i++) {
		const struct region *branch = &f->regions[i];
		struct mcdc_span span;
		if (branch->kind != REGION_BRANCH || !region_in_file(f, branch, region->file, &span) ||
		    !mcdc_span_holds(&region->span, &span) || branch->id == 0 || branch->id > region->count)
			continue;
		if (branch->if_true > region->count || branch->if_false > region->count ||
		    (seen & UINT64_C(1) << (branch->id - 1)) != 0)
			return false;
		seen |= UINT64_C(1) << (branch->id - 1);
		found[branch->id - 1] = (struct mcdc_condition){.span = span,
		    .constant = branch->constant,
		    .if_true = next_condition(branch->if_true, MCDC_TRUE),
		    .if_false = next_condition(branch->if_false, MCDC_FALSE)};
	}
	return seen == (UINT64_C(1) << region->count) - 1;
}

static int place_of(const int *order, unsigned count, int id)
{
	for (unsigned i = 0; i < count; i++) {
		if (order[i] == id)
			return (int)i;
	}
	return id; /* an outcome */
}

/* From the order of their numbers to that of the source; false: one goes on at an earlier one. */
static bool order_conditions(struct mcdc_condition *conditions, unsigned count)
{
	struct mcdc_condition sorted[MCDC_CONDITIONS];
	int order[MCDC_CONDITIONS];
	for (unsigned i = 0; i < count; i++) {
		unsigned k = i;
		for (; k > 0 && mcdc_span_before(&conditions[i].span, &conditions[order[k - 1]].span); k--)
			order[k] = order[k - 1];
		order[k] = (int)i;
	}
	for (unsigned i = 0; i < count; i++) {
		sorted[i] = conditions[order[i]];
		sorted[i].if_true = place_of(order, count, sorted[i].if_true);
		sorted[i].if_false = place_of(order, count, sorted[i].if_false);
		if ((sorted[i].if_true >= 0 && sorted[i].if_true <= (int)i) ||
		    (sorted[i].if_false >= 0 && sorted[i].if_false <= (int)i))
			return false;
	}
	memcpy(conditions, sorted, count * sizeof *conditions);
	return true;
}

static bool has_decision(const struct mcdc_mapping *mapping, const char *file, const struct mcdc_span *span)
{
	for (size_t i = 0; i < mapping->count; i++) {
		if (memcmp(&mapping->decisions[i].span, span, sizeof *span) == 0 &&
		    strcmp(mapping->decisions[i].file, file) == 0)
			return true;
	}
	return false;
}

static int add_decision(struct mcdc_mapping *mapping, const struct function_map *f, const struct region *region,
    const struct mcdc_files *files)
{
	uint64_t number = f->files[region->file];
	if (number >= files->count)
		return MCDC_EFORMAT;
	char *whole = mcdc_files_whole(files, number);
	if (whole == NULL)
		return MCDC_ENOMEM;
	if (region->count == 0 || has_decision(mapping, whole, &region->span)) {
		free(whole);
		return MCDC_OK;
	}
	struct mcdc_decision decision = {.file = whole, .span = region->span, .count = (unsigned)region->count};
	bool small = region->count <= MCDC_CONDITIONS;
	decision.name = strdup(files->names[number]);
	decision.conditions = calloc(small ? region->count : 1, sizeof *decision.conditions);
	int error = decision.name == NULL || decision.conditions == NULL ? MCDC_ENOMEM : MCDC_OK;
	decision.unclear = error == MCDC_OK && small &&
			   (!collect_conditions(f, region, decision.conditions) ||
			       !order_conditions(decision.conditions, decision.count));
	if (error == MCDC_OK && !array_room(&mapping->decisions, mapping->count + 1, &mapping->room))
		error = MCDC_ENOMEM;
	if (error == MCDC_OK)
		mapping->decisions[mapping->count++] = decision;
	else
		mcdc_decision_free(&decision);
	return error;
}

static int take_function(
    struct mcdc_mapping *mapping, const uint8_t *bytes, size_t size, const struct mcdc_files *files)
{
	struct function_map f = {.in = {bytes, bytes + size, false}};
	int error = read_function(&f) ? MCDC_OK : MCDC_EFORMAT;
	for (size_t i = 0; error == MCDC_OK && i < f.count; i++) {
		if (f.regions[i].kind == REGION_DECISION)
			error = add_decision(mapping, &f, &f.regions[i], files);
	}
	free(f.files);
	free(f.regions);
	return error;
}

/* ---- sections ---- */

static int take_functions(
    struct mcdc_mapping *mapping, const uint8_t *bytes, size_t size, const struct mcdc_files *files)
{
	size_t at = 0;
	while (size - at >= FUNCTION_HEAD) {
		size_t length = bytes_get32(bytes + at + 8);
		if (length > size - at - FUNCTION_HEAD)
			return MCDC_EFORMAT;
		int error = take_function(mapping, bytes + at + FUNCTION_HEAD, length, files);
		if (error != MCDC_OK)
			return error;
		at += FUNCTION_HEAD + length;
		at = (at + FUNCTION_ALIGN - 1) & ~(size_t)(FUNCTION_ALIGN - 1);
		if (at > size)
			break;
	}
	return MCDC_OK;
}

/* Calls of take for each section of this name. */
static int each_section(Elf *elf, const char *name, struct mcdc_mapping *mapping, struct mcdc_files *files)
{
	size_t names;
	Elf_Scn *section = NULL;
	int error = MCDC_OK;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return MCDC_EELF;
	while (error == MCDC_OK && (section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) == NULL)
			continue;
		const char *found = elf_strptr(elf, names, header.sh_name);
		Elf_Data *data = found != NULL && strcmp(found, name) == 0 ? elf_rawdata(section, NULL) : NULL;
		if (data == NULL || data->d_buf == NULL || header.sh_type == SHT_NOBITS)
			continue;
		error = mapping == NULL ? mcdc_files_read(files, data->d_buf, data->d_size)
					: take_functions(mapping, data->d_buf, data->d_size, files);
	}
	return error;
}

int mcdc_mapping_take(struct mcdc_mapping *mapping, const void *bytes, size_t size)
{
	struct mcdc_files files = {0};
	size_t before = mapping->count;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)bytes, size);
	if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return MCDC_EELF;
	}
	int error = each_section(elf, "__llvm_covmap", NULL, &files);
	if (error == MCDC_OK && files.count == 0)
		error = MCDC_ENOMAP;
	if (error == MCDC_OK)
		error = each_section(elf, "__llvm_covfun", mapping, &files);
	for (; error != MCDC_OK && mapping->count > before; mapping->count--)
		mcdc_decision_free(&mapping->decisions[mapping->count - 1]);
	mcdc_files_free(&files);
	elf_end(elf);
	return error;
}

int mcdc_mapping_read(struct mcdc_mapping *mapping, const char *path)
{
	uint8_t *bytes = NULL;
	size_t size = 0, room = 0;
	ssize_t got = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return MCDC_EOPEN;
	do {
		if (!array_room(&bytes, size + 65536, &room))
			break;
		got = read(fd, bytes + size, 65536);
		size += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	close(fd);
	int error = got == 0 ? mcdc_mapping_take(mapping, bytes, size) : MCDC_EOPEN;
	free(bytes);
	return error;
}

void mcdc_mapping_choose(struct mcdc_mapping *mapping, bool (*wanted)(void *, const char *), void *context)
{
	size_t kept = 0;
	for (size_t i = 0; i < mapping->count; i++) {
		if (wanted(context, mapping->decisions[i].file))
			mapping->decisions[kept++] = mapping->decisions[i];
		else
			mcdc_decision_free(&mapping->decisions[i]);
	}
	mapping->count = kept;
}

static int by_place(const void *a, const void *b)
{
	const struct mcdc_decision *x = a, *y = b;
	int order = strcmp(x->file, y->file);
	if (order != 0)
		return order;
	if (mcdc_span_before(&x->span, &y->span))
		return -1;
	return mcdc_span_before(&y->span, &x->span) ? 1 : 0;
}

void mcdc_mapping_sort(struct mcdc_mapping *mapping)
{
	if (mapping->count > 0)
		qsort(mapping->decisions, mapping->count, sizeof *mapping->decisions, by_place);
}

void mcdc_decision_free(struct mcdc_decision *decision)
{
	free(decision->file);
	free(decision->name);
	free(decision->conditions);
}

void mcdc_mapping_free(struct mcdc_mapping *mapping)
{
	for (size_t i = 0; i < mapping->count; i++)
		mcdc_decision_free(&mapping->decisions[i]);
	free(mapping->decisions);
	*mapping = (struct mcdc_mapping){0};
}
