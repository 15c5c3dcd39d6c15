/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Functions, the calls between them, and stacks. */
#include <stdlib.h>
#include <string.h>
#include "host/export/edges.h"
#include "host/base/order.h"
#include "host/export/tree.h"
#include "host/view/private.h"

uint32_t view_file(struct view *view, const char *name)
{
	if (name == NULL)
		return VIEW_NONE;
	if (view->last_file < view->file_count && view->files[view->last_file] == name)
		return view->last_file; /* that of the instruction before, mostly */
	for (size_t i = 0; i < view->file_count; i++) {
		if (view->files[i] == name || strcmp(view->files[i], name) == 0) {
			view->last_file = (uint32_t)i;
			return view->last_file;
		}
	}
	if (view->file_count == view->file_room) {
		size_t room = view->file_room == 0 ? 64 : 2 * view->file_room;
		const char **grown = realloc(view->files, room * sizeof *grown);
		if (grown == NULL)
			return VIEW_NONE;
		view->files = grown;
		view->file_room = room;
	}
	view->files[view->file_count] = name;
	view->last_file = (uint32_t)view->file_count++;
	return view->last_file;
}

static struct view_function *add_view_function(struct view *view)
{
	if (view->function_count == view->function_room) {
		size_t room = view->function_room == 0 ? 256 : 2 * view->function_room;
		struct view_function *grown = realloc(view->functions, room * sizeof *grown);
		if (grown == NULL)
			return NULL;
		view->functions = grown;
		view->function_room = room;
	}
	struct view_function *function = &view->functions[view->function_count++];
	memset(function, 0, sizeof *function);
	return function;
}

static int functions_by_start(const void *a, const void *b)
{
	const struct view_function *x = a, *y = b;
	return ORDER_UP(x->start, y->start);
}

/* The function that begins at start. */
static uint32_t starting_at(const struct view *view, uint64_t start)
{
	const struct view_function key = {.start = start};
	const struct view_function *found =
	    view->function_count == 0
		? NULL
		: bsearch(&key, view->functions, view->function_count, sizeof key, functions_by_start);
	return found == NULL ? VIEW_NONE : (uint32_t)(found - view->functions);
}

uint32_t view_function_at(const struct view *view, uint64_t pc)
{
	const struct spots *spots = view->input->export->spots;
	const struct spot_place *place = spots_at(spots, pc);
	if (place != NULL)
		return view->of_spot[spots_function(spots, place->spot)];
	uint64_t start = pc;
	image_function(view->input->image, pc, &start);
	return starting_at(view, start);
}

/* The functions that ran, and those of the graph that did not, by address. */
static int collect_functions(struct view *view)
{
	const struct spots *spots = view->input->export->spots;
	const struct cfg *cfg = view->input->cfg;
	for (size_t i = 0; i < spots->count; i++) {
		if (spots->all[i].parent != SPOT_NONE)
			continue;
		struct view_function *function = add_view_function(view);
		if (function == NULL)
			return VIEW_ENOMEM;
		function->name = spots->all[i].name;
		function->file = spots->all[i].file;
		function->line = spots->all[i].declared;
		function->start = spots->all[i].start;
	}
	size_t known = view->function_count;
	if (known > 0)
		qsort(view->functions, known, sizeof *view->functions, functions_by_start);
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		uint64_t start = cfg->functions[i].start, first = start;
		const struct spot_place *place = spots_at(spots, start);
		image_function(view->input->image, start, &first);
		const struct view_function key = {.start = start};
		if (place != NULL || first != start || /* a part of another one */
		    (known > 0 && bsearch(&key, view->functions, known, sizeof key, functions_by_start) != NULL))
			continue;
		struct view_function *function = add_view_function(view);
		if (function == NULL)
			return VIEW_ENOMEM;
		function->name = cfg->functions[i].name;
		function->start = start;
	}
	if (view->function_count > 0)
		qsort(view->functions, view->function_count, sizeof *view->functions, functions_by_start);
	return VIEW_OK;
}

