/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The N-Trace encoder alone against model/ntrace: random cores and drivers, or a program. --help says how. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tb/ntrace/lockstep.h"
#include "tb/ntrace/stimulus.h"

/* ---------------------------------------------------------------- what a run has to reach */

enum reached {
	/* by TCODE */
	OWNERSHIP = 2,
	DIRECT = 3,
	INDIRECT = 4,
	ERROR = 8,
	SYNC = 9,
	DIRECT_SYNC = 11,
	INDIRECT_SYNC = 12,
	FULL = 27,
	INDIRECT_HIST = 28,
	INDIRECT_HIST_SYNC = 29,
	REPEAT = 30,
	STOP = 33,
	DROP = 64,
	STALL,
	HOLD,
	AGAIN,
	WRAP,
	HIT,
	TIMED,
	OUT_OF_SCOPE,
	REACHED
};
static const char *const reached_names[REACHED] = {[OWNERSHIP] = "Ownership",
    [DIRECT] = "DirectBranch",
    [INDIRECT] = "IndirectBranch",
    [ERROR] = "Error",
    [SYNC] = "ProgTraceSync",
    [DIRECT_SYNC] = "DirectBranchSync",
    [INDIRECT_SYNC] = "IndirectBranchSync",
    [FULL] = "ResourceFull",
    [INDIRECT_HIST] = "IndirectBranchHist",
    [INDIRECT_HIST_SYNC] = "IndirectBranchHistSync",
    [REPEAT] = "RepeatBranch",
    [STOP] = "ProgTraceCorrelation",
    [DROP] = "an event that is lost",
    [STALL] = "a stalled core",
    [HOLD] = "a history that is held",
    [AGAIN] = "a branch message that is counted",
    [WRAP] = "a wrapped sink",
    [HIT] = "an inferred return",
    [TIMED] = "a message with its time",
    [OUT_OF_SCOPE] = "an instruction that a filter keeps out"};

static bool is_possible(const struct ntrace_config *c, unsigned point)
{
	switch (point) {
	case OWNERSHIP:
		return c->with_owner;
	case DIRECT:
	case DIRECT_SYNC:
		return c->with_btm;
	case REPEAT:
	case HOLD:
	case AGAIN:
		return c->with_repeat;
	case STALL:
		return c->with_stall;
	case WRAP:
		return (c->sink_words > 0 && c->sink_words <= 256) || c->with_smem;
	case HIT:
		return c->returns == 8 && c->filters == 0; /* random code seldom returns to where it was called from */
	case TIMED:
		return c->time_bits > 0;
	case OUT_OF_SCOPE:
		return c->filters > 0;
	case DROP:
	case ERROR:
		return c->queue_depth < 512;
	default:
		return reached_names[point] != NULL;
	}
}

static void observe_cycle(const struct ntrace *t, const struct ntrace_out *out, bool seen[REACHED])
{
	if (t->did.tcode != 0)
		seen[t->did.tcode] = true;
	seen[DROP] |= t->did.drop;
	seen[STALL] |= out->stall;
	seen[HOLD] |= t->did.hold;
	seen[AGAIN] |= t->did.again;
	seen[WRAP] |= t->sink.wrap;
	seen[HIT] |= t->queue.valid && t->queue.data.kind == NTRACE_RETURN && t->regs.returns && t->regs.compare &&
		     t->stack.depth > 0 && t->stack.top == t->queue.data.next;
	seen[TIMED] |= t->regs.ts_enable && t->did.tcode == SYNC;
	seen[OUT_OF_SCOPE] |= t->regs.choice != 0 && t->did.tcode == STOP;
}

/* ---------------------------------------------------------------- random runs */

static int report_run(const struct ntrace_pair *pair, const bool seen[REACHED], uint64_t bytes)
{
	int status = NTRACE_PASSED;
	printf("%-18s %9" PRIu64 " cycles %9" PRIu64 " bytes", pair->unit->name, pair->cycle, bytes);
	for (unsigned i = 0; i < REACHED; i++)
		if (reached_names[i] != NULL && is_possible(&pair->model->config, i) && !seen[i]) {
			printf("%s%s", status != 0 ? ", " : ", not reached: ", reached_names[i]);
			status = NTRACE_NOT_REACHED;
		}
	putchar('\n');
	return status;
}

