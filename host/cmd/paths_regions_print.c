/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Hierarchical path profiles as text: the hottest nests with the way through each level, the tree of regions, then the
 * paths of the hottest ones. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/demangle.h"
#include "host/base/order.h"
#include "host/cmd/cmd.h"
#include "host/cmd/paths_regions.h"
#include "host/table/numbers.h"

#define WIDTH 100
#define NODES 48 /* column of the nodes of a path */
#define PLACE 24 /* of these for a file name */
#define INLINED_MAX 16
#define NESTS 3u /* shown before all, and how deep */
#define LEVELS 8u
#define SMALL 1000u /* regions below this part of all are not shown, unless all are asked for */

struct shown { /* a region */
	uint32_t function, region;
	uint64_t self, nest, key;
};

static int shown_regions_by_key(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;
	return order_then(
	    ORDER_DOWN(x->key, y->key), order_then(ORDER_UP(x->function, y->function), ORDER_UP(x->region, y->region)));
}

static uint64_t paths_of(const struct regions_source *s, uint32_t function, uint32_t region, uint64_t *executed)
{
	size_t end, first = regions_entries(s, function, region, &end);
	uint64_t count = 0;
	*executed = 0;
	for (size_t i = first; i < end; i++) {
		if (s->entries[i].number == NUMBERING_NONE)
			continue;
		++*executed;
		count += s->entries[i].count;
	}
	return count;
}

/* In the function's own file: code that was inlined from another one is where it was called. False: it is not known. */
static bool own_place(const struct regions_source *s, uint32_t function, uint32_t vertex, struct image_place *place)
{
	struct image_place places[INLINED_MAX];
	uint64_t address = s->functions[function].address[vertex];
	size_t count = address == 0 ? 0 : image_places(s->image, address, places, INLINED_MAX);
	if (count == 0 || places[count - 1].file == NULL)
		return false;
	size_t i = 0;
	while (i < count - 1 && (places[i].file == NULL || strcmp(places[i].file, places[count - 1].file) != 0))
		i++;
	*place = places[i];
	return true;
}

static const char *vertex_place_of(const struct regions_source *s, uint32_t function, uint32_t vertex, char text[64])
{
	struct image_place place;
	text[0] = '\0';
	if (own_place(s, function, vertex, &place))
		snprintf(text, 64, "%.50s:%u", short_file(place.file, PLACE), place.line);
	return text;
}

static void print_row(const struct regions_source *s, const struct shown *row, FILE *out)
{
	const struct regions *r = s->functions[row->function].regions;
	const struct region *own = &r->all[row->region];
	const struct regions_traffic *t = &s->functions[row->function].traffic[row->region];
	uint64_t executed, count = paths_of(s, row->function, row->region, &executed);
	char label[96], place[64], ran[48], turns[32] = "-";
	regions_label(s, row->function, row->region, label);
	if (t->entered > 0 && own->kind != REGIONS_WHOLE)
		snprintf(turns, sizeof turns, "%.1f", (double)count / (double)t->entered);
	snprintf(ran, sizeof ran, "%s/%s%s", with_commas(executed),
	    own->numbering.paths > 9999999 ? with_unit((double)own->numbering.paths)
					   : with_commas(own->numbering.paths),
	    own->numbering.cut > 0 ? "+" : "");
	fprintf(out, "%6.2f%% %6.2f%% %12s %9s %11s  %*s%s", percent_of(row->nest, s->total),
	    percent_of(row->self, s->total), with_commas(t->entered), turns, ran, (int)(2 * own->depth), "", label);
	if (own->kind != REGIONS_WHOLE && own->kind != REGIONS_LOOP)
		fprintf(out, "  %s", regions_kind_name(own->kind));
	if (own->kind != REGIONS_WHOLE)
		fprintf(out, "  B%" PRIu32, regions_block(s, row->function, own->head));
	fprintf(out, "  %s", vertex_place_of(s, row->function, own->head, place));
	if (t->pieces > 0)
		fprintf(out, "  %s in pieces", with_commas(t->pieces));
	fprintf(out, "\n");
}

