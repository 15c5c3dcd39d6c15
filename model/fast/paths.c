/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Counted traces: open addressing, at most half full. */
#include "model/fast/private.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE SIZED(4096u, 8u)

int paths_init(struct fast *f)
{
	f->paths = calloc(FIRST_SIZE, sizeof *f->paths);
	f->path_mask = FIRST_SIZE - 1;
	f->path_count = 0;
	return f->paths ? MODEL_OK : MODEL_ENOMEM;
}

static struct path *find_path(struct path *paths, uint64_t mask, uint32_t start, uint64_t hist, uint32_t tag)
{
	uint64_t at = paths_hash(start, hist, tag) & mask;
	while (paths[at].hist && (paths[at].hist != hist || paths[at].start != start || paths[at].tag != tag))
		at = (at + 1) & mask;
	return &paths[at];
}

struct path *paths_seek(const struct fast *f, uint32_t start, uint64_t hist, uint32_t tag)
{
	return find_path(f->paths, f->path_mask, start, hist, tag);
}

void paths_clear(struct fast *f)
{
	memset(f->paths, 0, (f->path_mask + 1) * sizeof *f->paths);
	f->path_count = 0;
}

static bool grow(struct fast *f)
{
	uint64_t mask = 2 * f->path_mask + 1;
	struct path *paths = calloc(mask + 1, sizeof *paths);
	if (!paths)
		return false;
	for (uint64_t i = 0; i <= f->path_mask; i++)
		if (f->paths[i].hist)
			*find_path(paths, mask, f->paths[i].start, f->paths[i].hist, f->paths[i].tag) = f->paths[i];
	free(f->paths);
	f->paths = paths;
	f->path_mask = mask;
	return true;
}

struct path *paths_find(struct fast *f, uint32_t start, uint64_t hist, uint32_t tag, uint32_t insns, uint8_t reason)
{
	struct path *path = find_path(f->paths, f->path_mask, start, hist, tag);
	if (path->hist)
		return path;
	if (2 * f->path_count >= f->path_mask) {
		if (!grow(f)) {
			f->path_failed = true;
			return NULL;
		}
		path = find_path(f->paths, f->path_mask, start, hist, tag);
	}
	uint32_t most = (1u << f->model->config.trace.insn_bits) - 1;
	*path = (struct path){
	    .hist = hist, .start = start, .tag = tag, .insns = insns < most ? insns : most, .reason = reason};
	f->path_count++;
	return path;
}

int fast_paths(struct fast *f, int (*visit)(void *context, const struct record *path), void *context)
{
	int error = 0;
	for (uint64_t i = 0; f->paths && i <= f->path_mask; i++) {
		struct path *path = &f->paths[i];
		if (path->hist && !error) {
			const struct record out = {.start = path->start,
			    .hist = path->hist,
			    .count = path->count,
			    .timed = path->count,
			    .cycles = path->cycles,
			    .insns = path->insns,
			    .reason = path->reason};
			error = visit(context, &out);
		}
		*path = (struct path){0};
	}
	f->path_count = 0;
	return error;
}

bool fast_paths_failed(const struct fast *f)
{
	return f->path_failed;
}
