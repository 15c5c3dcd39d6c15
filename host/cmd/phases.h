/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PHASES_H
#define RIVULET_CMD_PHASES_H
/* Parts of `rivulet phases`: the file is made, then shown in one of these forms. */
#include "host/account/remainder.h"
#include "host/base/json.h"
#include "host/cmd/cmd.h"
#include "host/cycles/core.h"
#include "host/phases/grammar.h"
#include "host/phases/heat.h"
#include "host/phases/repetitions.h"
#include "host/table/table.h"

enum phases_heat { /* what makes a path hot */
	HEAT_INSTRUCTIONS,
	HEAT_CYCLES,
	HEAT_BRANCHES,
	HEAT_LOADS,
	HEAT_STORES,
	HEAT_CALLS,
	HEAT_MULDIV,
	HEAT_FLOAT,
	HEATS
};
extern const char *const phases_heat_names[HEATS];

struct phases_view { /* what all forms share */
	const char *program, *input;
	struct image *image;
	struct phases_file *file;
	uint64_t bytes; /* of the phases file; 0: none is read or written */
	struct phases_place total;
	struct intervals intervals;
	struct segments segments;
	struct phase_grammar grammar;
	struct phase_repetitions repetitions;
	unsigned levels;                        /* of which layers are shown: paths, strata, ... */
	const struct phases_clusters *clusters; /* NULL: phases are found here */
	struct heat heat;
	struct detector_limits limits;
	enum phases_heat heat_by;
	const struct core *core; /* for HEAT_CYCLES */
	uint64_t top;            /* hot paths to show; 0: all */
	bool wide;
	struct remainder remainder; /* of the records that it was made of */
	bool quiet;                 /* no progress; what the records lack is not told again */
};

struct phases_cluster {    /* by the order in which they first ran: a phase each */
	uint32_t number;   /* in the files */
	uint32_t interval; /* that stands for it */
	double weight;
};
struct phases_clusters { /* phases that SimPoint found */
	const char *prefix;
	struct interval_lengths lengths;
	uint32_t *label; /* of each interval */
	struct phases_cluster *cluster;
	uint32_t count;
};
/* PREFIX or PREFIX,LENGTH: PREFIX.labels, .simpoints and .weights. How long intervals are stands in PREFIX.bb, or all
 * are LENGTH. view->file is open. STATUS_OK or STATUS_FAILED. */
int phases_read_clusters(struct phases_clusters *clusters, const struct phases_view *view, const char *source);
void phases_clusters_free(struct phases_clusters *clusters);
/* Which interval stands for each phase, and what they say of the run. */
void phases_print_clusters(const struct phases_view *view, FILE *out);

struct phases_bytes { /* a phases file in memory: they are small. bytes are to be freed */
	uint8_t *bytes;
	size_t used, room;
};
struct phases_making {
	const struct layers_config *layers; /* NULL: as usual */
	uint64_t level;                     /* of zstd; 0: the usual */
	bool partial, force;
	bool changes;   /* tell each change that the table notices */
	bool own_clock; /* time is the sum of the records' cycles, not the board's clock */
};
/* Makes a phases file of the records that view->input names. STATUS_OK, STATUS_NO: something is missing,
 * STATUS_FAILED. */
int phases_make_file(const struct phases_making *how, struct phases_view *view, struct phases_bytes *out);
/* Fills remainder of view->file, which was opened. */
void phases_remainder(struct phases_view *view);
/* Fills total, intervals, segments, grammar, heat, limits from view->file. intervals: their number; 0: PHASES_COARSE,
 * or where phases are mixed then and more of them describe the run better, PHASES_FINE. */
#define PHASES_COARSE 500u
#define PHASES_FINE 8000u
int phases_analyse(struct phases_view *view, uint32_t intervals);
/* All but the image. */
void phases_view_free(struct phases_view *view);

struct phases_function { /* of one phase */
	const char *name;
	uint64_t instructions;
};
/* The functions of a phase (phase == heat.phases: of the run), the hottest first. To be freed. NULL: none. */
struct phases_function *phases_functions(const struct phases_view *view, uint32_t phase, size_t *count);
/* "A", "B", ..., "Z", "AA": in a buffer that the 8th later call reuses. */
const char *phases_letter(uint32_t phase);
const char *phases_function_at(const struct phases_view *view, uint64_t address);

/* "[A (B C)^2]^2" (host/phases/grammar.h), to be freed; NULL: none. */
char *phases_grammar(const struct phases_view *view);
void phases_print(const struct phases_view *view, FILE *out);
/* The layers of the grammar that --levels asks for. */
uint32_t phases_layers_shown(const struct phases_view *view);
char *phases_repetition_text(const struct phase_repetition *repetition);         /* to be freed; NULL: no memory */
uint64_t phases_segment_begin(const struct phases_view *view, uint32_t segment); /* instruction */
/* The table of phases; json: its document, for TABLE_JSON. */
void phases_put_phases(const struct phases_view *view, enum table_format format, FILE *out, struct json *json);
/* The same of layers, clusters and the first segments. */
void phases_put_layers(const struct phases_view *view, enum table_format format, FILE *out, struct json *json);
void phases_put_clusters(const struct phases_view *view, enum table_format format, FILE *out, struct json *json);
void phases_put_segments(
    const struct phases_view *view, enum table_format format, uint32_t shown, FILE *out, struct json *json);
/* Tables that stand alone: changes that a detector sees, how far detectors agree, two phases function by function. */
struct phases_form {
	enum table_format format;
	FILE *out;
	struct json *json;
};
void phases_put_changes(const struct phases_view *view, enum detector detector, const struct phases_form *form);
void phases_put_agreement(const struct phases_view *view, const struct phases_form *form);
void phases_put_diff(const struct phases_view *view, uint32_t a, uint32_t b, const struct phases_form *form);
/* Inserted code writes down no cycles: they are not known then. */
struct table_cell phases_cycles(const struct phases_view *view, uint64_t cycles);
/* In JSON: null if cycles are not known. */
void phases_json_cycle(struct json *json, const struct phases_view *view, const char *name, uint64_t cycle);
void phases_json_place(
    struct json *json, const struct phases_view *view, const char *name, const struct phases_place *place);
void phases_print_json(const struct phases_view *view, FILE *out);
/* Bands, hot paths as rows, detectors. */
int phases_print_svg(const struct phases_view *view, FILE *out);
struct phases_point { /* an interval that stands for a share of the run */
	uint32_t interval;
	double weight;
};
/* What the chosen intervals say of the whole run, and what is true. */
void phases_tell_estimate(const struct phases_view *view, const struct phases_point *point, uint32_t count);
/* SimPoint's files PREFIX.bb, .markers, .labels, .simpoints, .weights. STATUS_OK or STATUS_FAILED. */
int phases_simpoint(const struct phases_view *view, const char *prefix);
/* One line for each block of the window ("0x80000000 4"), or for each instruction. STATUS_OK, STATUS_NO: something is
 * lost in it. */
int phases_expand(
    const struct phases_view *view, enum phases_key key, uint64_t from, uint64_t to, bool instructions, FILE *out);
int phases_print_place(const struct phases_view *view, enum phases_key key, uint64_t number, FILE *out);
/* plugin: FILE or FILE,OPTIONS */
int phases_run_plugin(const struct phases_view *view, const char *plugin);
#endif
