/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Time of path numbering, and of the graph before it, for a function of a million blocks: median and range of RUNS. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "host/cfg/cfg.h"
#include "host/paths/numbering.h"
#include "host/paths/paths.h"

#define RUNS 9
#define BLOCKS 1000000u

static uint32_t state = 12345;
static uint32_t next_random(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)state * below >> 32);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void row(const char *what, const char *more, double seconds[RUNS])
{
	qsort(seconds, RUNS, sizeof *seconds, compare);
	printf("| %s | %s | %.0f | %.0f to %.0f |\n", what, more, 1e3 * seconds[RUNS / 2], 1e3 * seconds[0],
	    1e3 * seconds[RUNS - 1]);
}

static void number(const char *what, const struct numbering_graph *graph)
{
	double seconds[RUNS];
	char more[128] = "";
	for (int i = 0; i < RUNS; i++) {
		struct numbering n;
		double start = now();
		if (numbering_make(&n, graph, 0) != NUMBERING_OK)
			exit(2);
		seconds[i] = now() - start;
		snprintf(more, sizeof more, "%u edges, %u back, %u cut, %.2g paths", graph->first[graph->count], n.back,
		    n.cut, (double)n.paths);
		numbering_free(&n);
	}
	row(what, more, seconds);
}

/* The whole way from code: blocks of one branch or two instructions. */
static void from_code(void)
{
	size_t size = BLOCKS / 3 * 8;
	uint8_t *code = malloc(size + 2);
	double graphs[RUNS], numbers[RUNS];
	char more[128] = "", numbered[128] = "";
	for (size_t at = 0; at < size; at += 8) {
		/* c.beqz a0,+6; c.addi a1,1; c.j +4; c.addi a1,1 */
		static const uint8_t diamond[8] = {0x19, 0xc1, 0x85, 0x05, 0x11, 0xa0, 0x85, 0x05};
		memcpy(code + at, diamond, 8);
	}
	code[size] = 0x82; /* ret */
	code[size + 1] = 0x80;
	for (int i = 0; i < RUNS; i++) {
		struct image *image;
		struct cfg *cfg;
		struct paths *paths;
		double start = now();
		if (image_from_code(&image, 0x80000000u, code, size + 2) != IMAGE_OK || cfg_open(&cfg, image) != CFG_OK)
			exit(2);
		graphs[i] = now() - start;
		start = now();
		if (paths_open(&paths, cfg, 0) != PATHS_OK)
			exit(2);
		numbers[i] = now() - start;
		snprintf(more, sizeof more, "%u blocks in %u function, %u edges", cfg->counts.blocks,
		    cfg->counts.functions, cfg->counts.edges);
		snprintf(numbered, sizeof numbered, "%.2g paths", (double)paths_numbering(paths, 0)->paths);
		paths_close(paths);
		cfg_close(cfg);
		image_close(image);
	}
	row("machine code to graph: blocks, edges, dominators, loops", more, graphs);
	row("that graph to numbered paths", numbered, numbers);
	free(code);
}

int main(void)
{
	uint32_t *first = malloc((BLOCKS + 1) * sizeof *first), *to = malloc(8 * (size_t)BLOCKS * sizeof *to),
		 edges = 0;
	struct numbering_graph graph = {.count = BLOCKS, .first = first, .to = to};
	printf("| what | size | ms | range |\n| --- | --- | --- | --- |\n");
	for (uint32_t v = 0; v < BLOCKS; v++) { /* if and else, one after the other */
		first[v] = edges;
		if (v + 3 > BLOCKS)
			to[edges++] = NUMBERING_EXIT;
		else if (v % 3 == 0) {
			to[edges++] = v + 1;
			to[edges++] = v + 2;
		} else
			to[edges++] = v % 3 == 1 ? v + 2 : v + 1;
	}
	first[BLOCKS] = edges;
	number("a chain of diamonds", &graph);
	edges = 0;
	for (uint32_t v = 0; v < BLOCKS; v++) { /* like code: near targets, some loops, some switches, some far */
		first[v] = edges;
		uint32_t ways = next_random(50) == 0 ? 7 : 1 + next_random(2);
		for (uint32_t k = 0; k < ways; k++) {
			uint32_t target = v + 1 + next_random(8); /* the first way leads on */
			if (k > 0 && next_random(20) == 0)
				target = next_random(BLOCKS);
			else if (k > 0 && next_random(8) == 0)
				target = v - next_random(v < 30 ? v + 1 : 30);
			to[edges++] = target >= BLOCKS ? NUMBERING_EXIT : target;
		}
	}
	first[BLOCKS] = edges;
	number("random: branches, loops, switches", &graph);
	from_code();
	free(first);
	free(to);
	return 0;
}
