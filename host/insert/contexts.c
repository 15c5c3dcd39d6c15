/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/contexts.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "sw/probe/cycles.h"
#include "isa/isa.h"

#define NUMBER_MAX (UINT64_C(1) << 56)                             /* no program counts as far */
#define WORDS ((size_t)RIVULET_CYCLES_SLOT + RIVULET_CYCLES_SLOTS) /* of a node */

struct site {
	uint64_t back;     /* return address in the edited program */
	uint64_t original; /* address of the call */
	uint32_t function; /* that it stands in, of the original's map */
};

struct numbered { /* a context, by function and site */
	uint32_t function, context;
	uint64_t site;
};

struct reader {
	struct contexts *out;
	const struct insert_original *original, *edited;
	uint64_t *words;
	size_t count;        /* nodes */
	uint32_t *functions; /* by serial: of the original's map */
	uint64_t *same;      /* by serial: cycles of each call that was left as usual; 0: they are added up */
	uint32_t *contexts;  /* by node: its context; roots: CONTEXTS_NOBODY */
	struct site *sites;
	size_t site_count;
	unsigned xlen;
	uint64_t bias; /* how far from its addresses the program was loaded */
};

const char *contexts_strerror(int error)
{
	switch (error) {
	case CONTEXTS_OK:
		return "no error";
	case CONTEXTS_ENOMEM:
		return "out of memory";
	case CONTEXTS_ENONE:
		return "has no contexts: it was not made by a program with `rivulet insert --cycles', or it did not "
		       "end";
	case CONTEXTS_EBUILD:
		return "the profile, the edited program and the original are not of the same objects";
	case CONTEXTS_EFORM:
		return "the contexts are no tree: the program wrote over them, or the profile is of another program";
	default:
		return "unknown error";
	}
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	return ORDER_UP(x->back, y->back);
}

/* The address behind a call, and that of its transfer. */
static bool call_at(const struct image *image, uint64_t address, uint64_t *transfer, uint64_t *back)
{
	struct isa_insn insn;
	if (!image_insn(image, address, 0, &insn))
		return false;
	*transfer = insn.op == ISA_AUIPC ? address + insn.length : address;
	if (insn.op == ISA_AUIPC && !image_insn(image, *transfer, 0, &insn))
		return false;
	*back = *transfer + insn.length;
	return true;
}

/* The function of the edited map that an index of the original's map stands for, NULL: it is not there. */
static const struct map_function *edited_of(const struct reader *r, uint32_t function)
{
	const struct map *m = r->original->map;
	const struct map_object *mine = &m->objects[m->functions[function].object];
	const struct map_object *other = map_object(r->edited->map, mine->id);
	uint32_t index = function - mine->functions;
	return other == NULL || index >= other->function_count ? NULL
							       : &r->edited->map->functions[other->functions + index];
}

static int read_sites(struct reader *r)
{
	const struct map *m = r->original->map;
	r->sites = calloc(m->site_count + 1, sizeof *r->sites);
	if (r->sites == NULL)
		return CONTEXTS_ENOMEM;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i], *e = edited_of(r, i);
		if (f->address == 0 || e == NULL || e->address == 0)
			continue;
		if (e->site_count != f->site_count)
			return CONTEXTS_EBUILD;
		for (uint32_t k = 0; k < f->site_count; k++) {
			uint64_t nothing, transfer;
			struct site *site = &r->sites[r->site_count];
			if (call_at(r->edited->image, r->edited->map->sites[e->sites + k], &transfer, &site->back) &&
			    call_at(r->original->image, m->sites[f->sites + k], &site->original, &nothing))
				r->sites[r->site_count++].function = i;
		}
	}
	qsort(r->sites, r->site_count, sizeof *r->sites, compare_sites);
	return CONTEXTS_OK;
}

