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
