/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/tree.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"

struct maker {
	struct tree *tree;
	const struct export_input *input;
	uint32_t *base;    /* tree node by context: that of the call, its inlined functions included */
	struct hash table; /* of tree nodes, by parent and frame; node 0 is not in it */
	size_t node_room;
};

static int compare_text(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (a == NULL)
		return -1;
	return b == NULL ? 1 : strcmp(a, b);
}

struct named {
	struct tree_frame frame;
	uint32_t spot;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->frame.name, y->frame.name);
	if (order == 0 && x->frame.line != y->frame.line)
		return x->frame.line > y->frame.line ? 1 : -1;
	return order != 0 ? order : compare_text(x->frame.file, y->frame.file);
}

/* One frame for each function: spots of the same name, declared at the same line. */
static int make_frames(struct maker *maker)
{
	const struct spots *spots = maker->input->spots;
	struct tree *tree = maker->tree;
	struct named *all = calloc(spots->count + 1, sizeof *all);
	tree->frames = calloc(spots->count + 2, sizeof *tree->frames);
	tree->names = calloc(spots->count + 1, sizeof *tree->names);
	maker->tree->frame_of = calloc(spots->count + 1, sizeof *maker->tree->frame_of);
	if (all == NULL || tree->frames == NULL || tree->names == NULL || maker->tree->frame_of == NULL) {
		free(all);
		return EXPORT_ENOMEM;
	}
	for (size_t i = 0; i < spots->count; i++) {
		const struct spot *spot = &spots->all[i];
		all[i].frame.name = spots_name(spots, (uint32_t)i, tree->names[i]);
		all[i].frame.file = spot->file;
		all[i].frame.line = spot->declared;
		all[i].spot = (uint32_t)i;
	}
	qsort(all, spots->count, sizeof *all, compare_named);
	for (size_t i = 0; i < spots->count; i++) {
		/* the file is that of the lines seen first: one function inlined in different ways can have two */
		const struct tree_frame *last = tree->frame_count == 0 ? NULL : &tree->frames[tree->frame_count - 1];
		if (last == NULL || strcmp(last->name, all[i].frame.name) != 0 || last->line != all[i].frame.line ||
		    (last->line == 0 && compare_text(last->file, all[i].frame.file) != 0))
			tree->frames[tree->frame_count++] = all[i].frame;
		maker->tree->frame_of[all[i].spot] = (uint32_t)tree->frame_count - 1;
	}
	free(all);
	return EXPORT_OK;
}

struct node_key {
	const struct tree_node *nodes;
	uint32_t parent, frame;
};

static bool is_node(const void *context, uint32_t index)
{
	const struct node_key *key = context;
	return key->nodes[index].parent == key->parent && key->nodes[index].frame == key->frame;
}

static int tree_child(struct maker *maker, uint32_t parent, uint32_t frame, uint32_t *index)
{
	struct tree *tree = maker->tree;
	const struct node_key key = {tree->nodes, parent, frame};
	uint32_t hash = hash_of_two(parent, frame);
	*index = hash_find(&maker->table, hash, is_node, &key);
	if (*index != HASH_NONE)
		return EXPORT_OK;
	*index = (uint32_t)tree->node_count;
	if (!array_room(&tree->nodes, tree->node_count + 1, &maker->node_room) ||
	    !hash_add(&maker->table, hash, *index))
		return EXPORT_ENOMEM;
	tree->nodes[tree->node_count++] =
	    (struct tree_node){.parent = parent, .frame = frame, .depth = tree->nodes[parent].depth + 1};
	return EXPORT_OK;
}

/* From node down the function and the inlined functions that the instruction at this place stands in. */
static int descend_tree(struct maker *maker, uint32_t node, const struct spot_place *place, uint32_t *index)
{
	const struct spots *spots = maker->input->spots;
	uint32_t chain[SPOT_DEPTH_MAX + 1];
	size_t depth = 0;
	*index = node;
	if (place == NULL)
		return EXPORT_OK;
	for (uint32_t spot = place->spot; spot != SPOT_NONE && depth <= SPOT_DEPTH_MAX; spot = spots->all[spot].parent)
		chain[depth++] = spot;
	int error = EXPORT_OK;
	while (depth-- > 0 && error == EXPORT_OK)
		error = tree_child(maker, *index, maker->tree->frame_of[chain[depth]], index);
	return error;
}

