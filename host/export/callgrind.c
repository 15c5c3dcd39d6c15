/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Callgrind's profile format, for callgrind_annotate and KCachegrind: costs by instruction and line, under the function
 * of the program that the code stands in. Lines of functions inlined into it are named with their own file (fi=, fe=).
 * The format has no notion of an inlined function; speedscope, pprof and folded stacks do.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/export/edges.h"
#include "host/base/order.h"

struct writer {
	const struct export_input *input;
	struct edges edges;
	const char **files; /* sorted, each once; the number is the place + 1 */
	size_t file_count;
	uint8_t *file_said, *function_said;
	FILE *out;
};

static const char *callgrind_file_of(const char *file)
{
	return file == NULL ? "???" : file;
}

static int compare_files(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

static int make_files(struct writer *w)
{
	const struct spots *spots = w->input->spots;
	size_t used = 0, done = 0;
	w->files = calloc(spots->place_count + spots->count + 1, sizeof *w->files);
	w->function_said = calloc(spots->count + 1, 1);
	if (w->files == NULL || w->function_said == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < spots->place_count; i++) {
		if (i == 0 || spots->places[i].file != spots->places[i - 1].file)
			w->files[used++] = callgrind_file_of(spots->places[i].file);
	}
	for (size_t i = 0; i < spots->count; i++)
		w->files[used++] = callgrind_file_of(spots->all[i].file);
	qsort(w->files, used, sizeof *w->files, compare_files);
	for (size_t i = 0; i < used; i++) {
		if (done == 0 || strcmp(w->files[done - 1], w->files[i]) != 0)
			w->files[done++] = w->files[i];
	}
	w->file_count = done;
	w->file_said = calloc(done + 1, 1);
	return w->file_said == NULL ? EXPORT_ENOMEM : EXPORT_OK;
}

static void say_file(struct writer *w, const char *key, const char *file)
{
	file = callgrind_file_of(file);
	const char *const *found = bsearch(&file, w->files, w->file_count, sizeof *w->files, compare_files);
	size_t index = found == NULL ? 0 : (size_t)(found - w->files);
	fprintf(w->out, "%s=(%zu)", key, index + 1);
	if (w->file_said[index] == 0)
		fprintf(w->out, " %s", file);
	w->file_said[index] = 1;
	fputc('\n', w->out);
}

static void say_function(struct writer *w, const char *key, uint32_t spot)
{
	char text[SPOTS_NAME];
	fprintf(w->out, "%s=(%" PRIu32 ")", key, spot + 1);
	if (w->function_said[spot] == 0)
		fprintf(w->out, " %s", spots_name(w->input->spots, spot, text));
	w->function_said[spot] = 1;
	fputc('\n', w->out);
}

static void say_cost(struct writer *w, const struct spot_place *place, uint64_t count, uint64_t cycles)
{
	fprintf(w->out, "0x%" PRIx64 " %u %" PRIu64, place->pc, place->line, count);
	if (w->input->timed)
		fprintf(w->out, " %" PRIu64, cycles);
	fputc('\n', w->out);
}

static void say_calls(struct writer *w, const struct spot_place *place)
{
	const struct spots *spots = w->input->spots;
	for (size_t i = edges_first(&w->edges, place->pc); i < w->edges.count && w->edges.all[i].site == place->pc;
	     i++) {
		const struct edge *edge = &w->edges.all[i];
		const struct spot_place *target = spots_at(spots, edge->target);
		if (target == NULL || (edge->calls == 0 && edge->count == 0 && edge->cycles == 0))
			continue;
		uint32_t function = spots_function(spots, target->spot);
		say_file(w, "cfi", spots->all[function].file);
		say_function(w, "cfn", function);
		fprintf(w->out, "calls=%" PRIu64 " 0x%" PRIx64 " %u\n", edge->calls, target->pc, target->line);
		say_cost(w, place, edge->count, edge->cycles);
	}
}

/* Places that ran, function by function, by address in each. */
struct ran {
	uint32_t function;
	const struct spot_place *place;
	const struct gather_code *code;
};

static int compare_ran(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;
	return order_then(ORDER_UP(x->function, y->function), ORDER_UP(x->place->pc, y->place->pc));
}

static int write_callgrind_functions(struct writer *w)
{
	const struct gather_result *result = w->input->result;
	const struct spots *spots = w->input->spots;
	struct ran *ran = calloc(result->code_count + 1, sizeof *ran);
	size_t count = 0;
	if (ran == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < result->code_count; i++) {
		const struct spot_place *place = spots_at(spots, result->code[i].pc);
		if (place != NULL)
			ran[count++] = (struct ran){spots_function(spots, place->spot), place, &result->code[i]};
	}
	qsort(ran, count, sizeof *ran, compare_ran);
	const char *file = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct spot *function = &spots->all[ran[i].function];
		if (i == 0 || ran[i].function != ran[i - 1].function) {
			fputc('\n', w->out);
			say_file(w, "fl", function->file);
			say_function(w, "fn", ran[i].function);
			file = callgrind_file_of(function->file);
		}
		const char *here = callgrind_file_of(ran[i].place->file);
		if (strcmp(here, file) != 0)
			say_file(w, strcmp(here, callgrind_file_of(function->file)) == 0 ? "fe" : "fi", here);
		file = here;
		say_cost(w, ran[i].place, ran[i].code->count, ran[i].code->cycles);
		say_calls(w, ran[i].place);
	}
	free(ran);
	return EXPORT_OK;
}

int export_callgrind(const struct export_input *input, FILE *out)
{
	struct writer w = {.input = input, .out = out};
	const struct remainder none = {0}, left = input->remainder == NULL ? none : *input->remainder;
	int error = make_files(&w);
	if (error == EXPORT_OK)
		error = edges_make(&w.edges, input);
	if (error == EXPORT_OK) {
		fprintf(out, "# callgrind format\nversion: 1\ncreator: rivulet\ncmd: %s\n", input->program);
		fprintf(out, "desc: Trigger: %s\n", export_extent(input, "sampled traces, times the period"));
		fprintf(out, "desc: Calls: %s\n\n",
		    w.edges.estimated ? "costs are shared out by counts" : "costs are exact");
		fprintf(out, "positions: instr line\nevents: Ir%s\n", input->timed ? " Cycles" : "");
		fprintf(out, "summary: %" PRIu64, input->result->count + left.left_insns);
		if (input->timed)
			fprintf(out, " %" PRIu64, input->result->cycles + left.left_cycles);
		fprintf(out, "\n\nob=(1) %s\n", input->program);
		error = write_callgrind_functions(&w);
		if (left.left_insns > 0 || left.left_cycles > 0) {
			fprintf(out, "\nfl=(%zu) ???\nfn=(%zu) " REMAINDER_FRAME "\n0x0 0 %" PRIu64, w.file_count + 1,
			    input->spots->count + 1, left.left_insns);
			if (input->timed)
				fprintf(out, " %" PRIu64, left.left_cycles);
			fputc('\n', out);
		}
		fprintf(out, "\ntotals: %" PRIu64, input->result->count + left.left_insns);
		if (input->timed)
			fprintf(out, " %" PRIu64, input->result->cycles + left.left_cycles);
		fputc('\n', out);
	}
	edges_free(&w.edges);
	free(w.files);
	free(w.file_said);
	free(w.function_said);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
