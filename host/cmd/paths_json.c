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

static void put_path_turns(struct json *j, const struct source *s, uint32_t from, uint32_t edge)
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
				put_path_turns(j, s, b, e);
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
	source_remainder(s, &remainder);
	json_not_traced(&j, &remainder);
	json_line(&j, "total");
	json_number(&j, "functions", s->survey.total.functions);
	json_number(&j, "most", s->survey.total.most);
	paths_put_total(s, &j);
	json_object_end(&j);
	if (against != NULL)
		put_against(&j, s, against);
	paths_put_functions(s, view, TABLE_JSON, &j, out);
	put_self_loops(&j, s, view);
	paths_put_paths(s, view, TABLE_JSON, &j, out);
	finish_json(&j);
}
