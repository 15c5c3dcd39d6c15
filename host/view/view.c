/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include "host/base/json.h"
#include "host/view/levels.h"
#include "host/view/private.h"

const char *view_strerror(int error)
{
	switch (error) {
	case VIEW_OK:
		return "no error";
	case VIEW_ENOMEM:
		return "out of memory";
	case VIEW_EWRITE:
		return "cannot be written";
	case VIEW_ENOPAGE:
		return "this rivulet was built without the page";
	case VIEW_ETEMPLATE:
		return "is no page of rivulet view: it has no place for data";
	case VIEW_EOVERFLOW:
		return "a count passes 64 bits";
	default:
		return "unknown error";
	}
}

void view_begin(FILE *out, bool live)
{
	fprintf(out, "{\"format\":\"rivulet view\",\"version\":%d,\"live\":%s,\"profiles\":[\n", VIEW_VERSION,
	    live ? "true" : "false");
}

void view_between(FILE *out)
{
	fputs(",\n", out);
}

void view_end(FILE *out)
{
	fputs("]}\n", out);
}

static void text_member(struct view *view, const char *name, const char *text)
{
	view_member(view, name);
	json_quoted(text, view->out);
}

static void number_member(struct view *view, const char *name, uint64_t number)
{
	view_member(view, name);
	fprintf(view->out, "%" PRIu64, number);
}

static void bool_member(struct view *view, const char *name, bool value)
{
	view_member(view, name);
	fputs(value ? "true" : "false", view->out);
}

static void write_view_head(struct view *view)
{
	const struct view_input *input = view->input;
	const struct gather_result *result = input->export->result;
	char build[16];
	snprintf(build, sizeof build, "%08" PRIx32, input->export->build);
	text_member(view, "label", input->label);
	text_member(view, "program", input->export->program);
	text_member(view, "application", input->export->name);
	text_member(view, "build", build);
	text_member(view, "way", input->way);
	text_member(view, "unit", view->timed ? "cycles" : "instructions");
	number_member(view, "total", view->timed ? result->cycles : result->count);
	number_member(view, "instructions", input->calls_only ? 0 : result->count);
	bool_member(view, "sampled", input->export->sampled);
	number_member(view, "scale", result->scale);
	bool_member(view, "exact_calls", result->ordered);
	number_member(view, "traces", result->traces);
	number_member(view, "traces_left_out", result->unfit);
	number_member(view, "cycles_left_out", result->lost_cycles);
	view_member(view, "notes");
	fputc('[', view->out);
	for (size_t i = 0; input->notes != NULL && input->notes[i] != NULL; i++) {
		if (i > 0)
			fputc(',', view->out);
		json_quoted(input->notes[i], view->out);
	}
	fputc(']', view->out);
}

struct span_row {
	struct level_call call;
	uint64_t after; /* begin less that of the row before */
};

/* What the page draws where calls are narrower than a pixel. */
static int write_levels(struct view *view, const struct span_row *rows, size_t count, uint64_t length)
{
	struct level_call *calls = calloc(count + 1, sizeof *calls);
	struct levels levels;
	if (calls == NULL)
		return VIEW_ENOMEM;
	for (size_t i = 0; i < count; i++)
		calls[i] = rows[i].call;
	const int error = levels_make(&levels, calls, count, view->function_count, length);
	free(calls);
	if (error != LEVELS_OK)
		return VIEW_ENOMEM;
	if (levels.count > 0) {
		view_table(view, "levels");
		COLUMN(view, "cell", levels.level, levels.count, cell, VIEW_U64);
		COLUMN(view, "bars", levels.level, levels.count, bars, VIEW_U64);
		view_table_end(view);
		view_table(view, "level_bars");
		COLUMN(view, "calls", levels.bars, levels.bar_count, calls, VIEW_U32);
		COLUMN(view, "function", levels.bars, levels.bar_count, function, VIEW_U32);
		COLUMN(view, "covered", levels.bars, levels.bar_count, covered, VIEW_U64);
		COLUMN(view, "busy", levels.bars, levels.bar_count, busy, VIEW_U64);
		view_table_end(view);
	}
	levels_fini(&levels);
	return VIEW_OK;
}

static int write_span_table(
    struct view *view, const struct span_row *rows, size_t count, uint64_t length, uint64_t all, uint64_t shortest)
{
	view_table(view, "spans");
	number_member(view, "length", length);
	number_member(view, "all", all);
	number_member(view, "shortest", shortest);
	COLUMN(view, "after", rows, count, after, VIEW_U64);
	COLUMN(view, "duration", rows, count, call.length, VIEW_U64);
	COLUMN(view, "function", rows, count, call.function, VIEW_U32);
	COLUMN(view, "depth", rows, count, call.depth, VIEW_U32);
	COLUMN(view, "process", rows, count, call.process, VIEW_U32);
	view_table_end(view);
	return write_levels(view, rows, count, length);
}

