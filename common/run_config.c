/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "common/run_config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
#define RUN_WORD(name, value, text) #name,
    RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
};
#define WORDS (sizeof words / sizeof *words)

static const struct {
	const char *word, *name;
	uint32_t value;
} names[] = {
#define RUN_WAY(name, word, header, text) {"way", word, RUN_##name},
    RUN_WAY_LIST(RUN_WAY)
#undef RUN_WAY
	{"input", "train", 0},
    {"input", "ref", 1}};

const char *run_way_name(uint64_t way)
{
	static const char *const texts[] = {
#define RUN_WAY(name, word, header, text) text,
	    RUN_WAY_LIST(RUN_WAY)
#undef RUN_WAY
	};
	return way < RUN_WAYS ? texts[way] : "unknown way";
}

static bool parse_value(const char *word, const char *text, uint32_t *value)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].word, word) && !strcmp(names[i].name, text)) {
			*value = names[i].value;
			return true;
		}
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 0);
	*value = (uint32_t)number;
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && number <= UINT32_MAX;
}

int run_config_parse(const char *assignment, uint32_t *value, char *detail, size_t size)
{
	const char *equals = strchr(assignment, '=');
	for (size_t i = 1; equals && i < WORDS; i++) {
		if (strlen(words[i]) != (size_t)(equals - assignment) ||
		    strncmp(words[i], assignment, strlen(words[i])))
			continue;
		if (parse_value(words[i], equals + 1, value))
			return (int)i;
#define RUN_WAY(name, word, header, text) word "|"
		static const char ways[] = RUN_WAY_LIST(RUN_WAY);
#undef RUN_WAY
		snprintf(detail, size,
		    "'%s': %s is not a number below 2^32 and not a name; names are way=%.*s, input=train|ref",
		    assignment, equals + 1, (int)sizeof ways - 2, ways);
		return -1;
	}
	int at = snprintf(detail, size, "'%s': expected NAME=VALUE with one of the names", assignment);
	for (size_t i = 1; i < WORDS && at > 0 && (size_t)at < size; i++)
		at += snprintf(detail + at, size - (size_t)at, " %s", words[i]);
	return -1;
}

enum run_config_room run_config_room(uint32_t bytes, int index, uint32_t value, char *detail, size_t size)
{
	if (bytes == 0 || 4 * (uint32_t)index + 4 <= bytes)
		return RUN_CONFIG_WRITE;
	if (value == 0)
		return RUN_CONFIG_SKIP;
	snprintf(detail, size,
	    "the program was built without the word '%s' of the run configuration: firmware with the optimiser or with "
	    "SW_RATE=1 has it (sw/module.mk)",
	    words[index]);
	return RUN_CONFIG_MISSING;
}
