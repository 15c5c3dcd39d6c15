/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Path profiles as JSON; docs/paths.md describes the members. */
#include <stdlib.h>
#include "host/cmd/cfg_print.h"
#include "host/cmd/cmd.h"
#include "host/base/json.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/paths.h"
#include "host/cmd/profiled.h"

static void row(struct json *j, const struct paths_row *r, bool timed)
{
	json_number(j, "possible", r->possible);
	json_number(j, "executed", r->executed);
	json_number(j, "executions", r->count);
	json_number(j, "pieces", r->pieces);
	json_number(j, "path_instructions", r->insns);
	json_number(j, "self_loop_instructions", r->self_insns);
	json_number(j, "parts", (uint64_t)(r->parts + 0.5));
	json_number(j, "part_instructions", (uint64_t)(r->part_insns + 0.5));
	if (timed) {
		json_number(j, "path_cycles", r->spent);
		json_number(j, "self_loop_cycles", r->self_spent);
	}
	json_number(j, "edges", r->edges);
	json_number(j, "longest_edges", r->longest_edges);
	json_number(j, "longest_instructions", r->longest_insns);
	json_number(j, "hottest", r->hottest);
	json_number(j, "predicted", r->correct);
	json_number(j, "predicted_paths", r->correct_paths);
	json_number(j, "predicted_edges", r->hit_edges);
	json_number(j, "predicted_instructions", r->hit_insns);
	json_number(j, "predicted_longest_edges", r->hit_longest_edges);
	json_number(j, "predicted_longest_instructions", r->hit_longest_insns);
	json_number(j, "hottest_missed", r->missed);
	json_bool(j, "truncated", r->truncated);
}

static bool is_table(const struct cfg *cfg, uint32_t block)
{
	return block != CFG_NONE && cfg->blocks[block].insns == 0;
}

/* Whether a path begins at a table's vertex, or ends at one: a graph whose jumps lead to the targets may go on. last: the
 * last of its blocks that has code. */
static bool at_table(const struct cfg *cfg, const struct paths_entry *e, uint32_t last, uint32_t exit)
{
	const struct cfg_block *block = &cfg->blocks[last];
	bool leads = false;
	for (uint32_t k = block->edges; k < block->edges + block->edge_count; k++)
		leads = leads || is_table(cfg, cfg->edges[k].to);
	return is_table(cfg, e->from) || (exit == CFG_NONE && leads);
}

static void put_path(struct json *j, const struct source *s, size_t index)
{
	const struct paths_entry *e = &s->entries[index];
	size_t length;
	uint32_t exit;
	uint32_t *blocks = paths_blocks(s, e, &length, &exit);
	bool ends = e->to == CFG_NONE;
	json_line(j, NULL);
	json_number(j, "function", e->function);
	if (paths_whole(e))
		json_number(j, "number", e->number);
	else
		json_null(j, "number");
	json_bool(j, "begins", e->begins);
	json_bool(j, "ends", ends);
	json_number(j, "count", e->count);
	json_number(j, "instructions", s->survey.insns[index]);
	if (paths_timed(s))
		json_number(j, "cycles", e->spent);
	if (s->metric != 0 && source_gain(s, e) != UINT64_MAX)
		json_number(j, "gained", source_gain(s, e));
	json_bool(j, "part", s->survey.part[index]);
	if (s->graph != NULL && blocks != NULL)
		json_bool(j, "table", at_table(s->cfg, e, length > 0 ? blocks[length - 1] : e->from, exit));
	json_bool(j, "predicted", s->survey.correct[index]);
	json_text(j, "exit",
	    blocks == NULL || !ends ? NULL
	    : exit == CFG_NONE      ? "back"
				    : cfg_edge_name(s->cfg->edges[exit].kind));
	json_array(j, "blocks");
	for (size_t i = 0; blocks != NULL && i < length; i++)
		json_number(j, NULL, s->cfg->blocks[blocks[i]].start);
	json_array_end(j);
	json_object_end(j);
	free(blocks);
}

static void put_turns(struct json *j, const struct source *s, uint32_t from, uint32_t edge)
{
	const uint64_t turns = paths_edge_count(s->paths, edge);
	if (turns == 0)
		return;
	json_line(j, NULL);
	json_number(j, "function", s->cfg->blocks[from].function);
	json_number(j, "turns", turns);
	json_array(j, "blocks");
	for (uint32_t b = s->cfg->edges[edge].to; b <= from; b++)
		json_number(j, NULL, s->cfg->blocks[b].start);
	json_array_end(j);
	json_object_end(j);
}

