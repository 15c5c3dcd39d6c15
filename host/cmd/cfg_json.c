/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Graphs as JSON; docs/cfg.md describes the members. Addresses are numbers, indexes begin at 0 in each list. */
#include "host/cmd/cfg_print.h"

static void index_or_null(struct json *j, const char *name, uint32_t index, uint32_t base)
{
	if (index == CFG_NONE)
		json_null(j, name);
	else
		json_number(j, name, index - base);
}

static void put_counts(struct json *j, const struct cfg *cfg)
{
	const struct cfg_counts *c = &cfg->counts;
	const struct {
		const char *name;
		uint32_t value;
	} counts[] = {{"functions", c->functions}, {"blocks", c->blocks}, {"edges", c->edges},
	    {"instructions", c->insns}, {"loops", c->loops}, {"irreducible", c->irreducible}, {"calls", c->calls},
	    {"indirect_calls", c->indirect_calls}, {"no_return_calls", c->no_return_calls},
	    {"tail_calls", c->tail_calls}, {"indirect_tail_calls", c->indirect_tail_calls}, {"tables", c->tables},
	    {"guessed_tables", c->guessed}, {"unresolved", c->unresolved}, {"leftover", c->leftover},
	    {"stops", c->stops}, {"outside", c->outside}, {"text_bytes", c->text_bytes}, {"code_bytes", c->code_bytes}};
	json_line(j, "counts");
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		json_number(j, counts[i].name, counts[i].value);
	json_bool(j, "stripped", c->stripped);
	json_bool(j, "sections", c->sections);
	json_bool(j, "unsettled", c->unsettled);
	json_object_end(j);
}

static void put_cfg_loop(struct json *j, const struct cfg_function *f, const struct cfg_loop *loop)
{
	json_line(j, NULL);
	json_number(j, "head", loop->head - f->blocks);
	json_number(j, "depth", loop->depth);
	json_number(j, "blocks", loop->block_count);
	json_number(j, "latches", loop->latches);
	json_bool(j, "reducible", loop->reducible);
	index_or_null(j, "parent", loop->parent, f->loops);
	json_object_end(j);
}

static void put_cfg_table(struct json *j, const struct cfg_table *table)
{
	json_line(j, NULL);
	json_number(j, "site", table->site);
	json_number(j, "address", table->address);
	json_number(j, "entries", table->entries);
	json_number(j, "targets", table->targets);
	json_bool(j, "bounded", table->bounded);
	json_object_end(j);
}

static void put_cfg_edges(struct json *j, const struct cfg *cfg, const struct cfg_function *f, uint32_t block)
{
	const struct cfg_block *b = &cfg->blocks[block];
	json_array(j, "edges");
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		const struct cfg_edge *edge = &cfg->edges[e];
		json_object(j, NULL);
		json_text(j, "kind", cfg_edge_name(edge->kind));
		index_or_null(j, "to", edge->to, f->blocks);
		if (edge->kind == CFG_TAIL)
			index_or_null(j, "function", cfg_function_at(cfg, edge->target), 0);
		json_object_end(j);
	}
	json_array_end(j);
}

static int put_cfg_blocks(struct json *j, const struct cfg *cfg, uint32_t function)
{
	const struct cfg_function *f = &cfg->functions[function];
	const struct table table = cfg_block_table(TABLE_JSON, NULL, j);
	int error = CFG_OK;
	table_begin(&table);
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count && error == CFG_OK; b++) {
		error = cfg_block_row(&table, cfg, function, b);
		if (error != CFG_OK)
			break;
		put_cfg_edges(j, cfg, f, b);
		table_row_end(&table);
	}
	table_end(&table);
	return error;
}

/* The function's blocks, loops and tables, behind its row. */
static int put_cfg_parts(struct json *j, const struct cfg *cfg, uint32_t i)
{
	const struct cfg_function *f = &cfg->functions[i];
	const int error = put_cfg_blocks(j, cfg, i);
	json_array(j, "loops");
	for (uint32_t l = f->loops; l < f->loops + f->loop_count; l++)
		put_cfg_loop(j, f, &cfg->loops[l]);
	json_array_end(j);
	json_array(j, "tables");
	for (uint32_t t = 0; t < cfg->table_count; t++) {
		if (cfg->tables[t].function == i)
			put_cfg_table(j, &cfg->tables[t]);
	}
	json_array_end(j);
	return error;
}

int cfg_json(const struct cfg *cfg, uint32_t function, bool calls, FILE *out)
{
	struct json j;
	int error = CFG_OK;
	json_open(&j, out);
	json_text(&j, "program", image_path(cfg->image));
	put_counts(&j, cfg);
	const struct table table = cfg_function_table(TABLE_JSON, calls, NULL, &j);
	table_begin(&table);
	for (uint32_t i = 0; i < cfg->counts.functions && error == CFG_OK; i++) {
		if (!calls && function != CFG_NONE && function != i)
			continue;
		cfg_function_row(&table, cfg, i);
		if (!calls)
			error = put_cfg_parts(&j, cfg, i);
		table_row_end(&table);
	}
	table_end(&table);
	if (calls && error == CFG_OK)
		error = cfg_put_calls(cfg, TABLE_JSON, NULL, &j);
	return json_close(&j) && error == CFG_OK ? CFG_OK : CFG_ENOMEM;
}
