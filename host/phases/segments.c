/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/segments.h"

#include <stdlib.h>
#include <string.h>

void segments_config_default(struct segments_config *config)
{
	*config = (struct segments_config){.distance = 0.3, .shortest = 0.01};
}

static void mix_vectors(
    float to[INTERVAL_DIMENSIONS], double to_weight, const float from[INTERVAL_DIMENSIONS], double weight)
{
	for (unsigned d = 0; d < INTERVAL_DIMENSIONS; d++)
		to[d] = (float)((to[d] * to_weight + from[d] * weight) / (to_weight + weight));
}

/* How much it costs to make two neighbours one. Two that are near enough for one phase come before all others. */
static double cost_of_joining(const struct segment *a, const struct segment *b, double distance)
{
	const double d = interval_distance(a->vector, b->vector);
	return (d <= distance ? d / 1e6 : d) * (a->count < b->count ? a->count : b->count);
}

/* What the segment and the next one cost, if there are both. */
static void set_join_cost(struct segments *s, uint32_t at, double distance)
{
	if (at + 1 < s->count)
		s->segment[at].cost = cost_of_joining(&s->segment[at], &s->segment[at + 1], distance);
}

/* Joins the cheapest two neighbours until the cheapest costs more than limit. Quadratic in the number of segments,
 * which the first pass over equal neighbours makes small; but only two costs change when two are joined. */
static void join_segments(struct segments *s, double limit, double distance)
{
	for (uint32_t i = 0; i < s->count; i++)
		set_join_cost(s, i, distance);
	for (;;) {
		uint32_t best = UINT32_MAX;
		double least = limit;
		for (uint32_t i = 0; i + 1 < s->count; i++) {
			const double c = s->segment[i].cost;
			if (c <= least) {
				least = c;
				best = i;
				if (c == 0)
					break;
			}
		}
		if (best == UINT32_MAX)
			return;
		struct segment *a = &s->segment[best];
		mix_vectors(a->vector, a->count, a[1].vector, a[1].count);
		a->count += a[1].count;
		memmove(a + 1, a + 2, (s->count - best - 2) * sizeof *a);
		s->count--;
		set_join_cost(s, best, distance);
		if (best > 0)
			set_join_cost(s, best - 1, distance);
	}
}

/* The phase may be a new one, the next number. */
static void add_to_phase(struct segments *s, const struct intervals *in, const struct phases_place *end,
    struct segment *segment, uint32_t number)
{
	struct phase *phase = &s->phase[number];
	s->phases += number == s->phases;
	mix_vectors(phase->vector, phase->intervals, segment->vector, segment->count);
	segment->phase = number;
	phase->segments++;
	phase->intervals += segment->count;
	for (uint32_t k = segment->first; k < segment->first + segment->count; k++)
		phase->instructions += in->interval[k].instructions;
	const uint32_t behind = segment->first + segment->count;
	const struct phases_place *to = behind < in->count ? &in->interval[behind].place : end;
	phase->cycles += to->at[PHASES_CYCLE] - in->interval[segment->first].place.at[PHASES_CYCLE];
}

static int name_phases(struct segments *s, const struct intervals *in, const struct phases_place *end, double distance)
{
	s->phase = calloc(s->count, sizeof *s->phase);
	if (s->phase == NULL && s->count > 0)
		return PHASES_ENOMEM;
	for (uint32_t i = 0; i < s->count; i++) {
		struct segment *segment = &s->segment[i];
		uint32_t best = s->phases;
		double least = distance;
		for (uint32_t p = 0; p < s->phases; p++) {
			const double d = interval_distance(s->phase[p].vector, segment->vector);
			if (d <= least) {
				least = d;
				best = p;
			}
		}
		add_to_phase(s, in, end, segment, best);
	}
	return PHASES_OK;
}

/* What an interval has in other blocks than its phase: half of the distance, as each of them is missing elsewhere. */
static double interval_apart(const struct interval *interval, const struct phase *phase)
{
	return interval_distance(interval->vector, phase->vector) / 2 * (double)interval->instructions;
}

