/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Chrome's trace event format, as Perfetto (ui.perfetto.dev) and chrome://tracing read it: each call as a slice. A
 * cycle is written as a microsecond. */
#include "host/base/json.h"
#include "host/export/export.h"

struct writer {
	const struct export_input *input;
	struct json j;
};

static void begin_event(struct json *j, const char *phase)
{
	json_line(j, NULL);
	json_text(j, "ph", phase);
	json_number(j, "pid", 1);
	json_number(j, "tid", 1);
}

static void say_chrome_event(void *context, bool opens, uint32_t spot, uint64_t at, uint32_t depth)
{
	struct writer *w = context;
	char text[SPOTS_NAME];
	(void)depth;
	begin_event(&w->j, opens ? "B" : "E");
	json_number(&w->j, "ts", at);
	json_text(&w->j, "name", spots_name(w->input->spots, spot, text));
	json_object_end(&w->j);
}

int export_chrome(const struct export_input *input, FILE *out)
{
	struct writer w = {.input = input};
	struct json *j = &w.j;
	if (input->timeline == NULL)
		return EXPORT_EORDER;
	json_open_compact(j, out);
	json_text(j, "displayTimeUnit", "ns");
	json_line(j, "otherData");
	json_text(j, "exporter", "rivulet");
	json_text(j, "unit", input->timed ? "1 us is 1 cycle" : "1 us is 1 instruction");
	json_number(j, "grain", input->timeline->grain);
	json_object_end(j);
	json_array(j, "traceEvents");
	begin_event(j, "M");
	json_text(j, "name", "process_name");
	json_object(j, "args");
	json_text(j, "name", input->name);
	json_object_end(j);
	json_object_end(j);
	int error = timeline_walk(
	    input->timeline, input->result->nodes, input->result->node_count, input->spots, say_chrome_event, &w);
	json_array_end(j);
	bool whole = json_close(j);
	if (error != GATHER_OK || !whole)
		return EXPORT_ENOMEM;
	return ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