/* Words of the nodes; serial numbers of the functions. */
static int read_context_words(struct reader *r, const struct profile *profile)
{
	const struct map *m = r->original->map;
	uint64_t last = 0;
	for (size_t i = 0; i < profile->used; i++) {
		if (profile->entries[i].start == RIVULET_CYCLES_ID && profile->entries[i].hist > last)
			last = profile->entries[i].hist;
	}
	if (last == 0 || last > (uint64_t)WORDS << 28)
		return CONTEXTS_ENONE;
	r->count = (last + WORDS - 1) / WORDS;
	r->words = calloc(r->count * WORDS, sizeof *r->words);
	r->functions = malloc((r->count + 1) * sizeof *r->functions);
	r->same = calloc(r->count + 1, sizeof *r->same);
	r->contexts = calloc(r->count + 1, sizeof *r->contexts);
	if (r->words == NULL || r->functions == NULL || r->same == NULL || r->contexts == NULL)
		return CONTEXTS_ENOMEM;
	for (size_t i = 0; i <= r->count; i++)
		r->functions[i] = CONTEXTS_NONE;
	for (size_t i = 0; i < profile->used; i++) {
		const struct record *entry = &profile->entries[i];
		if (entry->start == RIVULET_CYCLES_ID) {
			r->words[entry->hist - 1] = entry->count;
			continue;
		}
		if (entry->start == RIVULET_CYCLES_CLASS_ID) {
			if (entry->hist > RIVULET_CYCLES_CLASSES || entry->count >= r->count)
				return CONTEXTS_EBUILD;
			r->functions[entry->count] =
			    (uint32_t)(m->function_count - RIVULET_CYCLES_CLASSES + entry->hist - 1);
			continue;
		}
		const struct map_object *edited = map_object(r->edited->map, entry->start);
		const struct map_object *original = map_object(m, entry->start);
		if (edited == NULL || original == NULL || entry->count >= r->count)
			return CONTEXTS_EBUILD;
		for (uint32_t k = 0; k < edited->function_count && k < original->function_count; k++) {
			const struct map_function *f = &r->edited->map->functions[edited->functions + k];
			if ((f->flags & MAP_COUNTED) == 0 || f->first != entry->hist - 1)
				continue;
			r->functions[entry->count] = original->functions + k;
			r->same[entry->count] = f->word_count > 0 ? r->edited->map->words[f->words] : 0;
		}
	}
	return CONTEXTS_OK;
}

/* The jump of a tail call: the last instruction of the block that the edge leaves. */
static uint64_t tail_site(const struct reader *r, uint32_t function, uint64_t edge)
{
	const struct map *m = r->original->map;
	const struct map_function *f = &m->functions[function];
	uint64_t transfer, back;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct map_block *block = &m->blocks[b];
		uint64_t first = block->edges - f->edges + 1u;
		if (edge >= first && edge < first + block->edge_count &&
		    call_at(r->original->image, block->last, &transfer, &back))
			return transfer;
	}
	return 0;
}

static bool possible_self(uint64_t calls, uint64_t self, uint64_t least, uint64_t most)
{
	return calls <= NUMBER_MAX && self <= NUMBER_MAX && most <= NUMBER_MAX && least <= most &&
	       (unsigned __int128)calls * least <= self && (unsigned __int128)calls * most >= self &&
	       (calls == 0 || most > 0);
}

