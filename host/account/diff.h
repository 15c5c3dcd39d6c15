/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ACCOUNT_DIFF_H
#define RIVULET_ACCOUNT_DIFF_H
/*
 * Two accounts side by side, also of two builds of a program: what is the same in both is found by name, never by
 * address. Functions: name and the last part of the file's name. Copies that the compiler makes (f.constprop.0,
 * f.part.0, f.isra.0, f.cold, ...) count as f. Lines: the function that the line was written in, and how
 * many lines below its declaration, so that what was added elsewhere in the file does not matter; without
 * declarations the line's number.
 *
 * Amounts are of the measure, cycles if both have them, else instructions: of the whole run (enum diff_scale says how).
 * Their errors are standard errors; of the change: the root of the sum of both squares. Something that was not seen at
 * all in a sampled profile has the error that one sample of it would make, so that it does not look certain.
 */
#include "host/account/rows.h"

enum diff_scale {
	DIFF_TOTAL, /* times the sampling period: both know it */
	DIFF_RUN,   /* the share times the cycles of the run (the end frames'): a period is not known */
	DIFF_SHARE  /* shares, in parts of 1: nothing else is known, or it is asked for */
};

struct diff_side {
	const struct account *account;
	const struct image *image;
	uint64_t run_cycles; /* of the end frame; 0: not known */
	bool period_known;
	bool files; /* file names are known (DWARF) */
};

struct diff_row {
	const char
	    *name; /* function without the suffix of a copy, name_length bytes; NULL: no name, matched by address */
	size_t name_length;
	const char *file; /* of the side that has it, the second first; may be NULL */
	unsigned line;    /* as file */
	unsigned offset;  /* lines: below the declaration, else the line */
	uint64_t address[2];
	struct account_sum sum[2]; /* 0, 0: not there */
	double value[2], error[2];
	double change, change_error; /* value[1] - value[0] */
};

struct diff {
	enum diff_scale scale;
	bool cycles;           /* the measure of value: else instructions */
	struct diff_row *rows; /* what became more first */
	size_t count;
	struct diff_row all; /* of everything */
};

/* by: functions, inlined functions or lines. share: DIFF_SHARE is asked for. Returns 0 or ACCOUNT_ENOMEM. To be freed
 * with diff_free(). */
int diff_make(struct diff *diff, const struct diff_side sides[2], enum account_by by,
    const struct account_filter *filter, bool share);
void diff_free(struct diff *diff);
/* A row of the caller's own: its sums are set, the rest is filled in from them. */
void diff_complete(const struct diff *diff, const struct diff_side sides[2], struct diff_row *row);
/* How many standard errors the change is away from none; infinite if it is exact; 0 without a change. */
double diff_sigmas(const struct diff_row *row);
#endif
