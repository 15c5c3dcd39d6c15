/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Basic blocks of the functions that ran, their edges and loops, instructions, and paths as lists of blocks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/view/private.h"
#include "isa/isa.h"

/* Which blocks are written: those of functions that ran. */
int view_blocks_make(struct view *view)
{
	const struct cfg *cfg = view->input->cfg;
	uint32_t count = cfg->counts.blocks;
	view->of_block = malloc((count + 1) * sizeof *view->of_block);
	view->blocks = malloc((count + 1) * sizeof *view->blocks);
	view->block_index = malloc((count + 1) * sizeof *view->block_index);
	if (view->of_block == NULL || view->blocks == NULL || view->block_index == NULL)
		return VIEW_ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t function = view_function_at(view, cfg->blocks[i].start);
		if (function == VIEW_NONE) /* without a name: what the graph takes for its function */
			function = view_function_at(view, cfg->functions[cfg->blocks[i].function].start);
		view->of_block[i] = function;
		view->block_index[i] = VIEW_NONE;
		if (function != VIEW_NONE && view->functions[function].ran) {
			view->block_index[i] = (uint32_t)view->block_count;
			view->blocks[view->block_count++] = i;
			view->functions[function].block_count++;
		}
	}
	return VIEW_OK;
}

struct block_row {
	uint64_t start, end, count, cycles;
	uint32_t function, loop, instructions;
};
struct edge_row {
	uint32_t from, to;
	uint64_t target, count;
	const char *kind;
};
struct loop_row {
	uint32_t function, head, parent, depth;
};

/* Executions of an edge: known but for the entries of a jump table. */
static uint64_t viewed_edge_count(const struct view *view, const struct cfg_block *block, const struct cfg_edge *edge)
{
	const struct gather_code *last = gather_at(view->input->export->result, block->last);
	if (last == NULL)
		return 0;
	if (edge->kind == CFG_TABLE && block->edge_count > 1)
		return UINT64_MAX;
	bool branches = false;
	for (uint32_t i = 0; i < block->edge_count; i++)
		branches |= view->input->cfg->edges[block->edges + i].kind == CFG_TAKEN;
	if (edge->kind == CFG_TAKEN)
		return last->taken;
	if (branches ||
	    last->taken + last->not_taken > 0) { /* out of the function by the branch that is taken, or not */
		struct isa_insn insn;
		bool away = image_insn(view->input->image, block->last, 0, &insn) &&
			    isa_target(&insn, block->last) == edge->target && edge->kind != CFG_FALL;
		return away ? last->taken : last->not_taken;
	}
	return last->count;
}

static void write_edges(struct view *view, struct edge_row *rows)
{
	const struct cfg *cfg = view->input->cfg;
	size_t used = 0;
	for (size_t i = 0; i < view->block_count; i++) {
		const struct cfg_block *block = &cfg->blocks[view->blocks[i]];
		for (uint32_t k = 0; k < block->edge_count; k++) {
			const struct cfg_edge *edge = &cfg->edges[block->edges + k];
			rows[used++] = (struct edge_row){(uint32_t)i,
			    edge->to == CFG_NONE ? VIEW_NONE : view->block_index[edge->to], edge->target,
			    viewed_edge_count(view, block, edge), cfg_edge_name(edge->kind)};
		}
	}
	view_table(view, "edges");
	COLUMN(view, "from", rows, used, from, VIEW_U32);
	COLUMN(view, "to", rows, used, to, VIEW_U32);
	COLUMN(view, "target", rows, used, target, VIEW_HEX64);
	COLUMN(view, "count", rows, used, count, VIEW_U64);
	COLUMN(view, "kind", rows, used, kind, VIEW_TEXT);
	view_table_end(view);
}

