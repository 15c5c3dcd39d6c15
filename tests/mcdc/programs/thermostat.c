/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Heats and cools: temperature and whether somebody is at home. */
/* run: 18 1 21 0 */
/* run: 15 1 22 1 25 0 5 0 30 1 20 0 */
#include <stdio.h>
#include <stdlib.h>

enum state { OFF, HEATING, COOLING };
static enum state state;
static int changes;

static void enter_state(enum state next)
{
	static const char *const names[] = {"off", "heating", "cooling"};
	if (next != state) {
		changes++;
		printf("%s\n", names[next]);
	}
	state = next;
}

static void step_state(int heat, int home)
{
	switch (state) {
	case OFF:
		if ((heat < 19 && home) || heat < 8)
			enter_state(HEATING);
		else if (heat > 26 && home)
			enter_state(COOLING);
		break;
	case HEATING:
		if (heat > 21 || (heat > 10 && !home))
			enter_state(OFF);
		break;
	default:
		if (heat < 24 || !home)
			enter_state(OFF);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		step_state(atoi(argv[i]), atoi(argv[i + 1]));
	if (changes == 0 && state == OFF)
		puts("nothing to do");
	return 0;
}
