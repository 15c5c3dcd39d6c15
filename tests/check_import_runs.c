/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Records that host/import makes of whole runs, held against those of the model of the trace unit, which is shown each
 * instruction: random programs with traps, modes, losses and every width of the history, in both standards.
 */
#include "host/etrace/encoder.h"
#include "host/import/import.h"
#include "host/ntrace/encoder.h"
#include "tests/standard_walks.h"
#include "tests/suite.h"

#define RECORDS_MOST (1u << 16)
#define PROGRAMS 600

struct made { /* of one import */
	struct record records[RECORDS_MOST];
	size_t count;
	uint64_t time, instructions, breaks, problems;
};

static int keep_record(void *context, const struct record *record, uint64_t time)
{
	struct made *made = context;
	ck_assert_uint_lt(made->count, RECORDS_MOST);
	ck_assert(record_valid(record));
	ck_assert_uint_ge(time, made->time);
	made->time = time;
	made->records[made->count++] = *record;
	return 0;
}

struct tracing {
	struct machine machine;
	struct ntrace_encoder ntrace;
	struct etrace_encoder etrace;
	bool packets; /* E-Trace */
	unsigned mode, traps;
};

/* Mostly an MRET, so that not all of a run is a handler. */
static uint64_t handler_somewhere(const struct machine *m)
{
	uint64_t pc = somewhere(m);
	for (unsigned i = 0; i < 200 && draw(100) != 0; i++) {
		if (standard_code_at(m->code, pc)->class == STANDARD_TRAP_RETURN)
			break;
		pc = somewhere(m);
	}
	return pc;
}

static void encode_trap(struct tracing *t, uint64_t pc, uint64_t handler, bool exception)
{
	if (t->packets)
		etrace_trap(&t->etrace, pc, !exception, exception ? 2 : 7, t->mode);
	else
		ntrace_trap(&t->ntrace, exception ? 2 : 3, handler);
	t->mode = 3;
	t->machine.before.constant = false;
}

static void encode_steps(struct tracing *t, size_t steps)
{
	uint64_t pc = somewhere(&t->machine);
	if (t->packets)
		etrace_start(&t->etrace);
	else
		ntrace_start(&t->ntrace, pc, 5);
	for (size_t i = 0; i < steps; i++) {
		const struct standard_insn *insn = standard_code_at(t->machine.code, pc);
		const bool exception = !can_run(&t->machine, insn) || circles(&t->machine, insn);
		if (exception || draw(t->traps) == 0) {
			const uint64_t handler = handler_somewhere(&t->machine);
			encode_trap(t, pc, handler, exception);
			pc = handler;
			continue;
		}
		const uint64_t next = next_of(&t->machine, insn);
		if (t->packets)
			etrace_retire(&t->etrace, insn, next, t->mode);
		else
			ntrace_retire(&t->ntrace, insn, next);
		if (insn->class == STANDARD_TRAP_RETURN)
			t->mode = draw(2) == 0 ? 0 : 3;
		pc = next;
	}
	if (t->packets)
		etrace_stop(&t->etrace);
	else
		ntrace_stop(&t->ntrace, 0);
}

static void import_bytes(
    struct import_config *config, const struct image *image, const struct run *stream, bool stepwise, struct made *made)
{
	struct import *import;
	*made = (struct made){0};
	config->stepwise = stepwise;
	config->context = made;
	ck_assert_int_eq(import_open(&import, image, config), IMPORT_OK);
	ck_assert_int_eq(import_feed(import, stream->stream, stream->size), IMPORT_OK);
	ck_assert_int_eq(import_finish(import), IMPORT_OK);
	const struct import_counts *counts = import_counts(import);
	made->instructions = counts->instructions;
	made->breaks = counts->breaks;
	for (unsigned i = 0; i < IMPORT_PROBLEMS; i++)
		made->problems += counts->problems[i];
	import_close(import);
}

static void expect_same(const struct made *units, const struct made *runs, unsigned program)
{
	for (size_t i = 0; i < units->count && i < runs->count; i++) {
		const struct record *a = &units->records[i], *b = &runs->records[i];
		ck_assert_msg(a->start == b->start && a->hist == b->hist && a->insns == b->insns &&
				  a->reason == b->reason && a->count == b->count,
		    "program %u, record %zu: 0x%" PRIx64 " 0x%" PRIx64 " %u %u, the unit has 0x%" PRIx64 " 0x%" PRIx64
		    " %u %u",
		    program, i, b->start, b->hist, b->insns, b->reason, a->start, a->hist, a->insns, a->reason);
	}
	ck_assert_uint_eq(units->count, runs->count);
	ck_assert_uint_eq(units->instructions, runs->instructions);
	ck_assert_uint_eq(units->breaks, runs->breaks);
	ck_assert_uint_eq(units->problems, runs->problems);
}

static void open_encoder(
    struct tracing *t, struct import_config *c, struct ntrace_options *n, struct etrace_options *e, struct run *stream)
{
	const unsigned depth = draw(3);
	*n = (struct ntrace_options){.layout.xlen = 32, .history = draw(3) != 0, .sync_halves = 20 + draw(600)};
	*e = (struct etrace_options){.layout = etrace_defaults(32), .sync_packets = draw(2) == 0 ? 0 : 4 + draw(60)};
	n->implicit_return = 8 * depth;
	n->sequential_jump = e->sequential_jump = draw(2) == 0;
	n->all_jumps = draw(4) == 0;
	t->packets = draw(2) == 0;
	t->mode = 3;
	t->traps = draw(3) == 0 ? 40 : 3000;
	stream->size = 0;
	ntrace_encoder_init(&t->ntrace, n, keep_bytes, stream);
	etrace_encoder_init(&t->etrace, e, keep_bytes, stream);
	*c = (struct import_config){.form = t->packets ? IMPORT_ETRACE : IMPORT_NTRACE,
	    .hist = draw(2) == 0 ? 8 : 8 + draw(57),
	    .modes = draw(4) == 0 ? 1u << (3 * draw(2)) : 0xB,
	    .ntrace = n,
	    .etrace = e,
	    .sink = keep_record};
}

