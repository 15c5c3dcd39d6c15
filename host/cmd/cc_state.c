/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc: what was given to the driver's side, on its way to the linker's side. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/cmd/cc_state.h"

const char *cc_own_path(void)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0 ? path : "rivulet";
}

static bool add_settings_line(char **text, size_t *length, char kind, const char *value)
{
	size_t more = strlen(value) + 2;
	char *grown = strchr(value, '\n') == NULL ? realloc(*text, *length + more + 1) : NULL;
	if (grown == NULL)
		return false;
	*text = grown;
	snprintf(grown + *length, more + 1, "%c%s\n", kind, value);
	*length += more;
	return true;
}

bool cc_set_state(const struct cc_arguments *a, const struct cache *cache)
{
	char *text = NULL, number[24];
	size_t length = 0;
	bool good = add_settings_line(&text, &length, 'C', cache->directory);
	if (a->runtime != NULL)
		good = good && add_settings_line(&text, &length, 'R', a->runtime);
	if (a->verbose)
		good = good && add_settings_line(&text, &length, 'V', "");
	if (a->map)
		good = good && add_settings_line(&text, &length, 'M', "");
	if (a->no_twin)
		good = good && add_settings_line(&text, &length, 'T', "");
	snprintf(number, sizeof number, "%" PRIu64, a->budget);
	if (a->budget_given)
		good = good && add_settings_line(&text, &length, 'B', number);
	snprintf(number, sizeof number, "%d", a->clock);
	good = good && add_settings_line(&text, &length, 'K', number);
	snprintf(number, sizeof number, "%" PRIu64, a->contexts);
	good = good && add_settings_line(&text, &length, 'N', number);
	for (size_t i = 0; i < a->insert.count; i++)
		good = good && add_settings_line(&text, &length, 'I', a->insert.items[i]);
	for (size_t i = 0; i < a->exclude.count; i++)
		good = good && add_settings_line(&text, &length, 'X', a->exclude.items[i]);
	for (size_t i = 0; i < a->driver.count; i++)
		good = good && add_settings_line(&text, &length, 'D', a->driver.items[i]);
	good = good && setenv(STATE, text, 1) == 0 && setenv(SELF, cc_own_path(), 1) == 0;
	free(text);
	return good;
}

/* On the linker's side. */
bool cc_get_state(struct cc_arguments *a)
{
	const char *text = getenv(STATE);
	char line[PATH_MAX + 8];
	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, "\n");
		if (length == 0 || length >= sizeof line)
			return false;
		memcpy(line, text, length);
		line[length] = '\0';
		text += length + (text[length] == '\n');
		switch (line[0]) {
		case 'C':
			a->cache = strdup(line + 1);
			break;
		case 'R':
			a->runtime = strdup(line + 1);
			break;
		case 'V':
			a->verbose = true;
			break;
		case 'M':
			a->map = true;
			break;
		case 'B':
			a->budget_given = true;
			a->budget = strtoull(line + 1, NULL, 10);
			break;
		case 'K':
			a->clock = atoi(line + 1);
			break;
		case 'N':
			a->contexts = strtoull(line + 1, NULL, 10);
			break;
		case 'T':
			a->no_twin = true;
			break;
		case 'I':
			cc_push(&a->insert, line + 1);
			break;
		case 'X':
			cc_push(&a->exclude, line + 1);
			break;
		case 'D':
			cc_push(&a->driver, line + 1);
			break;
		default:
			return false;
		}
	}
	return a->driver.count > 0 && a->cache != NULL;
}
