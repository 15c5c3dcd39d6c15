/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet calls PROGRAM RECORDS: call chains of a program without counters, from all of its records in order. */
#include <stdlib.h>
#include "host/cmd/calls_chains.h"
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/profiled.h"
#include "host/cmd/progress.h"
#include "host/export/extremes.h"
#include "host/export/gather_feed.h"

struct chained {
	struct image *image;
	struct gather *gather;
	struct extremes *extremes;
	struct chain_context *contexts;
	uint64_t *starts; /* of functions, by number */
	size_t count, functions;
};

static const char *chained_name_of(const void *context, uint32_t function)
{
	const struct chained *c = context;
	return function_name(image_whole_function(c->image, c->starts[function], NULL), c->starts[function]);
}

static uint32_t chained_number_of(struct chained *c, uint64_t entry)
{
	uint64_t start = entry;
	if (image_whole_function(c->image, entry, &start) == NULL)
		start = entry;
	for (uint32_t i = 0; i < c->functions; i++) {
		if (c->starts[i] == start)
			return i;
	}
	c->starts[c->functions] = start;
	return (uint32_t)c->functions++;
}

static int fill_chained(struct chained *c, const struct gather_result *r)
{
	size_t count;
	const struct extremes_call *calls = extremes_finish(c->extremes, &count);
	c->count = r->node_count;
	c->contexts = calloc(c->count + 1, sizeof *c->contexts);
	c->starts = calloc(c->count + 1, sizeof *c->starts);
	if (c->contexts == NULL || c->starts == NULL)
		return GATHER_ENOMEM;
	for (size_t i = 1; i < c->count; i++) {
		const struct stack_node *n = &r->nodes[i];
		struct chain_context *to = &c->contexts[i];
		*to = (struct chain_context){.parent = n->parent,
		    .function = chained_number_of(c, n->entry),
		    .sums = {.calls = n->entered, .least = UINT64_MAX}};
		if (i < count && calls[i].any) {
			to->sums.least = calls[i].self_least;
			to->sums.most = calls[i].self_most;
		}
	}
	for (size_t i = 0; i < r->cell_count; i++)
		c->contexts[r->cells[i].node].sums.self += r->cells[i].cycles;
	for (size_t i = c->count; i-- > 1;) {
		struct calls_sums *own = &c->contexts[i].sums;
		own->inclusive += own->self;
		c->contexts[c->contexts[i].parent].sums.inclusive += own->inclusive;
	}
	return GATHER_OK;
}

static int gather_chained(struct chained *c, const char *file, struct records *records, const struct core *core,
    const struct gather_result **result)
{
	struct walk_config config;
	struct progress progress;
	gather_records_config(records_header(records), &config);
	int error = gather_open(&c->gather, c->image, &config);
	if (error == GATHER_OK)
		error = extremes_open(&c->extremes);
	if (error != GATHER_OK)
		return error;
	gather_core(c->gather, core);
	gather_watch(c->gather, GATHER_CONTEXTS, extremes_visit, c->extremes);
	progress_begin(&progress, file);
	error = gather_records(c->gather, records, progress_show, &progress);
	progress_end(&progress);
	if (error == GATHER_OK)
		error = gather_finish(c->gather, 1, result);
	return error == GATHER_OK ? fill_chained(c, *result) : error;
}

static int print_chained(const struct chained *c, const struct gather_result *r, const struct remainder *remainder,
    const struct calls_request *q)
{
	const struct chain_view view = {c->contexts, chained_name_of, c, q->depth, q->top, r->cycles};
	struct json j;
	if (q->format == TABLE_TEXT) {
		printf("%s, %s cycles, %s contexts\n", q->program, with_commas(r->cycles), with_commas(c->count - 1));
		print_not_traced(remainder, stdout);
		printf("\n");
	}
	if (q->format != TABLE_TEXT && q->format != TABLE_JSON)
		complain_not_traced(q->file, remainder);
	if (q->format != TABLE_JSON)
		return chains_print(&view, c->count, q->format, NULL);
	json_open(&j, stdout);
	json_text(&j, "rivulet", "calls");
	json_text(&j, "program", q->program);
	json_text(&j, "profile", q->file);
	json_number(&j, "cycles", r->cycles);
	json_number(&j, "contexts", c->count - 1);
	json_not_traced(&j, remainder);
	int status = chains_print(&view, c->count, TABLE_JSON, &j);
	return json_close(&j) ? status : STATUS_FAILED;
}

/* What chains of these records cannot be sure of. */
static int tell_chain_doubts(
    const struct records *records, const char *program, const char *file, const struct gather_result *result)
{
	size_t kept;
	uint64_t damage;
	char prefix[4096 + 16];
	int status = STATUS_OK;
	if (records_end(records) != NULL)
		tell_ending(file, records_end(records)->ending);
	records_damage(records, &kept, &damage);
	if (records_header(records) == NULL) {
		complain("%s: without its header it cannot be checked that it is of %s", file, program);
		status = STATUS_NO;
	}
	if (damage > 0) {
		snprintf(prefix, sizeof prefix, "rivulet: %s: ", file);
		fflush(stdout);
		print_records_damage(records, stderr, prefix, 8);
		status = STATUS_NO;
	}
	if (result->breaks > 0) {
		complain("%s: %s records do not go on where the one before them ended: chains may be wrong there", file,
		    with_commas(result->breaks));
		status = STATUS_NO;
	}
	if (result->stack.astray > 0)
		complain_astray(file, result->stack.astray, "chains");
	return status;
}

int calls_of_records(const struct calls_request *q)
{
	const char *program = q->program, *file = q->file;
	struct chained c = {0};
	struct records *records = NULL;
	struct core core;
	const struct gather_result *result = NULL;
	char detail[1024];
	int status = STATUS_FAILED;
	if (core_open(&core, q->core == NULL ? core_names[0] : q->core, detail, sizeof detail) != CORE_OK ||
	    image_open(&c.image, program, detail, sizeof detail) != IMAGE_OK ||
	    records_open(&records, file, detail, sizeof detail) != RECORDS_OK)
		complain("%s", detail);
	else if (records_match(records_header(records), c.image, detail, sizeof detail) == RECORDS_OTHER)
		complain("%s: is not of %s: %s: give the program that ran", file, program, detail);
	else {
		int error = gather_chained(&c, file, records, &core, &result);
		if (error != GATHER_OK)
			complain("%s: %s", file, gather_feed_strerror(error));
		else if (!result->ordered)
			complain(
			    "%s: its records are not in order, or some are missing: chains need all of them", file);
		else {
			int doubts = tell_chain_doubts(records, program, file, result);
			struct remainder remainder;
			remainder_gathered(&remainder, records, result);
			status = print_chained(&c, result, &remainder, q);
			status = status == STATUS_OK ? doubts : status;
		}
	}
	extremes_close(c.extremes);
	gather_close(c.gather);
	records_close(records);
	image_close(c.image);
	free(c.contexts);
	free(c.starts);
	return end_output(status);
}
