/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/regions/find.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

/* Adds a region; one that does not fit is counted. */
static int offer_region(
    struct regions *r, const uint32_t *vertices, uint32_t count, unsigned kind, uint32_t head, uint32_t *left)
{
	uint32_t found;
	int error = regions_add(r, vertices, count, kind, head, REGIONS_NONE, &found);
	if (error == REGIONS_EOVERLAP || error == REGIONS_EDEPTH)
		++*left;
	return error == REGIONS_ENOMEM ? error : REGIONS_OK;
}

/* ---- predecessors, and numbers of a depth-first search from the roots */

struct shape {
	const struct numbering_graph *g;
	uint32_t *pred_first, *preds;
	uint32_t *pre;  /* by vertex: place in the search; REGIONS_NONE: not reached */
	uint32_t *post; /* reached vertices in postorder */
	uint32_t *rank; /* place there */
	uint32_t reached, numbered;
	uint32_t *stack, *edge; /* of vertices; room for any search */
};

static void free_shape(struct shape *s)
{
	void *all[] = {s->pred_first, s->preds, s->pre, s->post, s->rank, s->stack, s->edge};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

static bool is_root(const struct numbering_graph *g, uint32_t v)
{
	return v == g->entry || (g->root != NULL && g->root[v]);
}

static void search_part(struct shape *s, uint32_t start)
{
	const struct numbering_graph *g = s->g;
	uint32_t depth = 0;
	s->stack[0] = start;
	s->edge[start] = g->first[start];
	s->pre[start] = s->numbered++;
	for (;;) {
		uint32_t v = s->stack[depth];
		if (s->edge[v] == g->first[v + 1]) {
			s->rank[v] = s->reached;
			s->post[s->reached++] = v;
			if (depth-- == 0)
				return;
			continue;
		}
		uint32_t w = g->to[s->edge[v]++];
		if (w == NUMBERING_EXIT || s->pre[w] != REGIONS_NONE)
			continue;
		s->pre[w] = s->numbered++;
		s->edge[w] = g->first[w];
		s->stack[++depth] = w;
	}
}

static int make_shape(struct shape *s, const struct numbering_graph *g)
{
	uint32_t edges = g->first[g->count];
	uint32_t **arrays[] = {&s->pre, &s->post, &s->rank, &s->stack, &s->edge};
	*s = (struct shape){.g = g,
	    .pred_first = calloc(g->count + 2u, sizeof *s->pred_first),
	    .preds = malloc((edges + 1u) * sizeof *s->preds)};
	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		*arrays[i] = malloc((g->count + 1u) * sizeof(uint32_t));
		if (*arrays[i] == NULL)
			return REGIONS_ENOMEM;
	}
	if (s->pred_first == NULL || s->preds == NULL)
		return REGIONS_ENOMEM;
	for (uint32_t e = 0; e < edges; e++) {
		if (g->to[e] != NUMBERING_EXIT)
			s->pred_first[g->to[e] + 2]++;
	}
	for (uint32_t v = 0; v < g->count; v++)
		s->pred_first[v + 2] += s->pred_first[v + 1];
	for (uint32_t v = 0; v < g->count; v++) {
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			if (g->to[e] != NUMBERING_EXIT)
				s->preds[s->pred_first[g->to[e] + 1]++] = v;
		}
	}
	memset(s->pre, 0xFF, g->count * sizeof *s->pre);
	search_part(s, g->entry);
	for (uint32_t v = 0; v < g->count; v++) {
		if (is_root(g, v) && s->pre[v] == REGIONS_NONE)
			search_part(s, v);
	}
	return REGIONS_OK;
}

/* ---- loops */

struct part { /* vertices among which loops are looked for */
	uint32_t *vertices;
	uint32_t count, head, depth; /* edges to head are left out; REGIONS_NONE: none */
};

struct loops {
	struct regions *r;
	struct shape *s;
	struct part *parts;
	size_t part_count, part_room;
	uint32_t *group; /* by vertex: number of the part it is in */
	uint32_t *index, *low;
	uint32_t *open; /* Tarjan's stack */
	bool *on;
	uint32_t groups, left;
};

