/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cfg as tables: functions, the blocks of one, calls. Text shows in one column what other formats have in
 * several: remarks behind a name, control flow behind a block. JSON has addresses as numbers, and indexes for names. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/demangle.h"
#include "host/cmd/cfg_print.h"

static struct table_cell index_cell(uint32_t index, uint32_t base)
{
	return index == CFG_NONE ? table_unknown() : table_number(index - base);
}

/* The same for people: "B3", "L0". */
static struct table_cell lettered_cell(uint32_t index, uint32_t base, char letter)
{
	char *text = numbers_text();
	if (index == CFG_NONE)
		return table_shown(table_unknown(), "-");
	snprintf(text, NUMBERS_TEXT, "%c%" PRIu32, letter, index - base);
	return table_shown(table_number(index - base), text);
}

/* ---- functions ---- */

enum {
	FUNCTION_START,
	FUNCTION_INDEX,
	FUNCTION_INSNS,
	FUNCTION_BLOCKS,
	FUNCTION_EDGES,
	FUNCTION_LOOPS,
	FUNCTION_FOUND,
	FUNCTION_NAME,
	FUNCTION_REMARKS, /* people */
	FUNCTION_ADDRESS, /* JSON: the start as a number */
	FUNCTION_RETURNS,
	FUNCTION_REDUCIBLE,
	FUNCTION_UNRESOLVED,
	FUNCTION_LEFTOVER,
	FUNCTION_ENTRY, /* JSON: the index of a block */
	FUNCTION_COLUMNS
};

static const struct table_column function_columns[FUNCTION_COLUMNS] = {
    [FUNCTION_START] = {"start", "start", .form = TABLE_ADDRESS, .width = -10, .decimals = 8, .csv_only = true},
    [FUNCTION_INDEX] = {.key = "index", .form = TABLE_PLAIN},
    [FUNCTION_INSNS] = {"insns", "instructions", .form = TABLE_PLAIN, .width = 6},
    [FUNCTION_BLOCKS] = {"blocks", "blocks", .form = TABLE_PLAIN, .width = 6, .csv_only = true},
    [FUNCTION_EDGES] = {"edges", "edges", .form = TABLE_PLAIN, .width = 6, .csv_only = true},
    [FUNCTION_LOOPS] = {"loops", "loops", .form = TABLE_PLAIN, .width = 5, .csv_only = true},
    [FUNCTION_FOUND] = {"found by", "found_by", .form = TABLE_WORDS, .gap = "  ", .width = -8},
    [FUNCTION_NAME] = {"function", "name", .form = TABLE_WORDS},
    [FUNCTION_REMARKS] = {.title = "remarks", .form = TABLE_WORDS, .gap = "  "},
    [FUNCTION_ADDRESS] = {.key = "start", .form = TABLE_PLAIN},
    [FUNCTION_RETURNS] = {.key = "returns", .form = TABLE_TRUTH},
    [FUNCTION_REDUCIBLE] = {.key = "reducible", .form = TABLE_TRUTH},
    [FUNCTION_UNRESOLVED] = {.key = "unresolved", .form = TABLE_PLAIN},
    [FUNCTION_LEFTOVER] = {.key = "leftover", .form = TABLE_PLAIN, .csv_only = true},
    [FUNCTION_ENTRY] = {.key = "entry", .form = TABLE_PLAIN},
};

const char *cfg_remarks(const struct cfg_function *f)
{
	static char text[96];
	snprintf(text, sizeof text, "%s%s%s%s", f->returns ? "" : " no-return", f->reducible ? "" : " irreducible",
	    f->unresolved > 0 ? " unresolved" : "", f->leftover > 0 ? " leftover" : "");
	return text[0] == ' ' ? text + 1 : text;
}

struct table cfg_function_table(enum table_format format, bool names, FILE *out, struct json *json)
{
	struct table table = {.columns = function_columns,
	    .count = FUNCTION_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "functions",
	    .tall = !names};
	if (format != TABLE_JSON)
		table.absent = TABLE_BIT(FUNCTION_ADDRESS) | TABLE_BIT(FUNCTION_ENTRY);
	else if (names)
		table.absent = ~(TABLE_BIT(FUNCTION_INDEX) | TABLE_BIT(FUNCTION_NAME) | TABLE_BIT(FUNCTION_ADDRESS));
	return table;
}

