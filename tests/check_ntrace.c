/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * N-Trace: programs of the standard's examples, and random programs that an encoder of this tree writes in every mode
 * and the decoder gives back, whole, cut and damaged.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/ntrace/encoder.h"
#include "tests/standard_walks.h"
#include "tests/suite.h"

/* ---- runs ---- */

static struct standard_counts decode(const struct image *image, const struct ntrace_options *options,
    const uint8_t *bytes, size_t size, size_t piece, struct run *run)
{
	struct standard_decoder *d = ntrace_open(image, options, keep_step, keep_told, run);
	begin_run(run, d);
	for (size_t at = 0; at < size; at += piece)
		ck_assert_int_eq(standard_feed(d, bytes + at, piece < size - at ? piece : size - at), 0);
	ck_assert_int_eq(standard_finish(d), 0);
	struct standard_counts counts = standard_decoder_counts(d);
	standard_close(d);
	return counts;
}

/* Program A: 100 c.add; 102 beq ->200; 106 add; 10a beq ->300; 10e c.add; 110 add; 114 c.ebreak; ... */
static struct image *program_a(void)
{
	static uint8_t code[0x206];
	const struct {
		uint16_t at;
		uint32_t word;
		uint8_t size;
	} insns[] = {{0x100, 0x952e, 2}, {0x102, 0x0eb50f63, 4}, {0x106, 0x00b50533, 4}, {0x10a, 0x1eb50b63, 4},
	    {0x10e, 0x952e, 2}, {0x110, 0x00b50533, 4}, {0x114, 0x9002, 2}, {0x200, 0x952e, 2}, {0x202, 0x9002, 2},
	    {0x300, 0x00b50533, 4}, {0x304, 0x9002, 2}};
	struct image *image;
	for (size_t i = 0; i < sizeof insns / sizeof *insns; i++)
		memcpy(code + (insns[i].at - 0x100), &insns[i].word, insns[i].size);
	ck_assert_int_eq(image_from_code(&image, 0x100, code, sizeof code), IMAGE_OK);
	return image;
}

START_TEST(example_a)
{
	static const struct {
		bool history;
		const char *bytes, *run;
	} cases[] = {{false, "24 0D 00 0B 0C 0F 84 00 07", "! 100 102 200 ! "},
	    {false, "24 0D 00 0B 0C 1F 84 00 0B", "! 100 102 106 10a 300 ! "},
	    {false, "24 0D 00 0B 84 00 2B", "! 100 102 106 10a 10e 110 ! "},
	    {true, "24 0D 00 0B 84 40 11 0F", "! 100 102 200 ! "},
	    {true, "24 0D 00 0B 84 40 25 17", "! 100 102 106 10a 300 ! "},
	    {true, "24 0D 00 0B 84 40 29 13", "! 100 102 106 10a 10e 110 ! "},
	    {true, "24 0D 00 0B 6C C3 84 40 15 13", "! 100 102 106 10a 10e ! "},
	    {false, "24 0D 00 0B 24 50 09 24 0B 84 00 0B", NULL}, /* I-CNT 9 reaches 112, inside of an instruction */
	    {true, "24 0D 00 0B 84 40 29 0F", NULL},              /* I-CNT 10, but the first is taken */
	    {true, "24 0D 00 0B 84 40 29 1B", NULL},              /* an outcome too many */
	    {true, "24 0D 00 0B 84 40 29 07", NULL}};             /* a branch without outcome */
	struct image *image = program_a();
	struct run *run = calloc(1, sizeof *run);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ntrace_options options = {.history = cases[i].history};
		uint8_t bytes[64];
		size_t size = from_text(cases[i].bytes, bytes);
		decode(image, &options, bytes, size, 1, run);
		ck_assert_msg((run->told == 0) == (cases[i].run != NULL), "%zu: %zu", i, run->told);
		if (cases[i].run != NULL)
			expect_run(run, cases[i].run);
		for (size_t k = 0; cases[i].run == NULL && k < run->count; k++) /* what is damaged does not leave */
			ck_assert(run->steps[k].event != STANDARD_RETIRED || run->steps[k].pc >= 0x112);
	}
	free(run);
	image_close(image);
}
END_TEST

/* A message that comes where no address is known says nothing of the mode: it may be half of one. */
START_TEST(found_mode)
{
	const struct ntrace_options options = {.find_mode = true};
	struct image *image = program_a();
	struct run *run = calloc(1, sizeof *run);
	uint8_t bytes[64];
	size_t size = from_text("0C 07 24 0D 00 0B 84 40 11 0F", bytes);
	decode(image, &options, bytes, size, 1, run);
	ck_assert_uint_eq(run->told, 0);
	expect_run(run, "! 100 102 200 ! ");
	/* and one that is of the other mode than all behind it is not believed for ever */
	size = from_text("24 0D 00 0B 0C 0F 84 40 11 0F 24 0D 00 0B 84 40 11 0F", bytes);
	decode(image, &options, bytes, size, 1, run);
	ck_assert_uint_eq(run->told, 1);
	expect_run(run, "! ! ! 100 102 200 ! ");
	free(run);
	image_close(image);
}
END_TEST

