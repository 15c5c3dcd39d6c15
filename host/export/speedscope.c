/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * speedscope's file format (https://www.speedscope.app/file-format-schema.json): shared frames, and two profiles of
 * weighted stacks, cycles and instructions. The order of the stacks is no order in time.
 */
#include <stdlib.h>
#include "host/base/array.h"
#include "host/base/json.h"
#include "host/export/tree.h"

static void write_frames(struct json *j, const struct tree *tree)
{
	json_object(j, "shared");
	json_array(j, "frames");
	for (size_t i = 0; i < tree->frame_count; i++) {
		const struct tree_frame *frame = &tree->frames[i];
		json_line(j, NULL);
		json_text(j, "name", frame->name);
		if (frame->file != NULL)
			json_text(j, "file", frame->file);
		if (frame->line != 0)
			json_number(j, "line", frame->line);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

/* The members that each kind of profile begins with; the caller ends the object. */
static void begin_profile(struct json *j, const char *type, const char *name, uint64_t end)
{
	json_object(j, NULL);
	json_text(j, "type", type);
	json_text(j, "name", name);
	json_text(j, "unit", "none");
	json_number(j, "startValue", 0);
	json_number(j, "endValue", end);
}

static uint64_t weight_of(const struct tree *tree, size_t node, bool cycles)
{
	return cycles ? tree->nodes[node].cycles : tree->nodes[node].count;
}

static int write_profile(struct json *j, const struct tree *tree, const char *name, bool cycles)
{
	uint32_t *frames = NULL;
	size_t room = 0;
	uint64_t total = 0;
	for (size_t i = 1; i < tree->node_count; i++)
		total += weight_of(tree, i, cycles);
	begin_profile(j, "sampled", name, total);
	json_array(j, "samples");
	for (size_t i = 1; i < tree->node_count; i++) {
		uint32_t depth = tree->nodes[i].depth;
		if (weight_of(tree, i, cycles) == 0)
			continue;
		if (!array_room(&frames, depth, &room)) {
			free(frames);
			return EXPORT_ENOMEM;
		}
		tree_stack(tree, (uint32_t)i, frames);
		json_row(j, NULL);
		for (uint32_t k = 0; k < depth; k++)
			json_number(j, NULL, frames[k]);
		json_array_end(j);
	}
	json_array_end(j);
	json_row(j, "weights");
	for (size_t i = 1; i < tree->node_count; i++) {
		if (weight_of(tree, i, cycles) != 0)
			json_number(j, NULL, weight_of(tree, i, cycles));
	}
	json_array_end(j);
	json_object_end(j);
	free(frames);
	return EXPORT_OK;
}

struct events {
	struct json *j;
	const uint32_t *frame_of; /* by spot */
};

static void say_event(void *context, bool opens, uint32_t spot, uint64_t at, uint32_t depth)
{
	struct events *e = context;
	(void)depth;
	json_line(e->j, NULL);
	json_text(e->j, "type", opens ? "O" : "C");
	json_number(e->j, "frame", e->frame_of[spot]);
	json_number(e->j, "at", at);
	json_object_end(e->j);
}

/* Calls in the order of time: what speedscope shows first. The other profiles are sums, without an order. */
static int write_events(struct json *j, const struct export_input *input, const struct tree *tree)
{
	struct events events = {.j = j, .frame_of = tree->frame_of};
	begin_profile(j, "evented", "in order of time", input->timeline->now);
	json_array(j, "events");
	int error = timeline_walk(
	    input->timeline, input->result->nodes, input->result->node_count, input->spots, say_event, &events);
	json_array_end(j);
	json_object_end(j);
	return error == GATHER_OK ? EXPORT_OK : EXPORT_ENOMEM;
}

int export_speedscope(const struct export_input *input, FILE *out)
{
	struct tree tree;
	struct json json, *j = &json;
	int error = tree_make(&tree, input);
	if (error != EXPORT_OK)
		return error;
	json_open_compact(j, out);
	json_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(j, "exporter", "rivulet");
	json_text(j, "name", input->name);
	json_number(j, "activeProfileIndex", 0);
	write_frames(j, &tree);
	json_array(j, "profiles");
	if (input->timeline != NULL)
		error = write_events(j, input, &tree);
	if (input->timed && error == EXPORT_OK)
		error = write_profile(j, &tree, "cycles", true);
	if (error == EXPORT_OK)
		error = write_profile(j, &tree, "instructions", false);
	json_array_end(j);
	if (!json_close(j) && error == EXPORT_OK)
		error = EXPORT_ENOMEM;
	tree_free(&tree);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
