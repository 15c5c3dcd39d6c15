/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * First each block in turn, the most frequent first, if it fits to those that are silent already. Then blocks that call
 * are tried as silent ones, against neighbours of theirs that have to call for it; what costs no more is kept. That an
 * exchange which gains nothing is kept too moves what is left over along a loop to where it can be filled.
 */
#include "host/qemu/plugin_choose.h"

#include <stdlib.h>
#include "host/qemu/capture.h"

enum { TRIES = 64, TRIES_MAX = 1 << 16, FLIPS_MAX = 64 };

struct choose {
	struct choice *all;
	size_t count;
	uint32_t *by_address, *by_weight; /* numbers in `all` */
	uint32_t (*next)[2];              /* 1 + number of where it goes on; 0: nowhere that is known */
	uint32_t *from, *from_first;      /* who goes on here: from[from_first[i]] to from[from_first[i + 1] - 1] */
	bool *silent;
	uint32_t flips[FLIPS_MAX]; /* what the try under way has changed, in order */
	size_t flip_count;
	int64_t gain; /* of these: weight that does not call any more */
};

static const struct choice *sorted; /* what the numbers are of, while they are sorted */

static int address_order(const void *a, const void *b)
{
	const uint64_t x = sorted[*(const uint32_t *)a].address, y = sorted[*(const uint32_t *)b].address;
	return (x > y) - (x < y);
}

/* The most frequent first; of the same, those that ran first. */
static int weight_order(const void *a, const void *b)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const uint64_t x = sorted[i].weight, y = sorted[k].weight;
	return x == y ? (i > k) - (i < k) : (x < y) - (x > y);
}

