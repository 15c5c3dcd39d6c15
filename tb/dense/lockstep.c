/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The dense coder against its model, and both against the receiver: random records, or those of a program at the cycles
 * in which they left the trace unit. --help says how.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/records/records.h"
#include "tb/dense/judge.h"
#include "tb/dense/stimulus.h"
#include "tb/dense/units.h"

enum status { PASSED = 0, DIFFERENT = 1, NOT_REACHED = 2, TROUBLE = 4 };
enum { RESET_CYCLES = 2, RESET_ONE_IN = 40000, DRAIN_CYCLES = 4000000 };

enum signal { SIGNAL_VALID, SIGNAL_BYTE, SIGNAL_BUSY, SIGNALS };
static const char *const signal_names[SIGNALS] = {"byte_valid", "byte", "busy"};

struct pair {
	const struct dense_unit *unit;
	struct dense *model;
	struct dense_rtl *rtl;
	struct dense_judge *judge;
	uint64_t cycle, inject_from, bytes;
	uint8_t last;    /* byte */
	unsigned inject; /* a signal whose lowest bit is another in the RTL from inject_from on, or SIGNALS */
};

/* ---------------------------------------------------------------- what a run has to reach */

enum reached {
	SECOND_GUESS,
	FOLLOWED,
	OTHER_ENTRY,
	NEW_ENTRY,
	CUT_OFF,
	STEADY,
	LOSS,
	TOO_MANY,
	DUE_START,
	ASKED_START,
	FULL_FRAME,
	SHORT_FRAME,
	ESCAPE,
	BUFFER_FULL,
	REACHED
};
static const char *const reached_names[REACHED] = {[SECOND_GUESS] = "a second guess",
    [FOLLOWED] = "a follower",
    [OTHER_ENTRY] = "another entry",
    [NEW_ENTRY] = "a new entry",
    [CUT_OFF] = "a trace cut off",
    [STEADY] = "a guess a cycle",
    [LOSS] = "a loss",
    [TOO_MANY] = "a repeat count too high",
    [DUE_START] = "a start that is due",
    [ASKED_START] = "a start that is asked for",
    [FULL_FRAME] = "a full frame",
    [SHORT_FRAME] = "a flushed frame",
    [ESCAPE] = "an escaped byte",
    [BUFFER_FULL] = "a full buffer"};

static void observe(const struct dense *d, const struct dense_in *in, bool seen[REACHED])
{
	const struct dense_config *c = &d->config;
	const bool event = d->state == DENSE_EVENT, flag = d->state == DENSE_FLAG;
	const bool full = (d->number >> c->check_bits & 1) != d->parity;
	const bool due = (d->number >> c->start_bits & 1) != d->epoch;
	if (event && d->event < DENSE_END)
		seen[SECOND_GUESS + d->event] = true;
	seen[CUT_OFF] |= d->state == DENSE_INSNS;
	seen[LOSS] |= d->state == DENSE_LOST;
	seen[TOO_MANY] |= in->rec_valid && in->repeat >> c->repeat_bits != 0;
	seen[DUE_START] |= flag && due && !d->restart;
	seen[ASKED_START] |= flag && d->restart;
	seen[FULL_FRAME] |= flag && full;
	seen[SHORT_FRAME] |= flag && !full && !d->restart && !d->losing;
	seen[ESCAPE] |= d->pack.escaped;
	seen[BUFFER_FULL] |= d->pack.stage && d->buffer.wr - d->buffer.rd == c->buffer;
}

/* ---------------------------------------------------------------- both, cycle by cycle */

static bool pair_reset(struct pair *p)
{
	struct dense_out out;
	for (unsigned i = 0; i < RESET_CYCLES; i++)
		p->unit->rtl->cycle(p->rtl, true, &(struct dense_in){0}, &out);
	dense_reset(p->model, &p->unit->config);
	p->last = DENSE_FLAG_BYTE;
	return dense_judge_reset(p->judge);
}

static void pair_close(struct pair *p)
{
	if (p->rtl != NULL)
		p->unit->rtl->close(p->rtl);
	dense_judge_close(p->judge);
	free(p->model);
}

static bool pair_open(struct pair *p, const struct dense_unit *unit, uint64_t seed)
{
	*p = (struct pair){.unit = unit, .inject = SIGNALS};
	p->model = calloc(1, sizeof *p->model);
	p->rtl = unit->rtl->open((uint32_t)seed);
	p->judge = dense_judge_open();
	if (p->model != NULL && p->rtl != NULL && p->judge != NULL && pair_reset(p))
		return true;
	fputs("lockstep: no memory\n", stderr);
	pair_close(p);
	return false;
}

