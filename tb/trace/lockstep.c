/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The trace unit alone, in each configuration of configs.def: RTL and golden model get the same inputs, every output is
 * compared in every cycle. The first difference ends the run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/recorder.h"
#include "common/rivulet_regs.h"
#include "tb/functional.h"
#include "tb/trace/stimulus.h"

enum { HISTORY = 16, RESET_CYCLES = 2 };
enum status { PASSED = 0, DIFFERENT = 1, NOT_REACHED = 2, TROUBLE = 4 };

struct unit {
	const char *name;
	struct trace_config config;
	const struct trace_rtl_class *rtl;
};

#ifndef TRACE_CONFIGS
#define TRACE_CONFIGS "tb/trace/configs.def"
#endif
#define CONFIG(name, ...) extern const struct trace_rtl_class trace_rtl_##name;
#include TRACE_CONFIGS
#undef CONFIG
/* clang-format off */
/* As trace_config_fig5; what a line says comes later and counts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#define FIG5 .xlen = 32, .hist = 8, .cycle_bits = 16, .insn_bits = 16, .repeat_bits = 8, .sample_bits = 24, \
	.sink_bits = 20, .table_ways = 4, .table_count_bits = 24, .table_cycle_bits = 32, .retire = 1
static const struct unit units[] = {
#define ALL_OPTIONS \
	.with_reason = 1, .with_cycles = 1, .with_insns = 1, .with_repeat = 1, .with_sample = 1, .with_dither = 1, \
	.with_mode = 1, \
	.with_freeze = 1, .with_heal = 1, .with_lost = 1, .with_lifo = 1, .with_context = 1, .with_term = 1, \
	.with_range_start = 1
#define PORT_OPTIONS .with_zcmp = 1, .with_check = 1
#define CONFIG(id, ...) {#id, {FIG5, __VA_ARGS__}, &trace_rtl_##id},
#include TRACE_CONFIGS
};
#pragma GCC diagnostic pop
/* clang-format on */
enum { UNITS = sizeof units / sizeof *units };

/* What is compared: reg_rdata and irq always, the record while rec_valid, the word to memory while sink_valid. */
enum signal {
	RDATA,
	IRQ,
	READY,
	LOST,
	SINK_VALID,
	SINK_ADDR,
	SINK_WDATA,
	REC_VALID,
	REC_START,
	REC_HIST,
	REC_REASON,
	REC_REPEAT,
	REC_CYCLES,
	REC_INSNS,
	SIGNALS
};
static const char *const signal_names[SIGNALS] = {"reg_rdata", "irq", "retire_ready", "retire_lost", "sink_valid",
    "sink_addr", "sink_wdata", "rec_valid", "rec_start", "rec_hist", "rec_reason", "rec_repeat", "rec_cycles",
    "rec_insns"};

static void values_of(uint32_t rdata, const struct trace_out *out, uint64_t v[SIGNALS])
{
	v[RDATA] = rdata;
	v[IRQ] = out->irq;
	v[READY] = out->ready;
	v[LOST] = out->lost;
	v[SINK_VALID] = out->sink_valid;
	v[SINK_ADDR] = out->sink_valid ? out->sink_addr : 0;
	v[SINK_WDATA] = out->sink_valid ? out->sink_wdata : 0;
	v[REC_VALID] = out->rec_valid;
	v[REC_START] = out->rec.start;
	v[REC_HIST] = out->rec.hist;
	v[REC_REASON] = out->rec.reason;
	v[REC_REPEAT] = (uint32_t)out->rec.count;
	v[REC_CYCLES] = out->rec.cycles;
	v[REC_INSNS] = out->rec.insns;
}

/* ---------------------------------------------------------------- what a run has to reach */