static void put_self_loops(struct json *j, const struct source *s, const struct paths_view *view)
{
	const struct cfg *cfg = s->cfg;
	json_array(j, "self_loops");
	for (uint32_t b = 0; b < cfg->counts.blocks; b++) {
		const struct cfg_block *own = &cfg->blocks[b];
		const struct numbering *n = paths_numbering(s->paths, own->function);
		const uint32_t base = cfg->blocks[cfg->functions[own->function].blocks].edges;
		if (n == NULL || (view->function != CFG_NONE && own->function != view->function))
			continue;
		for (uint32_t e = own->edges; e < own->edges + own->edge_count; e++) {
			if (n->kind[e - base] == NUMBERING_SELF)
				put_turns(j, s, b, e);
		}
	}
	json_array_end(j);
}

static void put_doubts(struct json *j, const struct source *s)
{
	const struct paths_counts *c = paths_counts(s->paths);
	json_line(j, "doubts");
	json_number(j, "irregular", c->irregular);
	json_number(j, "unresolved", c->unresolved);
	json_number(j, "unmatched", c->unmatched);
	json_number(j, "dropped", c->dropped_frames);
	json_number(j, "outside", c->outside);
	json_number(j, "forgotten", c->forgotten);
	json_number(j, "failed", s->feed.failed);
	json_number(j, "missing", s->feed.missing);
	json_object_end(j);
}

static void put_against(struct json *j, const struct source *s, const struct source *against)
{
	struct common common;
	survey_common(against->entries, against->count, s->entries, s->count, s->survey.insns, &common);
	json_line(j, "against");
	json_text(j, "input", against->name);
	json_number(j, "common", common.paths);
	json_number(j, "of", common.of);
	json_number(j, "executions", common.count);
	json_number(j, "of_executions", common.all);
	json_number(j, "instructions", common.insns);
	json_number(j, "of_instructions", common.all_insns);
	json_fixed(j, "overlap", common.overlap, 6);
	json_object_end(j);
}

void paths_print_json(const struct source *s, const struct source *against, const struct paths_view *view, FILE *out)
{
	char name[CFG_NAME];
	size_t count;
	size_t *order = paths_order(s, view, &count);
	struct json j;
	json_open(&j, out);
	json_text(&j, "input", s->name);
	json_bool(&j, "complete", s->ordered && s->status == STATUS_OK);
	json_number(&j, "traces", s->feed.traces);
	json_number(&j, "instructions", paths_counts(s->paths)->insns);
	if (paths_timed(s)) {
		json_number(&j, "cycles", paths_counts(s->paths)->spent);
		json_number(&j, "shared_cycles", s->feed.shared_cycles);
		json_number(&j, "lost_cycles", s->feed.lost_cycles);
	}
	put_doubts(&j, s);
	struct remainder remainder;
	if (source_remainder(s, &remainder))
		json_not_traced(&j, &remainder);
	json_line(&j, "total");
	json_number(&j, "functions", s->survey.total.functions);
	json_number(&j, "most", s->survey.total.most);
	row(&j, &s->survey.total, paths_timed(s));
	json_object_end(&j);
	if (against != NULL)
		put_against(&j, s, against);
	json_array(&j, "functions");
	for (uint32_t i = 0; i < s->cfg->counts.functions; i++) {
		const struct paths_row *r = &s->survey.rows[i];
		if (r->count + r->pieces == 0 || (view->function != CFG_NONE && view->function != i))
			continue;
		json_line(&j, NULL);
		json_number(&j, "index", i);
		json_text(&j, "name", cfg_function_name(s->cfg, i, name));
		json_number(&j, "start", s->cfg->functions[i].start);
		row(&j, r, paths_timed(s));
		json_object_end(&j);
	}
	json_array_end(&j);
	put_self_loops(&j, s, view);
	json_array(&j, "paths");
	for (size_t i = 0; order != NULL && i < count; i++)
		put_path(&j, s, order[i]);
	json_array_end(&j);
	free(order);
	finish_json(&j);
}
