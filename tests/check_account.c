/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/account against the instructions that the golden model retired, and against paths worked out by hand. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/account/account.h"
#include "host/account/remainder.h"
#include "isa/isa.h"
#include "host/walk/follow.h"
#include "model/run.h"
#include "tests/suite.h"

#define BASE 0x80000000u
#define HALVES (1u << 16) /* of memory whose instructions are counted */
#define NO_BACKWARD RV_CTRL_NO_BACKWARD_MASK
#define NO_INDIRECT RV_CTRL_NO_INDIRECT_MASK

/* ---- the truth: what retired while it was traced */
struct truth {
	struct model *model;
	struct profile profile;
	uint64_t *count, *taken, *cycles;
	uint64_t insns, last;
	int error;
};

static void on_record(void *context, const struct record *record)
{
	struct truth *t = context;
	int error = profile_add(&t->profile, record);
	if (t->error == PROFILE_OK)
		t->error = error;
}

static void on_retire(void *context, const struct model_out *out)
{
	struct truth *t = context;
	const struct trace *trace = model_trace(t->model);
	if (!follow_taken(trace)) {
		t->last = out->cycle;
		return;
	}
	uint32_t pc = (uint32_t)trace->s.pc, length = (trace->s.insn & 3) == 3 ? 4 : 2;
	ck_assert_uint_lt((pc - BASE) / 2, HALVES);
	uint32_t half = (pc - BASE) / 2;
	t->count[half]++;
	t->taken[half] += trace->s.next_pc != pc + length;
	t->cycles[half] += out->cycle - t->last;
	t->last = out->cycle;
	t->insns++;
	t->profile.header.ctrl = trace->ctrl;
}

static void truth_make(struct truth *t, const char *program, unsigned ctrl)
{
	struct model_config config;
	struct run_result result;
	char detail[512], word[32];
	const struct run_hooks hooks = {.context = t, .record = on_record, .retire = on_retire};
	memset(t, 0, sizeof *t);
	t->count = calloc(HALVES, sizeof *t->count);
	t->taken = calloc(HALVES, sizeof *t->taken);
	t->cycles = calloc(HALVES, sizeof *t->cycles);
	ck_assert(t->count != NULL && t->taken != NULL && t->cycles != NULL);
	ck_assert_int_eq(profile_init(&t->profile), PROFILE_OK);
	model_config_default(&config);
	ck_assert_int_eq(model_open(&t->model, &config), MODEL_OK);
	ck_assert_msg(model_load_elf(t->model, program, detail, sizeof detail) == MODEL_OK, "%s", detail);
	if (strcmp(program, FIXTURE) != 0) {
		ck_assert_int_eq(model_set(t->model, "way=5", detail, sizeof detail), MODEL_OK);
		snprintf(word, sizeof word, "ctrl=%u", ctrl);
		ck_assert_int_eq(model_set(t->model, word, detail, sizeof detail), MODEL_OK);
	}
	model_run(t->model, &hooks, 0, 0, &result);
	ck_assert_int_eq(result.end, RUN_END_EXIT);
	ck_assert_int_eq(t->error, PROFILE_OK);
	ck_assert_uint_gt(t->insns, 1000);
	t->profile.header.hist = model_trace(t->model)->config.hist;
	t->profile.header.period = 1;
	t->profile.has_header = true;
}

static void truth_free(struct truth *t)
{
	model_close(t->model);
	profile_fini(&t->profile);
	free(t->count);
	free(t->taken);
	free(t->cycles);
}

static void add(struct account_sum *to, const struct account_sum *sum)
{
	to->insns += sum->insns;
	to->cycles += sum->cycles;
}

/* Every table sums up to what is accounted; nothing is lost. */
static void conserved(const struct account *a)
{
	struct account_sum insns = {0}, blocks = {0}, functions = {0}, inlined = {0}, lines = a->lineless;
	for (size_t i = 0; i < a->insn_count; i++) {
		insns.insns += a->insns[i].count;
		insns.cycles += a->insns[i].cycles;
		ck_assert(i == 0 || a->insns[i - 1].pc < a->insns[i].pc);
		ck_assert_ptr_eq(account_find(a, a->insns[i].pc), &a->insns[i]);
		ck_assert_uint_le(a->insns[i].taken, a->insns[i].count);
	}
	ck_assert_ptr_null(account_find(a, BASE - 2));
	for (size_t i = 0; i < a->block_count; i++) {
		add(&blocks, &a->blocks[i].sum);
		ck_assert(i == 0 || a->blocks[i - 1].next <= a->blocks[i].start);
	}
	for (size_t i = 0; i < a->function_count; i++) {
		const struct account_function *f = &a->functions[i];
		add(&functions, &f->self);
		ck_assert_uint_ge(f->inclusive_insns, f->self.insns);
		ck_assert_uint_ge(f->inclusive_cycles, f->self.cycles);
		ck_assert_uint_le(f->inclusive_cycles, a->accounted.cycles);
		ck_assert(i == 0 || a->functions[i - 1].start < f->start);
	}
	for (size_t i = 0; i < a->line_count; i++)
		add(&lines, &a->lines[i].sum);
	for (size_t i = 0; i < a->inlined_count; i++)
		add(&inlined, &a->inlined[i].sum);
	const struct account_sum *all[] = {&insns, &blocks, &functions, &lines, &inlined};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		ck_assert_uint_eq(all[i]->insns, a->accounted.insns);
		ck_assert_uint_eq(all[i]->cycles, a->accounted.cycles);
	}
	ck_assert_uint_eq(a->accounted.count + a->unaccounted.count, a->all.count);
	ck_assert_uint_eq(a->accounted.cycles + a->unaccounted.cycles, a->all.cycles);
}

