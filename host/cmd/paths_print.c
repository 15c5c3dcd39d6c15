/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Path profiles as text. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/base/demangle.h"
#include "host/cmd/cfg_print.h"
#include "host/cmd/cmd.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/paths.h"
#include "host/table/numbers.h"

/* ---------------------------------------------------------------- summary */

static void print_doubts(const struct source *s, FILE *out)
{
	const struct paths_counts *c = paths_counts(s->paths);
	const struct {
		uint64_t count;
		const char *what;
	} doubts[] = {{c->irregular, "transfers that the graph does not have"},
	    {c->unresolved, "indirect jumps that were not resolved"},
	    {c->unmatched, "returns to a caller whose call was not seen"},
	    {c->dropped_frames, "callers that nothing came back to"},
	    {c->outside, "visits of code outside of all functions"},
	    {c->forgotten, "callers forgotten because calls were nested too deeply"},
	    {s->feed.missing, "records missing from the stream"}, {s->feed.unknown, "traces with an unknown end"}};
	for (size_t i = 0; i < sizeof doubts / sizeof doubts[0]; i++) {
		if (doubts[i].count > 0)
			fprintf(out, "%s %s\n", with_commas(doubts[i].count), doubts[i].what);
	}
}

static void print_about_paths(const struct source *s, FILE *out);

static void print_doubtful_cycles(const struct source *s, FILE *out)
{
	if (!paths_timed(s))
		return;
	if (s->feed.shared_cycles > 0)
		fprintf(out, "%s cycles are shared between instructions of a trace that vary (divide)\n",
		    with_commas(s->feed.shared_cycles));
	if (s->feed.lost_cycles > 0)
		fprintf(out, "%s cycles are of code that no path has\n", with_commas(s->feed.lost_cycles));
}

void paths_print_not_traced(const struct source *s, FILE *out)
{
	struct remainder remainder;
	source_remainder(s, &remainder);
	print_not_traced(&remainder, out);
}

void paths_print_summary(const struct source *s, bool whole, FILE *out)
{
	if (s->counted_functions > 0)
		fprintf(out, "%s: counters of the paths of %s functions%s\n", s->name,
		    with_commas(s->counted_functions), s->status == STATUS_OK ? "" : "; not sure: see the messages");
	else if (s->ordered)
		fprintf(out, "%s: %s traces in order: %s\n", s->name, with_commas(s->feed.traces),
		    s->status == STATUS_OK ? "every path of the run"
					   : "not all of the run, or not sure: see the messages");
	else
		fprintf(out,
		    "%s: %s traces without their order: pieces of paths, and those paths that one trace\n"
		    "shows from beginning to end. Counts of whole paths are a lower bound; the record stream has "
		    "all.\n",
		    s->name, with_commas(s->feed.traces));
	if (whole)
		print_about_paths(s, out);
	print_doubtful_cycles(s, out);
	print_doubts(s, out);
	paths_print_not_traced(s, out);
}

bool paths_cut_at_branches(const struct source *s, uint32_t function)
{
	const struct numbering *n = s->counted_functions > 0 ? paths_numbering(s->paths, function) : NULL;
	return n != NULL && n->limit == 1 && n->cut > 0;
}

/* Why paths of functions are in parts. */
static void print_causes(const struct source *s, FILE *out)
{
	uint64_t many = 0, apart = 0, open = 0;
	for (uint32_t i = 0; i < s->cfg->counts.functions; i++) {
		if (s->survey.rows[i].parts == 0)
			continue;
		if (paths_joined(s->paths, i))
			open++;
		else if (paths_cut_at_branches(s, i))
			apart++;
		else
			many++;
	}
	if (many > 0)
		fprintf(out, "%s %s too many paths to number, and %s cut%s\n", with_commas(many),
		    many == 1 ? "function has" : "functions have", many == 1 ? "is" : "are",
		    s->counted_functions > 0 ? ";\nrivulet cc --hash counts whole paths" : "");
	if (apart > 0)
		fprintf(out,
		    "%s %s no register and no word of the stack for a path's number,\nand %s cut at each branch\n",
		    with_commas(apart), apart == 1 ? "function has" : "functions have", apart == 1 ? "is" : "are");
	if (open > 0)
		fprintf(out, "in %s function%s a call did not end between two parts\n", with_commas(open),
		    open == 1 ? "" : "s");
}

/* How much of the run is in whole paths, and why the rest is not. */
static void print_whole(const struct source *s, FILE *out)
{
	const struct paths_row *t = &s->survey.total;
	const struct paths_counts *c = paths_counts(s->paths);
	const uint64_t all = t->count + c->pieces;
	if (s->counted_functions > 0 && (c->pieces > 0 || t->parts > 0))
		fprintf(
		    out, "whole paths: %.2f%% of executions\n", percent_of(t->count - (uint64_t)(t->parts + 0.5), all));
	if (t->parts > 0)
		fprintf(out, "parts of paths, marked +: at most %.2f%% of executions, %.2f%% of instructions\n",
		    percent_of((uint64_t)(t->parts + 0.5), all), percent_of((uint64_t)(t->part_insns + 0.5), c->insns));
	if (t->parts > 0)
		print_causes(s, out);
	const char *pieces = "a trace begins or ends inside the path";
	if (s->counted_functions > 0)
		pieces = "of calls that had not ended, or that longjmp() or an\nexception left";
	else if (s->ordered)
		pieces = "of functions that were active when tracing began or ended";
	if (c->pieces > 0)
		fprintf(out, "pieces of paths: %s; %s\n", with_commas(c->pieces), pieces);
}

