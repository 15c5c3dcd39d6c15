/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A ring of four places: 0 takes one out, else a number is put in. */
/* run: 1 2 0 */
/* run: 1 2 3 4 5 6 0 0 7 8 9 0 0 0 0 0 0 0 */
#include <stdio.h>
#include <stdlib.h>

struct ring {
	int items[4];
	unsigned head, used;
	int closed;
};

static int put_item(struct ring *ring, int item)
{
	if (ring->used == 4 || ring->closed != 0) {
		puts("refused");
		return 0;
	}
	ring->items[(ring->head + ring->used++) % 4] = item;
	return 1;
}

static int take_item(struct ring *ring, int *item)
{
	if (ring->used == 0 && ring->closed == 0) {
		puts("empty");
		ring->closed = 1;
		return 0;
	}
	if (ring->used > 0) {
		*item = ring->items[ring->head++ % 4];
		ring->used--;
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct ring ring = {{0}, 0, 0, 0};
	for (int i = 1; i < argc; i++) {
		int item = atoi(argv[i]);
		if (item != 0 && !put_item(&ring, item))
			printf("lost %d\n", item);
		if (item == 0 && take_item(&ring, &item) && item > 2)
			printf("took %d\n", item);
	}
	return 0;
}
