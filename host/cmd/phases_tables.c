/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases: phases, layers, clusters, segments, changes that a detector sees, and what two phases have of each
 * function, each as a table in any format. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"

struct table_cell phases_cycles(const struct phases_view *v, uint64_t cycles)
{
	return v->total.at[PHASES_CYCLE] == 0 ? table_shown(table_unknown(), "-") : table_number(cycles);
}

void phases_json_cycle(struct json *j, const struct phases_view *v, const char *name, uint64_t cycle)
{
	if (v->total.at[PHASES_CYCLE] == 0)
		json_null(j, name);
	else
		json_number(j, name, cycle);
}

void phases_json_place(struct json *j, const struct phases_view *v, const char *name, const struct phases_place *p)
{
	json_line(j, name);
	for (unsigned k = 0; k < PHASES_KEYS; k++) {
		if (k == PHASES_CYCLE)
			phases_json_cycle(j, v, phases_key_name(k), p->at[k]);
		else
			json_number(j, phases_key_name(k), p->at[k]);
	}
	json_object_end(j);
}

static double share_of_run(const struct phases_view *v, uint64_t instructions)
{
	return share_of(instructions, v->total.at[PHASES_INSTRUCTION]);
}

/* ---- phases ---- */

/* The hottest functions of a phase with their shares, as much as fits. */
static void functions_text(const struct phases_view *v, uint32_t phase, struct line *line)
{
	size_t count;
	struct phases_function *f = phases_functions(v, phase, &count);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += f[i].instructions;
	for (size_t i = 0; i < count && i < 4; i++) {
		if (i == 0 || percent_of(f[i].instructions, sum) >= 5)
			line_add(line, "%s%s %.0f%%", i > 0 ? ", " : "", f[i].name, percent_of(f[i].instructions, sum));
	}
	free(f);
}

