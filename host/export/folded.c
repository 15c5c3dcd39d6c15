/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Folded stacks, one line each, as flamegraph.pl and others read them: "main;parse;next 1234", cycles where there are
 * any, else instructions. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/array.h"
#include <string.h>
#include "host/export/tree.h"

/* A name ends at a semicolon, the stack at the last blank. */
static void write_name(FILE *out, const char *name)
{
	for (; *name != '\0'; name++)
		fputc(*name == ';' || *name == '\n' || *name == ' ' ? '_' : *name, out);
}

int export_folded(const struct export_input *input, FILE *out)
{
	struct tree tree;
	int error = tree_make(&tree, input);
	if (error != EXPORT_OK)
		return error;
	uint32_t *frames = NULL;
	size_t room = 0;
	for (size_t i = 1; i < tree.node_count && error == EXPORT_OK; i++) {
		const struct tree_node *node = &tree.nodes[i];
		uint64_t weight = input->timed ? node->cycles : node->count;
		if (weight == 0)
			continue;
		if (!array_room(&frames, node->depth, &room)) {
			error = EXPORT_ENOMEM;
			break;
		}
		tree_stack(&tree, (uint32_t)i, frames);
		for (uint32_t k = 0; k < node->depth; k++) {
			if (k > 0)
				fputc(';', out);
			write_name(out, tree.frames[frames[k]].name);
		}
		fprintf(out, " %" PRIu64 "\n", weight);
	}
	free(frames);
	tree_free(&tree);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