/* Streams whose messages are whole, but that no encoder sends: the last message is told, and no other. */
START_TEST(contradictions)
{
	static const struct {
		bool history;
		const char *bytes, *before;      /* before: what has to be right */
	} cases[] = {{true, "0C 0F", ""},        /* DirectBranch, in history mode */
	    {false, "6C 87", ""},                /* HIST, in branch mode */
	    {false, "10 11 03", ""},             /* I-CNT 1: 100 is no jump */
	    {false, "0C 07", ""},                /* and no branch */
	    {false, "24 21 00 0B", ""},          /* SYNC 8 */
	    {false, "24 55 00 0B", "84 00 2B"},  /* SYNC 5 with I-CNT 1 */
	    {false, "24 09 00 0B", "84 00 2B"},  /* SYNC 2 behind the end */
	    {false, "0C 0D 07", ""},             /* a time, but none with the address */
	    {false, "6C 0F", ""},                /* RCODE 3 */
	    {true, "84 80 2B", ""},              /* CDF 2 */
	    {false, "58 07", ""},                /* TCODE 22 */
	    {false, "10 05 03", "10 19 00 1B"}}; /* B-TYPE 1 behind 2 */
	struct image *image = program_a();
	struct run *run = calloc(1, sizeof *run);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ntrace_options options = {.history = cases[i].history};
		uint8_t bytes[64];
		size_t size = from_text("24 0D 00 0B ", bytes);
		size += from_text(cases[i].before, bytes + size);
		decode(image, &options, bytes, size, 1, run);
		ck_assert_msg(run->told == 0, "%zu", i);
		const size_t right = size;
		size += from_text(cases[i].bytes, bytes + size);
		decode(image, &options, bytes, size, 1, run);
		ck_assert_msg(run->told == 1 && run->first_told == right, "%zu: %zu", i, run->told);
	}
	/* a reserved kind that comes again and again is the encoder's */
	const struct ntrace_options options = {.history = false};
	uint8_t bytes[64];
	size_t size = from_text("24 0D 00 0B 58 07 58 07 58 07 58 07 58 07 58 07", bytes);
	decode(image, &options, bytes, size, 1, run);
	ck_assert_uint_eq(run->told, 4);
	free(run);
	image_close(image);
}
END_TEST

/* A loop of two instructions: RCODE 9 counts its turns, RCODE 8 the way out. */
START_TEST(sifive_counts)
{
	/* 100: add; 104: beq ->100; 108: c.ebreak */
	static const uint8_t code[] = {0x33, 0x05, 0xB5, 0x00, 0xE3, 0x0E, 0xB5, 0xFE, 0x02, 0x90};
	struct ntrace_options options = {.history = true, .layout.sifive_counts = true};
	struct image *image;
	struct run *run = calloc(1, sizeof *run);
	uint8_t bytes[64];
	ck_assert_int_eq(image_from_code(&image, 0x100, code, sizeof code), IMAGE_OK);
	/* start at 100; 3 taken; 1 not taken; the end: I-CNT 16, no history */
	size_t size = from_text("24 0D 00 0B 6C E7 6C 63 84 40 41 07", bytes);
	decode(image, &options, bytes, size, 1, run);
	ck_assert_uint_eq(run->told, 0);
	expect_run(run, "! 100 104 100 104 100 104 100 104 ! ");
	options.layout.sifive_counts =
	    false; /* then the vendor's messages are passed over, and the rest does not fit */
	struct standard_counts counts = decode(image, &options, bytes, size, 1, run);
	ck_assert_uint_eq(counts.skipped, 2);
	ck_assert_uint_gt(run->told, 0);
	free(run);
	image_close(image);
}
END_TEST

