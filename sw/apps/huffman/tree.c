/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The code tree: the two lightest nodes are joined until one is left. A binary heap keeps the lightest on top. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "huffman.h"

struct node {
	uint32_t weight;
	int symbol; /* -1: not a leaf */
	struct node *child[2];
};

/* nodes[1] is on top; the parent of nodes[i] is nodes[i / 2], and is not heavier. */
struct heap {
	size_t count;
	struct node *nodes[HUFFMAN_SYMBOLS + 1];
};

/* The symbol decides between equal weights, so that the tree does not depend on addresses. */
static bool is_lighter(const struct node *a, const struct node *b)
{
	return a->weight < b->weight || (a->weight == b->weight && a->symbol > b->symbol);
}

static void heap_push(struct heap *heap, struct node *node)
{
	size_t at = ++heap->count;
	for (; at > 1 && is_lighter(node, heap->nodes[at / 2]); at /= 2)
		heap->nodes[at] = heap->nodes[at / 2];
	heap->nodes[at] = node;
}

static struct node *heap_pop(struct heap *heap)
{
	struct node *top = heap->nodes[1];
	struct node *last = heap->nodes[heap->count--];
	size_t at = 1;
	for (;;) {
		size_t child = 2 * at;
		if (child > heap->count)
			break;
		if (child < heap->count && is_lighter(heap->nodes[child + 1], heap->nodes[child]))
			child++;
		if (!is_lighter(heap->nodes[child], last))
			break;
		heap->nodes[at] = heap->nodes[child];
		at = child;
	}
	heap->nodes[at] = last;
	return top;
}

static struct node *make_node(uint32_t weight, int symbol, struct node *left, struct node *right)
{
	struct node *node = malloc(sizeof *node);
	if (node != NULL) {
		node->weight = weight;
		node->symbol = symbol;
		node->child[0] = left;
		node->child[1] = right;
	}
	return node;
}

static void free_tree(struct node *node)
{
	if (node == NULL)
		return;
	free_tree(node->child[0]);
	free_tree(node->child[1]);
	free(node);
}

static int read_depths(const struct node *node, unsigned depth, uint8_t *length)
{
	if (node->symbol >= 0) {
		if (depth > HUFFMAN_LONGEST)
			return HUFFMAN_TOO_DEEP;
		length[node->symbol] = (uint8_t)depth;
		return HUFFMAN_OK;
	}
	int error = read_depths(node->child[0], depth + 1, length);
	return error < 0 ? error : read_depths(node->child[1], depth + 1, length);
}

static int push_leaves(struct heap *heap, const uint32_t *frequency)
{
	size_t used = 0;
	for (int s = 0; s < HUFFMAN_SYMBOLS; s++)
		used += frequency[s] != 0;
	for (int s = 0; s < HUFFMAN_SYMBOLS; s++) {
		if (frequency[s] == 0) {
			if (used >= 2)
				continue;
			used++;
		}
		struct node *leaf = make_node(frequency[s], s, NULL, NULL);
		if (leaf == NULL)
			return HUFFMAN_MEMORY;
		heap_push(heap, leaf);
	}
	return HUFFMAN_OK;
}

int huffman_lengths(struct huffman_code *code, const uint32_t *frequency)
{
	struct heap heap = {.count = 0};
	int error = push_leaves(&heap, frequency);
	while (error == HUFFMAN_OK && heap.count > 1) {
		struct node *a = heap_pop(&heap), *b = heap_pop(&heap);
		struct node *joined = make_node(a->weight + b->weight, -1, a, b);
		if (joined == NULL) {
			free_tree(a);
			free_tree(b);
			error = HUFFMAN_MEMORY;
		} else {
			heap_push(&heap, joined);
		}
	}
	memset(code->length, 0, sizeof code->length);
	if (error == HUFFMAN_OK)
		error = read_depths(heap.nodes[1], 0, code->length);
	while (heap.count > 0)
		free_tree(heap.nodes[heap.count--]);
	return error;
}
