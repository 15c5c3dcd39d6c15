/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A line of a measurement log, as a data logger writes it to a card and a host reads it again:
 *
 *	0003021.500 kiln-2     OK    1023.75 degC  -4.20e-03 /s  [1F40] n=17
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "roundtrip.h"

#define LINE 96

struct entry {
	uint32_t milliseconds;
	char station[11];
	bool ok;
	int32_t value; /* 1/4 degree */
	double slope;
	uint16_t status;
	unsigned samples;
};

static const char *const stations[] = {"kiln", "boiler", "flue", "intake", "roof"};

static void make_entry(struct entry *e, uint32_t milliseconds, struct app_random *random)
{
	e->milliseconds = milliseconds;
	snprintf(e->station, sizeof e->station, "%s-%u", stations[app_random_below(random, 5)],
	    (unsigned)app_random_below(random, 12));
	e->ok = app_random_below(random, 10) != 0;
	e->value = (int32_t)app_random_below(random, 8000) - 1000;
	e->slope = ((int32_t)app_random_below(random, 1999) - 999) / 100.0 * (app_random_below(random, 2) ? 1e-3 : 10);
	e->status = (uint16_t)app_random(random);
	e->samples = app_random_below(random, 1000);
}

static int write_entry(char *line, size_t size, const struct entry *e)
{
	return snprintf(line, size, "%07" PRIu32 ".%03" PRIu32 " %-10s %-4s %8.2f degC %10.2e /s  [%04X] n=%u\n",
	    e->milliseconds / 1000, e->milliseconds % 1000, e->station, e->ok ? "OK" : "FAIL", e->value / 4.0, e->slope,
	    e->status, e->samples);
}

/* Steps over the text if the line goes on with it. */
static bool skip(const char **line, const char *text)
{
	while (**line == ' ')
		++*line;
	size_t length = strlen(text);
	if (strncmp(*line, text, length) != 0)
		return false;
	*line += length;
	return true;
}

/* The next word, cut to fit. */
static void read_word(const char **line, char *word, size_t size)
{
	while (**line == ' ')
		++*line;
	size_t length = strcspn(*line, " \n");
	size_t kept = length < size ? length : size - 1;
	memcpy(word, *line, kept);
	word[kept] = '\0';
	*line += length;
}

static double read_double(const char **line)
{
	char *end;
	double value = strtod(*line, &end);
	*line = end;
	return value;
}

static unsigned long read_number(const char **line, int base)
{
	char *end;
	unsigned long value = strtoul(*line, &end, base);
	*line = end;
	return value;
}

static bool read_entry(const char *line, struct entry *e)
{
	char verdict[6];
	memset(e, 0, sizeof *e);
	e->milliseconds = (uint32_t)(1000 * read_number(&line, 10));
	if (*line++ != '.')
		return false;
	e->milliseconds += (uint32_t)read_number(&line, 10);
	read_word(&line, e->station, sizeof e->station);
	read_word(&line, verdict, sizeof verdict);
	e->ok = strcmp(verdict, "OK") == 0;
	if (!e->ok && strcmp(verdict, "FAIL") != 0)
		return false;
	e->value = (int32_t)(read_double(&line) * 4.0);
	if (!skip(&line, "degC"))
		return false;
	e->slope = read_double(&line);
	if (!skip(&line, "/s") || !skip(&line, "["))
		return false;
	e->status = (uint16_t)read_number(&line, 16);
	if (!skip(&line, "]") || !skip(&line, "n="))
		return false;
	e->samples = (unsigned)read_number(&line, 10);
	return *line == '\n';
}

/* The slope has three digits, which "%.2e" keeps; computing it left an error in the last bits. */
static bool same(const struct entry *a, const struct entry *b)
{
	double difference = a->slope - b->slope, allowed = a->slope * 1e-12;
	if (difference < 0)
		difference = -difference;
	if (allowed < 0)
		allowed = -allowed;
	return a->milliseconds == b->milliseconds && strcmp(a->station, b->station) == 0 && a->ok == b->ok &&
	       a->value == b->value && difference <= allowed && a->status == b->status && a->samples == b->samples;
}

int check_log(unsigned count, struct app_random *random)
{
	uint32_t unread = 0, different = 0, misfits = 0, milliseconds = app_random_below(random, 4000000);
	for (unsigned i = 0; i < count; i++) {
		struct entry written, read;
		char line[LINE];
		milliseconds += 250 * (1 + app_random_below(random, 9));
		make_entry(&written, milliseconds, random);
		int length = write_entry(line, sizeof line, &written);
		misfits += length < 0 || (size_t)length >= sizeof line || strlen(line) != (size_t)length;
		if (!read_entry(line, &read))
			unread++;
		else
			different += !same(&written, &read);
	}
	return app_check("log lines of wrong length", misfits, 0) + app_check("log lines not read", unread, 0) +
	       app_check("log entries changed", different, 0);
}