START_TEST(example_b)
{
	static const char *const streams[][2] = {
	    {"24 15 00 08 00 00 00 07 10 41 0B 0C 0F 10 41 03 10 41 08 1B 84 00 07", "btm"},
	    {"24 15 00 08 00 00 00 07 10 41 0B 70 71 01 0F 70 41 08 19 0B 84 40 05 07", "htm"},
	    {"24 15 00 08 00 00 00 07 70 F1 00 19 1B 84 40 05 07", "htm with implicit returns"}};
	static uint8_t code[0x102] = {0xef, 0x00, 0x00, 0x01, 0x7d, 0x15, 0xe3, 0x1d, 0x05, 0xfe, 0x02, 0x85};
	static const uint8_t callee[] = {0x7d, 0x15, 0x82, 0x80};
	struct image *image;
	struct run *run = calloc(1, sizeof *run);
	memcpy(code + 0x10, callee, sizeof callee);
	code[0x100] = 0x01;
	ck_assert_int_eq(image_from_code(&image, 0x80000100, code, sizeof code), IMAGE_OK);
	for (unsigned i = 0; i < 3; i++) {
		const struct ntrace_options options = {.history = i > 0, .implicit_return = i == 2 ? 8 : 0};
		uint8_t bytes[64];
		size_t size = from_text(streams[i][0], bytes);
		decode(image, &options, bytes, size, 64, run);
		ck_assert_msg(run->told == 0, "%s", streams[i][1]);
		expect_run(run, "! 80000100 80000110 80000112 80000104 80000106 80000100 80000110 80000112 80000104 "
				"80000106 8000010a 80000200 ! ");
	}
	free(run);
	image_close(image);
}
END_TEST

/* Ownership behind the first message: mode U of context 0x1D, whose context is asked for or not; or mode M. */
START_TEST(contexts)
{
	static const struct {
		const char *bytes;
		bool chosen;
		uint64_t context;
		const char *run;
		unsigned mode;
	} cases[] = {{"24 15 00 0B 08 88 3B 84 40 29 13", false, 0, "! 100 102 106 10a 10e 110 ! ", 0},
	    {"24 15 00 0B 08 88 3B 84 40 29 13", true, 0x1D, "! 100 102 106 10a 10e 110 ! ", 0},
	    {"24 15 00 0B 08 88 3B 84 40 29 13", true, 0x1E, "! ! ", 0},
	    {"24 15 00 0B 08 33 84 40 29 13", true, 0x1E, "! 100 102 106 10a 10e 110 ! ", 3}};
	const struct ntrace_options options = {.history = true};
	struct image *image = program_a();
	struct run *run = calloc(1, sizeof *run);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t bytes[64];
		size_t size = from_text(cases[i].bytes, bytes);
		run->chosen = cases[i].chosen;
		run->wanted = cases[i].context;
		struct standard_counts counts = decode(image, &options, bytes, size, 1, run);
		ck_assert_uint_eq(run->told, 0);
		expect_run(run, cases[i].run);
		ck_assert_uint_eq(run->mode, cases[i].mode);
		ck_assert_uint_eq(counts.outside, i == 2 ? 10 : 0);
	}
	free(run);
	image_close(image);
}
END_TEST

/* TSTAMP: 0x1234, then 5 more; by encoders before 1.0, 5 of which bit 2 was set. */
START_TEST(timestamps)
{
	struct ntrace_options options = {0};
	struct image *image = program_a();
	struct run *run = calloc(1, sizeof *run);
	uint8_t bytes[64];
	size_t size = from_text("24 15 00 09 D0 20 07 84 00 05 17", bytes);
	decode(image, &options, bytes, size, 1, run);
	expect_run(run, "! 100 ! ");
	ck_assert_uint_eq(run->times, 2);
	ck_assert_uint_eq(run->steps[1].time, 0x1234);
	ck_assert_uint_eq(run->time, 0x1239);
	options.layout.time_xor = true;
	decode(image, &options, bytes, size, 1, run);
	ck_assert_uint_eq(run->time, 0x1231);
	/* a time that a damaged message had is missing: none is known until the next full one */
	size = from_text("24 15 00 09 D0 20 07 0E 03 84 00 05 17", bytes);
	options.layout.time_xor = false;
	decode(image, &options, bytes, size, 1, run);
	ck_assert_uint_eq(run->times, 1);
	free(run);
	image_close(image);
}
END_TEST

/* ---- random programs ---- */

/* Encodes a run of so many steps; *truth has what the decoder is to give back. */
static void encode_run(struct machine *m, const struct ntrace_options *options, size_t steps, struct run *truth)
{
	struct ntrace_encoder e;
	uint64_t pc = somewhere(m);
	truth->size = truth->count = 0;
	ntrace_encoder_init(&e, options, keep_bytes, truth);
	ntrace_start(&e, pc, 5);
	keep_step(truth, STANDARD_BROKEN, STANDARD_NOWHERE);
	for (size_t i = 0; i < steps; i++) {
		const struct standard_insn *insn = standard_code_at(m->code, pc);
		if (!can_run(m, insn) || draw(200) == 0) {
			bool exception = !can_run(m, insn);
			keep_step(truth, exception ? STANDARD_EXCEPTION : STANDARD_INTERRUPT, pc);
			m->before.constant = false;
			pc = somewhere(m);
			ntrace_trap(&e, exception ? 2 : 3, pc);
			continue;
		}
		uint64_t next = next_of(m, insn);
		keep_step(truth, STANDARD_RETIRED, pc);
		ntrace_retire(&e, insn, next);
		pc = next;
	}
	ntrace_stop(&e, 0);
	keep_step(truth, STANDARD_BROKEN, pc);
}

