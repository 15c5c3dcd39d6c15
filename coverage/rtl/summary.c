/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Sums up coverage: `summary REASONS FILE...`, FILE being Verilator's points (first line "# SystemC::Coverage") or
 * those of tb/functional.h. The same point of several instances and builds is one point: reached if it was in any of
 * them.
 *
 * REASONS has a line for each point that need not be reached: file, kind (line, branch, toggle or functional), pattern,
 * reason, separated by tabulators. The pattern (fnmatch) is held against the line number for lines and branches,
 * against signal[bit]:0->1 for toggles (of Verilator 5.006: signal[bit], both ways in one), against the name for
 * functional points. A line of REASONS that excuses nothing is an error, so that the list cannot grow old.
 *
 * Prints a table in Markdown, then each point that is neither reached nor excused. Exit status 1 if the trace unit has
 * such a point, or another file reaches less than 95 %, or a reason is stale.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { LINE, BRANCH, TOGGLE, FUNCTIONAL, KINDS };
static const char *const kind_names[KINDS] = {"line", "branch", "toggle", "functional"};

struct point {
	char *file, *name;
	enum kind kind;
	uint64_t count;
	const char *reason;
};
struct reason {
	char *file, *pattern, *text;
	enum kind kind;
	bool used;
};

static struct point *points;
static size_t count, room;
static struct reason *reasons;
static size_t reason_count;

static void *need(void *memory)
{
	if (!memory) {
		fputs("summary: no memory\n", stderr);
		exit(2);
	}
	return memory;
}

static void add(const char *file, enum kind kind, const char *name, uint64_t n)
{
	if (count == room) {
		room = room ? 2 * room : 4096;
		points = need(realloc(points, room * sizeof *points));
	}
	points[count++] = (struct point){need(strdup(file)), need(strdup(name)), kind, n, NULL};
}

/* The value of a key of a point, "" if it has none: \001 key \002 value. */
static void value_of(const char *line, const char *key, char *value, size_t size)
{
	char what[16];
	const char *at;

	snprintf(what, sizeof what, "\001%s\002", key);
	at = strstr(line, what);
	*value = 0;
	if (!at)
		return;
	at += strlen(what);
	snprintf(value, size, "%.*s", (int)strcspn(at, "\001'"), at);
}

static bool read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		fprintf(stderr, "summary: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (getline(&line, &size, file) >= 0) {
		char source[256], number[32], column[32], page[128], comment[256], name[512];

		if (*line == 'C') {
			const char *n = strrchr(line, ' ');

			value_of(line, "f", source, sizeof source);
			value_of(line, "l", number, sizeof number);
			value_of(line, "n", column, sizeof column);
			value_of(line, "page", page, sizeof page);
			value_of(line, "o", comment, sizeof comment);
			enum kind kind = !strncmp(page, "v_toggle", 8)   ? TOGGLE
					 : !strncmp(page, "v_branch", 8) ? BRANCH
									 : LINE;
			if (kind == TOGGLE)
				snprintf(name, sizeof name, "%s", comment);
			else
				snprintf(name, sizeof name, "%s %s (column %s)", number, comment, column);
			if (strncmp(source, "rtl/soc/rivulet_sim", 19)) /* that is the bench's own */
				add(source, kind, name, n ? strtoull(n, NULL, 10) : 0);
		} else if (*line >= '0' && *line <= '9') {
			char *tab = strchr(line, '\t'), *colon = tab ? strchr(tab, ':') : NULL;

			line[strcspn(line, "\n")] = 0;
			if (colon) {
				*colon = 0;
				add(tab + 1, FUNCTIONAL, colon + 2, strtoull(line, NULL, 10));
			}
		}
	}
	free(line);
	fclose(file);
	return true;
}

