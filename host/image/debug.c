/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * DWARF by libdw: all line tables become one sorted array, all ranges of functions and inlined functions one flat map,
 * so that a lookup is a binary search. .debug_aranges is not used: not every compiler writes it.
 */
#include "host/image/private.h"
#include "host/base/order.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define CALL_DISCRIMINATOR 0x2136 /* DW_AT_GNU_discriminator: older headers of elfutils do not name it */
#define DEPTH_MAX 200             /* nesting of DIEs: deeper is damage */

struct loader {
	struct image *image;
	size_t row_room, scope_room, producer_room;
	uint16_t producer; /* of the unit that is read */
	size_t budget;     /* DIEs that may still be visited: a DW_AT_sibling that points backwards must not loop */
	int error;
};

static bool in_code(const struct image *image, Dwarf_Addr address)
{
	size_t available;
	return image_code(image, address, &available) != NULL;
}

static int add_line_row(struct loader *loader, struct line_row row)
{
	struct image *image = loader->image;
	if (!array_room(&image->rows, image->row_count + 1, &loader->row_room))
		return IMAGE_ENOMEM;
	row.order = image->row_count;
	image->rows[image->row_count++] = row;
	return IMAGE_OK;
}

/* Sets the producer of the rows that follow. */
static int read_producer(struct loader *loader, Dwarf_Die *unit)
{
	struct image *image = loader->image;
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
	size_t i = 0;
	loader->producer = 0;
	if (name == NULL || image->producer_count >= UINT16_MAX)
		return IMAGE_OK;
	while (i < image->producer_count && strcmp(image->producers[i], name) != 0)
		i++;
	if (i == image->producer_count) {
		if (!array_room(&image->producers, i + 1, &loader->producer_room))
			return IMAGE_ENOMEM;
		image->producers[image->producer_count++] = name;
	}
	loader->producer = (uint16_t)(i + 1);
	return IMAGE_OK;
}

static int read_unit_lines(struct loader *loader, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t count;
	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return IMAGE_OK; /* a unit without lines, or a damaged table: the others may do */
	bool keep = false; /* whether the current sequence lies in code: discarded functions have theirs at address 0 */
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		int number = 0, column = 0;
		unsigned discriminator = 0;
		bool end = false, begins = false;
		if (line == NULL || dwarf_lineaddr(line, &address) != 0)
			continue;
		address += loader->image->bias;
		(void)dwarf_lineno(line, &number);
		(void)dwarf_linecol(line, &column);
		(void)dwarf_linediscriminator(line, &discriminator);
		(void)dwarf_lineendsequence(line, &end);
		(void)dwarf_linebeginstatement(line, &begins);
		const char *file = dwarf_linesrc(line, NULL, NULL);
		if (file == NULL)
			file = "?";
		if (!end)
			keep = in_code(loader->image, address);
		if (!keep)
			continue;
		struct line_row row = {.address = address,
		    .file = end ? NULL : file,
		    .line = number > 0 ? (unsigned)number : 0,
		    .column = column > 0 ? (unsigned)column : 0,
		    .discriminator = discriminator,
		    .begins = begins && !end,
		    .producer = loader->producer};
		int error = add_line_row(loader, row);
		if (error != IMAGE_OK)
			return error;
	}
	return IMAGE_OK;
}

static int line_rows_by_address(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;
	if (x->address != y->address)
		return x->address > y->address ? 1 : -1;
	if ((x->file == NULL) != (y->file == NULL)) /* the end of one sequence before the start of the next */
		return x->file == NULL ? -1 : 1;
	return ORDER_UP(x->order, y->order);
}

static int add_inline_scope(struct loader *loader, struct scope scope, int32_t *index)
{
	struct image *image = loader->image;
	if (image->scope_count >= INT32_MAX || !array_room(&image->scopes, image->scope_count + 1, &loader->scope_room))
		return IMAGE_ENOMEM;
	scope.order = image->scope_count;
	*index = (int32_t)image->scope_count;
	image->scopes[image->scope_count++] = scope;
	return IMAGE_OK;
}

/* Name of a function: its own, or that of the declaration or abstract instance that it refers to. */
static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

static void read_call(Dwarf_Die *die, Dwarf_Die *unit, struct scope *scope)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	Dwarf_Files *files;
	size_t count;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &value) == 0 && value <= UINT32_MAX)
		scope->call_line = (unsigned)value;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &value) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &count) == 0 && value < count)
		scope->call_file = dwarf_filesrc(files, (size_t)value, NULL, NULL);
	if (dwarf_formudata(dwarf_attr(die, CALL_DISCRIMINATOR, &attribute), &value) == 0 && value <= UINT32_MAX)
		scope->call_discriminator = (unsigned)value;
}

