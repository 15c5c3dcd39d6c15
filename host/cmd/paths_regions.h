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

struct regions_function { /* regions NULL: it has none, or no counters */
	const char *name;
	char text[CFG_NAME]; /* the name, if it has no other */
	uint64_t start;
	const struct regions *regions;
	char *const *names; /* by region: what the user called it, or NULL; NULL: see regions_source.names */
	const struct regions_traffic *traffic;  /* by region */
	const uint64_t *address, *spent, *runs; /* by vertex: of its first instruction (0: it has none), cycles or
						   instructions, executions */
	uint64_t *self, *nest;                  /* by region: spent in it, and with all inside it */
};

struct regions_source {
	const char *what; /* "loops", "hammocks", "all", or a regions file */
	const char *input;
	const struct cfg *cfg;
	const struct image *image;
	struct regions_function *functions;
	uint32_t function_count;
	struct regions_entry *entries; /* by function, region */
	size_t count;
	uint64_t *address, *spent, *runs; /* of all functions, one behind the other */
	uint64_t *costs;                  /* of all regions */
	uint64_t total;                   /* spent in the whole run */
	bool timed;                       /* cycles, else instructions */
	bool by_rules;                    /* counters: cycles by the rules of a core, what varies at its least */
	int status;
	uint32_t found[5]; /* regions by kind, of functions that ran */
	/* from records */
	struct regions_names names;
	struct regions_profile *profile;
	struct profile whole;
	struct source source;
	struct walk *walk;
	struct account *account;
	/* from counters */
	struct counted_regions *counted;
};

struct map; /* host/insert/map.h */
struct regions_view {
	uint32_t function; /* only this one (of the cfg), or CFG_NONE */
	uint64_t top;      /* regions whose paths are shown; 0: all */
	unsigned details;  /* paths of each; 0: all */
	bool pieces, wide;
};

/* For counters of `rivulet insert --regions`; s has functions, entries and arrays then. A status; told. */
int regions_counters_open(struct regions_source *s, const char *text, const struct source_options *options);
/* Cycles instead of instructions, by the rules of this core. map: what the counters of s mean. A status; told. */
int regions_counters_cost(struct regions_source *s, const struct map *map, const char *core);
void regions_counters_close(struct counted_regions *counted);
/* options as of source_open(). Returns a status; what is wrong has been told. To be closed in any case. */
int regions_source_open(struct regions_source *s, const char *text, const struct source_options *options);
void regions_source_close(struct regions_source *s);

/* Of a region, or with all inside it (`nest`). */
uint64_t regions_spent(const struct regions_source *s, uint32_t function, uint32_t region, bool nest);
/* Of all executions of one path, inner regions and callees not among them: its cycles as they were, or the instructions
 * of its blocks. */
uint64_t regions_path_spent(const struct regions_source *s, const struct regions_entry *entry);
/* "main", "L0", "hammock B5", the user's name. */
const char *regions_label(const struct regions_source *s, uint32_t function, uint32_t region, char text[96]);
/* The number that `rivulet cfg` gives a vertex's block. */
uint32_t regions_block(const struct regions_source *s, uint32_t function, uint32_t vertex);
/* Entries of a region: they are entries[first] to entries[*end - 1]. */
size_t regions_entries(const struct regions_source *s, uint32_t function, uint32_t region, size_t *end);

void regions_print(const struct regions_source *s, const struct regions_view *view, FILE *out);
/* A row for each region of the functions that ran, for CSV and Markdown. */
void regions_print_rows(
    const struct regions_source *source, const struct regions_view *view, enum table_format format, FILE *out);
void regions_print_json(const struct regions_source *s, const struct regions_view *view, FILE *out);
/* Whether a function is to be shown. */
bool regions_shown(const struct regions_source *s, const struct regions_view *view, uint32_t function);
/* One function for Graphviz: its blocks, a box around each region. */
void regions_print_dot(const struct regions_source *s, const struct regions_view *view, FILE *out);
#endif