static int make_context(struct reader *r, size_t index)
{
	const uint64_t *w = &r->words[index * WORDS];
	uint64_t base = r->words[RIVULET_CYCLES_SERIAL], bytes = r->xlen / 8 * WORDS,
		 pointer = w[RIVULET_CYCLES_PARENT];
	uint64_t node = (pointer - base) / bytes, serial = w[RIVULET_CYCLES_SERIAL], edge = w[RIVULET_CYCLES_TAIL];
	if (base == 0 || pointer < base || (pointer - base) % bytes != 0 || node >= index || serial >= r->count)
		return CONTEXTS_EFORM;
	if (serial == 0) /* the root of a process */
		return node == 0 ? CONTEXTS_OK : CONTEXTS_EFORM;
	if (r->functions[serial] == CONTEXTS_NONE)
		return CONTEXTS_EBUILD;
	const struct map *m = r->original->map;
	uint32_t parent = r->contexts[node];
	uint64_t same = r->same[serial], usual = w[RIVULET_CYCLES_CALLS];
	struct context *c = &r->out->all[r->out->count];
	*c = (struct context){.parent = parent,
	    .function = r->functions[serial],
	    .tail = edge != 0,
	    .calls = usual + w[RIVULET_CYCLES_EARLY],
	    .self = (w[RIVULET_CYCLES_SELF] | (r->xlen == 32 ? w[RIVULET_CYCLES_SELF_HIGH] << 32 : 0)) + usual * same,
	    .least = w[RIVULET_CYCLES_LEAST],
	    .most = w[RIVULET_CYCLES_MOST]};
	if (same != 0 && usual > 0) {
		c->least = w[RIVULET_CYCLES_EARLY] > 0 && c->least < same ? c->least : same;
		c->most = same > c->most ? same : c->most;
	}
	/* what one call takes is between the least and the most; a program may have written over it */
	uint64_t early = w[RIVULET_CYCLES_EARLY];
	if (!possible_self(c->calls, c->self, c->least, c->most) ||
	    (same != 0 &&
		!possible_self(early, c->self - usual * same, w[RIVULET_CYCLES_LEAST], w[RIVULET_CYCLES_MOST]))) {
		r->out->damaged++;
		c->calls = c->self = c->least = c->most = 0;
	}
	if (c->tail) {
		c->caller = parent == CONTEXTS_NOBODY ? CONTEXTS_NONE : r->out->all[parent].function;
		c->site = parent == CONTEXTS_NOBODY ? 0 : tail_site(r, r->out->all[parent].function, edge);
	} else {
		const struct site key = {.back = w[RIVULET_CYCLES_SITE] - r->bias};
		const struct site *site = bsearch(&key, r->sites, r->site_count, sizeof key, compare_sites);
		c->site = site == NULL ? 0 : site->original;
		c->caller = site == NULL ? CONTEXTS_NONE : site->function;
		if (c->function >= m->function_count - RIVULET_CYCLES_CLASSES && parent != CONTEXTS_NOBODY)
			c->caller = r->out->all[parent].function;
	}
	if (c->function == m->function_count - RIVULET_CYCLES_CLASSES + RIVULET_CYCLES_INPUT) {
		r->out->input += c->self; /* not charged */
		c->self = c->least = c->most = 0;
	}
	c->inclusive = c->self;
	r->out->self += c->self;
	r->contexts[index] = (uint32_t)r->out->count++;
	return CONTEXTS_OK;
}

/* ---------------------------------------------------------------- sums */
static void widen_sums(uint64_t *least, uint64_t *most, const struct context *c)
{
	if (c->calls == 0)
		return;
	*least = c->least < *least ? c->least : *least;
	*most = c->most > *most ? c->most : *most;
}

static int compare_functions(const void *a, const void *b)
{
	const struct context_function *x = a, *y = b;
	return order_then(ORDER_UP(x->address, y->address), ORDER_UP(x->function, y->function));
}

static int context_edges_by_end(const void *a, const void *b)
{
	const struct context_edge *x = a, *y = b;
	if (x->site != y->site)
		return x->site > y->site ? 1 : -1;
	if (x->target != y->target)
		return x->target > y->target ? 1 : -1;
	if (x->callee != y->callee) /* classes have no address */
		return x->callee > y->callee ? 1 : -1;
	return ORDER_UP(x->caller, y->caller);
}

/* inside[i]: a context above i has the same number. Contexts in the order of a walk over the tree, so that it is known
 * which numbers are active. */
