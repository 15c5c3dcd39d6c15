/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Pre-aggregated branches, as `perf2bolt -pa` reads them, with exact counts where perf has samples:
 *
 *   B from to count 0      a taken branch, jump, call; from records a return too. No misprediction is known
 *   F from to count        from one instruction to another without a taken branch in between
 *
 * A branch that was not taken is a fall-through to the instruction behind it, one edge of the graph that BOLT makes of
 * the function. Blocks that fall through without a branch it infers.
 */
#include <inttypes.h>
#include "host/export/branches.h"

static void write_branch(void *context, const struct branch_edge *edge)
{
	fprintf(context, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "%s\n", edge->taken ? 'B' : 'F', edge->from, edge->to,
	    edge->count, edge->taken ? " 0" : "");
}

int export_bolt(const struct export_input *input, FILE *out)
{
	int error = branches_visit(input, write_branch, out);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
