/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_COVERAGE_H
#define RIVULET_CMD_COVERAGE_H
/*
 * rivulet coverage: what of a program ran in one or more exact runs.
 *
 *   run, run, ... ──► executions of each instruction, added up ──► host/export/coverage.h ──► text, files of others
 */
#include "host/cmd/cmd.h"
#include "host/cmd/profiled.h"
#include "host/account/remainder.h"
#include "host/cfg/reach.h"
#include "host/export/added.h"
#include "host/export/coverage.h"
#include "host/mcdc/vectors.h"

struct coverage_evidence { /* a file that the report was made from */
	const char *file;
	bool known; /* it could be read once more: a pipe cannot */
	uint64_t bytes;
	uint32_t crc; /* CRC-32 */
};

struct coverage_run {
	struct coverage_evidence evidence;
	struct profiled profiled;
	struct remainder remainder;
	uint64_t instructions; /* that the file has */
};

#define COVERAGE_PATTERNS 16
#define COVERAGE_OBJECTS 256
#define COVERAGE_BUILDS 32

/* What --min may ask for: the kinds of rows, then conditions of decisions by either MC/DC, then decisions of which
 * something can be said. */
enum { LEAST_MCDC = COVERAGE_KINDS, LEAST_MASKING, LEAST_DECIDED, LEAST_KINDS };

/* Decisions and what the runs showed of them. */
struct coverage_mcdc {
	const char *objects[COVERAGE_OBJECTS];
	size_t object_count; /* 0: nothing was asked for */
	struct coverage_evidence evidence[COVERAGE_OBJECTS];
	struct mcdc_mapping mapping;
	struct mcdc_match matches[COVERAGE_BUILDS]; /* by build */
	size_t match_count;
	struct mcdc_vectors vectors;
	uint64_t all[LEAST_KINDS], hit[LEAST_KINDS]; /* from LEAST_MCDC on */
};

struct merged { /* executions of instructions, by pc */
	struct gather_code *code;
	uint64_t *outside; /* --handlers: of each, those outside of handlers; else NULL */
	size_t count;
};

struct coverage_build { /* of the program, with its runs */
	const char *program;
	char *files; /* of --build; NULL: the operands */
	struct coverage_evidence evidence;
	char build[16];    /* of its code */
	size_t first, end; /* runs */
	struct merged merged;
	struct spots spots;
	struct cfg *cfg; /* --object: else NULL */
	struct cfg_reach reach;
};

struct covered {
	const char *program;
	bool handlers; /* what ran in handlers only is asked for */
	bool object;   /* object code beside the source is */
	struct coverage_build builds[COVERAGE_BUILDS];
	size_t build_count;
	struct coverage_run *runs;
	size_t run_count, run_room;
	struct coverage coverage;
	struct coverage_sum total;
	uint64_t lineless, lineless_ran;    /* instructions that ran, without a source line: addresses, executions */
	double least[LEAST_KINDS];          /* --min, per cent; negative: none */
	struct added added;                 /* --object */
	const struct added_piece **by_line; /* of these, for a page: by file, line, build, address */
	struct coverage_mcdc mcdc;
	uint64_t top; /* gaps that are shown of each file */
};

extern const char *const coverage_names[LEAST_KINDS]; /* "functions", "branches", ... */
/* Per cent; 100 if there is nothing. */
double coverage_percent(const struct coverage_sum *sum, unsigned kind);
/* The same of what --min may ask for. */
double coverage_reached(const struct covered *covered, unsigned kind);
/* Whether --min asks for more. */
bool coverage_misses(const struct covered *covered, unsigned kind);

/* Another build, as the user gave it: PROGRAM=FILE,...; false: it is not that, or there is no room. */
bool coverage_add_build(struct covered *covered, char *text);
/* Opens builds and runs; the first build is that of the operands. STATUS_...; told. To be closed in any case. */
int coverage_open_builds(
    struct covered *covered, const struct operands *operands, const char *const *files, size_t file_count);
