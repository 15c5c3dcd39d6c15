/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* --regions: the codes of a step (host/regions/steps.h), in both embodiments. */
#include "host/insert/regions_plan.h"

/* Of the hash table. constant: the number is value, else value more than the variable. */
static size_t put_bucket_codes(
    const struct plan *p, int variable, bool constant, int64_t value, struct inserter_code *codes)
{
	const struct inserter_argument number =
	    constant ? (struct inserter_argument){INSERTER_CONSTANT, 0, insert_key(p->job, value)}
		     : (struct inserter_argument){INSERTER_VARIABLE, 0, variable};
	codes[0] = insert_table_count(&p->table, number, constant ? 0 : value);
	return 1;
}

/* The same in a region whose paths are in the table; base: of its numbers. */
static size_t placed_hashed(
    const struct plan *p, const struct place_code *c, uint64_t base, int variable, struct inserter_code *codes)
{
	if (c->count == PLACE_COUNT)
		return put_bucket_codes(p, variable, true, (int64_t)base + c->value, codes);
	if (c->count == PLACE_COUNT_AT)
		return put_bucket_codes(p, variable, false, c->value, codes);
	if (c->step == PLACE_NOTHING)
		return 0;
	codes[0] = (struct inserter_code){.op = c->step == PLACE_SET ? INSERTER_SET : INSERTER_ADD,
	    .var = (uint8_t)variable,
	    .value = c->step == PLACE_SET ? insert_key(p->job, c->value + (int64_t)base) : c->value};
	return 1;
}

static size_t placed_array(const struct place_code *c, uint64_t base, int variable, struct inserter_code *codes)
{
	uint8_t r = (uint8_t)variable;
	if (c->count == PLACE_COUNT)
		codes[0] = (struct inserter_code){.op = INSERTER_COUNT, .value = (int64_t)base + c->value};
	else if (c->count == PLACE_COUNT_AT)
		codes[0] = (struct inserter_code){.op = INSERTER_COUNT_AT, .var = r, .value = c->value};
	else if (c->step == PLACE_SET)
		codes[0] =
		    (struct inserter_code){.op = INSERTER_SET_COUNTER, .var = r, .value = (int64_t)base + c->value};
	else if (c->step == PLACE_ADD)
		codes[0] = (struct inserter_code){.op = INSERTER_ADD_COUNTERS, .var = r, .value = c->value};
	else
		return 0;
	return 1;
}

/* A place of region's code. */
static size_t put_placed_code(
    const struct plan *p, const struct place_code *c, uint32_t region, struct inserter_code *codes)
{
	const struct own *o = &p->own[region];
	if (o->place == REGIONS_HASHED)
		return placed_hashed(p, c, p->values.base[region], o->variable, codes);
	return placed_array(c, p->base + o->place, o->variable, codes);
}

/* How often a loop of one block ran is what its induction register changed by. */
static size_t difference_codes(
    const struct own *o, const struct regions_step *s, uint64_t base, struct inserter_code *codes)
{
	uint8_t v = (uint8_t)o->variable, x = (uint8_t)INSERTER_X(o->induction.x);
	int wide = o->induction.narrow ? 32 : 0;
	size_t count = 0;
	if (s->move == REGIONS_ENTERS)
		codes[count++] = (struct inserter_code){.op = INSERTER_MOVE, .var = v, .from = x};
	if (s->move != REGIONS_LEAVES)
		return count;
	codes[count++] = (struct inserter_code){
	    .op = o->induction.down ? INSERTER_SUB_FROM : INSERTER_TAKE_FROM, .var = v, .from = x};
	if (wide != 0)
		codes[count++] = (struct inserter_code){.op = INSERTER_SHIFT, .var = v, .value = -wide};
	if (o->induction.shift > 0 || wide != 0)
		codes[count++] =
		    (struct inserter_code){.op = INSERTER_SHIFT, .var = v, .value = wide + (int)o->induction.shift};
	codes[count++] = (struct inserter_code){.op = INSERTER_COUNT_FROM, .from = v, .value = (int64_t)base};
	return count;
}

