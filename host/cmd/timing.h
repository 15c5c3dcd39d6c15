/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_TIMING_H
#define RIVULET_CMD_TIMING_H
/* Shared by the files of `rivulet timing' only. */
#include "host/bound/bound.h"
#include "host/cmd/operands.h"
#include "host/cmd/not_traced.h"
#include "host/export/spans.h"
#include "host/export/timing.h"
#include "host/table/table.h"

#define TIMING_LIMITS 64
#define TIMING_INTERRUPTS 16

struct timing_limit {
	const char *name;
	uint64_t cycles;
};
struct timing_interrupt { /* takes so many cycles, at most once in so many */
	uint64_t cycles, every;
};

struct timing_arguments {
	struct operands operands;
	const char *function;
	struct timing_limit limits[TIMING_LIMITS];
	size_t limit_count;
	uint64_t top;
	bool by_site;
	bool by_span; /* loops, regions or paths, as `span` says */
	enum spans_kind span;
	const char *regions; /* file */
	enum table_format format;
	/* of a bound */
	const char *bound, *flow, *core, *keep, *drawing;
	bool ran_only, observed;
	bool loops;
	struct timing_interrupt interrupts[TIMING_INTERRUPTS];
	size_t interrupt_count;
};

struct timing_run {
	const char *file;
	uint64_t cycles, instructions, shared;
	struct remainder remainder;
	bool timed; /* else "cycles" are instructions */
};

struct timing_job {
	const struct timing_arguments *a;
	struct image *image; /* of the first run: names */
	struct timing_run *runs;
	size_t run_count;
	struct timing *timing;
	const struct timing_row *rows;
	size_t row_count;
	/* of a bound */
	struct cfg *cfg;
	struct seen_flow *seen; /* NULL: there are no runs */
	struct spans *spans;    /* --by loop, region, path; else NULL */
	struct regions_names names;
	uint64_t folded; /* calls whose context is that of an outer one */
};

/* timing_print.c */
bool timing_all_timed(const struct timing_job *job);
/* Whether a row is of the function that the user names. */
bool timing_row_is(const struct timing_job *job, const struct timing_row *row, const char *name);
int timing_print(const struct timing_job *job);
void timing_print_runs(const struct timing_job *job);
void timing_json_runs(const struct timing_job *job, struct json *json);

/* A list of times, each row the same columns. */
struct timing_rows {
	const struct table_column *columns;
	size_t column_count, count;
	const struct timing_row *all;
	bool (*is_of)(const struct timing_job *job, const struct timing_row *row, const char *function);
	void (*put)(const struct timing_job *job, const struct timing_row *row, const struct table *table);
	const char *in_part; /* what is said of calls that are there in part, behind their number; or NULL */
	const char *none;    /* what is said of a --function without rows, behind its name; or NULL */
};
/* Runs and rows, in the format that was asked for. STATUS_... */
int timing_print_rows(const struct timing_job *job, const struct timing_rows *rows);

/* timing_spans.c: times of loops, regions and paths. */
/* Of a job with its graph. STATUS_...; told. */
int timing_open_spans(struct timing_job *job);
void timing_close_spans(struct timing_job *job);
int timing_print_spans(const struct timing_job *job);

/* timing_loops.c: how often loops went round. */
int timing_print_loops(const struct timing_job *job);

/* timing_facts.c */
/* Of a function of the graph, or words for what has none. */
const char *timing_function_name(const struct timing_job *job, uint32_t function);
/* STATUS_NO: runs contradict facts; told. */
int timing_check_facts(const struct timing_job *job, const struct flow_facts *facts);

/* timing_bound.c: the bound of a->bound, from the program, the facts, and the runs that were read. */
/* The facts of --flow, and of the source's comments. STATUS_OK: to be closed. */
int timing_facts(struct flow_facts *facts, const struct timing_job *job);
int timing_print_bound(const struct timing_job *job);

/* timing_bound_print.c */
struct timing_bound {
	const struct timing_job *job;
	const struct bound_result *result;
	const struct flow_facts *facts;
	const char *core;                 /* its name */
	uint32_t function;                /* of the graph */
	uint64_t most;                    /* the longest whole call that runs showed; 0: none */
	const struct timing_run *most_in; /* its run */
	uint64_t with_interrupts;         /* 0: none were given; UINT64_MAX: it never ends */
};
void timing_bound_missing(const struct timing_bound *bound);
int timing_bound_show(const struct timing_bound *bound);
/* A drawing of the longest path for Graphviz. STATUS_... */
int timing_bound_draw(const struct timing_bound *bound, const char *path);
#endif