static const char *const programs[] = {FIXTURE, SW "/json.elf", SW "/qsort.elf", SW "/interp.elf", SW "/huffman.elf"};
#define PROGRAMS (sizeof programs / sizeof *programs)

/* Counts, outcomes and calls of every instruction are those of the run. _i: program and what does not end a trace. */
START_TEST(against_the_run)
{
	const unsigned program = (unsigned)_i / 4, ctrl = ((unsigned)_i % 4) << 1;
	struct truth t;
	struct image *image;
	struct walk *walk;
	struct walk_config config;
	struct account *a;
	char detail[512];
	if (program == 0 && ctrl != 0)
		return; /* it sets CTRL itself */
	truth_make(&t, programs[program], ctrl);
	ck_assert_int_eq(t.profile.header.ctrl & (NO_BACKWARD | NO_INDIRECT), ctrl);
	ck_assert_msg(image_open(&image, programs[program], detail, sizeof detail) == IMAGE_OK, "%s", detail);
	ck_assert_int_eq(image_debug(image, detail, sizeof detail), IMAGE_OK);
	account_walk_config(&t.profile, &config);
	ck_assert_int_eq(walk_open(&walk, image, &config), WALK_OK);
	ck_assert_int_eq(account_make(&a, image, walk, &t.profile, ACCOUNT_BY_COST, NULL), ACCOUNT_OK);
	conserved(a);
	ck_assert_uint_eq(a->all.count, t.profile.total);
	ck_assert_uint_eq(a->unaccounted.count, 0);
	const bool whole = (ctrl & NO_INDIRECT) == 0; /* behind an unknown target nothing is known */
	if (whole) {
		ck_assert_uint_eq(a->cut.count, 0);
		ck_assert_uint_eq(a->accounted.insns, t.insns);
	} else
		ck_assert_uint_gt(a->cut.count, 0);
	uint64_t taken = 0, not_taken = 0, calls = 0, called = 0;
	for (size_t i = 0; i < a->branch_count; i++) {
		taken += a->branches[i].taken;
		not_taken += a->branches[i].not_taken;
	}
	for (size_t i = 0; i < a->call_count; i++)
		calls += a->calls[i].kind == ACCOUNT_CALL ? a->calls[i].count : 0;
	for (uint32_t half = 0; half < HALVES; half++) {
		const struct account_insn *insn = account_find(a, BASE + 2 * half);
		uint64_t count = insn == NULL ? 0 : insn->count;
		if (!whole) {
			ck_assert_uint_le(count, t.count[half]);
			continue;
		}
		ck_assert_uint_eq(count, t.count[half]);
		if (insn != NULL && (insn->class_bits & ISA_BRANCH) != 0) {
			ck_assert_uint_eq(insn->taken, t.taken[half]);
			taken -= insn->taken;
			not_taken -= insn->count - insn->taken;
		}
		if (insn != NULL && (insn->class_bits & ISA_CALL) != 0)
			called += count;
	}
	if (whole) {
		ck_assert_uint_eq(taken, 0);
		ck_assert_uint_eq(not_taken, 0);
		ck_assert_uint_eq(calls, called);
	}
	account_free(a);
	walk_close(walk);
	image_close(image);
	truth_free(&t);
}
END_TEST

/* How far the cycles of the functions are from those of the run: half the sum of the differences, as a share. */
static double distance(const struct account *a, const struct truth *t, bool by_function)
{
	double sum = 0, all = 0;
	double *own = calloc(a->function_count + 1, sizeof *own), *run = calloc(a->function_count + 1, sizeof *run);
	ck_assert(own != NULL && run != NULL);
	for (size_t i = 0; i < a->insn_count; i++) {
		const struct account_insn *insn = &a->insns[i];
		double mine = (double)insn->cycles, true_one = (double)t->cycles[(insn->pc - BASE) / 2];
		own[insn->function] += mine;
		run[insn->function] += true_one;
		all += true_one;
		if (!by_function)
			sum += mine > true_one ? mine - true_one : true_one - mine;
	}
	for (size_t i = 0; i < a->function_count && by_function; i++)
		sum += own[i] > run[i] ? own[i] - run[i] : run[i] - own[i];
	free(own);
	free(run);
	return sum / 2 / all;
}

