/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Graphs for Graphviz and as JSON. */
#include "host/cmd/cfg_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include "host/cmd/json.h"

#define DOT_INSNS_MAX 24 /* of a block, in a picture */

static const char *colour_of(unsigned kind)
{
	switch (kind) {
	case CFG_TAKEN:
		return "#2f7d32";
	case CFG_FALL:
		return "#444444";
	case CFG_AFTER_CALL:
		return "#8a6d00";
	case CFG_TABLE:
		return "#6a1b9a";
	default:
		return "#1f4e8c";
	}
}

static void dot_block(const struct cfg *cfg, const struct cfg_function *f, uint32_t b, bool insns, FILE *out)
{
	const struct cfg_block *block = &cfg->blocks[b];
	char text[96];
	bool head = block->loop != CFG_NONE && cfg->loops[block->loop].head == b;
	fprintf(out, "  b%" PRIu32 " [label=\"B%" PRIu32 "  %08" PRIx64 "  %" PRIu32 " insns\\l", b - f->blocks,
	    b - f->blocks, block->start, block->insns);
	unsigned length, shown = 0;
	for (uint64_t pc = block->start; insns && pc < block->end; pc += length) {
		length = cfg_insn(cfg, pc, text, sizeof text);
		if (length == 0)
			break;
		if (++shown > DOT_INSNS_MAX && pc != block->last) {
			if (shown == DOT_INSNS_MAX + 1)
				fprintf(out, "  ...\\l");
			continue;
		}
		json_escaped(text, out);
		fprintf(out, "\\l");
	}
	if (block->call == CFG_CALL) {
		fprintf(out, "call ");
		json_escaped(cfg_function_name(cfg, block->callee, text), out);
		fprintf(out, "\\l");
	} else if (block->call == CFG_CALL_INDIRECT)
		fprintf(out, "call by a register\\l");
	fprintf(out, "\"%s%s];\n", head ? ", penwidth=2" : "",
	    b == f->entry ? ", fillcolor=\"#dcecff\""
	    : block->root ? ", fillcolor=\"#ffe0e0\""
			  : "");
}

/* Whether an edge goes back to a head that dominates it, or around an irreducible loop. */
static bool goes_back(const struct cfg *cfg, uint32_t from, uint32_t to)
{
	uint32_t loop = cfg->blocks[to].loop;
	return loop != CFG_NONE && cfg->loops[loop].head == to && (from == to || cfg_dominates(cfg, to, from));
}

static void dot_edge(const struct cfg *cfg, const struct cfg_function *f, uint32_t b, uint32_t e, FILE *out)
{
	const struct cfg_edge *edge = &cfg->edges[e];
	const char *colour = colour_of(edge->kind);
	char name[CFG_NAME];
	if (edge->to != CFG_NONE) {
		const char *label = edge->kind == CFG_TAKEN ? "T" : "";
		fprintf(out, "  b%" PRIu32 " -> b%" PRIu32 " [color=\"%s\", fontcolor=\"%s\", label=\"%s\"%s%s];\n",
		    b - f->blocks, edge->to - f->blocks, colour, colour, label,
		    edge->kind == CFG_AFTER_CALL ? ", style=dashed" : "",
		    goes_back(cfg, b, edge->to) ? ", penwidth=2" : "");
		return;
	}
	bool bad = edge->kind == CFG_UNRESOLVED || edge->kind == CFG_OUTSIDE;
	fprintf(out, "  x%" PRIu32 " [shape=plaintext, style=\"\", fontcolor=\"%s\", label=\"%s",
	    e - cfg->blocks[f->blocks].edges, bad ? "#c00000" : "#444444", cfg_edge_name(edge->kind));
	if (edge->kind == CFG_TAIL) {
		fprintf(out, "\\n");
		json_escaped(cfg_function_name(cfg, cfg_function_at(cfg, edge->target), name), out);
	}
	fprintf(out, "\"];\n  b%" PRIu32 " -> x%" PRIu32 " [color=\"%s\"];\n", b - f->blocks,
	    e - cfg->blocks[f->blocks].edges, bad ? "#c00000" : "#888888");
}

