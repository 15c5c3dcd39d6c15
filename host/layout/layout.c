/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A program: each section of code that ran gets an order. What turns out to be impossible when all have their places (a
 * branch that does not reach, an unwind entry that cannot be written anew) keeps its function as it is, and all begins
 * again.
 */
#include "host/layout/layout.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/layout/clusters.h"
#include "host/layout/layout_private.h"

const char *layout_reason_text(unsigned reason)
{
	static const char *const texts[LAYOUT_REASONS] = {
	    [LAYOUT_DONE] = "in their best order",
	    [LAYOUT_UNRUN] = "did not run",
	    [LAYOUT_DATA] = "data among the code",
	    [LAYOUT_ADDRESS] = "code reads an address within",
	    [LAYOUT_TABLE] = "jumps by a register, without a table in data",
	    [LAYOUT_NARROW] = "a table has distances of its blocks in 8 or 16 bits",
	    [LAYOUT_CATCHES] = "exceptions are caught or cleaned up in it",
	    [LAYOUT_ENTRIES] = "several entries, or no size",
	    [LAYOUT_UNWIND] = "its unwind entry cannot be written anew",
	    [LAYOUT_REACH] = "a branch would not reach",
	};
	return reason < LAYOUT_REASONS ? texts[reason] : "?";
}

/* ---- one section ---- */
/* The site of each atom; whether any ran. */
static bool sites_of_atoms(struct laying *l)
{
	const uint64_t base = l->linked->sections[l->section->number].address;
	size_t k = 0;
	bool any = false;
	for (size_t i = 0; i + 1 < l->section->count; i++) {
		const uint64_t address = base + l->section->atoms[i].offset;
		while (k < l->options->site_count && l->options->sites[k].address < address)
			k++;
		if (k < l->options->site_count && l->options->sites[k].address == address &&
		    l->options->sites[k].count > 0) {
			l->sites[i] = &l->options->sites[k];
			any = true;
		}
	}
	return any;
}

static int find_calls(const struct laying *l, struct cluster_call **calls, size_t *count)
{
	size_t room = 0;
	*calls = NULL;
	*count = 0;
	for (uint32_t i = 0; i + 1 < l->section->count; i++) {
		const struct edit_atom *atom = &l->section->atoms[i];
		const struct layout_site *site = l->sites[i];
		const bool direct = atom->flow == EDIT_CALL || atom->flow == EDIT_JUMP || atom->flow == EDIT_BRANCH;
		if (site == NULL || !direct || atom->section != l->section->number)
			continue;
		const struct edit_atom *to = edit_atom_at(l->section, atom->target);
		const uint64_t times = atom->flow == EDIT_BRANCH ? site->taken : site->count;
		const uint32_t caller = laying_function_of(l, i),
			       callee =
				   to == NULL ? UINT32_MAX : laying_function_of(l, (uint32_t)(to - l->section->atoms));
		if (caller == callee || caller == UINT32_MAX || callee == UINT32_MAX || times == 0)
			continue;
		if (!array_room(calls, *count + 1, &room))
			return OBJECT_ENOMEM;
		(*calls)[(*count)++] = (struct cluster_call){caller, callee, times};
	}
	return OBJECT_OK;
}

/* By place, the function. */
static int order_functions(const struct laying *l, uint32_t *places)
{
	struct cluster_function *functions = calloc(l->function_count + 1, sizeof *functions);
	struct cluster_call *calls = NULL;
	size_t count = 0;
	int error = functions == NULL ? OBJECT_ENOMEM : OBJECT_OK;
	for (uint32_t i = 0; i < l->function_count; i++)
		places[i] = i;
	if (error == OBJECT_OK && l->options->functions)
		error = find_calls(l, &calls, &count);
	for (size_t i = 0; i < l->function_count && error == OBJECT_OK; i++)
		functions[i] = (struct cluster_function){l->functions[i].size, l->functions[i].weight};
	const struct cluster_graph graph = {functions, l->function_count, calls, count};
	if (error == OBJECT_OK && l->options->functions && clusters_order(&graph, places) != 0)
		error = OBJECT_ENOMEM;
	free(functions);
	free(calls);
	return error;
}

