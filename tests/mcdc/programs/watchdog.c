/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A watchdog: times between signs of life. */
/* run: 10 20 30 */
/* run: 10 500 20 30 900 1 2000 5 */
#include <stdio.h>
#include <stdlib.h>

static int missed, resets;

static int reset_all(void)
{
	resets++;
	missed = 0;
	printf("reset %d\n", resets);
	return resets < 3;
}

static int sign_of_life(int after)
{
	if (after > 100)
		missed++;
	if (after > 1000 || missed > 1)
		return reset_all();
	if (after < 5 && missed > 0 && !reset_all())
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	int i = 1;
	while (i < argc && sign_of_life(atoi(argv[i])))
		i++;
	if (i == argc && resets == 0)
		puts("alive");
	return 0;
}
