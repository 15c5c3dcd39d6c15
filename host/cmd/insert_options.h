/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_OPTIONS_H
#define RIVULET_INSERT_OPTIONS_H
/* What rivulet insert is told. */
#include <argp.h>
#include "host/cmd/cmd.h"
#include "host/cmd/parse_options.h"
#include "host/insert/budget.h"
#include "host/insert/reserved.h"

#define INSERT_WAITS_MAX 32
struct insert_arguments {
	const char *input, *output;
	struct insert_options options;
	const char *program, *core; /* --original, --core */
	const char *weights, *weights_of, *gdb;
	const char *compiler;           /* of a linked program's runtime; NULL: the default */
	const char *regions;            /* --regions=FILE */
	bool quiet, verbose, map, near; /* near: --near was given */
	bool told;                      /* --reserve=none: which registers the input itself reserves is known */
	struct insert_wait waits[INSERT_WAITS_MAX];
	unsigned classes;          /* --class: bits of enum rivulet_cycles_class */
	uint64_t budget;           /* of an object; 0: none */
	unsigned level;            /* that it took */
	struct reserved_by shared; /* what the members of an archive say, or the object */
	struct insert_counts counts;
};

extern const struct option_row insert_options[];
error_t insert_parse_option(int key, char *value, struct argp_state *state);
#endif
