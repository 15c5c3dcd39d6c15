/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/encoder_words.h"

#include <string.h>
#include "host/cmd/cmd.h"

const char encoder_words_help[] =
    "How the N-Trace encoder was set, words between commas: htm or btm, implicit-return, "
    "sequential-jump, all-jumps, extend (addresses), source-bits=N, source=N, wrapped (a ring "
    "that was read from its middle)";

static bool take_flag(const char *word, struct ntrace_options *o)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {{"htm", &o->history}, {"sequential-jump", &o->sequential_jump}, {"all-jumps", &o->all_jumps},
	    {"extend", &o->layout.extend}, {"wrapped", &o->wrapped}};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (strcmp(word, flags[i].name) == 0) {
			*flags[i].flag = true;
			return true;
		}
	}
	return false;
}

static bool take_value(const char *word, const char *name, uint64_t limit, uint64_t *value)
{
	size_t length = strlen(name);
	return strncmp(word, name, length) == 0 && word[length] == '=' && parse_number(word + length + 1, limit, value);
}

static bool take_word(const char *word, struct ntrace_options *o)
{
	uint64_t value;
	if (strcmp(word, "btm") == 0)
		o->history = false;
	else if (strcmp(word, "implicit-return") == 0)
		o->implicit_return = 32;
	else if (take_value(word, "source-bits", 12, &value))
		o->layout.source_bits = (unsigned)value;
	else if (take_value(word, "source", 4095, &value))
		o->source = (unsigned)value;
	else
		return take_flag(word, o);
	return true;
}

const char *encoder_words(char *list, struct ntrace_options *options)
{
	char *rest = NULL;
	for (char *word = strtok_r(list, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		if (!take_word(word, options))
			return word;
	}
	return options->source >> options->layout.source_bits == 0 ? NULL : "source (more than source-bits)";
}
