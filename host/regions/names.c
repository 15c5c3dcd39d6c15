/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/regions/names.h"
#include "host/base/order.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define WORDS 5
#define PLACES 16 /* levels of inlining that are looked at */

struct reader {
	struct regions_names *n;
	struct cited_code cited;
};

void regions_names_free(struct regions_names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->names[i].name);
	for (size_t i = 0; i < n->part_count; i++)
		free(n->parts[i].vertices);
	free(n->names);
	free(n->parts);
	*n = (struct regions_names){0};
}

/* ---- parts */

/* Adds a part for a function; its vertices are those that inside[] marks, of the whole function if there is none. */
static int add_region_part(struct reader *r, uint32_t function, const bool *inside)
{
	const struct cfg_function *f = &r->cited.cfg->functions[function];
	struct regions_named part = {.function = function, .name = (uint32_t)r->n->count - 1};
	if (!array_room(&r->n->parts, r->n->part_count + 1, &r->n->part_room))
		return NAMES_ENOMEM;
	if (inside != NULL) {
		part.vertices = malloc((f->block_count + 1u) * sizeof *part.vertices);
		if (part.vertices == NULL)
			return NAMES_ENOMEM;
		for (uint32_t b = 0; b < f->block_count; b++) {
			if (inside[f->blocks + b])
				part.vertices[part.count++] = b;
		}
		if (part.count == f->block_count)
			part.count = 0;
	}
	r->n->parts[r->n->part_count++] = part;
	return NAMES_OK;
}

static int name_loop(struct reader *r, uint32_t function, const char *text, bool *inside)
{
	const struct cfg *cfg = r->cited.cfg;
	const struct cfg_function *f = &cfg->functions[function];
	const uint32_t loop = cited_loop(&r->cited, function, text);
	if (loop == CFG_NONE)
		return NAMES_EFILE;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
		inside[b] = cfg_in_loop(cfg, b, loop);
	return add_region_part(r, function, inside);
}

/* One part for each function that has marked blocks; *parts: so many. */
static int add_marked(struct reader *r, const bool *inside, unsigned *parts)
{
	int error = NAMES_OK;
	*parts = 0;
	for (uint32_t i = 0; i < r->cited.cfg->counts.functions && error == NAMES_OK; i++) {
		const struct cfg_function *f = &r->cited.cfg->functions[i];
		bool any = false;
		for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++)
			any = any || inside[b];
		if (any && ++*parts > 0)
			error = add_region_part(r, i, inside);
	}
	return error;
}

static int name_lines(struct reader *r, char *text, bool *inside)
{
	const struct cfg *cfg = r->cited.cfg;
	char *colon = strrchr(text, ':'), *end = NULL, *last_end = NULL;
	unsigned parts, known = 0;
	uint64_t first = colon != NULL ? strtoull(colon + 1, &end, 10) : 0;
	uint64_t last = end != NULL && *end == '-' ? strtoull(end + 1, &last_end, 10) : first;
	if (end != NULL && *end == '\0')
		last_end = end; /* one line */
	if (colon == NULL || last_end == NULL || *last_end != '\0' || first == 0 || last < first)
		return cited_wrong(
		    &r->cited, "`%s' is no range of lines: FILE:FIRST-LAST or FILE:LINE is expected", text);
	*colon = '\0';
	for (uint32_t b = 0; b < cfg->counts.blocks; b++) {
		struct image_place places[PLACES];
		size_t count = image_places(cfg->image, cfg->blocks[b].start, places, PLACES);
		for (size_t i = 0; i < count; i++) {
			if (places[i].file == NULL || !cited_file(places[i].file, text))
				continue;
			known++;
			inside[b] = inside[b] || (places[i].line >= first && places[i].line <= last);
		}
	}
	int error = add_marked(r, inside, &parts);
	if (error != NAMES_OK || parts > 0)
		return error;
	return known == 0 ? cited_wrong(&r->cited, "no code comes from a file %s (is the program built with -g?)", text)
			  : cited_wrong(&r->cited, "no block of code begins in lines %" PRIu64 " to %" PRIu64 " of %s",
				first, last, text);
}

