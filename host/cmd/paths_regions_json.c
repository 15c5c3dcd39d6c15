/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Hierarchical path profiles as JSON (docs/regions.md), and for Graphviz. */
#include <inttypes.h>
#include <stdlib.h>
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

static void put_region(struct json *j, const struct regions_source *s, uint32_t function, uint32_t region, bool pieces)
{
	const struct regions_function *f = &s->functions[function];
	const struct regions *r = f->regions;
	const struct region *own = &r->all[region];
	const struct regions_traffic *t = &f->traffic[region];
	struct image_place place = {0};
	uint64_t head = f->address[own->head];
	char label[96];
	image_places(s->image, head, &place, 1);
	json_object(j, NULL);
	json_number(j, "index", region);
	if (own->parent == REGIONS_NONE)
		json_null(j, "parent");
	else
		json_number(j, "parent", own->parent);
	json_text(j, "name", regions_label(s, function, region, label));
	json_text(j, "kind", regions_kind_name(own->kind));
	json_number(j, "head", head);
	json_text(j, "file", place.file);
	json_number(j, "line", place.line);
	put_borders(j, s, function, "entries", r->outside, region);
	put_borders(j, s, function, "exits", r->leaves, region);
	json_number(j, "entered", t->entered);
	json_number(j, "turns", t->turns);
	json_number(j, "pieces", t->pieces);
	json_number(j, "self", regions_spent(s, function, region, false));
	json_number(j, "nest", regions_spent(s, function, region, true));
	json_number(j, "possible", own->numbering.paths);
	json_bool(j, "truncated", own->numbering.cut > 0);
	json_array(j, "paths");
	size_t end, first = regions_entries(s, function, region, &end);
	for (size_t i = first; i < end; i++) {
		if (pieces || s->entries[i].number != NUMBERING_NONE)
			put_region_path(j, s, &s->entries[i]);
	}
	json_array_end(j);
	json_object_end(j);
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
		if (!regions_shown(s, view, i) || regions_spent(s, i, 0, true) == 0)
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
