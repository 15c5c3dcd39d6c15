/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A gear box: speed and pedal (1 gas, 2 brake). */
/* run: 10 1 20 1 */
/* run: 0 0 15 1 35 1 60 1 80 2 30 2 5 2 0 0 90 1 95 1 */
#include <stdio.h>
#include <stdlib.h>

static int gear, changes;

static void change_gear(int step)
{
	gear += step;
	changes++;
	printf("gear %d\n", gear);
}

static void drive(int speed, int pedal)
{
	if (speed > 20 * (gear + 1) && pedal == 1 && gear < 4)
		change_gear(1);
	else if ((speed < 15 * gear && gear > 1) || (speed == 0 && gear > 0))
		change_gear(-1);
	if (pedal == 2 && speed > 70)
		puts("anti-lock");
}

int main(int argc, char **argv)
{
	int i = 1;
	while (i + 1 < argc && changes < 100) {
		drive(atoi(argv[i]), atoi(argv[i + 1]));
		i += 2;
	}
	return 0;
}