/* A strongly connected set of several vertices, or of one that leads to itself. */
static int found_component(struct loops *l, const uint32_t *set, uint32_t count, uint32_t depth)
{
	const struct shape *s = l->s;
	uint32_t entries = 0, head = REGIONS_NONE;
	for (uint32_t i = 0; i < count; i++)
		l->group[set[i]] = l->groups; /* for now: what is in the set */
	for (uint32_t i = 0; i < count; i++) {
		bool entry = is_root(s->g, set[i]);
		for (uint32_t p = s->pred_first[set[i]]; p < s->pred_first[set[i] + 1] && !entry; p++)
			entry = l->group[s->preds[p]] != l->groups && s->pre[s->preds[p]] != REGIONS_NONE;
		entries += entry;
		if (entry && (head == REGIONS_NONE || s->pre[set[i]] < s->pre[head]))
			head = set[i];
	}
	if (head == REGIONS_NONE)
		head = set[0];
	int error = offer_region(l->r, set, count, entries > 1 ? REGIONS_IRREDUCIBLE : REGIONS_LOOP, head, &l->left);
	if (error != REGIONS_OK || count == 1 || depth + 1 >= REGIONS_DEPTH_MAX) {
		l->groups++;
		return error;
	}
	uint32_t *vertices = malloc(count * sizeof *vertices);
	if (vertices == NULL || !array_room(&l->parts, l->part_count + 1, &l->part_room)) {
		free(vertices);
		return REGIONS_ENOMEM;
	}
	memcpy(vertices, set, count * sizeof *vertices);
	l->parts[l->part_count++] = (struct part){vertices, count, head, depth + 1};
	l->groups++;
	return REGIONS_OK;
}

/* Tarjan's components of a part. group[] of its vertices is `own` until they are found. */
static int find_components(struct loops *l, const struct part *part, uint32_t own)
{
	struct shape *s = l->s;
	const struct numbering_graph *g = s->g;
	uint32_t number = 1, opened = 0;
	int error = REGIONS_OK;
	for (uint32_t i = 0; i < part->count; i++)
		l->index[part->vertices[i]] = 0;
	for (uint32_t i = 0; i < part->count && error == REGIONS_OK; i++) {
		uint32_t depth = 0, start = part->vertices[i];
		if (l->index[start] != 0)
			continue;
		s->stack[0] = start;
		s->edge[start] = g->first[start];
		l->index[start] = l->low[start] = number++;
		l->open[opened++] = start;
		l->on[start] = true;
		for (;;) {
			uint32_t v = s->stack[depth];
			if (s->edge[v] < g->first[v + 1]) {
				uint32_t w = g->to[s->edge[v]++];
				if (w == NUMBERING_EXIT || w == part->head || l->group[w] != own)
					continue;
				if (l->index[w] == 0) {
					l->index[w] = l->low[w] = number++;
					l->open[opened++] = w;
					l->on[w] = true;
					s->edge[w] = g->first[w];
					s->stack[++depth] = w;
				} else if (l->on[w] && l->index[w] < l->low[v])
					l->low[v] = l->index[w];
				continue;
			}
			if (l->low[v] == l->index[v]) {
				uint32_t first = opened;
				bool self = false;
				do
					l->on[l->open[--first]] = false;
				while (l->open[first] != v);
				for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
					self = self || (g->to[e] == v && v != part->head);
				if (opened - first > 1 || self)
					error = found_component(l, l->open + first, opened - first, part->depth);
				else
					l->group[v] = REGIONS_NONE; /* in no loop of this part */
				opened = first;
			}
			if (depth == 0 || error != REGIONS_OK)
				break;
			uint32_t above = s->stack[--depth];
			if (l->low[v] < l->low[above])
				l->low[above] = l->low[v];
		}
	}
	return error;
}

static int find_loops(struct regions *r, struct shape *s, uint32_t *left)
{
	struct loops l = {.r = r, .s = s, .groups = 1};
	uint32_t n = r->graph.count;
	l.group = calloc(n, sizeof *l.group);
	l.index = calloc(n, sizeof *l.index);
	l.low = calloc(n, sizeof *l.low);
	l.open = calloc(n, sizeof *l.open);
	l.on = calloc(n, sizeof *l.on);
	uint32_t *all = malloc(n * sizeof *all);
	int error = l.group == NULL || l.index == NULL || l.low == NULL || l.open == NULL || l.on == NULL ||
			    all == NULL || !array_room(&l.parts, 1, &l.part_room)
			? REGIONS_ENOMEM
			: REGIONS_OK;
	if (error == REGIONS_OK) {
		uint32_t count = 0;
		for (uint32_t i = s->reached; i-- > 0;)
			all[count++] = s->post[i];
		l.parts[l.part_count++] = (struct part){all, count, REGIONS_NONE, 0};
		all = NULL;
	}
	for (size_t i = 0; i < l.part_count && error == REGIONS_OK; i++) {
		struct part part = l.parts[i];
		uint32_t own = l.groups++;
		for (uint32_t k = 0; k < part.count; k++)
			l.group[part.vertices[k]] = own;
		error = find_components(&l, &part, own);
		free(part.vertices);
		l.parts[i].vertices = NULL;
	}
	*left += l.left;
	for (size_t i = 0; i < l.part_count; i++)
		free(l.parts[i].vertices);
	free(l.parts);
	free(l.group);
	free(l.index);
	free(l.low);
	free(l.open);
	free(l.on);
	free(all);
	return error;
}