static int find_inside(const struct contexts *out, const uint32_t *numbers, uint32_t number_count, bool *inside)
{
	uint32_t *child = malloc(3 * out->count * sizeof *child), *next = child + out->count, *path = next + out->count;
	uint32_t *active = calloc(number_count + 1u, sizeof *active);
	size_t depth = 0;
	if (child == NULL || active == NULL) {
		free(child);
		free(active);
		return CONTEXTS_ENOMEM;
	}
	for (size_t i = 0; i < out->count; i++)
		child[i] = CONTEXTS_NONE;
	for (size_t i = out->count; i-- > 1;) {
		next[i] = child[out->all[i].parent];
		child[out->all[i].parent] = (uint32_t)i;
	}
	for (uint32_t at = child[CONTEXTS_NOBODY]; at != CONTEXTS_NONE || depth > 0;) {
		if (at == CONTEXTS_NONE) { /* back up */
			at = path[--depth];
			active[numbers[at]]--;
			at = next[at];
			continue;
		}
		inside[at] = active[numbers[at]]++ > 0;
		path[depth++] = at;
		at = child[at];
	}
	free(child);
	free(active);
	return CONTEXTS_OK;
}

static int sum_functions(struct contexts *out, const struct map *m)
{
	uint32_t *row = malloc((m->function_count + 1) * sizeof *row), *numbers = malloc(out->count * sizeof *numbers);
	bool *inside = calloc(out->count, sizeof *inside);
	out->functions = calloc(m->function_count + 1, sizeof *out->functions);
	int error =
	    row == NULL || numbers == NULL || inside == NULL || out->functions == NULL ? CONTEXTS_ENOMEM : CONTEXTS_OK;
	for (size_t i = 1; i < out->count && error == CONTEXTS_OK; i++)
		numbers[i] = out->all[i].function;
	if (error == CONTEXTS_OK)
		error = find_inside(out, numbers, (uint32_t)m->function_count, inside);
	if (error != CONTEXTS_OK)
		goto out;
	memset(row, 0xFF, (m->function_count + 1) * sizeof *row);
	for (size_t i = 1; i < out->count; i++) {
		const struct context *c = &out->all[i];
		if (row[c->function] == CONTEXTS_NONE) {
			row[c->function] = (uint32_t)out->function_count;
			out->functions[out->function_count++] = (struct context_function){.function = c->function,
			    .address = m->functions[c->function].address,
			    .name = m->functions[c->function].name,
			    .least = UINT64_MAX};
		}
		struct context_function *f = &out->functions[row[c->function]];
		f->calls += c->calls;
		f->self += c->self;
		f->inclusive += inside[i] ? 0 : c->inclusive;
		widen_sums(&f->least, &f->most, c);
	}
	qsort(out->functions, out->function_count, sizeof *out->functions, compare_functions);
out:
	free(row);
	free(numbers);
	free(inside);
	return error;
}

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	return order_then(ORDER_UP(x->function, y->function), ORDER_UP(x->site, y->site));
}

/* One number for all contexts of a function that was called from a site. */
static int number_edges(const struct contexts *out, uint32_t *numbers, uint32_t *count)
{
	struct numbered *all = malloc(out->count * sizeof *all);
	*count = 0;
	if (all == NULL)
		return CONTEXTS_ENOMEM;
	for (size_t i = 1; i < out->count; i++)
		all[i - 1] = (struct numbered){out->all[i].function, (uint32_t)i, out->all[i].site};
	qsort(all, out->count - 1, sizeof *all, compare_numbered);
	for (size_t i = 0; i + 1 < out->count; i++) {
		*count += i > 0 && compare_numbered(&all[i - 1], &all[i]) != 0;
		numbers[all[i].context] = *count;
	}
	free(all);
	return CONTEXTS_OK;
}

