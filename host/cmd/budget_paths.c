/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Paths that a budget names by points of the source: each block of the function has the points that its instructions
 * come from, and a path is meant if it passes the wanted ones in order and none of those that it must not pass.
 *
 *   points   12   !15   18        blocks of a path   B0 {12}  B2 {}  B3 {18}     meant
 *                                                    B0 {12}  B1 {15} B3 {18}    not
 */
#include "host/cmd/budget_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "isa/isa.h"

enum { POINTS_MAX = 27, PLACES = 16 };

struct path_point {
	const char *text;
	bool avoided;
	bool block;       /* number is that of a block, else a line */
	bool below;       /* the line is so far below the function's declaration */
	const char *file; /* NULL: that of the function */
	size_t file_length;
	uint64_t number;
};
struct points {
	struct path_point all[POINTS_MAX];
	size_t count;
	uint32_t function;
	uint32_t *of_block; /* by block of the function: a bit for each point */
};

static bool read_point(struct path_point *point, const char *word)
{
	const char *colon = strrchr(word, ':');
	*point = (struct path_point){.text = word, .avoided = *word == '!'};
	word += point->avoided;
	point->block = *word == 'B' && colon == NULL;
	point->below = *word == '+';
	if (colon != NULL) {
		point->file = word;
		point->file_length = (size_t)(colon - word);
		word = colon;
	}
	word += point->block || point->below || colon != NULL;
	return parse_number(word, UINT32_MAX, &point->number);
}

static bool is_file(const struct path_point *point, const char *file, const char *own)
{
	char wanted[512];
	if (file == NULL || point->file == NULL)
		return file != NULL && own != NULL && strcmp(file, own) == 0;
	snprintf(wanted, sizeof wanted, "%.*s", (int)point->file_length, point->file);
	return cited_file(file, wanted);
}

/* The points that the code at address comes from, also by inlining. */
static uint32_t points_at(const struct points *points, const struct cfg *cfg, uint32_t block, uint64_t address)
{
	struct image_place places[PLACES];
	const size_t count = image_places(cfg->image, address, places, PLACES);
	uint32_t bits = 0;
	for (size_t i = 0; i < points->count; i++) {
		const struct path_point *point = &points->all[i];
		bool here = point->block && point->number == block;
		for (size_t k = 0; k < count && !point->block; k++) {
			const struct image_place *own = &places[count - 1];
			const uint64_t line = point->number + (point->below ? own->declared : 0);
			here = here || (is_file(point, places[k].file, own->file) && places[k].line == line);
		}
		bits |= (uint32_t)here << i;
	}
	return bits;
}

/* Fills in of_block; false: the detail says which point no code comes from. */
static enum budget_part_state place_points(struct points *points, struct cited_code *cited)
{
	const struct cfg *cfg = cited->cfg;
	const struct cfg_function *f = &cfg->functions[points->function];
	uint32_t seen = 0;
	points->of_block = calloc(f->block_count + 1u, sizeof *points->of_block);
	if (points->of_block == NULL) {
		snprintf(cited->detail, cited->size, "out of memory");
		return BUDGET_PART_FAILED;
	}
	for (uint32_t b = 0; b < f->block_count; b++) {
		const struct cfg_block *block = &cfg->blocks[f->blocks + b];
		struct isa_insn insn;
		for (uint64_t at = block->start; at < block->end && image_insn(cfg->image, at, 0, &insn);
		     at += insn.length)
			points->of_block[b] |= points_at(points, cfg, b, at);
		seen |= points->of_block[b];
	}
	for (size_t i = 0; i < points->count; i++) {
		char name[CFG_NAME];
		if ((seen >> i & 1) != 0)
			continue;
		cited_wrong(cited,
		    "no code of %s is at `%s' (a line needs -g; `rivulet paths --details 0' shows the points)",
		    cfg_function_name(cfg, points->function, name), points->all[i].text);
		return BUDGET_PART_MISSING;
	}
	return BUDGET_PART_THERE;
}