/* Sums over all programs, so that a suite in which nothing of a kind happens fails. */
static struct {
	uint64_t records, instructions, breaks, problems;
	uint64_t reasons[TRACE_REASONS];
} seen;

static void one_program(unsigned number, struct run *stream, struct made *units, struct made *runs)
{
	static uint8_t code[2 * CODE_HALVES + 4];
	static uint16_t starts[CODE_HALVES];
	struct import_config config;
	struct ntrace_options ntrace;
	struct etrace_options etrace;
	struct image *image;
	struct tracing *t = calloc(1, sizeof *t);
	seed = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
	const size_t count = make_code(code, starts);
	ck_assert_int_eq(image_from_code(&image, 0, code, sizeof code), IMAGE_OK);
	t->machine =
	    (struct machine){.code = standard_code_open(image), .starts = starts, .count = count, .bias = draw(9)};
	open_encoder(t, &config, &ntrace, &etrace, stream);
	encode_steps(t, 100 + draw(6000));
	if (number % 3 == 0 && stream->size > 0)
		stream->stream[draw((uint32_t)stream->size)] ^= (uint8_t)(1u << draw(8));
	import_bytes(&config, image, stream, true, units);
	import_bytes(&config, image, stream, false, runs);
	expect_same(units, runs, number);
	seen.records += runs->count;
	seen.instructions += runs->instructions;
	seen.breaks += runs->breaks;
	seen.problems += runs->problems;
	for (size_t i = 0; i < runs->count; i++)
		seen.reasons[runs->records[i].reason]++;
	standard_code_close(t->machine.code);
	image_close(image);
	free(t);
}

START_TEST(runs_are_as_steps)
{
	/* not TRACE_LEFT: modes change by traps and trap returns alone */
	static const enum trace_reason wanted[] = {
	    TRACE_BACKWARD, TRACE_INDIRECT, TRACE_FULL, TRACE_XRET, TRACE_TRAP, TRACE_OFF};
	struct run *stream = calloc(1, sizeof *stream);
	struct made *units = calloc(1, sizeof *units), *runs = calloc(1, sizeof *runs);
	for (unsigned i = 0; i < PROGRAMS; i++)
		one_program(i, stream, units, runs);
	printf("%u programs: %" PRIu64 " instructions, %" PRIu64 " records, %" PRIu64 " breaks, %" PRIu64
	       " damaged places\n",
	    PROGRAMS, seen.instructions, seen.records, seen.breaks, seen.problems);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		ck_assert_msg(seen.reasons[wanted[i]] > 100, "reason %d: %" PRIu64, wanted[i], seen.reasons[wanted[i]]);
	ck_assert_uint_gt(seen.breaks, 100);
	ck_assert_uint_gt(seen.problems, 50);
	free(stream);
	free(units);
	free(runs);
}
END_TEST

/* Straight code as long as the unit can count, and longer than a block; and a loop around it. */
START_TEST(long_code)
{
	static uint8_t code[2 * 70002];
	static const uint8_t back[] = {0x6F, 0xF0, 0xDF, 0xFF}; /* jal x0, -4 */
	const struct ntrace_options options = {.layout.xlen = 32, .history = true};
	struct import_config config = {
	    .form = IMPORT_NTRACE, .hist = 64, .modes = 0xB, .ntrace = &options, .sink = keep_record};
	struct made *units = calloc(1, sizeof *units), *runs = calloc(1, sizeof *runs);
	struct run *stream = calloc(1, sizeof *stream);
	struct ntrace_encoder encoder;
	struct image *image;
	for (size_t i = 0; i < 70000; i++)
		memcpy(code + 2 * i, &(uint16_t){1}, 2);
	memcpy(code + 140000, back, sizeof back);
	ck_assert_int_eq(image_from_code(&image, 0, code, sizeof code), IMAGE_OK);
	struct standard_code *decoded = standard_code_open(image);
	ntrace_encoder_init(&encoder, &options, keep_bytes, stream);
	ntrace_start(&encoder, 0, 5);
	uint64_t pc = 0;
	for (unsigned i = 0; i < 70100; i++) {
		const struct standard_insn *insn = standard_code_at(decoded, pc);
		const uint64_t next = insn->class == STANDARD_JUMP ? insn->target : pc + insn->length;
		ntrace_retire(&encoder, insn, next);
		pc = next;
	}
	ntrace_stop(&encoder, 0);
	import_bytes(&config, image, stream, true, units);
	import_bytes(&config, image, stream, false, runs);
	expect_same(units, runs, 0);
	ck_assert_uint_eq(runs->instructions, 70100);
	ck_assert_uint_eq(runs->records[0].insns, UINT16_MAX);
	standard_code_close(decoded);
	image_close(image);
	free(stream);
	free(units);
	free(runs);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"random programs", runs_are_as_steps, 0}, {"long code", long_code, 0}};
	return SUITE_RUN("import_runs", cases, NULL, NULL);
}
