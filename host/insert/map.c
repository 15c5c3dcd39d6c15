/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/map.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- writing */
static uint8_t *more_map_bytes(struct map_writer *w, size_t size)
{
	if (w->size + size > w->room) {
		size_t room = w->room + w->room / 2 + size + 256;
		uint8_t *bytes = realloc(w->bytes, room);
		if (bytes == NULL) {
			w->failed = true;
			return NULL;
		}
		w->bytes = bytes;
		w->room = room;
	}
	uint8_t *at = w->bytes + w->size;
	memset(at, 0, size);
	w->size += size;
	return at;
}

void map_word(struct map_writer *w, uint32_t value)
{
	uint8_t *at = more_map_bytes(w, 4);
	if (at != NULL)
		memcpy(at, &value, 4);
}

void map_string(struct map_writer *w, const char *text)
{
	size_t length = strlen(text);
	map_word(w, (uint32_t)length);
	uint8_t *at = more_map_bytes(w, (length + 3) / 4 * 4);
	if (at != NULL)
		memcpy(at, text, length);
}

void map_address(struct map_writer *w, unsigned xlen, uint32_t section, uint64_t offset, enum map_which which)
{
	if (w->address_count == w->address_room) {
		size_t room = 2 * w->address_room + 64;
		void *moved = realloc(w->addresses, room * sizeof *w->addresses);
		if (moved == NULL) {
			w->failed = true;
			return;
		}
		w->addresses = moved;
		w->address_room = room;
	}
	size_t i = w->address_count++;
	w->addresses[i].at = w->size;
	w->addresses[i].section = section;
	w->addresses[i].offset = offset;
	w->addresses[i].which = (uint8_t)which;
	w->addresses[i].flags = 0;
	more_map_bytes(w, xlen / 8);
}

/* ---------------------------------------------------------------- reading */
static int grow_map(void **items, size_t *size, size_t count, size_t item)
{
	if (count < *size)
		return MAP_OK;
	size_t larger = *size + *size / 2 + 64;
	void *moved = realloc(*items, larger * item);
	if (moved == NULL)
		return MAP_ENOMEM;
	*items = moved;
	*size = larger;
	return MAP_OK;
}
#define GROW(items, size, count) grow_map((void **)&(items), &(size), (count), sizeof *(items))

struct reader {
	const uint8_t *bytes;
	size_t at, end;
	bool bad;
};

static uint32_t read_map_word(struct reader *r)
{
	uint32_t value = 0;
	if (r->end - r->at < 4)
		r->bad = true;
	else {
		memcpy(&value, r->bytes + r->at, 4);
		r->at += 4;
	}
	return value;
}

static uint64_t read_map_address(struct reader *r, unsigned xlen, uint64_t bias)
{
	uint64_t value = read_map_word(r);
	value = xlen == 64 ? value | (uint64_t)read_map_word(r) << 32 : value;
	return value == 0 ? 0 : value + bias;
}

static const char *read_map_string(struct map *m, struct reader *r)
{
	size_t length = read_map_word(r), room = (length + 3) / 4 * 4;
	if (r->bad || room > r->end - r->at) {
		r->bad = true;
		return "";
	}
	char *text = malloc(length + 1);
	if (text == NULL || GROW(m->strings, m->string_size, m->string_count) != MAP_OK) {
		free(text);
		r->bad = true;
		return "";
	}
	memcpy(text, r->bytes + r->at, length);
	text[length] = '\0';
	r->at += room;
	return m->strings[m->string_count++] = text;
}

