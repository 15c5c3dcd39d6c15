/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_BRANCHES_H
#define RIVULET_EXPORT_BRANCHES_H
/*
 * Branches with exact counts, as tools want them that lay out code anew.
 *
 *   edges:   from ──► to, taken or not, of each branch, jump, call; from records of each return and jump by a register
 *            too, whose target a profile does not know
 *   traces:  from ──► to ─ ─ straight ─ ─► end: a taken branch and how far the program ran on behind it; of records
 *
 * Addresses are those of the file: without where the program was loaded.
 */
#include "host/export/export.h"

struct branch_edge {
	uint64_t from, to, count;
	bool taken; /* else `to` is the instruction behind the branch */
};
typedef void branch_visitor(void *context, const struct branch_edge *edge);
/* Shows each edge that was taken at least once. EXPORT_OK or an error. */
int branches_visit(const struct export_input *input, branch_visitor *visit, void *context);

#define BRANCH_OUTSIDE UINT64_MAX
struct branch_trace {
	uint64_t from; /* BRANCH_OUTSIDE: tracing began at `to` */
	uint64_t to, end;
	uint64_t count;
	bool indirect; /* `from` does not name its target */
	bool returns;  /* it is a return */
};
struct branch_traces {
	struct branch_trace *all; /* by from, to, end */
	size_t count;
};
/* input->records is there. EXPORT_OK or an error. */
int branch_traces_make(struct branch_traces *traces, const struct export_input *input);
void branch_traces_free(struct branch_traces *traces);
#endif
