/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Instructions and clock cycles of programs on the golden model with tracing off and train input, with both
 * multipliers: a line for each, and one for all together (the mean of the CPIs).
 *
 *	core-cycles PROGRAM.elf ...	name, instructions, cycles with MUL_FAST 1, with 0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "model/model.h"
#include "model/run.h"

static int run(const char *path, bool mul_fast, struct run_result *result)
{
	struct model_config config;
	struct model *model;
	char detail[512] = "no memory";
	model_config_default(&config);
	config.mul_fast = mul_fast;
	int error = model_open(&model, &config);
	if (error == 0)
		error = model_load_elf(model, path, detail, sizeof detail);
	if (error == 0)
		error = model_set(model, "input=train", detail, sizeof detail);
	if (error == 0)
		error = model_set(model, "way=off", detail, sizeof detail);
	if (error == 0) {
		model_run(model, NULL, 0, 0, result);
		if (result->end != RUN_END_EXIT || result->code != 0) {
			snprintf(detail, sizeof detail, "%s: did not pass", path);
			error = -1;
		}
	}
	if (error < 0)
		fprintf(stderr, "core-cycles: %s\n", detail);
	model_close(model);
	return error;
}

int main(int argc, char **argv)
{
	double fast_sum = 0, slow_sum = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: core-cycles PROGRAM.elf ...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		struct run_result fast, slow;
		if (run(argv[i], true, &fast) < 0 || run(argv[i], false, &slow) < 0)
			return 1;
		const char *name = strrchr(argv[i], '/');
		double n = (double)fast.instructions;
		printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %.3f %.3f\n", name != NULL ? name + 1 : argv[i],
		    fast.instructions, fast.cycles, slow.cycles, (double)fast.cycles / n, (double)slow.cycles / n);
		fast_sum += (double)fast.cycles / n;
		slow_sum += (double)slow.cycles / n;
	}
	printf("mean - - - %.3f %.3f\n", fast_sum / (argc - 1), slow_sum / (argc - 1));
	return 0;
}
