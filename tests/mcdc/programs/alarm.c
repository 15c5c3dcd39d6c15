/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Alarms of a boiler: temperature, pressure, door, three numbers a step. */
/* run: 5 80 1 */
/* run: 90 80 0 95 81 1 20 10 1 */
#include <stdio.h>
#include <stdlib.h>

static int raised;

static void raise_alarm(const char *what, int value)
{
	raised++;
	printf("%s at %d\n", what, value);
}

static void watch_boiler(int heat, int pressure, int door)
{
	if (heat > 85 || pressure > 90)
		raise_alarm("limit", heat);
	if ((heat > 60 && door != 0) || pressure < 0)
		raise_alarm("door", pressure);
	if (heat < 10 && pressure > 50 && door == 0)
		raise_alarm("sensor", heat);
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc && raised < 20; i += 3)
		watch_boiler(atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2]));
	printf("%d alarms\n", raised);
	return 0;
}
