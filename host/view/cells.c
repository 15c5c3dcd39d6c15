/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Source lines over time: the run cut into cells, and how many instructions of each line ran in each. So the page knows
 * the lines of any part of the run.
 *
 * A cell is one interval of the phases, or several neighbours. The trips of a path belong to the cell in which they
 * begin, as in host/phases/intervals.c.
 */
#include <stdlib.h>
#include "host/base/array.h"
#include "host/base/order.h"
#include "host/view/private.h"
#include "isa/isa.h"

#define CELLS_MAX 512u

struct cell_row {
	uint64_t begin, end;
	uint32_t lines; /* of struct cell_line, behind those of the cell before */
};

struct cell_line {
	uint32_t line; /* row of the table of lines */
	uint64_t instructions;
};

struct block_lines { /* what one execution of a block of the phases file has */
	bool made;
	size_t first, count; /* of lines */
};

struct cells {
	struct view *view;
	uint32_t each; /* intervals of a cell */
	struct cell_row *cells;
	uint32_t count, at; /* all; the one under way */
	struct block_lines *blocks;
	uint64_t *trips; /* of each block, in the cell under way */
	uint32_t *touched;
	size_t touched_count;
	struct cell_line *lines; /* of blocks */
	size_t line_count, line_room;
	uint64_t *sums; /* of each line, in the cell under way */
	uint32_t *summed;
	size_t summed_count;
	struct cell_line *out;
	size_t out_count, out_room;
};

/* VIEW_NONE: it has no line. */
static uint32_t line_of_pc(const struct view *view, uint64_t pc)
{
	const struct gather_result *result = view->input->export->result;
	const struct gather_code *code = gather_at(result, pc);
	return code == NULL ? VIEW_NONE : view->line_of_code[code - result->code];
}