static int read_function(struct map *m, struct reader *r, unsigned xlen)
{
	struct map_function f = {.object = (uint32_t)m->object_count - 1};
	f.name = read_map_string(m, r);
	f.flags = read_map_word(r);
	f.first = read_map_word(r);
	f.counters = read_map_word(r);
	f.limit = read_map_word(r);
	f.word_count = read_map_word(r);
	f.words = (uint32_t)m->word_count;
	for (uint32_t i = 0; i < f.word_count && !r->bad; i++) {
		if (GROW(m->words, m->word_size, m->word_count) != MAP_OK)
			return MAP_ENOMEM;
		m->words[m->word_count++] = read_map_word(r);
	}
	f.site_count = read_map_word(r);
	f.sites = (uint32_t)m->site_count;
	for (uint32_t i = 0; i < f.site_count && !r->bad; i++) {
		if (GROW(m->sites, m->site_size, m->site_count) != MAP_OK)
			return MAP_ENOMEM;
		m->sites[m->site_count++] = read_map_address(r, xlen, m->bias);
	}
	f.block_count = read_map_word(r);
	f.edge_count = read_map_word(r);
	f.blocks = (uint32_t)m->block_count;
	f.edges = (uint32_t)m->edge_count;
	for (uint32_t b = 0; b < f.block_count && !r->bad; b++) {
		struct map_block block = {.edges = (uint32_t)m->edge_count};
		block.first = read_map_address(r, xlen, m->bias);
		block.last = read_map_address(r, xlen, m->bias);
		block.flags = read_map_word(r);
		block.edge_count = read_map_word(r);
		block.run_count = read_map_word(r);
		block.runs = (uint32_t)m->run_count;
		r->bad = r->bad || ((block.flags & MAP_PADDED) != 0 && block.run_count == 0);
		uint32_t falls = 0;
		for (uint32_t e = 0; e < block.edge_count && !r->bad; e++) {
			struct graph_edge edge = {.to = read_map_word(r)};
			edge.kind = (uint8_t)read_map_word(r);
			r->bad = r->bad || (edge.to != GRAPH_NONE && edge.to >= f.block_count) ||
				 edge.kind > GRAPH_NO_RETURN;
			if (GROW(m->edges, m->edge_size, m->edge_count) != MAP_OK)
				return MAP_ENOMEM;
			m->edges[m->edge_count++] = edge;
			falls += edge.kind == GRAPH_FALL || edge.kind == GRAPH_TAIL_FALL;
		}
		/* padding is on one of several ways */
		r->bad = r->bad || ((block.flags & MAP_PADDED) != 0 && block.edge_count > 1 && falls != 1);
		for (uint32_t i = 0; i < block.run_count && !r->bad; i++) {
			struct map_run run = {.start = read_map_address(r, xlen, m->bias)};
			run.end = read_map_address(r, xlen, m->bias);
			if (GROW(m->runs, m->run_size, m->run_count) != MAP_OK)
				return MAP_ENOMEM;
			m->runs[m->run_count++] = run;
		}
		if (GROW(m->blocks, m->block_size, m->block_count) != MAP_OK)
			return MAP_ENOMEM;
		m->blocks[m->block_count++] = block;
	}
	if (r->bad || m->edge_count - f.edges != f.edge_count)
		return MAP_EFORMAT;
	f.address = f.block_count > 0 ? m->blocks[f.blocks].first : 0;
	if (GROW(m->functions, m->function_size, m->function_count) != MAP_OK)
		return MAP_ENOMEM;
	m->functions[m->function_count++] = f;
	return MAP_OK;
}

static int read_part(struct map *m, struct reader *r)
{
	struct map_object o = {.functions = (uint32_t)m->function_count};
	if (read_map_word(r) != MAP_VERSION)
		return MAP_EFORMAT;
	o.mode = read_map_word(r);
	o.form = read_map_word(r);
	o.width = read_map_word(r);
	uint32_t xlen = read_map_word(r);
	o.id = read_map_word(r);
	o.id |= (uint64_t)read_map_word(r) << 32;
	o.counters = read_map_word(r);
	o.function_count = read_map_word(r);
	if (GROW(m->objects, m->object_size, m->object_count) != MAP_OK)
		return MAP_ENOMEM;
	o.name = read_map_string(m, r);
	if (r->bad || (xlen != 32 && xlen != 64) || (m->xlen != 0 && m->xlen != xlen))
		return MAP_EFORMAT;
	m->xlen = xlen;
	m->objects[m->object_count++] = o;
	int error = MAP_OK;
	for (uint32_t i = 0; i < o.function_count && error == MAP_OK; i++)
		error = read_function(m, r, xlen);
	if (error != MAP_OK)
		return error;
	struct map_object *read = &m->objects[m->object_count - 1];
	read->nears = (uint32_t)m->near_count;
	read->near_count = read_map_word(r);
	for (uint32_t i = 0; i < read->near_count && !r->bad; i++) {
		if (GROW(m->nears, m->near_size, m->near_count) != MAP_OK)
			return MAP_ENOMEM;
		struct map_near near = {.first = read_map_word(r)};
		near.count = read_map_word(r);
		m->nears[m->near_count++] = near;
	}
	return r->bad ? MAP_EFORMAT : MAP_OK;
}

int map_add(struct map *m, const void *bytes, size_t size, uint64_t bias, uint64_t *salt)
{
	struct reader r = {.bytes = bytes, .end = size};
	const size_t first = m->object_count;
	int error = MAP_OK;
	m->bias = bias;
	*salt = 0;
	while (error == MAP_OK && r.end - r.at >= 8) {
		uint32_t magic = read_map_word(&r);
		if (magic != MAP_MAGIC && magic != MAP_SALT)
			continue; /* padding of the linker */
		size_t length = read_map_word(&r);
		if (length > r.end - r.at)
			return MAP_EFORMAT;
		struct reader part = {.bytes = bytes, .at = r.at, .end = r.at + length};
		if (magic == MAP_MAGIC)
			error = read_part(m, &part);
		else
			*salt = read_map_address(&part, 64, 0);
		r.at += length;
	}
	for (size_t i = first; i < m->object_count; i++)
		m->objects[i].id ^= *salt;
	return error;
}

int map_open(struct map **out, const void *bytes, size_t size)
{
	struct map *m = calloc(1, sizeof *m);
	uint64_t salt;
	int error = m == NULL ? MAP_ENOMEM : map_add(m, bytes, size, 0, &salt);
	*out = error == MAP_OK ? m : NULL;
	if (error != MAP_OK)
		map_close(m);
	return error;
}