/* What each function's own instructions took. */
static void add_code(struct view *view)
{
	const struct gather_result *result = view->input->export->result;
	for (size_t i = 0; i < result->code_count; i++) {
		const struct gather_code *code = &result->code[i];
		uint32_t index = view_function_at(view, code->pc);
		if (index == VIEW_NONE)
			continue;
		struct view_function *function = &view->functions[index];
		function->self.count += code->count;
		function->self.cycles += code->cycles;
		function->ran = true;
		if (code->pc == function->start)
			function->entered += code->count;
	}
}

/* Function of each context; VIEW_NONE for the one above all. */
static uint32_t *context_functions(const struct view *view)
{
	const struct gather_result *result = view->input->export->result;
	uint32_t *functions = malloc((result->node_count + 1) * sizeof *functions);
	if (functions == NULL)
		return NULL;
	for (size_t i = 0; i < result->node_count; i++)
		functions[i] = i == STACK_NOBODY ? VIEW_NONE : view_function_at(view, result->nodes[i].entry);
	return functions;
}

/* Self and what is called, from contexts: exact from records in order. Recursion counts once. */
static int add_totals(struct view *view)
{
	const struct gather_result *result = view->input->export->result;
	struct gather_sum *below = gather_own_sums(result);
	uint32_t *functions = context_functions(view);
	if (below == NULL || functions == NULL) {
		free(below);
		free(functions);
		return VIEW_ENOMEM;
	}
	for (size_t i = result->node_count; i-- > 1;) { /* children have larger indices */
		uint32_t parent = result->nodes[i].parent;
		below[parent].count += below[i].count;
		below[parent].cycles += below[i].cycles;
		bool again = functions[i] == VIEW_NONE;
		for (uint32_t k = parent; !again && k != STACK_NOBODY; k = result->nodes[k].parent)
			again = functions[k] == functions[i];
		if (!again) {
			view->functions[functions[i]].total.count += below[i].count;
			view->functions[functions[i]].total.cycles += below[i].cycles;
		}
	}
	free(below);
	free(functions);
	return VIEW_OK;
}

/* The same from what the calls of each function are estimated to cost. */
static void estimate_totals(struct view *view, const struct edges *edges)
{
	for (size_t i = 0; i < view->function_count; i++)
		view->functions[i].total = view->functions[i].self;
	for (size_t i = 0; i < view->input->export->spots->count; i++) {
		if (view->of_spot[i] == VIEW_NONE)
			continue;
		struct view_function *function = &view->functions[view->of_spot[i]];
		const struct edge_function *whole = &edges->functions[i];
		function->total = (struct view_sum){whole->count, whole->cycles};
		function->unknown = whole->unknown;
	}
}

int view_functions_make(struct view *view)
{
	const struct spots *spots = view->input->export->spots;
	view->of_spot = malloc((spots->count + 1) * sizeof *view->of_spot);
	if (view->of_spot == NULL)
		return VIEW_ENOMEM;
	int error = collect_functions(view);
	for (size_t i = 0; i < spots->count; i++)
		view->of_spot[i] =
		    spots->all[i].parent == SPOT_NONE ? starting_at(view, spots->all[i].start) : VIEW_NONE;
	if (error != VIEW_OK)
		return error;
	add_code(view);
	if (view->input->export->result->ordered)
		return add_totals(view);
	struct edges edges;
	if (edges_make(&edges, view->input->export) != EXPORT_OK)
		return VIEW_ENOMEM;
	estimate_totals(view, &edges);
	edges_free(&edges);
	return VIEW_OK;
}

/* ---- writing ---- */

struct function_row { /* of the document */
	const char *name;
	uint32_t file, line;
	uint64_t start, entered, self, total, instructions, total_instructions;
	uint64_t lengths;                            /* of all calls together */
	uint64_t least, most, self_least, self_most; /* of one call */
	uint32_t blocks;
	uint8_t unknown;
};

static void take_extremes(const struct view *view, struct function_row *rows)
{
	const struct calls *calls = view->input->calls;
	for (size_t i = 0; i < calls->edge_count; i++) {
		const struct call_edge *edge = &calls->edges[i];
		uint32_t index = view_function_at(view, edge->target);
		if (index == VIEW_NONE || edge->count == 0)
			continue;
		struct function_row *row = &rows[index];
		row->least = edge->least < row->least ? edge->least : row->least;
		row->most = edge->most > row->most ? edge->most : row->most;
		row->self_least = edge->self_least < row->self_least ? edge->self_least : row->self_least;
		row->self_most = edge->self_most > row->self_most ? edge->self_most : row->self_most;
		row->entered += edge->count;
		row->lengths += edge->lengths;
	}
}