/* A loop's number is that among the loops of the functions that are written. */
static uint32_t *write_loops(struct view *view, struct loop_row *rows)
{
	const struct cfg *cfg = view->input->cfg;
	uint32_t *number = malloc((cfg->counts.loops + 1) * sizeof *number);
	size_t used = 0;
	if (number == NULL)
		return NULL;
	for (uint32_t i = 0; i < cfg->counts.loops; i++) {
		uint32_t head = view->block_index[cfg->loops[i].head];
		number[i] = head == VIEW_NONE ? VIEW_NONE : (uint32_t)used;
		if (head == VIEW_NONE)
			continue;
		rows[used++] = (struct loop_row){view->of_block[cfg->loops[i].head], head,
		    cfg->loops[i].parent == CFG_NONE ? VIEW_NONE : number[cfg->loops[i].parent], cfg->loops[i].depth};
	}
	view_table(view, "loops");
	COLUMN(view, "function", rows, used, function, VIEW_U32);
	COLUMN(view, "head", rows, used, head, VIEW_U32);
	COLUMN(view, "parent", rows, used, parent, VIEW_U32);
	COLUMN(view, "depth", rows, used, depth, VIEW_U32);
	view_table_end(view);
	return number;
}

static void fill_view_block(const struct view *view, uint32_t index, struct block_row *row)
{
	const struct cfg_block *block = &view->input->cfg->blocks[index];
	const struct gather_result *result = view->input->export->result;
	*row = (struct block_row){.start = block->start,
	    .end = block->end,
	    .function = view->of_block[index],
	    .loop = block->loop,
	    .instructions = block->insns};
	struct isa_insn insn;
	for (uint64_t pc = block->start; pc < block->end; pc += insn.length) {
		const struct gather_code *code = gather_at(result, pc);
		if (!image_insn(view->input->image, pc, 0, &insn))
			break;
		if (code != NULL && pc == block->start)
			row->count = code->count;
		if (code != NULL)
			row->cycles += view->timed ? code->cycles : code->count;
	}
}

int view_write_blocks(struct view *view)
{
	const struct cfg *cfg = view->input->cfg;
	size_t count = view->block_count, most = cfg->counts.edges + cfg->counts.loops + 1;
	struct block_row *rows = calloc(count + 1, sizeof *rows);
	struct edge_row *edges = calloc(most, sizeof *edges);
	struct loop_row *loops = calloc(most, sizeof *loops);
	uint32_t *number = NULL;
	if (rows != NULL && edges != NULL && loops != NULL)
		number = write_loops(view, loops);
	for (size_t i = 0; number != NULL && i < count; i++) {
		fill_view_block(view, view->blocks[i], &rows[i]);
		rows[i].loop = rows[i].loop == CFG_NONE ? VIEW_NONE : number[rows[i].loop];
	}
	if (number != NULL) {
		view_table(view, "blocks");
		COLUMN(view, "function", rows, count, function, VIEW_U32);
		COLUMN(view, "address", rows, count, start, VIEW_HEX64);
		COLUMN(view, "end", rows, count, end, VIEW_HEX64);
		COLUMN(view, "instructions", rows, count, instructions, VIEW_U32);
		COLUMN(view, "count", rows, count, count, VIEW_U64);
		COLUMN(view, "cycles", rows, count, cycles, VIEW_U64);
		COLUMN(view, "loop", rows, count, loop, VIEW_U32);
		view_table_end(view);
		write_edges(view, edges);
	}
	free(rows);
	free(edges);
	free(loops);
	free(number);
	return number == NULL ? VIEW_ENOMEM : VIEW_OK;
}

/* ---- instructions ---- */

struct code_row {
	uint64_t pc, count, cycles, taken, not_taken;
	uint32_t block, file, line;
	char *text;
};

static char *format_insn(const struct view *view, uint64_t pc, const struct isa_insn *insn)
{
	char text[256];
	int length = image_format(view->input->image, insn, pc, text, sizeof text);
	if (length < 0 || (size_t)length >= sizeof text)
		length = (int)strlen(text);
	if ((insn->class_bits & (ISA_JUMP | ISA_BRANCH)) != 0) {
		uint64_t target = isa_target(insn, pc), start = target;
		const char *name = image_function(view->input->image, target, &start);
		if (name != NULL && start == target)
			snprintf(text + length, sizeof text - (size_t)length, " <%s>", name);
	}
	return strdup(text);
}