static bool make_block_lines(struct cells *c, uint32_t number)
{
	const struct phases_block *block = phases_block(c->view->input->phases->file, number);
	struct block_lines *made = &c->blocks[number];
	struct isa_insn insn = {0};
	uint64_t pc = block->address;
	*made = (struct block_lines){.made = true, .first = c->line_count};
	for (uint32_t i = 0; i < block->instructions && image_insn(c->view->input->image, pc, block->context, &insn);
	     i++, pc += insn.length) {
		const uint32_t line = line_of_pc(c->view, pc);
		if (line == VIEW_NONE)
			continue;
		if (made->count > 0 && c->lines[c->line_count - 1].line == line) {
			c->lines[c->line_count - 1].instructions++;
			continue;
		}
		if (!array_room(&c->lines, c->line_count + 1, &c->line_room))
			return false;
		c->lines[c->line_count++] = (struct cell_line){line, 1};
		made->count++;
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return ORDER_UP(*x, *y);
}

static bool end_cell(struct cells *c)
{
	for (size_t i = 0; i < c->touched_count; i++) {
		const uint32_t block = c->touched[i];
		if (!c->blocks[block].made && !make_block_lines(c, block))
			return false;
		for (size_t k = 0; k < c->blocks[block].count; k++) {
			const struct cell_line *line = &c->lines[c->blocks[block].first + k];
			if (c->sums[line->line] == 0)
				c->summed[c->summed_count++] = line->line;
			c->sums[line->line] += c->trips[block] * line->instructions;
		}
		c->trips[block] = 0;
	}
	c->touched_count = 0;
	if (!array_room(&c->out, c->out_count + c->summed_count, &c->out_room))
		return false;
	if (c->summed_count > 0)
		qsort(c->summed, c->summed_count, sizeof *c->summed, by_number);
	for (size_t i = 0; i < c->summed_count; i++) {
		c->out[c->out_count++] = (struct cell_line){c->summed[i], c->sums[c->summed[i]]};
		c->sums[c->summed[i]] = 0;
	}
	c->cells[c->at].lines = (uint32_t)c->summed_count;
	c->summed_count = 0;
	return true;
}

/* Instruction with which the cell ends. */
static uint64_t cell_end(const struct cells *c, uint32_t cell)
{
	const struct intervals *intervals = c->view->input->phases->intervals;
	const uint64_t behind = (uint64_t)(cell + 1) * c->each;
	return behind < intervals->count ? intervals->interval[behind].place.at[PHASES_INSTRUCTION] : UINT64_MAX;
}

static void add_cell_trips(struct cells *c, const struct phases_path *path, uint64_t trips)
{
	for (uint32_t i = 0; i < path->count; i++) {
		const uint32_t block = path->blocks[i];
		if (c->trips[block] == 0)
			c->touched[c->touched_count++] = block;
		c->trips[block] += trips;
	}
}

static bool add_cell_step(struct cells *c, const struct phases_step *step)
{
	uint64_t at = step->place.at[PHASES_INSTRUCTION];
	const uint64_t each = step->what.instructions;
	for (uint64_t left = step->trips; left > 0 && each > 0;) {
		while (c->at + 1 < c->count && at >= cell_end(c, c->at)) {
			if (!end_cell(c))
				return false;
			c->at++;
		}
		const uint64_t room = cell_end(c, c->at) - at;
		uint64_t trips = room / each + (room % each != 0);
		trips = trips > left ? left : trips;
		add_cell_trips(c, &step->what, trips);
		at += trips * each;
		left -= trips;
	}
	return true;
}

static bool fill_cells(struct cells *c)
{
	struct phases_file *file = c->view->input->phases->file;
	const uint32_t blocks = phases_block_count(file);
	struct phases_step step;
	int more = phases_seek(file, PHASES_REPEATED, 0) == PHASES_OK;
	c->blocks = calloc((size_t)blocks + 1, sizeof *c->blocks);
	c->trips = calloc((size_t)blocks + 1, sizeof *c->trips);
	c->touched = calloc((size_t)blocks + 1, sizeof *c->touched);
	c->sums = calloc(c->view->line_count + 1, sizeof *c->sums);
	c->summed = calloc(c->view->line_count + 1, sizeof *c->summed);
	bool ok = c->blocks != NULL && c->trips != NULL && c->touched != NULL && c->sums != NULL && c->summed != NULL;
	while (ok && more == 1 && (more = phases_next(file, &step)) == 1)
		ok = step.lost || add_cell_step(c, &step);
	for (; ok && c->at < c->count; c->at++)
		ok = end_cell(c);
	free(c->blocks);
	free(c->trips);
	free(c->touched);
	free(c->lines);
	free(c->sums);
	free(c->summed);
	return ok;
}

int view_write_cells(struct view *view)
{
	const uint32_t intervals = view->input->phases->intervals->count;
	struct cells c = {.view = view, .each = (intervals + CELLS_MAX - 1) / CELLS_MAX};
	if (intervals == 0 || view->line_of_code == NULL || view->line_count == 0)
		return VIEW_OK;
	c.count = (intervals + c.each - 1) / c.each;
	c.cells = calloc(c.count, sizeof *c.cells);
	bool ok = c.cells != NULL;
	for (uint32_t i = 0; ok && i < c.count; i++) {
		const uint32_t behind = (i + 1) * c.each;
		c.cells[i].begin = view_interval_begin(view, i * c.each);
		c.cells[i].end = view_interval_begin(view, behind < intervals ? behind : intervals);
	}
	ok = ok && fill_cells(&c);
	if (ok) {
		view_table(view, "cells");
		COLUMN(view, "begin", c.cells, c.count, begin, VIEW_U64);
		COLUMN(view, "end", c.cells, c.count, end, VIEW_U64);
		COLUMN(view, "lines", c.cells, c.count, lines, VIEW_U32);
		view_table_end(view);
		view_table(view, "cell_lines");
		COLUMN(view, "line", c.out, c.out_count, line, VIEW_U32);
		COLUMN(view, "instructions", c.out, c.out_count, instructions, VIEW_U64);
		view_table_end(view);
	}
	free(c.cells);
	free(c.out);
	return ok ? VIEW_OK : VIEW_ENOMEM;
}