int view_write_functions(struct view *view)
{
	size_t count = view->function_count;
	bool followed = view->input->calls != NULL;
	struct function_row *rows = calloc(count + 1, sizeof *rows);
	if (rows == NULL)
		return VIEW_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct view_function *f = &view->functions[i];
		rows[i] = (struct function_row){.name = f->name,
		    .file = view_file(view, f->file),
		    .line = f->line,
		    .start = f->start,
		    .entered = followed ? 0 : f->entered,
		    .self = view_measure(view, f->self),
		    .total = view_measure(view, f->total),
		    .instructions = view->input->calls_only ? 0 : f->self.count,
		    .total_instructions = f->total.count,
		    .unknown = f->unknown,
		    .blocks = f->block_count};
		rows[i].least = rows[i].self_least = UINT64_MAX;
	}
	if (followed)
		take_extremes(view, rows);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].least == UINT64_MAX)
			rows[i].least = rows[i].self_least = 0;
	}
	view_table(view, "functions");
	view_names(view, &rows->name, count, sizeof *rows);
	COLUMN(view, "file", rows, count, file, VIEW_U32);
	COLUMN(view, "line", rows, count, line, VIEW_U32);
	COLUMN(view, "address", rows, count, start, VIEW_HEX64);
	COLUMN(view, "calls", rows, count, entered, VIEW_U64);
	COLUMN(view, "self", rows, count, self, VIEW_U64);
	COLUMN(view, "total", rows, count, total, VIEW_U64);
	COLUMN(view, "instructions", rows, count, instructions, VIEW_U64);
	COLUMN(view, "unknown", rows, count, unknown, VIEW_U8);
	if (followed) {
		COLUMN(view, "lengths", rows, count, lengths, VIEW_U64);
		COLUMN(view, "least", rows, count, least, VIEW_U64);
		COLUMN(view, "most", rows, count, most, VIEW_U64);
		COLUMN(view, "self_least", rows, count, self_least, VIEW_U64);
		COLUMN(view, "self_most", rows, count, self_most, VIEW_U64);
	}
	view_table_end(view);
	free(rows);
	return VIEW_OK;
}

struct call_row {
	uint32_t from, to, line;
	uint64_t site, count, total, instructions, least, most;
	uint8_t unknown;
	const char *kind;
	const struct call_edge *edge;
};

/* Calls of each length, as [bucket, calls, bucket, calls, ...]. */
static void write_buckets(struct view *view, const struct call_row *rows, size_t count)
{
	view_member(view, "buckets");
	fputc('[', view->out);
	for (size_t i = 0; i < count; i++) {
		bool first = true;
		fputs(i == 0 ? "[" : ",[", view->out);
		for (unsigned b = 0; rows[i].edge != NULL && b < CALLS_BUCKETS; b++) {
			if (rows[i].edge->buckets[b] == 0)
				continue;
			fprintf(
			    view->out, "%s%u,%llu", first ? "" : ",", b, (unsigned long long)rows[i].edge->buckets[b]);
			first = false;
		}
		fputc(']', view->out);
	}
	fputc(']', view->out);
}

/* Adds a row for the edge, if its callee is known. */
static void take_call_edge(const struct view *view, const struct edge *edge, struct call_row *rows, size_t *count)
{
	static const char *const kinds[] = {
	    [STACK_ROOT] = "root", [STACK_CALL] = "call", [STACK_TAIL] = "tail", [STACK_TRAP] = "trap"};
	const struct calls *calls = view->input->calls;
	const bool root = edge->kind == STACK_ROOT;
	const struct spot_place *place = root ? NULL : spots_at(view->input->export->spots, edge->site);
	const uint32_t to = view_function_at(view, edge->target);
	if (to == VIEW_NONE)
		return;
	struct call_row *row = &rows[(*count)++];
	*row = (struct call_row){.from = root ? VIEW_NONE : view_function_at(view, edge->site),
	    .to = to,
	    .line = place == NULL ? 0 : place->line,
	    .site = edge->site,
	    .count = edge->calls,
	    .total = view->timed ? edge->cycles : edge->count,
	    .instructions = view->input->calls_only ? 0 : edge->count,
	    .unknown = edge->unknown,
	    .kind = kinds[edge->kind],
	    .edge = calls == NULL ? NULL : calls_edge(calls, edge->site, edge->target)};
	if (row->edge != NULL && row->edge->count > 0) {
		row->least = row->edge->least;
		row->most = row->edge->most;
	}
}