/* A run that misses one of these, where the unit can do it, compared too little. */
enum event {
	BACKWARD = TRACE_BACKWARD,
	INDIRECT,
	FULL,
	TRAP,
	XRET,
	LEFT,
	OFF,
	GAP,
	FULL_BUFFER,
	INTERRUPT,
	MANY_REPEATS,
	MANY_CYCLES,
	MANY_INSNS,
	SAMPLE,
	LOSS,
	LOSS_FULL,
	LIFO_POP,
	WATERMARK,
	DEEPEST,
	MANY_GAPS,
	MANY_HEALS,
	SKIPPED,
	ENDLESS,
	REWRITTEN,
	TABLE_HIT,
	TABLE_OUT,
	TABLE_COUNT,
	TABLE_SUM,
	TABLE_ALL,
	TABLE_STREAK,
	TABLE_LOT,
	TABLE_PASSED_BY,
	TABLE_UNCOUNTED,
	TABLE_COPY,
	FROZEN_BY, /* and the causes of common/recorder.def */
	FROZEN_LAST = FROZEN_BY + RECORDER_BY_SOFTWARE,
	RING_FULL,
	RING_KEPT,
	SINK_WRAPPED,
	SINK_HALF,
	SINK_FULL,
	SINK_WAITED,
	SINK_EMPTIED,
	BOTH,
	HANDED_OVER,
	ALL_WAIT,
	DROPPED,
	EVENTS
};
static const char *const event_names[EVENTS] = {"", "reason backward", "reason indirect", "reason full", "reason trap",
    "reason trap return", "reason left", "reason off", "reason gap", "a full buffer", "an interrupt",
    "the highest repeat count", "the highest cycle count", "the highest instruction count", "a sample", "a loss",
    "the highest loss", "a record taken newest first", "the watermark", "15 nested traps", "the highest number of gaps",
    "the highest number of healed depths", "a trace that began outside the ranges", "a handler without an end",
    "a handler that sets the address of handlers", "a record counted in the table", "a record thrown out of the table",
    "an entry with its highest count", "an entry with a full sum of cycles", "a whole table drained",
    "a set met by three records in a row", "an entry thrown out by lot", "a record that found no place",
    "the highest number of records without a place", "an entry read", "frozen",
#define RECORDER_CAUSE(ID, text) "frozen by " text,
#include "common/recorder.def"
    "a record overwritten in the ring", "records in the ring behind a reset", "the end of the sink's ring",
    "a sink half full", "a sink without room", "a word of the sink that waited", "a sink that goes on behind a reader",
    "two instructions in a cycle", "a record of the first of two", "a retirement in each place",
    "a retirement dropped"};

static uint32_t all_ones(unsigned bits)
{
	return UINT32_MAX >> (32 - bits);
}

static bool possible(const struct trace_config *c, enum event event)
{
	if (event >= FROZEN_BY && event <= RING_KEPT)
		return c->with_recorder && event != FROZEN_BY &&
		       (event != FROZEN_BY + RECORDER_BY_LEFT || c->ranges || c->with_mode);
	if (event >= SINK_WRAPPED && event <= SINK_EMPTIED)
		return c->with_sink;
	if (event >= BOTH)
		return c->retire == 2;
	switch (event) {
	case BACKWARD:
	case INDIRECT:
	case FULL:
	case TRAP:
	case XRET:
	case OFF:
		return c->with_reason;
	case GAP:
		return c->with_reason && (c->with_check || c->retire == 2);
	case MANY_GAPS:
		return c->with_check;
	case MANY_HEALS:
		return c->with_check && c->with_freeze;
	case ENDLESS:
	case REWRITTEN:
		return c->with_heal;
	case SKIPPED:
		return c->with_range_start && c->ranges;
	case LEFT:
		return c->with_reason && (c->with_mode || c->ranges);
	case MANY_REPEATS: /* a table adds them up */
		return c->with_repeat && !c->table_entries;
	case MANY_CYCLES: /* software writes a count near the end */
		return c->with_cycles && (c->with_context || c->cycle_bits < 12);
	case MANY_INSNS:
		return c->with_insns && (c->with_context || c->insn_bits < 10);
	case SAMPLE:
		return c->with_sample;
	case LOSS:
	case LOSS_FULL:
		return c->with_lost;
	case LIFO_POP:
		return c->with_lifo;
	case WATERMARK:
		return c->fifo_depth != 0;
	case DEEPEST:
		return c->with_freeze;
	case TABLE_HIT:
	case TABLE_OUT:
	case TABLE_STREAK:
		return c->table_entries != 0;
	case TABLE_LOT:
	case TABLE_PASSED_BY:
	case TABLE_UNCOUNTED:
		return c->table_rate != 0;
	case TABLE_COPY:
		return c->table_index != 0;
	case TABLE_ALL:
		return c->table_entries != 0 && c->table_entries <= 1024;
	case TABLE_COUNT:
		return c->table_entries != 0 && c->table_count_bits < 10;
	case TABLE_SUM:
		return c->table_entries != 0 && c->with_cycles && c->table_cycle_bits < 20 && !c->table_rate;
	default:
		return true;
	}
}