static bool read_reasons(const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0;

	if (!file) {
		fprintf(stderr, "summary: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (getline(&line, &size, file) >= 0) {
		char *fields[4], *rest = line;
		unsigned kind = 0;

		number++;
		line[strcspn(line, "\n")] = 0;
		if (!*line || *line == '#')
			continue;
		for (int i = 0; i < 4; i++)
			fields[i] = strsep(&rest, "\t");
		while (fields[1] && kind < KINDS && strcmp(kind_names[kind], fields[1]) != 0)
			kind++;
		if (!fields[3] || kind == KINDS) {
			fprintf(
			    stderr, "summary: %s:%u: not file, kind, pattern, reason with tabulators\n", path, number);
			return false;
		}
		reasons = need(realloc(reasons, (reason_count + 1) * sizeof *reasons));
		reasons[reason_count++] = (struct reason){
		    need(strdup(fields[0])), need(strdup(fields[2])), need(strdup(fields[3])), (enum kind)kind, false};
	}
	free(line);
	fclose(file);
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (!order)
		order = (int)x->kind - (int)y->kind;
	return order ? order : strcmp(x->name, y->name);
}

static void merge(void)
{
	size_t kept = 0;

	qsort(points, count, sizeof *points, by_place);
	for (size_t i = 0; i < count; i++)
		if (kept && !by_place(&points[kept - 1], &points[i]))
			points[kept - 1].count += points[i].count;
		else
			points[kept++] = points[i];
	count = kept;
}

static void excuse(struct point *p)
{
	for (size_t i = 0; i < reason_count; i++) {
		struct reason *r = &reasons[i];

		if (r->kind != p->kind || fnmatch(r->file, p->file, 0))
			continue;
		char place[512];
		snprintf(place, sizeof place, "%s", p->name);
		if (p->kind == LINE || p->kind == BRANCH)
			place[strcspn(place, " ")] = 0;
		if (fnmatch(r->pattern, place, 0))
			continue;
		p->reason = r->text;
		r->used = true;
		return;
	}
}

struct total {
	size_t all[KINDS], hit[KINDS], excused[KINDS];
};

static void row(const char *name, const struct total *t)
{
	size_t all = 0, hit = 0, excused = 0;

	printf("| %s |", name);
	for (unsigned k = 0; k < KINDS; k++) {
		if (t->all[k])
			printf(" %zu of %zu |", t->hit[k], t->all[k]);
		else
			printf(" |");
		all += t->all[k];
		hit += t->hit[k];
		excused += t->excused[k];
	}
	printf(
	    " %.1f %% | %zu | %zu |\n", all ? 100.0 * (double)hit / (double)all : 100.0, excused, all - hit - excused);
}

int main(int argc, char **argv)
{
	struct total core = {0}, unit = {0};
	bool bad = false;

	if (argc < 3) {
		fputs("usage: summary REASONS FILE...\n", stderr);
		return 2;
	}
	if (!read_reasons(argv[1]))
		return 2;
	for (int i = 2; i < argc; i++)
		if (!read_file(argv[i]))
			return 2;
	merge();
	puts("| file | lines | branches | toggles | functional | reached | with a reason | open |");
	puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
	for (size_t i = 0; i < count;) {
		struct total t = {0};
		const char *file = points[i].file;
		bool trace = !strncmp(file, "rtl/trace/", 10) || !strcmp(file, "trace unit");
		size_t all = 0, done = 0;

		for (; i < count && !strcmp(points[i].file, file); i++) {
			struct point *p = &points[i];
			struct total *sum = trace ? &unit : &core;

			t.all[p->kind]++, sum->all[p->kind]++, all++;
			if (p->count) {
				t.hit[p->kind]++, sum->hit[p->kind]++, done++;
				continue;
			}
			excuse(p);
			if (p->reason)
				t.excused[p->kind]++, sum->excused[p->kind]++, done++;
		}
		row(file, &t);
		bad |= trace ? done < all : (double)done < 0.95 * (double)all;
	}
	row("**trace unit**", &unit);
	row("**core and SoC**", &core);
	puts("");
	for (size_t i = 0; i < count; i++)
		if (!points[i].count)
			printf("%s: %s %s%s%s\n", points[i].file, kind_names[points[i].kind], points[i].name,
			    points[i].reason ? ": not reached: " : ": NOT REACHED",
			    points[i].reason ? points[i].reason : "");
	for (size_t i = 0; i < reason_count; i++)
		if (!reasons[i].used) {
			printf("stale reason: %s %s %s: it excuses nothing\n", reasons[i].file,
			    kind_names[reasons[i].kind], reasons[i].pattern);
			bad = true;
		}
	return bad;
}
