/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/export/spans.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"

struct span_open { /* a time that has not ended */
	uint32_t area;
	uint64_t from, self_from, time;
};

struct span_frame { /* of a context: its call at hand */
	uint64_t entered;
	uint64_t self;  /* cycles of its own instructions */
	uint32_t block; /* at hand; CFG_NONE: none yet */
	struct span_open *open;
	size_t open_count, open_room;
	uint32_t *path; /* blocks since the path began */
	size_t path_count, path_room;
	struct span_open path_open;
	bool live;
};

struct spans {
	const struct cfg *cfg;
	enum spans_kind kind;
	const struct regions_names *names;
	bool **members; /* SPANS_REGIONS: by part: by block of its function; NULL: the whole function */
	struct span_frame *frames;
	size_t frame_count, frame_room;
	struct timing_row *rows;
	size_t row_count, row_room;
	struct hash by_area; /* of rows */
	struct spans_path *paths;
	size_t path_count, path_room;
	struct hash by_path;
	uint32_t *blocks; /* of the paths */
	size_t block_count, block_room;
	uint32_t *areas; /* of the block at hand */
	size_t area_room;
	const struct stack_node *nodes;
	uint64_t clock;
	uint32_t run;
	bool by_instructions;
};

/* ---- opening ---- */

static bool take_members(struct spans *s)
{
	s->members = calloc(s->names->part_count + 1, sizeof *s->members);
	for (size_t i = 0; s->members != NULL && i < s->names->part_count; i++) {
		const struct regions_named *part = &s->names->parts[i];
		if (part->count == 0)
			continue;
		s->members[i] = calloc(s->cfg->functions[part->function].block_count + 1u, sizeof **s->members);
		if (s->members[i] == NULL)
			return false;
		for (uint32_t k = 0; k < part->count; k++)
			s->members[i][part->vertices[k]] = true;
	}
	return s->members != NULL;
}

int spans_open(struct spans **out, const struct cfg *cfg, enum spans_kind kind, const struct regions_names *names)
{
	struct spans *s = *out = calloc(1, sizeof *s);
	if (s == NULL)
		return GATHER_ENOMEM;
	s->cfg = cfg;
	s->kind = kind;
	s->names = names;
	s->run = UINT32_MAX;
	return kind != SPANS_REGIONS || take_members(s) ? GATHER_OK : GATHER_ENOMEM;
}

void spans_close(struct spans *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->frame_count; i++) {
		free(s->frames[i].open);
		free(s->frames[i].path);
	}
	for (size_t i = 0; s->members != NULL && i < s->names->part_count; i++)
		free(s->members[i]);
	for (size_t i = 0; i < s->row_count; i++)
		free(s->rows[i].histogram);
	free(s->members);
	free(s->frames);
	free(s->rows);
	free(s->paths);
	free(s->blocks);
	free(s->areas);
	hash_free(&s->by_area);
	hash_free(&s->by_path);
	free(s);
}

void spans_begin(struct spans *s, bool by_instructions)
{
	s->by_instructions = by_instructions;
	s->run++;
	s->clock = 0;
	for (size_t i = 0; i < s->frame_count; i++)
		s->frames[i].live = false;
}

/* ---- rows ---- */

struct area_key {
	const struct spans *spans;
	uint64_t area;
};

static bool is_area_row(const void *context, uint32_t index)
{
	const struct area_key *key = context;
	return key->spans->rows[index].site == key->area;
}

static struct timing_row *area_row(struct spans *s, uint32_t area, uint64_t entry)
{
	const struct area_key key = {s, area};
	const uint32_t hash = hash_of_two(area, 0);
	uint32_t index = hash_find(&s->by_area, hash, is_area_row, &key);
	if (index != HASH_NONE)
		return &s->rows[index];
	if (!array_room(&s->rows, s->row_count + 1, &s->row_room) ||
	    !hash_add(&s->by_area, hash, (uint32_t)s->row_count))
		return NULL;
	s->rows[s->row_count] = (struct timing_row){.site = area, .entry = entry};
	return &s->rows[s->row_count++];
}

static int end_area(struct spans *s, const struct span_frame *frame, uint32_t node, const struct span_open *open,
    uint64_t entry, bool cut)
{
	struct timing_row *row = area_row(s, open->area, entry);
	if (row == NULL)
		return GATHER_ENOMEM;
	if (cut) {
		row->parts++;
		return GATHER_OK;
	}
	const struct timing_time time = {.took = s->clock - open->from,
	    .self = frame->self - open->self_from,
	    .from = open->from,
	    .time = open->time,
	    .run = s->run};
	bool longest;
	if (timing_add(row, &time, &longest) != GATHER_OK)
		return GATHER_ENOMEM;
	if (longest)
		timing_chain(row, s->nodes, node);
	return GATHER_OK;
}

