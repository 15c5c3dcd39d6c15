/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_VIEW_REGIONS_H
#define RIVULET_CMD_VIEW_REGIONS_H
/* For `rivulet view`: the loops of a run as nested regions, with the hottest paths of each (host/regions). */
#include "host/cmd/paths_regions.h"
#include "host/view/view.h"

struct view_regions {
	struct regions_source source;
	struct view_region *regions;
	size_t region_count;
	struct view_region_path *paths; /* in order of their regions, the hottest of each first */
	size_t path_count;
};
/* file: records in order. false: they cannot be had, which may have been told. To be freed in any case. */
bool view_regions_make(struct view_regions *regions, const char *file, const struct source_options *options);
void view_regions_free(struct view_regions *regions);
#endif