/* Line that declares a function: its own, or that of the declaration or abstract instance that it refers to. */
static unsigned die_line(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &value) != 0 || value > UINT32_MAX)
		return 0;
	return (unsigned)value;
}

/* The ranges of one die become scopes; the first of them is the parent of what is inside (ranges of one die share name
 * and call). */
static int read_ranges(struct loader *loader, Dwarf_Die *die, struct scope scope, int32_t *parent)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	bool first = true;
	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		low += loader->image->bias;
		high += loader->image->bias;
		if (low >= high || !in_code(loader->image, low))
			continue;
		scope.low = low;
		scope.high = high;
		int32_t index;
		int error = add_inline_scope(loader, scope, &index);
		if (error != IMAGE_OK)
			return error;
		if (first)
			*parent = index;
		first = false;
		if (loader->budget-- == 0)
			return IMAGE_ENODEBUG;
	}
	return IMAGE_OK;
}

static int read_dies(struct loader *loader, Dwarf_Die *parent_die, Dwarf_Die *unit, int32_t parent, unsigned depth)
{
	Dwarf_Die die;
	if (depth > DEPTH_MAX || dwarf_child(parent_die, &die) != 0)
		return IMAGE_OK;
	do {
		if (loader->budget-- == 0)
			return IMAGE_ENODEBUG;
		int tag = dwarf_tag(&die);
		int32_t inner = parent;
		int error = IMAGE_OK;
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
			struct scope scope = {.name = die_name(&die),
			    .declared = die_line(&die),
			    .depth = depth,
			    .parent = tag == DW_TAG_subprogram ? -1 : parent};
			if (tag == DW_TAG_inlined_subroutine)
				read_call(&die, unit, &scope);
			error = read_ranges(loader, &die, scope, &inner);
		}
		if (error == IMAGE_OK &&
		    (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
			tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type))
			error = read_dies(loader, &die, unit, inner, depth + 1);
		if (error != IMAGE_OK)
			return error;
	} while (dwarf_siblingof(&die, &die) == 0);
	return IMAGE_OK;
}

static int compare_scopes(const void *a, const void *b)
{
	const struct scope *const *px = a, *const *py = b, *x = *px, *y = *py;
	return order_then(
	    ORDER_UP(x->low, y->low), order_then(ORDER_UP(x->depth, y->depth), ORDER_UP(x->order, y->order)));
}

static void add_scope_piece(struct image *image, uint64_t address, int32_t scope)
{
	if (image->piece_count > 0 && image->pieces[image->piece_count - 1].address == address)
		image->pieces[image->piece_count - 1].scope = scope;
	else
		image->pieces[image->piece_count++] = (struct scope_piece){address, scope};
}

/* Nested ranges to a flat map: a sweep over the starts with a stack of the open ranges. Each range starts and ends
 * once, so there are at most two pieces for each. */