/* Padding behind what does not go on is not reached: it goes. */
static void drop_padding(const struct laying *l)
{
	for (size_t i = 0; i < l->function_count; i++) {
		const struct layout_function *f = &l->functions[i];
		const struct edit_atom *last = f->body > f->first ? &l->section->atoms[f->body - 1] : NULL;
		const bool ends = last != NULL && (last->flow == EDIT_JUMP || last->flow == EDIT_INDIRECT);
		for (uint32_t a = f->body; a < f->end && ends; a++)
			l->section->atoms[a].gone = true;
	}
}

/* Whether its blocks have another order. */
static int note_moved(struct laying *l, const struct layout_function *f)
{
	struct layout_kept *k = l->kept;
	const struct edit_atom *atoms = l->section->atoms;
	uint32_t a = f->first;
	while (a < f->end && l->order[a] == a)
		a++;
	if (a == f->end)
		return OBJECT_OK;
	if (!array_room(&k->moved, k->moved_count + 1, &k->moved_room))
		return OBJECT_ENOMEM;
	k->moved[k->moved_count++] =
	    (struct moved_function){l->section->number, atoms[f->first].offset, atoms[f->end].offset};
	l->counts->moved++;
	return OBJECT_OK;
}

static int order_section(struct laying *l)
{
	uint32_t *places = calloc(l->function_count + 1, sizeof *places);
	uint32_t *order = calloc(l->section->count, sizeof *order);
	uint32_t at = 0;
	int error = places == NULL || order == NULL ? OBJECT_ENOMEM : order_functions(l, places);
	for (size_t i = 0; i < l->function_count && error == OBJECT_OK; i++) {
		struct layout_function *f = &l->functions[i];
		for (uint32_t a = f->first; a < f->end; a++)
			l->order[a] = a;
		if (l->options->blocks && f->weight > 0 && f->reason == LAYOUT_DONE)
			error = laying_blocks(l, f);
		if (error == OBJECT_OK)
			error = note_moved(l, f);
		l->counts->functions++;
		l->counts->ran += f->weight > 0;
		l->counts->reasons[f->reason] += f->weight > 0;
	}
	for (size_t i = 0; i < l->function_count && error == OBJECT_OK; i++) {
		const struct layout_function *f = &l->functions[places[i]];
		for (uint32_t a = f->first; a < f->end; a++) {
			order[at++] = l->order[a];
			if (f->fixed)
				l->section->atoms[a].fixed = a == f->first ? 1 : 2;
		}
	}
	if (error == OBJECT_OK) {
		order[l->section->count - 1] = (uint32_t)l->section->count - 1;
		drop_padding(l);
		error = edit_order(l->edit, l->section, order);
	}
	free(places);
	free(order);
	return error;
}

static void count_changes(const struct laying *l)
{
	struct layout_counts *c = l->counts;
	for (uint32_t i = 0; i + 1 < l->section->count; i++) {
		const struct edit_atom *atom = &l->section->atoms[i];
		const uint64_t times = laying_count(l, i);
		c->turned += atom->turned;
		if (atom->gone && atom->flow == EDIT_JUMP) {
			c->gone++;
			c->gone_count += times;
		}
		if (atom->then == 0)
			continue;
		c->added++;
		if (atom->flow == EDIT_BRANCH)
			c->added_count += l->sites[i] == NULL ? 0 : l->sites[i]->not_taken;
		else
			c->added_count += times;
	}
}

static int lay_section(struct laying *l)
{
	int error = OBJECT_OK;
	l->sites = calloc(l->section->count, sizeof *l->sites);
	l->order = calloc(l->section->count, sizeof *l->order);
	l->glued = calloc(l->section->count, sizeof *l->glued);
	l->apart = calloc(l->section->count, sizeof *l->apart);
	if (l->sites == NULL || l->order == NULL || l->glued == NULL || l->apart == NULL)
		error = OBJECT_ENOMEM;
	else if (sites_of_atoms(l)) {
		error = laying_functions(l);
		if (error == OBJECT_OK)
			error = order_section(l);
		if (error == OBJECT_OK)
			count_changes(l);
	}
	free(l->functions);
	free(l->sites);
	free(l->order);
	free(l->glued);
	free(l->apart);
	l->functions = NULL;
	l->function_count = 0;
	return error;
}

