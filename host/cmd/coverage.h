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
#include "host/export/coverage.h"

struct coverage_run {
	struct profiled profiled;
	struct remainder remainder;
	uint64_t instructions; /* that the file has */
};

#define COVERAGE_PATTERNS 16

struct covered {
	const char *program;
	struct coverage_run *runs;
	size_t run_count;
	struct coverage coverage;
	struct coverage_sum total;
	uint64_t lineless, lineless_ran;     /* instructions that ran, without a source line: addresses, executions */
	double least[COVERAGE_KINDS];        /* --min, per cent; negative: none */
	uint64_t top;                        /* gaps that are shown of each file */
	const char *build;                   /* of the program's code */
	const struct export_input *exported; /* the same, as exports take it */
};

extern const char *const coverage_names[COVERAGE_KINDS]; /* "functions", "branches", ... */
/* Per cent; 100 if there is nothing. */
double coverage_percent(const struct coverage_sum *sum, unsigned kind);
/* Whether --min asks for more. */
bool coverage_misses(const struct covered *covered, unsigned kind);

/* Formats. Each writes all of it; what fails shows at the stream. */
void coverage_text(const struct covered *covered, FILE *out);
void coverage_csv(const struct covered *covered, FILE *out);
void coverage_markdown(const struct covered *covered, FILE *out);
void coverage_json(const struct covered *covered, FILE *out);
void coverage_llvm(const struct covered *covered, FILE *out);
void coverage_cobertura(const struct covered *covered, FILE *out);
void coverage_junit(const struct covered *covered, FILE *out);
void coverage_lcov(const struct covered *covered, FILE *out);
#endif