/* What JSON alone has of a phase: its functions, and its hot paths. */
static void json_phase(struct json *j, const struct phases_view *v, uint32_t phase)
{
	size_t functions;
	uint32_t paths;
	struct phases_function *f = phases_functions(v, phase, &functions);
	uint32_t *order = heat_order(&v->heat, phase, &paths);
	json_array(j, "functions");
	for (size_t i = 0; i < functions; i++) {
		json_line(j, NULL);
		json_text(j, "name", f[i].name);
		json_number(j, "instructions", f[i].instructions);
		json_object_end(j);
	}
	json_array_end(j);
	json_array(j, "paths");
	for (uint32_t i = 0; i < paths && (v->top == 0 || i < v->top); i++) {
		struct heat_path what;
		heat_path(&v->heat, order[i], &what);
		json_object(j, NULL);
		json_number(j, "path", order[i]);
		json_number(j, "trips", heat_trips(&v->heat, order[i], phase));
		json_number(j, "instructions", what.instructions);
		json_number(j, "heat", what.heat);
		json_array(j, "blocks");
		for (uint32_t b = 0; b < what.count; b++)
			json_hex(j, NULL, phases_block(v->file, what.blocks[b])->address, 8);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
	free(f);
	free(order);
}

enum {
	PHASE_LETTER,
	PHASE_SHARE,
	PHASE_INSTRUCTIONS,
	PHASE_CYCLES,
	PHASE_SEGMENTS,
	PHASE_ALIKE,
	PHASE_FUNCTIONS,
	PHASE_COLUMNS
};

static const struct table_column phase_columns[PHASE_COLUMNS] = {
    [PHASE_LETTER] = {.title = "phase", .key = "name", .form = TABLE_WORDS, .gap = "  ", .width = -5},
    [PHASE_SHARE] = {.title = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [PHASE_INSTRUCTIONS] = {.title = "instructions", .key = "instructions", .form = TABLE_COUNT, .width = 14},
    [PHASE_CYCLES] = {.title = "cycles", .key = "cycles", .form = TABLE_COUNT, .width = 14},
    [PHASE_SEGMENTS] = {.title = "segments", .key = "segments", .form = TABLE_PLAIN, .gap = "  ", .width = 8},
    [PHASE_ALIKE] = {.title = "alike", .key = "alike", .form = TABLE_SHARE, .gap = "  ", .width = 5},
    [PHASE_FUNCTIONS] = {.title = "functions", .key = "functions", .csv_only = true, .form = TABLE_WORDS, .gap = "  "},
};

void phases_put_phases(const struct phases_view *v, enum table_format format, FILE *out, struct json *json)
{
	const struct table table = {.columns = phase_columns,
	    .count = PHASE_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "phases",
	    .tall = true,
	    .width = v->wide ? LINE_WIDEST : line_width()};
	table_begin(&table);
	for (uint32_t p = 0; p < v->segments.phases; p++) {
		const struct phase *phase = &v->segments.phase[p];
		struct line line = {.width = table_room(&table)};
		functions_text(v, p, &line);
		const struct table_cell cells[PHASE_COLUMNS] = {[PHASE_LETTER] = table_words(phases_letter(p)),
		    [PHASE_SHARE] = table_real(share_of_run(v, phase->instructions)),
		    [PHASE_INSTRUCTIONS] = table_number(phase->instructions),
		    [PHASE_CYCLES] = phases_cycles(v, phase->cycles),
		    [PHASE_SEGMENTS] = table_number(phase->segments),
		    [PHASE_ALIKE] = table_real(floor(1000 * (1 - phase->apart) + 0.5) / 1000),
		    [PHASE_FUNCTIONS] = table_words(line.text)};
		table_row_open(&table, cells);
		if (format == TABLE_JSON)
			json_phase(json, v, p);
		table_row_end(&table);
	}
	table_end(&table);
}

/* ---- layers ---- */

enum { LAYER_NAME, LAYER_RUNS, LAYER_TRIPS, LAYER_SHARE, LAYER_INSNS, LAYER_REPETITION, LAYER_COLUMNS };

static const struct table_column layer_columns[LAYER_COLUMNS] = {
    [LAYER_NAME] = {"layer", "layer", .form = TABLE_WORDS, .gap = "  ", .width = -17},
    [LAYER_RUNS] = {"runs", "runs", .form = TABLE_PLAIN, .width = 6},
    [LAYER_TRIPS] = {"trips", "trips", .form = TABLE_PLAIN, .width = 6},
    [LAYER_SHARE] = {"share", .form = TABLE_SHARE, .gap = "  ", .width = 7, .decimals = 2},
    [LAYER_INSNS] = {.key = "instructions", .form = TABLE_PLAIN},
    [LAYER_REPETITION] = {"repetition", "repetition", .form = TABLE_WORDS, .gap = "  "},
};

/* Where it runs, in instructions: JSON alone. */
static void put_layer_runs(struct json *json, const struct phases_view *v, uint32_t repetition)
{
	const struct phase_repetitions *all = &v->repetitions;
	json_array(json, "at");
	for (uint32_t r = 0; r < all->runs; r++)
		if (all->run[r].repetition == repetition) {
			json_row(json, NULL);
			json_number(json, NULL, phases_segment_begin(v, all->run[r].first));
			json_number(json, NULL, phases_segment_begin(v, all->run[r].behind));
			json_array_end(json);
		}
	json_array_end(json);
}

void phases_put_layers(const struct phases_view *v, enum table_format format, FILE *out, struct json *json)
{
	const struct phase_repetitions *all = &v->repetitions;
	const uint32_t shown = phases_layers_shown(v);
	const struct table table = {.columns = layer_columns,
	    .count = LAYER_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "layers",
	    .tall = true,
	    .width = v->wide ? LINE_WIDEST : line_width()};
	table_begin(&table);
	for (uint32_t i = 0; i < all->count && all->repetition[i].layer <= shown; i++) {
		const struct phase_repetition *one = &all->repetition[i];
		char name[PHASE_LAYER_NAME_MAX], *text = phases_repetition_text(one);
		struct line line = {.width = table_room(&table)};
		phase_layer_name(one->layer, name);
		line_add(&line, "%s", text != NULL ? text : "");
		const struct table_cell cells[LAYER_COLUMNS] = {[LAYER_NAME] = table_words(name),
		    [LAYER_RUNS] = table_number(one->runs),
		    [LAYER_TRIPS] = table_number(one->trips),
		    [LAYER_SHARE] = table_real(share_of_run(v, one->instructions)),
		    [LAYER_INSNS] = table_number(one->instructions),
		    [LAYER_REPETITION] = table_shown(table_words(text), line.text)};
		table_row_open(&table, cells);
		if (format == TABLE_JSON)
			put_layer_runs(json, v, i);
		table_row_end(&table);
		free(text);
	}
	table_end(&table);
}

/* ---- clusters ---- */

/* Weights that are not what the clusters have of the run are of another run, or of intervals that SimPoint cut. */
#define WEIGHT_APART 0.005

enum {
	CLUSTER_PHASE,
	CLUSTER_NUMBER,
	CLUSTER_INTERVAL,
	CLUSTER_FROM,
	CLUSTER_WEIGHT,
	CLUSTER_SHARE,
	CLUSTER_REMARK,
	CLUSTER_COLUMNS
};

static const struct table_column cluster_columns[CLUSTER_COLUMNS] = {
    [CLUSTER_PHASE] = {"phase", "phase", .form = TABLE_WORDS, .gap = "  ", .width = -5},
    [CLUSTER_NUMBER] = {"cluster", "cluster", .form = TABLE_PLAIN, .width = 8},
    [CLUSTER_INTERVAL] = {"interval", "interval", .form = TABLE_PLAIN, .width = 9},
    [CLUSTER_FROM] = {"from instruction", "instruction", .form = TABLE_COUNT, .width = 18},
    [CLUSTER_WEIGHT] = {"weight", "weight", .form = TABLE_SHARE, .width = 9, .decimals = 4},
    [CLUSTER_SHARE] = {"share", "share", .form = TABLE_SHARE, .width = 9, .decimals = 4},
    [CLUSTER_REMARK] = {"remark", .form = TABLE_WORDS, .gap = "  "},
};

/* "": there is nothing to say. */
static const char *cluster_remark(const struct phases_view *v, uint32_t phase)
{
	const struct phases_cluster *one = &v->clusters->cluster[phase];
	if (one->interval >= v->intervals.count)
		return "no interval stands for it";
	if (one->weight < 0)
		return "its interval has no weight";
	const double share = share_of_run(v, v->segments.phase[phase].instructions);
	return fabs(one->weight - share) > WEIGHT_APART ? "the weight is not its share" : "";
}

void phases_put_clusters(const struct phases_view *v, enum table_format format, FILE *out, struct json *json)
{
	const struct phases_clusters *c = v->clusters;
	const uint32_t count = c->count < v->segments.phases ? c->count : v->segments.phases;
	struct table table = {.columns = cluster_columns,
	    .count = CLUSTER_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "clusters",
	    .hidden = TABLE_BIT(CLUSTER_REMARK)};
	for (uint32_t p = 0; p < count; p++)
		if (*cluster_remark(v, p) != '\0')
			table.hidden = 0;
	table_begin(&table);
	for (uint32_t p = 0; p < count; p++) {
		const struct phases_cluster *one = &c->cluster[p];
		struct table_cell cells[CLUSTER_COLUMNS] = {[CLUSTER_PHASE] = table_words(phases_letter(p)),
		    [CLUSTER_NUMBER] = table_number(one->number),
		    [CLUSTER_SHARE] = table_real(share_of_run(v, v->segments.phase[p].instructions)),
		    [CLUSTER_REMARK] = table_words(cluster_remark(v, p))};
		if (one->interval < v->intervals.count) {
			const struct phases_place *place = &v->intervals.interval[one->interval].place;
			cells[CLUSTER_INTERVAL] = table_number(one->interval);
			cells[CLUSTER_FROM] = table_number(place->at[PHASES_INSTRUCTION]);
		}
		if (one->weight >= 0)
			cells[CLUSTER_WEIGHT] = table_real(one->weight);
		table_row(&table, cells);
	}
	table_end(&table);
}

/* ---- segments ---- */

enum { SEGMENT_PHASE, SEGMENT_FROM, SEGMENT_CYCLE, SEGMENT_SHARE, SEGMENT_COLUMNS };

static const struct table_column segment_columns[SEGMENT_COLUMNS] = {
    [SEGMENT_PHASE] = {"segment", "phase", .form = TABLE_WORDS, .gap = "  ", .width = -7},
    [SEGMENT_FROM] = {"from instruction", .form = TABLE_COUNT, .width = 17},
    [SEGMENT_CYCLE] = {"from cycle", .form = TABLE_COUNT, .width = 15},
    [SEGMENT_SHARE] = {"share", .form = TABLE_SHARE, .gap = "  ", .width = 7, .decimals = 2},
};

void phases_put_segments(
    const struct phases_view *v, enum table_format format, uint32_t shown, FILE *out, struct json *json)
{
	const struct table table = {.columns = segment_columns,
	    .count = SEGMENT_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "segments",
	    .tall = true};
	table_begin(&table);
	for (uint32_t s = 0; s < shown; s++) {
		const struct segment *segment = &v->segments.segment[s];
		const struct phases_place *from = &v->intervals.interval[segment->first].place;
		const uint64_t begin = from->at[PHASES_INSTRUCTION], end = phases_segment_begin(v, s + 1);
		const struct table_cell cells[SEGMENT_COLUMNS] = {
		    [SEGMENT_PHASE] = table_words(phases_letter(segment->phase)),
		    [SEGMENT_FROM] = table_number(begin),
		    [SEGMENT_CYCLE] = phases_cycles(v, from->at[PHASES_CYCLE]),
		    [SEGMENT_SHARE] = table_real(share_of_run(v, end - begin))};
		table_row_open(&table, cells);
		if (format == TABLE_JSON)
			phases_json_place(json, v, "from", from);
		table_row_end(&table);
	}
	table_end(&table);
}

/* ---- what a detector sees ---- */

enum { CHANGE_FROM, CHANGE_CYCLE, CHANGE_FUNCTION, CHANGE_COLUMNS };

static const struct table_column change_columns[CHANGE_COLUMNS] = {
    [CHANGE_FROM] = {"from instruction", "instruction", .form = TABLE_COUNT, .gap = "  ", .width = 16},
    [CHANGE_CYCLE] = {"from cycle", "cycle", .form = TABLE_COUNT, .width = 15},
    [CHANGE_FUNCTION] = {"function", "function", .form = TABLE_WORDS, .gap = "  "},
};

void phases_put_changes(const struct phases_view *v, enum detector detector, const struct phases_form *form)
{
	uint32_t changes = 0;
	const struct table table = {.columns = change_columns,
	    .count = CHANGE_COLUMNS,
	    .format = form->format,
	    .out = form->out,
	    .json = form->json,
	    .name = "changes"};
	table_begin(&table);
	for (uint32_t i = 1; i < v->intervals.count; i++) {
		const struct interval *b = &v->intervals.interval[i];
		if (!detector_change(&v->intervals, i, detector, &v->limits))
			continue;
		changes++;
		const struct table_cell cells[CHANGE_COLUMNS] = {
		    [CHANGE_FROM] = table_number(b->place.at[PHASES_INSTRUCTION]),
		    [CHANGE_CYCLE] = phases_cycles(v, b->place.at[PHASES_CYCLE]),
		    [CHANGE_FUNCTION] = table_words(phases_function_at(v, b->function))};
		table_row(&table, cells);
	}
	table_end(&table);
	if (form->format == TABLE_TEXT)
		fprintf(form->out, "%s changes by detector %s in %s intervals of %s instructions\n",
		    with_commas(changes), detector_name(detector), with_commas(v->intervals.count),
		    with_commas(v->intervals.size));
}

void phases_put_agreement(const struct phases_view *v, const struct phases_form *form)
{
	struct table_column columns[2 + DETECTORS] = {
	    {"detector", "detector", .form = TABLE_WORDS, .gap = "  ", .width = -12},
	    {"changes", "changes", .form = TABLE_PLAIN, .width = 8}};
	for (unsigned d = 0; d < DETECTORS; d++)
		columns[2 + d] = (struct table_column){detector_name((enum detector)d), detector_name((enum detector)d),
		    .form = TABLE_SHARE, .width = 11, .decimals = 1};
	const struct table table = {.columns = columns,
	    .count = 2 + DETECTORS,
	    .format = form->format,
	    .out = form->out,
	    .json = form->json,
	    .name = "agreement"};
	if (form->format == TABLE_TEXT)
		fprintf(
		    form->out, "Changes of the row beside which (one interval at most) the column sees one too:\n\n");
	table_begin(&table);
	for (unsigned a = 0; a < DETECTORS; a++) {
		uint32_t changes = 0;
		for (uint32_t i = 1; i < v->intervals.count; i++)
			changes += detector_change(&v->intervals, i, (enum detector)a, &v->limits);
		struct table_cell cells[2 + DETECTORS] = {
		    table_words(detector_name((enum detector)a)), table_number(changes)};
		for (unsigned b = 0; b < DETECTORS; b++) {
			const double agree =
			    detector_agreement(&v->intervals, (enum detector)a, (enum detector)b, &v->limits, 1);
			cells[2 + b] = agree < 0 ? table_shown(table_unknown(), "-") : table_real(agree);
		}
		table_row(&table, cells);
	}
	table_end(&table);
	if (form->format == TABLE_TEXT)
		fprintf(form->out, "%s intervals of %s instructions\n", with_commas(v->intervals.count),
		    with_commas(v->intervals.size));
}

/* ---- two phases ---- */

enum { DIFF_FIRST, DIFF_SECOND, DIFF_CHANGE, DIFF_FUNCTION, DIFF_COLUMNS };

static uint64_t instructions_of(const struct phases_function *f, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(f[i].name, name) == 0)
			return f[i].instructions;
	return 0;
}

static void put_diff_row(const struct table *table, const char *function, double first, double second)
{
	char change[NUMBERS_TEXT];
	snprintf(change, sizeof change, "%+.2f", 100 * (second - first));
	const struct table_cell cells[DIFF_COLUMNS] = {[DIFF_FIRST] = table_real(first),
	    [DIFF_SECOND] = table_real(second),
	    [DIFF_CHANGE] = table_shown(table_real(second - first), change),
	    [DIFF_FUNCTION] = table_words(function)};
	table_row(table, cells);
}

void phases_put_diff(const struct phases_view *v, uint32_t a, uint32_t b, const struct phases_form *form)
{
	size_t count_a, count_b;
	struct phases_function *fa = phases_functions(v, a, &count_a), *fb = phases_functions(v, b, &count_b);
	const uint64_t all_a = v->segments.phase[a].instructions, all_b = v->segments.phase[b].instructions;
	char first[32], second[32];
	snprintf(first, sizeof first, "phase %s", phases_letter(a));
	snprintf(second, sizeof second, "phase %s", phases_letter(b));
	const struct table_column columns[DIFF_COLUMNS] = {
	    [DIFF_FIRST] = {first, "first", .form = TABLE_SHARE, .gap = "  ", .width = 8, .decimals = 2},
	    [DIFF_SECOND] = {second, "second", .form = TABLE_SHARE, .gap = "  ", .width = 8, .decimals = 2},
	    [DIFF_CHANGE] = {"change", "change", .form = TABLE_SHARE, .gap = "  ", .width = 7},
	    [DIFF_FUNCTION] = {"function", "function", .form = TABLE_WORDS, .gap = "  "}};
	const struct table table = {.columns = columns,
	    .count = DIFF_COLUMNS,
	    .format = form->format,
	    .out = form->out,
	    .json = form->json,
	    .name = "functions"};
	table_begin(&table);
	for (size_t i = 0; i < count_a; i++)
		put_diff_row(&table, fa[i].name, share_of(fa[i].instructions, all_a),
		    share_of(instructions_of(fb, count_b, fa[i].name), all_b));
	for (size_t i = 0; i < count_b; i++)
		if (instructions_of(fa, count_a, fb[i].name) == 0)
			put_diff_row(&table, fb[i].name, 0, share_of(fb[i].instructions, all_b));
	table_end(&table);
	free(fa);
	free(fb);
}
