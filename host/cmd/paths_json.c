/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Path profiles as JSON; docs/paths.md describes the members. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/cmd/cfg_print.h"
#include "host/cmd/cmd.h"
#include "host/base/json.h"
#include "host/cmd/paths.h"

static void row(const struct paths_row *r, FILE *out)
{
	fprintf(out,
	    "\"possible\": %" PRIu64 ", \"executed\": %" PRIu64 ", \"executions\": %" PRIu64 ", \"pieces\": %" PRIu64
	    ", \"path_instructions\": %" PRIu64 ", \"self_loop_instructions\": %" PRIu64 ", \"edges\": %" PRIu64
	    ", \"longest_edges\": %" PRIu64 ", \"longest_instructions\": %" PRIu64 ", \"hottest\": %" PRIu64
	    ", \"predicted\": %" PRIu64 ", \"predicted_paths\": %" PRIu64 ", \"predicted_edges\": %" PRIu64
	    ", \"predicted_instructions\": %" PRIu64 ", \"predicted_longest_edges\": %" PRIu64
	    ", \"predicted_longest_instructions\": %" PRIu64 ", \"hottest_missed\": %" PRIu32 ", \"truncated\": %s",
	    r->possible, r->executed, r->count, r->pieces, r->insns, r->self_insns, r->edges, r->longest_edges,
	    r->longest_insns, r->hottest, r->correct, r->correct_paths, r->hit_edges, r->hit_insns,
	    r->hit_longest_edges, r->hit_longest_insns, r->missed, r->truncated ? "true" : "false");
}

static void print_path(const struct source *s, size_t index, FILE *out)
{
	const struct paths_entry *e = &s->entries[index];
	size_t length;
	uint32_t exit;
	uint32_t *blocks = paths_blocks(s, e, &length, &exit);
	fprintf(out, "    {\"function\": %" PRIu32 ", \"number\": ", e->function);
	if (paths_whole(e))
		fprintf(out, "%" PRIu64, e->number);
	else
		fprintf(out, "null");
	fprintf(out,
	    ", \"begins\": %s, \"ends\": %s, \"count\": %" PRIu64 ", \"instructions\": %" PRIu64
	    ", \"predicted\": %s, \"exit\": ",
	    e->begins ? "true" : "false", e->to == CFG_NONE ? "true" : "false", e->count, s->survey.insns[index],
	    s->survey.correct[index] ? "true" : "false");
	if (blocks != NULL && e->to == CFG_NONE)
		fprintf(out, "\"%s\"", exit == CFG_NONE ? "back" : cfg_edge_name(s->cfg->edges[exit].kind));
	else
		fprintf(out, "null");
	fprintf(out, ", \"blocks\": [");
	for (size_t i = 0; blocks != NULL && i < length; i++)
		fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", s->cfg->blocks[blocks[i]].start);
	fprintf(out, "]}");
	free(blocks);
}

void paths_print_json(const struct source *s, const struct source *against, const struct paths_view *view, FILE *out)
{
	const struct paths_counts *c = paths_counts(s->paths);
	char name[CFG_NAME];
	size_t count;
	size_t *order = paths_order(s, view, &count);
	const char *between = "";
	fprintf(out, "{\"input\": \"");
	json_escaped(s->name, out);
	fprintf(out, "\", \"complete\": %s, \"traces\": %" PRIu64 ", \"instructions\": %" PRIu64 ",\n",
	    s->ordered && s->status == STATUS_OK ? "true" : "false", s->feed.traces, c->insns);
	fprintf(out,
	    "  \"doubts\": {\"irregular\": %" PRIu64 ", \"unresolved\": %" PRIu64 ", \"unmatched\": %" PRIu64
	    ", \"dropped\": %" PRIu64 ", \"outside\": %" PRIu64 ", \"forgotten\": %" PRIu64 ", \"failed\": %" PRIu64
	    ", \"missing\": %" PRIu64 "},\n",
	    c->irregular, c->unresolved, c->unmatched, c->dropped_frames, c->outside, c->forgotten, s->feed.failed,
	    s->feed.missing);
	fprintf(out, "  \"total\": {\"functions\": %" PRIu32 ", \"most\": %" PRIu64 ", ", s->survey.total.functions,
	    s->survey.total.most);
	row(&s->survey.total, out);
	fprintf(out, "},\n");
	if (against != NULL) {
		struct common common;
		survey_common(against->entries, against->count, s->entries, s->count, s->survey.insns, &common);
		fprintf(out, "  \"against\": {\"input\": \"");
		json_escaped(against->name, out);
		fprintf(out,
		    "\", \"common\": %" PRIu64 ", \"of\": %" PRIu64 ", \"executions\": %" PRIu64
		    ", \"of_executions\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"of_instructions\": %" PRIu64
		    ", \"overlap\": %.6f},\n",
		    common.paths, common.of, common.count, common.all, common.insns, common.all_insns, common.overlap);
	}
	fprintf(out, "  \"functions\": [");
	for (uint32_t i = 0; i < s->cfg->counts.functions; i++) {
		const struct paths_row *r = &s->survey.rows[i];
		if (r->count + r->pieces == 0 || (view->function != CFG_NONE && view->function != i))
			continue;
		fprintf(out, "%s\n    {\"index\": %" PRIu32 ", \"name\": \"", between, i);
		json_escaped(cfg_function_name(s->cfg, i, name), out);
		fprintf(out, "\", \"start\": %" PRIu64 ", ", s->cfg->functions[i].start);
		row(r, out);
		fprintf(out, "}");
		between = ",";
	}
	fprintf(out, "],\n  \"paths\": [");
	for (size_t i = 0; order != NULL && i < count; i++) {
		fprintf(out, "%s\n", i > 0 ? "," : "");
		print_path(s, order[i], out);
	}
	fprintf(out, "]}\n");
	free(order);
}
