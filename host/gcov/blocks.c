/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/blocks.h"
#include "host/base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/gcov/align.h"
#include "host/gcov/circulation.h"
#include "host/gcov/evidence.h"

/* What each count costs that differs from what lines say of a block: a line of one block, where its parts agree and
 * where they do not; a line of several blocks, where its code may have been copied too; no line. */
enum { COST_OWN = 12, COST_NEAR = 4, COST_SHARED = 10, COST_COPIED = 5, COST_UNKNOWN = 1, COST_FAKE = 20 };
#define ROUNDS 4 /* parts of lines are given to blocks, and given again */

/* No run has so many executions of a block; a damaged profile may. */
#define MOST_EXECUTIONS (CIRCULATION_ANY / 4)

static uint64_t believable_count(uint64_t count)
{
	return count < MOST_EXECUTIONS ? count : MOST_EXECUTIONS;
}

struct shared_line { /* of several blocks */
	const struct evidence_line *lines;
	const struct evidence_part *parts;
	size_t line_count, part_count;
};
struct block_work { /* of one function */
	struct circulation_block *blocks;
	struct circulation_arc *arcs;
	uint64_t *counts;  /* by block, of the last solution */
	unsigned *said_in; /* by block: the round in which a line of several blocks said its count */
	unsigned round;    /* from 1 on */
	const struct evidence_statement *statements; /* of the copy, by file and line */
	size_t statement_count;
	struct shared_line *shared;
	size_t shared_count, shared_room;
	struct circulation_block *sums; /* by block, over the copies: what lines said; far is 0: nothing */
	uint64_t *open;                 /* by block: the solution of copies whose lines said nothing */
	struct alignment alignment;     /* of one line: */
	struct align_item *line_items, *part_items;
	size_t line_room, part_room;
	bool solved; /* counts are those of a solution */
};

static bool same_line(const struct evidence_part *part, const struct evidence_line *line)
{
	return part->function == line->function && part->file == line->file && part->line == line->line;
}

static bool before_line(const struct evidence_part *part, const struct evidence_line *line)
{
	return part->file < line->file || (part->file == line->file && part->line < line->line);
}

static const struct evidence_statement *find_statement(const struct block_work *w, uint32_t file, uint32_t line)
{
	size_t low;
	ORDER_FIRST(low, 0, w->statement_count,
	    w->statements[low].file < file || (w->statements[low].file == file && w->statements[low].line < line));
	const struct evidence_statement *found = &w->statements[low];
	return low < w->statement_count && found->file == file && found->line == line ? found : NULL;
}

/* A line of one block alone: as often as its statement began, but not more often than its code ran. Code that was moved
 * ran more or less often, so anything between is possible. */
static void own_line(struct block_work *w, uint32_t index, const struct evidence_part *parts, size_t count)
{
	struct circulation_block *block = &w->blocks[index], said = {.least = UINT64_MAX, .far = COST_OWN};
	const struct evidence_statement *statement = find_statement(w, parts->file, parts->line);
	uint64_t most = 0;
	for (size_t i = 0; i < count; i++) {
		most = parts[i].count > most ? parts[i].count : most;
		said.least = parts[i].count < said.least ? parts[i].count : said.least;
	}
	said.most = said.likely = most;
	if (statement != NULL) {
		said.likely = statement->count < most ? statement->count : most;
		said.most = statement->count > most ? statement->count : most;
		said.least = statement->count < said.least ? statement->count : said.least;
	}
	if (statement != NULL && statement->count == most)
		said.least = most; /* both agree */
	said.likely = believable_count(said.likely);
	said.least = believable_count(said.least);
	said.most = believable_count(said.most);
	said.near = said.least < said.most ? COST_NEAR : COST_OWN;
	if (block->far != COST_OWN || said.near > block->near ||
	    (said.near == block->near && said.likely > block->likely))
		*block = said;
}

static struct align_item block_item(const struct block_work *w, const struct evidence_line *line)
{
	const struct circulation_block *block = &w->blocks[line->block];
	uint64_t count = block->near == COST_OWN ? block->likely : w->counts[line->block];
	return (struct align_item){.size = log((double)count + 1),
	    .calls = line->calls,
	    .ends = line->ends,
	    .open = !w->solved && block->near != COST_OWN};
}

/* What a line's blocks and its parts are held to. */
static bool align_line(struct block_work *w, const struct shared_line *shared)
{
	if (!array_room(&w->line_items, shared->line_count, &w->line_room) ||
	    !array_room(&w->part_items, shared->part_count, &w->part_room))
		return false;
	for (size_t i = 0; i < shared->line_count; i++)
		w->line_items[i] = block_item(w, &shared->lines[i]);
	for (size_t i = 0; i < shared->part_count; i++)
		w->part_items[i] = (struct align_item){
		    .size = log((double)shared->parts[i].count + 1), .calls = shared->parts[i].calls};
	return align_items(&w->alignment, w->line_items, shared->line_count, w->part_items, shared->part_count);
}