/* ---- loops and regions ---- */

static uint64_t area_entry(const struct spans *s, uint32_t area)
{
	if (s->kind == SPANS_LOOPS)
		return s->cfg->blocks[s->cfg->loops[area].head].start;
	const struct regions_named *part = &s->names->parts[area];
	const struct cfg_function *function = &s->cfg->functions[part->function];
	return part->count == 0 ? function->start : s->cfg->blocks[function->blocks + part->vertices[0]].start;
}

static bool in_area(const struct spans *s, uint32_t area, uint32_t block)
{
	if (s->kind == SPANS_LOOPS)
		return cfg_in_loop(s->cfg, block, area);
	const uint32_t function = s->cfg->blocks[block].function;
	if (s->names->parts[area].function != function)
		return false;
	return s->members[area] == NULL || s->members[area][block - s->cfg->functions[function].blocks];
}

static bool add_area(struct spans *s, size_t *count, uint32_t area)
{
	if (!array_room(&s->areas, *count + 1, &s->area_room))
		return false;
	s->areas[(*count)++] = area;
	return true;
}

/* The areas of a block, in no order. */
static bool find_areas(struct spans *s, uint32_t block, size_t *count)
{
	*count = 0;
	if (s->kind == SPANS_LOOPS) {
		for (uint32_t l = s->cfg->blocks[block].loop; l != CFG_NONE; l = s->cfg->loops[l].parent) {
			if (!add_area(s, count, l))
				return false;
		}
		return true;
	}
	for (size_t i = 0; i < s->names->part_count; i++) {
		if (in_area(s, (uint32_t)i, block) && !add_area(s, count, (uint32_t)i))
			return false;
	}
	return true;
}

static bool is_open_area(const struct span_frame *frame, uint32_t area)
{
	for (size_t i = 0; i < frame->open_count; i++) {
		if (frame->open[i].area == area)
			return true;
	}
	return false;
}

static int change_areas(struct spans *s, uint32_t node, uint32_t block, uint64_t time)
{
	struct span_frame *frame = &s->frames[node];
	size_t kept = 0, count;
	for (size_t i = 0; i < frame->open_count; i++) {
		const struct span_open open = frame->open[i];
		if (in_area(s, open.area, block))
			frame->open[kept++] = open;
		else if (end_area(s, frame, node, &open, area_entry(s, open.area), false) != GATHER_OK)
			return GATHER_ENOMEM;
	}
	frame->open_count = kept;
	if (!find_areas(s, block, &count))
		return GATHER_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (is_open_area(frame, s->areas[i]))
			continue;
		if (!array_room(&frame->open, frame->open_count + 1, &frame->open_room))
			return GATHER_ENOMEM;
		frame->open[frame->open_count++] = (struct span_open){s->areas[i], s->clock, frame->self, time};
	}
	return GATHER_OK;
}

/* ---- paths ---- */

struct path_key {
	const struct spans *spans;
	const uint32_t *blocks;
	size_t count;
};

static bool is_path(const void *context, uint32_t index)
{
	const struct path_key *key = context;
	const struct spans_path *path = &key->spans->paths[index];
	return path->count == key->count &&
	       memcmp(&key->spans->blocks[path->first], key->blocks, key->count * sizeof *key->blocks) == 0;
}

/* The number of the frame's path. */
static int number_path(struct spans *s, const struct span_frame *frame, uint32_t *number)
{
	const struct path_key key = {s, frame->path, frame->path_count};
	uint32_t hash = (uint32_t)frame->path_count;
	for (size_t i = 0; i < frame->path_count; i++)
		hash = hash_of_two(frame->path[i], hash);
	*number = hash_find(&s->by_path, hash, is_path, &key);
	if (*number != HASH_NONE)
		return GATHER_OK;
	if (!array_room(&s->paths, s->path_count + 1, &s->path_room) ||
	    !array_room(&s->blocks, s->block_count + frame->path_count, &s->block_room) ||
	    !hash_add(&s->by_path, hash, (uint32_t)s->path_count))
		return GATHER_ENOMEM;
	*number = (uint32_t)s->path_count;
	s->paths[s->path_count++] = (struct spans_path){.function = s->cfg->blocks[frame->path[0]].function,
	    .first = (uint32_t)s->block_count,
	    .count = (uint32_t)frame->path_count};
	memcpy(&s->blocks[s->block_count], frame->path, frame->path_count * sizeof *frame->path);
	s->block_count += frame->path_count;
	return GATHER_OK;
}

