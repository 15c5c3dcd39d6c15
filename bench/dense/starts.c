/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * What a receiver that begins in the middle costs, by several ways, one of which is built: bits an instruction of the
 * codes alone, without frames, on the records of a file. 256 entries, 1,024 places.
 * Usage: starts FILE.rvr BITS   A receiver can begin every 2^BITS traces. Prints for each way its bits an instruction.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/dense.h"
#include "common/record.h"
#include "host/records/records.h"

enum {
	NONE,      /* no start at all */
	CLEARED,   /* as built: everything is 0 at a start */
	ENTRIES,   /* the entries stay: nobody tells them to a new receiver */
	FOLLOWERS, /* the followers too */
	TOLD,      /* nothing is forgotten, but only what was told since the start is used: a bit for each says so */
	TRICKLED,  /* nothing is cleared: all entries, followers, places are told one after the other, once a round */
	LIVE,      /* of these what was used in the round; of the others a bit says that it was not */
	BOUND,     /* ... a start tells which traces come before the next one, but those that are written out anyway */
	WAYS
};
enum {
	SIZE_ENTRIES = 256,
	SIZE_PLACES = 1024,
	ENTRY_BITS = 8,
	PLACE_BITS = 17,
	TRACES_MAX = 1 << 16,
	STEP_TOLD = 4096
};

struct starts {
	struct dense_coder coder[BOUND];
	uint64_t run[BOUND], bits[WAYS];
	uint64_t traces, insns, step; /* step: traces from start to start */
	bool entry_used[SIZE_ENTRIES], place_used[SIZE_PLACES];
	bool entry_told[SIZE_ENTRIES], follower_told[SIZE_ENTRIES], place_told[SIZE_PLACES];
	struct dense_trace seen[TRACES_MAX]; /* a hash table */
	uint64_t seen_in[TRACES_MAX];        /* the last step in which it was, from 1 on; 0: free */
	uint64_t different;                  /* traces of the program */
	uint64_t told;                       /* traces of this step that a start would have to tell */
	uint64_t steps[STEP_TOLD];           /* steps in which it would be so many */
};

static unsigned group_bits(uint64_t value, unsigned size)
{
	unsigned bits = size + 1;
	while (value >>= size)
		bits += size + 1;
	return bits;
}

static unsigned reason_bits(unsigned reason)
{
	if (reason == TRACE_BACKWARD)
		return 1;
	return reason == TRACE_INDIRECT ? 2 : 6;
}

static unsigned trace_bits(const struct dense_trace *trace, uint64_t previous)
{
	return reason_bits(trace->reason) + group_bits((trace->start ^ previous) >> 1, 4) + group_bits(trace->hist, 4);
}

static unsigned count_bits(uint64_t run)
{
	return run == 0 ? 1 : 1 + group_bits(run - 1, 2);
}

/* A trace by one of the coders. Returns whether it is written out. */
static bool code_trace(struct starts *s, unsigned way, const struct dense_trace *trace, bool is_cut)
{
	struct dense_coder *c = &s->coder[way];
	const struct dense_place place = *dense_coder_place(c);
	const unsigned set = dense_coder_set(c, trace);
	unsigned number = set, bits;
	if (way == NONE)
		s->place_used[c->hash] = true;
	if (!is_cut && dense_same_trace(&c->entry[place.first], trace)) {
		s->run[way]++;
		if (way == NONE)
			s->entry_used[place.first] = true;
		dense_coder_step(c, place.first, true);
		return false;
	}
	const bool match0 = dense_same_trace(&c->entry[set], trace),
		   match1 = dense_same_trace(&c->entry[set | 1], trace);
	const bool misses = is_cut || !(match0 || match1);
	number = set | (match0 ? 0 : match1 || c->victim);
	if (misses)
		bits = 4 + trace_bits(trace, c->previous) + (is_cut ? 5 : 0);
	else if (number == place.second)
		bits = 1;
	else
		bits = number == c->follower[c->last] ? 2 : 3 + ENTRY_BITS;
	s->bits[way] += count_bits(s->run[way]) + bits;
	s->run[way] = 0;
	if (is_cut)
		return true;
	if (way == NONE)
		s->entry_used[number] = true;
	dense_coder_step(c, number, false);
	if (misses)
		dense_coder_enter(c, trace);
	return misses;
}

/*
 * A trace by the coder that forgets nothing, but says what was not told since the start: an entry by its trace, a place
 * or a follower by the number that comes next there, as if it were empty.
 */
static void code_told(struct starts *s, const struct dense_trace *trace, bool is_cut)
{
	struct dense_coder *c = &s->coder[TOLD];
	struct dense_place *place = &c->place[c->hash];
	const unsigned set = dense_coder_set(c, trace);
	const bool match0 = dense_same_trace(&c->entry[set], trace),
		   match1 = dense_same_trace(&c->entry[set | 1], trace);
	const unsigned number = set | (match0 ? 0 : match1 || c->victim);
	const bool is_told = !is_cut && (match0 || match1) && s->entry_told[number];
	unsigned bits = 3 + ENTRY_BITS;
	if (!s->place_told[c->hash])
		*place = (struct dense_place){0};
	if (is_told && s->place_told[c->hash] && number == place->first) {
		s->run[TOLD]++;
		dense_coder_step(c, number, true);
		return;
	}
	if (!is_told)
		bits = 4 + trace_bits(trace, c->previous) + (is_cut ? 5 : 0);
	else if (s->place_told[c->hash] && number == place->second)
		bits = 1;
	else if (s->follower_told[c->last] && number == c->follower[c->last])
		bits = 2;
	s->bits[TOLD] += count_bits(s->run[TOLD]) + bits;
	s->run[TOLD] = 0;
	if (is_cut)
		return;
	s->place_told[c->hash] = s->follower_told[c->last] = s->entry_told[number] = true;
	dense_coder_step(c, number, false);
	if (match0 || match1)
		c->previous = is_told ? c->previous : trace->start;
	else
		dense_coder_enter(c, trace);
}

