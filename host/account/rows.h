/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ACCOUNT_ROWS_H
#define RIVULET_ACCOUNT_ROWS_H
/*
 * The tables of an account in one form, for people who look for the hottest: chosen, filtered, sorted, with shares and
 * their errors. Shares are of all that the profile holds, whatever is filtered out.
 */
#include "host/account/account.h"

enum account_by {
	ACCOUNT_BY_FUNCTION,
	ACCOUNT_BY_INLINED, /* by the function that the code was written in */
	ACCOUNT_BY_LINE,    /* code without a line: one row without file */
	ACCOUNT_BY_BLOCK,
	ACCOUNT_BY_PATH,
	ACCOUNT_BY_CLASS, /* of instructions: "[divide]"... (docs/cycles.md) */
	ACCOUNT_BY_CALL   /* insns, cycles: in the callee, at least; errors are not known */
};

enum account_order {        /* descending, but for addresses and names; equal ones by address */
	ACCOUNT_BY_MEASURE, /* cycles, or instructions without them */
	ACCOUNT_BY_COUNT,
	ACCOUNT_BY_INSNS,
	ACCOUNT_BY_CYCLES,
	ACCOUNT_BY_ADDRESS,
	ACCOUNT_BY_NAME
};

/* All that is given must hold. A path, line or function row is in an address range if an executed instruction of it
 * is. */
struct account_filter {
	const char *function; /* pattern as of a shell; NULL: any. Calls: caller or callee; code also by what was
				 inlined there */
	const char *file;     /* pattern, for the whole name or its last parts; NULL: any */
	unsigned first, last; /* lines, 0: any */
	bool addressed;       /* low <= address < high is asked for */
	uint64_t low, high;
	double min_share; /* 0 to 1 */
};

struct account_row {
	uint32_t row;           /* in its table; ACCOUNT_NONE: lines, the code without one */
	uint64_t address, last; /* lowest and highest instruction; calls: the call */
	const char *name;       /* function, of a line the one it was written in; may be NULL */
	const char *callee;     /* calls; may be NULL */
	const char *file;       /* may be NULL, then line is 0 */
	unsigned line;
	unsigned declared; /* lines: where that function is declared; 0: not known */
	struct account_sum sum;
	uint64_t inclusive_insns, inclusive_cycles; /* functions; with exact calls: */
	uint64_t calls, recursive;
	double share, error; /* of the measure, 0 to 1; error < 0: not known */
};

struct account_query {
	enum account_by by;
	const struct account_filter *filter; /* NULL: all rows */
	enum account_order order;
};
/* *rows (to be freed) are those that pass, sorted. Returns 0 or ACCOUNT_ENOMEM. */
int account_rows(const struct account *account, const struct image *image, const struct account_query *query,
    struct account_row **rows, size_t *count);

/* Whether the filter (but for min_share) lets the code at pc pass. */
bool account_passes(const struct account_filter *filter, const struct image *image, uint64_t pc);
#endif