static void observe(const struct trace *t, const struct trace_bus *bus, const struct trace_out *out, bool seen[EVENTS])
{
	const struct trace_config *c = &t->config;
	uint32_t status = trace_reg_read(t, RV_REG_STATUS);
	if (out->rec_valid) {
		seen[out->rec.reason] = true;
		seen[MANY_REPEATS] |= (uint32_t)out->rec.count == all_ones(c->repeat_bits);
		seen[MANY_CYCLES] |= out->rec.cycles == all_ones(c->cycle_bits);
		seen[MANY_INSNS] |= out->rec.insns == all_ones(c->insn_bits);
	}
	seen[FULL_BUFFER] |= (status & RV_STATUS_FULL_MASK) != 0;
	seen[WATERMARK] |= (status & RV_STATUS_WATERMARK_MASK) != 0;
	seen[INTERRUPT] |= t->irq;
	seen[SAMPLE] |= t->status_sample;
	seen[LOSS] |= t->lost != 0;
	seen[LOSS_FULL] |= t->lost == UINT32_MAX;
	seen[LIFO_POP] |= t->readable && t->ctrl & RV_CTRL_LIFO_MASK && bus->write && bus->index == RV_REG_POP;
	seen[DEEPEST] |= t->depth == 15;
	seen[MANY_GAPS] |= t->gaps == UINT16_MAX;
	seen[MANY_HEALS] |= t->heals == UINT16_MAX;
	/* what stage S does to a handler in the next cycle */
	unsigned limit = t->ctrl >> RV_CTRL_LIMIT_LSB & 7;
	bool handler = c->with_heal && t->depth && !(t->ctrl & RV_CTRL_HANDLERS_MASK) && t->s.valid && !t->s.trap;
	seen[ENDLESS] |= handler && limit && t->since >> 3 * limit & 1;
	seen[REWRITTEN] |= handler && (t->s.insn & 0xDFF0707F) == 0x10501073;
	if (t->recorder.frozen)
		seen[FROZEN_BY + t->recorder.cause] = true;
	seen[RING_FULL] |= c->fifo_depth && t->ctrl & RV_CTRL_RING_MASK && !(t->ctrl & RV_CTRL_LIFO_MASK) &&
			   out->rec_valid && t->count == c->fifo_depth - 1;
	seen[SKIPPED] |= t->skip && t->cur_valid && t->end;
	seen[BOTH] |= t->served_both;
	seen[HANDED_OVER] |= t->handed_over;
	seen[ALL_WAIT] |= t->waiting == TRACE_PLACES;
	seen[DROPPED] |= out->lost;
}

static void observe_sink(
    const struct trace *t, const struct trace_bus *bus, const struct trace_out *out, bool seen[EVENTS])
{
	const uint32_t status = trace_reg_read(t, RV_REG_SINK);
	const bool writes = out->sink_valid && !bus->sink_wait;
	seen[SINK_WRAPPED] |= writes && t->sink.size >= 6 && (t->sink.write & ((1u << t->sink.size) - 1)) == 0;
	seen[SINK_HALF] |= t->sink.enable && status & RV_SINK_HALF_MASK;
	seen[SINK_FULL] |= t->sink.enable && t->readable && t->sink.size >= 6 && status & RV_SINK_FULL_MASK;
	seen[SINK_WAITED] |= out->sink_valid && bus->sink_wait;
	seen[SINK_EMPTIED] |= t->sink.enable && bus->write && bus->index == RV_REG_SINK && bus->wdata >> 31 &&
			      t->sink.select == 3 && t->count != 0;
}

/* ---------------------------------------------------------------- the run */

struct run {
	const struct unit *unit;
	struct functional *functional; /* NULL: nobody asks */
	uint64_t seed, cycle, cycles, records;
	struct trace_stimulus history[HISTORY]; /* of cycle n at n modulo HISTORY */
	bool seen[EVENTS];
	unsigned set, streak; /* of the table: met by so many records, one in each cycle */
	bool draining;
};

static void print_retirement(const struct run *run, const struct trace_retire *r)
{
	const int digits = (int)run->unit->config.xlen / 4;
	if (r->valid)
		printf("  %c %0*" PRIx64 ": %08" PRIx32 " -> %0*" PRIx64 "%s%s%s", "US?M"[r->mode & 3], digits, r -> pc,
		    r -> insn, digits, r -> next_pc, r -> trap ? " trap" : "", r->intr ? " intr" : "",
		    r->stop ? " stop" : "");
}

static void print_history(const struct run *run)
{
	uint64_t first = run->cycle < HISTORY ? 0 : run->cycle - HISTORY + 1;
	printf(
	    "the last %" PRIu64 " inputs; an instruction acts in the cycle after its own:\n", run->cycle - first + 1);
	for (uint64_t i = first; i <= run->cycle; i++) {
		const struct trace_stimulus *in = &run->history[i % HISTORY];
		const struct trace_retire *r = &in->retire;
		printf("%10" PRIu64 " %s %s[%2u]", i, in->rst ? "reset" : "     ", in->bus.write ? "write" : " read",
		    in->bus.index);
		if (in->bus.write)
			printf("=%08" PRIx32, in->bus.wdata);
		else
			printf("         ");
		print_retirement(run, r);
		print_retirement(run, &in->second);
		putchar('\n');
	}
}

