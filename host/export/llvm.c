/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * LLVM's text sample profile, as llvm-profdata reads it and clang -fprofile-sample-use uses it:
 *
 *   function:total:head                   head: entries into it
 *    offset[.discriminator]: count [callee:count ...]
 *    offset[.discriminator]: inlined:total
 *     offset ...                          of the inlined function, one blank further in
 *
 * Offsets are lines from the one that declares the function. The count of a location is that of its most executed
 * instruction. A location that did not run has count 0; in a sampled profile, and in that of a part of the run, it is
 * left out, which clang takes for unknown. clang packs three numbers into a discriminator: which block of the line (the
 * base), how many copies of the code a transformation made (each runs only its part of the times), and a copy's number.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/order.h"
#include "host/export/export.h"
#include "isa/isa.h"

#define NONE UINT32_MAX

struct node {                            /* a function, or one inlined at a location */
	uint32_t parent, child, sibling; /* child: the first; NONE: no more */
	uint32_t offset, discriminator;
	const char *name;
	uint64_t total, head;
};

struct item { /* a location in a node, or a callee there */
	uint32_t node, offset, discriminator;
	const char *callee; /* NULL: the location itself */
	uint64_t count;
};

struct writer {
	const struct export_input *input;
	struct node *nodes;
	size_t node_count;
	uint32_t *of_spot;  /* node by spot; NONE: none */
	struct item *items; /* sorted */
	size_t item_count, item_room;
	FILE *out;
};

/* One number of a packed discriminator: LLVM writes it in 1, 7 or 14 bits, the first with bit 0 set means 0. */
static uint32_t unpacked_number(uint32_t packed)
{
	if ((packed & 1) != 0)
		return 0;
	packed >>= 1;
	return (packed & 0x20) != 0 ? ((packed >> 1) & 0xFE0) | (packed & 0x1F) : packed & 0x1F;
}

static uint32_t copies_of_packed(uint32_t packed)
{
	unsigned shift = 1;
	if ((packed & 1) == 0)
		shift = (packed & 0x40) != 0 ? 14 : 7;
	uint32_t next = packed >> shift;
	uint32_t factor = unpacked_number(next);
	return factor == 0 ? 1 : factor;
}

static uint32_t line_offset(unsigned line, unsigned declared)
{
	return (line - declared) & 0xFFFF;
}

/* The node with this name at this location of parent, made if it is new. nodes has room. */
static uint32_t take_node(struct writer *w, uint32_t parent, uint32_t offset, uint32_t discriminator, const char *name)
{
	/* the functions hang below node 0, which is no function */
	for (uint32_t i = w->nodes[parent].child; i != NONE; i = w->nodes[i].sibling) {
		const struct node *node = &w->nodes[i];
		if (node->offset == offset && node->discriminator == discriminator && strcmp(node->name, name) == 0)
			return i;
	}
	uint32_t index = (uint32_t)w->node_count++;
	w->nodes[index] = (struct node){.parent = parent,
	    .child = NONE,
	    .sibling = w->nodes[parent].child,
	    .offset = offset,
	    .discriminator = discriminator,
	    .name = name};
	w->nodes[parent].child = index;
	return index;
}

static int make_nodes(struct writer *w)
{
	const struct spots *spots = w->input->spots;
	w->nodes = calloc(spots->count + 1, sizeof *w->nodes);
	w->of_spot = calloc(spots->count + 1, sizeof *w->of_spot);
	if (w->nodes == NULL || w->of_spot == NULL)
		return EXPORT_ENOMEM;
	w->nodes[0] = (struct node){.child = NONE, .sibling = NONE, .name = ""};
	w->node_count = 1;
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		uint32_t parent = spot->parent == SPOT_NONE ? 0 : w->of_spot[spot->parent];
		w->of_spot[i] = NONE;
		if (parent == NONE || spot->name == NULL || spot->declared == 0)
			continue;
		if (spot->parent == SPOT_NONE) {
			const struct gather_code *first = gather_at(w->input->result, spot->start);
			w->of_spot[i] = take_node(w, 0, 0, 0, spot->name);
			w->nodes[w->of_spot[i]].head += first == NULL ? 0 : first->count;
		} else
			w->of_spot[i] =
			    take_node(w, parent, line_offset(spot->call_line, spots->all[spot->parent].declared),
				unpacked_number(spot->call_discriminator), spot->name);
	}
	return EXPORT_OK;
}

