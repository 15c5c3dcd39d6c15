/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A lift of five floors: wishes, door. */
/* run: 2 1 */
/* run: 3 2 0 5 1 1 4 4 0 0 6 1 */
#include <stdio.h>
#include <stdlib.h>

static int floor_now, door_open, moves;

static void move_lift(int by)
{
	floor_now += by;
	moves++;
	printf("floor %d\n", floor_now);
}

static void go_to(int wish, int closed)
{
	if (wish < 0 || wish > 4) {
		puts("no such floor");
		return;
	}
	door_open = !closed;
	while (floor_now != wish && !door_open && moves < 30) {
		if (floor_now < wish)
			move_lift(1);
		else
			move_lift(-1);
	}
	if (door_open && floor_now != wish)
		puts("close the door");
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		go_to(atoi(argv[i]), atoi(argv[i + 1]));
	return 0;
}
