/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Hierarchical path profiles for programs: JSON (docs/regions.md), a row for each region, a drawing for Graphviz. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/demangle.h"
#include "host/base/json.h"
#include "host/cmd/cmd.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/paths_regions.h"
#include "host/cmd/profiled.h"

static void put_region_path(struct json *j, const struct regions_source *s, const struct regions_entry *e)
{
	const struct regions_function *f = &s->functions[e->function];
	const struct regions *r = f->regions;
	const struct region *own = &r->all[e->region];
	uint32_t *nodes = malloc((own->node_count + 1u) * sizeof *nodes);
	uint32_t length = nodes == NULL ? 0 : regions_entry_nodes(r, e, nodes, own->node_count);
	json_line(j, NULL);
	if (e->number == NUMBERING_NONE)
		json_null(j, "number");
	else
		json_number(j, "number", e->number);
	json_bool(j, "begins", e->begins);
	json_bool(j, "ends", e->to == REGIONS_NONE);
	json_number(j, "count", e->count);
	json_number(j, "cost", regions_path_spent(s, e));
	json_array(j, "nodes");
	for (uint32_t i = 0; i < length; i++) {
		struct regions_node n = r->nodes[own->nodes + nodes[i]];
		json_object(j, NULL);
		if (n.region != REGIONS_NONE)
			json_number(j, "region", n.region);
		else
			json_number(j, "block", f->address[n.vertex]);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
	free(nodes);
}

static void put_borders(struct json *j, const struct regions_source *s, uint32_t function, const char *name,
    const bool *which, uint32_t region)
{
	const struct regions_function *f = &s->functions[function];
	const struct regions *r = f->regions;
	const struct region *own = &r->all[region];
	json_row(j, name);
	for (uint32_t n = 0; n < own->node_count; n++) {
		struct regions_node node = r->nodes[own->nodes + n];
		if (!which[own->nodes + n])
			continue;
		uint32_t vertex = node.region == REGIONS_NONE ? node.vertex : r->all[node.region].head;
		json_number(j, NULL, f->address[vertex]);
	}
	json_array_end(j);
}

enum {
	REGION_NEST_SHARE,
	REGION_SELF_SHARE,
	REGION_FUNCTION,
	REGION_INDEX,
	REGION_PARENT,
	REGION_NAME,
	REGION_KIND,
	REGION_HEAD,
	REGION_FILE,
	REGION_LINE,
	REGION_ENTERED,
	REGION_TURNS,
	REGION_PIECES,
	REGION_SELF,
	REGION_NEST,
	REGION_RAN,
	REGION_POSSIBLE,
	REGION_TRUNCATED,
	REGION_COLUMNS
};

static const struct table_column region_columns[REGION_COLUMNS] = {
    [REGION_NEST_SHARE] = {.title = "nest", .form = TABLE_SHARE, .decimals = 2},
    [REGION_SELF_SHARE] = {.title = "self", .form = TABLE_SHARE, .decimals = 2},
    [REGION_FUNCTION] = {.title = "function", .key = "function", .form = TABLE_WORDS, .csv_only = true},
    [REGION_INDEX] = {.key = "index", .form = TABLE_PLAIN},
    [REGION_PARENT] = {.key = "parent", .form = TABLE_PLAIN},
    [REGION_NAME] = {.title = "region", .key = "name", .form = TABLE_WORDS},
    [REGION_KIND] = {.title = "kind", .key = "kind", .form = TABLE_WORDS},
    [REGION_HEAD] = {.key = "head", .form = TABLE_PLAIN},
    [REGION_FILE] = {.title = "file", .key = "file", .form = TABLE_WORDS},
    [REGION_LINE] = {.title = "line", .key = "line", .form = TABLE_PLAIN},
    [REGION_ENTERED] = {.title = "entered", .key = "entered", .form = TABLE_COUNT},
    [REGION_TURNS] = {.key = "turns", .form = TABLE_PLAIN},
    [REGION_PIECES] = {.key = "pieces", .form = TABLE_PLAIN},
    [REGION_SELF] = {.key = "self", .form = TABLE_PLAIN},
    [REGION_NEST] = {.key = "nest", .form = TABLE_PLAIN},
    [REGION_RAN] = {.title = "paths that ran", .key = "ran", .form = TABLE_COUNT, .csv_only = true},
    [REGION_POSSIBLE] = {.title = "of", .key = "possible", .form = TABLE_COUNT},
    [REGION_TRUNCATED] = {.key = "truncated", .form = TABLE_TRUTH},
};

static struct table region_table(enum table_format format, struct json *json, FILE *out)
{
	return (struct table){
	    .columns = region_columns, .count = REGION_COLUMNS, .format = format, .out = out, .json = json};
}

/* A row; as JSON the members of the object that is open. */
static void put_region_cells(
    const struct table *table, const struct regions_source *s, uint32_t function, uint32_t region)
{
	const struct regions_function *f = &s->functions[function];
	const struct region *own = &f->regions->all[region];
	const struct regions_traffic *t = &f->traffic[region];
	const uint64_t head = f->address[own->head], self = regions_spent(s, function, region, false),
		       nest = regions_spent(s, function, region, true), all = s->total == 0 ? 1 : s->total;
	struct image_place place = {0};
	char label[96];
	size_t end, ran = 0;
	image_places(s->image, head, &place, 1);
	for (size_t i = regions_entries(s, function, region, &end); i < end; i++)
		ran += s->entries[i].number != NUMBERING_NONE;
	const struct table_cell cells[REGION_COLUMNS] = {[REGION_NEST_SHARE] = table_real((double)nest / (double)all),
	    [REGION_SELF_SHARE] = table_real((double)self / (double)all),
	    [REGION_FUNCTION] = table_shown(table_words(f->name), demangle(f->name)),
	    [REGION_INDEX] = table_number(region),
	    [REGION_PARENT] = own->parent == REGIONS_NONE ? table_unknown() : table_number(own->parent),
	    [REGION_NAME] = table_words(regions_label(s, function, region, label)),
	    [REGION_KIND] = table_words(regions_kind_name(own->kind)),
	    [REGION_HEAD] = table_number(head),
	    [REGION_FILE] = table_words(place.file),
	    [REGION_LINE] = table_number(place.line),
	    [REGION_ENTERED] = table_number(t->entered),
	    [REGION_TURNS] = table_number(t->turns),
	    [REGION_PIECES] = table_number(t->pieces),
	    [REGION_SELF] = table_number(self),
	    [REGION_NEST] = table_number(nest),
	    [REGION_RAN] = table_number(ran),
	    [REGION_POSSIBLE] = table_number(own->numbering.paths),
	    [REGION_TRUNCATED] = table_number(own->numbering.cut > 0)};
	if (table->format == TABLE_JSON)
		table_members(table, cells);
	else
		table_row(table, cells);
}

static void put_region(struct json *j, const struct regions_source *s, uint32_t function, uint32_t region, bool pieces)
{
	const struct regions *r = s->functions[function].regions;
	const struct table table = region_table(TABLE_JSON, j, NULL);
	json_object(j, NULL);
	put_region_cells(&table, s, function, region);
	put_borders(j, s, function, "entries", r->outside, region);
	put_borders(j, s, function, "exits", r->leaves, region);
	json_array(j, "paths");
	size_t end, first = regions_entries(s, function, region, &end);
	for (size_t i = first; i < end; i++) {
		if (pieces || s->entries[i].number != NUMBERING_NONE)
			put_region_path(j, s, &s->entries[i]);
	}
	json_array_end(j);
	json_object_end(j);
}

/* What a function has to show: it was chosen, and ran. */
static bool has_spent(const struct regions_source *s, const struct regions_view *view, uint32_t function)
{
	return regions_shown(s, view, function) && regions_spent(s, function, 0, true) > 0;
}

void regions_print_rows(
    const struct regions_source *s, const struct regions_view *view, enum table_format format, FILE *out)
{
	const struct table table = region_table(format, NULL, out);
	struct remainder remainder;
	source_remainder(&s->source, &remainder);
	complain_not_traced(s->input, &remainder);
	table_begin(&table);
	for (uint32_t i = 0; i < s->function_count; i++) {
		for (uint32_t k = 0; has_spent(s, view, i) && k < s->functions[i].regions->count; k++)
			put_region_cells(&table, s, i, k);
	}
	table_end(&table);
}

void regions_print_json(const struct regions_source *s, const struct regions_view *view, FILE *out)
{
	struct json json, *j = &json;
	json_open(j, out);
	json_text(j, "input", s->input);
	json_bool(j, "complete", s->status == STATUS_OK);
	json_text(j, "regions", s->what);
	json_text(j, "measure", s->timed ? "cycles" : "instructions");
	struct remainder remainder;
	source_remainder(&s->source, &remainder);
	json_number(j, "total", s->total);
	json_not_traced(j, &remainder);
	if (s->timed)
		json_bool(j, "by_rules", s->by_rules);
	if (s->timed && !s->by_rules)
		json_number(j, "shared", s->source.feed.shared_cycles);
	json_array(j, "functions");
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct regions_function *f = &s->functions[i];
		if (!has_spent(s, view, i))
			continue;
		json_object(j, NULL);
		json_number(j, "index", i);
		json_text(j, "name", f->name);
		json_number(j, "start", f->start);
		json_array(j, "regions");
		for (uint32_t k = 0; k < f->regions->count; k++)
			put_region(j, s, i, k, view->pieces);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
	finish_json(j);
}

/* ---- Graphviz */

static void dot_region(const struct regions_source *s, uint32_t function, uint32_t region, FILE *out)
{
	const struct regions_function *f = &s->functions[function];
	const struct regions *r = f->regions;
	static const char *const colours[] = {"#ffffff", "#eef4fb", "#dbe8f6", "#c5d9ef", "#adc8e6"};
	const struct region *own = &r->all[region];
	char label[96];
	if (region != 0) {
		fprintf(out,
		    "  subgraph cluster_%" PRIu32
		    " { label=\"%s  %.1f%%\"; style=\"rounded,filled\"; color=\"#7a93ad\"; fillcolor=\"%s\";\n",
		    region, regions_label(s, function, region, label),
		    s->total == 0 ? 0 : 100 * (double)regions_spent(s, function, region, true) / (double)s->total,
		    colours[own->depth < 5 ? own->depth : 4]);
	}
	for (uint32_t n = 0; n < own->node_count; n++) {
		struct regions_node node = r->nodes[own->nodes + n];
		if (node.region != REGIONS_NONE) {
			dot_region(s, function, node.region, out);
			continue;
		}
		uint64_t address = f->address[node.vertex];
		struct image_place place;
		bool known = address != 0 && image_places(s->image, address, &place, 1) > 0 && place.file != NULL;
		fprintf(out, "  b%" PRIu32 " [label=\"B%" PRIu32, node.vertex, regions_block(s, function, node.vertex));
		if (known)
			fprintf(out, "  line %u", place.line);
		fprintf(out, "\\n%s times\"%s%s];\n", with_commas(f->runs[node.vertex]),
		    r->outside[own->nodes + n] ? ", penwidth=2" : "",
		    r->leaves[own->nodes + n] ? ", peripheries=2" : "");
	}
	if (region != 0)
		fprintf(out, "  }\n");
}

void regions_print_dot(const struct regions_source *s, const struct regions_view *view, FILE *out)
{
	uint32_t function = 0;
	while (function < s->function_count && !regions_shown(s, view, function))
		function++;
	if (function == s->function_count) {
		fprintf(out, "digraph { label=\"no counters\" }\n");
		return;
	}
	const struct regions_function *f = &s->functions[function];
	const struct regions *r = f->regions;
	fprintf(out, "digraph {\n  label=");
	json_quoted(f->name, out);
	fprintf(out,
	    "; labelloc=t; fontname=\"Helvetica\"; fontsize=14;\n"
	    "  node [shape=box, style=filled, fillcolor=white, fontname=\"Helvetica\", fontsize=10, height=0.3];\n"
	    "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.7, color=\"#444444\"];\n");
	if (r != NULL)
		dot_region(s, function, 0, out);
	for (uint32_t v = 0; r != NULL && v < r->graph.count; v++) {
		for (uint32_t e = r->graph.first[v]; e < r->graph.first[v + 1]; e++) {
			uint32_t to = r->graph.to[e];
			bool back = to != NUMBERING_EXIT && r->local[e] == REGIONS_NONE;
			if (to == NUMBERING_EXIT) {
				fprintf(out,
				    "  x%" PRIu32 " [shape=plaintext, style=\"\", label=\"%s\"];\n  b%" PRIu32
				    " -> x%" PRIu32 ";\n",
				    e, "out", v, e);
				continue;
			}
			fprintf(out, "  b%" PRIu32 " -> b%" PRIu32 "%s;\n", v, to,
			    back ? " [penwidth=2, color=\"#b03020\"]" : "");
		}
	}
	fprintf(out, "}\n");
}
