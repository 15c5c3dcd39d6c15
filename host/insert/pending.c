/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/pending.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- writing */
uint32_t pending_place_of(const struct inserter *in, int variable)
{
	int64_t displacement;
	unsigned reg = inserter_place(in, variable, &displacement);
	return reg != 0 ? PENDING_REGISTER | reg << 8 : PENDING_SLOT | (uint32_t)(int32_t)displacement << 8;
}

int pending_put_codes(struct insert_result *result, uint32_t where, const struct place_code *codes, size_t count)
{
	int error = OBJECT_OK;
	for (uint32_t i = 0; i < count && error == OBJECT_OK; i++) {
		if (codes[i].step == PLACE_NOTHING && codes[i].count == PLACE_NO_COUNT)
			continue;
		const uint32_t words[] = {
		    where + i, codes[i].step | (uint32_t)codes[i].count << 8, (uint32_t)(int32_t)codes[i].value};
		for (unsigned k = 0; k < 3 && error == OBJECT_OK; k++)
			error = insert_word(result, words[k]);
	}
	return error;
}

int pending_put(struct insert_result *result, const struct insert_work *w, const struct placement *p, int r,
    const uint8_t *vars, const struct insert_selves *loops)
{
	const struct graph_function *f = w->f;
	const struct insert_numbered *n = w->n;
	struct inserter *in = w->in;
	int error = insert_word(result, r >= 0 ? pending_place_of(in, r) : PENDING_NOWHERE);
	size_t at = result->word_count;
	if (error == OBJECT_OK)
		error = insert_word(result, 0);
	if (error == OBJECT_OK)
		error = pending_put_codes(result, 0, p->edge, n->numbering.graph.first[f->block_count]);
	if (error == OBJECT_OK)
		error = pending_put_codes(result, PENDING_LEAVE, p->leave, f->block_count);
	if (error == OBJECT_OK)
		error = pending_put_codes(result, PENDING_ENTER, p->enter, f->block_count);
	if (error == OBJECT_OK)
		result->words[at] = (uint32_t)(result->word_count - at - 1) / 3;
	at = result->word_count;
	if (error == OBJECT_OK)
		error = insert_word(result, 0);
	for (uint32_t b = 0; b < f->block_count && vars != NULL && error == OBJECT_OK; b++) {
		int64_t unused;
		if (vars[b] == r)
			continue;
		result->words[at]++;
		error = insert_word(result, b);
		if (error == OBJECT_OK)
			error = insert_word(result, inserter_place(in, vars[b], &unused));
	}
	at = result->word_count;
	if (error == OBJECT_OK)
		error = insert_word(result, 0);
	for (uint32_t b = 0; b < f->block_count && error == OBJECT_OK; b++) {
		const struct insert_self_kept *kept = &loops->kept[b];
		if (!loops->is[b])
			continue;
		result->words[at]++;
		const uint32_t words[] = {
		    b, kept->self, pending_place_of(in, kept->var), kept->x, (uint32_t)kept->step};
		for (unsigned k = 0; k < 5 && error == OBJECT_OK; k++)
			error = insert_word(result, words[k]);
	}
	return error;
}

/* ---------------------------------------------------------------- reading */
struct reader {
	const uint32_t *words;
	uint32_t count, at;
	bool bad;
};

static uint32_t read_pending_word(struct reader *r)
{
	if (r->at < r->count)
		return r->words[r->at++];
	r->bad = true;
	return 0;
}

static void read_code(struct reader *r, struct pending *p, const struct map_function *f)
{
	uint32_t where = read_pending_word(r), what = read_pending_word(r),
		 kind = where & (PENDING_LEAVE | PENDING_ENTER);
	uint32_t i = where & ~(PENDING_LEAVE | PENDING_ENTER);
	const struct place_code code = {(uint8_t)(what & 255), (uint8_t)(what >> 8), 0, (int32_t)read_pending_word(r)};
	struct place_code *codes = kind == PENDING_LEAVE ? p->leave : p->enter;
	uint32_t room = f->block_count;
	if (kind == 0) {
		codes = p->edge;
		room = f->edge_count;
	}
	if (i >= room || code.step > PLACE_ADD || code.count > PLACE_COUNT_AT)
		r->bad = true;
	else
		codes[i] = code;
}