static void begin_told(struct starts *s)
{
	struct dense_coder *c = &s->coder[TOLD];
	s->bits[TOLD] += count_bits(s->run[TOLD]) + 4;
	s->run[TOLD] = 0;
	c->hash = c->last = 0;
	c->previous = 0;
	memset(s->entry_told, 0, sizeof s->entry_told);
	memset(s->follower_told, 0, sizeof s->follower_told);
	memset(s->place_told, 0, sizeof s->place_told);
}

/* A start, by a coder that forgets a part. */
static void begin_anew(struct starts *s, unsigned way)
{
	struct dense_coder *c = &s->coder[way];
	struct dense_coder before = *c;
	s->bits[way] += count_bits(s->run[way]) + 4;
	s->run[way] = 0;
	dense_coder_start(c, SIZE_ENTRIES, SIZE_PLACES);
	if (way >= ENTRIES)
		memcpy(c->entry, before.entry, sizeof c->entry);
	if (way >= FOLLOWERS)
		memcpy(c->follower, before.follower, sizeof c->follower);
}

/* What a round tells of the coder that forgets nothing. */
static void tell_round(struct starts *s)
{
	const struct dense_coder *c = &s->coder[NONE];
	for (unsigned i = 0; i < SIZE_ENTRIES; i++) {
		const unsigned all = c->entry[i].hist == 0 ? 1 : 1 + trace_bits(&c->entry[i], 0) + ENTRY_BITS;
		s->bits[TRICKLED] += all;
		s->bits[LIVE] += s->entry_used[i] ? all : 1;
	}
	for (unsigned i = 0; i < SIZE_PLACES; i++) {
		s->bits[TRICKLED] += PLACE_BITS;
		s->bits[LIVE] += s->place_used[i] ? 1 + PLACE_BITS : 1;
	}
	s->steps[s->told < STEP_TOLD ? s->told : STEP_TOLD - 1]++;
	s->told = 0;
	memset(s->entry_used, 0, sizeof s->entry_used);
	memset(s->place_used, 0, sizeof s->place_used);
}

/* The first of its kind in this step has to be told, if it is not anyway. */
static void note_trace(struct starts *s, const struct dense_trace *trace, bool is_told)
{
	const uint64_t now = s->traces / s->step + 1;
	uint64_t at = (trace->start * 0x9E3779B97F4A7C15u ^ trace->hist * 0xC2B2AE3D27D4EB4Fu) >> 40;
	for (;; at++) {
		at %= TRACES_MAX;
		if (s->seen_in[at] == 0 || dense_same_trace(&s->seen[at], trace))
			break;
	}
	s->different += s->seen_in[at] == 0;
	s->told += s->seen_in[at] != now && !is_told;
	s->seen[at] = *trace;
	s->seen_in[at] = now;
}

static void take_trace(struct starts *s, const struct record *record)
{
	const struct dense_trace trace = {record->start, record->hist, record->reason};
	const bool is_cut = record_reason_cut(record->reason);
	if (s->traces % s->step == 0 && s->traces > 0) {
		for (unsigned way = CLEARED; way <= FOLLOWERS; way++)
			begin_anew(s, way);
		begin_told(s);
		tell_round(s);
	}
	const bool is_told = code_trace(s, NONE, &trace, is_cut);
	for (unsigned way = CLEARED; way <= FOLLOWERS; way++)
		code_trace(s, way, &trace, is_cut);
	code_told(s, &trace, is_cut);
	if (s->different < TRACES_MAX / 2)
		note_trace(s, &trace, is_told);
	s->traces++;
	s->insns += record->insns;
}

/* Which so many of all traces: the bits of their choice, each way alike. */
static double choice_bits(double all, double count)
{
	return count > all ? 0 : (lgamma(all + 1) - lgamma(count + 1) - lgamma(all - count + 1)) / log(2);
}

static uint64_t least_bits(const struct starts *s)
{
	double bits = 0;
	for (unsigned told = 1; told < STEP_TOLD; told++)
		bits += (double)s->steps[told] * choice_bits((double)s->different, told);
	return (uint64_t)bits;
}

int main(int argc, char **argv)
{
	static struct starts s;
	static const char *const names[WAYS] = {
	    "none", "cleared", "entries", "followers", "told", "trickled", "live", "bound"};
	struct records *records;
	struct record record;
	struct record_place place;
	char detail[512];
	if (argc != 3 || records_open(&records, argv[1], detail, sizeof detail) != RECORDS_OK) {
		fprintf(stderr, "usage: starts FILE.rvr BITS\n");
		return 2;
	}
	s.step = UINT64_C(1) << strtoul(argv[2], NULL, 0);
	for (unsigned way = NONE; way < BOUND; way++)
		dense_coder_start(&s.coder[way], SIZE_ENTRIES, SIZE_PLACES);
	while (records_next(records, &record, &place) == 1)
		for (uint64_t i = 0; i < record.count; i++)
			take_trace(&s, &record);
	s.bits[TRICKLED] += s.bits[NONE];
	s.bits[LIVE] += s.bits[NONE];
	s.bits[BOUND] = s.bits[NONE] + least_bits(&s);
	for (unsigned way = NONE; way < WAYS; way++)
		printf("%s %.6f\n", names[way], (double)s.bits[way] / (double)s.insns);
	printf("traces %.3f\n", (double)s.insns / (double)s.traces);
	records_close(records);
	return 0;
}
