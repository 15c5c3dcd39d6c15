/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Path profiles: how often blocks and edges ran, for --by block and --by edge; as text under their functions, else as
 * one table. */
#include <inttypes.h>
#include "host/base/demangle.h"
#include "host/cmd/cfg_print.h"
#include "host/cmd/paths.h"
#include "host/table/numbers.h"

static bool flow_shows(const struct source *s, const struct paths_view *view, uint32_t function)
{
	const struct paths_row *r = &s->survey.rows[function];
	return view->function == CFG_NONE ? r->count + r->pieces > 0 : view->function == function;
}

void paths_print_flow(const struct source *s, const struct paths_view *view, bool edges, FILE *out)
{
	const struct cfg *cfg = s->cfg;
	char name[CFG_NAME];
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct cfg_function *f = &cfg->functions[i];
		if (!flow_shows(s, view, i))
			continue;
		fprintf(out, "\n%s\n", demangle(cfg_function_name(cfg, i, name)));
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
			const struct cfg_block *block = &cfg->blocks[b];
			if (!edges) {
				fprintf(out, "%14s  B%-4" PRIu32 " 0x%08" PRIx64 " %4" PRIu32 " insns\n",
				    with_commas(s->survey.blocks[b]), b - f->blocks, block->start, block->insns);
				continue;
			}
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				const struct cfg_edge *edge = &cfg->edges[e];
				fprintf(out, "%14s  B%" PRIu32, with_commas(s->survey.edges[e]), b - f->blocks);
				if (edge->to == CFG_NONE)
					fprintf(out, " %s\n", cfg_edge_name(edge->kind));
				else
					fprintf(out, " -> B%" PRIu32 "  %s\n", edge->to - f->blocks,
					    cfg_edge_name(edge->kind));
			}
		}
	}
}

enum { FLOW_COUNT, FLOW_FUNCTION, FLOW_BLOCK, FLOW_START, FLOW_INSNS, FLOW_TO, FLOW_KIND, FLOW_COLUMNS };

static const struct table_column flow_columns[FLOW_COLUMNS] = {
    [FLOW_COUNT] = {.title = "count", .key = "count", .form = TABLE_COUNT},
    [FLOW_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS},
    [FLOW_BLOCK] = {.title = "block", .key = "block", .form = TABLE_PLAIN},
    [FLOW_START] = {.title = "start", .key = "start", .form = TABLE_ADDRESS, .decimals = 8},
    [FLOW_INSNS] = {.title = "insns", .key = "insns", .form = TABLE_PLAIN},
    [FLOW_TO] = {.title = "to", .key = "to", .form = TABLE_PLAIN},
    [FLOW_KIND] = {.title = "kind", .key = "kind", .form = TABLE_WORDS},
};

/* An edge's row has its block's number and start, a block's row no edge. */
static void put_flow_block(const struct table *table, const struct source *s, uint32_t function, uint32_t b, bool edges)
{
	const struct cfg *cfg = s->cfg;
	const struct cfg_block *block = &cfg->blocks[b];
	const uint32_t first = cfg->functions[function].blocks;
	char text[CFG_NAME];
	const char *name = cfg_function_name(cfg, function, text);
	struct table_cell cells[FLOW_COLUMNS] = {[FLOW_COUNT] = table_number(s->survey.blocks[b]),
	    [FLOW_FUNCTION] = table_shown(table_words(name), demangle(name)),
	    [FLOW_BLOCK] = table_number(b - first),
	    [FLOW_START] = table_number(block->start),
	    [FLOW_INSNS] = table_number(block->insns)};
	if (!edges) {
		table_row(table, cells);
		return;
	}
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		const struct cfg_edge *edge = &cfg->edges[e];
		cells[FLOW_COUNT] = table_number(s->survey.edges[e]);
		cells[FLOW_TO] = edge->to == CFG_NONE ? table_unknown() : table_number(edge->to - first);
		cells[FLOW_KIND] = table_words(cfg_edge_name(edge->kind));
		table_row(table, cells);
	}
}

void paths_put_flow(
    const struct source *s, const struct paths_view *view, bool edges, enum table_format format, FILE *out)
{
	const struct cfg *cfg = s->cfg;
	const struct table table = {.columns = flow_columns,
	    .count = FLOW_COLUMNS,
	    .format = format,
	    .out = out,
	    .absent = edges ? TABLE_BIT(FLOW_INSNS) : TABLE_BIT(FLOW_TO) | TABLE_BIT(FLOW_KIND)};
	table_begin(&table);
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct cfg_function *f = &cfg->functions[i];
		for (uint32_t b = f->blocks; flow_shows(s, view, i) && b < f->blocks + f->block_count; b++)
			put_flow_block(&table, s, i, b, edges);
	}
	table_end(&table);
}
