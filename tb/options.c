/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "tb/sample.h"
#include "tb/shim.h"

enum {
	SET = 256,
	RTL_ONLY,
	MODEL_ONLY,
	MAX,
	SEED,
	RESET,
	RESETS,
	WAIT,
	CONSOLE,
	UART,
	SIGNATURE,
	WAVE,
	FROM,
	TO,
	INJECT,
	COVERAGE,
	FUNCTIONAL,
	OPERANDS,
	TRACE,
	LIST
};

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "The program:", 1},
    {"set", SET, "NAME=VALUE", 0, "Change a word of its run configuration (common/run_config.h); repeatable", 0},
    {"trace", TRACE, "CTRL", OPTION_ARG_OPTIONAL,
	"Trace it from outside, from its entry on, with this CTRL (ENABLE, REPEAT, all modes)", 0},
    {"max-cycles", MAX, "N", 0, "Give up after N cycles (1000000000)", 0},
    {"rtl-only", RTL_ONLY, NULL, 0, "Without the model: faster, nothing is compared", 0},
    {"model-only", MODEL_ONLY, NULL, 0, "Without the RTL: nothing is compared", 0},
    {NULL, 0, NULL, 0, "What comes from outside, the same for both sides:", 2},
    {"irq-seed", SEED, "N", 0, "Pseudo-random external interrupts and UART input; 0: none (default)", 0},
    {"wait-seed", WAIT, "N", 0, "Pseudo-random wait states of the bus; 0: none (default)", 0},
    {"reset-seed", RESETS, "N", 0, "Up to four resets in pseudo-random cycles; 0: none (default)", 0},
    {"reset-at", RESET, "CYCLE", 0, "Reset both again in this cycle", 0},
    {NULL, 0, NULL, 0, "What is written:", 3},
    {"console", CONSOLE, "FILE", 0, "Bytes of the simulation console (standard output)", 0},
    {"uart", UART, "FILE", 0, "Bytes on the UART's transmit line; - is standard output", 0},
    {"signature", SIGNATURE, "FILE", 0, "Words between begin_signature and end_signature at the end of the run", 0},
    {"quiet", 'q', NULL, 0, "No summary line when the program passes", 0},
    {"wave", WAVE, "FILE", 0, "Waves (FST; only with lockstep-wave)", 0},
    {"wave-from", FROM, "CYCLE", 0, "Waves from this cycle on", 0},
    {"wave-to", TO, "CYCLE", 0, "Waves up to this cycle", 0},
    {"coverage", COVERAGE, "FILE", 0, "What was reached of the RTL (only when built for it: make coverage-rtl)", 0},
    {"functional", FUNCTIONAL, "FILE", 0, "Which functional points were reached, and how often (tb/functional.h)", 0},
    {"operands", OPERANDS, "FILE", 0, "Which corner values the instructions met (tb/operands.h)", 0},
    {NULL, 0, NULL, 0, "Test of the bench itself, which must notice:", 4},
    {"inject", INJECT, "NAME@CYCLE", 0,
	"From this cycle on invert the lowest bit of a signal of the RTL. "
	"NAME@MATCH/MASK: in each cycle in which an instruction retires whose bits "
	"under MASK are MATCH",
	0},
    {"list-signals", LIST, NULL, 0, "The names of all compared signals", 0},
    {0},
};

static void number(struct argp_state *state, const char *text, uint64_t most, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || *value > most)
		argp_error(state, "%s is not a number that fits here", text);
}

static uint32_t word(struct argp_state *state, const char *text)
{
	uint64_t value;

	number(state, text, UINT32_MAX, &value);
	return (uint32_t)value;
}

static void inject(struct argp_state *state, char *text, struct options *o)
{
	char *at = strchr(text, '@'), *slash = at ? strchr(at, '/') : NULL;

	if (!at)
		argp_error(state, "--inject %s: NAME@CYCLE or NAME@MATCH/MASK is expected", text);
	*at = 0;
	o->inject = sample_find(text);
	if (o->inject < 0)
		argp_error(state, "--inject %s: no such signal; see --list-signals", text);
	if (!slash) {
		number(state, at + 1, UINT64_MAX, &o->inject_cycle);
		return;
	}
	*slash = 0;
	o->inject_match = word(state, at + 1);
	o->inject_mask = word(state, slash + 1);
}

static void end(struct argp_state *state, const struct options *o)
{
	if (!o->elf)
		argp_error(state, "one program is needed");
	if (o->rtl_only && o->model_only)
		argp_error(state, "--rtl-only and --model-only exclude each other");
	if (o->inject >= 0 && (o->rtl_only || o->model_only))
		argp_error(state, "--inject needs both sides");
	if (o->wave && (o->model_only || !rtl_can_wave()))
		argp_error(state, "--wave needs the RTL, built with tracing: run lockstep-wave (make sim-wave-build)");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case SET:
		if (o->set_count == SETS)
			argp_error(state, "more than %d --set", SETS);
		o->sets[o->set_count++] = text;
		return 0;
	case RTL_ONLY:
		o->rtl_only = true;
		return 0;
	case MODEL_ONLY:
		o->model_only = true;
		return 0;
	case TRACE:
		o->trace = true;
		o->ctrl =
		    text != NULL ? word(state, text) : RV_CTRL_ENABLE_MASK | RV_CTRL_REPEAT_MASK | RV_CTRL_MODES_MASK;
		return 0;
	case MAX:
		number(state, text, UINT64_MAX, &o->max_cycles);
		return 0;
	case SEED:
		o->seeds.irq = word(state, text);
		return 0;
	case RESETS:
		o->seeds.reset = word(state, text);
		return 0;
	case WAIT:
		o->seeds.wait = word(state, text);
		return 0;
	case RESET:
		number(state, text, UINT64_MAX, &o->reset_at);
		return 0;
	case CONSOLE:
		o->console = text;
		return 0;
	case UART:
		o->uart = text;
		return 0;
	case SIGNATURE:
		o->signature = text;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case WAVE:
		o->wave = text;
		return 0;
	case FROM:
		number(state, text, UINT64_MAX, &o->wave_from);
		return 0;
	case TO:
		number(state, text, UINT64_MAX, &o->wave_to);
		return 0;
	case COVERAGE:
		o->coverage = text;
		return 0;
	case FUNCTIONAL:
		o->functional = text;
		return 0;
	case OPERANDS:
		o->operands = text;
		return 0;
	case INJECT:
		inject(state, text, o);
		return 0;
	case LIST:
		for (size_t i = 0; i < sample_count(); i++)
			puts(sample_name(i));
		exit(0);
	case ARGP_KEY_ARG:
		if (o->elf)
			argp_error(state, "one program is needed, `%s' is too many", text);
		o->elf = text;
		return 0;
	case ARGP_KEY_END:
		end(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void options_parse(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {table, parse, "PROGRAM.elf",
	    "Runs a program in the simulated SoC and in the golden model together and compares them in every cycle.\v"
	    "A program ends by a write to tohost (1: passed, 2n+1: failed with n) or to the exit device (its value).\n"
	    "Exit status: 0 passed, 1 RTL and model differ, 2 the program failed, 3 it did not end, 4 it could not be "
	    "run.",
	    NULL, NULL, NULL};

	*o = (struct options){.max_cycles = 1000000000, .wave_to = UINT64_MAX, .inject = -1, .reset_at = UINT64_MAX};
	argp_err_exit_status = TROUBLE;
	argp_parse(&argp, argc, argv, 0, NULL, o);
}
