/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Graphs as JSON; docs/cfg.md describes the members. Addresses are numbers, indexes begin at 0 in each list. */
#include "host/cmd/cfg_print.h"
#include "host/base/json.h"

#include <stdlib.h>

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

static void put_cfg_block(struct json *j, const struct cfg *cfg, const struct cfg_function *f, uint32_t b)
{
	const struct cfg_block *block = &cfg->blocks[b];
	static const char *const calls[] = {"none", "direct", "indirect"};
	json_line(j, NULL);
	json_number(j, "start", block->start);
	json_number(j, "end", block->end);
	json_number(j, "instructions", block->insns);
	json_bool(j, "root", block->root);
	index_or_null(j, "loop", block->loop, f->loops);
	index_or_null(j, "dominator", block->dominator, f->blocks);
	json_text(j, "call", calls[block->call]);
	index_or_null(j, "callee", block->callee, 0);
	json_array(j, "edges");
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		const struct cfg_edge *edge = &cfg->edges[e];
		json_object(j, NULL);
		json_text(j, "kind", cfg_edge_name(edge->kind));
		index_or_null(j, "to", edge->to, f->blocks);
		if (edge->kind == CFG_TAIL)
			index_or_null(j, "function", cfg_function_at(cfg, edge->target), 0);
		json_object_end(j);
	}
	json_array_end(j);
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

static void put_cfg_function(struct json *j, const struct cfg *cfg, uint32_t i)
{
	const struct cfg_function *f = &cfg->functions[i];
	char name[CFG_NAME];
	json_object(j, NULL);
	json_number(j, "index", i);
	json_text(j, "name", cfg_function_name(cfg, i, name));
	json_number(j, "start", f->start);
	json_text(j, "found_by", cfg_origin_name(f->origin));
	json_bool(j, "returns", f->returns);
	json_bool(j, "reducible", f->reducible);
	json_number(j, "unresolved", f->unresolved);
	json_number(j, "instructions", f->insns);
	index_or_null(j, "entry", f->entry, f->blocks);
	json_array(j, "blocks");
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
		put_cfg_block(j, cfg, f, b);
	json_array_end(j);
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
	json_object_end(j);
}

static void put_cfg_name(struct json *j, const struct cfg *cfg, uint32_t i)
{
	char name[CFG_NAME];
	json_line(j, NULL);
	json_number(j, "index", i);
	json_text(j, "name", cfg_function_name(cfg, i, name));
	json_number(j, "start", cfg->functions[i].start);
	json_object_end(j);
}

static void put_cfg_call(struct json *j, const struct cfg_call_edge *edge)
{
	json_line(j, NULL);
	json_number(j, "caller", edge->caller);
	index_or_null(j, "callee", edge->callee, 0);
	json_number(j, "sites", edge->sites);
	json_number(j, "tail", edge->tails);
	json_object_end(j);
}

int cfg_json(const struct cfg *cfg, uint32_t function, bool calls, FILE *out)
{
	struct cfg_call_edge *edges = NULL;
	size_t count = 0;
	struct json j;
	if (calls && cfg_call_graph(cfg, &edges, &count) != CFG_OK)
		return CFG_ENOMEM;
	json_open(&j, out);
	json_text(&j, "program", image_path(cfg->image));
	put_counts(&j, cfg);
	json_array(&j, "functions");
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		if (calls)
			put_cfg_name(&j, cfg, i);
		else if (function == CFG_NONE || function == i)
			put_cfg_function(&j, cfg, i);
	}
	json_array_end(&j);
	if (calls) {
		json_array(&j, "calls");
		for (size_t i = 0; i < count; i++)
			put_cfg_call(&j, &edges[i]);
		json_array_end(&j);
	}
	free(edges);
	return json_close(&j) ? CFG_OK : CFG_ENOMEM;
}
