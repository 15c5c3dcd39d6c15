/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * JSON lines, an object for each line of each function that ran, as databases take them (ClickHouse: JSONEachRow):
 *
 *   {"function": "main", "file": "a.c", "line": 12, "instructions": 500, "cycles": 620}
 *
 * A line of an inlined function is that function's. Without source lines a function is one row, of line 0. The sums of
 * all rows are those of the profile; with the row "(not traced)", if there is one, those of the run.
 */
#include <stdlib.h>
#include <string.h>
#include "host/base/json.h"
#include "host/base/order.h"
#include "host/export/export.h"

struct row {
	uint32_t spot; /* SPOT_NONE: not known */
	unsigned line;
	const char *file;
	uint64_t count, cycles;
};

static int export_rows_by_place(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return order_then(ORDER_UP(x->spot, y->spot), ORDER_UP(x->line, y->line));
}

static void put_export_row(const struct export_input *input, const struct row *row, FILE *out)
{
	struct json j;
	char name[SPOTS_NAME] = "";
	json_open_line(&j, out);
	json_text(&j, "function", row->spot == SPOT_NONE ? "" : spots_name(input->spots, row->spot, name));
	json_text(&j, "file", row->file == NULL ? "" : row->file);
	json_number(&j, "line", row->line);
	json_number(&j, "instructions", row->count);
	json_number(&j, "cycles", row->cycles);
	json_close(&j);
}

int export_rows(const struct export_input *input, FILE *out)
{
	const struct gather_result *r = input->result;
	struct row *rows = calloc(r->code_count + 1, sizeof *rows);
	if (rows == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < r->code_count; i++) {
		const struct spot_place *place = spots_at(input->spots, r->code[i].pc);
		rows[i] = (struct row){.spot = SPOT_NONE, .count = r->code[i].count, .cycles = r->code[i].cycles};
		if (place == NULL)
			continue;
		rows[i].spot = place->spot;
		rows[i].line = place->line;
		rows[i].file = place->file;
	}
	qsort(rows, r->code_count, sizeof *rows, export_rows_by_place);
	for (size_t i = 0; i < r->code_count;) {
		struct row sum = rows[i];
		while (++i < r->code_count && export_rows_by_place(&rows[i], &sum) == 0) {
			sum.count += rows[i].count;
			sum.cycles += rows[i].cycles;
		}
		put_export_row(input, &sum, out);
	}
	const struct remainder *left = input->remainder;
	if (left != NULL && (left->left_insns > 0 || left->left_cycles > 0)) {
		struct json j;
		json_open_line(&j, out);
		json_text(&j, "function", REMAINDER_FRAME);
		json_text(&j, "file", "");
		json_number(&j, "line", 0);
		json_number(&j, "instructions", left->left_insns);
		json_number(&j, "cycles", left->left_cycles);
		json_close(&j);
	}
	free(rows);
	return ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
