/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Pre-aggregated traces, as `perf2bolt -pa` reads them from LLVM 20 on:
 *
 *   T from to end count    a taken branch, and how far the program ran on behind it until the next one
 *
 * What ran where tracing began has no branch that led there: F to end count.
 */
#include <inttypes.h>
#include "host/export/branches.h"

int export_bolt_traces(const struct export_input *input, FILE *out)
{
	struct branch_traces traces;
	if (input->records == NULL)
		return EXPORT_EORDER;
	int error = branch_traces_make(&traces, input);
	for (size_t i = 0; error == EXPORT_OK && i < traces.count; i++) {
		const struct branch_trace *t = &traces.all[i];
		if (t->from == BRANCH_OUTSIDE)
			fprintf(out, "F %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", t->to, t->end, t->count);
		else
			fprintf(out, "T %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", t->from, t->to, t->end,
			    t->count);
	}
	branch_traces_free(&traces);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