static int name_addresses(struct reader *r, const char *text, bool *inside)
{
	const struct cfg *cfg = r->cited.cfg;
	char *end, *last_end = NULL;
	unsigned parts;
	uint64_t first = strtoull(text, &end, 0);
	uint64_t last = *end == '-' ? strtoull(end + 1, &last_end, 0) : 0;
	if (last_end == NULL || *last_end != '\0' || last < first)
		return cited_wrong(&r->cited, "`%s' is no range of addresses: 0xFIRST-0xLAST is expected", text);
	for (uint32_t b = 0; b < cfg->counts.blocks; b++)
		inside[b] = cfg->blocks[b].start >= first && cfg->blocks[b].start <= last;
	int error = add_marked(r, inside, &parts);
	if (error == NAMES_OK && parts == 0)
		return cited_wrong(&r->cited, "no block of code begins from 0x%" PRIx64 " to 0x%" PRIx64, first, last);
	if (error == NAMES_OK && parts > 1)
		return cited_wrong(&r->cited,
		    "0x%" PRIx64 " to 0x%" PRIx64 " is code of %u functions; a region lies in one", first, last, parts);
	return error;
}

/* ---- lines of the file */

static int add_name(struct reader *r, const char *name)
{
	struct regions_names *n = r->n;
	for (const char *c = name; *c != '\0'; c++) {
		if (!isalnum((unsigned char)*c) && strchr("_.-", *c) == NULL)
			return cited_wrong(&r->cited, "`%s' is no name: letters, digits, `_', `.' and `-' are", name);
	}
	for (size_t i = 0; i < n->count; i++) {
		if (strcmp(n->names[i].name, name) == 0)
			return cited_wrong(&r->cited, "`%s' is named already, in line %u", name, n->names[i].line);
	}
	if (!array_room(&n->names, n->count + 1, &n->room))
		return NAMES_ENOMEM;
	n->names[n->count] = (struct regions_name){strdup(name), r->cited.line};
	return n->names[n->count++].name == NULL ? NAMES_ENOMEM : NAMES_OK;
}

static int read_region_line(struct reader *r, char *text, bool *inside)
{
	char *words[WORDS], *state = NULL;
	unsigned count = 0;
	text[strcspn(text, "#")] = '\0';
	for (char *word = strtok_r(text, " \t\r", &state); word != NULL; word = strtok_r(NULL, " \t\r", &state)) {
		if (count == WORDS)
			return cited_wrong(
			    &r->cited, "`%s' is too much; a line is NAME = function|loop|lines|addresses ...", word);
		words[count++] = word;
	}
	if (count == 0)
		return NAMES_OK;
	if (count == 2 && strcmp(words[0], "find") == 0) {
		unsigned what = 0;
		if (strcmp(words[1], "loops") == 0)
			what = REGIONS_FIND_LOOPS;
		else if (strcmp(words[1], "hammocks") == 0)
			what = REGIONS_FIND_HAMMOCKS;
		r->n->find |= what;
		return what != 0 ? NAMES_OK
				 : cited_wrong(&r->cited, "find %s: loops or hammocks is expected", words[1]);
	}
	if (count < 4 || strcmp(words[1], "=") != 0)
		return cited_wrong(&r->cited,
		    "NAME = function FUNCTION, NAME = loop FUNCTION LOOP, NAME = lines FILE:FIRST-LAST, "
		    "NAME = addresses "
		    "FIRST-LAST, find loops or find hammocks is expected");
	int error = add_name(r, words[0]);
	bool loop = strcmp(words[2], "loop") == 0, function = strcmp(words[2], "function") == 0;
	if (error != NAMES_OK)
		return error;
	if (count != (loop ? 5u : 4u))
		return cited_wrong(
		    &r->cited, loop ? "loop needs a function and a loop" : "`%s' is too much", words[count - 1]);
	memset(inside, 0, r->cited.cfg->counts.blocks * sizeof *inside);
	if (loop || function) {
		uint32_t at = cited_function(&r->cited, words[3]);
		if (at == CFG_NONE)
			return NAMES_EFILE;
		return function ? add_region_part(r, at, NULL) : name_loop(r, at, words[4], inside);
	}
	if (strcmp(words[2], "lines") == 0)
		return name_lines(r, words[3], inside);
	if (strcmp(words[2], "addresses") == 0)
		return name_addresses(r, words[3], inside);
	return cited_wrong(&r->cited, "`%s': function, loop, lines or addresses is expected", words[2]);
}

static int parts_by_function(const void *a, const void *b)
{
	const struct regions_named *x = a, *y = b;
	return order_then(ORDER_UP(x->function, y->function), ORDER_UP(x->name, y->name));
}

/* A block that both have. */
static uint32_t shared_vertex(const struct regions *r, const struct regions_named *part, uint32_t region)
{
	for (uint32_t i = 0; i < part->count; i++) {
		for (uint32_t q = r->of[part->vertices[i]]; q != REGIONS_NONE; q = r->all[q].parent) {
			if (q == region)
				return part->vertices[i];
		}
	}
	return REGIONS_NONE;
}

