/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Graphs for Graphviz and as JSON. */
#include "host/cmd/cfg_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include "host/cmd/cmd.h"
#include "isa/isa.h"

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

/* The inside of a string of Graphviz. */
static void dot_text(const char *text, FILE *out)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc((unsigned char)*text < ' ' || *text == 0x7F ? '?' : *text, out);
	}
}

/* What is drawn of a function: as of cfg_dot_function(). */
struct drawing {
	const struct cfg *cfg;
	const struct cfg_function *f;
	bool insns;
	const struct account *heat;
	uint64_t most; /* cycles, or instructions, of its hottest block */
	FILE *out;
};

static uint64_t heat_of_insn(const struct account *heat, const struct account_insn *insn)
{
	return heat->timed ? insn->cycles : insn->count;
}

/* Of the instructions that ran from start up to end. *count: executions of the first one. */
static uint64_t heat_spent(const struct account *heat, uint64_t start, uint64_t end, uint64_t *count)
{
	const struct account_insn *insn = account_find(heat, start);
	uint64_t sum = 0;
	*count = insn == NULL ? 0 : insn->count;
	for (; insn != NULL && insn < heat->insns + heat->insn_count && insn->pc < end; insn++)
		sum += heat_of_insn(heat, insn);
	return sum;
}

/* White to red, by the root of the share of the hottest: what is a tenth as hot is still told from what is cold. */
static unsigned heat_colour(uint64_t value, uint64_t most)
{
	double share = most == 0 ? 0 : (double)value / (double)most;
	double root = 1;
	if (share < 0.0001)
		root = 0;
	else if (share < 0.01)
		root = 0.12;
	else if (share < 0.05)
		root = 0.3;
	else if (share < 0.2)
		root = 0.5;
	else if (share < 0.5)
		root = 0.75;
	unsigned rest = (unsigned)(248 - 150 * root);
	return 0xF80000u | rest << 8 | rest;
}

static double heat_part(const struct account *heat, uint64_t value)
{
	uint64_t all = heat->timed ? heat->all.cycles : heat->accounted.insns;
	return all == 0 ? 0 : 100 * (double)value / (double)all;
}

static const char *heat_times(const struct account *heat, uint64_t count)
{
	return with_unit(heat->period * (double)count);
}

static void dot_block(const struct drawing *d, uint32_t b)
{
	const struct cfg *cfg = d->cfg;
	const struct cfg_function *f = d->f;
	bool insns = d->insns;
	FILE *out = d->out;
	const struct cfg_block *block = &cfg->blocks[b];
	char text[96];
	bool head = block->loop != CFG_NONE && cfg->loops[block->loop].head == b;
	fprintf(out, "  b%" PRIu32 " [label=\"B%" PRIu32 "  %08" PRIx64 "  %" PRIu32 " insns\\l", b - f->blocks,
	    b - f->blocks, block->start, block->insns);
	uint64_t count = 0, value = d->heat == NULL ? 0 : heat_spent(d->heat, block->start, block->end, &count);
	if (d->heat != NULL)
		fprintf(out, "%s times, %.2f%%\\l", heat_times(d->heat, count), heat_part(d->heat, value));
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
		dot_text(text, out);
		fprintf(out, "\\l");
	}
	if (block->call == CFG_CALL) {
		fprintf(out, "call ");
		dot_text(cfg_function_name(cfg, block->callee, text), out);
		fprintf(out, "\\l");
	} else if (block->call == CFG_CALL_INDIRECT)
		fprintf(out, "call by a register\\l");
	if (d->heat != NULL) {
		fprintf(out, "\"%s, fillcolor=\"#%06x\"%s];\n", head ? ", penwidth=2" : "", heat_colour(value, d->most),
		    count == 0 ? ", fontcolor=\"#999999\"" : "");
		return;
	}
	const char *fill = "";
	if (b == f->entry)
		fill = ", fillcolor=\"#dcecff\"";
	else if (block->root)
		fill = ", fillcolor=\"#ffe0e0\"";
	fprintf(out, "\"%s%s];\n", head ? ", penwidth=2" : "", fill);
}

