/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/near.h"
#include "host/base/order.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

struct unit { /* counters that stay together */
	uint64_t first, count, heat, slot;
};

uint32_t near_part(const struct numbering *n, uint32_t v)
{
	uint32_t part;
	if (n->enter_count > INSERTER_TAG_PARTS)
		return 0;
	ORDER_FIRST(part, 0, n->enter_count, n->enter[n->enters[part]] < n->enter[v]);
	return part + 1;
}

int near_parts(struct insert_result *result, const struct numbering *n)
{
	if (n->enter_count > INSERTER_TAG_PARTS)
		return OBJECT_OK;
	result->parts = malloc((n->enter_count + 1u) * sizeof *result->parts);
	if (result->parts == NULL)
		return OBJECT_ENOMEM;
	for (uint32_t i = 0; i < n->enter_count && n->enter[n->enters[i]] < result->arrays; i++)
		result->parts[result->part_count++] = n->enter[n->enters[i]];
	return OBJECT_OK;
}

int near_learn(struct insert_job *job, size_t function, uint32_t pieces, struct insert_result *result)
{
	struct insert_near *n = &job->near;
	const struct insert_options *o = job->options;
	if (o->near == 0 || o->per_thread || job->graph->writes_gp || o->mode == INSERT_CYCLES ||
	    o->mode == INSERT_TRACE || o->mode == INSERT_MAP || o->metric != 0 || result->counters == 0)
		return OBJECT_OK;
	if (!array_room(&n->functions, n->function_count + 1, &n->function_room))
		return OBJECT_ENOMEM;
	const uint32_t edges = job->graph->functions[function].edge_count;
	n->functions[n->function_count++] = (struct near_function){.first = job->used,
	    .counters = result->counters,
	    .arrays = result->arrays,
	    .parts = result->parts,
	    .part_count = result->part_count,
	    .pieces = pieces,
	    .known = weights_of(o->weights, job->id, (uint32_t)function, edges) != NULL};
	result->parts = NULL;
	return OBJECT_OK;
}

/* Part number `part` of a function's array. */
static struct unit part_unit(const struct near_function *f, size_t part)
{
	const uint64_t first = f->parts[part], end = part + 1 < f->part_count ? f->parts[part + 1] : f->arrays;
	return (struct unit){.first = f->first + first, .count = end - first};
}

/* The counters that a word of a function names; count 0: none that may be near. */
static struct unit counter_unit_of(
    const struct insert_job *job, const struct near_function *f, const struct edit_word *w)
{
	const int64_t number = w->addend / (int64_t)job->target.width - (int64_t)f->first;
	if (w->symbol != job->target.counters || w->type == 0 || (job->options->weights != NULL && !f->known))
		return (struct unit){0};
	const bool array = f->arrays > 0 && (w->tag != 0 || number < (int64_t)f->arrays);
	if (array && f->part_count > 0 && w->tag != INSERTER_TAG_ARRAY) {
		size_t part = w->tag - (size_t)INSERTER_TAG_ARRAY - 1;
		if (w->tag == 0) {
			ORDER_FIRST(part, 1, f->part_count, (int64_t)f->parts[part] <= number);
			part--;
		}
		return part_unit(f, part);
	}
	if (array)
		return (struct unit){.first = f->first, .count = f->arrays};
	return (struct unit){.first = f->first + (uint64_t)number, .count = 1};
}

/* The words of a piece, of the function that is not before *f. */
static struct edit_word *near_words_of(
    struct insert_job *job, uint32_t piece, size_t *count, bool *linked, const struct near_function **f)
{
	const struct insert_near *n = &job->near;
	struct edit_word *w = edit_words(job->edit, piece, count, linked);
	while (*f + 1 < n->functions + n->function_count && (*f)[1].pieces <= piece)
		(*f)++;
	if (piece < (*f)->pieces)
		*count = 0;
	return w;
}

static int by_first(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;
	return ORDER_UP(x->first, y->first);
}

/* What is named most often for its bytes comes first. */
static int by_heat(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;
	double hot = (double)x->heat / (double)x->count, other = (double)y->heat / (double)y->count;
	if (hot != other)
		return hot < other ? 1 : -1;
	return by_first(a, b);
}