static bool add_instructions(struct view *view, uint32_t index, struct code_row *rows, size_t room, size_t *used)
{
	const struct cfg_block *block = &view->input->cfg->blocks[index];
	struct isa_insn insn;
	for (uint64_t pc = block->start; pc < block->end && *used < room; pc += insn.length) {
		if (!image_insn(view->input->image, pc, 0, &insn))
			break;
		const struct gather_code *code = gather_at(view->input->export->result, pc);
		const struct spot_place *place = spots_at(view->input->export->spots, pc);
		struct code_row *row = &rows[*used];
		*row = (struct code_row){.pc = pc,
		    .block = view->block_index[index],
		    .file = place == NULL ? VIEW_NONE : view_file(view, place->file),
		    .line = place == NULL ? 0 : place->line,
		    .text = format_insn(view, pc, &insn)};
		if (row->text == NULL)
			return false;
		(*used)++;
		if (code == NULL)
			continue;
		row->count = code->count;
		row->cycles = view->timed ? code->cycles : code->count;
		row->taken = code->taken;
		row->not_taken = code->not_taken;
	}
	return true;
}

int view_write_code(struct view *view)
{
	size_t room = 0, used = 0;
	for (size_t i = 0; i < view->block_count; i++)
		room += view->input->cfg->blocks[view->blocks[i]].insns;
	struct code_row *rows = calloc(room + 1, sizeof *rows);
	bool ok = rows != NULL;
	for (size_t i = 0; ok && i < view->block_count; i++)
		ok = add_instructions(view, view->blocks[i], rows, room, &used);
	if (ok) {
		view_table(view, "code");
		COLUMN(view, "address", rows, used, pc, VIEW_HEX64);
		COLUMN(view, "block", rows, used, block, VIEW_U32);
		COLUMN(view, "file", rows, used, file, VIEW_U32);
		COLUMN(view, "line", rows, used, line, VIEW_U32);
		COLUMN(view, "count", rows, used, count, VIEW_U64);
		COLUMN(view, "cycles", rows, used, cycles, VIEW_U64);
		COLUMN(view, "taken", rows, used, taken, VIEW_U64);
		COLUMN(view, "not_taken", rows, used, not_taken, VIEW_U64);
		COLUMN(view, "text", rows, used, text, VIEW_TEXT);
		view_table_end(view);
	}
	for (size_t i = 0; i < used; i++)
		free(rows[i].text);
	free(rows);
	return ok ? VIEW_OK : VIEW_ENOMEM;
}

/* ---- paths ---- */

/* The blocks of a path, in order: a new one at each first instruction of a block, and wherever the block is another. */
static void write_path(struct view *view, const struct account_path *path)
{
	const struct account *account = view->input->account;
	uint32_t last = VIEW_NONE;
	const char *comma = "";
	fputc('[', view->out);
	for (uint32_t i = 0; i < path->length; i++) {
		uint64_t pc = account->insns[account->path_insns[path->at + i]].pc;
		uint32_t block = cfg_block_at(view->input->cfg, pc);
		if (block == CFG_NONE || view->block_index[block] == VIEW_NONE ||
		    (block == last && pc != view->input->cfg->blocks[block].start))
			continue;
		fprintf(view->out, "%s%" PRIu32, comma, view->block_index[block]);
		comma = ",";
		last = block;
	}
	fputc(']', view->out);
}

struct path_row {
	uint32_t function;
	uint64_t count, instructions, cycles;
};

int view_write_paths(struct view *view)
{
	const struct account *account = view->input->account;
	uint64_t scale = view->input->export->result->scale;
	struct path_row *rows = calloc(account->path_count + 1, sizeof *rows);
	if (rows == NULL)
		return VIEW_ENOMEM;
	for (size_t i = 0; i < account->path_count; i++) {
		const struct account_path *path = &account->paths[i];
		rows[i] = (struct path_row){view_function_at(view, account->functions[path->function].start),
		    path->sum.count * scale, path->sum.insns * scale,
		    (view->timed ? path->sum.cycles : path->sum.insns) * scale};
	}
	view_table(view, "paths");
	COLUMN(view, "function", rows, account->path_count, function, VIEW_U32);
	COLUMN(view, "count", rows, account->path_count, count, VIEW_U64);
	COLUMN(view, "instructions", rows, account->path_count, instructions, VIEW_U64);
	COLUMN(view, "cycles", rows, account->path_count, cycles, VIEW_U64);
	view_member(view, "blocks");
	fputc('[', view->out);
	for (size_t i = 0; i < account->path_count; i++) {
		if (i > 0)
			fputc(',', view->out);
		write_path(view, &account->paths[i]);
	}
	fputc(']', view->out);
	view_table_end(view);
	free(rows);
	return VIEW_OK;
}
