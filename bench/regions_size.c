/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Sizes of the arrays of path counters of a program, by how its regions are numbered. One line:
 *   functions whole paths | paths of regions | in one array, by representative: kept edges, first, fewest edges, fewest
 *   paths
 * Only functions whose paths fit in 4096 counters in every way, so that all columns are of the same functions. Then
 * those with a larger array, not cut:
 *   functions whose one array is larger, and can be numbered | counters of these arrays | paths of their regions |
 *   regions with more than 4096 paths | their paths
 * Usage: regions-size PROGRAM.elf [all]       all: loops and hammocks; else loops
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "host/cfg/cfg.h"
#include "host/paths/paths.h"
#include "host/regions/find.h"
#include "host/regions/global.h"

#define LIMIT 4096u
#define TABLE_LIMIT (UINT64_C(1) << 30)
enum { KEPT, FIRST, EDGES, PATHS, WAYS };

struct large {
	uint64_t functions, counters, paths, regions, region_paths;
};

static bool add_large(struct large *l, const struct numbering_graph *graph, unsigned find)
{
	static const struct regions_global_options way = {.representative = REGIONS_FEWEST_PATHS, .limit = TABLE_LIMIT};
	struct regions r;
	struct regions_values v = {0};
	struct regions_global g;
	if (regions_open(&r, graph, TABLE_LIMIT) != REGIONS_OK || regions_find(&r, find, NULL) != REGIONS_OK ||
	    regions_close(&r) != REGIONS_OK || regions_values_make(&v, &r) != REGIONS_OK)
		return false;
	for (uint32_t i = 0; i < r.count; i++) {
		l->regions += v.paths[i] > LIMIT;
		l->region_paths += v.paths[i] > LIMIT ? v.paths[i] : 0;
	}
	int error = regions_global_make(&g, &r, &way);
	if (error == REGIONS_OK && g.values.counters > LIMIT) {
		l->functions++;
		l->counters += g.values.counters;
		l->paths += g.hierarchical;
	}
	if (error == REGIONS_OK)
		regions_global_free(&g);
	regions_values_free(&v);
	regions_free(&r);
	return error != REGIONS_ENOMEM;
}

int main(int argc, char **argv)
{
	static const struct regions_global_options ways[WAYS] = {{.keep = true, .limit = LIMIT}, {.limit = LIMIT},
	    {.representative = REGIONS_FEWEST_EDGES, .limit = LIMIT},
	    {.representative = REGIONS_FEWEST_PATHS, .limit = LIMIT}};
	struct image *image;
	struct cfg *cfg;
	struct paths *paths;
	char detail[1024] = "usage: regions-size PROGRAM.elf [all]";
	if (argc < 2 || image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK ||
	    cfg_open(&cfg, image) != CFG_OK || paths_open(&paths, cfg, 0) != PATHS_OK) {
		fprintf(stderr, "regions-size: %s\n", detail);
		return 2;
	}
	unsigned find = argc > 2 ? REGIONS_FIND_LOOPS | REGIONS_FIND_HAMMOCKS : REGIONS_FIND_LOOPS;
	struct large large = {0};
	uint64_t functions = 0, left = 0, plain = 0, by_region = 0, sums[WAYS] = {0};
	for (uint32_t i = 0; i < cfg->counts.functions; i++) {
		const struct numbering *n = paths_numbering(paths, i);
		struct regions r;
		struct regions_values v = {0};
		uint64_t sizes[WAYS] = {0};
		if (n == NULL)
			continue;
		bool fits = n->paths <= LIMIT;
		if (regions_open(&r, &n->graph, LIMIT) != REGIONS_OK || regions_find(&r, find, NULL) != REGIONS_OK ||
		    regions_close(&r) != REGIONS_OK || regions_values_make(&v, &r) != REGIONS_OK)
			return 2;
		for (unsigned w = 0; w < WAYS && fits; w++) {
			struct regions_global g;
			fits = regions_global_make(&g, &r, &ways[w]) == REGIONS_OK;
			if (fits) {
				sizes[w] = g.values.counters;
				regions_global_free(&g);
			}
		}
		if (!add_large(&large, &n->graph, find))
			return 2;
		functions += fits;
		left += !fits;
		plain += fits ? n->paths + n->self : 0;
		by_region += fits ? v.counters : 0;
		for (unsigned w = 0; w < WAYS && fits; w++)
			sums[w] += sizes[w];
		regions_values_free(&v);
		regions_free(&r);
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, functions, left, plain, by_region);
	for (unsigned w = 0; w < WAYS; w++)
		printf(" %" PRIu64, sums[w]);
	printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", large.functions, large.counters,
	    large.paths, large.regions, large.region_paths);
	paths_close(paths);
	cfg_close(cfg);
	image_close(image);
	return 0;
}
