/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What `rivulet timing --bound' prints. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/base/order.h"
#include "host/cmd/profiled.h"
#include "host/cmd/timing.h"

struct bound_row { /* a function in the longest path, over all its parts */
	uint32_t function;
	uint64_t times, self;
};

/* ---- names */

static const char *bound_name_of(const struct timing_bound *b, uint32_t function)
{
	const struct cfg_function *f = &b->job->cfg->functions[function];
	return f->name != NULL ? shown_name(f->name, f->start) : function_name(NULL, f->start);
}

/* "sort.c:12 (0x80000100)". */
static const char *bound_place_text(const struct timing_bound *b, uint64_t address, char text[128])
{
	struct image_place place;
	if (image_places(b->job->image, address, &place, 1) == 1 && place.file != NULL && place.line != 0)
		snprintf(text, 128, "%s:%u (0x%08" PRIx64 ")", short_file(place.file, 40), place.line, address);
	else
		snprintf(text, 128, "0x%08" PRIx64, address);
	return text;
}

/* ---- what is missing */

static uint32_t loop_number(const struct timing_bound *b, const struct bound_missing *missing)
{
	const struct cfg *cfg = b->job->cfg;
	const struct cfg_function *f = &cfg->functions[missing->function];
	for (uint32_t l = f->loops; l < f->loops + f->loop_count; l++) {
		if (cfg->blocks[cfg->loops[l].head].start == missing->address)
			return l - f->loops;
	}
	return 0;
}

static void print_missing(const struct timing_bound *b, const struct bound_missing *missing)
{
	char place[128], name[256];
	bound_place_text(b, missing->address, place);
	snprintf(name, sizeof name, "%.255s", bound_name_of(b, missing->function));
	switch (missing->lack) {
	case BOUND_LOOP:
		fprintf(stderr, "  loop at %s: how often? loop %s L%u N\n", place, name, loop_number(b, missing));
		break;
	case BOUND_TARGET:
		fprintf(stderr, "  jump by a register in %s at %s: where to? call 0x%08" PRIx64 " FUNCTION...\n", name,
		    place, missing->address);
		break;
	case BOUND_DEPTH:
		fprintf(stderr, "  %s calls itself: how deep? depth %s N\n", name, name);
		break;
	case BOUND_COST:
		fprintf(stderr, "  instruction in %s at %s: how long? cost 0x%08" PRIx64 " CYCLES\n", name, place,
		    missing->address);
		break;
	case BOUND_OUTSIDE:
		fprintf(stderr, "  code goes on outside of the program, in %s at %s: never 0x%08" PRIx64 "?\n", name,
		    place, missing->address);
		break;
	case BOUND_ELSEWHERE:
		fprintf(stderr,
		    "  %s goes on elsewhere at %s (longjmp, an exception, another stack): no line says how long; never "
		    "0x%08" PRIx64 " if it does not\n",
		    name, place, missing->address);
		break;
	default:
		fprintf(stderr, "  %s has no end\n", name);
		break;
	}
}

void timing_bound_missing(const struct timing_bound *b)
{
	const struct bound_result *r = b->result;
	complain("no bound of %s: %zu thing%s not known. A line each in a file for --flow, or runs, say %s:",
	    b->job->a->bound, r->missing_count, r->missing_count == 1 ? " is" : "s are",
	    r->missing_count == 1 ? "it" : "them");
	for (size_t i = 0; i < r->missing_count; i++)
		print_missing(b, &r->missing[i]);
}

/* ---- rows */

static int compare_bound_rows(const void *a, const void *b)
{
	const struct bound_row *x = a, *y = b;
	return order_then(ORDER_DOWN(x->self, y->self), ORDER_UP(x->function, y->function));
}

/* The functions of the longest path, the most cycles of their own first. NULL: out of memory. */
static struct bound_row *make_rows(const struct timing_bound *b, size_t *count)
{
	const struct bound_result *r = b->result;
	const uint32_t functions = b->job->cfg->counts.functions;
	struct bound_row *rows = calloc(functions + 1u, sizeof *rows);
	*count = 0;
	if (rows == NULL)
		return NULL;
	for (uint32_t i = 0; i < functions; i++)
		rows[i].function = i;
	for (size_t i = 0; i < r->part_count; i++) {
		rows[r->parts[i].function].times += r->parts[i].times;
		rows[r->parts[i].function].self += r->parts[i].times * r->parts[i].self;
	}
	for (uint32_t i = 0; i < functions; i++) {
		if (rows[i].times > 0)
			rows[(*count)++] = rows[i];
	}
	qsort(rows, *count, sizeof *rows, compare_bound_rows);
	return rows;
}

struct bound_grounds { /* what a bound stands on */
	uint64_t given, seen, unseen, blocks, unmeasured;
	bool relaxed;
};

/* Blocks of the longest path: all of them, those that no run came to, those without a measurement. */
static void count_unseen(const struct timing_bound *b, struct bound_grounds *g)
{
	uint64_t *unseen = &g->unseen, *all = &g->blocks;
	const struct bound_result *r = b->result;
	const struct cfg *cfg = b->job->cfg;
	bool *counted = calloc(cfg->counts.blocks + 1u, 1);
	*unseen = *all = 0;
	for (size_t i = 0; i < r->part_count && counted != NULL; i++) {
		const struct cfg_function *f = &cfg->functions[r->parts[i].function];
		for (uint32_t k = 0; k < f->block_count; k++) {
			if (r->parts[i].times == 0 || r->parts[i].blocks[k] == 0 || counted[f->blocks + k])
				continue;
			counted[f->blocks + k] = true;
			++*all;
			*unseen += b->job->seen != NULL && !seen_flow_ran(b->job->seen, f->blocks + k);
			g->unmeasured += r->unmeasured[f->blocks + k];
		}
	}
	free(counted);
}

enum { BOUND_TIMES, BOUND_SELF, BOUND_SHARE, BOUND_FUNCTION, BOUND_ADDRESS, BOUND_COLUMNS };
static const struct table_column bound_columns[BOUND_COLUMNS] = {
    [BOUND_TIMES] = {.title = "calls", .key = "calls", .form = TABLE_COUNT, .width = 10},
    [BOUND_SELF] = {.title = "cycles", .key = "self_cycles", .form = TABLE_COUNT, .width = 14},
    [BOUND_SHARE] = {.title = "share", .key = "share", .form = TABLE_SHARE, .width = 7, .decimals = 2},
    [BOUND_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .gap = "  "},
    [BOUND_ADDRESS] = {.key = "address", .form = TABLE_ADDRESS, .decimals = 8},
};

static void put_bound_rows(
    const struct timing_bound *b, const struct table *table, const struct bound_row *rows, size_t count)
{
	const bool text = table->format == TABLE_TEXT;
	uint64_t left = 0;
	table_begin(table);
	for (size_t i = 0; i < count; i++) {
		if (text && i >= b->job->a->top) {
			left++;
			continue;
		}
		const struct table_cell cells[BOUND_COLUMNS] = {[BOUND_TIMES] = table_number(rows[i].times),
		    [BOUND_SELF] = table_number(rows[i].self),
		    [BOUND_SHARE] =
			table_real(b->result->cycles == 0 ? 0 : (double)rows[i].self / (double)b->result->cycles),
		    [BOUND_FUNCTION] = table_words(bound_name_of(b, rows[i].function)),
		    [BOUND_ADDRESS] = table_number(b->job->cfg->functions[rows[i].function].start)};
		table_row(table, cells);
	}
	table_end(table);
	if (text && left > 0)
		printf("%s more (--top 0 shows all)\n", with_commas(left));
}

/* ---- the head */

static struct bound_grounds grounds_of(const struct timing_bound *b)
{
	struct bound_grounds g = {0};
	for (uint32_t l = 0; l < b->job->cfg->counts.loops; l++) {
		g.given += b->result->loop_given[l];
		g.seen += b->result->loop_seen[l];
	}
	count_unseen(b, &g);
	for (size_t i = 0; i < b->result->part_count; i++)
		g.relaxed = g.relaxed || (b->result->parts[i].times > 0 && b->result->parts[i].relaxed);
	return g;
}

/* The sentence on what it proves. */
static void print_proof(const struct timing_bound *b, const struct bound_grounds *g)
{
	const struct bound_result *r = b->result;
	if (b->job->a->observed)
		printf(
		    "Costs of blocks are what these runs showed: another input, or what the core had in hand, may take "
		    "more.\n");
	if (g->seen == 0 && !r->depth_seen && !r->target_seen && !b->job->a->ran_only && !b->job->a->observed)
		printf("No call takes more, as long as the facts that were given hold and the core is this one%s.\n",
		    r->guessed > 0 ? ", and no guessed table has more ways" : "");
	else
		printf("It is a bound of the runs' flow: another run may go round a loop more often%s%s%s.\n",
		    r->target_seen ? ", call others by a register" : "", r->depth_seen ? ", call deeper" : "",
		    b->job->a->ran_only ? ", come to code that these did not" : "");
	if (b->job->a->interrupt_count == 0)
		printf("Interrupts are not in it (--interrupt).\n");
}

static void print_bound_head(const struct timing_bound *b)
{
	const struct timing_arguments *a = b->job->a;
	const struct bound_result *r = b->result;
	const struct bound_grounds g = grounds_of(b);
	if (b->job->run_count > 0)
		timing_print_runs(b->job);
	printf("bound of %s in %s, by the rules of core %s\n", a->bound, a->operands.program, b->core);
	printf("  at most %s cycles for one call, with what it calls\n", with_commas(r->cycles));
	if (a->interrupt_count > 0 && b->with_interrupts == UINT64_MAX)
		printf("  with interrupts: no bound, they take all the time\n");
	else if (a->interrupt_count > 0)
		printf("  with interrupts: at most %s cycles\n", with_commas(b->with_interrupts));
	if (b->most > 0)
		printf("  longest seen: %s cycles, %.1f%% of it, in %s\n", with_commas(b->most),
		    100 * (double)b->most / (double)r->cycles, b->most_in->file);
	printf("  loops: %s bounded by facts", with_commas(g.given));
	printf(", %s as often as the runs went round\n", with_commas(g.seen));
	if (b->job->seen != NULL) {
		printf("  of %s blocks in the longest path", with_commas(g.blocks));
		printf(" no run came to %s\n", with_commas(g.unseen));
	}
	if (a->observed)
		printf(
		    "  costs of blocks: the most that runs showed; by the rules of the core, as none came there: %s\n",
		    with_commas(g.unmeasured));
	if (r->elsewhere > 0 && g.seen > 0)
		printf("  %s calls that no run showed: they go round as often as any seen elsewhere\n",
		    with_commas(r->elsewhere));
	if (r->guessed > 0)
		printf("  %s jump tables whose end is guessed from the code: a way may be missing\n",
		    with_commas(r->guessed));
	if (g.relaxed)
		printf("  the solver's longest path has turns that nothing leads to: the bound is larger than it need "
		       "be\n");
	print_proof(b, &g);
	printf("\n");
}

/* ---- JSON */

static void json_loops(const struct timing_bound *b, struct json *json)
{
	const struct cfg *cfg = b->job->cfg;
	json_array(json, "loops");
	for (uint32_t l = 0; l < cfg->counts.loops; l++) {
		if (!b->result->loop_given[l] && !b->result->loop_seen[l])
			continue;
		json_line(json, NULL);
		json_text(json, "function", bound_name_of(b, cfg->loops[l].function));
		char head[32];
		snprintf(head, sizeof head, "0x%08" PRIx64, cfg->blocks[cfg->loops[l].head].start);
		json_text(json, "head", head);
		json_text(json, "from", b->result->loop_given[l] ? "facts" : "runs");
		if (b->result->loop_given[l])
			json_number(json, "most", b->facts->loops[l].most);
		json_object_end(json);
	}
	json_array_end(json);
}

/* Blocks that were looked at, and whose cost is by the rules of the core. */
static void json_unmeasured(const struct timing_bound *b, struct json *json)
{
	const struct cfg *cfg = b->job->cfg;
	if (!b->job->a->observed)
		return;
	json_array(json, "unmeasured");
	for (uint32_t i = 0; i < cfg->counts.blocks; i++) {
		if (b->result->unmeasured[i])
			json_hex(json, NULL, cfg->blocks[i].start, 8);
	}
	json_array_end(json);
}

static void json_head(const struct timing_bound *b, struct json *json)
{
	const struct bound_result *r = b->result;
	const struct bound_grounds g = grounds_of(b);
	timing_json_runs(b->job, json);
	json_text(json, "bound", b->job->a->bound);
	json_text(json, "core", b->core);
	json_number(json, "most_cycles", r->cycles);
	if (b->job->a->interrupt_count > 0 && b->with_interrupts != UINT64_MAX)
		json_number(json, "with_interrupts", b->with_interrupts);
	if (b->most > 0)
		json_number(json, "seen_cycles", b->most);
	json_bool(json, "from_facts_alone",
	    g.seen == 0 && !r->depth_seen && !r->target_seen && !b->job->a->ran_only && !b->job->a->observed);
	json_number(json, "blocks", g.blocks);
	json_number(json, "blocks_not_run", g.unseen);
	json_bool(json, "observed", b->job->a->observed);
	json_unmeasured(b, json);
	json_number(json, "programs", r->programs);
	json_bool(json, "relaxed", g.relaxed);
	json_number(json, "guessed_tables", r->guessed);
	json_loops(b, json);
}

int timing_bound_show(const struct timing_bound *b)
{
	struct json json;
	size_t count;
	struct bound_row *rows = make_rows(b, &count);
	const struct table table = {.columns = bound_columns,
	    .count = BOUND_COLUMNS,
	    .format = b->job->a->format,
	    .out = stdout,
	    .json = &json,
	    .name = "rows"};
	if (rows == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (table.format == TABLE_JSON) {
		json_open(&json, stdout);
		json_head(b, &json);
	} else if (table.format == TABLE_TEXT)
		print_bound_head(b);
	put_bound_rows(b, &table, rows, count);
	free(rows);
	return table.format != TABLE_JSON || json_close(&json) ? STATUS_OK : STATUS_FAILED;
}

/* ---- drawing */

static void draw_blocks(const struct timing_bound *b, FILE *out, const struct bound_part *part)
{
	const struct cfg *cfg = b->job->cfg;
	const struct cfg_function *f = &cfg->functions[part->function];
	for (uint32_t k = 0; k < f->block_count; k++) {
		const struct cfg_block *block = &cfg->blocks[f->blocks + k];
		char place[128];
		if (part->blocks[k] == 0)
			continue;
		fprintf(out, "    b%u [label=\"%s\\n%s times%s\"];\n", f->blocks + k,
		    bound_place_text(b, block->start, place), with_commas(part->blocks[k]),
		    b->job->seen != NULL && !seen_flow_ran(b->job->seen, f->blocks + k)
			? "\", style=dashed, tooltip=\"no run"
			: "");
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = cfg->edges[e].to;
			if (to != CFG_NONE && part->blocks[to - f->blocks] > 0)
				fprintf(out, "    b%u -> b%u;\n", f->blocks + k, to);
		}
	}
}

int timing_bound_draw(const struct timing_bound *b, const char *path)
{
	const char *const inputs[] = {b->job->a->operands.program, b->job->a->operands.file};
	struct output *output = begin_output(path, OUTPUT_REPLACE, inputs, inputs[1] == NULL ? 1 : 2);
	if (output == NULL)
		return STATUS_FAILED;
	FILE *out = output_file(output);
	const struct bound_result *r = b->result;
	bool *drawn = calloc(b->job->cfg->counts.functions + 1u, 1);
	fprintf(out, "digraph bound {\n  node [shape=box, fontname=\"Helvetica\", fontsize=10];\n");
	for (size_t i = r->part_count; i-- > 0 && drawn != NULL;) { /* callers first; one part of a function is drawn */
		const struct bound_part *part = &r->parts[i];
		if (part->times == 0 || drawn[part->function])
			continue;
		drawn[part->function] = true;
		fprintf(out, "  subgraph cluster%zu {\n    label=\"%s: %s calls, ", i, bound_name_of(b, part->function),
		    with_commas(part->times));
		fprintf(out, "%s cycles each\";\n", with_commas(part->cycles));
		draw_blocks(b, out, part);
		fprintf(out, "  }\n");
		for (size_t c = 0; c < part->call_count; c++) {
			const struct cfg_function *callee =
			    &b->job->cfg->functions[r->parts[part->calls[c].part].function];
			fprintf(out, "  b%u -> b%u [style=bold, label=\"%s\"];\n",
			    cfg_block_at(b->job->cfg, part->calls[c].site), callee->entry,
			    with_commas(part->calls[c].times));
		}
	}
	fprintf(out, "}\n");
	free(drawn);
	return finish_output(output, STATUS_OK);
}
