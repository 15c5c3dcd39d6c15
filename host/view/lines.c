/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Source lines with code: executions, cycles, basic blocks; and the text of the files. */
#include <stdlib.h>
#include "host/base/json.h"
#include "host/base/order.h"
#include "host/view/private.h"
#include "isa/isa.h"

#define AROUND 8            /* lines shown before the first and behind the last that has code */
#define GAP 40              /* more lines without code than these are left out */
#define TEXT_MAX (8u << 20) /* bytes of source text in a document */

static int view_lines_by_place(const void *a, const void *b)
{
	const struct view_line *x = a, *y = b;
	return order_then(ORDER_UP(x->file, y->file),
	    order_then(ORDER_UP(x->line, y->line),
		order_then(ORDER_UP(x->function, y->function), ORDER_UP(x->blocks, y->blocks))));
}

/* Every instruction with a line, in `blocks` the number of its block. */
static size_t collect_lines(struct view *view, struct view_line *lines, size_t room)
{
	size_t used = 0;
	for (size_t i = 0; i < view->block_count; i++) {
		const struct cfg_block *block = &view->input->cfg->blocks[view->blocks[i]];
		struct isa_insn insn;
		for (uint64_t pc = block->start; pc < block->end && used < room; pc += insn.length) {
			if (!image_insn(view->input->image, pc, 0, &insn))
				break;
			const struct spot_place *place = spots_at(view->input->export->spots, pc);
			const struct gather_code *code = gather_at(view->input->export->result, pc);
			if (place == NULL || place->file == NULL || place->line == 0)
				continue;
			uint64_t count = code == NULL ? 0 : code->count;
			const uint32_t number =
			    code == NULL ? VIEW_NONE : (uint32_t)(code - view->input->export->result->code);
			lines[used++] = (struct view_line){.file = view_file(view, place->file),
			    .line = place->line,
			    .function = view->of_block[view->blocks[i]],
			    .blocks = (uint32_t)i,
			    .count = count,
			    .code = number,
			    .cycles = code != NULL && view->timed ? code->cycles : count};
		}
	}
	return used;
}

/* Instructions of the same line and function become one row; its count is that of its most executed instruction. */
static size_t merge_view_lines(struct view_line *lines, size_t count, uint32_t *line_of_code)
{
	size_t done = 0;
	uint32_t block = VIEW_NONE;
	bool hit = false;
	for (size_t i = 0; i < count; i++) {
		struct view_line item = lines[i], *row = done == 0 ? NULL : &lines[done - 1];
		if (row == NULL || row->file != item.file || row->line != item.line || row->function != item.function) {
			row = &lines[done++];
			*row = item;
			row->blocks = row->hit = 0;
			row->count = row->cycles = 0;
			block = VIEW_NONE;
		}
		if (item.blocks != block) {
			block = item.blocks;
			hit = false;
			row->blocks++;
		}
		if (item.count > 0 && !hit) {
			hit = true;
			row->hit++;
		}
		row->count = item.count > row->count ? item.count : row->count;
		row->cycles += item.cycles;
		if (item.code != VIEW_NONE)
			line_of_code[item.code] = (uint32_t)(done - 1);
	}
	return done;
}

/* Lines first to last of a file as one piece; false: it cannot be read. */
static bool write_source_piece(
    struct view *view, uint32_t file, unsigned first, unsigned last, bool comma, size_t *size)
{
	const char *text = image_source(view->input->image, view->files[file], first);
	if (text == NULL || *size > TEXT_MAX)
		return false;
	fprintf(view->out, "%s{\"file\":%u,\"line\":%u,\"text\":[", comma ? ",\n" : "\n", file, first);
	for (unsigned line = first; line <= last && text != NULL; line++) {
		if (line > first)
			fputc(',', view->out);
		json_quoted(text, view->out);
		for (const char *at = text; *at != '\0'; at++)
			(*size)++;
		text = image_source(view->input->image, view->files[file], line + 1);
	}
	fputs("]}", view->out);
	return true;
}

static void write_view_sources(struct view *view, const struct view_line *lines, size_t count)
{
	size_t size = 0;
	bool any = false;
	view_member(view, "sources");
	fputc('[', view->out);
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;
		while (end < count && lines[end].file == lines[i].file && lines[end].line <= lines[end - 1].line + GAP)
			end++;
		if (lines[i].file != VIEW_NONE) {
			unsigned first = lines[i].line > AROUND ? lines[i].line - AROUND : 1;
			any |= write_source_piece(view, lines[i].file, first, lines[end - 1].line + AROUND, any, &size);
		}
		i = end;
	}
	fputc(']', view->out);
}

int view_write_lines(struct view *view)
{
	size_t room = 0;
	for (size_t i = 0; i < view->block_count; i++)
		room += view->input->cfg->blocks[view->blocks[i]].insns;
	struct view_line *lines = calloc(room + 1, sizeof *lines);
	const size_t codes = view->input->export->result->code_count;
	view->line_of_code = malloc((codes + 1) * sizeof *view->line_of_code);
	if (lines == NULL || view->line_of_code == NULL) {
		free(lines);
		return VIEW_ENOMEM;
	}
	for (size_t i = 0; i < codes; i++)
		view->line_of_code[i] = VIEW_NONE;
	size_t count = collect_lines(view, lines, room);
	if (count > 0)
		qsort(lines, count, sizeof *lines, view_lines_by_place);
	count = merge_view_lines(lines, count, view->line_of_code);
	view->line_count = count;
	view_table(view, "lines");
	COLUMN(view, "file", lines, count, file, VIEW_U32);
	COLUMN(view, "line", lines, count, line, VIEW_U32);
	COLUMN(view, "function", lines, count, function, VIEW_U32);
	COLUMN(view, "blocks", lines, count, blocks, VIEW_U32);
	COLUMN(view, "hit", lines, count, hit, VIEW_U32);
	COLUMN(view, "count", lines, count, count, VIEW_U64);
	COLUMN(view, "cycles", lines, count, cycles, VIEW_U64);
	view_table_end(view);
	write_view_sources(view, lines, count);
	free(lines);
	return VIEW_OK;
}