static int add_item(struct writer *w, struct item item)
{
	if (!array_room(&w->items, w->item_count + 1, &w->item_room))
		return EXPORT_ENOMEM;
	w->items[w->item_count++] = item;
	return EXPORT_OK;
}

/* The first edge at or behind site. */
static size_t first_call(const struct gather_result *result, uint64_t site)
{
	size_t low;
	ORDER_FIRST(low, 0, result->call_count, result->calls[low].site < site);
	return low;
}

static int make_items(struct writer *w)
{
	const struct spots *spots = w->input->spots;
	const struct gather_result *result = w->input->result;
	int error = EXPORT_OK;
	for (size_t i = 0; i < spots->place_count && error == EXPORT_OK; i++) {
		const struct spot_place *place = &spots->places[i];
		uint32_t node = w->of_spot[place->spot];
		if (node == NONE || place->line == 0)
			continue;
		const struct gather_code *code = gather_at(result, place->pc);
		struct item item = {.node = node,
		    .offset = line_offset(place->line, spots->all[place->spot].declared),
		    .discriminator = unpacked_number(place->discriminator)};
		if (code != NULL &&
		    __builtin_mul_overflow(code->count, copies_of_packed(place->discriminator), &item.count))
			return EXPORT_EOVERFLOW;
		if (item.count == 0 && (w->input->sampled || w->input->part))
			continue; /* not seen is not known */
		error = add_item(w, item);
		if ((place->class_bits & ISA_CALL) == 0)
			continue;
		for (size_t c = first_call(result, place->pc);
		     c < result->call_count && result->calls[c].site == place->pc && error == EXPORT_OK; c++) {
			item.callee = image_function(w->input->image, result->calls[c].target, NULL);
			item.count = result->calls[c].count;
			if (item.callee != NULL)
				error = add_item(w, item);
		}
	}
	return error;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->node != y->node)
		return x->node > y->node ? 1 : -1;
	if (x->offset != y->offset)
		return x->offset > y->offset ? 1 : -1;
	if (x->discriminator != y->discriminator)
		return x->discriminator > y->discriminator ? 1 : -1;
	if (x->callee == NULL || y->callee == NULL)
		return (x->callee != NULL) - (y->callee != NULL);
	return strcmp(x->callee, y->callee);
}

/* Locations: the largest; callees: the sum. Then the totals, inner functions before the ones around them. */
static int merge_items(struct writer *w)
{
	size_t done = 0;
	if (w->item_count > 0)
		qsort(w->items, w->item_count, sizeof *w->items, compare_items);
	for (size_t i = 0; i < w->item_count; i++) {
		struct item *last = done == 0 ? NULL : &w->items[done - 1];
		const struct item *item = &w->items[i];
		if (last == NULL || compare_items(last, item) != 0)
			w->items[done++] = *item;
		else if (item->callee != NULL)
			last->count += item->count;
		else if (item->count > last->count)
			last->count = item->count;
	}
	w->item_count = done;
	for (size_t i = 0; i < done; i++) {
		uint64_t *total = &w->nodes[w->items[i].node].total;
		if (w->items[i].callee == NULL && __builtin_add_overflow(*total, w->items[i].count, total))
			return EXPORT_EOVERFLOW;
	}
	for (size_t i = w->node_count; i-- > 1;) { /* a parent has the smaller index */
		uint64_t *total = &w->nodes[w->nodes[i].parent].total;
		if (__builtin_add_overflow(*total, w->nodes[i].total, total))
			return EXPORT_EOVERFLOW;
	}
	return EXPORT_OK;
}