static void find_apart(struct segments *s, const struct intervals *in)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct phase *phase = &s->phase[s->segment[i].phase];
		for (uint32_t k = 0; k < s->segment[i].count; k++)
			phase->apart += interval_apart(&in->interval[s->segment[i].first + k], phase);
	}
	for (uint32_t p = 0; p < s->phases; p++)
		if (s->phase[p].instructions > 0)
			s->phase[p].apart /= (double)s->phase[p].instructions;
}

double segments_apart(const struct segments *segments, const struct intervals *own, const struct intervals *seen)
{
	double apart = 0, all = 0;
	uint32_t at = 0;
	for (uint32_t i = 0; i < seen->count && segments->count > 0; i++) {
		const uint64_t place = seen->interval[i].place.at[PHASES_INSTRUCTION];
		while (at + 1 < segments->count &&
		       own->interval[segments->segment[at + 1].first].place.at[PHASES_INSTRUCTION] <= place)
			at++;
		apart += interval_apart(&seen->interval[i], &segments->phase[segments->segment[at].phase]);
		all += (double)seen->interval[i].instructions;
	}
	return all > 0 ? apart / all : 0;
}

int segments_make(struct segments *segments, const struct intervals *intervals, const struct phases_place *end,
    const struct segments_config *config)
{
	*segments = (struct segments){.segment = calloc(intervals->count + 1, sizeof *segments->segment)};
	if (segments->segment == NULL)
		return PHASES_ENOMEM;
	for (uint32_t i = 0; i < intervals->count; i++) {
		struct segment *s = &segments->segment[segments->count];
		*s = (struct segment){.first = i, .count = 1};
		memcpy(s->vector, intervals->interval[i].vector, sizeof s->vector);
		struct segment *last = s - 1;
		if (i > 0 && interval_distance(last->vector, s->vector) < 0.02) { /* nearly the same */
			mix_vectors(last->vector, last->count, s->vector, 1);
			last->count++;
		} else
			segments->count++;
	}
	const uint32_t scale = intervals->count < 500 ? intervals->count : 500;
	join_segments(segments, config->shortest * scale, config->distance);
	int error = name_phases(segments, intervals, end, config->distance);
	if (error == PHASES_OK)
		find_apart(segments, intervals);
	else
		segments_free(segments);
	return error;
}

int segments_of_labels(
    struct segments *segments, const struct intervals *intervals, const struct phases_place *end, const uint32_t *label)
{
	*segments = (struct segments){.segment = calloc(intervals->count + 1, sizeof *segments->segment),
	    .phase = calloc(intervals->count + 1, sizeof *segments->phase)};
	if (segments->segment == NULL || segments->phase == NULL) {
		segments_free(segments);
		return PHASES_ENOMEM;
	}
	for (uint32_t i = 0; i < intervals->count; i++) {
		const float *vector = intervals->interval[i].vector;
		if (i > 0 && label[i] == label[i - 1]) {
			struct segment *last = &segments->segment[segments->count - 1];
			mix_vectors(last->vector, last->count++, vector, 1);
			continue;
		}
		struct segment *s = &segments->segment[segments->count++];
		*s = (struct segment){.first = i, .count = 1};
		memcpy(s->vector, vector, sizeof s->vector);
	}
	for (uint32_t i = 0; i < segments->count; i++) {
		uint32_t before = 0; /* the first segment with this label */
		while (label[segments->segment[before].first] != label[segments->segment[i].first])
			before++;
		add_to_phase(segments, intervals, end, &segments->segment[i],
		    before < i ? segments->segment[before].phase : segments->phases);
	}
	find_apart(segments, intervals);
	return PHASES_OK;
}

void segments_free(struct segments *segments)
{
	free(segments->segment);
	free(segments->phase);
	*segments = (struct segments){0};
}

void phase_name(uint32_t phase, char text[PHASE_NAME_MAX])
{
	char *at = text + PHASE_NAME_MAX - 1;
	*at = '\0';
	for (uint64_t n = (uint64_t)phase + 1; n > 0; n = (n - 1) / 26)
		*--at = (char)('A' + (n - 1) % 26);
	memmove(text, at, strlen(at) + 1);
}
