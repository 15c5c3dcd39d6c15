/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Graphs as JSON; docs/cfg.md describes the members. Addresses are numbers, indexes begin at 0 in each list. */
#include "host/cmd/cfg_print.h"
#include "host/base/json.h"

#include <inttypes.h>
#include <stdlib.h>

static void index_or_null(const char *key, uint32_t index, uint32_t base, FILE *out)
{
	if (index == CFG_NONE)
		fprintf(out, ", \"%s\": null", key);
	else
		fprintf(out, ", \"%s\": %" PRIu32, key, index - base);
}

static void print_counts(const struct cfg *cfg, FILE *out)
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
	fprintf(out, "\"counts\": {");
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		fprintf(out, "%s\"%s\": %" PRIu32, i > 0 ? ", " : "", counts[i].name, counts[i].value);
	fprintf(out, ", \"stripped\": %s, \"sections\": %s, \"unsettled\": %s}", c->stripped ? "true" : "false",
	    c->sections ? "true" : "false", c->unsettled ? "true" : "false");
}

static void print_block(const struct cfg *cfg, const struct cfg_function *f, uint32_t b, FILE *out)
{
	const struct cfg_block *block = &cfg->blocks[b];
	static const char *const calls[] = {"none", "direct", "indirect"};
	fprintf(out, "      {\"start\": %" PRIu64 ", \"end\": %" PRIu64 ", \"instructions\": %" PRIu32 ", \"root\": %s",
	    block->start, block->end, block->insns, block->root ? "true" : "false");
	index_or_null("loop", block->loop, f->loops, out);
	index_or_null("dominator", block->dominator, f->blocks, out);
	fprintf(out, ", \"call\": \"%s\"", calls[block->call]);
	index_or_null("callee", block->callee, 0, out);
	fprintf(out, ", \"edges\": [");
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		const struct cfg_edge *edge = &cfg->edges[e];
		fprintf(out, "%s{\"kind\": \"%s\"", e > block->edges ? ", " : "", cfg_edge_name(edge->kind));
		index_or_null("to", edge->to, f->blocks, out);
		if (edge->kind == CFG_TAIL)
			index_or_null("function", cfg_function_at(cfg, edge->target), 0, out);
		fprintf(out, "}");
	}
	fprintf(out, "]}");
}

static void print_function(const struct cfg *cfg, uint32_t i, FILE *out)
{
	const struct cfg_function *f = &cfg->functions[i];
	char name[CFG_NAME];
	const char *between = "";
	fprintf(out, "    {\"index\": %" PRIu32 ", \"name\": \"", i);
	json_escaped(cfg_function_name(cfg, i, name), out);
	fprintf(out,
	    "\", \"start\": %" PRIu64
	    ", \"found_by\": \"%s\", \"returns\": %s, \"reducible\": %s, \"unresolved\": %" PRIu32
	    ", \"instructions\": %" PRIu32,
	    f->start, cfg_origin_name(f->origin), f->returns ? "true" : "false", f->reducible ? "true" : "false",
	    f->unresolved, f->insns);
	index_or_null("entry", f->entry, f->blocks, out);
	fprintf(out, ", \"blocks\": [\n");
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		fprintf(out, "%s", between);
		print_block(cfg, f, b, out);
		between = ",\n";
	}
	fprintf(out, "],\n     \"loops\": [");
	for (uint32_t l = f->loops; l < f->loops + f->loop_count; l++) {
		const struct cfg_loop *loop = &cfg->loops[l];
		fprintf(out,
		    "%s{\"head\": %" PRIu32 ", \"depth\": %" PRIu32 ", \"blocks\": %" PRIu32 ", \"latches\": %" PRIu32
		    ", \"reducible\": %s",
		    l > f->loops ? ", " : "", loop->head - f->blocks, loop->depth, loop->block_count, loop->latches,
		    loop->reducible ? "true" : "false");
		index_or_null("parent", loop->parent, f->loops, out);
		fprintf(out, "}");
	}
	fprintf(out, "],\n     \"tables\": [");
	between = "";
	for (uint32_t t = 0; t < cfg->table_count; t++) {
		const struct cfg_table *table = &cfg->tables[t];
		if (table->function != i)
			continue;
		fprintf(out,
		    "%s{\"site\": %" PRIu64 ", \"address\": %" PRIu64 ", \"entries\": %" PRIu32
		    ", \"targets\": %" PRIu32 ", \"bounded\": %s}",
		    between, table->site, table->address, table->entries, table->targets,
		    table->bounded ? "true" : "false");
		between = ", ";
	}
	fprintf(out, "]}");
}

int cfg_json(const struct cfg *cfg, uint32_t function, bool calls, FILE *out)
{
	struct cfg_call_edge *edges = NULL;
	size_t count = 0;
	char name[CFG_NAME];
	if (calls && cfg_call_graph(cfg, &edges, &count) != CFG_OK)
		return CFG_ENOMEM;
	fprintf(out, "{\"program\": \"");
	json_escaped(image_path(cfg->image), out);
	fprintf(out, "\",\n  ");
	print_counts(cfg, out);
	fprintf(out, ",\n  \"functions\": [\n");
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		if (calls) {
			fprintf(out, "%s    {\"index\": %" PRIu32 ", \"name\": \"", i > 0 ? ",\n" : "", i);
			json_escaped(cfg_function_name(cfg, i, name), out);
			fprintf(out, "\", \"start\": %" PRIu64 "}", cfg->functions[i].start);
		} else if (function == CFG_NONE || function == i) {
			fprintf(out, "%s", function == CFG_NONE && i > 0 ? ",\n" : "");
			print_function(cfg, i, out);
		}
	}
	fprintf(out, "]");
	if (calls) {
		fprintf(out, ",\n  \"calls\": [");
		for (size_t i = 0; i < count; i++) {
			fprintf(out, "%s\n    {\"caller\": %" PRIu32, i > 0 ? "," : "", edges[i].caller);
			index_or_null("callee", edges[i].callee, 0, out);
			fprintf(
			    out, ", \"sites\": %" PRIu32 ", \"tail\": %" PRIu32 "}", edges[i].sites, edges[i].tails);
		}
		fprintf(out, "]");
	}
	fprintf(out, "}\n");
	free(edges);
	return CFG_OK;
}