/* The tree node of the instruction before: most often the next one stands in the same. */
struct tree_place {
	uint32_t node, spot, index;
	bool known;
};

/* The instructions of a piece, one behind the other. */
static int add_tree_piece(struct maker *maker, const struct gather_piece *piece, struct tree_place *last)
{
	const struct gather_result *result = maker->input->result;
	const struct spots *spots = maker->input->spots;
	const struct spot_place *place = NULL;
	uint64_t starts = piece->starts;
	for (uint32_t k = 0; k < piece->count; k++, starts &= starts - 1) {
		const uint64_t pc = piece->pc + 2 * (uint32_t)__builtin_ctzll(starts);
		place = spots_behind(spots, place, pc);
		const uint32_t spot = place == NULL ? SPOT_NONE : place->spot;
		if (!last->known || last->node != piece->node || last->spot != spot) {
			*last = (struct tree_place){piece->node, spot, 0, true};
			if (descend_tree(maker, maker->base[piece->node], place, &last->index) != EXPORT_OK)
				return EXPORT_ENOMEM;
		}
		struct tree_node *node = &maker->tree->nodes[last->index];
		node->count += piece->visits;
		node->cycles += piece->cycles == NULL ? 0 : piece->cycles[k] * result->scale;
	}
	return EXPORT_OK;
}

static int make_tree_nodes(struct maker *maker)
{
	const struct gather_result *result = maker->input->result;
	const struct spots *spots = maker->input->spots;
	struct tree *tree = maker->tree;
	int error = EXPORT_OK;
	maker->node_room = 1024;
	tree->nodes = calloc(maker->node_room, sizeof *tree->nodes);
	maker->base = calloc(result->node_count, sizeof *maker->base);
	if (tree->nodes == NULL || maker->base == NULL)
		return EXPORT_ENOMEM;
	tree->node_count = 1;
	for (size_t i = 1; i < result->node_count && error == EXPORT_OK; i++) {
		const struct stack_node *node = &result->nodes[i];
		if (node->kind != STACK_ROOT)
			error = descend_tree(
			    maker, maker->base[node->parent], spots_at(spots, node->site), &maker->base[i]);
	}
	struct tree_place last = {.known = false};
	for (size_t i = 0; i < result->piece_count && error == EXPORT_OK; i++)
		error = add_tree_piece(maker, &result->pieces[i], &last);
	return error;
}

/* What of the run is in no trace is a stack of its own: without it the others would look like all of it. */
static int add_remainder(struct maker *maker)
{
	const struct remainder *r = maker->input->remainder;
	struct tree *tree = maker->tree;
	uint32_t index;
	if (r == NULL || (r->left_insns == 0 && r->left_cycles == 0))
		return EXPORT_OK;
	tree->frames[tree->frame_count++] = (struct tree_frame){.name = REMAINDER_FRAME};
	int error = tree_child(maker, 0, (uint32_t)tree->frame_count - 1, &index);
	if (error == EXPORT_OK) {
		tree->nodes[index].count += r->left_insns;
		tree->nodes[index].cycles += maker->input->timed ? r->left_cycles : 0;
	}
	return error;
}

int tree_make(struct tree *tree, const struct export_input *input)
{
	struct maker maker = {.tree = tree, .input = input};
	*tree = (struct tree){0};
	int error = make_frames(&maker);
	if (error == EXPORT_OK)
		error = make_tree_nodes(&maker);
	if (error == EXPORT_OK)
		error = add_remainder(&maker);
	free(maker.base);
	hash_free(&maker.table);
	if (error != EXPORT_OK)
		tree_free(tree);
	return error;
}

void tree_free(struct tree *tree)
{
	free(tree->frames);
	free(tree->nodes);
	free(tree->names);
	free(tree->frame_of);
	*tree = (struct tree){0};
}

void tree_stack(const struct tree *tree, uint32_t node, uint32_t *frames)
{
	for (; node != 0; node = tree->nodes[node].parent)
		frames[tree->nodes[node].depth - 1] = tree->nodes[node].frame;
}