/* ---- the program ---- */
/* Debug information names ranges of code that do not follow one another any more. */
static bool drop_debug(struct object *o)
{
	bool any = false;
	for (uint32_t i = 1; i < o->section_count; i++) {
		struct object_section *s = &o->sections[i];
		if (strncmp(s->name, ".debug_", 7) != 0)
			continue;
		any = true;
		s->type = SHT_NULL;
		s->size = 0;
		s->reloc_count = 0;
	}
	return any;
}

static uint64_t code_size(const struct edit *e)
{
	uint64_t size = 0;
	for (size_t i = 0; i < e->section_count; i++)
		size += e->object->sections[e->sections[i].number].size;
	return size;
}

/* What an edit found impossible: a function whose blocks have moved keeps them from now on. */
static bool keep_failed(struct layout_kept *kept, const struct edit *e)
{
	for (size_t i = 0; i < kept->moved_count && e->failed != 0; i++) {
		const struct moved_function *m = &kept->moved[i];
		if (m->section != e->failed_section || e->failed - 1 < m->from || e->failed - 1 >= m->to)
			continue;
		if (!array_room(&kept->all, kept->count + 1, &kept->room))
			return false;
		kept->all[kept->count++] =
		    (struct kept_function){e->failed_section, m->from, e->failed_unwind ? LAYOUT_UNWIND : LAYOUT_REACH};
		return true;
	}
	return false;
}

struct attempt {
	const struct linked *linked;
	struct layout_options options;
	struct layout_counts *counts;
	struct linked_result *result;
	struct layout_kept kept;
	bool far, again, in_order;
};

/* What did not work is left out: the blocks of a function, then the order of functions. */
static bool tries_again(struct attempt *a, const struct edit *e)
{
	if (keep_failed(&a->kept, e))
		return true;
	if (!a->options.functions)
		return false;
	a->options.functions = false;
	a->in_order = true;
	return true;
}

static int lay_edit(struct attempt *a, struct edit *e)
{
	int error = OBJECT_OK;
	e->near = !a->far;
	a->counts->old_size = code_size(e);
	for (size_t i = 0; i < e->section_count && error == OBJECT_OK; i++) {
		struct laying l = {.linked = a->linked,
		    .edit = e,
		    .section = &e->sections[i],
		    .options = &a->options,
		    .kept = &a->kept,
		    .counts = a->counts};
		error = lay_section(&l);
	}
	if (error == OBJECT_OK) {
		error = edit_apply(e, a->result->detail, a->result->detail_size);
		a->again = error == OBJECT_EUNSUPPORTED && tries_again(a, e);
	}
	a->counts->new_size = code_size(e);
	return error;
}

static int try_layout(struct attempt *a)
{
	const struct linked_runtime none = {0};
	struct linked_result *result = a->result;
	struct object *o = NULL;
	struct edit *e = NULL;
	int error = object_open(&o, a->linked->bytes, a->linked->byte_count, result->detail, result->detail_size);
	*a->counts = (struct layout_counts){.far = a->far, .in_order = a->in_order};
	a->again = false;
	a->kept.moved_count = 0;
	if (error == OBJECT_OK) {
		a->counts->debug = drop_debug(o);
		error = edit_open(&e, o, result->detail, result->detail_size);
	}
	if (error == OBJECT_OK)
		error = lay_edit(a, e);
	edit_close(e);
	if (error == OBJECT_OK) {
		error = linked_write(a->linked, o, &none, result);
		a->again = error == OBJECT_EUNSUPPORTED && !a->far;
		a->far = true;
	}
	object_close(o);
	return error;
}

int layout_program(const struct linked *linked, const struct layout_options *options, struct layout_counts *counts,
    struct linked_result *result)
{
	struct attempt a = {.linked = linked, .options = *options, .counts = counts, .result = result};
	int error = try_layout(&a);
	while (error != OBJECT_OK && a.again)
		error = try_layout(&a);
	free(a.kept.all);
	free(a.kept.moved);
	if (error == OBJECT_ENOMEM)
		snprintf(result->detail, result->detail_size, "out of memory");
	return error;
}