static void observe_table(struct run *run, const struct trace *t, const struct trace_bus *bus)
{
	run->seen[TABLE_HIT] |= t->table_did == TABLE_COUNTED;
	run->seen[TABLE_OUT] |= t->table_did == TABLE_THREW_OUT;
	run->seen[TABLE_LOT] |= t->table_did == TABLE_DREW;
	run->seen[TABLE_PASSED_BY] |= t->table_did == TABLE_MISSED;
	run->seen[TABLE_UNCOUNTED] |= t->plain[RV_REG_TABLE_MISSED] == UINT32_MAX && t->table_late[1].missed;
	run->seen[TABLE_COPY] |= t->table_take.copy.count > 1;
	run->seen[TABLE_COUNT] |= t->table_did == TABLE_FULL_COUNT;
	run->seen[TABLE_SUM] |= t->table_did == TABLE_FULL_SUM;
	run->seen[TABLE_ALL] |= run->draining && !t->table_draining && !(bus->write && bus->index == RV_REG_TABLE);
	bool met = t->table_did != TABLE_IDLE && t->table_did != TABLE_PASSED;
	run->streak = !met ? 0 : run->streak && run->set == t->table_set ? run->streak + 1 : 1;
	run->set = t->table_set;
	run->seen[TABLE_STREAK] |= run->streak >= 3;
	run->draining = t->table_draining;
}

/* Compares one cycle. Returns whether it is the same, and prints the first difference. */
static bool same(const struct run *run, const uint64_t rtl[SIGNALS], const uint64_t model[SIGNALS], unsigned index)
{
	for (unsigned i = 0; i < SIGNALS; i++) {
		if (rtl[i] == model[i] || (i > REC_VALID && !model[REC_VALID]))
			continue;
		printf("%s: seed %" PRIu64 ", cycle %" PRIu64 ": %s is %" PRIx64 " in the RTL, %" PRIx64
		       " in the model",
		    run->unit->name, run->seed, run->cycle, signal_names[i], rtl[i], model[i]);
		if (i == RDATA)
			printf(" (register %u)", index);
		putchar('\n');
		print_history(run);
		return false;
	}
	return true;
}

static int report(const struct run *run)
{
	int status = PASSED;
	printf("%-16s %9" PRIu64 " cycles %9" PRIu64 " records", run->unit->name, run->cycles, run->records);
	for (unsigned i = 1; i < EVENTS; i++)
		if (possible(&run->unit->config, (enum event)i) && !run->seen[i]) {
			printf("%s%s", status ? ", " : ", not reached: ", event_names[i]);
			status = NOT_REACHED;
		}
	putchar('\n');
	return status;
}

/* inject: a signal whose lowest bit is inverted in the second half of the run, or SIGNALS. */
static int run_unit(struct run *run, enum signal inject)
{
	const struct trace_config *config = &run->unit->config;
	struct trace *model = malloc(sizeof *model);
	struct trace_rtl *rtl = run->unit->rtl->open((uint32_t)run->seed);
	struct stimulus stimulus;
	struct trace_rtl_out out;
	int status = PASSED;
	unsigned index = 0;
	uint32_t rdata = 0; /* the answer to the read of the cycle before */
	if (!model || !rtl) {
		fputs("lockstep: no memory\n", stderr);
		free(model);
		run->unit->rtl->close(rtl);
		return TROUBLE;
	}
	for (unsigned i = 0; i < RESET_CYCLES; i++)
		run->unit->rtl->cycle(rtl, &(struct trace_stimulus){.rst = true, .power_on = true}, &out);
	trace_reset(model, config);
	rdata = trace_reg_read(model, 0);
	stimulus_init(&stimulus, config, run->seed);
	for (run->cycle = 0; run->cycle < run->cycles && !status; run->cycle++) {
		struct trace_stimulus *in = &run->history[run->cycle % HISTORY];
		struct trace_out expected;
		uint64_t got[SIGNALS], want[SIGNALS];
		stimulus_cycle(&stimulus, model, in);
		run->unit->rtl->cycle(rtl, in, &out);
		uint32_t next_rdata = trace_reg_read(model, in->bus.index);
		struct trace_bus bus = in->bus;
		if (run->functional)
			functional_trace(run->functional, model, bus.write, bus.index);
		const struct trace_retire slots[2] = {in->retire, in->second};
		trace_cycle(model, slots, &bus, &expected);
		values_of(out.rdata, &out.out, got);
		values_of(rdata, &expected, want);
		if (inject < SIGNALS && run->cycle >= run->cycles / 2)
			got[inject] ^= 1;
		if (!same(run, got, want, index)) {
			status = DIFFERENT;
			break;
		}
		run->records += expected.rec_valid;
		observe(model, &in->bus, &expected, run->seen);
		observe_table(run, model, &in->bus);
		if (config->with_sink)
			observe_sink(model, &in->bus, &expected, run->seen);
		rdata = next_rdata;
		index = in->bus.index;
		if (in->rst) {
			trace_reset_again(model, in->power_on);
			run->seen[RING_KEPT] |= model->count != 0;
			run->draining = false;
		}
	}
	run->unit->rtl->close(rtl);
	free(model);
	return status ? status : report(run);
}

