/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Many patterns over generated log lines, with two matchers; known answers first. */
#include "app.h"

#include <stdio.h>
#include <string.h>

#include "regex.h"

struct plan {
	uint32_t seed;
	unsigned lines;
};
static const struct plan train = {4, 1};
static const struct plan ref = {31415, 40};

static struct regex regex;

/* Pattern, text, and the end of the preferred match at its beginning; -1: none, -2: the pattern is wrong. */
static const struct {
	const char *pattern, *text;
	int end;
} known[] = {{"abc", "abcd", 3}, {"a*", "aaab", 3}, {"a*?", "aaab", 0}, {"a+?b", "aaab", 4},
    {"(a|ab)(c|bcd)", "abcd", 4}, {"(ab|a)(bc)?", "abc", 2}, {"[^0-9]+\\d", "ab-3", 4}, {"^a.c$", "abc", 3},
    {"^a.c$", "abcd", -1}, {"(a*)*b", "aaaac", -1}, {"x|y|z", "z", 1}, {"\\w+@\\w+\\.org", "ada@x.org", 9},
    {"(0|1(01*0)*1)+$", "1001", 4}, {"(0|1(01*0)*1)+$", "1000", -1}, {"[a-c]?[a-c]?", "abc", 2}, {"a\\*", "a*", 2},
    {"", "q", 0}, {"(a", "a", -2}, {"*a", "a", -2}, {"[z-a]", "a", -2}, {"a)", "a", -2}, {"[ab", "a", -2}};

static int check_known(void)
{
	int failed = 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t size = strlen(known[i].text);
		if (regex_compile(&regex, known[i].pattern) != 0) {
			failed += app_check(known[i].pattern, (uint32_t)-2, (uint32_t)known[i].end);
			continue;
		}
		failed += app_check(known[i].pattern, (uint32_t)regex_match_threads(&regex, known[i].text, size, 0),
		    (uint32_t)known[i].end);
		failed += app_check(known[i].pattern, (uint32_t)regex_match_backtrack(&regex, known[i].text, size, 0),
		    (uint32_t)known[i].end);
	}
	return failed;
}

/* A line as a server writes it; the fields that a pattern can find are counted while it is made. */
enum { FOUND_ADDRESS, FOUND_ERROR, FOUND_NUMBER, FOUND_MAIL, FOUND_COUNT };
static const char *const patterns[FOUND_COUNT] = {
    "\\d+\\.\\d+\\.\\d+\\.\\d+", "(ERROR|FATAL): [a-z ]+", "0x[0-9a-f]+", "\\w+@(\\w+\\.)+(org|net)"};
/* Patterns that only have to be the same for both matchers. */
static const char *const others[] = {
    "(\\w+)=(\\w*)", "[aeiou][^aeiou ]+?[aeiou]", "(a|e|st|er)+", "\\s(\\w|-)+?:", ".*\\d$"};

static size_t make_line(char *line, size_t room, struct app_random *random, unsigned counts[FOUND_COUNT])
{
	static const char *const levels[] = {"ERROR", "FATAL", "warning", "info"};
	static const char *const texts[] = {
	    "gate stuck", "no answer from station", "flow above limit", "restart requested"};
	static const char *const hosts[] = {"weir.example.org", "lock.net", "mail.river.example.net"};
	unsigned level = app_random_below(random, 4);
	size_t at = (size_t)snprintf(line, room, "10.%u.%u.%u %s: %s", (unsigned)app_random_below(random, 256),
	    (unsigned)app_random_below(random, 256), (unsigned)app_random_below(random, 256), levels[level],
	    texts[app_random_below(random, 4)]);
	counts[FOUND_ADDRESS]++;
	counts[FOUND_ERROR] += level < 2;
	if (app_random_below(random, 2)) {
		at += (size_t)snprintf(line + at, room - at, "; code=0x%x", (unsigned)(app_random(random) >> 16));
		counts[FOUND_NUMBER]++;
	}
	if (app_random_below(random, 3) == 0) {
		at += (size_t)snprintf(line + at, room - at, "; to=u%u@%s", (unsigned)app_random_below(random, 50),
		    hosts[app_random_below(random, 3)]);
		counts[FOUND_MAIL]++;
	}
	return at;
}

/* Matches of the compiled pattern in a line, none overlapping another; *differences counts places where the matchers
 * disagree. */
static unsigned search(const char *line, size_t size, unsigned *differences)
{
	unsigned found = 0;
	for (size_t at = 0; at < size;) {
		long end = regex_match_threads(&regex, line, size, at);
		*differences += end != regex_match_backtrack(&regex, line, size, at);
		found += end > (long)at;
		at = end > (long)at ? (size_t)end : at + 1;
	}
	return found;
}

int app_main(int input)
{
	static char line[160];
	const struct plan *plan = input == APP_TRAIN ? &train : &ref;
	struct app_random random;
	unsigned expected[FOUND_COUNT] = {0}, found[FOUND_COUNT] = {0}, differences = 0;
	int failed = check_known();
	app_random_init(&random, plan->seed);
	for (unsigned i = 0; i < plan->lines; i++) {
		size_t size = make_line(line, sizeof line, &random, expected);
		for (unsigned p = 0; p < FOUND_COUNT; p++) {
			failed += app_check(patterns[p], (uint32_t)regex_compile(&regex, patterns[p]), 0);
			found[p] += search(line, size, &differences);
		}
		for (unsigned p = 0; p < sizeof others / sizeof *others; p++) {
			failed += app_check(others[p], (uint32_t)regex_compile(&regex, others[p]), 0);
			search(line, size, &differences);
		}
	}
	for (unsigned p = 0; p < FOUND_COUNT; p++)
		failed += app_check(patterns[p], found[p], expected[p]);
	return failed + app_check("matchers disagree", differences, 0);
}
