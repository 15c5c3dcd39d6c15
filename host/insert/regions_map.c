/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/regions_map.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HAS_NAMES (UINT32_C(1) << 16)
#define HAS_TABLE (UINT32_C(1) << 17)

uint64_t regions_map_places(
    const struct regions *r, const struct regions_values *values, uint64_t array, uint64_t *places)
{
	uint64_t used = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		places[i] = values->paths[i] > array ? REGIONS_HASHED : used;
		used += values->paths[i] > array ? 0 : values->paths[i];
	}
	return used;
}

static const char *region_name_of(const struct regions *r, const struct regions_names *names, uint32_t region)
{
	uint32_t tag = r->all[region].tag;
	return names != NULL && tag < names->count ? names->names[tag].name : NULL;
}

static int write_region_name(struct insert_result *result, const char *name)
{
	size_t length = name == NULL ? 0 : strlen(name);
	int error = insert_word(result, (uint32_t)length);
	for (size_t at = 0; at < length && error == OBJECT_OK; at += 4) {
		uint32_t word = 0;
		for (size_t i = at; i < at + 4 && i < length; i++)
			word |= (uint32_t)(uint8_t)name[i] << 8 * (i - at);
		error = insert_word(result, word);
	}
	return error;
}

int regions_map_write(struct insert_result *result, const struct regions *r, const struct regions_map_how *how)
{
	bool named = false, table = how->array != REGIONS_NO_TABLE;
	for (uint32_t i = 0; i < r->count; i++)
		named = named || region_name_of(r, how->names, i) != NULL;
	int error = insert_word(
	    result, how->embodiment | how->representative << 8 | (named ? HAS_NAMES : 0) | (table ? HAS_TABLE : 0));
	if (error == OBJECT_OK)
		error = insert_word(result, r->count);
	if (error == OBJECT_OK && table)
		error = insert_word(result, (uint32_t)how->array);
	for (uint32_t i = 1; i < r->count && error == OBJECT_OK; i++) {
		error = insert_word(result, r->all[i].parent);
		if (error == OBJECT_OK)
			error = insert_word(result, r->all[i].kind | r->all[i].head << 8);
	}
	for (uint32_t v = 0; v < r->graph.count && error == OBJECT_OK; v++)
		error = insert_word(result, r->of[v]);
	for (uint32_t i = 0; i < r->count && error == OBJECT_OK && named; i++)
		error = write_region_name(result, region_name_of(r, how->names, i));
	return error;
}

/* The names, from `count` words that are all theirs. */
static int read_names(struct regions_map *m, uint32_t regions, const uint32_t *words, uint32_t count)
{
	uint32_t at = 0;
	m->names = calloc(regions, sizeof *m->names);
	m->name_count = regions;
	if (m->names == NULL)
		return MAP_ENOMEM;
	for (uint32_t i = 0; i < regions; i++) {
		uint32_t length = at < count ? words[at++] : UINT32_MAX;
		if (length > 4 * (uint64_t)(count - at))
			return MAP_EFORMAT;
		m->names[i] = length == 0 ? NULL : calloc((size_t)length + 1, 1);
		if (length > 0 && m->names[i] == NULL)
			return MAP_ENOMEM;
		for (uint32_t k = 0; k < length; k++) {
			int c = (int)(words[at + k / 4] >> 8 * (k % 4) & 0xFF);
			if (c > 0x7E || (!isalnum(c) && (c == 0 || strchr("_.-", c) == NULL))) /* as in names.h */
				return MAP_EFORMAT;
			m->names[i][k] = (char)c;
		}
		at += (length + 3) / 4;
	}
	return at == count ? MAP_OK : MAP_EFORMAT;
}

/* Adds the regions that the words say. */
static int add_regions(struct regions *r, const uint32_t *words, uint32_t count, uint32_t blocks)
{
	const uint32_t *of = words + 2 * (count - 1);
	uint32_t *set = malloc((blocks + 1u) * sizeof *set), found;
	int error = set == NULL ? MAP_ENOMEM : MAP_OK;
	for (uint32_t i = 1; i < count && error == MAP_OK; i++) {
		if (words[2 * (i - 1)] >= i)
			error = MAP_EFORMAT;
	}
	for (uint32_t v = 0; v < blocks && error == MAP_OK; v++) {
		if (of[v] >= count)
			error = MAP_EFORMAT;
	}
	for (uint32_t i = 1; i < count && error == MAP_OK; i++) {
		uint32_t size = 0;
		for (uint32_t v = 0; v < blocks; v++) {
			uint32_t at = of[v];
			while (at > i)
				at = words[2 * (at - 1)];
			if (at == i)
				set[size++] = v;
		}
		int added = regions_add(r,
		    &(struct regions_new){set, size, words[2 * (i - 1) + 1] & 0xFF, words[2 * (i - 1) + 1] >> 8, i},
		    &found);
		if (added == REGIONS_ENOMEM)
			error = MAP_ENOMEM;
		else if (added != REGIONS_OK)
			error = MAP_EFORMAT;
		else
			error = MAP_OK;
	}
	free(set);
	return error;
}

/* What is under way in each, from that word of the function's on. */
static int read_region_pending(struct regions_map *m, const struct map *map, const struct map_function *f, uint32_t at)
{
	const uint32_t *words = map->words + f->words;
	const uint32_t regions = words[1];
	m->pending = calloc(regions, sizeof *m->pending);
	if (m->pending == NULL)
		return MAP_ENOMEM;
	for (uint32_t i = 0; i < regions; i++) {
		if (f->word_count - at < 2 || words[at + 1] > f->word_count - at - 2)
			return MAP_EFORMAT;
		m->pending[i] = (struct regions_pending){words[at], f->words + at + 2, words[at + 1]};
		at += 2 + words[at + 1];
	}
	return at == f->word_count ? MAP_OK : MAP_EFORMAT;
}

