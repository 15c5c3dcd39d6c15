/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet sweep: what is built before the cells run, here. It is a sweep of its own, with the axes that its command
 * names, in FOLDER/built. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/cmd/sweep.h"

struct sweep_command sweep_of_builds(const struct sweep_command *s)
{
	struct sweep_command builds = *s;
	builds.plan = *s->plan.build;
	builds.folder = s->plan.built;
	return builds;
}

static bool is_built(const struct sweep_command *builds, size_t cell)
{
	struct sweep_done done;
	sweep_done(&builds->plan, builds->folder, cell, &done);
	return done.there && done.status == 0;
}

int sweep_builds(const struct sweep_command *s, size_t *cells, size_t *count)
{
	if (s->plan.build == NULL)
		return STATUS_OK;
	const struct sweep_command builds = sweep_of_builds(s);
	bool *needed = calloc(builds.plan.cells, sizeof *needed);
	size_t *list = calloc(builds.plan.cells, sizeof *list), pending = 0, left = 0;
	int status = STATUS_FAILED;
	if (needed == NULL || list == NULL)
		complain("out of memory");
	else if (mkdir(builds.folder, 0777) != 0 && errno != EEXIST)
		complain("%s: cannot be made: %s", builds.folder, strerror(errno));
	else {
		for (size_t i = 0; i < *count; i++)
			needed[sweep_build_cell(&s->plan, cells[i])] = true;
		for (size_t i = 0; i < builds.plan.cells; i++) {
			if (needed[i] && !is_built(&builds, i))
				list[pending++] = i;
		}
		status = pending == 0 ? STATUS_OK : sweep_cells(&builds, list, pending, true);
	}
	for (size_t i = 0; (status == STATUS_OK || status == STATUS_NO) && i < *count; i++) {
		if (is_built(&builds, sweep_build_cell(&s->plan, cells[i])))
			cells[left++] = cells[i];
	}
	*count = left;
	free(needed);
	free(list);
	return status;
}

void sweep_tell_builds(const struct sweep_command *s)
{
	if (s->plan.build == NULL)
		return;
	const struct sweep_command builds = sweep_of_builds(s);
	for (size_t i = 0; i < builds.plan.cells; i++) {
		struct sweep_done done;
		char path[SWEEP_PATH];
		sweep_done(&builds.plan, builds.folder, i, &done);
		if (!done.there || done.status == 0 || !sweep_path(&builds.plan, builds.folder, i, "output", path))
			continue;
		complain(
		    "the build of %s: status %d; what it said: %s", sweep_title(&builds.plan, i), done.status, path);
	}
}