int pending_read(struct pending *p, const struct map *m, const struct map_function *f)
{
	struct reader r = {m->words + f->words, f->word_count, 0, false};
	*p = (struct pending){.edge = calloc(f->edge_count + 1u, sizeof *p->edge),
	    .leave = calloc(f->block_count + 1u, sizeof *p->leave),
	    .enter = calloc(f->block_count + 1u, sizeof *p->enter),
	    .elsewhere = calloc(f->block_count + 1u, sizeof *p->elsewhere),
	    .loops = calloc(f->block_count + 1u, sizeof *p->loops)};
	if (p->edge == NULL || p->leave == NULL || p->enter == NULL || p->elsewhere == NULL || p->loops == NULL) {
		pending_free(p);
		return MAP_ENOMEM;
	}
	p->place = read_pending_word(&r);
	for (uint32_t left = read_pending_word(&r); left > 0 && !r.bad; left--)
		read_code(&r, p, f);
	for (uint32_t left = read_pending_word(&r); left > 0 && !r.bad; left--) {
		uint32_t b = read_pending_word(&r), reg = read_pending_word(&r);
		if (b < f->block_count && reg < 32)
			p->elsewhere[b] = (uint8_t)reg;
		else
			r.bad = true;
	}
	for (uint32_t left = read_pending_word(&r); left > 0 && !r.bad; left--) {
		struct pending_loop loop = {.block = read_pending_word(&r)};
		loop.self = read_pending_word(&r);
		loop.place = read_pending_word(&r);
		loop.x = read_pending_word(&r);
		loop.step = (int32_t)read_pending_word(&r);
		r.bad = r.bad || loop.block >= f->block_count || p->loop_count == f->block_count;
		if (!r.bad)
			p->loops[p->loop_count++] = loop;
	}
	if (!r.bad)
		return MAP_OK;
	pending_free(p);
	return MAP_EFORMAT;
}

void pending_free(struct pending *p)
{
	free(p->edge);
	free(p->leave);
	free(p->enter);
	free(p->elsewhere);
	free(p->loops);
	*p = (struct pending){0};
}

struct sum {
	int64_t r;
	bool known;
};

/* PENDING_COUNTED: it does not count. */
static enum pending_end apply_place(const struct place_code *code, struct sum *sum, int64_t *number)
{
	if (code->count == PLACE_COUNT) {
		*number = code->value;
		return PENDING_NUMBER;
	}
	if (code->count == PLACE_COUNT_AT) {
		*number = sum->r + code->value;
		return sum->known ? PENDING_NUMBER : PENDING_UNKNOWN;
	}
	if (code->step == PLACE_SET)
		*sum = (struct sum){code->value, true};
	else if (code->step == PLACE_ADD)
		sum->r += code->value;
	return PENDING_COUNTED;
}

uint32_t pending_where(const struct pending *p, uint32_t v)
{
	return p->elsewhere[v] != 0 ? PENDING_REGISTER | (uint32_t)p->elsewhere[v] << 8 : p->place;
}

enum pending_end pending_number(
    const struct pending *p, const struct numbering *n, uint32_t v, const int64_t *r, int64_t *number)
{
	const struct numbering_graph *g = &n->graph;
	struct sum sum = {r != NULL ? *r : 0, r != NULL};
	for (uint32_t left = g->count; left > 0; left--) {
		if (n->leave[v] != NUMBERING_NONE)
			return apply_place(&p->leave[v], &sum, number);
		uint32_t e = g->first[v];
		while (e < g->first[v + 1] && n->kind[e] != NUMBERING_PLAIN)
			e++;
		if (e == g->first[v + 1])
			return PENDING_COUNTED;
		enum pending_end end = apply_place(&p->edge[e], &sum, number);
		if (end != PENDING_COUNTED || g->to[e] == NUMBERING_EXIT)
			return end;
		v = g->to[e];
	}
	return PENDING_COUNTED;
}

bool pending_sum(const struct pending *p, uint32_t v, const uint32_t *edges, uint32_t length, uint32_t base, int64_t *r)
{
	struct sum sum = {0, false};
	int64_t unused;
	apply_place(&p->enter[v], &sum, &unused);
	for (uint32_t i = 0; i < length; i++)
		apply_place(&p->edge[edges[i] - base], &sum, &unused);
	*r = sum.r;
	return sum.known;
}
