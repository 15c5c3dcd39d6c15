/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REPORT_H
#define RIVULET_REPORT_H
/* rivulet report, in three files: report.c (options, header, requirements), report_paths.c, report_code.c (by function
 * and by line). */
#include "host/cmd/cmd.h"
#include "host/walk/path.h"

#define REPORT_WIDTH 100

struct report {
	struct image *image;
	struct walk *walk;
	const struct profile *profile;
	const struct profile_entry **sorted; /* hottest first */
	uint64_t top, disassemble;
	bool debug;        /* there are source lines */
	bool timed;        /* the entries have cycles */
	bool scaled;       /* a sampled profile with known period: counts are multiplied by it to estimate cycles */
	double period;     /* 1 if not known */
	double all_cycles; /* sum over all entries, not scaled */
	const struct style *style;
	int count_width; /* columns of the counts */
	/* results */
	uint64_t unfit_paths, unfit_counts;     /* entries that do not fit the image */
	uint64_t unknown_paths, unknown_counts; /* entries whose end is not known */
};

/* Each returns STATUS_OK or STATUS_FAILED (out of memory, told). */
int report_paths(struct report *report);
int report_code(struct report *report, bool by_line);
#endif