int view_write_calls(struct view *view)
{
	struct edges edges;
	const bool followed = view->input->calls != NULL;
	if (edges_make(&edges, view->input->export) != EXPORT_OK)
		return VIEW_ENOMEM;
	struct call_row *rows = calloc(edges.count + edges.root_count + 1, sizeof *rows);
	size_t count = 0;
	for (size_t i = 0; rows != NULL && i < edges.root_count; i++)
		take_call_edge(view, &edges.roots[i], rows, &count);
	for (size_t i = 0; rows != NULL && i < edges.count; i++)
		take_call_edge(view, &edges.all[i], rows, &count);
	edges_free(&edges);
	if (rows == NULL)
		return VIEW_ENOMEM;
	view_table(view, "calls");
	COLUMN(view, "from", rows, count, from, VIEW_U32);
	COLUMN(view, "to", rows, count, to, VIEW_U32);
	COLUMN(view, "site", rows, count, site, VIEW_HEX64);
	COLUMN(view, "line", rows, count, line, VIEW_U32);
	COLUMN(view, "count", rows, count, count, VIEW_U64);
	COLUMN(view, "total", rows, count, total, VIEW_U64);
	COLUMN(view, "instructions", rows, count, instructions, VIEW_U64);
	COLUMN(view, "kind", rows, count, kind, VIEW_TEXT);
	COLUMN(view, "unknown", rows, count, unknown, VIEW_U8);
	if (followed) {
		COLUMN(view, "least", rows, count, least, VIEW_U64);
		COLUMN(view, "most", rows, count, most, VIEW_U64);
		write_buckets(view, rows, count);
	}
	view_table_end(view);
	free(rows);
	return VIEW_OK;
}

struct stack_row {
	uint32_t parent, frame;
	uint64_t self;
};
struct frame_row {
	const char *name;
	uint32_t file, line;
};

int view_write_stacks(struct view *view)
{
	struct tree tree;
	if (tree_make(&tree, view->input->export) != EXPORT_OK)
		return VIEW_ENOMEM;
	struct stack_row *rows = calloc(tree.node_count + 1, sizeof *rows);
	struct frame_row *frames = calloc(tree.frame_count + 1, sizeof *frames);
	size_t count = tree.node_count == 0 ? 0 : tree.node_count - 1;
	if (rows == NULL || frames == NULL) {
		free(rows);
		free(frames);
		tree_free(&tree);
		return VIEW_ENOMEM;
	}
	for (size_t i = 0; i < tree.frame_count; i++)
		frames[i] =
		    (struct frame_row){tree.frames[i].name, view_file(view, tree.frames[i].file), tree.frames[i].line};
	for (size_t i = 0; i < count; i++) { /* node 0 is above all: it is left out */
		const struct tree_node *node = &tree.nodes[i + 1];
		rows[i] = (struct stack_row){node->parent == 0 ? VIEW_NONE : node->parent - 1, node->frame,
		    view->timed ? node->cycles : node->count};
	}
	view_table(view, "frames");
	view_names(view, &frames->name, tree.frame_count, sizeof *frames);
	COLUMN(view, "file", frames, tree.frame_count, file, VIEW_U32);
	COLUMN(view, "line", frames, tree.frame_count, line, VIEW_U32);
	view_table_end(view);
	view_table(view, "stacks");
	COLUMN(view, "parent", rows, count, parent, VIEW_U32);
	COLUMN(view, "frame", rows, count, frame, VIEW_U32);
	COLUMN(view, "self", rows, count, self, VIEW_U64);
	view_table_end(view);
	free(rows);
	free(frames);
	tree_free(&tree);
	return VIEW_OK;
}