static int sum_edges(struct contexts *out, const struct map *m)
{
	uint32_t *numbers = calloc(out->count, sizeof *numbers), count = 0;
	bool *inside = calloc(out->count, sizeof *inside);
	int error = numbers == NULL || inside == NULL ? CONTEXTS_ENOMEM : number_edges(out, numbers, &count);
	if (error == CONTEXTS_OK)
		error = find_inside(out, numbers, count, inside);
	free(numbers);
	out->edges = calloc(out->count + 1, sizeof *out->edges);
	if (out->edges == NULL || error != CONTEXTS_OK) {
		free(inside);
		return CONTEXTS_ENOMEM;
	}
	for (size_t i = 1; i < out->count; i++) {
		const struct context *c = &out->all[i];
		out->edges[out->edge_count++] = (struct context_edge){.site = c->site,
		    .target = m->functions[c->function].address,
		    .caller = c->caller,
		    .callee = c->function,
		    .tail = c->tail,
		    .calls = c->calls,
		    .self = c->self,
		    .inclusive = inside[i] ? 0 : c->inclusive,
		    .least = c->calls > 0 ? c->least : UINT64_MAX,
		    .most = c->most};
	}
	free(inside);
	qsort(out->edges, out->edge_count, sizeof *out->edges, context_edges_by_end);
	size_t kept = 0;
	for (size_t i = 0; i < out->edge_count; i++) {
		const struct context_edge *e = &out->edges[i];
		if (kept == 0 || context_edges_by_end(&out->edges[kept - 1], e) != 0) {
			out->edges[kept++] = *e;
			continue;
		}
		struct context_edge *to = &out->edges[kept - 1];
		to->calls += e->calls;
		to->self += e->self;
		to->inclusive += e->inclusive;
		to->least = e->least < to->least ? e->least : to->least;
		to->most = e->most > to->most ? e->most : to->most;
	}
	out->edge_count = kept;
	return CONTEXTS_OK;
}

static int make_contexts(struct reader *r, const struct profile *profile)
{
	struct contexts *out = r->out;
	int error = read_context_words(r, profile);
	uint64_t nodes;
	if (error == CONTEXTS_OK && image_symbol(r->edited->image, "rivulet_cycles_nodes", &nodes) == IMAGE_OK)
		r->bias = r->words[RIVULET_CYCLES_SERIAL] - nodes;
	if (error == CONTEXTS_OK)
		error = read_sites(r);
	if (error != CONTEXTS_OK)
		return error;
	out->all = calloc(r->count + 1, sizeof *out->all);
	if (out->all == NULL)
		return CONTEXTS_ENOMEM;
	out->count = 1; /* nobody */
	out->stopped = r->words[RIVULET_CYCLES_CALLS] != 0;
	out->skipped = r->words[RIVULET_CYCLES_LEAST];
	out->unwound = r->words[RIVULET_CYCLES_MOST];
	out->torn = r->words[RIVULET_CYCLES_SELF];
	out->gone = r->words[RIVULET_CYCLES_EARLY];
	out->stacks = r->words[RIVULET_CYCLES_SELF_HIGH];
	out->threads = r->words[RIVULET_CYCLES_TAIL];
	out->damaged = r->words[RIVULET_CYCLES_SITE];
	for (size_t i = 1; i < r->count && error == CONTEXTS_OK; i++)
		error = make_context(r, i);
	for (size_t i = out->count; i-- > 1 && error == CONTEXTS_OK;)
		out->all[out->all[i].parent].inclusive += out->all[i].inclusive;
	if (error == CONTEXTS_OK)
		error = sum_functions(out, r->original->map);
	if (error == CONTEXTS_OK)
		error = sum_edges(out, r->original->map);
	return error;
}

int contexts_make(struct contexts *contexts, const struct insert_original *original,
    const struct insert_original *edited, const struct profile *profile)
{
	struct reader r = {.out = contexts, .original = original, .edited = edited, .xlen = original->map->xlen};
	*contexts = (struct contexts){0};
	int error = make_contexts(&r, profile);
	free(r.words);
	free(r.functions);
	free(r.same);
	free(r.contexts);
	free(r.sites);
	if (error != CONTEXTS_OK)
		contexts_free(contexts);
	return error;
}

void contexts_free(struct contexts *contexts)
{
	free(contexts->all);
	free(contexts->functions);
	free(contexts->edges);
	*contexts = (struct contexts){0};
}

bool contexts_between(const struct contexts *contexts, const struct context *x)
{
	return x->parent != CONTEXTS_NOBODY && x->caller != contexts->all[x->parent].function;
}