/* Units that codes name, by their first counter. */
static int find_units(struct insert_job *job, struct unit **units, size_t *count)
{
	size_t words, used = 0, room = 0, kept = 0;
	struct unit *all = NULL;
	const struct near_function *f = job->near.functions;
	struct edit_word *w;
	bool linked;
	for (uint32_t piece = 0; (w = near_words_of(job, piece, &words, &linked, &f)) != NULL; piece++) {
		for (size_t i = 0; i < words && linked; i++) {
			bool high = w[i].type == R_RISCV_HI20 || w[i].type == R_RISCV_PCREL_HI20;
			struct unit u = counter_unit_of(job, f, &w[i]);
			if (!high || !w[i].relax || w[i].heat == 0)
				continue;
			if (u.count == 0 || u.count * job->target.width > job->options->near)
				continue;
			if (!array_room(&all, used + 1, &room)) {
				free(all);
				return OBJECT_ENOMEM;
			}
			u.heat = w[i].heat;
			all[used++] = u;
		}
	}
	if (used > 0)
		qsort(all, used, sizeof *all, by_first);
	for (size_t i = 0; i < used; i++) {
		if (kept > 0 && all[kept - 1].first == all[i].first)
			all[kept - 1].heat += all[i].heat < UINT64_MAX - all[kept - 1].heat ? all[i].heat : 0;
		else
			all[kept++] = all[i];
	}
	*units = all;
	*count = kept;
	return OBJECT_OK;
}

static bool worth_near(const struct insert_job *job, const struct unit *u)
{
	const struct weights *w = job->options->weights;
	return w == NULL || u->heat / u->count >= weights_total(w) / NEAR_SHARE * (job->target.width / 4);
}

/* Chooses units. The coldest comes first: what lies at the begin of all small data may be out of the linker's reach. */
static int take_units(struct insert_job *job, struct unit *units, size_t *count)
{
	struct insert_near *n = &job->near;
	uint64_t room = job->options->near / job->target.width;
	size_t kept = 0;
	if (*count > 0)
		qsort(units, *count, sizeof *units, by_heat);
	for (size_t i = 0; i < *count; i++) {
		if (!worth_near(job, &units[i]) || units[i].count > room)
			continue;
		room -= units[i].count;
		units[kept++] = units[i];
	}
	for (size_t i = kept; i-- > 0;) {
		struct unit *u = &units[i];
		struct near_run *last = n->run_count > 0 ? &n->runs[n->run_count - 1] : NULL;
		if (last != NULL && last->first + last->count == u->first)
			last->count += u->count;
		else if (!array_room(&n->runs, n->run_count + 1, &n->run_room))
			return OBJECT_ENOMEM;
		else
			n->runs[n->run_count++] = (struct near_run){u->first, u->count};
		u->slot = n->count;
		n->count += u->count;
	}
	*count = kept;
	if (kept > 0)
		qsort(units, kept, sizeof *units, by_first);
	return OBJECT_OK;
}

static int add_section(struct insert_job *job)
{
	const uint64_t bytes = job->near.count * job->target.width;
	int error = object_add_section(job->object,
	    &(struct object_new_section){
		".sbss.rivulet", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, job->target.width, NULL, 0},
	    &job->near.section);
	if (error == OBJECT_OK)
		error = object_add_symbol(job->object,
		    &(struct object_new_symbol){
			"rivulet.near", 0, bytes, job->near.section, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT)},
		    &job->near.symbol);
	if (error == OBJECT_OK)
		job->object->sections[job->near.section].size = bytes;
	return error;
}

/* Codes name what has a place. */
static void rename_words(struct insert_job *job, const struct unit *units, size_t count)
{
	size_t words;
	const struct near_function *f = job->near.functions;
	struct edit_word *w;
	bool linked;
	for (uint32_t piece = 0; (w = near_words_of(job, piece, &words, &linked, &f)) != NULL; piece++) {
		for (size_t i = 0; i < words; i++) {
			struct unit key = counter_unit_of(job, f, &w[i]);
			const struct unit *u = bsearch(&key, units, count, sizeof *units, by_first);
			if (key.count == 0 || u == NULL || w[i].to == EDIT_TO_WORD) /* the AUIPC names it */
				continue;
			w[i].symbol = job->near.symbol;
			w[i].addend += ((int64_t)u->slot - (int64_t)u->first) * (int64_t)job->target.width;
		}
	}
}

int near_choose(struct insert_job *job)
{
	struct unit *units = NULL;
	size_t count = 0;
	if (job->near.function_count == 0)
		return OBJECT_OK;
	int error = find_units(job, &units, &count);
	if (error == OBJECT_OK)
		error = take_units(job, units, &count);
	if (error == OBJECT_OK && count > 0)
		error = add_section(job);
	if (error == OBJECT_OK && count > 0)
		rename_words(job, units, count);
	free(units);
	return error;
}

void near_free(struct insert_near *near)
{
	for (size_t i = 0; i < near->function_count; i++)
		free(near->functions[i].parts);
	free(near->functions);
	free(near->runs);
	*near = (struct insert_near){0};
}