/* ---- paths */

struct one {
	size_t index;
	uint64_t spent;
};

static int by_spent(const void *a, const void *b)
{
	const struct one *x = a, *y = b;
	return order_then(ORDER_DOWN(x->spent, y->spent), ORDER_UP(x->index, y->index));
}

/* How a path ends: whether it leaves its region is the last node's, and not always told by the path. */
static void print_nodes(const struct regions_source *s, const struct regions_entry *e, const struct regions_view *view,
    bool with_lines, FILE *out)
{
	const struct regions *r = s->functions[e->function].regions;
	const struct region *own = &r->all[e->region];
	uint32_t *nodes = malloc((own->node_count + 1u) * sizeof *nodes);
	uint32_t length = nodes == NULL ? 0 : regions_entry_nodes(r, e, nodes, own->node_count);
	char text[128], label[96], lines[512] = "", place[64];
	size_t column = 0, used = 0;
	unsigned last = 0;
	if (!e->begins)
		column += (size_t)fprintf(out, "... ");
	for (uint32_t i = 0; i < length; i++) {
		struct regions_node n = r->nodes[own->nodes + nodes[i]];
		struct image_place at;
		unsigned line = 0;
		if (n.region != REGIONS_NONE)
			snprintf(text, sizeof text, "[%s]", regions_label(s, e->function, n.region, label));
		else {
			snprintf(text, sizeof text, "B%" PRIu32, regions_block(s, e->function, n.vertex));
			if (own_place(s, e->function, n.vertex, &at))
				line = at.line;
		}
		if (!view->wide && column + strlen(text) > WIDTH - NODES - 2) {
			fprintf(out, " ... (%" PRIu32 " nodes)", length);
			break;
		}
		column += (size_t)fprintf(out, "%s%s", i > 0 ? " " : "", text);
		if (n.region != REGIONS_NONE && used < sizeof lines - 110)
			used += (size_t)snprintf(lines + used, sizeof lines - used, " [%s]", label);
		else if (line != 0 && line != last && used < sizeof lines - 110)
			used += (size_t)snprintf(lines + used, sizeof lines - used, " %u", line);
		last = line;
	}
	fprintf(out, "%s\n", e->to != REGIONS_NONE ? " ..." : "");
	if (with_lines && length > 0 && used > 0) {
		vertex_place_of(s, e->function, own->head, place);
		place[strcspn(place, ":")] = '\0';
		fprintf(out, "%*s%s:%s\n", NODES, "", place, lines);
	}
	free(nodes);
}

static void print_region_paths(
    const struct regions_source *s, const struct shown *row, const struct regions_view *view, FILE *out)
{
	size_t end, first = regions_entries(s, row->function, row->region, &end), used = 0;
	struct one *ones = malloc((end - first + 1) * sizeof *ones);
	uint64_t executed, all = paths_of(s, row->function, row->region, &executed);
	char label[96], place[64];
	const struct regions *r = s->functions[row->function].regions;
	for (size_t i = first; i < end && ones != NULL; i++) {
		if (s->entries[i].number != NUMBERING_NONE || view->pieces)
			ones[used++] = (struct one){i, regions_path_spent(s, &s->entries[i])};
	}
	if (used == 0) {
		free(ones);
		return;
	}
	qsort(ones, used, sizeof *ones, by_spent);
	fprintf(out, "\n%s", demangle(s->functions[row->function].name));
	if (row->region != 0)
		fprintf(out, " %s", regions_label(s, row->function, row->region, label));
	fprintf(out, "  %s: %s times, %.2f%% of all %s\n",
	    vertex_place_of(s, row->function, r->all[row->region].head, place), with_commas(all),
	    percent_of(row->self, s->total), s->timed ? "cycles" : "instructions");
	for (size_t i = 0; i < used && (view->details == 0 || i < view->details); i++) {
		const struct regions_entry *e = &s->entries[ones[i].index];
		char number[32] = "-";
		if (e->number != NUMBERING_NONE)
			snprintf(number, sizeof number, "%" PRIu64, e->number);
		fprintf(out, "%12s %5.1f%% %6.2f%% %9.1f %9s  ", with_commas(e->count), percent_of(e->count, all),
		    percent_of(ones[i].spent, s->total), mean_of(ones[i].spent, e->count), number);
		print_nodes(s, e, view, true, out);
	}
	if (view->details != 0 && used > view->details)
		fprintf(
		    out, "%*s and %s more (--details 0 shows all)\n", NODES - 1, "", with_commas(used - view->details));
	free(ones);
}

