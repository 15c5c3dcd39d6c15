/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Nested regions, and the paths through each of them. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/view/private.h"

struct row {
	const char *name;
	uint32_t parent, function, head;
	uint64_t entered, turns, cost;
};

static int write_region_rows(struct view *view)
{
	const struct view_input *input = view->input;
	const size_t count = input->region_count;
	struct row *rows = calloc(count + 1, sizeof *rows);
	if (rows == NULL)
		return VIEW_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct view_region *r = &input->regions[i];
		rows[i] = (struct row){r->name, r->parent, view_function_at(view, r->entry), view->block_index[r->head],
		    r->entered, r->turns, r->cost};
	}
	view_table(view, "regions");
	COLUMN(view, "name", rows, count, name, VIEW_TEXT);
	COLUMN(view, "parent", rows, count, parent, VIEW_U32);
	COLUMN(view, "function", rows, count, function, VIEW_U32);
	COLUMN(view, "head", rows, count, head, VIEW_U32);
	COLUMN(view, "count", rows, count, entered, VIEW_U64);
	COLUMN(view, "turns", rows, count, turns, VIEW_U64);
	COLUMN(view, "cycles", rows, count, cost, VIEW_U64);
	view_table_end(view);
	free(rows);
	return VIEW_OK;
}

/* A block as its number in the document, region r as -1 - r. A block that is not there (it did not run) is left out. */
static void write_steps(struct view *view)
{
	const struct view_input *input = view->input;
	view_member(view, "nodes");
	fputc('[', view->out);
	for (size_t i = 0; i < input->region_path_count; i++) {
		const struct view_region_path *path = &input->region_paths[i];
		const char *comma = "";
		fputs(i > 0 ? ",[" : "[", view->out);
		for (uint32_t k = 0; k < path->length; k++) {
			const int32_t step = path->steps[k];
			if (step >= 0 && view->block_index[step] == VIEW_NONE)
				continue;
			fprintf(view->out, "%s%" PRId64, comma,
			    step < 0 ? (int64_t)step : (int64_t)view->block_index[step]);
			comma = ",";
		}
		fputc(']', view->out);
	}
	fputc(']', view->out);
}

int view_write_regions(struct view *view)
{
	const struct view_input *input = view->input;
	int error = write_region_rows(view);
	if (error != VIEW_OK)
		return error;
	view_table(view, "region_paths");
	COLUMN(view, "region", input->region_paths, input->region_path_count, region, VIEW_U32);
	COLUMN(view, "count", input->region_paths, input->region_path_count, count, VIEW_U64);
	COLUMN(view, "cycles", input->region_paths, input->region_path_count, cost, VIEW_U64);
	write_steps(view);
	view_table_end(view);
	return VIEW_OK;
}
