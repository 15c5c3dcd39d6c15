/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* How often each word of a text occurs, in a tree. The text is its own: no file is needed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
	struct word *less, *more;
	unsigned count;
	char text[12];
};

static struct word *find_word(struct word **root, const char *text)
{
	while (*root != NULL) {
		int order = strcmp(text, (*root)->text);
		if (order == 0)
			return *root;
		root = order < 0 ? &(*root)->less : &(*root)->more;
	}
	*root = calloc(1, sizeof **root);
	if (*root == NULL)
		exit(1);
	strcpy((*root)->text, text);
	return *root;
}

static void next_word(char text[12], unsigned *seed)
{
	unsigned length = 2 + (*seed >> 28) % 4;
	for (unsigned i = 0; i < length; i++) {
		*seed = *seed * 1103515245 + 12345;
		text[i] = "etaoinsh"[*seed >> 29];
	}
	text[length] = '\0';
}

int main(void)
{
	struct word *root = NULL;
	char text[12];
	unsigned seed = 1, most = 0;
	for (int i = 0; i < 200000; i++) {
		next_word(text, &seed);
		struct word *word = find_word(&root, text);
		if (++word->count > most)
			most = word->count;
	}
	printf("the most frequent word occurs %u times\n", most);
	return 0;
}
