/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Takes lines out of an assembler text as long as a judge still says yes: `shrink IN.S OUT.S JUDGE [ARGUMENT...]`.
 * JUDGE is run with its arguments and the name of a candidate; exit status 0 says that the candidate is still
 * interesting (for tb/judge: still assembles, and RTL and model still differ in the same signal). Pieces are tried
 * from half of the text down to one line, until no single line can go. OUT.S always holds the shortest interesting text
 * so far. Lines from "shrink: keep" on are never taken out (of a random program: its data).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct text {
	char **line;
	bool *gone;
	size_t count, movable; /* lines from movable on stay */
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "shrink: %s: %s\n", what, why);
	return 2;
}

static int read_text(const char *path, struct text *text)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0, room = 0;

	*text = (struct text){.movable = SIZE_MAX};
	if (!file)
		return complain(path, strerror(errno));
	while (getline(&line, &size, file) >= 0) {
		if (text->count == room) {
			room = room ? 2 * room : 1024;
			text->line = realloc(text->line, room * sizeof *text->line);
		}
		if (!text->line || !(text->line[text->count] = strdup(line)))
			return complain(path, "no memory");
		if (strstr(line, "shrink: keep") && text->movable == SIZE_MAX)
			text->movable = text->count;
		text->count++;
	}
	free(line);
	fclose(file);
	if (text->movable == SIZE_MAX)
		text->movable = text->count;
	text->gone = calloc(text->count + 1, sizeof *text->gone);
	return text->gone ? 0 : complain(path, "no memory");
}

static int write_text(const char *path, const struct text *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return complain(path, strerror(errno));
	for (size_t i = 0; i < text->count; i++)
		if (!text->gone[i])
			fputs(text->line[i], file);
	return fclose(file) ? complain(path, strerror(errno)) : 0;
}

/* Is the text still interesting? 1 yes, 0 no, negative: it cannot be asked. */
static int ask(const struct text *text, const char *candidate, char **judge)
{
	int status;
	pid_t child;

	if (write_text(candidate, text))
		return -1;
	child = fork();
	if (child == 0) {
		execvp(judge[0], judge);
		fprintf(stderr, "shrink: %s: %s\n", judge[0], strerror(errno));
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static size_t left(const struct text *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->movable; i++)
		n += !text->gone[i];
	return n;
}

/* Takes out the next `size` lines that are still there, from *at on; *at moves behind them. Returns how many. */
static size_t take(struct text *text, size_t *at, size_t size, size_t *taken)
{
	size_t n = 0;

	while (*at < text->movable && n < size) {
		if (!text->gone[*at]) {
			text->gone[*at] = true;
			taken[n++] = *at;
		}
		++*at;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct text text;
	unsigned runs = 1;
	size_t before, *taken;
	char **judge;
	int answer;

	if (argc < 4)
		return complain("usage", "shrink IN.S OUT.S JUDGE [ARGUMENT...]");
	if (read_text(argv[1], &text))
		return 2;
	judge = calloc((size_t)argc, sizeof *judge);
	taken = calloc(text.count + 1, sizeof *taken);
	char *candidate = malloc(strlen(argv[2]) + 8);
	if (!judge || !taken || !candidate)
		return complain(argv[1], "no memory");
	sprintf(candidate, "%s.try.S", argv[2]);
	memcpy(judge, argv + 3, (size_t)(argc - 3) * sizeof *judge);
	judge[argc - 3] = candidate;
	before = left(&text);
	answer = ask(&text, candidate, judge);
	if (answer <= 0)
		return complain(
		    argv[1], answer < 0 ? "the judge cannot be run" : "the judge does not find it interesting");
	for (size_t size = (before + 1) / 2; size;) {
		bool smaller = false;

		for (size_t at = 0; at < text.movable;) {
			size_t n = take(&text, &at, size, taken);

			if (!n)
				break;
			runs++;
			answer = ask(&text, candidate, judge);
			if (answer < 0)
				return complain(candidate, "the judge cannot be run");
			if (answer) {
				smaller = true;
				if (write_text(argv[2], &text))
					return 2;
			} else {
				while (n)
					text.gone[taken[--n]] = false;
			}
		}
		/* a line that went may free lines before it: the same size again, one line at a time at the end */
		if (size > 1)
			size = size / 2 < left(&text) ? size / 2 : (left(&text) + 1) / 2;
		else if (!smaller)
			size = 0;
	}
	if (write_text(argv[2], &text))
		return 2;
	remove(candidate);
	printf("shrink: %zu lines to %zu in %u runs\n", before, left(&text), runs);
	return 0;
}
