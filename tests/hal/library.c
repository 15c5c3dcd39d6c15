/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a program may use of the C library's system side: files by semihosting, time(), abort(), assert(). The period of
 * the run configuration chooses how it ends: 1 abort, 2 a failed assertion. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "sw/run/app.h"
#include "common/run_config.h"

extern struct run_config rivulet_config;

int app_main(int input)
{
	char line[64] = "";
	uint32_t end = *(volatile uint32_t *)&rivulet_config.period;
	(void)input;
	FILE *file = fopen("out.txt", "w");
	if (file == NULL) {
		printf("no files: %s\n", errno == ENOSYS ? "nobody answers" : "refused");
		return 0;
	}
	fprintf(file, "first %d\nsecond %s\n", 42, "line");
	fclose(file);
	file = fopen("out.txt", "a");
	fputs("third\n", file);
	fclose(file);
	file = fopen("out.txt", "r+");
	fseek(file, 9, SEEK_SET);
	if (fgets(line, sizeof line, file) == NULL || strcmp(line, "second line\n") != 0)
		return 1;
	long here = ftell(file);
	fseek(file, 0, SEEK_END);
	printf("at %ld of %ld\n", here, ftell(file));
	fclose(file);
	if (remove("out.txt") != 0 || fopen("out.txt", "r") != NULL)
		return 2;
	if (time(NULL) < 0)
		return 3;
	printf("done\n");
	fflush(stdout);
	if (end == 1)
		abort();
	assert(end != 2);
	return 0;
}
