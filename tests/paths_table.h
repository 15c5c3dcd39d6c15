/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_TESTS_PATHS_TABLE_H
#define RIVULET_TESTS_PATHS_TABLE_H
/* Paths of paths_judge.c, by their blocks. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item { /* a path or piece, as text: hash, blocks, count */
	uint64_t count, hash, cycles;
	uint32_t *blocks; /* then how it begins and ends: begins, last edge or CFG_NONE */
	uint32_t length;
	bool begins, ends;
	uint32_t exit;
};

struct table {
	struct item *table;
	size_t size, used;
};

static void *must(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "paths-judge: out of memory\n");
		exit(2);
	}
	return memory;
}

static uint64_t hash_of_path(const uint32_t *blocks, uint32_t length, bool begins, bool ends, uint32_t exit)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ (begins ? 1u : 0u) ^ (ends ? 2u : 0u) ^ (uint64_t)exit << 8;
	for (uint32_t i = 0; i < length; i++)
		hash = (hash ^ blocks[i]) * UINT64_C(1099511628211);
	return hash ^ hash >> 31;
}

/* The item for this path, made if it is new. */
static struct item *find(
    struct table *j, const uint32_t *blocks, uint32_t length, bool begins, bool ends, uint32_t exit)
{
	uint64_t hash = hash_of_path(blocks, length, begins, ends, exit);
	if (2 * (j->used + 1) > j->size) {
		size_t size = j->size == 0 ? 4096 : 2 * j->size;
		struct item *table = must(calloc(size, sizeof *table));
		for (size_t i = 0; i < j->size; i++) {
			size_t at = j->table[i].hash & (size - 1);
			if (j->table[i].blocks == NULL)
				continue;
			while (table[at].blocks != NULL)
				at = (at + 1) & (size - 1);
			table[at] = j->table[i];
		}
		free(j->table);
		j->table = table;
		j->size = size;
	}
	size_t at = hash & (j->size - 1);
	for (; j->table[at].blocks != NULL; at = (at + 1) & (j->size - 1)) {
		const struct item *t = &j->table[at];
		if (t->hash == hash && t->length == length && t->begins == begins && t->ends == ends &&
		    t->exit == exit && memcmp(t->blocks, blocks, length * sizeof *blocks) == 0)
			return &j->table[at];
	}
	struct item *t = &j->table[at];
	*t = (struct item){.hash = hash, .length = length, .begins = begins, .ends = ends, .exit = exit};
	t->blocks = must(malloc((length + 1) * sizeof *blocks));
	memcpy(t->blocks, blocks, length * sizeof *blocks);
	j->used++;
	return t;
}

static void forget(struct table *j)
{
	for (size_t i = 0; i < j->size; i++)
		free(j->table[i].blocks);
	free(j->table);
}
#endif
