/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Code that ran in handlers of interrupts and traps alone. Records in order have the context of each instruction:
 *
 *   records ──► gatherer ──► cells (context, pc) ──► executions outside of handlers, by pc ──► lines without any
 *
 * A context whose caller nobody knows counts as outside, so that "in handlers only" is certain.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/json.h"
#include "host/base/order.h"
#include "host/cmd/coverage.h"

#define HANDLER_NAME_WIDTH 40

static int compare_code(const void *key, const void *element)
{
	const uint64_t pc = *(const uint64_t *)key;
	const struct gather_code *code = element;
	return ORDER_UP(pc, code->pc);
}

/* Executions outside of handlers of the instruction at pc; NULL: it is in no run. */
static uint64_t *outside_at(const struct merged *merged, uint64_t pc)
{
	const struct gather_code *code = bsearch(&pc, merged->code, merged->count, sizeof *merged->code, compare_code);
	return code == NULL ? NULL : &merged->outside[code - merged->code];
}

/* Adds what a run did outside of handlers. A context's number is larger than its caller's. */
static bool add_outside(const struct merged *merged, const struct gather_result *result, uint64_t shift)
{
	bool *inside = calloc(result->node_count + 1, sizeof *inside);
	if (inside == NULL)
		return false;
	for (size_t i = 1; i < result->node_count; i++)
		inside[i] = result->nodes[i].kind == STACK_TRAP || inside[result->nodes[i].parent];
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct gather_cell *cell = &result->cells[i];
		uint64_t *outside = inside[cell->node] ? NULL : outside_at(merged, cell->pc - shift);
		if (outside != NULL)
			*outside += cell->count;
	}
	free(inside);
	return true;
}

static int follow_handlers(struct covered *c, struct coverage_build *build, const struct coverage_run *run)
{
	struct coverage_walk walk = {.why = "whether code ran in a handler"};
	const struct image *first = c->runs[build->first].profiled.image;
	uint64_t shift = image_load_address(run->profiled.image) - image_load_address(first);
	int status = coverage_walk_run(&walk, run);
	if (status == STATUS_OK && !add_outside(&build->merged, walk.result, shift)) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	coverage_walk_end(&walk);
	return status;
}

int coverage_follow_handlers(struct covered *c)
{
	int status = STATUS_OK;
	for (size_t i = 0; c->handlers && status == STATUS_OK && i < c->build_count; i++) {
		struct coverage_build *build = &c->builds[i];
		build->merged.outside = calloc(build->merged.count + 1, sizeof *build->merged.outside);
		if (build->merged.outside == NULL) {
			complain("out of memory");
			return STATUS_FAILED;
		}
		for (size_t k = build->first; status == STATUS_OK && k < build->end; k++)
			status = follow_handlers(c, build, &c->runs[k]);
	}
	return status;
}

/* ---- rows ---- */

/* Whether a line's instructions ran, and none outside of handlers. */
bool coverage_in_handlers(const struct covered *c, size_t begin, size_t end)
{
	bool ran = false;
	for (size_t i = begin; i < end; i++) {
		const struct coverage_row *row = &c->coverage.all[i];
		const uint64_t *outside = outside_at(&c->builds[row->build].merged, row->pc);
		if (outside != NULL && *outside > 0)
			return false;
		ran = ran || row->count > 0;
	}
	return ran;
}

/* Where the instructions of the file from index at on begin. */
static size_t first_instruction(const struct covered *c, size_t at, size_t end)
{
	while (at < end && c->coverage.all[at].kind != COVERAGE_INSN)
		at++;
	return at;
}

/* The lines of a file one after the other, those that ran in handlers alone. *at: an instruction; end: of the file. */
static bool next_handler_line(const struct covered *c, size_t *at, size_t end, const struct coverage_row **line)
{
	while (*at < end) {
		size_t begin = *at;
		*at = coverage_group(&c->coverage, begin);
		*line = &c->coverage.all[begin];
		if (coverage_in_handlers(c, begin, *at))
			return true;
	}
	return false;
}

static void print_handler_lines(const struct covered *c, size_t begin, size_t end, FILE *out)
{
	const struct coverage_row *line;
	size_t at = first_instruction(c, begin, end);
	uint64_t shown = 0;
	while (next_handler_line(c, &at, end, &line)) {
		const char *name = line->name == NULL ? "" : line->name;
		if (shown == 0)
			fprintf(out, "\n%s\n", short_file(coverage_file(line->file), 96));
		if (shown++ < c->top)
			fprintf(out, "  %u  in handlers only%s%.*s\n", line->line, name[0] == '\0' ? "" : "  in ",
			    HANDLER_NAME_WIDTH, name);
	}
	if (shown > c->top)
		fprintf(out, "  ... and %s more (--top 0 shows all)\n", with_commas(shown - c->top));
}

static uint64_t count_handler_lines(const struct covered *c)
{
	const struct coverage_row *line;
	uint64_t count = 0;
	for (size_t i = 0; i < c->coverage.count;) {
		size_t end = coverage_file_end(&c->coverage, i), at = first_instruction(c, i, end);
		while (next_handler_line(c, &at, end, &line))
			count++;
		i = end;
	}
	return count;
}

void coverage_handlers_text(const struct covered *c, FILE *out)
{
	if (!c->handlers)
		return;
	fprintf(out, "\nlines that ran in handlers of interrupts and traps only: %s\n",
	    with_commas(count_handler_lines(c)));
	for (size_t i = 0; i < c->coverage.count;) {
		size_t end = coverage_file_end(&c->coverage, i);
		print_handler_lines(c, i, end, out);
		i = end;
	}
}

void coverage_handlers_json(struct json *j, const struct covered *c, size_t begin, size_t end)
{
	const struct coverage_row *line;
	size_t at = first_instruction(c, begin, end);
	if (!c->handlers)
		return;
	json_array(j, "in_handlers_only");
	while (next_handler_line(c, &at, end, &line)) {
		json_line(j, NULL);
		json_number(j, "line", line->line);
		json_text(j, "function", line->name);
		json_object_end(j);
	}
	json_array_end(j);
}
