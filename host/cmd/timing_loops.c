/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet timing --loops: how often loops went round in the runs, and what facts say of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/order.h"
#include "host/cmd/cmd.h"
#include "host/cmd/profiled.h"
#include "host/cmd/timing.h"

#define CHAIN_TEXT 512

struct loop_row {
	uint32_t loop, context; /* context SEEN_ROOT: all */
	uint64_t most, total;
};

struct loop_list {
	const struct timing_job *job;
	const struct flow_facts *facts;
	struct loop_row *rows;
	size_t count, room;
	uint64_t not_run; /* loops to whose head no run came, and that no fact bounds */
};

/* "main > sort > swap", the outermost first; "" for all chains. */
static void chain_text(const struct timing_job *job, uint32_t context, char text[CHAIN_TEXT])
{
	size_t count;
	uint32_t chain[16], length = 0;
	const struct seen_context *contexts = seen_flow_contexts(job->seen, &count);
	text[0] = '\0';
	for (uint32_t c = context; c != SEEN_ROOT && length < 16; c = contexts[c].parent)
		chain[length++] = c;
	size_t used = 0;
	while (length-- > 0 && used < CHAIN_TEXT - 1) {
		int n = snprintf(text + used, CHAIN_TEXT - used, "%s%s", used == 0 ? "" : " > ",
		    timing_function_name(job, contexts[chain[length]].function));
		used += n < 0 ? 0 : (size_t)n;
	}
}

static bool add_loop(struct loop_list *list, const struct loop_row *row)
{
	if (!array_room(&list->rows, list->count + 1, &list->room))
		return false;
	list->rows[list->count++] = *row;
	return true;
}

/* The rows of a loop: one of all contexts, or one of each. */
static bool add_loops(struct loop_list *list, uint32_t loop)
{
	const struct timing_job *job = list->job;
	struct loop_row all = {.loop = loop};
	size_t count;
	seen_flow_contexts(job->seen, &count);
	for (uint32_t c = 1; c < count; c++) {
		const struct seen_loop *seen = seen_flow_loop(job->seen, c, loop);
		const struct loop_row row = {loop, c, seen == NULL ? 0 : seen->most, seen == NULL ? 0 : seen->total};
		if (seen == NULL)
			continue;
		all.most = row.most > all.most ? row.most : all.most;
		all.total = row.total > all.total ? row.total : all.total;
		if (job->a->by_site && !add_loop(list, &row))
			return false;
	}
	const bool known = all.most > 0 || list->facts->loops[loop].most > 0;
	list->not_run += !known;
	return !known || (job->a->by_site && all.most > 0) || add_loop(list, &all);
}

static int compare_loop_rows(const void *a, const void *b)
{
	const struct loop_row *x = a, *y = b;
	return order_then(
	    ORDER_DOWN(x->most, y->most), order_then(ORDER_UP(x->loop, y->loop), ORDER_UP(x->context, y->context)));
}

enum {
	LOOP_MOST,
	LOOP_TOTAL,
	LOOP_GIVEN,
	LOOP_GIVEN_TOTAL,
	LOOP_PLACE,
	LOOP_HEAD,
	LOOP_FUNCTION,
	LOOP_NUMBER,
	LOOP_CHAIN,
	LOOP_COLUMNS
};
static const struct table_column loop_columns[LOOP_COLUMNS] = {
    [LOOP_MOST] = {.title = "an entry", .key = "most", .form = TABLE_COUNT, .width = 10},
    [LOOP_TOTAL] = {.title = "a call", .key = "total", .form = TABLE_COUNT, .width = 10},
    [LOOP_GIVEN] = {.title = "fact", .key = "fact", .form = TABLE_COUNT, .width = 8},
    [LOOP_GIVEN_TOTAL] = {.key = "fact_total", .form = TABLE_COUNT},
    [LOOP_PLACE] = {.title = "head", .key = "place", .form = TABLE_WORDS, .width = -20, .gap = "  "},
    [LOOP_HEAD] = {.key = "head", .form = TABLE_ADDRESS, .decimals = 8},
    [LOOP_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .width = -16},
    [LOOP_NUMBER] = {.title = "loop", .key = "loop", .form = TABLE_WORDS, .width = -4},
    [LOOP_CHAIN] = {.title = "calls", .key = "calls", .form = TABLE_WORDS},
};