/* A part says the count of a block, unless a line says it that is its own, or one that has more parts for its blocks.
 * Code that was copied has several parts: the block may have run more often than the part, up to all of its line. */
static void part_says(struct block_work *w, const struct shared_line *shared, size_t line, size_t part)
{
	uint32_t index = shared->lines[line].block;
	struct circulation_block *block = &w->blocks[index];
	uint64_t count = believable_count(shared->parts[part].count), sum = 0;
	uint32_t cost = COST_SHARED;
	if (shared->part_count < shared->line_count)
		cost = (uint32_t)(COST_SHARED * shared->part_count / shared->line_count);
	cost += cost < 2 ? 2 - cost : 0;
	if (block->far == COST_OWN || (w->said_in[index] == w->round && block->far > cost))
		return;
	for (size_t i = 0; i < shared->part_count; i++)
		sum = believable_count(sum + believable_count(shared->parts[i].count));
	w->said_in[index] = w->round;
	*block = (struct circulation_block){
	    .likely = count, .least = count, .most = sum, .near = cost < COST_COPIED ? cost : COST_COPIED, .far = cost};
}

static bool give_parts(struct block_work *w, const struct shared_line *shared)
{
	size_t line, part;
	if (!align_line(w, shared))
		return false;
	while (align_next(&w->alignment, &line, &part))
		part_says(w, shared, line, part);
	return true;
}

/* Blocks that lines said something of in an earlier round are as if nothing were known, but for lines of their own. */
static void forget_parts(struct block_work *w, size_t block_count)
{
	for (size_t i = 0; i < block_count; i++) {
		if (w->blocks[i].far != COST_OWN && i > NOTES_EXIT)
			w->blocks[i] = (struct circulation_block){.most = CIRCULATION_ANY, .near = COST_UNKNOWN};
	}
}

static int give_lines(struct block_work *w)
{
	for (size_t i = 0; i < w->shared_count; i++) {
		if (!give_parts(w, &w->shared[i]))
			return BLOCKS_ENOMEM;
	}
	return BLOCKS_OK;
}

static int solve_function(struct block_work *w, const struct notes_function *function)
{
	int error =
	    circulation_solve(w->blocks, function->block_count, w->arcs, function->arc_count, NOTES_ENTRY, NOTES_EXIT);
	memset(w->counts, 0, function->block_count * sizeof *w->counts);
	for (size_t i = 0; i < function->arc_count && error == CIRCULATION_OK; i++)
		w->counts[w->arcs[i].from] += w->arcs[i].count;
	for (size_t i = 0; i < function->arc_count && error == CIRCULATION_OK; i++)
		w->counts[NOTES_EXIT] += w->arcs[i].to == NOTES_EXIT ? w->arcs[i].count : 0;
	w->solved = true;
	return error == CIRCULATION_OK ? BLOCKS_OK : BLOCKS_ENOMEM;
}

/* How far the solution is from what lines said. */
static void judge_function(const struct block_work *w, size_t block_count, struct blocks_function *result)
{
	for (size_t i = 0; i < block_count; i++) {
		const struct circulation_block *block = &w->blocks[i];
		if (block->far == 0)
			continue;
		result->known += block->likely;
		if (w->counts[i] > block->most)
			result->moved += w->counts[i] - block->most;
		else if (w->counts[i] < block->least)
			result->moved += block->least - w->counts[i];
	}
}

/* What the lines of a copy say: those of one block at once, the others are kept for the rounds. */
static bool take_lines(struct block_work *w, const struct evidence_line *lines, size_t line_count,
    const struct evidence_part *parts, size_t part_count)
{
	size_t p = 0;
	for (size_t i = 0, end, begin; i < line_count; i = end) {
		for (end = i; end < line_count && lines[end].file == lines[i].file && lines[end].line == lines[i].line;)
			end++;
		while (p < part_count && before_line(&parts[p], &lines[i]))
			p++;
		for (begin = p; p < part_count && same_line(&parts[p], &lines[i]);)
			p++;
		if (p == begin)
			continue;
		if (lines[i].block == lines[end - 1].block) {
			own_line(w, lines[i].block, parts + begin, p - begin);
			continue;
		}
		if (!array_room(&w->shared, w->shared_count + 1, &w->shared_room))
			return false;
		w->shared[w->shared_count++] = (struct shared_line){
		    .lines = lines + i, .parts = parts + begin, .line_count = end - i, .part_count = p - begin};
	}
	return true;
}

