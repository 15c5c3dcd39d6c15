/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_TREE_H
#define RIVULET_EXPORT_TREE_H
/*
 * Stacks of functions, inlined ones as frames of their own, outermost first:
 *
 *   contexts  main ─call at 0x80000124─► parse          instruction 0x80000300 = inlined "next" in parse
 *   tree      main ► parse ► next                        with what ran exactly there
 *
 * A frame is a function by name and file, wherever its code stands.
 */
#include "host/export/export.h"

struct tree_frame {
	const char *name, *file; /* file may be NULL */
	unsigned line;           /* that declares it; 0: not known */
};

struct tree_node {
	uint32_t parent, frame; /* node 0 is above all; else parent is smaller than its own index */
	uint32_t depth;         /* frames from the outermost to this one */
	uint64_t count, cycles; /* in exactly this stack */
};

struct tree {
	struct tree_frame *frames;
	size_t frame_count;
	struct tree_node *nodes;
	size_t node_count;
	char (*names)[SPOTS_NAME]; /* of code without a name */
	uint32_t *frame_of;        /* frame by spot */
};

/* Returns EXPORT_OK or EXPORT_ENOMEM. */
int tree_make(struct tree *tree, const struct export_input *input);
void tree_free(struct tree *tree);
/* Frames of a node, outermost first: depth numbers. */
void tree_stack(const struct tree *tree, uint32_t node, uint32_t *frames);
#endif
