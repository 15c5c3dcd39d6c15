/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PATHS_H
#define RIVULET_CMD_PATHS_H
/* Parts of `rivulet paths`: inputs, and the forms of output. */
#include <stdio.h>
#include "host/account/remainder.h"
#include "host/paths/feed.h"
#include "host/paths/survey.h"
#include "host/table/table.h"

struct counted_graph;
/* A path profile with where it comes from. */
struct source {
	const char *name;      /* as given */
	const struct cfg *cfg; /* the program's, or that of `graph' */
	struct counted_graph
	    *graph; /* counters by the numbers of the map; NULL: no counters, or on the program's graph */
	uint64_t counted_functions; /* of counters: that have them; 0: these are none */
	struct paths *paths;
	struct paths_feed feed;
	struct core core; /* by whose rules the cycles of a record are split */
	struct paths_entry *entries;
	size_t count;
	struct survey survey;
	struct profile head;            /* of the run: header and end alone */
	bool counters, damaged;         /* of inserted code; the input is not whole */
	struct remainder_shown counted; /* of counters: which code has none */
	bool ordered;                   /* a record stream: paths are whole; else a profile: pieces */
	double period;                  /* one count stands for so many traces; 0: not known */
	int status;                     /* STATUS_OK, or STATUS_NO: damaged, forced, with losses */
	/* counters with a metric: what the paths gained of this CSR, whole paths by function and number; 0: none */
	uint32_t metric;
	struct paths_entry *gains;
	size_t gain_count;
	/* options.whole: */
	struct profile *whole;     /* all records added up, with their cycles */
	struct walk_config config; /* with which the last one was collected */
};
/* What a path gained of the metric; UINT64_MAX: not known, it is a piece. */
uint64_t source_gain(const struct source *source, const struct paths_entry *entry);
struct source_options {
	const char *program;
	const struct image *image, *ran; /* ran: image, or the program whose twin image is */
	const struct cfg *cfg;
	uint64_t limit;
	bool partial, force;
	bool own_graph;          /* counters too are shown on the program's graph, not by the numbers of the map */
	const char *rules;       /* the name that the user gave it; NULL: none */
	const struct core *core; /* that ran; NULL: the one of this project */
	bool quiet;              /* no progress; what the records lack was told before */
	struct profile *whole;   /* to be filled; records in order only. NULL: not wanted */
	int (*opened)(
	    void *context, struct paths *paths); /* before it is fed; what it returns is a status. May be NULL */
	void *context;
};
/* text: a record file, a profile, a capture, or run[:NAME=VALUE,...]. Returns STATUS_OK, STATUS_NO or STATUS_FAILED;
 * what is wrong has been said. To be closed in any case. */
int source_open(struct source *source, const char *text, const struct source_options *options);
void source_close(struct source *source);

struct paths_view {
	uint32_t function; /* only this one, or CFG_NONE */
	uint64_t top;      /* 0: all */
	unsigned details;
	enum paths_sort { PATHS_BY_COUNT, PATHS_BY_INSNS, PATHS_BY_CYCLES } sort;
	bool pieces, wide;
};
/* What of the run no path or piece has. */
void source_remainder(const struct source *source, struct remainder *remainder);
void paths_print_not_traced(const struct source *source, FILE *out);
/* Whether a function with counters had no place for a path's number, so that its paths end at each branch. */
bool paths_cut_at_branches(const struct source *source, uint32_t function);
/* Whether the paths have cycles: the records are in order, and have them. */
bool paths_timed(const struct source *source);
/* What the input is, and what of it is in doubt; `whole`: of its plain paths in between. */
void paths_print_summary(const struct source *source, bool whole, FILE *out);
void paths_print_paths(const struct source *source, const struct paths_view *view, FILE *out);
/* The tables of paths and of functions; json: the document, for TABLE_JSON, which has all functions. */
void paths_put_paths(
    const struct source *source, const struct paths_view *view, enum table_format format, struct json *json, FILE *out);
void paths_put_functions(
    const struct source *source, const struct paths_view *view, enum table_format format, struct json *json, FILE *out);
/* The sums of all functions, as members of an open object. */
void paths_put_total(const struct source *source, struct json *json);
void paths_print_flow(const struct source *source, const struct paths_view *view, bool edges, FILE *out);
/* The same as one table, for CSV and Markdown. */
void paths_put_flow(
    const struct source *source, const struct paths_view *view, bool edges, enum table_format format, FILE *out);
void paths_print_common(const struct source *source, const struct source *against, FILE *out);
void paths_print_json(
    const struct source *source, const struct source *against, const struct paths_view *view, FILE *out);
/* Indexes of the entries to be shown, hottest first; *count of them. To be freed. NULL: out of memory. */
size_t *paths_order(const struct source *source, const struct paths_view *view, size_t *count);
/* The blocks of an entry in order; *length of them, the last edge in *exit (CFG_NONE: back, or none). To be freed. */
uint32_t *paths_blocks(const struct source *source, const struct paths_entry *entry, size_t *length, uint32_t *exit);
/* 12, or 12.7.30 of a path that was cut and joined again; as much as there is room for. */
const char *paths_number_text(const struct source *source, const struct paths_entry *entry, char *text, size_t size);
/* "return", "back", "..." of a path that does not end. exit: as paths_blocks() gives it. */
const char *paths_ending(const struct source *source, const struct paths_entry *entry, uint32_t exit);

/* For qsort(): the largest key first, then in the order of the indexes. */
struct paths_keyed {
	uint64_t key;
	size_t index;
};
int paths_keyed_compare(const void *a, const void *b);
#endif