static int end_span_path(struct spans *s, uint32_t node, bool cut)
{
	struct span_frame *frame = &s->frames[node];
	if (frame->path_count == 0)
		return GATHER_OK;
	int error = number_path(s, frame, &frame->path_open.area);
	if (error == GATHER_OK)
		error = end_area(s, frame, node, &frame->path_open, s->cfg->blocks[frame->path[0]].start, cut);
	frame->path_count = 0;
	return error;
}

static int change_path(struct spans *s, uint32_t node, uint32_t block, uint64_t time)
{
	struct span_frame *frame = &s->frames[node];
	const uint32_t loop = s->cfg->blocks[block].loop;
	const bool back = loop != CFG_NONE && s->cfg->loops[loop].head == block && frame->block != CFG_NONE &&
			  cfg_in_loop(s->cfg, frame->block, loop);
	if ((back || frame->path_count == SPANS_PATH_BLOCKS) && end_span_path(s, node, false) != GATHER_OK)
		return GATHER_ENOMEM;
	if (!array_room(&frame->path, frame->path_count + 1, &frame->path_room))
		return GATHER_ENOMEM;
	if (frame->path_count == 0)
		frame->path_open = (struct span_open){0, s->clock, frame->self, time};
	frame->path[frame->path_count++] = block;
	return GATHER_OK;
}

/* ---- visits ---- */

int spans_ended(struct spans *s, const struct extremes_ended *ended)
{
	struct span_frame *frame = ended->node < s->frame_count ? &s->frames[ended->node] : NULL;
	if (frame == NULL || !frame->live)
		return GATHER_OK;
	int error = end_span_path(s, ended->node, !ended->whole);
	for (size_t i = 0; i < frame->open_count && error == GATHER_OK; i++)
		error =
		    end_area(s, frame, ended->node, &frame->open[i], area_entry(s, frame->open[i].area), !ended->whole);
	frame->open_count = 0;
	frame->live = false;
	return error;
}

static struct span_frame *span_frame_of(struct spans *s, const struct gather_visit *visit)
{
	if (!array_room(&s->frames, (size_t)visit->node + 1, &s->frame_room))
		return NULL;
	for (; s->frame_count <= visit->node; s->frame_count++)
		s->frames[s->frame_count] = (struct span_frame){.live = false};
	struct span_frame *frame = &s->frames[visit->node];
	if (!frame->live) {
		frame->live = true;
		frame->self = 0;
		frame->block = CFG_NONE;
		frame->open_count = frame->path_count = 0;
	}
	return frame;
}

int spans_visit(struct spans *s, const struct gather_visit *visit)
{
	struct span_frame *frame = span_frame_of(s, visit);
	uint64_t starts = visit->block->starts;
	if (frame == NULL)
		return GATHER_ENOMEM;
	s->nodes = visit->nodes;
	for (uint32_t k = 0; k < visit->count; k++, starts &= starts - 1) {
		const uint64_t at = visit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		const struct cfg_block *now = frame->block == CFG_NONE ? NULL : &s->cfg->blocks[frame->block];
		const bool inside = k > 0 && now != NULL && at > now->start && at < now->end;
		const uint32_t block = inside ? frame->block : cfg_block_at(s->cfg, at);
		const bool begins = block != CFG_NONE && at == s->cfg->blocks[block].start;
		if (block != CFG_NONE && (block != frame->block || begins)) {
			int error = s->kind == SPANS_PATHS ? change_path(s, visit->node, block, visit->time)
							   : change_areas(s, visit->node, block, visit->time);
			if (error != GATHER_OK)
				return error;
			frame->block = block;
		}
		const uint64_t took = s->by_instructions ? 1 : visit->parts[k].cycles;
		frame->self += took;
		s->clock += took;
	}
	return GATHER_OK;
}

/* ---- result ---- */

const struct timing_row *spans_rows(struct spans *s, size_t *count)
{
	timing_sort(s->rows, s->row_count);
	hash_free(&s->by_area);
	*count = s->row_count;
	return s->rows;
}

const struct spans_path *spans_path(const struct spans *s, uint64_t number)
{
	return &s->paths[number];
}

const uint32_t *spans_blocks(const struct spans *s)
{
	return s->blocks;
}
