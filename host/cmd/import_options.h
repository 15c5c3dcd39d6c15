/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMPORT_OPTIONS_H
#define RIVULET_IMPORT_OPTIONS_H
/* What rivulet import is told. */
#include <argp.h>
#include "host/cmd/cmd.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/encoder_words.h"
#include "host/cycles/core.h"

#define IMPORT_HIST 64
#define IMPORT_ALL_MODES 0xB
#define IMPORT_TOLD_MAX 8 /* problems that are told one by one */
struct import_arguments {
	const char *program, *log, *output, *map;
	enum import_form form;
	uint64_t hist, hart, load, modes, ret_match, ret_mask;
	const char *chip;
	char *words;
	bool has_load, has_context, has_ctrl, has_hart, dense, joined, find;
	const char *log_option; /* one that a dense stream does not have; NULL: none */
	uint64_t ctrl;          /* of a dense stream */
	uint64_t context;
	const char *core_name;
	struct core core;
	struct encoder_setting encoder;
};

extern const struct option_row import_options[];
error_t import_parse_option(int key, char *value, struct argp_state *state);
/* The bytes of an encoder. */
bool import_is_messages(enum import_form form);
#endif