/* One copy of a function. */
static int count_copy(struct block_work *w, const struct notes_function *function, const struct evidence_line *lines,
    size_t line_count, const struct evidence_part *parts, size_t part_count)
{
	for (size_t i = 0; i < function->block_count; i++)
		w->blocks[i] = (struct circulation_block){.most = CIRCULATION_ANY, .near = COST_UNKNOWN};
	w->blocks[NOTES_ENTRY].near = w->blocks[NOTES_EXIT].near = 0;
	memset(w->said_in, 0, function->block_count * sizeof *w->said_in);
	w->shared_count = 0;
	w->solved = false;
	int error = take_lines(w, lines, line_count, parts, part_count) ? BLOCKS_OK : BLOCKS_ENOMEM;
	for (w->round = 1; w->round <= ROUNDS && error == BLOCKS_OK; w->round++) {
		forget_parts(w, function->block_count);
		error = give_lines(w);
		if (error == BLOCKS_OK)
			error = solve_function(w, function);
	}
	return error;
}

/* The arc of a call that may not return costs much, where the block has another one. What has none is a call that never
 * returns, or a jump to where a register says: gcc has those places behind the entry. */
static void take_arcs(struct block_work *w, const struct notes *notes, const struct notes_function *function)
{
	const struct notes_arc *arcs = notes->arcs + function->first_arc;
	for (size_t i = 0; i < function->arc_count; i++)
		w->open[arcs[i].from]++;
	for (size_t i = 0; i < function->arc_count; i++) {
		bool fake = (arcs[i].flags & NOTES_ARC_FAKE) != 0 && arcs[i].from != NOTES_ENTRY;
		w->arcs[i] = (struct circulation_arc){.from = arcs[i].from, .to = arcs[i].to};
		w->arcs[i].cost = fake && w->open[arcs[i].from] > 1 ? COST_FAKE : 0;
	}
	memset(w->open, 0, function->block_count * sizeof *w->open);
}

/* What the lines of a copy said, added to that of the others. */
static void add_copy(struct block_work *w, size_t block_count)
{
	for (size_t i = 0; i < block_count; i++) {
		const struct circulation_block *block = &w->blocks[i];
		struct circulation_block *sum = &w->sums[i];
		if (block->far == 0) {
			w->open[i] = believable_count(w->open[i] + believable_count(w->counts[i]));
			continue;
		}
		sum->near = sum->far == 0 || block->near < sum->near ? block->near : sum->near;
		sum->far = sum->far == 0 || block->far < sum->far ? block->far : sum->far;
		sum->likely = believable_count(sum->likely + block->likely);
		sum->least = believable_count(sum->least + block->least);
		sum->most = believable_count(sum->most + block->most);
	}
}

/* All copies: where one says nothing of a block, its code may be gone, or be one with that of another copy. */
static void all_copies(struct block_work *w, size_t block_count)
{
	for (size_t i = 0; i < block_count; i++) {
		struct circulation_block *block = &w->blocks[i];
		*block = w->sums[i];
		if (block->far == 0)
			*block = (struct circulation_block){
			    .most = CIRCULATION_ANY, .near = i > NOTES_EXIT ? COST_UNKNOWN : 0};
		else if (w->open[i] > 0) {
			block->most += w->open[i];
			block->near = block->near < COST_NEAR ? block->near : COST_NEAR;
		}
	}
}

static bool before_copy(const struct evidence_statement *statement, const struct evidence_part *part)
{
	return statement->function < part->function ||
	       (statement->function == part->function && statement->home < part->home);
}

/* The rows of evidence that are of one function: each begins where that of the function before it ends. */
struct evidence_slice {
	size_t line, line_end, part, part_end, statement;
};

/* The copy whose parts begin here: its statements are those from slice->statement on. */
static void take_statements(struct block_work *w, const struct evidence *evidence, struct evidence_slice *slice,
    const struct evidence_part *part)
{
	const struct evidence_statement *all = evidence->statements;
	size_t *at = &slice->statement;
	while (*at < evidence->statement_count && before_copy(&all[*at], part))
		++*at;
	w->statements = all + *at;
	while (*at < evidence->statement_count && all[*at].function == part->function && all[*at].home == part->home)
		++*at;
	w->statement_count = (size_t)(all + *at - w->statements);
}

