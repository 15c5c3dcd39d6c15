/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The run over time: its phases as bands, its hottest sequence paths as rows. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/json.h"
#include "host/view/private.h"

struct band {
	char name[PHASE_NAME_MAX];
	const char *text; /* name */
	uint64_t begin, end;
};

struct row {
	uint32_t function, blocks;
	uint64_t instructions, trips, value;
};

static uint64_t time_of(const struct view *view, const struct phases_place *place)
{
	return place->at[view->timed ? PHASES_CYCLE : PHASES_INSTRUCTION];
}

uint64_t view_interval_begin(const struct view *view, uint32_t interval)
{
	const struct view_phases *phases = view->input->phases;
	return time_of(
	    view, interval < phases->intervals->count ? &phases->intervals->interval[interval].place : phases->total);
}

/* Where a segment begins; behind the last one: where the run ends. */
static uint64_t segment_begin(const struct view *view, uint32_t segment)
{
	const struct view_phases *phases = view->input->phases;
	return view_interval_begin(view,
	    segment < phases->segments->count ? phases->segments->segment[segment].first : phases->intervals->count);
}

static int write_bands(struct view *view)
{
	const struct segments *segments = view->input->phases->segments;
	struct band *bands = calloc((size_t)segments->count + 1, sizeof *bands);
	if (bands == NULL)
		return VIEW_ENOMEM;
	for (uint32_t i = 0; i < segments->count; i++) {
		const struct segment *segment = &segments->segment[i];
		bands[i].begin = view_interval_begin(view, segment->first);
		bands[i].end = view_interval_begin(view, segment->first + segment->count);
		phase_name(segment->phase, bands[i].name);
		bands[i].text = bands[i].name;
	}
	view_table(view, "phases");
	COLUMN(view, "name", bands, segments->count, text, VIEW_TEXT);
	COLUMN(view, "begin", bands, segments->count, begin, VIEW_U64);
	COLUMN(view, "end", bands, segments->count, end, VIEW_U64);
	view_table_end(view);
	free(bands);
	return VIEW_OK;
}

struct kind {
	char name[PHASE_NAME_MAX];
	const char *text; /* name */
	uint64_t instructions, cycles;
	uint32_t segments, alike; /* alike: per thousand */
};

/* The phases themselves, with how homogeneous each one is; and their order as nested repetitions. */
static int write_kinds(struct view *view)
{
	const struct segments *segments = view->input->phases->segments;
	struct kind *kinds = calloc((size_t)segments->phases + 1, sizeof *kinds);
	if (kinds == NULL)
		return VIEW_ENOMEM;
	for (uint32_t p = 0; p < segments->phases; p++) {
		const struct phase *phase = &segments->phase[p];
		kinds[p] = (struct kind){.instructions = phase->instructions,
		    .cycles = phase->cycles,
		    .segments = phase->segments,
		    .alike = (uint32_t)(1000 * (1 - phase->apart) + 0.5)};
		phase_name(p, kinds[p].name);
		kinds[p].text = kinds[p].name;
	}
	view_table(view, "phase_kinds");
	COLUMN(view, "name", kinds, segments->phases, text, VIEW_TEXT);
	COLUMN(view, "instructions", kinds, segments->phases, instructions, VIEW_U64);
	COLUMN(view, "cycles", kinds, segments->phases, cycles, VIEW_U64);
	COLUMN(view, "segments", kinds, segments->phases, segments, VIEW_U32);
	COLUMN(view, "alike", kinds, segments->phases, alike, VIEW_U32);
	view_table_end(view);
	free(kinds);
	return VIEW_OK;
}

static int write_order(struct view *view)
{
	const struct phase_grammar *grammar = view->input->phases->grammar;
	if (grammar == NULL || grammar->count == 0)
		return VIEW_OK;
	const size_t room = phase_grammar_text(grammar, NULL, 0) + 1;
	char *text = malloc(room);
	if (text == NULL)
		return VIEW_ENOMEM;
	phase_grammar_text(grammar, text, room);
	view_member(view, "phase_order");
	json_quoted(text, view->out);
	free(text);
	return VIEW_OK;
}

struct mark_row {
	const char *kind;
	uint64_t at, value;
};

struct layer_run {
	const char *text;
	uint32_t layer, trips;
	uint64_t begin, end;
};

/* Each run of each repetition: the layers of the grammar over time. */
static int write_layers(struct view *view)
{
	const struct view_phases *phases = view->input->phases;
	const struct phase_repetitions *all = phases->repetitions;
	if (all == NULL || all->runs == 0)
		return VIEW_OK;
	char **texts = calloc((size_t)all->count + 1, sizeof *texts);
	struct layer_run *rows = calloc((size_t)all->runs + 1, sizeof *rows);
	bool ok = texts != NULL && rows != NULL;
	for (uint32_t i = 0; ok && i < all->count; i++) {
		const size_t room = phase_grammar_text(&all->repetition[i].part, NULL, 0) + 1;
		ok = (texts[i] = malloc(room)) != NULL;
		if (ok)
			phase_grammar_text(&all->repetition[i].part, texts[i], room);
	}
	for (uint32_t r = 0; ok && r < all->runs; r++) {
		const struct phase_run *run = &all->run[r];
		rows[r] = (struct layer_run){.text = texts[run->repetition],
		    .layer = all->repetition[run->repetition].layer,
		    .trips = all->repetition[run->repetition].trips,
		    .begin = segment_begin(view, run->first),
		    .end = segment_begin(view, run->behind)};
	}
	if (ok) {
		view_table(view, "phase_layers");
		COLUMN(view, "layer", rows, all->runs, layer, VIEW_U32);
		COLUMN(view, "repetition", rows, all->runs, text, VIEW_TEXT);
		COLUMN(view, "trips", rows, all->runs, trips, VIEW_U32);
		COLUMN(view, "begin", rows, all->runs, begin, VIEW_U64);
		COLUMN(view, "end", rows, all->runs, end, VIEW_U64);
		view_table_end(view);
	}
	for (uint32_t i = 0; texts != NULL && i < all->count; i++)
		free(texts[i]);
	free(texts);
	free(rows);
	return ok ? VIEW_OK : VIEW_ENOMEM;
}