static bool compare(const struct pair *p, const struct dense_out *rtl, const struct dense_out *model)
{
	unsigned got[SIGNALS] = {rtl->byte_valid, rtl->byte, rtl->busy};
	const unsigned expected[SIGNALS] = {model->byte_valid, model->byte, model->busy};
	if (p->inject < SIGNALS && p->cycle >= p->inject_from)
		got[p->inject] ^= 1;
	for (unsigned i = 0; i < SIGNALS; i++) {
		if (got[i] == expected[i] || (i == SIGNAL_BYTE && !model->byte_valid))
			continue;
		printf("%s: cycle %" PRIu64 ": %s is %x in the RTL, %x in the model\n", p->unit->name, p->cycle,
		    signal_names[i], got[i], expected[i]);
		return false;
	}
	return true;
}

static bool pair_cycle(struct pair *p, const struct dense_in *in, struct dense_out *out)
{
	struct dense_out rtl;
	p->unit->rtl->cycle(p->rtl, false, in, &rtl);
	dense_cycle(p->model, in, out);
	if (!compare(p, &rtl, out))
		return false;
	dense_judge_in(p->judge, in);
	if (rtl.byte_valid && in->byte_ready) {
		dense_judge_out(p->judge, rtl.byte);
		p->last = rtl.byte;
		p->bytes++;
	}
	const char *wrong = dense_judge_wrong(p->judge);
	if (!rtl.busy && p->last != DENSE_FLAG_BYTE)
		wrong = "not busy, and a frame is open";
	if (wrong != NULL)
		printf("%s: cycle %" PRIu64 ": %s\n", p->unit->name, p->cycle, wrong);
	p->cycle++;
	return wrong == NULL;
}

/* Until all is out. */
static bool pair_drain(struct pair *p)
{
	struct dense_out out = {.busy = true};
	for (unsigned i = 0; i < DRAIN_CYCLES && out.busy; i++)
		if (!pair_cycle(p, &(struct dense_in){.flush = true, .byte_ready = true}, &out))
			return false;
	if (dense_judge_complete(p->judge))
		return true;
	printf("%s: cycle %" PRIu64 ": not all traces came out\n", p->unit->name, p->cycle);
	return false;
}

/* ---------------------------------------------------------------- random records */

static int report_run(const struct pair *p, const bool seen[REACHED])
{
	int status = PASSED;
	printf("%-12s %9" PRIu64 " cycles %9" PRIu64 " bytes", p->unit->name, p->cycle, p->bytes);
	for (unsigned i = 0; i < REACHED; i++)
		if (!seen[i]) {
			printf("%s%s", status != PASSED ? ", " : ", not reached: ", reached_names[i]);
			status = NOT_REACHED;
		}
	putchar('\n');
	return status;
}

static int run_random(const struct dense_unit *unit, uint64_t seed, uint64_t cycles, unsigned inject)
{
	struct pair p;
	struct dense_stimulus *stimulus = malloc(sizeof *stimulus);
	bool seen[REACHED] = {false}, same = true;
	if (stimulus == NULL || !pair_open(&p, unit, seed)) {
		free(stimulus);
		return TROUBLE;
	}
	dense_stimulus_init(stimulus, &unit->config, seed);
	p.inject = inject;
	p.inject_from = cycles / 2;
	while (same && p.cycle < cycles) {
		struct dense_in in;
		struct dense_out out;
		dense_stimulus_cycle(stimulus, &in);
		observe(p.model, &in, seen);
		const bool ready = p.model->state == DENSE_READY;
		const uint32_t run = p.model->run;
		same = pair_cycle(&p, &in, &out);
		seen[STEADY] |= ready && p.model->state == DENSE_READY && p.model->run > run;
		if (same && dense_stimulus_draw(stimulus, RESET_ONE_IN) == 0)
			same = pair_reset(&p);
	}
	same = same && pair_drain(&p);
	const int status = same ? report_run(&p, seen) : DIFFERENT;
	pair_close(&p);
	free(stimulus);
	return status;
}

/* ---------------------------------------------------------------- the records of a program */

/* Records leave the unit in the cycles of the file; a byte is taken every `link` cycles. */
static bool feed_records(struct pair *p, struct records *records, unsigned link, uint64_t *insns)
{
	struct record record;
	struct record_place place;
	uint64_t first = 0;
	while (records_next(records, &record, &place) == 1) {
		struct dense_out out;
		struct dense_in in = {.start = record.start,
		    .hist = record.hist,
		    .reason = record.reason,
		    .repeat = (uint32_t)record.count,
		    .insns = (uint16_t)record.insns};
		*insns += record.count * record.insns;
		if (first == 0)
			first = place.time;
		do {
			in.rec_valid = p->cycle >= place.time - first;
			in.byte_ready = p->cycle % link == 0;
			if (!pair_cycle(p, &in, &out))
				return false;
		} while (!in.rec_valid);
	}
	return pair_drain(p);
}