static uint32_t number_at(const struct choose *c, uint64_t address)
{
	size_t low = 0, high = c->count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (c->all[c->by_address[middle]].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->count && c->all[c->by_address[low]].address == address ? c->by_address[low] + 1 : 0;
}

/* ---------------------------------------------------------------- chains of silent blocks */

/* The most silent blocks in a row that follow this one, or come before it; at most `limit`. */
static unsigned chain_behind(const struct choose *c, uint32_t i, unsigned limit)
{
	unsigned longest = 0;
	for (size_t w = 0; w < 2 && limit > 0; w++) {
		const uint32_t to = c->next[i][w];
		if (to == 0 || !c->silent[to - 1])
			continue;
		const unsigned length = 1 + chain_behind(c, to - 1, limit - 1);
		longest = length > longest ? length : longest;
	}
	return longest;
}

static unsigned chain_before(const struct choose *c, uint32_t i, unsigned limit)
{
	unsigned longest = 0;
	for (uint32_t k = c->from_first[i]; limit > longest && k < c->from_first[i + 1]; k++) {
		if (!c->silent[c->from[k]])
			continue;
		const unsigned length = 1 + chain_before(c, c->from[k], limit - 1);
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* A silent block in a circle of such has chains that never end. */
static bool chain_fits(const struct choose *c, uint32_t i)
{
	const unsigned most = CAPTURE_SILENT_DEPTHS;
	return chain_before(c, i, most) + 1 + chain_behind(c, i, most) <= most;
}

static void flip(struct choose *c, uint32_t i)
{
	c->silent[i] = !c->silent[i];
	c->gain += c->silent[i] ? (int64_t)c->all[i].weight : -(int64_t)c->all[i].weight;
	c->flips[c->flip_count++] = i;
}

static void try_silent(struct choose *c, uint32_t i)
{
	if (c->silent[i] || c->all[i].calls || c->flip_count == FLIPS_MAX)
		return;
	c->silent[i] = true;
	const bool fits = chain_fits(c, i);
	c->silent[i] = false;
	if (fits)
		flip(c, i);
}

/* ---------------------------------------------------------------- one for another */

/* The silent neighbour that is the least loss; 0: there is none. */
static uint32_t seldom_neighbour(const struct choose *c, uint32_t i)
{
	uint32_t best = 0;
	for (size_t w = 0; w < 2; w++) {
		const uint32_t to = c->next[i][w];
		if (to != 0 && to - 1 != i && c->silent[to - 1] &&
		    (best == 0 || c->all[to - 1].weight < c->all[best - 1].weight))
			best = to;
	}
	for (uint32_t k = c->from_first[i]; k < c->from_first[i + 1]; k++) {
		const uint32_t from = c->from[k] + 1;
		if (from - 1 != i && c->silent[from - 1] &&
		    (best == 0 || c->all[from - 1].weight < c->all[best - 1].weight))
			best = from;
	}
	return best;
}

static void fill_around(struct choose *c, uint32_t i)
{
	for (size_t w = 0; w < 2; w++) {
		if (c->next[i][w] != 0)
			try_silent(c, c->next[i][w] - 1);
	}
	for (uint32_t k = c->from_first[i]; k < c->from_first[i + 1]; k++)
		try_silent(c, c->from[k]);
}

static void undo(struct choose *c)
{
	while (c->flip_count > 0) {
		c->flip_count--;
		const uint32_t i = c->flips[c->flip_count];
		c->silent[i] = !c->silent[i];
	}
}

/* A block that calls is silent, whatever has to call for it; kept, if that costs no more than before. */
static void exchange(struct choose *c, uint32_t i)
{
	c->flip_count = 0;
	c->gain = 0;
	flip(c, i);
	while (!chain_fits(c, i) && c->flip_count < FLIPS_MAX / 2) {
		const uint32_t neighbour = seldom_neighbour(c, i);
		if (neighbour == 0)
			break;
		flip(c, neighbour - 1);
	}
	const size_t removed = c->flip_count;
	const bool fits = chain_fits(c, i);
	for (size_t k = 1; fits && k < removed; k++)
		fill_around(c, c->flips[k]);
	if (!fits || c->gain < 0)
		undo(c);
}

/* ---------------------------------------------------------------- the graph */

/* All its tables lie in one piece of memory, which begins with by_address. */
static bool graph_allocate(struct choose *c)
{
	const size_t count = c->count;
	uint32_t *at = calloc(7 * count + 2 + count / sizeof *at + 1, sizeof *at);
	if (at == NULL)
		return false;
	c->by_address = at;
	c->by_weight = at + count;
	c->next = (uint32_t(*)[2])(at + 2 * count);
	c->from = at + 4 * count;
	c->from_first = at + 6 * count;
	c->silent = (bool *)(at + 7 * count + 2);
	return true;
}

static void graph_make(struct choose *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		c->by_address[i] = c->by_weight[i] = i;
	sorted = c->all;
	qsort(c->by_address, c->count, sizeof *c->by_address, address_order);
	qsort(c->by_weight, c->count, sizeof *c->by_weight, weight_order);
	for (uint32_t i = 0; i < c->count; i++) {
		for (size_t w = 0; w < c->all[i].way_count; w++) {
			c->next[i][w] = number_at(c, c->all[i].ways[w]);
			if (c->next[i][w] != 0)
				c->from_first[c->next[i][w] + 1]++; /* one place too far, until they are filled in */
		}
	}
	for (size_t i = 1; i <= c->count + 1; i++)
		c->from_first[i] += c->from_first[i - 1];
	for (uint32_t i = 0; i < c->count; i++) {
		for (size_t w = 0; w < 2; w++) {
			if (c->next[i][w] != 0)
				c->from[c->from_first[c->next[i][w]]++] = i;
		}
	}
}

bool choose_silent(struct choice *all, size_t count)
{
	struct choose c = {.all = all, .count = count};
	if (count == 0)
		return true;
	if (!graph_allocate(&c))
		return false;
	graph_make(&c);
	size_t often = 0; /* those that are worth a try */
	for (size_t i = 0; i < count; i++) {
		c.flip_count = 0;
		try_silent(&c, c.by_weight[i]);
		often += all[c.by_weight[i]].weight > all[c.by_weight[0]].weight / 1024;
	}
	const size_t tries = TRIES * often < TRIES_MAX ? TRIES * often : TRIES_MAX;
	for (size_t k = 0; k < tries; k++) {
		const uint32_t i = c.by_weight[(k * UINT64_C(0x9E3779B97F4A7C15) >> 32) % often];
		if (!c.silent[i] && !all[i].calls)
			exchange(&c, i);
	}
	for (uint32_t i = 0; i < count; i++) {
		const unsigned before = chain_before(&c, i, CAPTURE_SILENT_DEPTHS);
		all[i].depth = c.silent[i] ? (uint8_t)(before + 1) : 0;
	}
	free(c.by_address);
	return true;
}