/* Whether an edge goes back to a head that dominates it, or around an irreducible loop. */
static bool goes_back(const struct cfg *cfg, uint32_t from, uint32_t to)
{
	uint32_t loop = cfg->blocks[to].loop;
	return loop != CFG_NONE && cfg->loops[loop].head == to && (from == to || cfg_dominates(cfg, to, from));
}

/* How often an edge was taken, as far as the instructions say: false for an edge of several that a table chooses. */
static bool drawn_edge_count(
    const struct drawing *d, const struct cfg_block *block, const struct cfg_edge *edge, uint64_t *count)
{
	const struct account_insn *last = account_find(d->heat, block->last);
	bool branch = false;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++)
		branch = branch || d->cfg->edges[e].kind == CFG_TAKEN;
	*count = last == NULL ? 0 : last->count;
	if (edge->kind == CFG_TAKEN && last != NULL)
		*count = last->taken;
	else if (branch && last != NULL)
		*count = last->count - last->taken - last->unknown;
	return edge->kind != CFG_TABLE || last == NULL;
}

static void dot_edge(const struct drawing *d, uint32_t b, uint32_t e)
{
	const struct cfg *cfg = d->cfg;
	const struct cfg_function *f = d->f;
	FILE *out = d->out;
	const struct cfg_edge *edge = &cfg->edges[e];
	const char *colour = colour_of(edge->kind);
	char name[CFG_NAME];
	if (edge->to != CFG_NONE) {
		const char *label = edge->kind == CFG_TAKEN ? "T" : "";
		uint64_t count;
		bool counted = d->heat != NULL && drawn_edge_count(d, &cfg->blocks[b], edge, &count);
		fprintf(out, "  b%" PRIu32 " -> b%" PRIu32 " [color=\"%s\", fontcolor=\"%s\", label=\"%s%s%s\"%s%s];\n",
		    b - f->blocks, edge->to - f->blocks, counted && count == 0 ? "#bbbbbb" : colour, colour, label,
		    counted && *label != '\0' ? " " : "", counted ? heat_times(d->heat, count) : "",
		    edge->kind == CFG_AFTER_CALL ? ", style=dashed" : "",
		    goes_back(cfg, b, edge->to) ? ", penwidth=2" : "");
		return;
	}
	bool bad = edge->kind == CFG_UNRESOLVED || edge->kind == CFG_OUTSIDE;
	fprintf(out, "  x%" PRIu32 " [shape=plaintext, style=\"\", fontcolor=\"%s\", label=\"%s",
	    e - cfg->blocks[f->blocks].edges, bad ? "#c00000" : "#444444", cfg_edge_name(edge->kind));
	if (edge->kind == CFG_TAIL) {
		fprintf(out, "\\n");
		dot_text(cfg_function_name(cfg, cfg_function_at(cfg, edge->target), name), out);
	}
	fprintf(out, "\"];\n  b%" PRIu32 " -> x%" PRIu32 " [color=\"%s\"];\n", b - f->blocks,
	    e - cfg->blocks[f->blocks].edges, bad ? "#c00000" : "#888888");
}

/* Nested boxes around loops; each block inside the innermost. */
static void dot_loop(const struct drawing *d, uint32_t loop)
{
	const struct cfg *cfg = d->cfg;
	const struct cfg_function *f = d->f;
	FILE *out = d->out;
	fprintf(out,
	    "  subgraph cluster_%" PRIu32 " { label=\"L%" PRIu32
	    "%s\"; color=\"%s\"; style=\"rounded\"; fontcolor=\"#888888\";\n",
	    loop - f->loops, loop - f->loops, cfg->loops[loop].reducible ? "" : " irreducible",
	    cfg->loops[loop].reducible ? "#bbbbbb" : "#c00000");
	for (uint32_t inner = f->loops; inner < f->loops + f->loop_count && cfg->loops[loop].depth < 64; inner++) {
		if (cfg->loops[inner].parent == loop)
			dot_loop(d, inner);
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		uint32_t own = cfg->blocks[b].loop;
		while (own != CFG_NONE && cfg->loops[own].depth > 64)
			own = cfg->loops[own].parent;
		if (own == loop)
			dot_block(d, b);
	}
	fprintf(out, "  }\n");
}