/* One step in the region-based embodiment. */
size_t region_codes(const struct plan *p, const struct regions_step *s, struct inserter_code *codes)
{
	const struct region *own = &p->regions.all[s->region];
	const struct own *o = &p->own[s->region];
	const struct place_code *end = &o->placement.edge[own->numbering.graph.first[s->node]];
	uint64_t base = p->base + o->place;
	size_t count = 0;
	if (o->turns && o->difference)
		return difference_codes(o, s, base, codes);
	if (o->turns) { /* one path: how often, since it was entered */
		uint8_t r = (uint8_t)o->variable;
		if (s->move == REGIONS_ENTERS)
			codes[count++] = (struct inserter_code){.op = INSERTER_SET, .var = r, .value = 1};
		else if (s->move == REGIONS_TURNS)
			codes[count++] = (struct inserter_code){.op = INSERTER_ADD, .var = r, .value = 1};
		else if (s->move == REGIONS_LEAVES)
			codes[count++] =
			    (struct inserter_code){.op = INSERTER_COUNT_FROM, .from = r, .value = (int64_t)base};
		return count;
	}
	switch (s->move) {
	case REGIONS_MOVES:
		return put_placed_code(p, &o->placement.edge[s->edge], s->region, codes);
	case REGIONS_ENTERS:
		return put_placed_code(p, &o->placement.enter[s->node], s->region, codes);
	case REGIONS_LEAVES:
		return put_placed_code(p, end, s->region, codes);
	default:
		if (s->edge != REGIONS_NONE && !p->regions.exit[own->nodes + s->node]) /* cut */
			end = &o->placement.leave[s->node];
		count = put_placed_code(p, end, s->region, codes);
		return count + put_placed_code(p, &o->placement.enter[s->to], s->region, codes + count);
	}
}

/* The same in the global-based one. */
size_t global_codes(const struct plan *p, const struct regions_step *s, struct inserter_code *codes)
{
	const struct region *own = &p->regions.all[s->region];
	const struct regions_values *v = &p->global.values;
	uint8_t r = (uint8_t)p->own[s->region].variable;
	uint32_t node = own->nodes + s->node, to = own->nodes + s->to;
	int64_t base = (int64_t)p->base;
	size_t count = 0;
	if (s->move == REGIONS_MOVES) {
		int64_t value = (int64_t)(v->value[own->edges + s->edge] + v->pass[to]);
		if (value != 0)
			codes[count++] = (struct inserter_code){
			    .op = p->hashed ? INSERTER_ADD : INSERTER_ADD_COUNTERS, .var = r, .value = value};
		return count;
	}
	if (s->move != REGIONS_ENTERS && p->hashed)
		count += put_bucket_codes(p, r, false, (int64_t)v->leave[node], codes + count);
	else if (s->move != REGIONS_ENTERS)
		codes[count++] =
		    (struct inserter_code){.op = INSERTER_COUNT_AT, .var = r, .value = (int64_t)v->leave[node]};
	if (s->move == REGIONS_LEAVES)
		return count;
	uint32_t at = s->move == REGIONS_ENTERS ? node : to;
	codes[count++] = (struct inserter_code){.op = p->hashed ? INSERTER_SET : INSERTER_SET_COUNTER,
	    .var = r,
	    .value = p->hashed ? insert_key(p->job, (int64_t)(v->enter[at] + v->pass[at]))
			       : base + (int64_t)(v->enter[at] + v->pass[at])};
	return count;
}

size_t codes_of(const struct plan *p, const struct regions_step *steps, uint32_t count, struct inserter_code *codes)
{
	size_t used = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct regions_step *s = &steps[i];
		const struct own *o = &p->own[s->region];
		if (s->move == REGIONS_ENTERS && o->kept != NONE) /* push */
			codes[used++] = (struct inserter_code){
			    .op = INSERTER_MOVE, .var = (uint8_t)o->kept, .from = (uint8_t)o->variable};
		used += p->is_global ? global_codes(p, s, codes + used) : region_codes(p, s, codes + used);
		if (s->move == REGIONS_LEAVES && o->kept != NONE) /* pop */
			codes[used++] = (struct inserter_code){
			    .op = INSERTER_MOVE, .var = (uint8_t)o->variable, .from = (uint8_t)o->kept};
	}
	return used;
}
