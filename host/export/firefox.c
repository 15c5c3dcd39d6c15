/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The processed profile format of the Firefox Profiler (profiler.firefox.com), version 47: one sample for each span of
 * the timeline, weighted by its length. A cycle is written as a microsecond.
 *
 *   stackTable: a tree by prefix ──► frameTable ──► funcTable ──► stringArray
 */
#include <stdlib.h>
#include "host/base/json.h"
#include "host/export/export.h"

struct writer {
	const struct export_input *input;
	struct json j;
	uint32_t *stack; /* of each context: the innermost at or below it whose function is known; 0: none */
};

static uint32_t firefox_function_of(const struct export_input *input, uint32_t node)
{
	uint64_t entry = input->result->nodes[node].entry;
	const struct spot_place *place = entry == 0 ? NULL : spots_at(input->spots, entry);
	return place == NULL ? SPOT_NONE : spots_function(input->spots, place->spot);
}

/* Columns of a table: the same in each row, or the number of the row. */
static void write_numbers(struct json *j, const char *name, int64_t value, size_t rows)
{
	json_row(j, name);
	for (size_t i = 0; i < rows; i++)
		json_signed(j, NULL, value);
	json_array_end(j);
}

static void write_nulls(struct json *j, const char *name, size_t rows)
{
	json_row(j, name);
	for (size_t i = 0; i < rows; i++)
		json_null(j, NULL);
	json_array_end(j);
}

static void write_falses(struct json *j, const char *name, size_t rows)
{
	json_row(j, name);
	for (size_t i = 0; i < rows; i++)
		json_bool(j, NULL, false);
	json_array_end(j);
}

static void own_index(struct json *j, const char *name, size_t rows)
{
	json_row(j, name);
	for (size_t i = 0; i < rows; i++)
		json_number(j, NULL, i);
	json_array_end(j);
}

static void write_meta(struct json *j, const char *name)
{
	json_line(j, "meta");
	json_milli(j, "interval", 1);
	json_number(j, "startTime", 0);
	json_number(j, "processType", 0);
	json_text(j, "product", name);
	json_number(j, "stackwalk", 1);
	json_number(j, "version", 28);
	json_number(j, "preprocessedProfileVersion", 47);
	json_bool(j, "symbolicated", true);
	json_text(j, "importedFrom", "rivulet");
	json_array(j, "markerSchema");
	json_array_end(j);
	json_object(j, "sampleUnits");
	json_text(j, "time", "ms");
	json_text(j, "eventDelay", "ms");
	json_text(j, "threadCPUDelta", "\xC2\xB5s"); /* micro sign */
	json_object_end(j);
	json_array(j, "categories");
	json_object(j, NULL);
	json_text(j, "name", "Other");
	json_text(j, "color", "grey");
	json_array(j, "subcategories");
	json_text(j, NULL, "Other");
	json_array_end(j);
	json_object_end(j);
	json_array_end(j);
	json_object_end(j);
	json_row(j, "libs");
	json_array_end(j);
	json_row(j, "pages");
	json_array_end(j);
}

/* One function, frame and string for each spot: their indices are the spot's. */
static void write_firefox_functions(struct json *j, const struct spots *spots)
{
	size_t n = spots->count;
	char text[SPOTS_NAME];
	json_object(j, "frameTable");
	json_number(j, "length", n);
	own_index(j, "func", n);
	write_numbers(j, "address", -1, n);
	write_numbers(j, "inlineDepth", 0, n);
	write_numbers(j, "category", 0, n);
	write_numbers(j, "subcategory", 0, n);
	write_nulls(j, "nativeSymbol", n);
	write_numbers(j, "innerWindowID", 0, n);
	write_nulls(j, "implementation", n);
	write_nulls(j, "line", n);
	write_nulls(j, "column", n);
	json_object_end(j);
	json_object(j, "funcTable");
	json_number(j, "length", n);
	own_index(j, "name", n);
	write_falses(j, "isJS", n);
	write_falses(j, "relevantForJS", n);
	write_numbers(j, "resource", -1, n);
	write_nulls(j, "fileName", n);
	write_nulls(j, "lineNumber", n);
	write_nulls(j, "columnNumber", n);
	json_object_end(j);
	json_array(j, "stringArray");
	for (size_t i = 0; i < n; i++)
		json_text(j, NULL, spots_name(spots, (uint32_t)i, text));
	json_array_end(j);
}