void cfg_function_row(const struct table *table, const struct cfg *cfg, uint32_t function)
{
	const struct cfg_function *f = &cfg->functions[function];
	char name[CFG_NAME];
	const char *raw = cfg_function_name(cfg, function, name);
	const struct table_cell cells[FUNCTION_COLUMNS] = {[FUNCTION_START] = table_number(f->start),
	    [FUNCTION_INDEX] = table_number(function),
	    [FUNCTION_INSNS] = table_number(f->insns),
	    [FUNCTION_BLOCKS] = table_number(f->block_count),
	    [FUNCTION_EDGES] = table_number(f->edge_count),
	    [FUNCTION_LOOPS] = table_number(f->loop_count),
	    [FUNCTION_FOUND] = table_words(cfg_origin_name(f->origin)),
	    [FUNCTION_NAME] = table_shown(table_words(raw), demangle(raw)),
	    [FUNCTION_REMARKS] = table_words(cfg_remarks(f)),
	    [FUNCTION_ADDRESS] = table_number(f->start),
	    [FUNCTION_RETURNS] = table_number(f->returns),
	    [FUNCTION_REDUCIBLE] = table_number(f->reducible),
	    [FUNCTION_UNRESOLVED] = table_number(f->unresolved),
	    [FUNCTION_LEFTOVER] = table_number(f->leftover),
	    [FUNCTION_ENTRY] = index_cell(f->entry, f->blocks)};
	table_row_open(table, cells);
}

void cfg_put_functions(const struct cfg *cfg, enum table_format format, FILE *out)
{
	const struct table table = cfg_function_table(format, false, out, NULL);
	table_begin(&table);
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		cfg_function_row(&table, cfg, i);
		table_row_end(&table);
	}
	table_end(&table);
}

/* ---- blocks ---- */

enum {
	BLOCK_NUMBER,
	BLOCK_START,
	BLOCK_END,
	BLOCK_FROM, /* JSON: the same two as numbers */
	BLOCK_BEHIND,
	BLOCK_INSNS,
	BLOCK_FLOW, /* text: all that follows */
	BLOCK_ROOT,
	BLOCK_LOOP,
	BLOCK_DOMINATOR,
	BLOCK_CALL,
	BLOCK_CALLEE,
	BLOCK_CALLEE_INDEX, /* JSON */
	BLOCK_EDGES,
	BLOCK_COLUMNS
};

static const struct table_column block_columns[BLOCK_COLUMNS] = {
    [BLOCK_NUMBER] = {"block", "block", .form = TABLE_PLAIN, .width = -5, .csv_only = true},
    [BLOCK_START] = {"start", "start", .form = TABLE_ADDRESS, .width = -10, .decimals = 8, .csv_only = true},
    [BLOCK_END] = {.key = "end", .form = TABLE_ADDRESS, .decimals = 8, .csv_only = true},
    [BLOCK_FROM] = {.key = "start", .form = TABLE_PLAIN},
    [BLOCK_BEHIND] = {.key = "end", .form = TABLE_PLAIN},
    [BLOCK_INSNS] = {"insns", "instructions", .form = TABLE_PLAIN, .width = 5},
    [BLOCK_FLOW] = {"control flow", NULL, .form = TABLE_WORDS, .gap = "  "},
    [BLOCK_ROOT] = {"root", "root", .form = TABLE_TRUTH},
    [BLOCK_LOOP] = {"loop", "loop", .form = TABLE_PLAIN},
    [BLOCK_DOMINATOR] = {"below", "dominator", .form = TABLE_PLAIN},
    [BLOCK_CALL] = {.key = "call", .form = TABLE_WORDS},
    [BLOCK_CALLEE] = {"calls", "callee", .form = TABLE_WORDS, .csv_only = true},
    [BLOCK_CALLEE_INDEX] = {.key = "callee", .form = TABLE_PLAIN},
    [BLOCK_EDGES] = {"edges", "edges", .form = TABLE_WORDS, .csv_only = true},
};

struct table cfg_block_table(enum table_format format, FILE *out, struct json *json)
{
	struct table table = {.columns = block_columns,
	    .count = BLOCK_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "blocks"};
	if (format != TABLE_JSON)
		table.absent = TABLE_BIT(BLOCK_FROM) | TABLE_BIT(BLOCK_BEHIND) | TABLE_BIT(BLOCK_CALLEE_INDEX);
	if (format == TABLE_TEXT)
		table.hidden = ~(
		    TABLE_BIT(BLOCK_NUMBER) | TABLE_BIT(BLOCK_START) | TABLE_BIT(BLOCK_INSNS) | TABLE_BIT(BLOCK_FLOW));
	else
		table.hidden = TABLE_BIT(BLOCK_FLOW);
	return table;
}

