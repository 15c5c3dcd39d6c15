/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * rivulet phases --clusters PREFIX: phases that SimPoint found (or --simpoint wrote) instead of our own.
 *
 *   PREFIX.labels     cluster of each interval, and a distance
 *   PREFIX.simpoints  interval and cluster
 *   PREFIX.weights    weight and cluster
 *   PREFIX.bb         T:block:instructions ...: the sum of a line is the length of its interval
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"

struct cluster_row { /* of a file: a number, then a cluster */
	double number;
	uint32_t cluster;
};

struct cluster_file {
	char name[4096];
	FILE *file;
	char *line;
	size_t room;
	uint64_t at; /* line */
};

static bool open_cluster_file(struct cluster_file *f, const char *prefix, const char *end)
{
	*f = (struct cluster_file){0};
	snprintf(f->name, sizeof f->name, "%s.%s", prefix, end);
	f->file = fopen(f->name, "r");
	return f->file != NULL;
}

static void close_cluster_file(struct cluster_file *f)
{
	if (f->file != NULL)
		fclose(f->file);
	free(f->line);
}

/* The next line that is not empty. */
static bool next_cluster_line(struct cluster_file *f)
{
	while (getline(&f->line, &f->room, f->file) > 0) {
		f->at++;
		if (f->line[strspn(f->line, " \t\r\n")] != '\0')
			return true;
	}
	return false;
}

static bool two_numbers(const char *line, double *first, double *second)
{
	char *behind;
	*first = strtod(line, &behind);
	if (behind == line)
		return false;
	const char *next = behind;
	*second = strtod(next, &behind);
	return behind != next && behind[strspn(behind, " \t\r\n")] == '\0' && isfinite(*first) && isfinite(*second);
}

static bool is_index(double value)
{
	return value >= 0 && value < UINT32_MAX && value == floor(value);
}

/* The rows of PREFIX.end; the cluster is the second number, or the first one. NULL: it is told. */
static struct cluster_row *read_cluster_rows(const char *prefix, const char *end, bool cluster_first, size_t *count)
{
	struct cluster_file f;
	struct cluster_row *rows = NULL;
	size_t room = 0;
	bool ok = open_cluster_file(&f, prefix, end);
	*count = 0;
	if (!ok)
		complain("%s: %s", f.name, strerror(errno));
	while (ok && next_cluster_line(&f)) {
		double first, second;
		ok = two_numbers(f.line, &first, &second) && is_index(cluster_first ? first : second);
		if (!ok) {
			complain("%s:%" PRIu64 ": two numbers are expected, the %s is a cluster", f.name, f.at,
			    cluster_first ? "first" : "second");
			break;
		}
		if (!(ok = array_room(&rows, *count + 1, &room))) {
			complain("out of memory");
			break;
		}
		rows[(*count)++] = (struct cluster_row){
		    .number = cluster_first ? second : first, .cluster = (uint32_t)(cluster_first ? first : second)};
	}
	if (ok && *count == 0) {
		complain("%s: is empty", f.name);
		ok = false;
	}
	close_cluster_file(&f);
	if (!ok) {
		free(rows);
		rows = NULL;
	}
	return rows;
}

/* "T:1:20 :2:30" is 50 */
static bool vector_length(const char *line, uint64_t *length)
{
	const char *at = line + 1;
	*length = 0;
	while (at[strspn(at, " \t\r\n")] != '\0') {
		char *behind;
		at += strspn(at, " \t");
		if (*at != ':')
			return false;
		strtoull(at + 1, &behind, 10);
		if (behind == at + 1 || *behind != ':')
			return false;
		at = behind + 1;
		const uint64_t instructions = strtoull(at, &behind, 10);
		if (behind == at || instructions > UINT64_MAX / 2 - *length)
			return false;
		*length += instructions;
		at = behind;
	}
	return true;
}

/* The lengths that PREFIX.bb says. */
static bool read_lengths(const char *prefix, uint64_t **lengths, uint32_t *count)
{
	struct cluster_file f;
	size_t room = 0, used = 0;
	bool ok = open_cluster_file(&f, prefix, "bb");
	if (!ok)
		complain("%s: %s: it says how long intervals are; if all are as long: --clusters %s,INSTRUCTIONS",
		    f.name, strerror(errno), prefix);
	while (ok && next_cluster_line(&f)) {
		if (f.line[0] != 'T')
			continue; /* comments of other programs */
		ok = array_room(lengths, used + 1, &room) && vector_length(f.line, &(*lengths)[used]);
		used += ok;
		if (!ok)
			complain("%s:%" PRIu64 ": \"T:block:instructions :block:instructions ...\" is expected", f.name,
			    f.at);
	}
	close_cluster_file(&f);
	*count = (uint32_t)used;
	return ok;
}

/* All as long, but for the last one. */
static bool equal_lengths(uint64_t length, uint32_t count, uint64_t **lengths)
{
	*lengths = calloc((size_t)count + 1, sizeof **lengths);
	for (uint32_t i = 0; *lengths != NULL && i < count; i++)
		(*lengths)[i] = length;
	return *lengths != NULL;
}