/* Makes the rows of all builds. */
int coverage_make_builds(struct covered *covered);
/* That all builds are of the same sources, as far as lines of functions tell. STATUS_...; told. */
int coverage_check_sources(const struct covered *covered);
void coverage_close_builds(struct covered *covered);

/* A run once more, from its records: each visit to the watcher, if there is one, and the result. `why` says in messages
 * what needs the order of time. */
struct coverage_walk {
	const char *why;
	gather_watcher *watcher;
	void *context;
	struct gather *gather;
	const struct gather_result *result;
};
int coverage_walk_run(struct coverage_walk *walk, const struct coverage_run *run); /* STATUS_...; told */
void coverage_walk_end(struct coverage_walk *walk);                                /* in any case */

/* --handlers: finds what each build ran outside of handlers. STATUS_...; told. */
int coverage_follow_handlers(struct covered *covered);
/* Whether instructions of these rows ran, and none outside of handlers. */
bool coverage_in_handlers(const struct covered *covered, size_t begin, size_t end);
void coverage_handlers_text(const struct covered *covered, FILE *out);
struct json;
/* Of the rows of a file. */
void coverage_handlers_json(struct json *json, const struct covered *covered, size_t begin, size_t end);

/* Whether a piece stands before a line, in it or behind it: < 0, 0, > 0. */
int coverage_piece_order(const struct added_piece *piece, const char *file, unsigned line);
/* --object: dead code and what the compiler added, of files that are wanted. STATUS_...; told. */
int coverage_make_object(struct covered *covered, bool (*wanted)(void *, const char *), void *context);
/* Whether nothing leads to any code of a line, given its rows (coverage_group()). */
bool coverage_line_dead(const struct covered *covered, size_t begin, size_t end);
/* "inlined rotate", "called memcpy", ... */
#define COVERAGE_PIECE 128
void coverage_piece_text(const struct added_piece *piece, char text[COVERAGE_PIECE]);
void coverage_object_text(const struct covered *covered, FILE *out);
void coverage_object_json(struct json *json, const struct covered *covered);
/* Of the rows of a file: lines that are dead. */
void coverage_dead_json(struct json *json, const struct covered *covered, size_t begin, size_t end);

/* Reads the objects, lays their decisions over each build, and follows its runs. STATUS_...; told. To be freed in any
 * case. */
int coverage_follow_mcdc(struct covered *covered, bool (*wanted)(void *, const char *), void *context);
void coverage_free_mcdc(struct coverage_mcdc *mcdc);
/* Why not all can be said of decision i; MCDC_TOLD: it can. *build: in which build. */
enum mcdc_reason coverage_mcdc_reason(const struct coverage_mcdc *mcdc, size_t i, size_t *build);
void coverage_mcdc_text(const struct covered *covered, FILE *out);
struct coverage_evidence coverage_evidence_of(const char *path);
void coverage_evidence_json(struct json *json, const struct coverage_evidence *evidence);
void coverage_evidence_text(const struct coverage_evidence *evidence, FILE *out);
/* The properties of a test suite. */
void coverage_evidence_junit(const struct covered *covered, FILE *out);
void coverage_mcdc_json(struct json *json, const struct covered *covered);

/* Formats. Each writes all of it; what fails shows at the stream. */
void coverage_text(const struct covered *covered, FILE *out);
void coverage_csv(const struct covered *covered, FILE *out);
void coverage_markdown(const struct covered *covered, FILE *out);
void coverage_json(const struct covered *covered, FILE *out);
void coverage_llvm(const struct covered *covered, FILE *out);
void coverage_cobertura(const struct covered *covered, FILE *out);
void coverage_html(const struct covered *covered, FILE *out);
void coverage_junit(const struct covered *covered, FILE *out);
void coverage_lcov(const struct covered *covered, FILE *out);
#endif