static void print_edge(const struct cfg *cfg, const struct cfg_function *f, const struct cfg_edge *edge, FILE *out)
{
	char name[CFG_NAME];
	fprintf(out, "%s", cfg_edge_name(edge->kind));
	if (edge->to != CFG_NONE)
		fprintf(out, " B%" PRIu32, edge->to - f->blocks);
	else if (edge->kind == CFG_TAIL)
		fprintf(out, " of %s", demangle(cfg_function_name(cfg, cfg_function_at(cfg, edge->target), name)));
	else if (edge->kind == CFG_OUTSIDE)
		fprintf(out, " 0x%08" PRIx64, edge->target);
}

/* "fall B2, taken B1" */
static void print_edges(const struct cfg *cfg, const struct cfg_function *f, uint32_t block, FILE *out)
{
	const struct cfg_block *b = &cfg->blocks[block];
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		fputs(e == b->edges ? "" : ", ", out);
		print_edge(cfg, f, &cfg->edges[e], out);
	}
}

/* "below B0, in L0, calls crunch: fall B2, taken B1" */
static void print_flow(const struct cfg *cfg, const struct cfg_function *f, uint32_t block, FILE *out)
{
	const struct cfg_block *b = &cfg->blocks[block];
	const char *gap = "";
	char name[CFG_NAME];
	if (b->dominator != CFG_NONE) {
		fprintf(out, "below B%" PRIu32, b->dominator - f->blocks);
		gap = ", ";
	}
	if (b->loop != CFG_NONE) {
		fprintf(out, "%sin L%" PRIu32, gap, b->loop - f->loops);
		gap = ", ";
	}
	if (b->root && block != f->entry) {
		fprintf(out, "%snothing known leads here", gap);
		gap = ", ";
	}
	if (b->call == CFG_CALL)
		fprintf(out, "%scalls %s", gap, demangle(cfg_function_name(cfg, b->callee, name)));
	else if (b->call == CFG_CALL_INDIRECT)
		fprintf(out, "%scalls by a register", gap);
	if (*gap != '\0' || b->call != CFG_NO_CALL)
		fprintf(out, ": ");
	print_edges(cfg, f, block, out);
}

/* What one of the two prints, to be freed; NULL: out of memory. */
static char *flow_text(void (*print)(const struct cfg *, const struct cfg_function *, uint32_t, FILE *),
    const struct cfg *cfg, const struct cfg_function *f, uint32_t block)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	print(cfg, f, block, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int cfg_block_row(const struct table *table, const struct cfg *cfg, uint32_t function, uint32_t block)
{
	static const char *const calls[] = {"none", "direct", "indirect"};
	const struct cfg_function *f = &cfg->functions[function];
	const struct cfg_block *b = &cfg->blocks[block];
	char name[CFG_NAME];
	const char *shown = b->call == CFG_CALL_INDIRECT ? "(by a register)" : "-";
	const char *callee = b->call == CFG_CALL ? cfg_function_name(cfg, b->callee, name) : NULL;
	const bool text = table->format == TABLE_TEXT, alone = table_alone(table->format);
	char *flow = text ? flow_text(print_flow, cfg, f, block) : NULL;
	char *edges = alone ? flow_text(print_edges, cfg, f, block) : NULL;
	const struct table_cell cells[BLOCK_COLUMNS] = {[BLOCK_NUMBER] = lettered_cell(block, f->blocks, 'B'),
	    [BLOCK_START] = table_number(b->start),
	    [BLOCK_END] = table_number(b->end),
	    [BLOCK_FROM] = table_number(b->start),
	    [BLOCK_BEHIND] = table_number(b->end),
	    [BLOCK_INSNS] = table_number(b->insns),
	    [BLOCK_FLOW] = table_words(flow),
	    [BLOCK_ROOT] = table_number(b->root),
	    [BLOCK_LOOP] = lettered_cell(b->loop, f->loops, 'L'),
	    [BLOCK_DOMINATOR] = lettered_cell(b->dominator, f->blocks, 'B'),
	    [BLOCK_CALL] = table_words(calls[b->call]),
	    [BLOCK_CALLEE] = table_shown(table_words(callee), callee != NULL ? demangle(callee) : shown),
	    [BLOCK_CALLEE_INDEX] = index_cell(b->callee, 0),
	    [BLOCK_EDGES] = table_words(edges)};
	const int error = (text && flow == NULL) || (alone && edges == NULL) ? CFG_ENOMEM : CFG_OK;
	if (error == CFG_OK)
		table_row_open(table, cells);
	free(flow);
	free(edges);
	return error;
}

int cfg_put_blocks(const struct cfg *cfg, uint32_t function, enum table_format format, FILE *out)
{
	const struct cfg_function *f = &cfg->functions[function];
	const struct table table = cfg_block_table(format, out, NULL);
	int error = CFG_OK;
	table_begin(&table);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == CFG_OK; b++) {
		error = cfg_block_row(&table, cfg, function, b);
		if (error == CFG_OK)
			table_row_end(&table);
	}
	table_end(&table);
	return error;
}

