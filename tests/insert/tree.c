/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a newcomer may try first: 20,000 insertions into a tree. */
#include <stdio.h>
#include <stdlib.h>

struct node {
	int key;
	struct node *left, *right;
};

static struct node *insert(struct node *n, int key)
{
	if (n == NULL) {
		n = calloc(1, sizeof *n);
		n->key = key;
	} else if (key < n->key)
		n->left = insert(n->left, key);
	else if (key > n->key)
		n->right = insert(n->right, key);
	return n;
}

int main(void)
{
	struct node *root = NULL;
	unsigned x = 1;
	for (int i = 0; i < 20000; i++)
		root = insert(root, (int)((x = x * 1103515245u + 12345u) >> 8));
	printf("%d\n", root->key);
	return 0;
}
