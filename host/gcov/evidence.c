/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/evidence_private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "isa/isa.h"

/* ---- lines ---- */

static int evidence_lines_by_place(const void *a, const void *b)
{
	const struct evidence_line *x = a, *y = b;
	return order_then(ORDER_UP(x->function, y->function),
	    order_then(
		ORDER_UP(x->file, y->file), order_then(ORDER_UP(x->line, y->line), ORDER_UP(x->block, y->block))));
}

static bool has_line(const struct evidence *evidence, uint32_t function, uint32_t file, uint32_t line)
{
	const struct evidence_line wanted = {.function = function, .file = file, .line = line};
	size_t low;
	ORDER_FIRST(low, 0, evidence->line_count, evidence_lines_by_place(&evidence->lines[low], &wanted) < 0);
	const struct evidence_line *found = &evidence->lines[low];
	return low < evidence->line_count && found->function == function && found->file == file && found->line == line;
}

/* ---- instructions ---- */

uint64_t evidence_place_count(const struct evidence_maker *m, const struct spot_place *place)
{
	const struct gather_code *code = gather_at(m->input->result, place->pc);
	return code == NULL ? 0 : code->count;
}

void evidence_follow_chain(const struct spots *spots, uint32_t spot, struct evidence_chain *chain)
{
	chain->depth = 0;
	for (; spot != SPOT_NONE && chain->depth <= SPOT_DEPTH_MAX; spot = spots->all[spot].parent)
		chain->all[chain->depth++] = spot;
}

uint64_t evidence_part_key(const struct evidence_maker *m, const struct evidence_chain *chain, uint32_t discriminator)
{
	return (uint64_t)m->rank[chain->all[0]] << 32 | discriminator;
}

size_t evidence_find_home(struct evidence_maker *m, const struct evidence_chain *chain, struct evidence_part *row)
{
	for (size_t i = chain->depth; i-- > 0;) {
		row->function = m->of_spot[chain->all[i]];
		row->home = chain->all[i];
		if (row->function == EVIDENCE_NONE)
			continue;
		m->evidence->present[row->function] = 1;
		if (row->file == EVIDENCE_NONE || !has_line(m->evidence, row->function, row->file, row->line))
			continue;
		/* a function that was inlined into itself: each time is a copy */
		for (size_t k = 0; k < i; k++) {
			if (m->of_spot[chain->all[k]] == row->function) {
				row->home = chain->all[k];
				return k;
			}
		}
		return i;
	}
	return chain->depth;
}

/* A line that ran in the innermost of these spots, for the outermost function whose notes have it. */
static bool add_evidence_row(struct evidence_maker *m, const struct evidence_chain *chain, struct evidence_part row,
    const char *file, uint32_t discriminator)
{
	if (file == NULL || row.line == 0)
		return true;
	if (!evidence_file_number(m, file, false, &row.file))
		return false;
	size_t home = evidence_find_home(m, chain, &row);
	if (home == chain->depth)
		return true;
	row.key = evidence_part_key(m, chain, discriminator);
	if (!array_room(&m->evidence->parts, m->evidence->part_count + 1, &m->part_room))
		return false;
	m->evidence->parts[m->evidence->part_count++] = row;
	return true;
}

static void see_first(struct evidence_maker *m, uint32_t spot, uint32_t line, const struct evidence_part *row)
{
	struct evidence_first *first = &m->first[spot];
	if (first->line == 0 || line < first->line || (line == first->line && row->count > first->count))
		*first = (struct evidence_first){line, row->place, row->count};
}

static bool add_instruction(struct evidence_maker *m, const struct spot_place *place, uint32_t number)
{
	struct evidence_chain chain;
	const struct gather_code *code = gather_at(m->input->result, place->pc);
	struct evidence_part row = {.line = place->line, .place = number, .count = code == NULL ? 0 : code->count};
	if (place->spot == SPOT_NONE)
		return true;
	evidence_follow_chain(m->input->spots, place->spot, &chain);
	row.calls = (place->class_bits & ISA_CALL) != 0;
	for (size_t i = 0; i < chain.depth; i++) {
		if (m->of_spot[chain.all[i]] != EVIDENCE_NONE) {
			m->evidence->executed[m->of_spot[chain.all[i]]] += row.count;
			break;
		}
	}
	if (place->line != 0)
		see_first(m, place->spot, place->line, &row);
	return add_evidence_row(m, &chain, row, place->file, place->discriminator);
}

/* Calls that are none any more. Inner spots have larger numbers. */
static bool add_inlined(struct evidence_maker *m)
{
	const struct spots *spots = m->input->spots;
	for (size_t i = spots->count; i-- > 0;) {
		const struct spot *spot = &spots->all[i];
		struct evidence_chain chain;
		if (spot->parent == SPOT_NONE || m->first[i].line == 0)
			continue;
		evidence_follow_chain(spots, spot->parent, &chain);
		struct evidence_part row = {
		    .line = spot->call_line, .place = m->first[i].place, .count = m->first[i].count, .calls = true};
		if (spot->call_line != 0)
			see_first(m, spot->parent, spot->call_line, &row);
		if (!add_evidence_row(m, &chain, row, spot->call_file, spot->call_discriminator))
			return false;
	}
	return true;
}

/* ---- basic blocks of the program ---- */

static int evidence_targets_by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

