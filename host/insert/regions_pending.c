/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * --regions: what is under way in each region while a call goes on, as the map says it (pending.h): where the sum is,
 * and by which codes a path goes on to where it is counted.
 */
#include <stdlib.h>
#include "host/insert/pending.h"
#include "host/insert/regions_plan.h"

static uint32_t place_or_nowhere(const struct inserter *in, int variable)
{
	return variable >= 0 ? pending_place_of(in, variable) : PENDING_NOWHERE;
}

void regions_pending_find(struct plan *p, const struct inserter *in)
{
	for (uint32_t i = 0; i < p->regions.count; i++) {
		p->own[i].at = place_or_nowhere(in, p->own[i].variable);
		p->own[i].kept_at = place_or_nowhere(in, p->own[i].kept);
	}
}

/* One numbering for all regions: each edge adds, each end counts. */
static void global_places(const struct plan *p, uint32_t region, struct placement *place)
{
	const struct region *own = &p->regions.all[region];
	const struct regions_values *v = &p->global.values;
	const struct numbering *n = &own->numbering;
	for (uint32_t e = 0; e < own->edge_count; e++) {
		const uint32_t to = n->graph.to[e];
		if (n->kind[e] == NUMBERING_PLAIN && to != NUMBERING_EXIT)
			place->edge[e] = (struct place_code){PLACE_ADD, PLACE_NO_COUNT, 0,
			    (int64_t)(v->value[own->edges + e] + v->pass[own->nodes + to])};
	}
	for (uint32_t node = 0; node < own->node_count; node++) {
		const uint32_t at = own->nodes + node;
		if (p->regions.exit[at])
			place->edge[n->graph.first[node]] =
			    (struct place_code){PLACE_NOTHING, PLACE_COUNT_AT, 0, (int64_t)v->leave[at]};
		if (v->enter[at] != NUMBERING_NONE)
			place->enter[node] =
			    (struct place_code){PLACE_SET, PLACE_NO_COUNT, 0, (int64_t)(v->enter[at] + v->pass[at])};
	}
}

/* One path, of which the turns are counted. */
static void turn_places(const struct plan *p, uint32_t region, struct placement *place)
{
	const struct region *own = &p->regions.all[region];
	for (uint32_t node = 0; node < own->node_count; node++) {
		if (p->regions.exit[own->nodes + node])
			place->edge[own->numbering.graph.first[node]] =
			    (struct place_code){PLACE_NOTHING, PLACE_COUNT, 0, 0};
	}
}

static int put_turns(const struct own *o, struct insert_result *result)
{
	const struct insert_induction *x = &o->induction;
	const uint32_t flags = (x->down ? PENDING_DOWN : 0) | (x->narrow ? PENDING_NARROW : 0);
	const uint32_t words[] = {o->turns, 0, 0, o->at, o->difference ? x->x | x->shift << 8 | flags : 0,
	    o->difference ? (uint32_t)x->step : 0};
	int error = OBJECT_OK;
	for (unsigned k = 0; k < (o->turns ? 6 : 1) && error == OBJECT_OK; k++)
		error = insert_word(result, words[k]);
	return error;
}

static int put_region_pending(const struct plan *p, uint32_t region, struct insert_result *result)
{
	const struct region *own = &p->regions.all[region];
	const struct own *o = &p->own[region];
	const bool made = p->is_global || o->turns;
	struct placement place = o->placement;
	if (made)
		place = (struct placement){.edge = calloc(own->edge_count + 1u, sizeof *place.edge),
		    .leave = calloc(own->node_count + 1u, sizeof *place.leave),
		    .enter = calloc(own->node_count + 1u, sizeof *place.enter)};
	int error = place.edge == NULL || place.leave == NULL || place.enter == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	if (error == OBJECT_OK && p->is_global)
		global_places(p, region, &place);
	else if (error == OBJECT_OK && o->turns)
		turn_places(p, region, &place);
	if (error == OBJECT_OK)
		error = insert_word(result, o->kept_at);
	const size_t length = result->word_count;
	if (error == OBJECT_OK)
		error = insert_word(result, 0);
	if (error == OBJECT_OK)
		error = insert_word(result, o->turns ? PENDING_NOWHERE : o->at);
	const size_t codes = result->word_count;
	if (error == OBJECT_OK)
		error = insert_word(result, 0);
	if (error == OBJECT_OK)
		error = pending_put_codes(result, 0, place.edge, own->edge_count);
	if (error == OBJECT_OK)
		error = pending_put_codes(result, PENDING_LEAVE, place.leave, own->node_count);
	if (error == OBJECT_OK)
		error = pending_put_codes(result, PENDING_ENTER, place.enter, own->node_count);
	if (error == OBJECT_OK)
		result->words[codes] = (uint32_t)(result->word_count - codes - 1) / 3;
	if (error == OBJECT_OK)
		error = insert_word(result, 0); /* it is nowhere elsewhere */
	if (error == OBJECT_OK)
		error = put_turns(o, result);
	if (error == OBJECT_OK)
		result->words[length] = (uint32_t)(result->word_count - length - 1);
	if (made)
		place_free(&place);
	return error;
}

int regions_pending_put(const struct plan *p, struct insert_result *result)
{
	int error = OBJECT_OK;
	for (uint32_t i = 0; i < p->regions.count && error == OBJECT_OK; i++)
		error = put_region_pending(p, i, result);
	return error;
}
