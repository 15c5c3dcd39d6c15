/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * speedscope's file format (https://www.speedscope.app/file-format-schema.json): shared frames, and two profiles of
 * weighted stacks, cycles and instructions. The order of the stacks is no order in time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/array.h"
#include "host/base/json.h"
#include "host/export/tree.h"

static void write_frames(const struct tree *tree, FILE *out)
{
	fputs("\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < tree->frame_count; i++) {
		const struct tree_frame *frame = &tree->frames[i];
		fputs(i == 0 ? "\n{\"name\":" : ",\n{\"name\":", out);
		json_quoted(frame->name, out);
		if (frame->file != NULL) {
			fputs(",\"file\":", out);
			json_quoted(frame->file, out);
		}
		if (frame->line != 0)
			fprintf(out, ",\"line\":%u", frame->line);
		fputc('}', out);
	}
	fputs("\n]},\n", out);
}

static int write_profile(const struct tree *tree, const char *name, bool cycles, FILE *out)
{
	uint32_t *frames = NULL;
	size_t room = 0;
	uint64_t total = 0;
	bool first = true;
	fprintf(out, "{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"none\",\"startValue\":0,\"samples\":[", name);
	for (size_t i = 1; i < tree->node_count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		uint64_t weight = cycles ? node->cycles : node->count;
		if (weight == 0)
			continue;
		if (!array_room(&frames, node->depth, &room)) {
			free(frames);
			return EXPORT_ENOMEM;
		}
		tree_stack(tree, (uint32_t)i, frames);
		fputs(first ? "\n[" : ",\n[", out);
		for (uint32_t k = 0; k < node->depth; k++)
			fprintf(out, k == 0 ? "%" PRIu32 : ",%" PRIu32, frames[k]);
		fputc(']', out);
		first = false;
		total += weight;
	}
	fputs("\n],\"weights\":[", out);
	first = true;
	for (size_t i = 1; i < tree->node_count; i++) {
		uint64_t weight = cycles ? tree->nodes[i].cycles : tree->nodes[i].count;
		if (weight == 0)
			continue;
		fprintf(out, first ? "%" PRIu64 : ",%" PRIu64, weight);
		first = false;
	}
	fprintf(out, "],\"endValue\":%" PRIu64 "}", total);
	free(frames);
	return EXPORT_OK;
}

struct events {
	FILE *out;
	const uint32_t *frame_of; /* by spot */
	bool first;
};

static void say_event(void *context, bool opens, uint32_t spot, uint64_t at, uint32_t depth)
{
	struct events *e = context;
	(void)depth;
	fprintf(e->out, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}", e->first ? "\n" : ",\n",
	    opens ? 'O' : 'C', e->frame_of[spot], at);
	e->first = false;
}

/* Calls in the order of time: what speedscope shows first. The other profiles are sums, without an order. */
static int write_events(const struct export_input *input, const struct tree *tree, FILE *out)
{
	struct events events = {.out = out, .frame_of = tree->frame_of, .first = true};
	fprintf(out,
	    "{\"type\":\"evented\",\"name\":\"in order of "
	    "time\",\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"events\":[",
	    input->timeline->now);
	int error = timeline_walk(
	    input->timeline, input->result->nodes, input->result->node_count, input->spots, say_event, &events);
	fputs("\n]},\n", out);
	return error == GATHER_OK ? EXPORT_OK : EXPORT_ENOMEM;
}

int export_speedscope(const struct export_input *input, FILE *out)
{
	struct tree tree;
	int error = tree_make(&tree, input);
	if (error != EXPORT_OK)
		return error;
	fputs(
	    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"rivulet\",\"name\":",
	    out);
	json_quoted(input->name, out);
	fputs(",\"activeProfileIndex\":0,\n", out);
	write_frames(&tree, out);
	fputs("\"profiles\":[\n", out);
	if (input->timeline != NULL)
		error = write_events(input, &tree, out);
	if (input->timed && error == EXPORT_OK) {
		error = write_profile(&tree, "cycles", true, out);
		fputs(",\n", out);
	}
	if (error == EXPORT_OK)
		error = write_profile(&tree, "instructions", false, out);
	fputs("\n]}\n", out);
	tree_free(&tree);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