static void put_loop_row(const struct loop_list *list, const struct loop_row *row, const struct table *table)
{
	const struct cfg *cfg = list->job->cfg;
	const struct flow_loop *fact = &list->facts->loops[row->loop];
	const uint32_t function = cfg->loops[row->loop].function;
	const uint64_t head = cfg->blocks[cfg->loops[row->loop].head].start;
	char place[64], number[16], chain[CHAIN_TEXT];
	struct image_place source;
	if (image_places(list->job->image, head, &source, 1) == 1 && source.file != NULL && source.line != 0)
		snprintf(place, sizeof place, "%s:%u", short_file(source.file, 14), source.line);
	else
		snprintf(place, sizeof place, "0x%08" PRIx64, head);
	snprintf(number, sizeof number, "L%" PRIu32, row->loop - cfg->functions[function].loops);
	chain_text(list->job, row->context, chain);
	struct table_cell cells[LOOP_COLUMNS] = {[LOOP_PLACE] = table_words(place),
	    [LOOP_HEAD] = table_number(head),
	    [LOOP_FUNCTION] = table_words(timing_function_name(list->job, function)),
	    [LOOP_NUMBER] = table_words(number)};
	if (row->most > 0) {
		cells[LOOP_MOST] = table_number(row->most);
		cells[LOOP_TOTAL] = table_number(row->total);
	}
	if (fact->most > 0)
		cells[LOOP_GIVEN] = table_number(fact->most);
	if (fact->total > 0)
		cells[LOOP_GIVEN_TOTAL] = table_number(fact->total);
	if (row->context != SEEN_ROOT)
		cells[LOOP_CHAIN] = table_words(chain);
	table_row(table, cells);
}

static int show_loops(const struct loop_list *list)
{
	const struct timing_arguments *a = list->job->a;
	struct json json;
	uint64_t left = 0;
	const struct table table = {.columns = loop_columns,
	    .count = LOOP_COLUMNS,
	    .format = a->format,
	    .out = stdout,
	    .json = &json,
	    .name = "rows",
	    .hidden = a->by_site ? 0 : 1u << LOOP_CHAIN};
	const bool text = table.format == TABLE_TEXT;
	if (table.format == TABLE_JSON) {
		json_open(&json, stdout);
		timing_json_runs(list->job, &json);
		json_number(&json, "loops_not_run", list->not_run);
	} else if (text) {
		timing_print_runs(list->job);
		printf("How often the heads of loops ran at most: each time the loop was entered, in a call of its "
		       "function\n\n");
	}
	table_begin(&table);
	for (size_t i = 0; i < list->count; i++) {
		if (text && i >= a->top)
			left++;
		else
			put_loop_row(list, &list->rows[i], &table);
	}
	table_end(&table);
	if (text && left > 0)
		printf("%s more (--top 0 shows all)\n", with_commas(left));
	if (text)
		printf("%s loops in all, to %s no run came, and no fact bounds them\n",
		    with_commas(list->job->cfg->counts.loops), with_commas(list->not_run));
	return table.format != TABLE_JSON || json_close(&json) ? STATUS_OK : STATUS_FAILED;
}

int timing_print_loops(const struct timing_job *job)
{
	struct loop_list list = {.job = job};
	struct flow_facts facts;
	int status = timing_facts(&facts, job);
	if (status != STATUS_OK)
		return status;
	list.facts = &facts;
	for (uint32_t l = 0; l < job->cfg->counts.loops && status == STATUS_OK; l++) {
		if (!add_loops(&list, l))
			status = STATUS_FAILED;
	}
	if (status == STATUS_OK) {
		if (list.count > 0)
			qsort(list.rows, list.count, sizeof *list.rows, compare_loop_rows);
		status = show_loops(&list);
		status = status == STATUS_OK ? timing_check_facts(job, &facts) : status;
	} else
		complain("out of memory");
	free(list.rows);
	flow_facts_close(&facts);
	return status;
}
