/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/evidence_private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"

/* The chain without the inlined functions that a line is not of: where they begin, statements around them begin too. */
static void cut_chain(const struct evidence_maker *m, struct evidence_chain *chain, uint32_t file, uint32_t line)
{
	for (size_t i = 0; i < chain->depth; i++) {
		uint32_t number = m->of_spot[chain->all[i]];
		const struct evidence_name *name = number == EVIDENCE_NONE ? NULL : &m->noted[number];
		if (name == NULL || name->file != file || line < name->first_line || line > name->last_line)
			continue;
		memmove(chain->all, chain->all + i, (chain->depth - i) * sizeof *chain->all);
		chain->depth -= i;
		return;
	}
}

static bool add_statement(struct evidence_maker *m, uint64_t address, const struct image_place *at)
{
	const struct spot_place *place = spots_at(m->input->spots, address);
	struct evidence_chain chain;
	struct evidence_part row = {.line = at->line};
	if (place == NULL || place->spot == SPOT_NONE)
		return true;
	if (!evidence_file_number(m, at->file, false, &row.file))
		return false;
	evidence_follow_chain(m->input->spots, place->spot, &chain);
	cut_chain(m, &chain, row.file, at->line);
	size_t home = evidence_find_home(m, &chain, &row);
	if (home == chain.depth)
		return true;
	struct evidence *evidence = m->evidence;
	if (!array_room(&evidence->statements, evidence->statement_count + 1, &m->statement_room))
		return false;
	uint64_t key = evidence_part_key(m, &chain, at->discriminator);
	evidence->statements[evidence->statement_count++] = (struct evidence_statement){.function = row.function,
	    .home = row.home,
	    .file = row.file,
	    .line = row.line,
	    .place = m->place_numbers[place - m->input->spots->places],
	    .key = (uint64_t)hash_of_two(key, at->column) << 32 | at->column,
	    .count = evidence_place_count(m, place)};
	return true;
}

static int compare_statement_lines(const struct evidence_statement *x, const struct evidence_statement *y)
{
	return order_then(ORDER_UP(x->function, y->function),
	    order_then(ORDER_UP(x->home, y->home), order_then(ORDER_UP(x->file, y->file), ORDER_UP(x->line, y->line))));
}

static int evidence_statements_by_place(const void *a, const void *b)
{
	const struct evidence_statement *x = a, *y = b;
	int order = compare_statement_lines(x, y);
	if (order != 0)
		return order;
	return order_then(ORDER_UP(x->key, y->key), ORDER_UP(x->place, y->place));
}

/* Of each line one: the sum of the places of its most executed statement. */
static void merge_statements(struct evidence *evidence)
{
	struct evidence_statement *all = evidence->statements;
	size_t done = 0, count = evidence->statement_count;
	if (count > 0)
		qsort(all, count, sizeof *all, evidence_statements_by_place);
	for (size_t i = 0, end; i < count; i = end) {
		struct evidence_statement sum = all[i];
		for (end = i + 1;
		     end < count && compare_statement_lines(&all[end], &sum) == 0 && all[end].key == sum.key; end++) {
			if (all[end].place != all[end - 1].place)
				sum.count += all[end].count;
		}
		if (done == 0 || compare_statement_lines(&all[done - 1], &sum) != 0)
			all[done++] = sum;
		else if (all[done - 1].count < sum.count)
			all[done - 1].count = sum.count;
	}
	evidence->statement_count = done;
}

bool evidence_add_statements(struct evidence_maker *m)
{
	const struct image *image = m->input->image;
	for (size_t library = 0; image != NULL; image = image_library(m->input->image, library++)) {
		struct image_place at;
		uint64_t address;
		for (size_t index = 0; image_statement(image, &index, &address, &at);) {
			if (!add_statement(m, address, &at))
				return false;
		}
	}
	merge_statements(m->evidence);
	return true;
}
