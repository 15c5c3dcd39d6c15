/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases: what phases are called, and the functions that they are in. */
#include <stdlib.h>
#include <string.h>
#include "host/base/order.h"
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"

const char *phases_letter(uint32_t phase)
{
	static char ring[8][PHASE_NAME_MAX];
	static unsigned next;
	char *text = ring[next++ % 8];
	phase_name(phase, text);
	return text;
}

const char *phases_function_at(const struct phases_view *v, uint64_t address)
{
	return function_name(image_function(v->image, address, NULL), address);
}

static int hotter_phase_row(const void *a, const void *b)
{
	const struct phases_function *x = a, *y = b;
	return order_then(ORDER_DOWN(x->instructions, y->instructions), strcmp(x->name, y->name));
}

static int phase_rows_by_name(const void *a, const void *b)
{
	return strcmp(((const struct phases_function *)a)->name, ((const struct phases_function *)b)->name);
}

struct phases_function *phases_functions(const struct phases_view *v, uint32_t phase, size_t *count)
{
	const uint32_t blocks = phases_block_count(v->file);
	uint64_t *sums = calloc((size_t)blocks + 1, sizeof *sums);
	struct phases_function *f = calloc((size_t)blocks + 1, sizeof *f);
	*count = 0;
	for (uint32_t p = 0; sums != NULL && p < v->heat.paths; p++) {
		struct heat_path what;
		heat_path(&v->heat, p, &what);
		const uint64_t trips = heat_trips(&v->heat, p, phase);
		for (uint32_t i = 0; i < what.count; i++)
			sums[what.blocks[i]] += trips * phases_block(v->file, what.blocks[i])->instructions;
	}
	size_t n = 0;
	for (uint32_t b = 0; sums != NULL && f != NULL && b < blocks; b++) {
		if (sums[b] == 0)
			continue;
		const char *name = image_function(v->image, phases_block(v->file, b)->address, NULL);
		f[n].name = name != NULL ? name : "(no symbol)";
		f[n++].instructions = sums[b];
	}
	free(sums);
	if (n == 0) {
		free(f);
		return NULL;
	}
	qsort(f, n, sizeof *f, phase_rows_by_name);
	for (size_t i = 0; i < n; i++) {
		if (*count > 0 && strcmp(f[*count - 1].name, f[i].name) == 0)
			f[*count - 1].instructions += f[i].instructions;
		else
			f[(*count)++] = f[i];
	}
	qsort(f, *count, sizeof *f, hotter_phase_row);
	return f;
}