/* Whether intervals of these lengths are the run: what is behind the last one is no longer than an interval. */
static bool fits_run(const struct phases_clusters *c, const struct phases_view *view)
{
	const uint64_t all = view->total.at[PHASES_INSTRUCTION];
	uint64_t sum = 0, longest = 0;
	for (uint32_t i = 0; i + 1 < c->lengths.count; i++)
		sum += c->lengths.length[i];
	for (uint32_t i = 0; i < c->lengths.count; i++)
		longest = c->lengths.length[i] > longest ? c->lengths.length[i] : longest;
	if (sum < all && all - sum <= 2 * longest)
		return true;
	complain("%s: is of another run: all but the last of its %" PRIu32 " intervals have %s instructions, %s has %s",
	    c->prefix, c->lengths.count, with_commas(sum), view->input, with_commas(all));
	return false;
}

static struct phases_cluster *cluster_of(struct phases_clusters *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->cluster[i].number == number)
			return &c->cluster[i];
	return NULL;
}

/* The clusters in the order in which they first ran. */
static bool number_clusters(struct phases_clusters *c)
{
	c->cluster = calloc((size_t)c->lengths.count + 1, sizeof *c->cluster);
	for (uint32_t i = 0; c->cluster != NULL && i < c->lengths.count; i++)
		if (cluster_of(c, c->label[i]) == NULL)
			c->cluster[c->count++] =
			    (struct phases_cluster){.number = c->label[i], .interval = UINT32_MAX, .weight = -1};
	return c->cluster != NULL;
}

static bool take_points(struct phases_clusters *c)
{
	size_t points = 0, weights = 0;
	struct cluster_row *point = read_cluster_rows(c->prefix, "simpoints", false, &points);
	struct cluster_row *weight = point == NULL ? NULL : read_cluster_rows(c->prefix, "weights", false, &weights);
	bool ok = point != NULL && weight != NULL;
	for (size_t i = 0; ok && i < points; i++) {
		struct phases_cluster *one = cluster_of(c, point[i].cluster);
		const double interval = point[i].number;
		ok = one != NULL && is_index(interval) && interval < c->lengths.count &&
		     c->label[(uint32_t)interval] == one->number;
		if (ok)
			one->interval = (uint32_t)interval;
		else
			complain("%s.simpoints: interval %.0f is none of cluster %" PRIu32 " in %s.labels", c->prefix,
			    interval, point[i].cluster, c->prefix);
	}
	for (size_t i = 0; ok && i < weights; i++) {
		struct phases_cluster *one = cluster_of(c, weight[i].cluster);
		ok = one != NULL && weight[i].number >= 0 && weight[i].number <= 1;
		if (ok)
			one->weight = weight[i].number;
		else
			complain("%s.weights: %g is no share of a cluster %" PRIu32 " that there is", c->prefix,
			    weight[i].number, weight[i].cluster);
	}
	free(point);
	free(weight);
	return ok;
}

static bool take_labels(struct phases_clusters *c)
{
	size_t count;
	struct cluster_row *rows = read_cluster_rows(c->prefix, "labels", true, &count);
	if (rows == NULL)
		return false;
	c->lengths.count = (uint32_t)count;
	c->label = calloc(count + 1, sizeof *c->label);
	for (size_t i = 0; c->label != NULL && i < count; i++)
		c->label[i] = rows[i].cluster;
	free(rows);
	return c->label != NULL;
}

int phases_read_clusters(struct phases_clusters *c, const struct phases_view *view, const char *source)
{
	const char *comma = strrchr(source, ',');
	uint64_t length = 0, *lengths = NULL;
	uint32_t vectors;
	*c = (struct phases_clusters){0};
	c->prefix = comma == NULL ? strdup(source) : strndup(source, (size_t)(comma - source));
	bool ok = c->prefix != NULL && (comma == NULL || (parse_number(comma + 1, UINT64_MAX, &length) && length > 0));
	if (!ok)
		complain("--clusters %s: PREFIX or PREFIX,INSTRUCTIONS is expected", source);
	ok = ok && take_labels(c);
	vectors = c->lengths.count;
	ok = ok && (comma == NULL ? read_lengths(c->prefix, &lengths, &vectors)
				  : equal_lengths(length, c->lengths.count, &lengths));
	c->lengths.length = lengths;
	if (ok && vectors != c->lengths.count) {
		complain("%s.bb: has %" PRIu32 " intervals, %s.labels has %" PRIu32, c->prefix, vectors, c->prefix,
		    c->lengths.count);
		ok = false;
	}
	ok = ok && fits_run(c, view) && number_clusters(c) && take_points(c);
	return ok ? STATUS_OK : STATUS_FAILED;
}

void phases_clusters_free(struct phases_clusters *c)
{
	free((char *)(uintptr_t)c->prefix);
	free((uint64_t *)(uintptr_t)c->lengths.length);
	free(c->label);
	free(c->cluster);
	*c = (struct phases_clusters){0};
}

void phases_print_clusters(const struct phases_view *view, FILE *out)
{
	const struct phases_clusters *c = view->clusters;
	struct phases_point *point = calloc((size_t)c->count + 1, sizeof *point);
	uint32_t points = 0;
	fprintf(out, "\n  clusters of %s\n", c->prefix);
	phases_put_clusters(view, TABLE_TEXT, out, NULL);
	for (uint32_t p = 0; point != NULL && p < c->count && p < view->segments.phases; p++) {
		const struct phases_cluster *one = &c->cluster[p];
		if (one->interval < view->intervals.count && one->weight >= 0)
			point[points++] = (struct phases_point){one->interval, one->weight};
	}
	if (point != NULL)
		phases_tell_estimate(view, point, points);
	free(point);
}