/* A row for each context with a known function. Contexts are in the order of their parents, so a prefix comes first. */
static void write_firefox_stacks(struct writer *w)
{
	const struct gather_result *result = w->input->result;
	struct json *j = &w->j;
	size_t rows = 0;
	json_object(j, "stackTable");
	for (int pass = 0; pass < 2; pass++) {
		json_row(j, pass == 0 ? "frame" : "prefix");
		rows = 0;
		for (size_t i = 1; i < result->node_count; i++) {
			uint32_t spot = firefox_function_of(w->input, (uint32_t)i),
				 parent = w->stack[result->nodes[i].parent];
			w->stack[i] = parent;
			if (spot == SPOT_NONE)
				continue;
			if (pass == 0)
				json_number(j, NULL, spot);
			else if (parent == 0)
				json_null(j, NULL);
			else
				json_number(j, NULL, parent - 1);
			w->stack[i] = (uint32_t)++rows; /* its row, plus 1 */
		}
		json_array_end(j);
	}
	write_numbers(j, "category", 0, rows);
	write_numbers(j, "subcategory", 0, rows);
	json_number(j, "length", rows);
	json_object_end(j);
}

static void write_samples(struct writer *w)
{
	const struct timeline *t = w->input->timeline;
	struct json *j = &w->j;
	json_object(j, "samples");
	json_number(j, "length", t->count);
	json_text(j, "weightType", "tracing-ms");
	json_row(j, "stack");
	for (size_t i = 0; i < t->count; i++) {
		uint32_t row = w->stack[t->spans[i].node];
		if (row == 0)
			json_null(j, NULL);
		else
			json_number(j, NULL, row - 1);
	}
	json_array_end(j);
	json_row(j, "time");
	for (size_t i = 0; i < t->count; i++)
		json_milli(j, NULL, t->spans[i].at);
	json_array_end(j);
	json_row(j, "weight");
	for (size_t i = 0; i < t->count; i++)
		json_milli(j, NULL, (i + 1 < t->count ? t->spans[i + 1].at : t->now) - t->spans[i].at);
	json_array_end(j);
	json_object_end(j);
}

/* A table without rows: its columns, by name, up to NULL. */
static void write_empty(struct json *j, const char *name, const char *const *columns)
{
	json_line(j, name);
	json_number(j, "length", 0);
	for (; *columns != NULL; columns++) {
		json_array(j, *columns);
		json_array_end(j);
	}
	json_object_end(j);
}

static void write_thread(struct writer *w)
{
	static const char *const markers[] = {"data", "name", "startTime", "endTime", "phase", "category", NULL},
				 *const resources[] = {"lib", "name", "host", "type", NULL},
				 *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
	struct json *j = &w->j;
	json_object(j, NULL);
	json_text(j, "name", w->input->name);
	json_bool(j, "isMainThread", true);
	json_text(j, "processType", "default");
	json_text(j, "processName", w->input->name);
	json_number(j, "processStartupTime", 0);
	json_null(j, "processShutdownTime");
	json_number(j, "registerTime", 0);
	json_null(j, "unregisterTime");
	json_row(j, "pausedRanges");
	json_array_end(j);
	json_text(j, "pid", "1");
	json_number(j, "tid", 1);
	write_firefox_functions(j, w->input->spots);
	write_firefox_stacks(w);
	write_samples(w);
	write_empty(j, "markers", markers);
	write_empty(j, "resourceTable", resources);
	write_empty(j, "nativeSymbols", symbols);
	json_object_end(j);
}

int export_firefox(const struct export_input *input, FILE *out)
{
	struct writer w = {.input = input};
	if (input->timeline == NULL)
		return EXPORT_EORDER;
	w.stack = calloc(input->result->node_count + 1, sizeof *w.stack);
	if (w.stack == NULL)
		return EXPORT_ENOMEM;
	json_open_compact(&w.j, out);
	write_meta(&w.j, input->name);
	json_array(&w.j, "threads");
	write_thread(&w);
	json_array_end(&w.j);
	free(w.stack);
	if (!json_close(&w.j))
		return EXPORT_ENOMEM;
	return ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
