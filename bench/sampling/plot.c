/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Overhead against overlap as an SVG, from the rows of bench/sampling/run on standard input: a point for each way and
 * rate, the mean over the applications; a line through the rates of a way. Usage: sampling-plot < rows > file.svg
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WAYS 8
#define RATES 12
#define WIDTH 760.0
#define HEIGHT 460.0
#define LEFT 70.0
#define RIGHT 170.0
#define TOP 20.0
#define BOTTOM 50.0
#define OVERHEAD_MIN 1e-3 /* per cent; the axis is logarithmic */
#define OVERHEAD_MAX 1e3
#define MISS_MIN 0.3 /* per cent missing to full overlap; logarithmic, and upside down */
#define MISS_MAX 100.0

struct point {
	double rate, overhead, miss;
	unsigned count;
};
static struct series {
	char name[32];
	struct point points[RATES];
	unsigned count;
} all[WAYS];
static unsigned used;
static const char *const colours[WAYS] = {
    "#000000", "#888888", "#d62728", "#1f77b4", "#17a2b8", "#2ca02c", "#9467bd", "#ff7f0e"};

static struct point *find(const char *way, double rate)
{
	unsigned i = 0, k = 0;
	while (i < used && strcmp(all[i].name, way) != 0)
		i++;
	if (i == WAYS)
		return NULL;
	struct series *s = &all[i];
	if (i == used) {
		used++;
		snprintf(s->name, sizeof s->name, "%s", way);
	}
	while (k < s->count && s->points[k].rate != rate)
		k++;
	if (k == RATES)
		return NULL;
	if (k == s->count)
		s->points[s->count++] = (struct point){.rate = rate};
	return &s->points[k];
}

static double within(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

static double x_of(double overhead)
{
	double part =
	    log(within(overhead, OVERHEAD_MIN, OVERHEAD_MAX) / OVERHEAD_MIN) / log(OVERHEAD_MAX / OVERHEAD_MIN);
	return LEFT + part * (WIDTH - LEFT - RIGHT);
}

static double y_of(double miss)
{
	double part = log(within(miss, MISS_MIN, MISS_MAX) / MISS_MIN) / log(MISS_MAX / MISS_MIN);
	return TOP + part * (HEIGHT - TOP - BOTTOM);
}

static void grid(void)
{
	static const double overheads[] = {0.001, 0.01, 0.1, 1, 10, 100, 1000};
	static const double overlaps[] = {99.7, 99.5, 99, 98, 95, 90, 80, 50, 0};
	for (size_t i = 0; i < sizeof overheads / sizeof *overheads; i++)
		printf("<path d='M%.1f %.1fV%.1f' stroke='#ddd'/><text x='%.1f' y='%.1f' "
		       "text-anchor='middle'>%g%%</text>\n",
		    x_of(overheads[i]), TOP, HEIGHT - BOTTOM, x_of(overheads[i]), HEIGHT - BOTTOM + 18, overheads[i]);
	for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++)
		printf(
		    "<path d='M%.1f %.1fH%.1f' stroke='#ddd'/><text x='%.1f' y='%.1f' text-anchor='end'>%g%%</text>\n",
		    LEFT, y_of(100 - overlaps[i]), WIDTH - RIGHT, LEFT - 6, y_of(100 - overlaps[i]) + 4, overlaps[i]);
}

int main(void)
{
	char line[512], app[64], way[32];
	double rate, cycles, base, overlap;
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (sscanf(line, "%63s %31s %lf %lf %lf %lf", app, way, &rate, &cycles, &base, &overlap) != 6)
			continue;
		struct point *point = find(way, rate);
		if (point == NULL) {
			fprintf(stderr, "sampling-plot: more than %d ways or %d rates\n", WAYS, RATES);
			return 1;
		}
		point->overhead += 100 * (cycles - base) / base;
		point->miss += 100 - overlap;
		point->count++;
	}
	printf(
	    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif' font-size='12'>\n"
	    "<!-- SPDX-License-Identifier: Apache-2.0, Copyright 2026 The Rivulet authors; made by "
	    "bench/sampling/plot.c -->\n"
	    "<rect width='100%%' height='100%%' fill='white'/>\n",
	    WIDTH, HEIGHT);
	grid();
	printf("<text x='%.1f' y='%.1f' text-anchor='middle'>overhead</text>\n"
	       "<text transform='translate(16 %.1f) rotate(-90)' text-anchor='middle'>overlap with the exact "
	       "profile</text>\n",
	    (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, HEIGHT / 2);
	for (unsigned i = 0; i < used; i++) {
		const struct series *s = &all[i];
		printf("<g stroke='%s' fill='%s'><polyline fill='none' points='", colours[i], colours[i]);
		for (unsigned k = 0; k < s->count; k++)
			printf("%.1f,%.1f ", x_of(s->points[k].overhead / s->points[k].count),
			    y_of(s->points[k].miss / s->points[k].count));
		printf("'/>\n");
		for (unsigned k = 0; k < s->count; k++)
			printf("<circle r='3' cx='%.1f' cy='%.1f'><title>%s, 1 in %g: overhead %.3f%%, overlap "
			       "%.2f%%</title></circle>\n",
			    x_of(s->points[k].overhead / s->points[k].count),
			    y_of(s->points[k].miss / s->points[k].count), s->name, s->points[k].rate,
			    s->points[k].overhead / s->points[k].count, 100 - s->points[k].miss / s->points[k].count);
		printf("<text x='%.1f' y='%.1f' stroke='none'>%s</text></g>\n", WIDTH - RIGHT + 14, TOP + 20 + 20.0 * i,
		    s->name);
	}
	printf("</svg>\n");
	return 0;
}
