/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_SCAN_H
#define RIVULET_MCDC_SCAN_H
/* Instructions of a program by the decision that their line and column are in. */
#include "host/image/image.h"
#include "host/mcdc/match.h"
#include "host/mcdc/private.h"

#define SCAN_NONE UINT32_MAX

enum scan_tests { SCAN_TESTS_OTHER, SCAN_TESTS_ZERO, SCAN_TESTS_NOT_ZERO }; /* when it is taken */

struct scan_branch { /* a conditional branch in a file with decisions, sorted by pc */
	uint64_t pc, target, next;
	struct mcdc_point point;
	uint32_t first, end; /* the decisions of its file */
	uint32_t decision;   /* that it stands in; SCAN_NONE: in none */
	bool gcc, optimised;
	bool straight; /* its compiler keeps the order of conditions and joins none */
	uint8_t tests; /* enum scan_tests */
};

struct scan {
	const struct mcdc_mapping *mapping;
	struct image *image;
	struct scan_branch *branches;
	size_t count, room;
	uint64_t *targets; /* of branches and jumps, sorted */
	size_t target_count, target_room;
	const char **functions; /* by decision: that it is in; NULL: not known */
	const char *file;       /* asked last, and its decisions */
	uint32_t first, end;
};

/* All branches, and found[] by decision: has_code, ran, branches, pc. MCDC_OK, MCDC_ENOMEM. */
int scan_code(struct scan *scan, struct mcdc_found *found, const uint64_t *ran, size_t ran_count);
/* The index of the branch at pc; SCAN_NONE: there is none. */
uint32_t scan_branch_at(const struct scan *scan, uint64_t pc);
/* Whether a branch or jump leads to pc. */
bool scan_is_target(const struct scan *scan, uint64_t pc);

/* Where a point is in a decision. */
enum scan_class {
	SCAN_OUTSIDE,
	SCAN_ROOT, /* at its start, or before it in the same line: the statement */
	SCAN_GAP,  /* behind condition *index, before the next one */
	SCAN_IN    /* in condition *index */
};
enum scan_class scan_classify(const struct mcdc_decision *decision, struct mcdc_point point, unsigned *index);
/* Whether the instruction at pc may belong to the evaluation of the decision. *within: the condition that it is of, or
 * -1. */
bool scan_evaluates(struct scan *scan, uint32_t decision, uint64_t pc, int *within);
#endif