static const char help[] =
    "usage: lockstep [--seed N] [--cycles N] [--inject SIGNAL] [CONFIGURATION...]\n"
    "Runs the trace unit and its golden model together, in the named configurations or in all of "
    "tb/trace/configs.def.\n"
    "\n"
    "  --seed N         of the inputs (default 1)\n"
    "  --cycles N       in each configuration (default 1000000)\n"
    "  --inject SIGNAL  invert the lowest bit of an output of the RTL in the second half: the bench must notice\n"
    "  --functional FILE  write which functional points were reached, and how often (tb/functional.h)\n"
    "  --list           print the configurations\n"
    "  --list-signals   print what is compared\n"
    "\n"
    "Exit status: 0 all the same, 1 a difference, 2 a run did not reach what it has to, 4 it could not be run.\n";

static bool number(const char *text, uint64_t *value)
{
	char *end;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end;
}

static const struct unit *find(const char *name)
{
	for (unsigned i = 0; i < UNITS; i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, cycles = 1000000, total = 0;
	unsigned inject = SIGNALS, named = 0, ran = 0, differences = 0;
	bool chosen[UNITS] = {false};
	struct functional *functional = NULL;
	const char *functional_file = NULL;
	int status = PASSED;
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		const struct unit *unit;
		if (strcmp(argv[i], "--list") == 0) {
			for (unsigned u = 0; u < UNITS; u++)
				puts(units[u].name);
			return PASSED;
		} else if (strcmp(argv[i], "--list-signals") == 0) {
			for (unsigned s = 0; s < SIGNALS; s++)
				puts(signal_names[s]);
			return PASSED;
		} else if (strcmp(argv[i], "--help") == 0) {
			fputs(help, stdout);
			return PASSED;
		} else if (strcmp(argv[i], "--functional") == 0 && *value) {
			functional = functional_open();
			functional_file = value;
			i++;
		} else if (strcmp(argv[i], "--inject") == 0) {
			for (inject = 0; inject < SIGNALS && strcmp(signal_names[inject], value) != 0;)
				inject++;
			if (inject == SIGNALS) {
				fprintf(stderr, "lockstep: no signal '%s'; see --list-signals\n", value);
				return TROUBLE;
			}
			i++;
		} else if (strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--cycles") == 0) {
			if (!number(value, argv[i][2] == 's' ? &seed : &cycles)) {
				fprintf(stderr, "lockstep: %s needs a number, not '%s'\n", argv[i], value);
				return TROUBLE;
			}
			i++;
		} else if ((unit = find(argv[i])) != NULL) {
			chosen[unit - units] = true;
			named++;
		} else {
			fprintf(stderr, "lockstep: no option or configuration '%s'; see --list and --help\n", argv[i]);
			return TROUBLE;
		}
	}
	for (unsigned i = 0; i < UNITS; i++) {
		if (named && !chosen[i])
			continue;
		struct run run = {.unit = &units[i], .functional = functional, .seed = seed, .cycles = cycles};
		int result = run_unit(&run, (enum signal)inject);
		ran++;
		total += run.cycle;
		differences += result == DIFFERENT;
		if (result == DIFFERENT || result == TROUBLE || (result && !status))
			status = result;
		fflush(stdout);
	}
	if (functional_file) {
		FILE *file = fopen(functional_file, "w");

		if (!functional || !file || functional_write(functional, file) | fclose(file)) {
			fprintf(stderr, "lockstep: %s cannot be written\n", functional_file);
			status = TROUBLE;
		}
		functional_close(functional);
	}
	printf("check-trace-configs: %u configurations, %" PRIu64 " cycles, %u differences\n", ran, total, differences);
	return status;
}
