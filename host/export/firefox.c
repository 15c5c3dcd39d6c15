/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The processed profile format of the Firefox Profiler (profiler.firefox.com), version 47: one sample for each span of
 * the timeline, weighted by its length. A cycle is written as a microsecond.
 *
 *   stackTable: a tree by prefix ──► frameTable ──► funcTable ──► stringArray
 */
#include <inttypes.h>
#include <stdlib.h>
#include "host/export/export.h"
#include "host/export/text.h"

struct writer {
	const struct export_input *input;
	FILE *out;
	uint32_t *stack; /* of each context: the innermost at or below it whose function is known; 0: none */
};

static uint32_t function_of(const struct export_input *input, uint32_t node)
{
	uint64_t entry = input->result->nodes[node].entry;
	const struct spot_place *place = entry == 0 ? NULL : spots_at(input->spots, entry);
	return place == NULL ? SPOT_NONE : spots_function(input->spots, place->spot);
}

/* "name":[text of each row], with count rows */
static void column(FILE *out, const char *name, const char *text, size_t count)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, i == 0 ? "%s" : ",%s", text);
	fputc(']', out);
}

static void write_meta(const struct export_input *input, FILE *out)
{
	fputs("{\"meta\":{\"interval\":0.001,\"startTime\":0,\"processType\":0,\"product\":", out);
	text_json(out, input->name);
	fputs(
	    ",\"stackwalk\":1,\"version\":28,\"preprocessedProfileVersion\":47,\"symbolicated\":true,\"importedFrom\":"
	    "\"rivulet\",\"markerSchema\":[],\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":"
	    "\"\\u00b5s\"},\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]},\n"
	    "\"libs\":[],\"pages\":[],\n",
	    out);
}

/* One function, frame and string for each spot: their indices are the spot's. */
static void write_functions(const struct export_input *input, FILE *out)
{
	size_t n = input->spots->count;
	char text[24];
	fprintf(out, "\"frameTable\":{\"length\":%zu,\"func\":[", n);
	for (size_t i = 0; i < n; i++)
		fprintf(out, i == 0 ? "%zu" : ",%zu", i);
	fputc(']', out);
	column(out, "address", "-1", n);
	column(out, "inlineDepth", "0", n);
	column(out, "category", "0", n);
	column(out, "subcategory", "0", n);
	column(out, "nativeSymbol", "null", n);
	column(out, "innerWindowID", "0", n);
	column(out, "implementation", "null", n);
	column(out, "line", "null", n);
	column(out, "column", "null", n);
	fprintf(out, "},\n\"funcTable\":{\"length\":%zu,\"name\":[", n);
	for (size_t i = 0; i < n; i++)
		fprintf(out, i == 0 ? "%zu" : ",%zu", i);
	fputc(']', out);
	column(out, "isJS", "false", n);
	column(out, "relevantForJS", "false", n);
	column(out, "resource", "-1", n);
	column(out, "fileName", "null", n);
	column(out, "lineNumber", "null", n);
	column(out, "columnNumber", "null", n);
	fputs("},\n\"stringArray\":[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i == 0 ? "\n" : ",\n", out);
		text_json(out, spots_name(input->spots, (uint32_t)i, text));
	}
	fputs("\n],\n", out);
}

/* A row for each context with a known function. Contexts are in the order of their parents, so a prefix comes first. */
static void write_stacks(struct writer *w)
{
	const struct gather_result *result = w->input->result;
	size_t rows = 0;
	for (int pass = 0; pass < 2; pass++) {
		fputs(pass == 0 ? "\"stackTable\":{\"frame\":[" : "],\"prefix\":[", w->out);
		rows = 0;
		for (size_t i = 1; i < result->node_count; i++) {
			uint32_t spot = function_of(w->input, (uint32_t)i), parent = w->stack[result->nodes[i].parent];
			w->stack[i] = parent;
			if (spot == SPOT_NONE)
				continue;
			fputs(rows == 0 ? "" : ",", w->out);
			if (pass == 0)
				fprintf(w->out, "%" PRIu32, spot);
			else if (parent == 0)
				fputs("null", w->out);
			else
				fprintf(w->out, "%" PRIu32, parent - 1);
			w->stack[i] = (uint32_t)++rows; /* its row, plus 1 */
		}
	}
	fputc(']', w->out);
	column(w->out, "category", "0", rows);
	column(w->out, "subcategory", "0", rows);
	fprintf(w->out, ",\"length\":%zu},\n", rows);
}

static void write_samples(struct writer *w)
{
	const struct timeline *t = w->input->timeline;
	fprintf(w->out, "\"samples\":{\"length\":%zu,\"weightType\":\"tracing-ms\",\"stack\":[", t->count);
	for (size_t i = 0; i < t->count; i++) {
		uint32_t row = w->stack[t->spans[i].node];
		fputs(i == 0 ? "" : ",", w->out);
		if (row == 0)
			fputs("null", w->out);
		else
			fprintf(w->out, "%" PRIu32, row - 1);
	}
	fputs("],\"time\":[", w->out);
	for (size_t i = 0; i < t->count; i++)
		fprintf(w->out, "%s%" PRIu64 ".%03u", i == 0 ? "" : ",", t->spans[i].at / 1000,
		    (unsigned)(t->spans[i].at % 1000));
	fputs("],\"weight\":[", w->out);
	for (size_t i = 0; i < t->count; i++) {
		uint64_t length = (i + 1 < t->count ? t->spans[i + 1].at : t->now) - t->spans[i].at;
		fprintf(w->out, "%s%" PRIu64 ".%03u", i == 0 ? "" : ",", length / 1000, (unsigned)(length % 1000));
	}
	fputs("]},\n", w->out);
}

int export_firefox(const struct export_input *input, FILE *out)
{
	struct writer w = {.input = input, .out = out};
	if (input->timeline == NULL)
		return EXPORT_EORDER;
	w.stack = calloc(input->result->node_count + 1, sizeof *w.stack);
	if (w.stack == NULL)
		return EXPORT_ENOMEM;
	write_meta(input, out);
	fputs("\"threads\":[{\"name\":", out);
	text_json(out, input->name);
	fputs(",\"isMainThread\":true,\"processType\":\"default\",\"processName\":", out);
	text_json(out, input->name);
	fputs(",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
	      "\"pausedRanges\":[],\"pid\":\"1\",\"tid\":1,\n",
	    out);
	write_functions(input, out);
	write_stacks(&w);
	write_samples(&w);
	fputs("\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],"
	      "\"category\":[]},\n"
	      "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\n"
	      "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]}}]}\n",
	    out);
	free(w.stack);
	return ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
