/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases: the whole run, in order: its phases, its repeated paths, any window of it. */
#include "host/cmd/parse_options.h"
#include "host/cmd/phases_options.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/phases.h"
#include "host/cmd/table_options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/output.h"
#include "host/cmd/profiled.h"
#include "host/cmd/stream.h"
#include "host/cmd/twin.h"
#include "host/records/records.h"

COMMAND(125, phases, "the whole run in order: phases, repeated paths, any window of it");

/* Writes a file as a whole or not at all; never over an input. fill: returns enum STATUS_. */
static int write_whole(
    const struct phases_arguments *a, const char *path, int (*fill)(const void *what, FILE *out), const void *what)
{
	const char *const inputs[] = {a->program, a->input, a->plugin};
	struct output *output;
	char detail[1024];
	if (output_open(&output, path, OUTPUT_REPLACE, &(struct output_inputs){inputs, sizeof inputs / sizeof *inputs},
		detail, sizeof detail) != OUTPUT_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (fill(what, output_file(output)) != STATUS_OK) {
		output_abandon(output);
		return STATUS_FAILED;
	}
	if (output_commit(output, detail, sizeof detail) != OUTPUT_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int fill_file(const void *what, FILE *out)
{
	const struct phases_bytes *bytes = what;
	fwrite(bytes->bytes, 1, bytes->used, out); /* output_commit() tells whether it was taken */
	return STATUS_OK;
}

static int fill_log(const void *what, FILE *out)
{
	phases_print(what, out);
	return STATUS_OK;
}

static int fill_svg(const void *what, FILE *out)
{
	return phases_print_svg(what, out);
}

/* Opens the phases file that is the input, or that the input becomes. */
static int open_phases_file(const struct phases_arguments *a, struct phases_view *v, struct phases_bytes *out)
{
	/* what stays in memory is not worth being packed well */
	const unsigned level = a->level == 0 && a->output == NULL ? 1 : (unsigned)a->level;
	const struct phases_making how = {
	    .layers = &a->layers, .level = level, .force = a->force, .changes = a->changes};
	char detail[512];
	uint8_t start[8];
	uint32_t build;
	int status = STATUS_OK;
	FILE *file = is_stream(a->input) ? NULL : fopen(a->input, "rb");
	const bool is_file = file != NULL && phases_is(start, fread(start, 1, sizeof start, file));
	if (file != NULL)
		fclose(file);
	if (!is_file && !is_stream(a->input)) {
		complain("%s: %s", a->input,
		    file == NULL ? strerror(errno)
				 : "neither a record file nor a phases file: make one with run --records");
		return STATUS_FAILED;
	}
	if (!is_file && (status = phases_make_file(&how, v, out)) == STATUS_FAILED)
		return status;
	int error = is_file ? phases_open(&v->file, a->input, detail, sizeof detail)
			    : phases_open_memory(&v->file, out->bytes, out->used, detail, sizeof detail);
	if (error != PHASES_OK) {
		complain("%s: %s", a->input, detail);
		return STATUS_FAILED;
	}
	if (is_file)
		phases_remainder(v);
	if (is_file && image_build(v->image, &build, NULL, 0) == IMAGE_OK && phases_header(v->file)->code_crc != 0 &&
	    phases_header(v->file)->code_crc != build) {
		complain("%s: is of another build than %s%s", a->input, a->program,
		    a->force ? "; used because of --force" : "; give the program that ran, or --force");
		if (!a->force)
			return STATUS_FAILED;
		status = STATUS_NO;
	}
	struct phases_damage damage;
	phases_damage(v->file, &damage);
	if (damage.chunks > 0 || damage.bytes > 0) {
		complain("%s: damaged: %s chunks with %s instructions are lost, %s bytes are no part of it", a->input,
		    with_commas(damage.chunks), with_commas(damage.instructions), with_commas(damage.bytes));
		status = STATUS_NO;
	}
	if (damage.no_end) {
		complain("%s: has no end: it is cut off, or whoever wrote it was stopped", a->input);
		status = STATUS_NO;
	}
	if (a->output != NULL && is_file) {
		complain("%s: is a phases file already; --output takes records", a->input);
		return STATUS_FAILED;
	}
	if (a->output != NULL && write_whole(a, a->output, fill_file, out) != STATUS_OK)
		return STATUS_FAILED;
	return status;
}

/* ---------------------------------------------------------------- forms */

static int phase_of(const struct phases_view *v, const char *text, size_t length)
{
	for (uint32_t p = 0; p < v->segments.phases; p++)
		if (strlen(phases_letter(p)) == length && strncmp(phases_letter(p), text, length) == 0)
			return (int)p;
	return -1;
}

/* The two phases of --diff A,B. */
static bool parse_pair(const struct phases_view *v, const char *diff, int pair[2])
{
	const char *comma = strchr(diff, ',');
	pair[0] = comma == NULL ? -1 : phase_of(v, diff, (size_t)(comma - diff));
	pair[1] = comma == NULL ? -1 : phase_of(v, comma + 1, strlen(comma + 1));
	if (pair[0] >= 0 && pair[1] >= 0)
		return true;
	complain("--diff %s: two phases are expected, as A,B; this run has %" PRIu32 " (A to %s)", diff,
	    v->segments.phases, v->segments.phases > 0 ? phases_letter(v->segments.phases - 1) : "none");
	return false;
}

static void show_diff(const struct phases_view *v, const int pair[2], const struct phases_form *form)
{
	const uint32_t one = (uint32_t)pair[0], two = (uint32_t)pair[1];
	if (form->json != NULL) {
		json_text(form->json, "first", phases_letter(one));
		json_text(form->json, "second", phases_letter(two));
	}
	phases_put_diff(v, one, two, form);
}

/* --diff and --detector: one table. */
static int show_alone(const struct phases_arguments *a, const struct phases_view *v)
{
	struct json json;
	struct phases_form form = {.format = a->format, .out = stdout};
	int pair[2] = {0, 0};
	if (a->diff != NULL && !parse_pair(v, a->diff, pair))
		return STATUS_FAILED;
	if (a->format == TABLE_JSON) {
		form.json = &json;
		json_open(&json, stdout);
		json_number(&json, "version", 1);
		json_text(&json, "program", v->program);
		json_text(&json, "input", v->input);
		json_not_traced(&json, &v->remainder);
	} else if (table_alone(a->format))
		complain_not_traced(v->input, &v->remainder);
	else
		print_not_traced(&v->remainder, stdout);
	if (a->diff != NULL)
		show_diff(v, pair, &form);
	else {
		if (form.json != NULL)
			json_number(&json, "intervals", v->intervals.count);
		if (a->detector == DETECTORS)
			phases_put_agreement(v, &form);
		else
			phases_put_changes(v, (enum detector)a->detector, &form);
	}
	if (form.json != NULL)
		finish_json(&json);
	return STATUS_OK;
}

static int show_phases(const struct phases_arguments *a, struct phases_view *v, struct phases_clusters *clusters)
{
	if (a->expand)
		return phases_expand(v, a->window.key, a->window.from, a->window.to, a->instructions, stdout);
	if (a->has_at)
		return phases_print_place(v, a->at_key, a->at, stdout);
	if (a->plugin != NULL)
		return phases_run_plugin(v, a->plugin);
	if (a->clusters != NULL && phases_read_clusters(clusters, v, a->clusters) != STATUS_OK)
		return STATUS_FAILED;
	v->clusters = a->clusters != NULL ? clusters : NULL;
	const bool coarse = a->detector >= 0 || a->simpoint != NULL;
	int status = phases_analyse(v, coarse && a->intervals == 0 ? PHASES_COARSE : (uint32_t)a->intervals);
	if (status == STATUS_OK && a->svg != NULL)
		status = write_whole(a, a->svg, fill_svg, v);
	if (status == STATUS_OK && a->simpoint != NULL)
		status = phases_simpoint(v, a->simpoint);
	if (status == STATUS_OK && a->log != NULL)
		status = write_whole(a, a->log, fill_log, v);
	if (status != STATUS_OK)
		return status;
	if (a->diff != NULL || a->detector >= 0)
		return show_alone(a, v);
	if (a->format == TABLE_JSON)
		phases_print_json(v, stdout);
	else if (table_alone(a->format)) {
		complain_not_traced(v->input, &v->remainder);
		phases_put_phases(v, a->format, stdout, NULL);
	} else
		phases_print(v, stdout);
	return STATUS_OK;
}

int cmd_phases(int argc, char **argv)
{
	static const struct argp_child children[] = {TABLE_CHILD, {0}};
	static const struct argp argp = {NULL, phases_parse_option, "PROGRAM.elf INPUT",
	    "The whole run in order: its phases and their hot paths, any window of it, what ran when.\v"
	    "INPUT is a record file (rivulet run --records), a phases file (--output), the\n"
	    "events of a program with `rivulet insert --trace' (PROGRAM, or its twin), or\n"
	    "run[:NAME=VALUE,...]: the program on the golden model, with these words of its run configuration.\n"
	    "Exit status: 0; 1 if something of the run is missing or damaged; 2 if it cannot be shown.\n"
	    "Manual: docs/phases.md",
	    children, NULL, NULL};
	struct phases_arguments a = {.top = 3, .detector = -1, .window = {.to = UINT64_MAX}};
	struct phases_view view = {0};
	struct core core;
	struct phases_bytes out = {0};
	struct phases_clusters clusters = {0};
	char detail[1024];
	layers_config_default(&a.layers);
	parse_options(&argp, phases_options, argc, argv, 0, &a);
	view.program = a.program;
	view.input = a.input;
	view.top = a.top;
	view.wide = a.wide;
	view.levels = a.layers.levels;
	view.heat_by = a.heat;
	view.core = &core;
	int status = STATUS_FAILED;
	if (core_open(&core, a.core != NULL ? a.core : core_names[0], detail, sizeof detail) != CORE_OK)
		complain("%s", detail);
	else if (image_open(&view.image, a.program, detail, sizeof detail) != IMAGE_OK)
		complain("%s", detail);
	else {
		prefer_twin(&view.image, a.input);
		status = open_phases_file(&a, &view, &out);
	}
	if (status != STATUS_FAILED) {
		image_debug(view.image, detail, sizeof detail); /* without it there are no lines */
		phases_total(view.file, &view.total);
		if (out.used == 0 || a.output != NULL)
			view.bytes = out.used > 0 ? out.used : phases_size(view.file);
		const int shown = show_phases(&a, &view, &clusters);
		status = shown > status ? shown : status;
		status = end_output(status);
	}
	phases_view_free(&view);
	phases_clusters_free(&clusters);
	image_close(view.image);
	free(out.bytes);
	return status;
}
