/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/table/numbers.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXTS 64

char *numbers_text(void)
{
	static char texts[TEXTS][NUMBERS_TEXT];
	static unsigned turn;
	return texts[turn++ % TEXTS];
}

const char *with_commas(uint64_t value)
{
	char digits[32], *text = numbers_text(), *out = text;
	int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return text;
}

const char *with_unit(double value)
{
	static const char units[] = " kMGTPE";
	char *text = numbers_text();
	size_t unit = 0;
	while (value >= 999.5 && unit + 2 < sizeof units) {
		value /= 1000;
		unit++;
	}
	int digits = (value < 9.995) + (value < 99.95); /* three figures in all */
	if (unit == 0)
		snprintf(text, NUMBERS_TEXT, "%.0f", value);
	else
		snprintf(text, NUMBERS_TEXT, "%.*f%c", digits, value, units[unit]);
	return text;
}

const char *short_file(const char *file, size_t max)
{
	static char here[4096];
	if (here[0] == '\0' && getcwd(here, sizeof here) == NULL)
		snprintf(here, sizeof here, "/");
	size_t length = strlen(here);
	if (strncmp(file, here, length) == 0 && file[length] == '/')
		file += length + 1;
	while (strncmp(file, "./", 2) == 0)
		file += 2;
	/* leave out leading directories until it fits; the name itself stays whole */
	while (strlen(file) > max) {
		const char *slash = strchr(file + 1, '/');
		if (slash == NULL)
			break;
		file = slash + 1;
	}
	return file;
}

const struct style *style_for(FILE *out)
{
	static const struct style plain = {"", "", "", ""}, colour = {"\033[1m", "\033[2m", "\033[1;33m", "\033[0m"};
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	bool dumb = term == NULL || strcmp(term, "dumb") == 0;
	return isatty(fileno(out)) && !dumb && (no_colour == NULL || *no_colour == '\0') ? &colour : &plain;
}
