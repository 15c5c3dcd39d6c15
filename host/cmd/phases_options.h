/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PHASES_OPTIONS_H
#define RIVULET_PHASES_OPTIONS_H
/* What rivulet phases is told. */
#include <argp.h>
#include "host/cmd/cmd.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/phases.h"
#include "host/cmd/table_options.h"

struct phases_window {
	enum phases_key key, to_key;
	uint64_t from, to;
};

struct phases_arguments {
	const char *program, *input, *output, *plugin, *svg, *simpoint, *clusters, *log, *diff, *core;
	enum phases_heat heat;
	struct layers_config layers;
	struct phases_window window;
	uint64_t top, intervals, at, level;
	enum phases_key at_key;
	int detector; /* enum detector; DETECTORS: agreement of all; -1: no */
	enum table_format format;
	bool force, wide, expand, instructions, has_at, changes, buckets_given;
};

extern const struct option_row phases_options[];
error_t phases_parse_option(int key, char *value, struct argp_state *state);
#endif
