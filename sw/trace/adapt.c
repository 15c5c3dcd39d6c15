/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/adapt.h"
#include <stddef.h>

#define MILLION 1000000u

void adapt_init(struct adapt *adapt, const struct adapt_config *config, uint32_t now)
{
	*adapt = (struct adapt){.config = *config, .level = config->levels, .filled_at = now};
	/* No division of 64 bits later on: it takes longer than a batch of samples. */
	adapt->flow = (uint32_t)(((uint64_t)config->share << 24) / MILLION);
	adapt->wait = (uint32_t)(((uint64_t)MILLION << 12) / config->share) + 1;
	adapt->bucket_size = (int32_t)((uint64_t)config->window * adapt->flow >> 24);
	adapt->bucket = adapt->bucket_size;
}

static void fill(struct adapt *adapt, uint32_t now)
{
	uint64_t flow = (uint64_t)(now - adapt->filled_at) * adapt->flow + adapt->fraction;
	int64_t sum = adapt->bucket + (int64_t)(flow >> 24);
	adapt->fraction = (uint32_t)flow & 0xFFFFFF;
	adapt->filled_at = now;
	adapt->bucket = sum > adapt->bucket_size ? adapt->bucket_size : (int32_t)sum;
}

bool adapt_step(struct adapt *adapt, const void *trace, uint32_t now)
{
	unsigned i = 0;
	while (i < ADAPT_SEEN && adapt->seen[i].trace != trace)
		i++;
	if (i == ADAPT_SEEN) {
		i = adapt->next;
		adapt->next = (i + 1) % ADAPT_SEEN;
		adapt->seen[i].trace = trace;
		adapt->seen[i].at = now;
		return false;
	}
	bool within = now - adapt->seen[i].at <= adapt->config.window;
	adapt->seen[i].at = now;
	if (!within)
		return false;
	adapt->active_at = now;
	if (adapt->active)
		return false;
	adapt->active = true;
	fill(adapt, now);
	/* Where the bound holds the rate down a tick raises it. */
	if (adapt->level == 0 || adapt->level > adapt->config.levels || adapt->bucket < 0)
		return false;
	adapt->level = 0;
	adapt->raised++;
	return true;
}

uint32_t adapt_wait(struct adapt *adapt, uint32_t now)
{
	fill(adapt, now);
	if (adapt->bucket >= 0)
		return 0;
	uint64_t wait = ((uint64_t)(uint32_t)-adapt->bucket * adapt->wait >> 12) + 1;
	return wait > adapt->config.window ? adapt->config.window : (uint32_t)wait;
}

uint32_t adapt_empty(struct adapt *adapt, uint32_t now)
{
	uint32_t wait = adapt_wait(adapt, now);
	if (wait == 0)
		return 0;
	/* Not for each of the batches that come while it is nearly empty. */
	if (adapt->level < adapt->config.lowest &&
	    (adapt->limited == 0 || now - adapt->limited_at > adapt->config.window / 8)) {
		adapt->level++;
		adapt->limited_at = now;
	}
	adapt->limited++;
	return wait;
}

bool adapt_tick(struct adapt *adapt, uint32_t now)
{
	unsigned before = adapt->level;
	fill(adapt, now);
	if (adapt->active && now - adapt->active_at > adapt->config.window) {
		adapt->active = false;
		if (adapt->level < adapt->config.levels) {
			adapt->level = adapt->config.levels;
			adapt->lowered++;
			return true;
		}
	}
	unsigned target = adapt->active ? 0 : adapt->config.levels;
	if (adapt->level > target && adapt->bucket >= adapt->bucket_size / 2)
		adapt->level--;
	return adapt->level != before;
}