static int run_records(const struct dense_unit *unit, const char *path, unsigned link)
{
	struct pair p;
	struct records *records;
	char detail[512];
	uint64_t insns = 0;
	if (records_open(&records, path, detail, sizeof detail) != RECORDS_OK) {
		fprintf(stderr, "lockstep: %s\n", detail);
		return TROUBLE;
	}
	if (!pair_open(&p, unit, 1)) {
		records_close(records);
		return TROUBLE;
	}
	const bool same = feed_records(&p, records, link, &insns);
	const struct dense_reader_counts *c = dense_judge_counts(p.judge);
	if (same)
		printf("%s: %" PRIu64 " traces, %" PRIu64 " lost, %" PRIu64 " bytes, %.4f bits an instruction\n", path,
		    c->traces, c->lost, p.bytes, 8.0 * (double)p.bytes / (double)insns);
	pair_close(&p);
	records_close(records);
	return same ? PASSED : DIFFERENT;
}

/* ---------------------------------------------------------------- the command line */

static const char help[] =
    "usage: lockstep [--seed N] [--cycles N] [--inject SIGNAL] [--link N] [--records FILE.rvr] [CONFIGURATION]\n"
    "Runs the dense coder and its golden model together, and holds what their bytes say against what went in: random\n"
    "records, in the named configuration or in all of tb/dense/configs.def; or the records of a program.\n"
    "\n"
    "  --seed N         of the inputs (default 1)\n"
    "  --cycles N       in each configuration (default 300000)\n"
    "  --inject SIGNAL  invert the lowest bit of an output of the RTL in the second half: the bench must notice\n"
    "  --records FILE   these, in the cycles in which they left the trace unit\n"
    "  --link N         with --records: a byte is taken every N cycles (default 1)\n"
    "  --list           print the configurations\n"
    "  --list-signals   print what is compared\n"
    "\n"
    "Exit status: 0 all the same, 1 a difference, 2 a run did not reach what it has to, 4 it could not be run.\n";

struct arguments {
	uint64_t seed, cycles, link;
	unsigned inject;
	const char *records, *unit; /* NULL: random; all */
};

static bool take_number(const char *text, uint64_t *value)
{
	char *end;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool take_inject(struct arguments *a, const char *name)
{
	for (a->inject = 0; a->inject < SIGNALS && strcmp(signal_names[a->inject], name) != 0;)
		a->inject++;
	return a->inject < SIGNALS;
}

static bool take_option(struct arguments *a, const char *option, const char *value)
{
	if (strcmp(option, "--seed") == 0)
		return take_number(value, &a->seed);
	if (strcmp(option, "--cycles") == 0)
		return take_number(value, &a->cycles);
	if (strcmp(option, "--link") == 0)
		return take_number(value, &a->link) && a->link > 0;
	if (strcmp(option, "--inject") == 0)
		return take_inject(a, value);
	a->records = value;
	return strcmp(option, "--records") == 0;
}

static bool take_arguments(struct arguments *a, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--", 2) != 0)
			a->unit = argv[i];
		else if (i + 1 == argc || !take_option(a, argv[i], argv[i + 1]))
			return false;
		else
			i++;
	}
	return true;
}

static bool print_list(const char *what)
{
	if (strcmp(what, "--help") == 0)
		fputs(help, stdout);
	else if (strcmp(what, "--list") == 0)
		for (size_t u = 0; u < dense_units_count; u++)
			puts(dense_units[u].name);
	else if (strcmp(what, "--list-signals") == 0)
		for (unsigned s = 0; s < SIGNALS; s++)
			puts(signal_names[s]);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct arguments a = {.seed = 1, .cycles = 300000, .link = 1, .inject = SIGNALS};
	unsigned ran = 0, differences = 0;
	int status = PASSED;
	if (argc == 2 && print_list(argv[1]))
		return PASSED;
	if (!take_arguments(&a, argc, argv)) {
		fputs("lockstep: not understood; see --help\n", stderr);
		return TROUBLE;
	}
	for (size_t u = 0; u < dense_units_count; u++) {
		const struct dense_unit *unit = &dense_units[u];
		if (a.unit != NULL && strcmp(a.unit, unit->name) != 0)
			continue;
		const int result = a.records != NULL ? run_records(unit, a.records, (unsigned)a.link)
						     : run_random(unit, a.seed, a.cycles, a.inject);
		ran++;
		differences += result == DIFFERENT;
		if (status == PASSED || result == DIFFERENT || result == TROUBLE)
			status = result;
		fflush(stdout);
	}
	printf("check-dense: %u configurations, %u differences\n", ran, differences);
	return ran == 0 ? TROUBLE : status;
}