static bool passes_points(
    const struct points *points, const struct cfg_function *f, const uint32_t *blocks, size_t count)
{
	size_t next = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t bits = points->of_block[blocks[i] - f->blocks];
		for (size_t k = 0; k < points->count; k++) {
			if (points->all[k].avoided && (bits >> k & 1) != 0)
				return false;
		}
		for (; next < points->count && (points->all[next].avoided || (bits >> next & 1) != 0); next++)
			continue;
	}
	while (next < points->count && points->all[next].avoided)
		next++;
	return next == points->count;
}

/* Opens the paths of the run, once. */
static enum budget_part_state open_paths(struct budget_parts *p, struct cited_code *cited)
{
	const struct profiled *side = p->side;
	if (side->counted != NULL && p->ran == NULL &&
	    image_open(&p->ran, side->program, cited->detail, cited->size) != IMAGE_OK)
		return BUDGET_PART_FAILED;
	const struct source_options options = {.program = side->program,
	    .image = side->image,
	    .ran = p->ran != NULL ? p->ran : side->image,
	    .cfg = p->cfg,
	    .partial = side->partial,
	    .force = side->force,
	    .own_graph = true,
	    .core = &p->core,
	    .quiet = true};
	if (!p->opened && source_open(&p->paths, side->file, &options) == STATUS_FAILED) {
		p->opened = true;
		snprintf(cited->detail, cited->size, "%s:%u: the paths of %s are not known", cited->path, cited->line,
		    side->file);
		return BUDGET_PART_FAILED;
	}
	p->opened = true;
	if (p->paths.ordered && p->paths.period == 1 && (p->paths.status == STATUS_OK || side->partial))
		return BUDGET_PART_THERE;
	cited_wrong(cited,
	    "%s does not have all paths from beginning to end: give records in order (profile --records, run "
	    "--records), or counters of `rivulet cc'",
	    side->file);
	return BUDGET_PART_FAILED;
}

static enum budget_part_state add_paths(
    struct budget_parts *p, struct cited_code *cited, const struct points *points, struct budget_part *part)
{
	const struct cfg_function *f = &p->cfg->functions[points->function];
	for (size_t i = 0; i < p->paths.count; i++) {
		const struct paths_entry *entry = &p->paths.entries[i];
		size_t length;
		uint32_t exit, *blocks;
		if (entry->function != points->function || !paths_whole(entry))
			continue;
		if (p->paths.survey.part[i] || entry->joined != 0) {
			cited_wrong(cited, "paths of this function are known in parts only");
			return BUDGET_PART_FAILED;
		}
		blocks = paths_blocks(&p->paths, entry, &length, &exit);
		if (blocks == NULL) {
			snprintf(cited->detail, cited->size, "out of memory");
			return BUDGET_PART_FAILED;
		}
		if (passes_points(points, f, blocks, length)) {
			part->sum.count += entry->count;
			part->sum.insns += entry->count * p->paths.survey.insns[i];
			part->sum.cycles += entry->spent;
		}
		free(blocks);
	}
	return BUDGET_PART_THERE;
}

enum budget_part_state budget_path_find(
    struct budget_parts *p, struct cited_code *cited, char **words, size_t count, struct budget_part *part)
{
	struct points points = {0};
	if (count < 5 || count - 4 > POINTS_MAX || strcmp(words[1], "=") != 0) {
		cited_wrong(
		    cited, "NAME = path FUNCTION POINT... is expected: 47, FILE:47, +5, B3, or ! and one of these");
		return BUDGET_PART_FAILED;
	}
	for (size_t i = 4; i < count; i++) {
		if (read_point(&points.all[points.count++], words[i]))
			continue;
		cited_wrong(
		    cited, "`%s' is no point: 47, FILE:47, +5, B3, or ! and one of these is expected", words[i]);
		return BUDGET_PART_FAILED;
	}
	points.function = cited_function(cited, words[3]);
	enum budget_part_state state = points.function == CFG_NONE ? BUDGET_PART_MISSING : place_points(&points, cited);
	if (state == BUDGET_PART_THERE)
		state = open_paths(p, cited);
	if (state == BUDGET_PART_THERE)
		state = add_paths(p, cited, &points, part);
	free(points.of_block);
	return state;
}