/* Nested boxes around loops; each block inside the innermost. */
static void dot_loop(const struct cfg *cfg, const struct cfg_function *f, uint32_t loop, bool insns, FILE *out)
{
	fprintf(out,
	    "  subgraph cluster_%" PRIu32 " { label=\"L%" PRIu32
	    "%s\"; color=\"%s\"; style=\"rounded\"; fontcolor=\"#888888\";\n",
	    loop - f->loops, loop - f->loops, cfg->loops[loop].reducible ? "" : " irreducible",
	    cfg->loops[loop].reducible ? "#bbbbbb" : "#c00000");
	for (uint32_t inner = f->loops; inner < f->loops + f->loop_count && cfg->loops[loop].depth < 64; inner++) {
		if (cfg->loops[inner].parent == loop)
			dot_loop(cfg, f, inner, insns, out);
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		uint32_t own = cfg->blocks[b].loop;
		while (own != CFG_NONE && cfg->loops[own].depth > 64)
			own = cfg->loops[own].parent;
		if (own == loop)
			dot_block(cfg, f, b, insns, out);
	}
	fprintf(out, "  }\n");
}

void cfg_dot_function(const struct cfg *cfg, uint32_t function, bool insns, FILE *out)
{
	const struct cfg_function *f = &cfg->functions[function];
	char name[CFG_NAME];
	fprintf(out, "digraph \"");
	json_escaped(cfg_function_name(cfg, function, name), out);
	fprintf(out, "\" {\n  label=\"");
	json_escaped(cfg_function_name(cfg, function, name), out);
	fprintf(out,
	    "\"; labelloc=t; fontname=\"Helvetica\"; fontsize=16;\n"
	    "  node [shape=box, style=\"filled\", fillcolor=\"#f8f8f8\", fontname=\"DejaVu Sans Mono\", fontsize=9, "
	    "margin=\"0.08,0.04\"];\n"
	    "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.7];\n");
	for (uint32_t l = f->loops; l < f->loops + f->loop_count; l++) {
		if (cfg->loops[l].parent == CFG_NONE)
			dot_loop(cfg, f, l, insns, out);
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		if (cfg->blocks[b].loop == CFG_NONE)
			dot_block(cfg, f, b, insns, out);
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		for (uint32_t e = cfg->blocks[b].edges; e < cfg->blocks[b].edges + cfg->blocks[b].edge_count; e++)
			dot_edge(cfg, f, b, e, out);
	}
	fprintf(out, "}\n");
}

int cfg_dot_calls(const struct cfg *cfg, FILE *out)
{
	struct cfg_call_edge *calls;
	size_t count;
	char name[CFG_NAME];
	if (cfg_call_graph(cfg, &calls, &count) != CFG_OK)
		return CFG_ENOMEM;
	fprintf(out,
	    "digraph calls {\n  rankdir=LR; ranksep=0.6; nodesep=0.12;\n"
	    "  node [shape=box, style=\"filled,rounded\", fillcolor=\"#f8f8f8\", fontname=\"Helvetica\", fontsize=10, "
	    "height=0.25, margin=\"0.08,0.03\"];\n"
	    "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6, color=\"#555555\"];\n");
	uint32_t entry = cfg_block_at(cfg, image_entry(cfg->image));
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct cfg_function *f = &cfg->functions[i];
		fprintf(out, "  f%" PRIu32 " [label=\"", i);
		json_escaped(cfg_function_name(cfg, i, name), out);
		fprintf(out, "\"%s%s];\n",
		    entry != CFG_NONE && cfg->blocks[entry].function == i ? ", fillcolor=\"#dcecff\"" : "",
		    f->returns ? "" : ", color=\"#c00000\"");
	}
	for (size_t i = 0; i < count; i++) {
		const struct cfg_call_edge *c = &calls[i];
		if (c->callee == CFG_NONE) {
			fprintf(out,
			    "  u%" PRIu32
			    " [shape=plaintext, style=\"\", fontcolor=\"#c00000\", label=\"by a register\"];\n",
			    c->caller);
			fprintf(out, "  f%" PRIu32 " -> u%" PRIu32, c->caller, c->caller);
		} else
			fprintf(out, "  f%" PRIu32 " -> f%" PRIu32, c->caller, c->callee);
		fprintf(out, " [label=\"");
		if (c->sites > 1)
			fprintf(out, "%" PRIu32, c->sites);
		fprintf(out, "\"%s];\n", c->tails == c->sites ? ", style=dashed" : "");
	}
	fprintf(out, "}\n");
	free(calls);
	return CFG_OK;
}
