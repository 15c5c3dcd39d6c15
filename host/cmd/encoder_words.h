/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_ENCODER_WORDS_H
#define RIVULET_CMD_ENCODER_WORDS_H
/*
 * How the encoder of a trace standard was set: --chip=NAME, a row of the table of chips, and --encoder=LIST, words
 * between commas that come on top of it.
 */
#include "host/import/import.h"

struct encoder_setting {
	enum import_form form; /* IMPORT_NTRACE, IMPORT_ETRACE */
	struct ntrace_options ntrace;
	struct etrace_options etrace;
	uint64_t tick;     /* cycles of a unit of time; 0: 1 */
	bool framed;       /* the bytes stand in CoreSight's frames, */
	unsigned trace_id; /* those of this source; 0: of the first one */
};

/* What --help says of them. */
extern const char encoder_words_help[], encoder_chips_help[];
/* Before any word: what the standard has where nothing is said. */
void encoder_defaults(struct encoder_setting *setting, enum import_form form);
/* Whether name is a form of encoders' bytes. */
bool encoder_form(const char *name, enum import_form *form);
/* false: no such chip. */
bool encoder_chip(struct encoder_setting *setting, const char *name);
/* NULL, or the word that is wrong; the list is cut into words. */
const char *encoder_words(struct encoder_setting *setting, char *list);
/* NULL, or what does not fit together; called behind the last word. */
const char *encoder_check(const struct encoder_setting *setting);
#endif
