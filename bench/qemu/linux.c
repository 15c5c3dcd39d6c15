/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* An application as a program of RV64 Linux with Debian's C library: app_main() on ref input, as often as the first
 * argument says. The exit status is 1 if a result was wrong. */
#include <stdio.h>
#include <stdlib.h>
#include "sw/run/app.h"

const char app_name[] = "linux";

int app_check(const char *what, uint32_t got, uint32_t expected)
{
	if (got != expected)
		printf("%s: got %lx, expected %lx\n", what, (unsigned long)got, (unsigned long)expected);
	return got != expected;
}

int main(int argc, char **argv)
{
	const long times = argc > 1 ? atol(argv[1]) : 1;
	int wrong = 0;
	for (long i = 0; i < times; i++)
		wrong |= app_main(APP_REF);
	return wrong != 0;
}