static bool find_targets(struct evidence_maker *m)
{
	const struct spots *spots = m->input->spots;
	m->targets = calloc(spots->place_count + 1, sizeof *m->targets);
	m->place_numbers = calloc(spots->place_count + 1, sizeof *m->place_numbers);
	if (m->targets == NULL || m->place_numbers == NULL)
		return false;
	for (size_t i = 0; i < spots->place_count; i++) {
		if (spots->places[i].target != 0 && (spots->places[i].class_bits & ISA_CALL) == 0)
			m->targets[m->target_count++] = spots->places[i].target;
	}
	if (m->target_count > 0)
		qsort(m->targets, m->target_count, sizeof *m->targets, evidence_targets_by_address);
	return true;
}

/* Instructions in the order of their addresses; a block begins at a target, behind a branch or jump, and where counts
 * change (jumps through a register). */
static bool number_instructions(struct evidence_maker *m)
{
	const struct spots *spots = m->input->spots;
	uint32_t number = 0;
	size_t target = 0;
	for (size_t i = 0; i < spots->place_count; i++) {
		const struct spot_place *place = &spots->places[i], *before = i == 0 ? place : place - 1;
		while (target < m->target_count && m->targets[target] < place->pc)
			target++;
		bool begins = target < m->target_count && m->targets[target] == place->pc;
		begins |= before->pc + before->length != place->pc;
		begins |= (before->class_bits & (ISA_BRANCH | ISA_JUMP)) != 0 && (before->class_bits & ISA_CALL) == 0;
		begins |= evidence_place_count(m, place) != evidence_place_count(m, before);
		number += begins;
		m->place_numbers[i] = number;
		if (!add_instruction(m, place, number))
			return false;
	}
	return true;
}

static int evidence_parts_by_place(const void *a, const void *b)
{
	const struct evidence_part *x = a, *y = b;
	return order_then(ORDER_UP(x->function, y->function),
	    order_then(ORDER_UP(x->home, y->home),
		order_then(ORDER_UP(x->file, y->file),
		    order_then(ORDER_UP(x->line, y->line),
			order_then(ORDER_UP(x->key, y->key), ORDER_UP(x->place, y->place))))));
}

/* Of each part what ran most; and what is alike, one behind the other, is one. */
static void merge_parts(struct evidence *evidence)
{
	size_t done = 0;
	if (evidence->part_count > 0)
		qsort(evidence->parts, evidence->part_count, sizeof *evidence->parts, evidence_parts_by_place);
	for (size_t i = 0; i < evidence->part_count; i++) {
		struct evidence_part *last = done == 0 ? NULL : &evidence->parts[done - 1];
		const struct evidence_part *part = &evidence->parts[i];
		if (last == NULL || evidence_parts_by_place(last, part) != 0) {
			evidence->parts[done++] = *part;
			continue;
		}
		last->count = part->count > last->count ? part->count : last->count;
		last->calls |= part->calls;
	}
	evidence->part_count = done;
	done = 0;
	for (size_t i = 0; i < evidence->part_count; i++) {
		struct evidence_part *last = done == 0 ? NULL : &evidence->parts[done - 1];
		const struct evidence_part *part = &evidence->parts[i];
		if (last == NULL || last->function != part->function || last->home != part->home ||
		    last->file != part->file || last->line != part->line || last->key != part->key ||
		    last->count != part->count || last->calls != part->calls)
			evidence->parts[done++] = *part;
	}
	evidence->part_count = done;
}

static bool evidence_make(struct evidence_maker *m, const struct blocks_unit *units, size_t unit_count)
{
	struct evidence *evidence = m->evidence;
	uint32_t first = 0;
	for (size_t i = 0; i < unit_count; i++) {
		if (!evidence_add_noted(m, &units[i].notes, first, (uint32_t)i))
			return false;
		first += (uint32_t)units[i].notes.function_count;
	}
	m->noted = calloc(m->function_count + 1, sizeof *m->noted);
	if (m->noted == NULL)
		return false;
	if (m->function_count > 0)
		memcpy(m->noted, m->functions, m->function_count * sizeof *m->noted);
	evidence_sort_names(m);
	if (evidence->line_count > 0)
		qsort(evidence->lines, evidence->line_count, sizeof *evidence->lines, evidence_lines_by_place);
	evidence->executed = calloc((size_t)first + 1, sizeof *evidence->executed);
	evidence->present = calloc((size_t)first + 1, sizeof *evidence->present);
	if (evidence->executed == NULL || evidence->present == NULL || !evidence_name_spots(m))
		return false;
	if (!find_targets(m) || !number_instructions(m) || !add_inlined(m))
		return false;
	merge_parts(evidence);
	return evidence_add_statements(m);
}

int evidence_gather(
    struct evidence *evidence, const struct blocks_unit *units, size_t unit_count, const struct export_input *input)
{
	struct evidence_maker maker = {.input = input, .evidence = evidence};
	*evidence = (struct evidence){0};
	bool made = evidence_make(&maker, units, unit_count);
	free(maker.functions);
	free(maker.files);
	free(maker.of_spot);
	free(maker.unit_of_spot);
	free(maker.rank);
	free(maker.first);
	free(maker.targets);
	free(maker.place_numbers);
	free(maker.noted);
	hash_free(&maker.file_table);
	return made ? BLOCKS_OK : BLOCKS_ENOMEM;
}

void evidence_free(struct evidence *evidence)
{
	free(evidence->lines);
	free(evidence->parts);
	free(evidence->statements);
	free(evidence->executed);
	free(evidence->present);
	*evidence = (struct evidence){0};
}
