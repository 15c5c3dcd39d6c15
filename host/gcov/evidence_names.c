/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/evidence_private.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

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

bool evidence_file_number(struct evidence_maker *m, const char *text, bool noted, uint32_t *number)
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

static bool add_note_lines(struct evidence_maker *m, const struct notes *notes, size_t index, uint32_t number)
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
		done = evidence_file_number(m, place->file, true, &line.file) &&
		       array_room(&evidence->lines, evidence->line_count + 1, &m->line_room);
		if (done)
			evidence->lines[evidence->line_count++] = line;
	}
	free(arcs);
	return done;
}

bool evidence_add_noted(struct evidence_maker *m, const struct notes *notes, uint32_t first, uint32_t unit)
{
	for (size_t i = 0; i < notes->function_count; i++) {
		const struct notes_function *function = &notes->functions[i];
		struct evidence_name name = {.text = function->name,
		    .number = first + (uint32_t)i,
		    .unit = unit,
		    .first_line = function->first_line,
		    .last_line = function->last_line};
		if (!evidence_file_number(m, function->file, true, &name.file) ||
		    !array_room(&m->functions, m->function_count + 1, &m->function_room) ||
		    !add_note_lines(m, notes, i, name.number))
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

/* ---- spots ---- */

struct spot_order { /* a spot by where it was inlined */
	uint32_t line, discriminator, spot;
};

static int spot_orders_by_call(const void *a, const void *b)
{
	const struct spot_order *x = a, *y = b;
	return order_then(ORDER_UP(x->line, y->line),
	    order_then(ORDER_UP(x->discriminator, y->discriminator), ORDER_UP(x->spot, y->spot)));
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

void evidence_sort_names(struct evidence_maker *m)
{
	if (m->function_count > 0)
		qsort(m->functions, m->function_count, sizeof *m->functions, evidence_names_by_text);
}

/* Of functions of one name and line, which a header has, the one of the file that the function around it is of. */
bool evidence_name_spots(struct evidence_maker *m)
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