static int solve_copies(struct block_work *w, const struct blocks_unit *unit, size_t index,
    const struct evidence *evidence, struct evidence_slice *slice)
{
	const struct notes_function *function = &unit->notes.functions[index];
	const struct evidence_part *parts = evidence->parts;
	int error = BLOCKS_OK;
	take_arcs(w, &unit->notes, function);
	for (size_t i = slice->part, end; i < slice->part_end && error == BLOCKS_OK; i = end) {
		for (end = i; end < slice->part_end && parts[end].home == parts[i].home;)
			end++;
		take_statements(w, evidence, slice, &parts[i]);
		error = count_copy(
		    w, function, evidence->lines + slice->line, slice->line_end - slice->line, parts + i, end - i);
		if (error == BLOCKS_OK)
			add_copy(w, function->block_count);
	}
	if (error == BLOCKS_OK) {
		all_copies(w, function->block_count);
		error = solve_function(w, function);
	}
	if (error != BLOCKS_OK)
		return error;
	judge_function(w, function->block_count, &unit->functions[index]);
	for (size_t k = 0; k < function->arc_count; k++)
		unit->arcs[function->first_arc + k] = w->arcs[k].count;
	return BLOCKS_OK;
}

static void work_free(struct block_work *w)
{
	free(w->blocks);
	free(w->arcs);
	free(w->counts);
	free(w->said_in);
	free(w->sums);
	free(w->open);
	free(w->shared);
	align_free(&w->alignment);
	free(w->line_items);
	free(w->part_items);
}

static bool work_make(struct block_work *w, const struct notes_function *function)
{
	size_t blocks = function->block_count;
	*w = (struct block_work){.blocks = calloc(blocks, sizeof *w->blocks),
	    .arcs = calloc(function->arc_count + 1, sizeof *w->arcs),
	    .counts = calloc(blocks, sizeof *w->counts),
	    .said_in = calloc(blocks, sizeof *w->said_in),
	    .sums = calloc(blocks, sizeof *w->sums),
	    .open = calloc(blocks, sizeof *w->open)};
	return w->blocks != NULL && w->arcs != NULL && w->counts != NULL && w->said_in != NULL && w->sums != NULL &&
	       w->open != NULL;
}

static void next_slice(struct evidence_slice *s, const struct evidence *evidence, uint32_t number)
{
	s->line = s->line_end;
	s->part = s->part_end;
	while (s->line_end < evidence->line_count && evidence->lines[s->line_end].function == number)
		s->line_end++;
	while (s->part_end < evidence->part_count && evidence->parts[s->part_end].function == number)
		s->part_end++;
}

static enum blocks_fate fate_of(const struct notes_function *function, const struct evidence_slice *slice, bool present)
{
	if (function->block_count == 0)
		return BLOCKS_NO_GRAPH;
	if (!present)
		return BLOCKS_NO_CODE;
	return slice->part == slice->part_end ? BLOCKS_NO_LINES : BLOCKS_COUNTED;
}

static int count_unit(
    struct blocks_unit *unit, const struct evidence *evidence, uint32_t first, struct evidence_slice *slice)
{
	int error = BLOCKS_OK;
	for (size_t i = 0; i < unit->notes.function_count && error == BLOCKS_OK; i++) {
		const struct notes_function *function = &unit->notes.functions[i];
		struct blocks_function *result = &unit->functions[i];
		uint32_t number = first + (uint32_t)i;
		struct block_work w;
		next_slice(slice, evidence, number);
		result->executed = evidence->executed[number];
		result->fate = fate_of(function, slice, evidence->present[number] != 0);
		if (result->fate != BLOCKS_COUNTED)
			continue;
		error = BLOCKS_ENOMEM;
		if (work_make(&w, function))
			error = solve_copies(&w, unit, i, evidence, slice);
		work_free(&w);
	}
	return error;
}

int blocks_count(struct blocks_unit *units, size_t unit_count, const struct export_input *input)
{
	struct evidence evidence;
	struct evidence_slice slice = {0};
	uint32_t first = 0;
	int error = evidence_gather(&evidence, units, unit_count, input);
	for (size_t i = 0; i < unit_count && error == BLOCKS_OK; i++) {
		struct blocks_unit *unit = &units[i];
		unit->functions = calloc(unit->notes.function_count + 1, sizeof *unit->functions);
		unit->arcs = calloc(unit->notes.arc_count + 1, sizeof *unit->arcs);
		if (unit->functions == NULL || unit->arcs == NULL)
			error = BLOCKS_ENOMEM;
		else
			error = count_unit(unit, &evidence, first, &slice);
		first += (uint32_t)unit->notes.function_count;
	}
	evidence_free(&evidence);
	return error;
}

void blocks_free(struct blocks_unit *units, size_t unit_count)
{
	for (size_t i = 0; i < unit_count; i++) {
		notes_free(&units[i].notes);
		free(units[i].functions);
		free(units[i].arcs);
	}
}