static void print_about_paths(const struct source *s, FILE *out)
{
	const struct paths_row *t = &s->survey.total;
	const struct paths_counts *c = paths_counts(s->paths);
	fprintf(out, "%s paths in %s functions, executed %s times; ", with_commas(t->executed),
	    with_commas(t->functions), with_commas(t->count));
	if (t->saturated || t->possible > UINT64_C(1000000000000))
		fprintf(out, "possible: %.3g%s\n", (double)t->possible, t->saturated ? " and more" : "");
	else
		fprintf(out, "possible: %s (%.2f%%)\n", with_commas(t->possible), percent_of(t->executed, t->possible));
	print_whole(s, out);
	fprintf(out, "instructions: %s, %.1f%% in paths, %.1f%% in turns of self loops\n", with_commas(c->insns),
	    percent_of(t->insns, c->insns), percent_of(t->self_insns, c->insns));
	if (paths_timed(s)) {
		fprintf(out, "cycles: %s, %.1f%% in paths, %.1f%% in turns of self loops; without callees\n",
		    with_commas(c->spent), percent_of(t->spent, c->spent), percent_of(t->self_spent, c->spent));
	}
	fprintf(out, "average path: %.1f edges, %.1f instructions; longest: %s edges, %s instructions\n",
	    mean_of(t->edges, t->count), mean_of(t->insns, t->count), with_commas(t->longest_edges),
	    with_commas(t->longest_insns));
	fprintf(out,
	    "an edge profile predicts %.1f%% of executions, %s of %s paths;\n"
	    "it misses the hottest path of %s function%s\n",
	    percent_of(t->correct, t->count), with_commas(t->correct_paths), with_commas(t->executed),
	    with_commas(t->missed), t->missed == 1 ? "" : "s");
}

/* ---------------------------------------------------------------- paths */

/* The name of the edge between two blocks of a path; there is none where a table's vertex was between them. */
static const char *way_between(const struct cfg *cfg, uint32_t from, uint32_t to)
{
	const struct cfg_block *block = &cfg->blocks[from];
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		if (cfg->edges[e].to == to)
			return cfg_edge_name(cfg->edges[e].kind);
	}
	return cfg_edge_name(CFG_TABLE);
}

/* Blocks with addresses, lines and calls, the edge that was taken behind each. */
static void print_details(const struct source *s, size_t index, FILE *out)
{
	const struct paths_entry *e = &s->entries[index];
	const struct cfg *cfg = s->cfg;
	const struct cfg_function *f = &cfg->functions[e->function];
	char name[CFG_NAME], number[48];
	size_t length;
	uint32_t exit;
	uint32_t *blocks = paths_blocks(s, e, &length, &exit);
	if (blocks == NULL)
		return;
	fprintf(out, "\n%s", demangle(cfg_function_name(cfg, e->function, name)));
	if (paths_whole(e))
		fprintf(out, ", path %s of %s%s", paths_number_text(s, e, number, sizeof number),
		    with_commas(paths_numbering(s->paths, e->function)->paths),
		    paths_joined(s->paths, e->function) ? " parts" : "");
	fprintf(out, ": %s times, %s instructions each", with_commas(e->count), with_commas(s->survey.insns[index]));
	if (paths_timed(s))
		fprintf(out, ", %s cycles in all", with_commas(e->spent));
	fprintf(out, "\n");
	for (size_t i = 0; i < length; i++) {
		const struct cfg_block *block = &cfg->blocks[blocks[i]];
		struct image_place place;
		fprintf(out, "  B%-4" PRIu32 " 0x%08" PRIx64 " %4" PRIu32 " insns", blocks[i] - f->blocks, block->start,
		    block->insns);
		if (image_places(cfg->image, block->start, &place, 1) > 0 && place.file != NULL)
			fprintf(out, "  %s:%u", short_file(place.file, 40), place.line);
		if (block->call == CFG_CALL)
			fprintf(out, "  calls %s", demangle(cfg_function_name(cfg, block->callee, name)));
		else if (block->call == CFG_CALL_INDIRECT)
			fprintf(out, "  calls by a register");
		if (i + 1 < length)
			fprintf(out, "  %s", way_between(cfg, blocks[i], blocks[i + 1]));
		if (i + 1 == length)
			fprintf(out, "  %s", paths_ending(s, e, exit));
		fprintf(out, "\n");
	}
	free(blocks);
}

/* The table, then the hottest paths block by block. */
void paths_print_paths(const struct source *s, const struct paths_view *view, FILE *out)
{
	size_t count;
	fprintf(out, "\n");
	paths_put_paths(s, view, TABLE_TEXT, NULL, out);
	size_t *order = paths_order(s, view, &count);
	for (size_t i = 0; order != NULL && i < count && i < view->details; i++)
		print_details(s, order[i], out);
	free(order);
}

void paths_print_common(const struct source *s, const struct source *against, FILE *out)
{
	struct common c;
	survey_common(against->entries, against->count, s->entries, s->count, s->survey.insns, &c);
	fprintf(out,
	    "against %s: %s of %s paths are there too (%.1f%%), with %.2f%% of executions\nand %.2f%% of the "
	    "instructions in paths; overlap %.2f%%\n",
	    against->name, with_commas(c.paths), with_commas(c.of), percent_of(c.paths, c.of),
	    percent_of(c.count, c.all), percent_of(c.insns, c.all_insns), 100 * c.overlap);
}