/* ---- the hottest nests */

/* The path of a region that most was spent on; s->count: none ran. */
static size_t hottest_path(const struct regions_source *s, uint32_t function, uint32_t region)
{
	size_t end, best = s->count;
	uint64_t most = 0;
	for (size_t i = regions_entries(s, function, region, &end); i < end; i++) {
		uint64_t spent = regions_path_spent(s, &s->entries[i]);
		if (s->entries[i].number != NUMBERING_NONE && (best == s->count || spent > most)) {
			best = i;
			most = spent;
		}
	}
	return best;
}

/* Of the regions right inside a region the one in which most was spent; REGIONS_NONE: none. */
static uint32_t hottest_inside(const struct regions_source *s, uint32_t function, uint32_t region)
{
	const struct regions *r = s->functions[function].regions;
	uint32_t best = REGIONS_NONE;
	for (uint32_t k = region + 1; k < r->count && k <= region + r->all[region].inner; k++) {
		if (r->all[k].parent == region && (best == REGIONS_NONE || regions_spent(s, function, k, true) >
									       regions_spent(s, function, best, true)))
			best = k;
	}
	return best;
}

static void print_level(const struct regions_source *s, uint32_t function, uint32_t region, unsigned level,
    const struct regions_view *view, FILE *out)
{
	const struct regions *r = s->functions[function].regions;
	const size_t path = hottest_path(s, function, region);
	uint64_t executed, all = paths_of(s, function, region, &executed);
	char label[96], place[64], name[192];
	snprintf(name, sizeof name, "%s%s%s", level == 0 ? demangle(s->functions[function].name) : "",
	    level == 0 ? " " : "", regions_label(s, function, region, label));
	fprintf(out, "%6.2f%%  %*s%s  %s: %s times\n", percent_of(regions_spent(s, function, region, true), s->total),
	    (int)(2 * level), "", name, vertex_place_of(s, function, r->all[region].head, place), with_commas(all));
	if (path == s->count)
		return;
	const struct regions_entry *e = &s->entries[path];
	fprintf(out, "%*s%5.1f%%, %.1f %s each: ", (int)(9 + 2 * level), "", percent_of(e->count, all),
	    mean_of(regions_path_spent(s, e), e->count), s->timed ? "cycles" : "instructions");
	print_nodes(s, e, view, false, out);
}

static void print_nests(const struct regions_source *s, const struct regions_view *view, FILE *out)
{
	struct shown nests[NESTS] = {{0}};
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct regions *r = s->functions[i].regions;
		for (uint32_t k = 1; r != NULL && regions_shown(s, view, i) && k < r->count; k++) {
			struct shown at = {.function = i, .region = k, .nest = regions_spent(s, i, k, true)};
			for (size_t n = 0; r->all[k].parent == 0 && n < NESTS; n++) {
				if (at.nest <= nests[n].nest)
					continue;
				const struct shown other = nests[n];
				nests[n] = at;
				at = other;
			}
		}
	}
	if (nests[0].nest == 0)
		return;
	fprintf(out, "\nhottest nests; at each level the path that took most, and the region inside that did\n");
	for (size_t n = 0; n < NESTS && nests[n].nest * 100 >= s->total; n++) {
		uint32_t region = nests[n].region;
		for (unsigned level = 0; level < LEVELS && region != REGIONS_NONE; level++) {
			uint64_t nest = regions_spent(s, nests[n].function, region, true);
			if (nest * SMALL < s->total || (level > 0 && nest * 20 < nests[n].nest))
				break;
			print_level(s, nests[n].function, region, level, view, out);
			region = hottest_inside(s, nests[n].function, region);
		}
	}
}