/* ---- hammocks */

struct reverse {                      /* the graph backwards from EXIT: node count is EXIT */
	uint32_t *post, *rank, *idom; /* rank by vertex; idom by rank */
	uint32_t reached;
	uint32_t *next; /* by vertex: its immediate postdominator, or REGIONS_NONE: EXIT, or none */
};

static void free_reverse(struct reverse *p)
{
	free(p->post);
	free(p->rank);
	free(p->idom);
	free(p->next);
}

static int reverse_search(struct reverse *p, struct shape *s, const uint32_t *outs, uint32_t out_count)
{
	uint32_t n = s->g->count;
	/* EXIT's predecessors one after the other; EXIT itself comes last */
	for (uint32_t i = 0; i < out_count; i++) {
		uint32_t depth = 0;
		if (p->rank[outs[i]] != REGIONS_NONE)
			continue;
		s->stack[0] = outs[i];
		s->edge[outs[i]] = s->pred_first[outs[i]];
		p->rank[outs[i]] = REGIONS_NONE - 1;
		for (;;) {
			uint32_t v = s->stack[depth];
			if (s->edge[v] == s->pred_first[v + 1]) {
				p->rank[v] = p->reached;
				p->post[p->reached++] = v;
				if (depth-- == 0)
					break;
				continue;
			}
			uint32_t w = s->preds[s->edge[v]++];
			if (p->rank[w] != REGIONS_NONE)
				continue;
			p->rank[w] = REGIONS_NONE - 1;
			s->edge[w] = s->pred_first[w];
			s->stack[++depth] = w;
		}
	}
	p->rank[n] = p->reached;
	p->post[p->reached++] = n;
	return REGIONS_OK;
}

/* Cooper, Harvey and Kennedy over the reversed graph. */
static int find_postdominators(struct reverse *p, struct shape *s)
{
	const struct numbering_graph *g = s->g;
	uint32_t n = g->count, out_count = 0;
	uint32_t *outs = malloc((n + 1u) * sizeof *outs);
	*p = (struct reverse){.post = malloc((n + 1u) * sizeof *p->post),
	    .rank = malloc((n + 1u) * sizeof *p->rank),
	    .idom = malloc((n + 1u) * sizeof *p->idom),
	    .next = malloc((n + 1u) * sizeof *p->next)};
	if (outs == NULL || p->post == NULL || p->rank == NULL || p->idom == NULL || p->next == NULL) {
		free(outs);
		return REGIONS_ENOMEM;
	}
	for (uint32_t v = 0; v < n; v++) {
		bool out = false;
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			out = out || g->to[e] == NUMBERING_EXIT;
		if (out)
			outs[out_count++] = v;
	}
	memset(p->rank, 0xFF, (n + 1u) * sizeof *p->rank);
	int error = reverse_search(p, s, outs, out_count);
	free(outs);
	for (uint32_t i = 0; i < p->reached; i++)
		p->idom[i] = REGIONS_NONE;
	p->idom[p->reached - 1] = p->reached - 1;
	for (bool changed = true; changed && error == REGIONS_OK;) {
		changed = false;
		for (uint32_t rank = p->reached - 1; rank-- > 0;) {
			uint32_t v = p->post[rank], best = REGIONS_NONE;
			for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
				uint32_t a = g->to[e] == NUMBERING_EXIT ? p->reached - 1 : p->rank[g->to[e]];
				if (a == REGIONS_NONE || p->idom[a] == REGIONS_NONE)
					continue;
				for (uint32_t b = best; b != REGIONS_NONE && a != b;) {
					while (a < b)
						a = p->idom[a];
					while (b < a)
						b = p->idom[b];
				}
				best = a;
			}
			changed = changed || p->idom[rank] != best;
			p->idom[rank] = best;
		}
	}
	for (uint32_t v = 0; v < n; v++) {
		uint32_t rank = p->rank[v];
		uint32_t next = rank == REGIONS_NONE || p->idom[rank] == REGIONS_NONE ? n : p->post[p->idom[rank]];
		p->next[v] = next == n ? REGIONS_NONE : next;
	}
	return error;
}

