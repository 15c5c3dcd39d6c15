/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A sorted list without doubles, without negative numbers. */
/* run: 3 1 2 */
/* run: 5 5 1 9 -1 0 9 */
#include <stdio.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};
static struct node pool[32], *first;
static unsigned used;

static void add_value(int value)
{
	struct node **place = &first;
	if (value < 0 || used == 32)
		return;
	while (*place != NULL && (*place)->value < value)
		place = &(*place)->next;
	if (*place != NULL && (*place)->value == value)
		return;
	pool[used] = (struct node){value, *place};
	*place = &pool[used++];
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		add_value(atoi(argv[i]));
	for (const struct node *n = first; n != NULL; n = n->next) {
		if (n == first || n->next == NULL)
			printf("(%d)", n->value);
		else
			printf(" %d ", n->value);
	}
	putchar('\n');
	return 0;
}