/* Names of the rows of single calls, if these are not processes: "thread 0", ... */
static void name_context_rows(struct view *view, const struct calls *calls)
{
	uint32_t most = 0;
	for (size_t i = 0; i < calls->span_count; i++)
		most = calls->spans[i].process > most ? calls->spans[i].process : most;
	if (view->input->context == NULL || most == 0)
		return;
	view_member(view, "processes");
	for (uint32_t i = 0; i <= most; i++)
		fprintf(view->out, "%s\"%s %" PRIu32 "\"", i == 0 ? "[" : ",", view->input->context, i);
	fputc(']', view->out);
}

static int write_spans(struct view *view)
{
	const struct calls *calls = view->input->calls;
	struct span_row *rows = calloc(calls->span_count + 1, sizeof *rows);
	uint64_t before = 0;
	uint32_t process = VIEW_NONE;
	if (rows == NULL)
		return VIEW_ENOMEM;
	for (size_t i = 0; i < calls->span_count; i++) {
		const struct call_span *span = &calls->spans[i];
		if (span->process != process) /* the next process begins anew */
			before = 0;
		process = span->process;
		rows[i] = (struct span_row){
		    {span->begin, span->length, view_function_at(view, span->entry), span->depth, span->process},
		    span->begin - before};
		before = span->begin;
	}
	name_context_rows(view, calls);
	const int error = write_span_table(view, rows, calls->span_count, calls->length, calls->all, calls->shortest);
	free(rows);
	return error;
}

/* Time slices of the kernel's processes, in the place of calls. */
static int write_slices(struct view *view)
{
	const struct kernel_run *run = view->input->kernel;
	struct span_row *rows = calloc(run->first_count + 1, sizeof *rows);
	size_t count = 0;
	uint64_t end = 0;
	if (rows == NULL)
		return VIEW_ENOMEM;
	for (uint32_t slot = 1; slot <= run->count; slot++) {
		uint64_t before = 0;
		for (size_t i = 0; i < run->first_count; i++) {
			const struct kernel_slice *s = &run->first[i];
			if (s->slot != slot)
				continue;
			rows[count++] =
			    (struct span_row){{s->begin, s->end - s->begin, VIEW_NONE, 0, slot}, s->begin - before};
			before = s->begin;
			end = s->end > end ? s->end : end;
		}
	}
	view_member(view, "processes");
	fputs("[\"kernel\"", view->out);
	for (uint32_t slot = 1; slot <= run->count; slot++) {
		fputc(',', view->out);
		json_quoted(run->processes[slot].name, view->out);
	}
	fputc(']', view->out);
	const int error = write_span_table(view, rows, count, end, run->slices, 0);
	free(rows);
	return error;
}

static int write_sections(struct view *view)
{
	static int (*const sections[])(struct view *) = {view_write_functions, view_write_calls, view_write_stacks,
	    view_write_blocks, view_write_code, view_write_lines};
	const size_t count = view->input->calls_only ? 3 : sizeof sections / sizeof *sections;
	int error = view_functions_make(view);
	if (error == VIEW_OK && !view->input->calls_only)
		error = view_blocks_make(view);
	for (size_t i = 0; i < count && error == VIEW_OK; i++)
		error = sections[i](view);
	if (error == VIEW_OK && view->input->account != NULL)
		error = view_write_paths(view);
	if (error == VIEW_OK && view->input->calls != NULL)
		error = write_spans(view);
	else if (error == VIEW_OK && view->input->kernel != NULL)
		error = write_slices(view);
	if (error == VIEW_OK && view->input->phases != NULL)
		error = view_write_phases(view);
	if (error == VIEW_OK && view->input->regions != NULL)
		error = view_write_regions(view);
	if (error == VIEW_OK) { /* last: the sections above have collected the names */
		view_member(view, "files");
		fputc('[', view->out);
		for (size_t i = 0; i < view->file_count; i++) {
			if (i > 0)
				fputc(',', view->out);
			json_quoted(view->files[i], view->out);
		}
		fputc(']', view->out);
	}
	return error;
}

int view_write(const struct view_input *input, FILE *out)
{
	struct view view = {.input = input, .out = out, .first = true, .timed = input->export->timed};
	fputc('{', out);
	write_view_head(&view);
	int error = write_sections(&view);
	fputc('}', out);
	free(view.functions);
	free(view.of_spot);
	free(view.of_block);
	free(view.files);
	free(view.blocks);
	free(view.block_index);
	free(view.line_of_code);
	return error == VIEW_OK && ferror(out) ? VIEW_EWRITE : error;
}