static struct ntrace_options random_options(void)
{
	return (struct ntrace_options){
	    .layout = {.source_bits = draw(3) == 0 ? 3 : 0, .xlen = 32, .extend = draw(2) == 0},
	    .history = draw(3) != 0,
	    .implicit_return = draw(2) == 0 ? 0 : 1 + draw(32),
	    .sequential_jump = draw(2) == 0,
	    .all_jumps = draw(4) == 0,
	    .repeat_branch = draw(2) == 0,
	    .repeated_history = draw(2) == 0,
	    .sync_halves = draw(2) == 0 ? 0 : 20 + draw(600),
	    .icnt_limit = draw(2) == 0 ? 0 : 8 + draw(60)};
}

struct setting {
	struct image *image;
	struct machine machine;
	struct ntrace_options options;
	uint16_t starts[CODE_HALVES];
};

static struct setting *random_setting(unsigned number, size_t steps, struct run *truth)
{
	static uint8_t code[2 * CODE_HALVES + 4];
	struct setting *s = calloc(1, sizeof *s);
	seed = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
	size_t count = make_code(code, s->starts);
	ck_assert_int_eq(image_from_code(&s->image, 0, code, sizeof code), IMAGE_OK);
	s->machine = (struct machine){standard_code_open(s->image), s->starts, count, {0}, {0}, 0, draw(9), {0}};
	s->options = random_options();
	encode_run(&s->machine, &s->options, steps, truth);
	return s;
}

static void free_setting(struct setting *s)
{
	standard_code_close(s->machine.code);
	image_close(s->image);
	free(s);
}

START_TEST(random_runs)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	for (unsigned number = 0; number < 400; number++) {
		struct setting *s = random_setting(number, 2000, truth);
		decode(s->image, &s->options, truth->stream, truth->size, 1 + number % 97, run);
		ck_assert_msg(run->told == 0, "%u: told at byte %" PRIu64, number, run->first_told);
		ck_assert_msg(run->count == truth->count, "%u: %zu steps, not %zu", number, run->count, truth->count);
		for (size_t i = 0; i < run->count; i++)
			ck_assert_msg(
			    run->steps[i].pc == truth->steps[i].pc && run->steps[i].event == truth->steps[i].event,
			    "%u: step %zu", number, i);
		free_setting(s);
	}
	free(truth);
	free(run);
}
END_TEST

/* A ring that was cut, anywhere: exact from the next full address to the end. */
START_TEST(cut_streams)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	unsigned used = 0;
	for (unsigned number = 0; number < 300; number++) {
		struct setting *s = random_setting(number, 2000, truth);
		size_t cut = draw((uint32_t)truth->size);
		s->options.wrapped = true;
		decode(s->image, &s->options, truth->stream + cut, truth->size - cut, 4096, run);
		ck_assert_msg(run->told == 0 && is_part(run, truth), "%u", number);
		used += run->count > 100;
		free_setting(s);
	}
	ck_assert_uint_gt(used, 60);
	free(truth);
	free(run);
}
END_TEST

/* One byte is another: it is told, or what leaves is of the run all the same. A change that makes another legal stream
 * of the same length cannot be told from a run; with a full address behind it, it is seldom one: those are counted. */
START_TEST(damaged_streams)
{
	struct run *truth = calloc(1, sizeof *truth), *run = calloc(1, sizeof *run);
	unsigned wrong = 0, synced = 0, told = 0, done = 0;
	for (unsigned number = 0; number < 300; number++) {
		struct setting *s = random_setting(number, 2000, truth);
		size_t at = draw((uint32_t)truth->size);
		truth->stream[at] ^= (uint8_t)(1u << draw(8));
		decode(s->image, &s->options, truth->stream, truth->size, 4096, run);
		done++;
		told += run->told > 0;
		wrong += run->told == 0 && !is_part(run, truth);
		synced += run->told == 0 && !is_part(run, truth) && s->options.sync_halves > 0;
		free_setting(s);
	}
	printf("damaged streams: %u, told %u, wrong and not told %u, %u of them with synchronising messages\n", done,
	    told, wrong, synced);
	ck_assert_uint_gt(told, 270);
	ck_assert_uint_le(wrong, 10);
	ck_assert_uint_le(synced, 7);
	free(truth);
	free(run);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"example A", example_a, 0}, {"the mode is found", found_mode, 0},
	    {"example B", example_b, 0}, {"contradictions", contradictions, 0}, {"contexts", contexts, 0},
	    {"timestamps", timestamps, 0}, {"counts of SiFive", sifive_counts, 0}, {"random runs", random_runs, 0},
	    {"cut", cut_streams, 0}, {"damaged", damaged_streams, 0}};
	return SUITE_RUN("ntrace", cases, NULL, NULL);
}
