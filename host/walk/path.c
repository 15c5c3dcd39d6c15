/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/walk/path.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define PLACES 16

struct builder {
	struct path *path;
	bool failed;
};

static int add_path_piece(void *context, const struct walk_visit *visit)
{
	struct builder *builder = context;
	struct path *path = builder->path;
	if (!array_room(&path->pieces, path->piece_count + 1, &path->piece_room)) {
		builder->failed = true;
		return 1;
	}
	path->pieces[path->piece_count++] = (struct path_piece){.start = visit->block->start,
	    .count = visit->count,
	    .starts = visit->block->starts,
	    .outcome = (int8_t)visit->outcome,
	    .reason = visit->last ? visit->reason : 0};
	path->insns += visit->count;
	return 0;
}

int path_make(struct path *path, struct walk *walk, const struct record *entry)
{
	*path = (struct path){.entry = entry};
	struct builder builder = {.path = path};
	path->error = walk_record(walk, entry, add_path_piece, &builder, &path->at);
	return builder.failed || path->error == WALK_ENOMEM ? WALK_ENOMEM : WALK_OK;
}

static int add_path_function(struct path *path, const char *name)
{
	for (size_t i = 0; i < path->function_count; i++) {
		if (strcmp(path->functions[i], name) == 0)
			return WALK_OK;
	}
	if (!array_room(&path->functions, path->function_count + 1, &path->function_room))
		return WALK_ENOMEM;
	path->functions[path->function_count++] = name;
	return WALK_OK;
}

/* One range for each line at first; they are merged at the end. */
static int add_path_line(struct path *path, const char *file, unsigned line)
{
	for (size_t i = path->line_count; i-- > 0;) {
		if (path->lines[i].first == line && strcmp(path->lines[i].file, file) == 0)
			return WALK_OK;
	}
	if (!array_room(&path->lines, path->line_count + 1, &path->line_room))
		return WALK_ENOMEM;
	path->lines[path->line_count++] = (struct path_lines){file, line, line};
	return WALK_OK;
}

static void merge_lines(struct path *path)
{
	struct path_lines *lines = path->lines;
	size_t count = path->line_count, done = 0;
	/* insertion sort by file in order of appearance, then line: a path has few lines, and mostly in order */
	for (size_t i = 1; i < count; i++) {
		struct path_lines moved = lines[i];
		size_t group = i; /* first place behind the lines of its file; i: a new file */
		for (size_t j = i; j-- > 0;) {
			if (strcmp(lines[j].file, moved.file) == 0) {
				group = j + 1;
				break;
			}
		}
		size_t to = group;
		if (group < i || (group > 0 && strcmp(lines[group - 1].file, moved.file) == 0)) {
			while (
			    to > 0 && strcmp(lines[to - 1].file, moved.file) == 0 && lines[to - 1].first > moved.first)
				to--;
		}
		memmove(&lines[to + 1], &lines[to], (i - to) * sizeof *lines);
		lines[to] = moved;
	}
	for (size_t i = 0; i < count; i++) {
		if (done > 0 && strcmp(lines[done - 1].file, lines[i].file) == 0 &&
		    lines[i].first - lines[done - 1].last <= PATH_GAP + 1)
			lines[done - 1].last = lines[i].last;
		else
			lines[done++] = lines[i];
	}
	path->line_count = done;
}

int path_places(struct path *path, const struct image *image)
{
	struct image_place places[PLACES];
	for (size_t i = 0; i < path->piece_count; i++) {
		uint64_t starts = path->pieces[i].starts;
		for (uint32_t k = 0; k < path->pieces[i].count; k++, starts &= starts - 1) {
			uint64_t pc = path->pieces[i].start + 2 * (uint32_t)__builtin_ctzll(starts);
			size_t count = image_places(image, pc, places, PLACES);
			int error = WALK_OK;
			for (size_t p = count; p-- > 0 && error == WALK_OK;) {
				if (places[p].function != NULL)
					error = add_path_function(path, places[p].function);
			}
			if (error == WALK_OK && places[0].file != NULL && places[0].line != 0)
				error = add_path_line(path, places[0].file, places[0].line);
			if (error != WALK_OK)
				return error;
		}
	}
	merge_lines(path);
	return WALK_OK;
}

void path_free(struct path *path)
{
	free(path->pieces);
	free(path->functions);
	free(path->lines);
	*path = (struct path){0};
}
