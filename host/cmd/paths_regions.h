/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PATHS_REGIONS_H
#define RIVULET_CMD_PATHS_REGIONS_H
/* `rivulet paths --regions`: hierarchical path profiles, and the forms of output. */
#include "host/account/account.h"
#include "host/cmd/paths.h"
#include "host/regions/names.h"
#include "host/regions/profile.h"

#define REGIONS_LIMIT (UINT64_C(1) << 40) /* of the paths of a region, if the user gives none */

struct regions_source {
	const char *what; /* "loops", "hammocks", "all", or a regions file */
	struct regions_names names;
	struct regions_profile *profile;
	struct profile whole;
	struct source source;
	struct walk *walk;
	struct account *account;
	uint64_t *spent, *runs; /* by block: cycles (or instructions), executions */
	uint64_t total;         /* of all blocks */
	struct regions_entry *entries;
	size_t count;
	uint32_t found[5]; /* regions by kind, of functions that ran */
};

struct regions_view {
	uint32_t function; /* only this one, or CFG_NONE */
	uint64_t top;      /* regions whose paths are shown; 0: all */
	unsigned details;  /* paths of each; 0: all */
	bool pieces, wide;
};

/* options as of source_open(). Returns a status; what is wrong has been told. To be closed in any case. */
int regions_source_open(struct regions_source *s, const char *text, const struct source_options *options);
void regions_source_close(struct regions_source *s);

/* Of a region, or with all inside it (`nest`). */
uint64_t regions_spent(const struct regions_source *s, uint32_t function, uint32_t region, bool nest);
/* Of one path: the mean of each of its blocks, inner regions not among them; times its count. */
uint64_t regions_path_spent(const struct regions_source *s, const struct regions_entry *entry);
/* "main", "L0", "hammock B5", the user's name. */
const char *regions_label(const struct regions_source *s, uint32_t function, uint32_t region, char text[96]);
/* Entries of a region: they are entries[first] to entries[*end - 1]. */
size_t regions_entries(const struct regions_source *s, uint32_t function, uint32_t region, size_t *end);

void regions_print(const struct regions_source *s, const struct regions_view *view, FILE *out);
void regions_print_json(const struct regions_source *s, const struct regions_view *view, FILE *out);
/* One function for Graphviz: its blocks, a box around each region. */
void regions_print_dot(const struct regions_source *s, uint32_t function, FILE *out);
#endif
