/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RUN_OPTIONS_H
#define RIVULET_RUN_OPTIONS_H
/* What rivulet run is told: the options, checked as far as they can be without the program. */
#include <argp.h>
#include "host/cmd/cmd.h"
#include "host/cmd/parse_options.h"
#include "model/model.h"

#define RUN_SETTINGS_MAX 32
struct run_arguments {
	const char *program, *profile, *uart, *signature, *records, *map, *ring, *freeze, *divisors, *interrupts;
	const char *settings[RUN_SETTINGS_MAX];
	const char *collect; /* name of a way; NULL: not given */
	uint64_t table, table_ways;
	bool table_given, sink_program;
	unsigned setting_count;
	uint64_t cycles, instructions, ram, csr_base, sink;
	const char *semihosting; /* directory */
	uint64_t port;           /* of gdb */
	bool check, quiet, fast, gdb;
	char command[4096]; /* the program's arguments, separated by blanks */
};

extern const struct option_row run_options[];
error_t run_parse_option(int key, char *value, struct argp_state *state);
/* The unit gets a table if it is asked for, or if the program is to collect with one. */
void run_set_table(const struct run_arguments *a, struct trace_config *unit);
#endif