static int flatten_scopes(struct image *image)
{
	size_t count = image->scope_count, top = 0;
	if (count == 0)
		return IMAGE_OK;
	const struct scope **sorted = calloc(count, sizeof *sorted);
	const struct scope **stack = calloc(count, sizeof *stack);
	image->pieces = calloc(2 * count + 1, sizeof *image->pieces);
	if (sorted == NULL || stack == NULL || image->pieces == NULL) {
		free(sorted);
		free(stack);
		return IMAGE_ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = &image->scopes[i];
	qsort(sorted, count, sizeof *sorted, compare_scopes);
	for (size_t i = 0; i <= count; i++) {
		/* close what ends before the next start */
		while (top > 0 && (i == count || stack[top - 1]->high <= sorted[i]->low)) {
			uint64_t end = stack[--top]->high;
			while (top > 0 &&
			       stack[top - 1]->high <= end) /* ranges that wrongly outlive the one around them */
				top--;
			add_scope_piece(image, end, top == 0 ? -1 : (int32_t)(stack[top - 1] - image->scopes));
		}
		if (i == count)
			break;
		stack[top++] = sorted[i];
		add_scope_piece(image, sorted[i]->low, (int32_t)(sorted[i] - image->scopes));
	}
	free(sorted);
	free(stack);
	return IMAGE_OK;
}

void image_debug_free(struct image *image)
{
	free(image->rows);
	free(image->scopes);
	free(image->pieces);
	free(image->producers);
	image->producers = NULL;
	image->producer_count = 0;
	image->rows = NULL;
	image->scopes = NULL;
	image->pieces = NULL;
	image->row_count = image->scope_count = image->piece_count = 0;
	if (image->dwarf != NULL)
		dwarf_end(image->dwarf);
	image->dwarf = NULL;
}

int image_debug(struct image *image, char *detail, size_t size)
{
	if (image->row_count > 0)
		return IMAGE_OK;
	for (size_t i = 0; i < image->other_count; i++)
		(void)image_debug(image->others[i], NULL, 0); /* of a library the symbols do */
	const char *advice = "addresses and symbols only; compile with -g and do not strip to see source lines";
	image_debug_free(image);
	if (image->machine != NULL)
		return image_fail(detail, size, IMAGE_ENODEBUG,
		    "%s: its bytecodes name no lines of a source: places and functions only", image->file.path);
	Dwarf *dwarf = image->elf == NULL ? NULL : dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
	if (dwarf == NULL)
		return image_fail(
		    detail, size, IMAGE_ENODEBUG, "%s: no DWARF debug information: %s", image->file.path, advice);
	image->dwarf = dwarf;
	struct loader loader = {.image = image, .budget = image->file.length};
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	int error = IMAGE_OK;
	while (error == IMAGE_OK && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		if (loader.budget-- == 0)
			break;
		if (dwarf_tag(&die) != DW_TAG_compile_unit)
			continue;
		error = read_producer(&loader, &die);
		if (error == IMAGE_OK)
			error = read_unit_lines(&loader, &die);
		if (error == IMAGE_OK)
			error = read_dies(&loader, &die, &die, -1, 0);
	}
	if (error == IMAGE_OK) {
		if (image->row_count > 0)
			qsort(image->rows, image->row_count, sizeof *image->rows, line_rows_by_address);
		error = flatten_scopes(image);
	}
	if (error == IMAGE_OK && image->row_count == 0)
		error = IMAGE_ENODEBUG;
	if (error != IMAGE_OK) {
		image_debug_free(image);
		return image_fail(detail, size, error, "%s: %s: %s", image->file.path,
		    error == IMAGE_ENOMEM ? "out of memory for its DWARF" : "its DWARF has no usable source lines",
		    advice);
	}
	return IMAGE_OK;
}

static const struct line_row *find_line_row(const struct image *image, uint64_t address)
{
	size_t low;
	ORDER_FIRST(low, 0, image->row_count, image->rows[low].address <= address);
	return low == 0 || image->rows[low - 1].file == NULL ? NULL : &image->rows[low - 1];
}

static int32_t find_scope(const struct image *image, uint64_t address)
{
	size_t low;
	ORDER_FIRST(low, 0, image->piece_count, image->pieces[low].address <= address);
	return low == 0 ? -1 : image->pieces[low - 1].scope;
}

size_t image_places(const struct image *image, uint64_t address, struct image_place *places, size_t max)
{
	size_t count = 0, available;
	if (max == 0)
		return 0;
	for (size_t i = 0; i < image->other_count; i++) {
		if (image_code(image->others[i], address, &available) != NULL)
			return image_places(image->others[i], address, places, max);
	}
	struct image_place place = {0};
	const struct line_row *row = find_line_row(image, address);
	if (row != NULL) {
		place.file = row->file;
		place.line = row->line;
		place.column = row->column;
		place.discriminator = row->discriminator;
	}
	/* a parent is an earlier scope (a smaller index), so this ends */
	for (int32_t i = find_scope(image, address); i >= 0 && count < max; i = image->scopes[i].parent) {
		const struct scope *scope = &image->scopes[i];
		place.function = scope->name;
		place.declared = scope->declared;
		places[count++] = place;
		place = (struct image_place){
		    .file = scope->call_file, .line = scope->call_line, .discriminator = scope->call_discriminator};
	}
	if (count == 0)
		places[count++] = place;
	if (places[count - 1].function == NULL)
		places[count - 1].function = image_function(image, address, NULL);
	return count;
}

const char *image_producer(const struct image *image, uint64_t address)
{
	size_t available;
	for (size_t i = 0; i < image->other_count; i++) {
		if (image_code(image->others[i], address, &available) != NULL)
			return image_producer(image->others[i], address);
	}
	const struct line_row *row = find_line_row(image, address);
	return row == NULL || row->producer == 0 ? NULL : image->producers[row->producer - 1];
}

bool image_statement(const struct image *image, size_t *index, uint64_t *address, struct image_place *place)
{
	for (; *index < image->row_count; (*index)++) {
		const struct line_row *row = &image->rows[*index];
		if (!row->begins || row->line == 0)
			continue;
		*address = row->address;
		*place = (struct image_place){
		    .file = row->file, .line = row->line, .column = row->column, .discriminator = row->discriminator};
		(*index)++;
		return true;
	}
	return false;
}
