/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* How often each branch went each way, from start and history of the records (TSH claim 9). */
#include "sw/optimise/private.h"

struct optimise_weight *optimise_weight(const struct optimise *optimise, uint32_t pc)
{
	uint32_t mask = optimise->weight_room - 1, at = (pc >> 1) * 0x9E3779B1u >> 7 & mask;
	while (optimise->weights[at].pc != 1 && optimise->weights[at].pc != pc)
		at = (at + 1) & mask;
	return &optimise->weights[at];
}

static uint32_t add(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* Seeds are few, and a build looks for the hottest again and again: so they lie one behind the other. */
static uint16_t *seed_place(const struct optimise *optimise, uint32_t pc)
{
	uint32_t mask = optimise->seed_place_room - 1, at = (pc >> 1) * 0x9E3779B1u >> 7 & mask;
	while (optimise->seed_places[at] != 0 && optimise->seeds[optimise->seed_places[at] - 1].pc != pc)
		at = (at + 1) & mask;
	return &optimise->seed_places[at];
}

struct optimise_seed *optimise_seed_at(const struct optimise *optimise, uint32_t pc)
{
	uint16_t number = *seed_place(optimise, pc);
	return number != 0 ? &optimise->seeds[number - 1] : NULL;
}

bool optimise_considered(const struct optimise *optimise, uint32_t pc)
{
	const struct optimise_seed *s = optimise_seed_at(optimise, pc);
	return s != NULL && s->done;
}

void optimise_seed(struct optimise *optimise, uint32_t pc, uint32_t flow, bool root)
{
	uint16_t *place = seed_place(optimise, pc);
	if (*place != 0) {
		struct optimise_seed *s = &optimise->seeds[*place - 1];
		s->flow = add(s->flow, flow);
		s->led = root ? s->led : add(s->led, flow);
		s->root |= root;
	} else if (optimise->seed_count < optimise->seed_room) { /* fewer than places: a search ends */
		optimise->seeds[optimise->seed_count++] =
		    (struct optimise_seed){.pc = pc, .flow = flow, .led = root ? 0 : flow, .root = root};
		*place = (uint16_t)optimise->seed_count;
	} else {
		optimise->full++;
	}
}

void optimise_weigh(struct optimise *optimise, uint32_t pc, bool taken, uint32_t count)
{
	struct optimise_weight *w = optimise_weight(optimise, pc);
	if (w->pc == 1) {
		/* One place stays empty: the search ends there. */
		if (optimise->weight_count + 1 >= optimise->weight_room)
			return;
		optimise->weight_count++;
		*w = (struct optimise_weight){.pc = pc};
	}
	if (taken)
		w->taken = add(w->taken, count);
	else
		w->fall = add(w->fall, count);
}

void optimise_witness(struct optimise *optimise, uint32_t start, uint32_t hist)
{
	const struct optimise_config *config = &optimise->config;
	/* where no two instructions share a bit, one that was seen was followed to the next branch */
	bool whole = config->code_count == 1 && config->code->size <= 64 * optimise->seen_room;
	if (hist != 0 && (start & 1) == 0 && !(hist == 1 && whole && optimise_seen(optimise, start)))
		optimise_walk(optimise, start, hist, NULL, 0);
}

void optimise_again(struct optimise *optimise)
{
	for (uint32_t i = 0; i < optimise->seed_count; i++) {
		struct optimise_seed *seed = &optimise->seeds[i];
		seed->done = optimise_trace_at(optimise, seed->pc) != NULL;
		seed->wanted = 0;
	}
}

void optimise_forget(struct optimise *optimise)
{
	optimise->total = 0;
	for (uint32_t i = 0; i < optimise->seed_count; i++)
		optimise->seeds[i].flow = 0;
}