/* ---- calls ---- */

enum { CALL_CALLER, CALL_FROM, CALL_SITES, CALL_CALLEE, CALL_TO, CALL_TAILS, CALL_REMARK, CALL_COLUMNS };

static const struct table_column call_columns[CALL_COLUMNS] = {
    [CALL_CALLER] = {"caller", "caller", .form = TABLE_WORDS, .csv_only = true},
    [CALL_FROM] = {.key = "caller", .form = TABLE_PLAIN}, /* JSON: indexes */
    [CALL_SITES] = {"sites", "sites", .form = TABLE_PLAIN, .gap = "  ", .width = 6},
    [CALL_CALLEE] = {"callee", "callee", .form = TABLE_WORDS, .gap = "  ", .csv_only = true},
    [CALL_TO] = {.key = "callee", .form = TABLE_PLAIN},
    [CALL_TAILS] = {"tail calls", "tail", .form = TABLE_PLAIN},
    [CALL_REMARK] = {.title = "remarks", .form = TABLE_WORDS, .gap = "  "}, /* text: instead of their number */
};

static void put_call(const struct table *table, const struct cfg *cfg, const struct cfg_call_edge *edge)
{
	char caller[CFG_NAME], callee[CFG_NAME];
	const char *from = cfg_function_name(cfg, edge->caller, caller), *remark = "";
	const char *to = edge->callee == CFG_NONE ? NULL : cfg_function_name(cfg, edge->callee, callee);
	if (edge->tails != 0)
		remark = edge->tails == edge->sites ? "tail" : "some tail";
	const struct table_cell cells[CALL_COLUMNS] = {[CALL_CALLER] = table_shown(table_words(from), demangle(from)),
	    [CALL_FROM] = table_number(edge->caller),
	    [CALL_SITES] = table_number(edge->sites),
	    [CALL_CALLEE] = table_shown(table_words(to), to != NULL ? demangle(to) : "(by a register)"),
	    [CALL_TO] = index_cell(edge->callee, 0),
	    [CALL_TAILS] = table_number(edge->tails),
	    [CALL_REMARK] = table_words(remark)};
	table_row(table, cells);
}

int cfg_put_calls(const struct cfg *cfg, enum table_format format, FILE *out, struct json *json)
{
	struct cfg_call_edge *calls;
	size_t count;
	char name[CFG_NAME];
	if (cfg_call_graph(cfg, &calls, &count) != CFG_OK)
		return CFG_ENOMEM;
	struct table table = {.columns = call_columns,
	    .count = CALL_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "calls"};
	if (format != TABLE_JSON)
		table.absent = TABLE_BIT(CALL_FROM) | TABLE_BIT(CALL_TO);
	if (format == TABLE_TEXT) /* the caller has a line above its calls */
		table.hidden = TABLE_BIT(CALL_CALLER) | TABLE_BIT(CALL_TAILS);
	else
		table.hidden = TABLE_BIT(CALL_REMARK);
	table_begin(&table);
	for (size_t i = 0; i < count; i++) {
		if (format == TABLE_TEXT && (i == 0 || calls[i].caller != calls[i - 1].caller))
			fprintf(out, "%s\n", demangle(cfg_function_name(cfg, calls[i].caller, name)));
		put_call(&table, cfg, &calls[i]);
	}
	table_end(&table);
	free(calls);
	if (format == TABLE_TEXT)
		fprintf(out, "%s edges; calls by a register: %s, their callees are not known\n", with_commas(count),
		    with_commas(cfg->counts.indirect_calls + cfg->counts.indirect_tail_calls));
	return CFG_OK;
}
