/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases --levels: the layers of the grammar, each repetition with its runs. */
#include <inttypes.h>
#include <stdlib.h>
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"

uint32_t phases_layers_shown(const struct phases_view *v)
{
	const uint32_t wanted = v->levels > 1 ? v->levels - 1 : 0; /* paths are the first level, and no repetition */
	return wanted < v->repetitions.layers ? wanted : v->repetitions.layers;
}

char *phases_repetition_text(const struct phase_repetition *repetition)
{
	const size_t room = phase_grammar_text(&repetition->part, NULL, 0) + 1;
	char *text = malloc(room);
	if (text != NULL)
		phase_grammar_text(&repetition->part, text, room);
	return text;
}

uint64_t phases_segment_begin(const struct phases_view *v, uint32_t segment)
{
	if (segment >= v->segments.count)
		return v->total.at[PHASES_INSTRUCTION];
	return v->intervals.interval[v->segments.segment[segment].first].place.at[PHASES_INSTRUCTION];
}

void phases_print_layers(const struct phases_view *v, FILE *out)
{
	const struct phase_repetitions *all = &v->repetitions;
	const uint32_t shown = phases_layers_shown(v);
	const double run = (double)v->total.at[PHASES_INSTRUCTION];
	if (all->count == 0)
		return;
	if (shown > 0)
		fprintf(out, "\n  layer               runs  trips    share  repetition\n");
	for (uint32_t i = 0; i < all->count && all->repetition[i].layer <= shown; i++) {
		const struct phase_repetition *one = &all->repetition[i];
		char name[PHASE_LAYER_NAME_MAX], *text = phases_repetition_text(one);
		struct line line = {.width = v->wide ? LINE_WIDEST : line_width()};
		phase_layer_name(one->layer, name);
		line_add(&line, "  %-17s %6" PRIu32 " %6" PRIu32 "  %6.2f%%  %s", name, one->runs, one->trips,
		    run > 0 ? 100 * (double)one->instructions / run : 0, text != NULL ? text : "");
		fprintf(out, "%s\n", line.text);
		free(text);
	}
	if (shown < all->layers)
		fprintf(out, "  and %" PRIu32 " more of such layers: --levels=%" PRIu32 "\n", all->layers - shown,
		    all->layers + 1);
}

void phases_json_layers(const struct phases_view *v, struct json *json)
{
	const struct phase_repetitions *all = &v->repetitions;
	const uint32_t shown = phases_layers_shown(v);
	json_array(json, "layers");
	for (uint32_t i = 0; i < all->count && all->repetition[i].layer <= shown; i++) {
		const struct phase_repetition *one = &all->repetition[i];
		char name[PHASE_LAYER_NAME_MAX], *text = phases_repetition_text(one);
		phase_layer_name(one->layer, name);
		json_object(json, NULL);
		json_text(json, "layer", name);
		json_text(json, "repetition", text);
		json_number(json, "trips", one->trips);
		json_number(json, "runs", one->runs);
		json_number(json, "instructions", one->instructions);
		json_array(json, "at");
		for (uint32_t r = 0; r < all->runs; r++)
			if (all->run[r].repetition == i) {
				json_row(json, NULL);
				json_number(json, NULL, phases_segment_begin(v, all->run[r].first));
				json_number(json, NULL, phases_segment_begin(v, all->run[r].behind));
				json_array_end(json);
			}
		json_array_end(json);
		json_object_end(json);
		free(text);
	}
	json_array_end(json);
}
