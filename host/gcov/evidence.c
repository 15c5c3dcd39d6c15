/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/evidence.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"
#include "isa/isa.h"

#define EVIDENCE_NONE UINT32_MAX

struct evidence_name { /* a function of notes, or a file */
	const char *text;
	uint32_t number, unit, first_line, last_line, file; /* number: of the function; of a file's name: of the file */
};

struct evidence_first { /* how often an inlined function was entered: as its first line ran */
	uint32_t line, place;
	uint64_t count;
};
struct evidence_maker {
	const struct export_input *input;
	struct evidence *evidence;
	struct evidence_name *functions, *files; /* files: names of notes and of the program */
	size_t function_count, function_room, file_count, file_room, known_files;
	struct hash file_table;
	uint32_t *of_spot; /* function by spot */
	uint32_t *unit_of_spot;
	uint32_t *rank;               /* by spot: its place in the source, in the function of the program */
	struct evidence_first *first; /* by spot */
	uint32_t *place_numbers;      /* by place: its basic block */
	struct evidence_name *noted;  /* functions, by number */
	uint64_t *targets;            /* of branches and jumps, sorted */
	size_t target_count;
	size_t line_room, part_room, statement_room;
};

/* ---- names ---- */

/* Names of one file: what both have at their ends is the same, without the folders that lead there. */
static bool same_source(const char *a, const char *b)
{
	while (strncmp(a, "../", 3) == 0 || strncmp(a, "./", 2) == 0)
		a += a[1] == '.' ? 3 : 2;
	while (strncmp(b, "../", 3) == 0 || strncmp(b, "./", 2) == 0)
		b += b[1] == '.' ? 3 : 2;
	size_t x = strlen(a), y = strlen(b), shorter = x < y ? x : y;
	if (strcmp(a + x - shorter, b + y - shorter) != 0)
		return false;
	const char *longer = x < y ? b + y - shorter : a + x - shorter;
	return x == y || longer[-1] == '/';
}

static bool is_file_name(const void *context, uint32_t index)
{
	const void *const *pair = context;
	const struct evidence_name *files = pair[0];
	return strcmp(files[index].text, pair[1]) == 0;
}

/* The number of a file; noted: a name of the notes, which is added, else EVIDENCE_NONE if they do not have it. False:
 * out of memory. */
static bool file_number(struct evidence_maker *m, const char *text, bool noted, uint32_t *number)
{
	const void *pair[2] = {m->files, text};
	uint32_t hash = hash_of_text(text), found = hash_find(&m->file_table, hash, is_file_name, pair);
	if (found != HASH_NONE) {
		*number = m->files[found].number;
		return true;
	}
	*number = EVIDENCE_NONE;
	for (size_t i = 0; i < m->known_files && *number == EVIDENCE_NONE; i++) {
		if (same_source(m->files[i].text, text))
			*number = m->files[i].number;
	}
	if (*number == EVIDENCE_NONE && noted)
		*number = (uint32_t)m->file_count;
	if (!array_room(&m->files, m->file_count + 1, &m->file_room) ||
	    !hash_add(&m->file_table, hash, (uint32_t)m->file_count))
		return false;
	m->files[m->file_count++] = (struct evidence_name){.text = text, .number = *number};
	m->known_files = noted ? m->file_count : m->known_files;
	return true;
}

/* By name, up to a `.' behind its first letter: clones of a function have more. */
static int compare_stems(const char *a, const char *b)
{
	size_t x = strcspn(a + (*a != '\0'), ".") + (*a != '\0'), y = strcspn(b + (*b != '\0'), ".") + (*b != '\0');
	int order = memcmp(a, b, x < y ? x : y);
	return order != 0 ? order : (x > y) - (x < y);
}