/* Shared out by cost, functions get the cycles of the run but for a few percent, and more exactly than in equal
 * parts. */
START_TEST(cycles_near_the_run)
{
	struct truth t;
	struct image *image;
	struct walk *walk;
	struct walk_config config;
	struct account *cost, *equal;
	char detail[512];
	truth_make(&t, programs[_i], 0);
	ck_assert_msg(image_open(&image, programs[_i], detail, sizeof detail) == IMAGE_OK, "%s", detail);
	account_walk_config(&t.profile, &config);
	ck_assert_int_eq(walk_open(&walk, image, &config), WALK_OK);
	ck_assert_int_eq(account_make(&cost, image, walk, &t.profile, ACCOUNT_BY_COST, NULL), ACCOUNT_OK);
	ck_assert_int_eq(account_make(&equal, image, walk, &t.profile, ACCOUNT_EQUAL, NULL), ACCOUNT_OK);
	conserved(equal);
	ck_assert_uint_eq(cost->all.cycles, equal->all.cycles);
	double f = distance(cost, &t, true), g = distance(equal, &t, true);
	if (getenv("SHOW") != NULL)
		fprintf(stderr, "%-24s functions %5.2f%% (equal parts %5.2f%%), instructions %5.2f%% (%5.2f%%)\n",
		    programs[_i], 100 * f, 100 * g, 100 * distance(cost, &t, false), 100 * distance(equal, &t, false));
	ck_assert_double_lt(f, 0.03);
	ck_assert_double_le(distance(cost, &t, false), distance(equal, &t, false));
	account_free(cost);
	account_free(equal);
	walk_close(walk);
	image_close(image);
	truth_free(&t);
}
END_TEST

/* ---- what is not shown, by numbers: {run, traced, lost} of the end, what is shown, and the words */
static const struct {
	uint64_t run, traced, lost, shown, period;
	bool imported;
	const char *text;
} remainders[] = {{100, 100, 0, 100, 1, false, "0 instructions (0.00% of the run)"},
    {100, 80, 0, 80, 1, false, "20 instructions (20.00% of the run): 20 with tracing off"},
    {100, 80, 2, 70, 1, false,
	"30 instructions (30.00% of the run): 20 with tracing off; 10 in records that were lost (2 records)"},
    /* a log has no counter of what it lacks; its last jump is no gap */
    {100, 99, 0, 99, 1, true,
	"1 instructions (1.00% of the run): 1 outside of the program, or in jumps behind which the log ends or breaks "
	"off"},
    {100, 99, 2, 99, 1, true,
	"how much is not known: no counter of the run has what was lost: 1 outside of the program, or in jumps behind "
	"which the log ends or breaks off; in records that were lost (2 records)"},
    /* an estimate above the run is told, whatever was lost */
    {100, 100, 2, 11, 10, false,
	"10 instructions more than ran: in records that were lost (2 records); by the error of sampling"},
    {100, 100, 2, 10, 10, false, "0 instructions (0.00% of the run): in records that were lost (2 records)"}};

START_TEST(not_shown)
{
	struct profile profile = {.has_header = true,
	    .has_end = true,
	    .imported = remainders[_i].imported,
	    .header = {.period = remainders[_i].period, .ctrl = RV_CTRL_HANDLERS_MASK},
	    .end = {.run_instructions = remainders[_i].run,
		.instructions = remainders[_i].traced,
		.lost = remainders[_i].lost}};
	const struct remainder_shown shown = {.insns = remainders[_i].shown};
	struct remainder remainder;
	char text[512];
	remainder_find(&remainder, &profile, &shown);
	remainder_text(&remainder, text, sizeof text);
	ck_assert_str_eq(text, remainders[_i].text);
}
END_TEST

#include "tests/check_account_inclusive.h"
#include "tests/check_account_paths.h"

int main(void)
{
	Suite *suite = suite_create("account");
	TCase *run = tcase_create("run");
	tcase_set_timeout(run, 120);
	tcase_add_loop_test(run, against_the_run, 0, 4 * PROGRAMS);
	tcase_add_loop_test(run, cycles_near_the_run, 0, PROGRAMS);
	suite_add_tcase(suite, run);
	TCase *remainder = tcase_create("remainder");
	tcase_add_loop_test(remainder, not_shown, 0, sizeof remainders / sizeof *remainders);
	suite_add_tcase(suite, remainder);
	suite_add_tcase(suite, paths_case());
	suite_add_tcase(suite, inclusive_case());
	return suite_finish(suite);
}