struct hammocks {
	struct regions *r;
	struct shape *s;
	struct reverse *p;
	uint32_t *exit_of; /* by vertex: where the innermost hammock around it leads to, REGIONS_NONE: none */
	uint32_t *mark;    /* by vertex: the last e whose hammock it was looked at for */
	uint32_t *set;
	uint32_t left;
	uint64_t work; /* edges that may still be looked at: a nest of what are no hammocks could take the square */
};
#define WORK_PER_EDGE 64u

static int try_hammock(struct hammocks *h, uint32_t e)
{
	const struct numbering_graph *g = h->s->g;
	uint32_t x = h->p->next[e], count = 1;
	bool whole = true;
	if (x == REGIONS_NONE || g->first[e + 1] - g->first[e] < 2 || h->exit_of[e] == x)
		return REGIONS_OK;
	if (h->work == 0) {
		h->left++;
		return REGIONS_OK;
	}
	h->set[0] = e;
	h->mark[e] = e;
	for (uint32_t i = 0; i < count && whole; i++) {
		for (uint32_t k = g->first[h->set[i]]; k < g->first[h->set[i] + 1] && whole; k++) {
			uint32_t w = g->to[k];
			h->work -= h->work > 0;
			whole = w != NUMBERING_EXIT; /* a way out that is not by x: x is not reached from there */
			if (!whole || w == x || h->mark[w] == e)
				continue;
			h->mark[w] = e;
			h->set[count++] = w;
		}
	}
	for (uint32_t i = 1; i < count && whole; i++) {
		whole = !is_root(g, h->set[i]);
		for (uint32_t k = h->s->pred_first[h->set[i]]; k < h->s->pred_first[h->set[i] + 1] && whole; k++)
			whole = h->mark[h->s->preds[k]] == e || h->s->pre[h->s->preds[k]] == REGIONS_NONE;
	}
	if (!whole || count < 2)
		return REGIONS_OK;
	for (uint32_t i = 0; i < count; i++)
		h->exit_of[h->set[i]] = x;
	return offer_region(h->r, h->set, count, REGIONS_HAMMOCK, e, &h->left);
}

static int find_hammocks(struct regions *r, struct shape *s, uint32_t *left)
{
	struct reverse p;
	uint32_t n = r->graph.count;
	struct hammocks h = {.r = r,
	    .s = s,
	    .p = &p,
	    .work = WORK_PER_EDGE * (r->graph.first[n] + (uint64_t)n),
	    .exit_of = malloc(n * sizeof *h.exit_of),
	    .mark = malloc(n * sizeof *h.mark),
	    .set = malloc(n * sizeof *h.set)};
	int error = find_postdominators(&p, s);
	if (error == REGIONS_OK && (h.exit_of == NULL || h.mark == NULL || h.set == NULL))
		error = REGIONS_ENOMEM;
	if (error == REGIONS_OK) {
		memset(h.exit_of, 0xFF, n * sizeof *h.exit_of);
		memset(h.mark, 0xFF, n * sizeof *h.mark);
	}
	/* a vertex comes before those that it dominates */
	for (uint32_t i = s->reached; i-- > 0 && error == REGIONS_OK;)
		error = try_hammock(&h, s->post[i]);
	*left += h.left;
	free_reverse(&p);
	free(h.exit_of);
	free(h.mark);
	free(h.set);
	return error;
}

int regions_find(struct regions *r, unsigned what, uint32_t *left)
{
	struct shape s;
	uint32_t none = 0;
	int error = make_shape(&s, &r->graph);
	if (error == REGIONS_OK && (what & REGIONS_FIND_LOOPS) != 0)
		error = find_loops(r, &s, left != NULL ? left : &none);
	if (error == REGIONS_OK && (what & REGIONS_FIND_HAMMOCKS) != 0)
		error = find_hammocks(r, &s, left != NULL ? left : &none);
	free_shape(&s);
	return error;
}