static int evidence_names_by_text(const void *a, const void *b)
{
	const struct evidence_name *x = a, *y = b;
	int order = compare_stems(x->text, y->text);
	return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

enum { BLOCK_FAKE = 1, BLOCK_GOES_ON = 2 };

/* By block, which arcs it has. gcc notes that a call may not return as an arc to the exit; beside it the block has
 * another one. To be freed; NULL: out of memory. */
static uint8_t *block_arcs(const struct notes *notes, const struct notes_function *function)
{
	uint8_t *arcs = calloc((size_t)function->block_count + 1, 1);
	for (size_t i = 0; i < function->arc_count && arcs != NULL; i++) {
		const struct notes_arc *arc = &notes->arcs[function->first_arc + i];
		bool fake = arc->to == NOTES_EXIT && (arc->flags & NOTES_ARC_FAKE) != 0;
		arcs[arc->from] |= fake ? BLOCK_FAKE : BLOCK_GOES_ON;
	}
	return arcs;
}

static bool add_lines(struct evidence_maker *m, const struct notes *notes, size_t index, uint32_t number)
{
	const struct notes_function *function = &notes->functions[index];
	struct evidence *evidence = m->evidence;
	uint8_t *arcs = block_arcs(notes, function);
	bool done = arcs != NULL;
	for (size_t k = 0; k < function->place_count && done; k++) {
		const struct notes_line *place = &notes->places[function->first_place + k];
		struct evidence_line line = {.function = number, .line = place->line, .block = place->block};
		line.ends = k + 1 == function->place_count || place[1].block != place->block;
		line.calls = line.ends && arcs[place->block] == (BLOCK_FAKE | BLOCK_GOES_ON);
		done = file_number(m, place->file, true, &line.file) &&
		       array_room(&evidence->lines, evidence->line_count + 1, &m->line_room);
		if (done)
			evidence->lines[evidence->line_count++] = line;
	}
	free(arcs);
	return done;
}

static bool add_noted(struct evidence_maker *m, const struct notes *notes, uint32_t first, uint32_t unit)
{
	for (size_t i = 0; i < notes->function_count; i++) {
		const struct notes_function *function = &notes->functions[i];
		struct evidence_name name = {.text = function->name,
		    .number = first + (uint32_t)i,
		    .unit = unit,
		    .first_line = function->first_line,
		    .last_line = function->last_line};
		if (!file_number(m, function->file, true, &name.file) ||
		    !array_room(&m->functions, m->function_count + 1, &m->function_room) ||
		    !add_lines(m, notes, i, name.number))
			return false;
		m->functions[m->function_count++] = name;
	}
	return true;
}

/* The function of notes that a spot is of; of several that of this unit, or the first. */
static uint32_t function_of_spot(const struct evidence_maker *m, const struct spot *spot, uint32_t unit)
{
	size_t low = 0, high = m->function_count;
	uint32_t found = EVIDENCE_NONE;
	if (spot->name == NULL)
		return EVIDENCE_NONE;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_stems(m->functions[middle].text, spot->name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < m->function_count && compare_stems(m->functions[low].text, spot->name) == 0; low++) {
		const struct evidence_name *name = &m->functions[low];
		if (name->first_line != spot->declared || (found != EVIDENCE_NONE && name->unit != unit))
			continue;
		found = name->number;
		if (name->unit == unit)
			break;
	}
	return found;
}

/* ---- lines ---- */

static int evidence_lines_by_place(const void *a, const void *b)
{
	const struct evidence_line *x = a, *y = b;
	if (x->function != y->function)
		return x->function > y->function ? 1 : -1;
	if (x->file != y->file)
		return x->file > y->file ? 1 : -1;
	if (x->line != y->line)
		return x->line > y->line ? 1 : -1;
	return (x->block > y->block) - (x->block < y->block);
}

static bool has_line(const struct evidence *evidence, uint32_t function, uint32_t file, uint32_t line)
{
	const struct evidence_line wanted = {.function = function, .file = file, .line = line};
	size_t low = 0, high = evidence->line_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (evidence_lines_by_place(&evidence->lines[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	const struct evidence_line *found = &evidence->lines[low];
	return low < evidence->line_count && found->function == function && found->file == file && found->line == line;
}

/* ---- instructions ---- */

struct spot_order { /* a spot by where it was inlined */
	uint32_t line, discriminator, spot;
};

static int spot_orders_by_call(const void *a, const void *b)
{
	const struct spot_order *x = a, *y = b;
	if (x->line != y->line)
		return x->line > y->line ? 1 : -1;
	if (x->discriminator != y->discriminator)
		return x->discriminator > y->discriminator ? 1 : -1;
	return (x->spot > y->spot) - (x->spot < y->spot);
}

/* Numbers the spots as the source has them: each before those that were inlined into it, these in the order of their
 * calls. child, next: by spot, lists in that order. */
static void rank_tree(struct evidence_maker *m, uint32_t root, const uint32_t *child, const uint32_t *next)
{
	uint32_t rank = 0, spot = root;
	for (;;) {
		m->rank[spot] = rank++;
		if (child[spot] != SPOT_NONE) {
			spot = child[spot];
			continue;
		}
		while (spot != root && next[spot] == SPOT_NONE)
			spot = m->input->spots->all[spot].parent;
		if (spot == root)
			return;
		spot = next[spot];
	}
}

static bool rank_spots(struct evidence_maker *m)
{
	const struct spots *spots = m->input->spots;
	struct spot_order *orders = calloc(spots->count + 1, sizeof *orders);
	uint32_t *child = calloc(spots->count + 1, sizeof *child), *next = calloc(spots->count + 1, sizeof *next);
	bool done = orders != NULL && child != NULL && next != NULL;
	for (size_t i = 0; i < spots->count && done; i++) {
		const struct spot *spot = &spots->all[i];
		orders[i] = (struct spot_order){spot->call_line, spot->call_discriminator, (uint32_t)i};
		child[i] = next[i] = SPOT_NONE;
	}
	if (done && spots->count > 0)
		qsort(orders, spots->count, sizeof *orders, spot_orders_by_call);
	for (size_t i = spots->count; i-- > 0 && done;) { /* the last becomes the first of its list */
		uint32_t spot = orders[i].spot, parent = spots->all[spot].parent;
		if (parent != SPOT_NONE) {
			next[spot] = child[parent];
			child[parent] = spot;
		}
	}
	for (size_t i = 0; i < spots->count && done; i++) {
		if (spots->all[i].parent == SPOT_NONE)
			rank_tree(m, (uint32_t)i, child, next);
	}
	free(orders);
	free(child);
	free(next);
	return done;
}

/* Of functions of one name and line, which a header has, the one of the file that the function around it is of. */
static bool name_spots(struct evidence_maker *m)
{
	const struct spots *spots = m->input->spots;
	m->of_spot = calloc(spots->count + 1, sizeof *m->of_spot);
	m->unit_of_spot = calloc(spots->count + 1, sizeof *m->unit_of_spot);
	m->rank = calloc(spots->count + 1, sizeof *m->rank);
	m->first = calloc(spots->count + 1, sizeof *m->first);
	if (m->of_spot == NULL || m->unit_of_spot == NULL || m->rank == NULL || m->first == NULL)
		return false;
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		uint32_t around = spot->parent == SPOT_NONE ? EVIDENCE_NONE : m->unit_of_spot[spot->parent];
		m->of_spot[i] = function_of_spot(m, spot, around);
		m->unit_of_spot[i] = m->of_spot[i] != EVIDENCE_NONE ? m->noted[m->of_spot[i]].unit : around;
	}
	return rank_spots(m);
}

/* The spots from that of a place outwards. */
struct evidence_chain {
	uint32_t all[SPOT_DEPTH_MAX + 1];
	size_t depth;
};

static void follow_chain(const struct spots *spots, uint32_t spot, struct evidence_chain *chain)
{
	chain->depth = 0;
	for (; spot != SPOT_NONE && chain->depth <= SPOT_DEPTH_MAX; spot = spots->all[spot].parent)
		chain->all[chain->depth++] = spot;
}

/* What tells parts of a line in one copy apart: where it was inlined, then the discriminator, in the order of the
 * source. */
static uint64_t part_key(const struct evidence_maker *m, const struct evidence_chain *chain, uint32_t discriminator)
{
	return (uint64_t)m->rank[chain->all[0]] << 32 | discriminator;
}

/* The outermost function whose notes have a line; row gets its number and its copy. The index in the chain, or its
 * depth: none has it. */
static size_t find_home(struct evidence_maker *m, const struct evidence_chain *chain, struct evidence_part *row)
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
static bool add_row(struct evidence_maker *m, const struct evidence_chain *chain, struct evidence_part row,
    const char *file, uint32_t discriminator)
{
	if (file == NULL || row.line == 0)
		return true;
	if (!file_number(m, file, false, &row.file))
		return false;
	size_t home = find_home(m, chain, &row);
	if (home == chain->depth)
		return true;
	row.key = part_key(m, chain, discriminator);
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
	follow_chain(m->input->spots, place->spot, &chain);
	row.calls = (place->class_bits & ISA_CALL) != 0;
	for (size_t i = 0; i < chain.depth; i++) {
		if (m->of_spot[chain.all[i]] != EVIDENCE_NONE) {
			m->evidence->executed[m->of_spot[chain.all[i]]] += row.count;
			break;
		}
	}
	if (place->line != 0)
		see_first(m, place->spot, place->line, &row);
	return add_row(m, &chain, row, place->file, place->discriminator);
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
		follow_chain(spots, spot->parent, &chain);
		struct evidence_part row = {
		    .line = spot->call_line, .place = m->first[i].place, .count = m->first[i].count, .calls = true};
		if (spot->call_line != 0)
			see_first(m, spot->parent, spot->call_line, &row);
		if (!add_row(m, &chain, row, spot->call_file, spot->call_discriminator))
			return false;
	}
	return true;
}

/* ---- statements ---- */

static uint64_t place_count(const struct evidence_maker *m, const struct spot_place *place)
{
	const struct gather_code *code = gather_at(m->input->result, place->pc);
	return code == NULL ? 0 : code->count;
}

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
	if (!file_number(m, at->file, false, &row.file))
		return false;
	follow_chain(m->input->spots, place->spot, &chain);
	cut_chain(m, &chain, row.file, at->line);
	size_t home = find_home(m, &chain, &row);
	if (home == chain.depth)
		return true;
	struct evidence *evidence = m->evidence;
	if (!array_room(&evidence->statements, evidence->statement_count + 1, &m->statement_room))
		return false;
	uint64_t key = part_key(m, &chain, at->discriminator);
	evidence->statements[evidence->statement_count++] = (struct evidence_statement){.function = row.function,
	    .home = row.home,
	    .file = row.file,
	    .line = row.line,
	    .place = m->place_numbers[place - m->input->spots->places],
	    .key = (uint64_t)hash_of_two(key, at->column) << 32 | at->column,
	    .count = place_count(m, place)};
	return true;
}

static bool add_statements(struct evidence_maker *m)
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
	return true;
}