void map_close(struct map *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->function_count; i++) {
		numbering_free(&m->functions[i].numbering);
		free(m->functions[i].graph_first);
		free(m->functions[i].graph_to);
		free(m->functions[i].graph_root);
	}
	for (size_t i = 0; i < m->string_count; i++)
		free(m->strings[i]);
	free(m->strings);
	free(m->objects);
	free(m->functions);
	free(m->blocks);
	free(m->edges);
	free(m->words);
	free(m->nears);
	free(m->runs);
	free(m->sites);
	free(m);
}

int map_add_functions(struct map *m, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (GROW(m->functions, m->function_size, m->function_count) != MAP_OK)
			return MAP_ENOMEM;
		m->functions[m->function_count++] = (struct map_function){.name = names[i]};
	}
	return MAP_OK;
}

int map_add_graph(struct map *m, uint32_t like, const struct numbering_graph *g, const uint32_t *blocks)
{
	struct map_function f = m->functions[like];
	f.address = 0;
	f.numbering = (struct numbering){0};
	f.graph_first = f.graph_to = NULL;
	f.graph_root = NULL;
	f.blocks = (uint32_t)m->block_count;
	f.edges = (uint32_t)m->edge_count;
	f.block_count = g->count;
	f.edge_count = g->first[g->count];
	for (uint32_t v = 0; v < g->count; v++) {
		struct map_block block = {0};
		if (blocks[v] != 0)
			block = m->blocks[blocks[v] - 1];
		block.edges = f.edges + g->first[v];
		block.edge_count = g->first[v + 1] - g->first[v];
		if (GROW(m->blocks, m->block_size, m->block_count) != MAP_OK)
			return MAP_ENOMEM;
		m->blocks[m->block_count++] = block;
	}
	for (uint32_t e = 0; e < f.edge_count; e++) {
		if (GROW(m->edges, m->edge_size, m->edge_count) != MAP_OK)
			return MAP_ENOMEM;
		m->edges[m->edge_count++] =
		    (struct graph_edge){.to = g->to[e] == NUMBERING_EXIT ? GRAPH_NONE : g->to[e], .kind = GRAPH_JUMP};
	}
	if (GROW(m->functions, m->function_size, m->function_count) != MAP_OK)
		return MAP_ENOMEM;
	m->functions[m->function_count++] = f;
	return MAP_OK;
}

const struct map_object *map_object(const struct map *m, uint64_t id)
{
	for (size_t i = 0; i < m->object_count; i++) {
		if ((m->objects[i].id | MAP_NEAR) == (id | MAP_NEAR))
			return &m->objects[i];
	}
	return NULL;
}

uint64_t map_counter(const struct map *m, const struct map_object *o, uint64_t id, uint64_t index)
{
	if (id == o->id)
		return index;
	for (const struct map_near *n = m->nears + o->nears; n < m->nears + o->nears + o->near_count; n++) {
		if (index < n->count)
			return n->first + index;
		index -= n->count;
	}
	return UINT64_MAX;
}

int map_number(struct map *m, uint32_t function)
{
	struct map_function *f = &m->functions[function];
	if (f->graph_first != NULL)
		return MAP_OK;
	f->graph_first = malloc((f->block_count + 1u) * sizeof *f->graph_first);
	f->graph_to = malloc((f->edge_count + 1u) * sizeof *f->graph_to);
	f->graph_root = calloc(f->block_count + 1u, sizeof *f->graph_root);
	if (f->graph_first == NULL || f->graph_to == NULL || f->graph_root == NULL)
		return MAP_ENOMEM;
	for (uint32_t b = 0; b < f->block_count; b++) {
		f->graph_first[b] = m->blocks[f->blocks + b].edges - f->edges;
		f->graph_root[b] = (m->blocks[f->blocks + b].flags & MAP_ROOT) != 0;
	}
	f->graph_first[f->block_count] = f->edge_count;
	for (uint32_t e = 0; e < f->edge_count; e++) {
		uint32_t to = m->edges[f->edges + e].to;
		f->graph_to[e] = to == GRAPH_NONE ? NUMBERING_EXIT : to;
	}
	const struct numbering_graph graph = {
	    .count = f->block_count, .entry = 0, .first = f->graph_first, .to = f->graph_to, .root = f->graph_root};
	if (numbering_make(&f->numbering, &graph, f->limit) != NUMBERING_OK)
		return MAP_ENOMEM;
	const bool first = (f->flags & MAP_FIRST) != 0;
	return first && numbering_small_first(&f->numbering) != NUMBERING_OK ? MAP_ENOMEM : MAP_OK;
}

uint64_t map_counted_paths(const struct map_function *f)
{
	if ((f->flags & MAP_HASHED) == 0)
		return f->numbering.paths;
	return (f->flags & MAP_FIRST) != 0 && f->counters > f->numbering.self ? f->counters - f->numbering.self : 0;
}

bool map_is_edited(const struct map *map)
{
	for (size_t i = 0; map != NULL && i < map->object_count; i++) {
		if (map->objects[i].form == MAP_EDITED)
			return true;
	}
	return false;
}