int regions_map_open(struct regions_map *m, const struct map *map, uint32_t function)
{
	const struct map_function *f = &map->functions[function];
	const uint32_t *words = map->words + f->words;
	*m = (struct regions_map){0};
	if (f->word_count < 2 || words[1] == 0 || words[1] > f->block_count + 1u || f->graph_first == NULL)
		return MAP_EFORMAT;
	m->hashed = (words[0] & HAS_TABLE) != 0;
	uint32_t head = m->hashed ? 3 : 2;
	const uint32_t before = head + 2 * (words[1] - 1) + f->block_count;
	bool named = (words[0] & HAS_NAMES) != 0;
	uint32_t names = 0;
	for (uint32_t i = 0; i < words[1] && named && before + names < f->word_count; i++)
		names += 1 + (words[before + names] + 3) / 4;
	if (before > f->word_count || names > f->word_count - before)
		return MAP_EFORMAT;
	unsigned embodiment = words[0] & 0xFF;
	const struct regions_global_options options = {.representative = (uint8_t)(words[0] >> 8)};
	const struct numbering_graph graph = {
	    .count = f->block_count, .entry = 0, .first = f->graph_first, .to = f->graph_to, .root = f->graph_root};
	int error = regions_open(&m->regions, &graph, f->limit) == REGIONS_OK ? MAP_OK : MAP_ENOMEM;
	if (error == MAP_OK && named)
		error = read_names(m, words[1], words + before, names);
	if (error == MAP_OK)
		error = read_region_pending(m, map, f, before + names);
	if (error == MAP_OK)
		error = add_regions(&m->regions, words + head, words[1], f->block_count);
	if (error == MAP_OK && regions_close(&m->regions) != REGIONS_OK)
		error = MAP_ENOMEM;
	if (error == MAP_OK && embodiment == INSERT_REGION_BASED)
		error = regions_values_make(&m->values, &m->regions) == REGIONS_OK ? MAP_OK : MAP_ENOMEM;
	else if (error == MAP_OK)
		error = embodiment == INSERT_GLOBAL_BASED &&
				regions_global_make(&m->global, &m->regions, &options) == REGIONS_OK
			    ? MAP_OK
			    : MAP_EFORMAT;
	if (error == MAP_OK && m->hashed && embodiment == INSERT_REGION_BASED) {
		m->place = malloc(m->regions.count * sizeof *m->place);
		if (m->place == NULL)
			error = MAP_ENOMEM;
		else
			regions_map_places(&m->regions, &m->values, words[2], m->place);
	}
	if (error != MAP_OK)
		regions_map_close(m);
	return error;
}

void regions_map_close(struct regions_map *m)
{
	for (uint32_t i = 0; i < m->name_count && m->names != NULL; i++)
		free(m->names[i]);
	free(m->names);
	free(m->place);
	free(m->pending);
	m->pending = NULL;
	m->names = NULL;
	m->place = NULL;
	m->name_count = 0;
	if (m->global.regions != NULL)
		regions_global_free(&m->global);
	regions_values_free(&m->values);
	regions_free(&m->regions);
}

uint64_t regions_map_number(
    const struct regions *r, uint32_t region, const uint32_t *nodes, uint32_t length, uint64_t *sum)
{
	const struct region *own = &r->all[region];
	const struct numbering *n = &own->numbering;
	const uint32_t last = nodes[length - 1];
	*sum = 0;
	for (uint32_t i = 0; i + 1 < length; i++) {
		for (uint32_t e = n->graph.first[nodes[i]]; e < n->graph.first[nodes[i] + 1]; e++) {
			if (n->graph.to[e] == nodes[i + 1] && n->kind[e] == NUMBERING_PLAIN) {
				*sum += n->value[e];
				break;
			}
		}
	}
	*sum += r->exit[own->nodes + last] ? n->value[n->graph.first[last]] : n->leave[last];
	return n->enter[nodes[0]] + *sum;
}

/* The region whose array has a counter; *number becomes that of the path in it. */
static bool find_array(const struct regions_map *m, uint64_t *number, uint32_t *region)
{
	for (uint32_t i = 0; i < m->regions.count; i++) {
		if (m->place[i] != REGIONS_HASHED && *number >= m->place[i] &&
		    *number - m->place[i] < m->values.paths[i]) {
			*number -= m->place[i];
			*region = i;
			return true;
		}
	}
	return false;
}

int regions_map_path(const struct regions_map *m, const struct regions_map_counter *counter, uint32_t *region,
    uint32_t *nodes, uint32_t max, uint32_t *length)
{
	const bool in_table = counter->in_table;
	uint64_t number = counter->number;
	if (in_table && !m->hashed)
		return REGIONS_EPATH;
	if (m->global.regions != NULL)
		return in_table != m->hashed ? REGIONS_EPATH
					     : regions_global_path(&m->global, number, region, nodes, max, length);
	if (m->place != NULL && !in_table)
		return find_array(m, &number, region) ? regions_path(&m->regions, *region, number, nodes, max, length)
						      : REGIONS_EPATH;
	uint32_t low = 0, high = m->regions.count;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (m->values.base[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	if (in_table && m->place[low] != REGIONS_HASHED)
		return REGIONS_EPATH;
	*region = low;
	return regions_path(&m->regions, low, number - m->values.base[low], nodes, max, length);
}