static int run_random(const struct ntrace_unit *unit, uint64_t seed, uint64_t cycles, unsigned inject)
{
	struct ntrace_pair pair;
	struct ntrace_stimulus *stimulus = malloc(sizeof *stimulus);
	bool seen[REACHED] = {false};
	uint64_t bytes = 0;
	int status = NTRACE_PASSED;
	if (stimulus == NULL || !ntrace_pair_open(&pair, unit, seed)) {
		free(stimulus);
		return NTRACE_TROUBLE;
	}
	ntrace_stimulus_init(stimulus, &unit->config, seed);
	pair.inject = inject;
	pair.inject_from = cycles / 2;
	while (pair.cycle < cycles && status == NTRACE_PASSED) {
		struct ntrace_in in;
		struct ntrace_out out;
		ntrace_stimulus_cycle(stimulus, pair.model, &in);
		if (!ntrace_pair_cycle(&pair, &in, &out))
			status = NTRACE_DIFFERENT;
		bytes += out.byte_valid;
		observe_cycle(pair.model, &out, seen);
	}
	if (status == NTRACE_PASSED)
		status = report_run(&pair, seen, bytes);
	ntrace_pair_close(&pair);
	free(stimulus);
	return status;
}

/* ---------------------------------------------------------------- the command line */

static const char help[] =
    "usage: lockstep [--seed N] [--cycles N] [--inject SIGNAL] [CONFIGURATION]\n"
    "Runs the N-Trace encoder and its golden model together: random cores and drivers, in the named configurations or "
    "in\n"
    "all of tb/ntrace/configs.def; or a program, whose bytes must decode to the instructions that retired.\n"
    "\n"
    "  --seed N         of the inputs (default 1)\n"
    "  --cycles N       in each configuration (default 300000)\n"
    "  --inject SIGNAL  invert the lowest bit of an output of the RTL in the second half: the bench must notice\n"
    "  --list           print the configurations\n"
    "  --list-signals   print what is compared\n"
    "\n"
    "Exit status: 0 all the same, 1 a difference, 2 a run did not reach what it has to, 4 it could not be run.\n";

struct arguments {
	uint64_t seed, cycles;
	unsigned inject;
	const struct ntrace_unit *unit; /* NULL: all */
};

static bool take_number(const char *text, uint64_t *value)
{
	char *end;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool choose_unit(struct arguments *a, const char *name)
{
	a->unit = ntrace_unit_named(name);
	if (a->unit == NULL)
		fprintf(stderr, "lockstep: no option or configuration '%s'; see --list and --help\n", name);
	return a->unit != NULL;
}

static bool choose_signal(struct arguments *a, const char *name)
{
	for (a->inject = 0; a->inject < NTRACE_SIGNALS && strcmp(ntrace_signal_names[a->inject], name) != 0;)
		a->inject++;
	if (a->inject == NTRACE_SIGNALS)
		fprintf(stderr, "lockstep: no signal '%s'; see --list-signals\n", name);
	return a->inject < NTRACE_SIGNALS;
}

/* An option with a value; false: it is none, or the value is none. */
static bool take_valued(struct arguments *a, const char *option, const char *value, bool *wrong)
{
	uint64_t number = 0;
	const bool numeric = take_number(value, &number);
	if (strcmp(option, "--inject") == 0)
		*wrong = !choose_signal(a, value);
	else if (strcmp(option, "--seed") == 0)
		a->seed = number, *wrong = !numeric;
	else if (strcmp(option, "--cycles") == 0)
		a->cycles = number, *wrong = !numeric;
	else
		return false;
	return true;
}

static bool take_arguments(struct arguments *a, int argc, char **argv)
{
	bool wrong = false;
	for (int i = 1; i < argc && !wrong; i++) {
		if (i + 1 < argc && take_valued(a, argv[i], argv[i + 1], &wrong))
			i++;
		else
			wrong = !choose_unit(a, argv[i]);
	}
	return !wrong;
}

static bool print_list(const char *what)
{
	if (strcmp(what, "--help") == 0)
		fputs(help, stdout);
	else if (strcmp(what, "--list") == 0)
		for (size_t u = 0; u < ntrace_units_count; u++)
			puts(ntrace_units[u].name);
	else if (strcmp(what, "--list-signals") == 0)
		for (unsigned s = 0; s < NTRACE_SIGNALS; s++)
			puts(ntrace_signal_names[s]);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct arguments a = {.seed = 1, .cycles = 300000, .inject = NTRACE_SIGNALS};
	unsigned ran = 0, differences = 0;
	int status = NTRACE_PASSED;
	if (argc == 2 && print_list(argv[1]))
		return NTRACE_PASSED;
	if (!take_arguments(&a, argc, argv))
		return NTRACE_TROUBLE;
	for (size_t u = 0; u < ntrace_units_count; u++) {
		if (a.unit != NULL && a.unit != &ntrace_units[u])
			continue;
		const int result = run_random(&ntrace_units[u], a.seed, a.cycles, a.inject);
		ran++;
		differences += result == NTRACE_DIFFERENT;
		if (result == NTRACE_DIFFERENT || result == NTRACE_TROUBLE || status == NTRACE_PASSED)
			status = result;
		fflush(stdout);
	}
	printf("check-ntrace-encoder: %u configurations, %u differences\n", ran, differences);
	return status;
}