/* Gaps, changes that the sorted table saw, changes that the firmware saw. */
static int write_marks(struct view *view)
{
	static const char *const kinds[PHASES_MARK_KINDS] = {"gap", "change", "firmware"};
	const struct phases_mark *marks;
	size_t count;
	if (phases_marks(view->input->phases->file, &marks, &count) != PHASES_OK || count == 0)
		return VIEW_OK;
	struct mark_row *rows = calloc(count, sizeof *rows);
	if (rows == NULL)
		return VIEW_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const uint64_t at = marks[i].instruction;
		rows[i] = (struct mark_row){.kind = kinds[marks[i].kind],
		    .at = view->timed ? phases_cycle_of(view->input->phases->file, at) : at,
		    .value = marks[i].value};
	}
	view_table(view, "marks");
	COLUMN(view, "kind", rows, count, kind, VIEW_TEXT);
	COLUMN(view, "at", rows, count, at, VIEW_U64);
	COLUMN(view, "value", rows, count, value, VIEW_U64);
	view_table_end(view);
	free(rows);
	return VIEW_OK;
}

/* Per thousand of each interval's instructions, one list a row. */
static void write_heat(struct view *view, const uint64_t *over, uint32_t rows)
{
	const struct intervals *intervals = view->input->phases->intervals;
	view_member(view, "heat");
	fputc('[', view->out);
	for (uint32_t r = 0; r < rows; r++) {
		fputs(r > 0 ? ",[" : "[", view->out);
		for (uint32_t i = 0; i < intervals->count; i++) {
			const uint64_t all = intervals->interval[i].instructions;
			const uint64_t own = over[(size_t)r * intervals->count + i];
			uint64_t share;
			if (all == 0)
				share = 0;
			else if (own >= all)
				share = 1000;
			else
				share = (uint64_t)(1000.0 * (double)own / (double)all + 0.5);
			fprintf(view->out, i > 0 ? ",%" PRIu64 : "%" PRIu64, share);
		}
		fputc(']', view->out);
	}
	fputc(']', view->out);
}

static int write_intervals(struct view *view)
{
	const uint32_t count = view->input->phases->intervals->count;
	uint64_t *begin = calloc((size_t)count + 1, sizeof *begin);
	if (begin == NULL)
		return VIEW_ENOMEM;
	for (uint32_t i = 0; i <= count; i++)
		begin[i] = view_interval_begin(view, i);
	view_table(view, "intervals");
	view_column(view, "begin", begin, count, sizeof *begin, VIEW_U64);
	view_column(view, "end", begin + 1, count, sizeof *begin, VIEW_U64);
	view_table_end(view);
	free(begin);
	return VIEW_OK;
}

static int write_phase_rows(struct view *view, const uint32_t *order, uint32_t rows)
{
	const struct view_phases *phases = view->input->phases;
	uint64_t *over = heat_over_time(phases->heat, phases->file, phases->intervals, order, rows);
	struct row *row = calloc((size_t)rows + 1, sizeof *row);
	const bool ok = over != NULL && row != NULL;
	for (uint32_t r = 0; ok && r < rows; r++) {
		struct heat_path path;
		heat_path(phases->heat, order[r], &path);
		row[r] = (struct row){
		    .function = view_function_at(view, phases_block(phases->file, path.blocks[0])->address),
		    .blocks = path.count,
		    .instructions = path.instructions,
		    .trips = heat_trips(phases->heat, order[r], phases->heat->phases),
		    .value = heat_value(phases->heat, order[r], phases->heat->phases)};
	}
	if (ok) {
		view_table(view, "sequence_paths");
		COLUMN(view, "function", row, rows, function, VIEW_U32);
		COLUMN(view, "blocks", row, rows, blocks, VIEW_U32);
		COLUMN(view, "instructions", row, rows, instructions, VIEW_U64);
		COLUMN(view, "trips", row, rows, trips, VIEW_U64);
		COLUMN(view, "value", row, rows, value, VIEW_U64);
		write_heat(view, over, rows);
		view_table_end(view);
	}
	free(over);
	free(row);
	return ok ? VIEW_OK : VIEW_ENOMEM;
}

int view_write_phases(struct view *view)
{
	const struct view_phases *phases = view->input->phases;
	uint32_t count = 0;
	uint32_t *order = heat_order(phases->heat, phases->heat->phases, &count);
	int error = write_bands(view);
	if (error == VIEW_OK)
		error = write_kinds(view);
	if (error == VIEW_OK)
		error = write_order(view);
	if (error == VIEW_OK)
		error = write_layers(view);
	if (error == VIEW_OK)
		error = write_marks(view);
	if (error == VIEW_OK)
		error = write_intervals(view);
	if (error == VIEW_OK)
		error = view_write_cells(view);
	if (error == VIEW_OK && order != NULL)
		error = write_phase_rows(view, order, count < VIEW_PHASE_PATHS ? count : VIEW_PHASE_PATHS);
	free(order);
	return error;
}