static void write_location(struct writer *w, unsigned depth, uint32_t offset, uint32_t discriminator)
{
	fprintf(w->out, "%*s%" PRIu32, (int)depth, "", offset);
	if (discriminator != 0)
		fprintf(w->out, ".%" PRIu32, discriminator);
	fputs(": ", w->out);
}

static int by_location(const void *a, const void *b)
{
	const struct node *const *px = a, *const *py = b, *x = *px, *y = *py;
	return order_then(ORDER_UP(x->offset, y->offset),
	    order_then(ORDER_UP(x->discriminator, y->discriminator), strcmp(x->name, y->name)));
}

static int write_inside(struct writer *w, uint32_t index, unsigned depth)
{
	size_t low, count = 0;
	ORDER_FIRST(low, 0, w->item_count, w->items[low].node < index);
	for (; low < w->item_count && w->items[low].node == index;) {
		const struct item *item = &w->items[low++];
		write_location(w, depth, item->offset, item->discriminator);
		fprintf(w->out, "%" PRIu64, item->count);
		for (; low < w->item_count && w->items[low].node == index && w->items[low].callee != NULL; low++)
			fprintf(w->out, " %s:%" PRIu64, w->items[low].callee, w->items[low].count);
		fputc('\n', w->out);
	}
	for (uint32_t i = w->nodes[index].child; i != NONE; i = w->nodes[i].sibling)
		count++;
	const struct node **inner = calloc(count + 1, sizeof *inner);
	if (inner == NULL)
		return EXPORT_ENOMEM;
	count = 0;
	for (uint32_t i = w->nodes[index].child; i != NONE; i = w->nodes[i].sibling)
		inner[count++] = &w->nodes[i];
	qsort(inner, count, sizeof *inner, by_location);
	int error = EXPORT_OK;
	for (size_t i = 0; i < count && error == EXPORT_OK; i++) {
		write_location(w, depth, inner[i]->offset, inner[i]->discriminator);
		fprintf(w->out, "%s:%" PRIu64 "\n", inner[i]->name, inner[i]->total);
		error = write_inside(w, (uint32_t)(inner[i] - w->nodes), depth + 1);
	}
	free(inner);
	return error;
}

static int hottest_first(const void *a, const void *b)
{
	const struct node *const *px = a, *const *py = b, *x = *px, *y = *py;
	return order_then(ORDER_DOWN(x->total, y->total), strcmp(x->name, y->name));
}

static int write_all(struct writer *w)
{
	size_t count = 0;
	const struct node **functions = calloc(w->node_count, sizeof *functions);
	if (functions == NULL)
		return EXPORT_ENOMEM;
	for (uint32_t i = w->nodes[0].child; i != NONE; i = w->nodes[i].sibling) {
		if (w->nodes[i].total > 0)
			functions[count++] = &w->nodes[i];
	}
	qsort(functions, count, sizeof *functions, hottest_first);
	int error = count == 0 ? EXPORT_EDEBUG : EXPORT_OK;
	for (size_t i = 0; i < count && error == EXPORT_OK; i++) {
		fprintf(w->out, "%s:%" PRIu64 ":%" PRIu64 "\n", functions[i]->name, functions[i]->total,
		    functions[i]->head);
		error = write_inside(w, (uint32_t)(functions[i] - w->nodes), 1);
	}
	free(functions);
	return error;
}

int export_llvm(const struct export_input *input, FILE *out)
{
	struct writer w = {.input = input, .out = out};
	int error = make_nodes(&w);
	if (error == EXPORT_OK)
		error = make_items(&w);
	if (error == EXPORT_OK)
		error = merge_items(&w);
	if (error == EXPORT_OK)
		error = write_all(&w);
	free(w.nodes);
	free(w.of_spot);
	free(w.items);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