void cfg_dot_function(const struct cfg *cfg, uint32_t function, bool insns, const struct account *heat, FILE *out)
{
	const struct cfg_function *f = &cfg->functions[function];
	struct drawing d = {cfg, f, insns, heat, 0, out};
	for (uint32_t b = f->blocks; heat != NULL && b < f->blocks + f->block_count; b++) {
		uint64_t count, value = heat_spent(heat, cfg->blocks[b].start, cfg->blocks[b].end, &count);
		d.most = value > d.most ? value : d.most;
	}
	char name[CFG_NAME];
	fprintf(out, "digraph \"");
	dot_text(cfg_function_name(cfg, function, name), out);
	fprintf(out, "\" {\n  label=\"");
	dot_text(cfg_function_name(cfg, function, name), out);
	fprintf(out,
	    "\"; labelloc=t; fontname=\"Helvetica\"; fontsize=16;\n"
	    "  node [shape=box, style=\"filled\", fillcolor=\"#f8f8f8\", fontname=\"DejaVu Sans Mono\", fontsize=9, "
	    "margin=\"0.08,0.04\"];\n"
	    "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.7];\n");
	for (uint32_t l = f->loops; l < f->loops + f->loop_count; l++) {
		if (cfg->loops[l].parent == CFG_NONE)
			dot_loop(&d, l);
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		if (cfg->blocks[b].loop == CFG_NONE)
			dot_block(&d, b);
	}
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		for (uint32_t e = cfg->blocks[b].edges; e < cfg->blocks[b].edges + cfg->blocks[b].edge_count; e++)
			dot_edge(&d, b, e);
	}
	fprintf(out, "}\n");
}

/* Cycles of the function's instructions. */
static uint64_t function_spent(const struct cfg *cfg, uint32_t function, const struct account *heat)
{
	const struct cfg_function *f = &cfg->functions[function];
	uint64_t sum = 0, count;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
		sum += heat_spent(heat, cfg->blocks[b].start, cfg->blocks[b].end, &count);
	return sum;
}

/* Calls from one function to another; CFG_NONE: by a register, to functions that the instructions do not name. */
static uint64_t calls_counted(const struct cfg *cfg, const struct account *heat, uint32_t caller, uint32_t callee)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < heat->call_count; i++) {
		const struct account_call *call = &heat->calls[i];
		uint32_t from = cfg_block_at(cfg, call->pc);
		if (from == CFG_NONE || cfg->blocks[from].function != caller)
			continue;
		const struct account_insn *site = account_find(heat, call->pc);
		bool indirect =
		    call->callee == ACCOUNT_NOWHERE || (site != NULL && (site->class_bits & ISA_INDIRECT) != 0);
		uint32_t to = call->callee == ACCOUNT_NOWHERE ? CFG_NONE : cfg_block_at(cfg, call->callee);
		if (callee == CFG_NONE ? indirect : to != CFG_NONE && cfg->blocks[to].function == callee)
			sum += call->count;
	}
	return sum;
}

int cfg_dot_calls(const struct cfg *cfg, const struct account *heat, FILE *out)
{
	uint64_t most = 0;
	for (uint32_t i = 0; heat != NULL && i < cfg->counts.functions; i++) {
		uint64_t value = function_spent(cfg, i, heat);
		most = value > most ? value : most;
	}
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
		dot_text(cfg_function_name(cfg, i, name), out);
		if (heat != NULL) {
			uint64_t value = function_spent(cfg, i, heat);
			fprintf(out, "\\n%.2f%%\", fillcolor=\"#%06x\"%s];\n", heat_part(heat, value),
			    heat_colour(value, most), value == 0 ? ", fontcolor=\"#999999\"" : "");
			continue;
		}
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
		if (heat != NULL)
			fputs(heat_times(heat, calls_counted(cfg, heat, c->caller, c->callee)), out);
		else if (c->sites > 1)
			fprintf(out, "%" PRIu32, c->sites);
		fprintf(out, "\"%s];\n", c->tails == c->sites ? ", style=dashed" : "");
	}
	fprintf(out, "}\n");
	free(calls);
	return CFG_OK;
}