/* What has no whole path: no row can say why it has fewer paths than entries. */
static void print_pieces(const struct regions_source *s, FILE *out)
{
	uint64_t pieces = 0;
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct regions *r = s->functions[i].regions;
		for (uint32_t k = 0; r != NULL && k < r->count; k++)
			pieces += s->functions[i].traffic[k].pieces;
	}
	if (pieces > 0)
		fprintf(out,
		    "%s paths are in pieces: longjmp() or an exception left them, or tracing began or ended in them\n",
		    with_commas(pieces));
}

void regions_print(const struct regions_source *s, const struct regions_view *view, FILE *out)
{
	size_t count = 0, room = 0, roots = 0;
	for (uint32_t i = 0; i < s->function_count; i++) {
		const struct regions *r = s->functions[i].regions;
		room += r == NULL ? 0 : r->count;
	}
	struct shown *rows = malloc((room + 1) * sizeof *rows),
		     *functions = malloc((s->function_count + 1u) * sizeof *rows);
	if (rows == NULL || functions == NULL) {
		complain("out of memory");
		free(rows);
		free(functions);
		return;
	}
	for (uint32_t i = 0; i < s->function_count; i++) {
		if (!regions_shown(s, view, i))
			continue;
		uint64_t nest = regions_spent(s, i, 0, true);
		if (nest > 0)
			functions[roots++] = (struct shown){.function = i, .nest = nest, .key = nest};
	}
	qsort(functions, roots, sizeof *functions, shown_regions_by_key);
	fprintf(out,
	    "regions of the functions that ran: %s functions, %s loops, %s irreducible loops, %s hammocks, %s named\n",
	    with_commas(s->found[REGIONS_WHOLE]), with_commas(s->found[REGIONS_LOOP]),
	    with_commas(s->found[REGIONS_IRREDUCIBLE]), with_commas(s->found[REGIONS_HAMMOCK]),
	    with_commas(s->found[REGIONS_NAMED]));
	fprintf(out, "%s in all: %s%s\n", s->timed ? "cycles" : "instructions", with_commas(s->total),
	    s->by_rules ? ", by the rules of the core: divides at their least, no waits" : "");
	print_pieces(s, out);
	print_nests(s, view, out);
	fprintf(out,
	    "\nnest: share with the regions inside, without callees; self: without these; entered: from outside;\n"
	    "per entry: paths for each, of a loop its turns; paths: those that ran of those that there are\n\n");
	fprintf(out, "%7s %7s %12s %9s %11s  %s\n", "nest", "self", "entered", "per entry", "paths", "region");
	uint64_t small = 0;
	for (size_t i = 0; i < roots; i++) {
		uint32_t function = functions[i].function;
		const struct regions *r = s->functions[function].regions;
		for (uint32_t k = 0; k < r->count; k++) {
			struct shown row = {
			    function, k, regions_spent(s, function, k, false), regions_spent(s, function, k, true), 0};
			row.key = row.self;
			if (row.nest == 0)
				continue;
			rows[count++] = row;
			/* functions beyond the top ones: only in the paths below, if a region of them is hot */
			if (view->top != 0 && row.nest * SMALL < s->total)
				small++;
			else if (view->top == 0 || i < view->top)
				print_row(s, &row, out);
		}
	}
	if (view->top != 0 && roots > view->top)
		fprintf(out, "%53s and %s more functions (--top 0 shows all)\n", "", with_commas(roots - view->top));
	if (small > 0)
		fprintf(out, "%53s and %s regions below 0.1%%\n", "", with_commas(small));
	qsort(rows, count, sizeof *rows, shown_regions_by_key);
	fprintf(out, "\n%12s %6s %7s %9s %9s  %s\n", "count", "share", "cost", s->timed ? "cycles" : "insns", "path",
	    "nodes; [region]: a region inside, as one node");
	for (size_t i = 0; i < count && (view->top == 0 || i < view->top); i++)
		print_region_paths(s, &rows[i], view, out);
	free(rows);
	free(functions);
}