/* Regions of one function must be nested or disjoint. */
static int check_region_function(struct reader *r, size_t first, size_t end)
{
	const struct regions_names *n = r->n;
	const struct cfg_function *f = &r->cited.cfg->functions[n->parts[first].function];
	struct numbering_graph graph = {.count = f->block_count};
	uint32_t *none = calloc(f->block_count + 1u, sizeof *none), found;
	struct regions regions = {0};
	char name[CFG_NAME];
	graph.first = graph.to = none;
	int error = none == NULL || regions_open(&regions, &graph, 0) != REGIONS_OK ? NAMES_ENOMEM : NAMES_OK;
	for (size_t i = first; i < end && error == NAMES_OK; i++) {
		const struct regions_named *part = &n->parts[i];
		const char *own = n->names[part->name].name;
		r->cited.line = n->names[part->name].line;
		if (part->count == 0) {
			if (regions.all[0].tag != REGIONS_NONE)
				error = cited_wrong(&r->cited, "`%s' is the same code as `%s' of line %u: all of %s",
				    own, n->names[regions.all[0].tag].name, n->names[regions.all[0].tag].line,
				    cfg_function_name(r->cited.cfg, part->function, name));
			regions.all[0].tag = part->name;
			continue;
		}
		int result = regions_add(&regions,
		    &(struct regions_new){part->vertices, part->count, REGIONS_NAMED, REGIONS_NONE, part->name},
		    &found);
		const struct regions_name *other = found < regions.count && regions.all[found].tag < n->count
						       ? &n->names[regions.all[found].tag]
						       : NULL;
		if (result == REGIONS_ENOMEM)
			error = NAMES_ENOMEM;
		else if (result == REGIONS_ESAME && other != NULL)
			error = cited_wrong(
			    &r->cited, "`%s' is the same code as `%s' of line %u", own, other->name, other->line);
		else if (result == REGIONS_EOVERLAP && other != NULL)
			error = cited_wrong(&r->cited,
			    "`%s' overlaps `%s' of line %u: both have block B%" PRIu32
			    " of %s, and neither lies in the other; regions are nested or disjoint",
			    own, other->name, other->line, shared_vertex(&regions, part, found),
			    cfg_function_name(r->cited.cfg, part->function, name));
		else if (result != REGIONS_OK)
			error = cited_wrong(&r->cited, "`%s': %s", own, regions_strerror(result));
	}
	regions_free(&regions);
	free(none);
	return error;
}

int regions_names_read(
    struct regions_names *n, const char *path, const char *text, const struct cfg *cfg, char *detail, size_t size)
{
	struct reader r = {.n = n, .cited = {.cfg = cfg, .path = path, .detail = detail, .size = size}};
	char *copy = strdup(text);
	bool *inside = malloc((cfg->counts.blocks + 1u) * sizeof *inside);
	int error = copy == NULL || inside == NULL ? NAMES_ENOMEM : NAMES_OK;
	*n = (struct regions_names){0};
	snprintf(detail, size, "%s: out of memory", path);
	for (char *at = copy; at != NULL && error == NAMES_OK;) {
		char *end = strchr(at, '\n');
		if (end != NULL)
			*end++ = '\0';
		r.cited.line++;
		error = read_region_line(&r, at, inside);
		at = end;
	}
	free(copy);
	free(inside);
	if (error == NAMES_OK && n->count == 0 && n->find == 0) {
		snprintf(detail, size, "%s: names no region", path);
		error = NAMES_EFILE;
	}
	if (error == NAMES_OK && n->part_count > 0)
		qsort(n->parts, n->part_count, sizeof *n->parts, parts_by_function);
	for (size_t first = 0, end; first < n->part_count && error == NAMES_OK; first = end) {
		for (end = first; end < n->part_count && n->parts[end].function == n->parts[first].function;)
			end++;
		error = check_region_function(&r, first, end);
	}
	if (error != NAMES_OK)
		regions_names_free(n);
	return error;
}

int regions_names_choose(const struct regions_names *n, uint32_t function, struct regions *regions)
{
	int error = REGIONS_OK;
	uint32_t found;
	size_t low;
	ORDER_FIRST(low, 0, n->part_count, n->parts[low].function < function);
	for (size_t i = low; i < n->part_count && n->parts[i].function == function && error == REGIONS_OK; i++) {
		const struct regions_named *part = &n->parts[i];
		if (part->count == 0)
			regions->all[0].tag = part->name;
		else
			error = regions_add(regions,
			    &(struct regions_new){part->vertices, part->count, REGIONS_NAMED, REGIONS_NONE, part->name},
			    &found);
	}
	if (error == REGIONS_OK && n->find != 0)
		error = regions_find(regions, n->find, NULL);
	return error;
}
