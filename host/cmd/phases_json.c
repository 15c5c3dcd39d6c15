/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases --json (docs/phases.md). */
#include <stdlib.h>
#include "host/base/json.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"

static void put_phases_times(struct json *j, const struct phases_view *v)
{
	char *grammar = phases_grammar(v);
	if (grammar != NULL)
		json_text(j, "grammar", grammar);
	free(grammar);
	phases_put_layers(v, TABLE_JSON, NULL, j);
	phases_put_segments(v, TABLE_JSON, v->segments.count, NULL, j);
	json_array(j, "intervals");
	for (uint32_t i = 0; i < v->intervals.count; i++) {
		const struct interval *n = &v->intervals.interval[i];
		json_line(j, NULL);
		json_number(j, "instruction", n->place.at[PHASES_INSTRUCTION]);
		phases_json_cycle(j, v, "cycle", n->place.at[PHASES_CYCLE]);
		json_number(j, "instructions", n->instructions);
		json_number(j, "branches", n->branches);
		json_number(j, "lost", n->lost);
		json_text(j, "function", phases_function_at(v, n->function));
		for (unsigned d = 0; i > 0 && d < DETECTORS; d++)
			if (detector_change(&v->intervals, i, (enum detector)d, &v->limits))
				json_bool(j, detector_name(d), true);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_phases_marks(struct json *j, const struct phases_view *v)
{
	const struct phases_mark *mark;
	size_t count;
	json_array(j, "marks");
	if (phases_marks(v->file, &mark, &count) != PHASES_OK)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		json_line(j, NULL);
		static const char *const kinds[] = {"gap", "change", "firmware"}, *const values[] = {
										      "records", "times", "cycle"};
		json_text(j, "kind", kinds[mark[i].kind]);
		json_number(j, "instruction", mark[i].instruction);
		json_number(j, values[mark[i].kind], mark[i].value);
		json_object_end(j);
	}
	json_array_end(j);
}

void phases_print_json(const struct phases_view *v, FILE *out)
{
	struct json j;
	json_open(&j, out);
	json_number(&j, "version", 1);
	json_text(&j, "program", v->program);
	json_text(&j, "input", v->input);
	if (v->bytes > 0)
		json_number(&j, "bytes", v->bytes);
	else
		json_null(&j, "bytes");
	json_bool(&j, "whole", phases_end(v->file) != NULL && phases_end(v->file)->ending == PHASES_END_EXIT);
	phases_json_place(&j, v, "total", &v->total);
	json_number(&j, "distinct_paths", v->heat.paths);
	json_not_traced(&j, &v->remainder);
	phases_put_phases(v, TABLE_JSON, out, &j);
	if (v->clusters != NULL)
		phases_put_clusters(v, TABLE_JSON, NULL, &j);
	put_phases_times(&j, v);
	put_phases_marks(&j, v);
	finish_json(&j);
}
