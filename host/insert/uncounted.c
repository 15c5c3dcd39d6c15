/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/uncounted.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "host/insert/counted.h"

#define RUNTIME "rivulet" /* how names of the runtime begin (sw/probe) */

struct span { /* straight code of a block that is counted */
	uint64_t start, end;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return ORDER_UP(x->start, y->start);
}

static size_t take_spans(const struct map *map, struct span *spans)
{
	size_t count = 0;
	for (size_t i = 0; i < map->function_count; i++) {
		const struct map_function *f = &map->functions[i];
		if (f->address == 0 || (f->flags & MAP_COUNTED) == 0)
			continue;
		spans[count++] = (struct span){f->address, f->address + 1};
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
			for (uint32_t r = 0; r < map->blocks[b].run_count; r++) {
				const struct map_run *run = &map->runs[map->blocks[b].runs + r];
				spans[count++] = (struct span){run->start, run->end};
			}
	}
	qsort(spans, count, sizeof *spans, compare_spans);
	return count;
}

static bool in_spans(const struct span *spans, size_t count, uint64_t address)
{
	size_t low;
	ORDER_FIRST(low, 0, count, spans[low].start <= address);
	/* a function's entry and its first run begin at the same place, in any order */
	return (low > 0 && address < spans[low - 1].end) || (low > 1 && address < spans[low - 2].end);
}

int uncounted_functions(const struct image *image, uint64_t *functions)
{
	struct counted counted = {0};
	struct image_label label;
	uint64_t last = 0;
	*functions = 0;
	int error = counted_map(&counted, image);
	struct span *spans = NULL;
	if (error == COUNTED_OK) {
		spans = malloc((counted.map->function_count + counted.map->run_count + 1) * sizeof *spans);
		error = spans == NULL ? COUNTED_ENOMEM : COUNTED_OK;
	}
	const size_t count = error == COUNTED_OK ? take_spans(counted.map, spans) : 0;
	for (size_t i = 0; error == COUNTED_OK && image_label(image, i, &label); i++) {
		if (!label.function || label.address == last || strncmp(label.name, RUNTIME, strlen(RUNTIME)) == 0)
			continue;
		last = label.address;
		*functions += !in_spans(spans, count, label.address);
	}
	free(spans);
	if (counted.map != NULL)
		map_close(counted.map);
	free(counted.salts);
	return error;
}
