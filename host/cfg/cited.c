/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cfg/cited.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cited_wrong(struct cited_code *n, const char *format, ...)
{
	va_list list;
	int used = snprintf(n->detail, n->size, "%s:%u: ", n->path, n->line);
	va_start(list, format);
	if (used >= 0 && (size_t)used < n->size)
		vsnprintf(n->detail + used, n->size - (size_t)used, format, list);
	va_end(list);
	return CITED_EFILE;
}

/* The compiler may have made a function of another name of it: search.constprop.0. What it moved away is no function by
 * itself: search.cold. */
static bool is_made_of(const char *other, const char *name)
{
	const size_t length = strlen(name);
	return strncmp(other, name, length) == 0 && other[length] == '.' && strncmp(other + length, ".cold", 5) != 0;
}

/* The function that the compiler made of the one with this name, if there is one alone, and it has all of it:
 * search.part.0 is what is left of one that was inlined. The detail says what else. */
static uint32_t find_made_of(struct cited_code *n, const char *name)
{
	uint32_t found = CFG_NONE;
	char text[CFG_NAME], before[CFG_NAME];
	for (uint32_t i = 0; i < n->cfg->counts.functions; i++) {
		const char *other = cfg_function_name(n->cfg, i, text);
		if (n->cfg->functions[i].block_count == 0 || !is_made_of(other, name))
			continue;
		if (found == CFG_NONE) {
			found = i;
			continue;
		}
		cited_wrong(n, "there is no function `%s', but `%s' and `%s': name one of them", name,
		    cfg_function_name(n->cfg, found, before), other);
		return CFG_NONE;
	}
	if (found == CFG_NONE) {
		cited_wrong(n,
		    "there is no function `%s' (the compiler may have inlined it: name its lines); `rivulet cfg "
		    "PROGRAM' lists the functions",
		    name);
		return CFG_NONE;
	}
	const char *only = cfg_function_name(n->cfg, found, text);
	if (strstr(only, ".part.") == NULL)
		return found;
	cited_wrong(n, "there is no function `%s', but a part of it, `%s': the compiler inlined the rest", name, only);
	return CFG_NONE;
}

uint32_t cited_function(struct cited_code *n, const char *text)
{
	char *end;
	uint32_t function = cfg_function_named(n->cfg, text);
	if (function == CFG_NONE && strncmp(text, "0x", 2) == 0) {
		uint64_t address = strtoull(text, &end, 16);
		uint32_t block = *end == '\0' ? cfg_block_at(n->cfg, address) : CFG_NONE;
		function = block == CFG_NONE ? CFG_NONE : n->cfg->blocks[block].function;
	}
	if (function != CFG_NONE && n->cfg->functions[function].block_count > 0)
		return function;
	return find_made_of(n, text);
}

uint32_t cited_loop(struct cited_code *n, uint32_t function, const char *text)
{
	const struct cfg *cfg = n->cfg;
	const struct cfg_function *f = &cfg->functions[function];
	uint32_t loop = CFG_NONE;
	char *end = NULL, name[CFG_NAME];
	if (*text == 'L' && isdigit((unsigned char)text[1])) {
		uint64_t number = strtoull(text + 1, &end, 10);
		loop = *end == '\0' && number < f->loop_count ? f->loops + (uint32_t)number : CFG_NONE;
	} else {
		uint64_t address = strtoull(text, &end, 0);
		for (uint32_t l = f->loops; l < f->loops + f->loop_count && *end == '\0'; l++)
			loop = cfg->blocks[cfg->loops[l].head].start == address ? l : loop;
	}
	if (loop == CFG_NONE) {
		const char *shown = cfg_function_name(cfg, function, name);
		cited_wrong(n, "%s has no loop %s; `rivulet cfg PROGRAM --function %s' lists its loops: L0, L1, ...",
		    shown, text, shown);
	}
	return loop;
}

bool cited_file(const char *file, const char *wanted)
{
	size_t a = strlen(file), b = strlen(wanted);
	return a >= b && strcmp(file + a - b, wanted) == 0 && (a == b || file[a - b - 1] == '/');
}
