/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Chrome's trace event format, as Perfetto (ui.perfetto.dev) and chrome://tracing read it: each call as a slice. A
 * cycle is written as a microsecond. */
#include <inttypes.h>
#include "host/export/export.h"
#include "host/export/text.h"

struct writer {
	const struct export_input *input;
	FILE *out;
};

static void say(void *context, bool opens, uint32_t spot, uint64_t at, uint32_t depth)
{
	const struct writer *w = context;
	char text[24];
	(void)depth;
	fprintf(w->out, ",\n{\"ph\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%" PRIu64 ",\"name\":", opens ? "B" : "E", at);
	text_json(w->out, spots_name(w->input->spots, spot, text));
	fputc('}', w->out);
}

int export_chrome(const struct export_input *input, FILE *out)
{
	struct writer w = {input, out};
	if (input->timeline == NULL)
		return EXPORT_EORDER;
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"rivulet\",\"unit\":", out);
	fprintf(out, "\"1 us is 1 %s\",\"grain\":%" PRIu64 "},\n\"traceEvents\":[\n",
	    input->timed ? "cycle" : "instruction", input->timeline->grain);
	fputs("{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":", out);
	text_json(out, input->name);
	fputs("}}", out);
	int error =
	    timeline_walk(input->timeline, input->result->nodes, input->result->node_count, input->spots, say, &w);
	fputs("\n]}\n", out);
	return error != GATHER_OK ? EXPORT_ENOMEM : ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
