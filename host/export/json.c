/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Everything as JSON: functions, instructions with places and branch outcomes, calls, stacks. docs/export.md describes
 * each member. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/json.h"
#include "host/export/edges.h"
#include "host/export/tree.h"
#include "isa/isa.h"

static void write_head(struct json *j, const struct export_input *input, bool estimated)
{
	const struct gather_result *result = input->result;
	char build[16], why[1024] = "";
	if (input->remainder != NULL)
		remainder_text(input->remainder, why, sizeof why);
	json_text(j, "format", "rivulet export");
	json_number(j, "version", 1);
	json_text(j, "program", input->program);
	json_text(j, "application", input->name);
	snprintf(build, sizeof build, "%08" PRIx32, input->build);
	json_text(j, "build", build);
	json_bool(j, "sampled", input->sampled);
	json_bool(j, "part", input->part);
	json_number(j, "scale", result->scale);
	json_bool(j, "timed", input->timed);
	json_text(j, "stacks", result->ordered ? "from the first record on" : "within each trace");
	json_text(j, "call_costs", estimated ? "estimated" : "exact");
	json_number(j, "traces", result->traces);
	json_number(j, "traces_left_out", result->unfit);
	json_number(j, "traces_cut", result->cut);
	json_number(j, "cycles_left_out", result->lost_cycles);
	json_number(j, "instructions", result->count);
	json_number(j, "cycles", result->cycles);
	if (input->remainder != NULL) {
		json_line(j, "not_traced");
		json_bool(j, "known", input->remainder->known);
		json_number(j, "instructions", input->remainder->left_insns);
		json_number(j, "cycles", input->remainder->left_cycles);
		json_text(j, "why", why);
		json_object_end(j);
	}
}

static int write_functions(struct json *j, const struct export_input *input)
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
	json_array(j, "functions");
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		json_line(j, NULL);
		json_number(j, "id", i);
		json_text(j, "name", spot->name);
		json_text(j, "file", spot->file);
		json_number(j, "line", spot->declared);
		json_number(j, "start", spot->start);
		if (spot->parent != SPOT_NONE) {
			json_number(j, "inlined_into", spot->parent);
			json_number(j, "call_line", spot->call_line);
		}
		json_number(j, "instructions", sums[i].count);
		json_number(j, "cycles", sums[i].cycles);
		json_object_end(j);
	}
	json_array_end(j);
	free(sums);
	return EXPORT_OK;
}

static void write_code(struct json *j, const struct export_input *input)
{
	json_array(j, "code");
	for (size_t i = 0; i < input->result->code_count; i++) {
		const struct gather_code *code = &input->result->code[i];
		const struct spot_place *place = spots_at(input->spots, code->pc);
		json_line(j, NULL);
		json_number(j, "pc", code->pc);
		json_number(j, "count", code->count);
		json_number(j, "cycles", code->cycles);
		if (place != NULL) {
			json_number(j, "function", place->spot);
			json_text(j, "file", place->file);
			json_number(j, "line", place->line);
			if (place->discriminator != 0)
				json_number(j, "discriminator", place->discriminator);
			if ((place->class_bits & ISA_BRANCH) != 0) {
				json_number(j, "taken", code->taken);
				json_number(j, "not_taken", code->not_taken);
			}
		}
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_calls(struct json *j, const struct edges *edges)
{
	json_array(j, "calls");
	for (size_t i = 0; i < edges->count; i++) {
		const struct edge *edge = &edges->all[i];
		json_line(j, NULL);
		json_number(j, "site", edge->site);
		json_number(j, "target", edge->target);
		json_number(j, "calls", edge->calls);
		json_number(j, "instructions", edge->count);
		json_number(j, "cycles", edge->cycles);
		json_object_end(j);
	}
	json_array_end(j);
}

static int write_stacks(struct json *j, const struct export_input *input)
{
	struct tree tree;
	int error = tree_make(&tree, input);
	if (error != EXPORT_OK)
		return error;
	json_array(j, "frames");
	for (size_t i = 0; i < tree.frame_count; i++) {
		json_line(j, NULL);
		json_text(j, "name", tree.frames[i].name);
		json_text(j, "file", tree.frames[i].file);
		json_number(j, "line", tree.frames[i].line);
		json_object_end(j);
	}
	json_array_end(j);
	/* as a tree: a stack is a node with the nodes above it, up to one whose parent is 0 */
	json_array(j, "stack_nodes");
	for (size_t i = 1; i < tree.node_count; i++) {
		const struct tree_node *node = &tree.nodes[i];
		json_line(j, NULL);
		json_number(j, "id", i);
		json_number(j, "parent", node->parent);
		json_number(j, "frame", node->frame);
		json_number(j, "instructions", node->count);
		json_number(j, "cycles", node->cycles);
		json_object_end(j);
	}
	json_array_end(j);
	tree_free(&tree);
	return EXPORT_OK;
}

int export_json(const struct export_input *input, FILE *out)
{
	struct edges edges;
	struct json j;
	int error = edges_make(&edges, input);
	if (error != EXPORT_OK)
		return error;
	json_open_compact(&j, out);
	write_head(&j, input, edges.estimated);
	error = write_functions(&j, input);
	if (error == EXPORT_OK) {
		write_code(&j, input);
		write_calls(&j, &edges);
		error = write_stacks(&j, input);
	}
	if (!json_close(&j) && error == EXPORT_OK)
		error = EXPORT_ENOMEM;
	edges_free(&edges);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
