/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Everything as JSON: functions, instructions with places and branch outcomes, calls, stacks. docs/export.md describes
 * each member. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/export/edges.h"
#include "host/base/json.h"
#include "host/export/tree.h"

static void write_head(const struct export_input *input, bool estimated, FILE *out)
{
	const struct gather_result *result = input->result;
	fputs("{\"format\":\"rivulet export\",\"version\":1,\n\"program\":", out);
	json_quoted(input->program, out);
	fputs(",\"application\":", out);
	json_quoted(input->name, out);
	fprintf(out, ",\"build\":\"%08" PRIx32 "\",\n\"sampled\":%s,\"scale\":%" PRIu64 ",\"timed\":%s,", input->build,
	    input->sampled ? "true" : "false", result->scale, input->timed ? "true" : "false");
	fprintf(out, "\"stacks\":\"%s\",\"call_costs\":\"%s\",\n",
	    result->ordered ? "from the first record on" : "within each trace", estimated ? "estimated" : "exact");
	fprintf(out,
	    "\"traces\":%" PRIu64 ",\"traces_left_out\":%" PRIu64 ",\"traces_cut\":%" PRIu64
	    ",\"cycles_left_out\":%" PRIu64 ",\n\"instructions\":%" PRIu64 ",\"cycles\":%" PRIu64,
	    result->traces, result->unfit, result->cut, result->lost_cycles, result->count, result->cycles);
}

static int write_functions(const struct export_input *input, FILE *out)
{
	const struct spots *spots = input->spots;
	struct sum {
		uint64_t count, cycles;
	} *sums = calloc(spots->count + 1, sizeof *sums);
	if (sums == NULL)
		return EXPORT_ENOMEM;
	for (size_t i = 0; i < input->result->code_count; i++) {
		const struct gather_code *code = &input->result->code[i];
		const struct spot_place *place = spots_at(spots, code->pc);
		if (place != NULL) {
			sums[place->spot].count += code->count;
			sums[place->spot].cycles += code->cycles;
		}
	}
	fputs(",\n\"functions\":[", out);
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		fprintf(out, "%s{\"id\":%zu,\"name\":", i == 0 ? "\n" : ",\n", i);
		json_quoted(spot->name, out);
		fputs(",\"file\":", out);
		json_quoted(spot->file, out);
		fprintf(out, ",\"line\":%u,\"start\":%" PRIu64, spot->declared, spot->start);
		if (spot->parent != SPOT_NONE)
			fprintf(out, ",\"inlined_into\":%" PRIu32 ",\"call_line\":%u", spot->parent, spot->call_line);
		fprintf(out, ",\"instructions\":%" PRIu64 ",\"cycles\":%" PRIu64 "}", sums[i].count, sums[i].cycles);
	}
	fputs("\n]", out);
	free(sums);
	return EXPORT_OK;
}

static void write_code(const struct export_input *input, FILE *out)
{
	fputs(",\n\"code\":[", out);
	for (size_t i = 0; i < input->result->code_count; i++) {
		const struct gather_code *code = &input->result->code[i];
		const struct spot_place *place = spots_at(input->spots, code->pc);
		fprintf(out, "%s{\"pc\":%" PRIu64 ",\"count\":%" PRIu64 ",\"cycles\":%" PRIu64, i == 0 ? "\n" : ",\n",
		    code->pc, code->count, code->cycles);
		if (place != NULL) {
			fprintf(out, ",\"function\":%" PRIu32 ",\"file\":", place->spot);
			json_quoted(place->file, out);
			fprintf(out, ",\"line\":%u", place->line);
			if (place->discriminator != 0)
				fprintf(out, ",\"discriminator\":%u", place->discriminator);
			if ((place->class_bits & ISA_BRANCH) != 0)
				fprintf(
				    out, ",\"taken\":%" PRIu64 ",\"not_taken\":%" PRIu64, code->taken, code->not_taken);
		}
		fputc('}', out);
	}
	fputs("\n]", out);
}

static void write_calls(const struct edges *edges, FILE *out)
{
	fputs(",\n\"calls\":[", out);
	for (size_t i = 0; i < edges->count; i++) {
		const struct edge *edge = &edges->all[i];
		fprintf(out,
		    "%s{\"site\":%" PRIu64 ",\"target\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"instructions\":%" PRIu64
		    ",\"cycles\":%" PRIu64 "}",
		    i == 0 ? "\n" : ",\n", edge->site, edge->target, edge->calls, edge->count, edge->cycles);
	}
	fputs("\n]", out);
}

static int write_stacks(const struct export_input *input, FILE *out)
{
	struct tree tree;
	bool first = true;
	int error = tree_make(&tree, input);
	if (error != EXPORT_OK)
		return error;
	fputs(",\n\"frames\":[", out);
	for (size_t i = 0; i < tree.frame_count; i++) {
		fputs(i == 0 ? "\n{\"name\":" : ",\n{\"name\":", out);
		json_quoted(tree.frames[i].name, out);
		fputs(",\"file\":", out);
		json_quoted(tree.frames[i].file, out);
		fprintf(out, ",\"line\":%u}", tree.frames[i].line);
	}
	/* as a tree: a stack is a node with the nodes above it, up to one whose parent is 0 */
	fputs("\n],\n\"stack_nodes\":[", out);
	for (size_t i = 1; i < tree.node_count; i++, first = false) {
		const struct tree_node *node = &tree.nodes[i];
		fprintf(out,
		    "%s{\"id\":%zu,\"parent\":%" PRIu32 ",\"frame\":%" PRIu32 ",\"instructions\":%" PRIu64
		    ",\"cycles\":%" PRIu64 "}",
		    first ? "\n" : ",\n", i, node->parent, node->frame, node->count, node->cycles);
	}
	fputs("\n]", out);
	tree_free(&tree);
	return EXPORT_OK;
}

int export_json(const struct export_input *input, FILE *out)
{
	struct edges edges;
	int error = edges_make(&edges, input);
	if (error != EXPORT_OK)
		return error;
	write_head(input, edges.estimated, out);
	error = write_functions(input, out);
	if (error == EXPORT_OK) {
		write_code(input, out);
		write_calls(&edges, out);
		error = write_stacks(input, out);
	}
	fputs("}\n", out);
	edges_free(&edges);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