static int compare_statement_lines(const struct evidence_statement *x, const struct evidence_statement *y)
{
	if (x->function != y->function)
		return x->function > y->function ? 1 : -1;
	if (x->home != y->home)
		return x->home > y->home ? 1 : -1;
	if (x->file != y->file)
		return x->file > y->file ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

static int evidence_statements_by_place(const void *a, const void *b)
{
	const struct evidence_statement *x = a, *y = b;
	int order = compare_statement_lines(x, y);
	if (order != 0)
		return order;
	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
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

/* ---- basic blocks of the program ---- */

static int evidence_targets_by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
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
static bool add_instructions(struct evidence_maker *m)
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
		begins |= place_count(m, place) != place_count(m, before);
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
	if (x->function != y->function)
		return x->function > y->function ? 1 : -1;
	if (x->home != y->home)
		return x->home > y->home ? 1 : -1;
	if (x->file != y->file)
		return x->file > y->file ? 1 : -1;
	if (x->line != y->line)
		return x->line > y->line ? 1 : -1;
	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
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
		if (!add_noted(m, &units[i].notes, first, (uint32_t)i))
			return false;
		first += (uint32_t)units[i].notes.function_count;
	}
	m->noted = calloc(m->function_count + 1, sizeof *m->noted);
	if (m->noted == NULL)
		return false;
	if (m->function_count > 0)
		memcpy(m->noted, m->functions, m->function_count * sizeof *m->noted);
	if (m->function_count > 0)
		qsort(m->functions, m->function_count, sizeof *m->functions, evidence_names_by_text);
	if (evidence->line_count > 0)
		qsort(evidence->lines, evidence->line_count, sizeof *evidence->lines, evidence_lines_by_place);
	evidence->executed = calloc((size_t)first + 1, sizeof *evidence->executed);
	evidence->present = calloc((size_t)first + 1, sizeof *evidence->present);
	if (evidence->executed == NULL || evidence->present == NULL || !name_spots(m))
		return false;
	if (!find_targets(m) || !add_instructions(m) || !add_inlined(m))
		return false;
	merge_parts(evidence);
	if (!add_statements(m))
		return false;
	merge_statements(evidence);
	return true;
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
