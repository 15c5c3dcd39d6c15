/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The fast engine held against the golden model: the same program on both, then everything that can be seen must be
 * equal, to the cycle. The programs (FAST_LIST, one a line, with settings of the run configuration behind the name) are
 * the applications, the directed tests and random ones.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rivulet_regs.h"
#include "host/base/array.h"
#include "host/profile/profile.h"
#include "model/fast/fast.h"
#include "model/private.h"
#include "tests/suite.h"

#define CYCLES_MAX 20000000u

struct seen { /* of one run */
	struct model *model;
	struct fast *fast; /* NULL: the golden model alone */
	struct profile profile;
	struct run_result result;
	uint64_t console, uart, console_bytes, uart_bytes, refused;
	/* every record in order, with its time and CTRL */
	uint32_t ctrl;
	struct left {
		struct record record;
		uint64_t time;
		uint32_t ctrl;
	} * left;
	size_t left_count, left_room;
	uint64_t alone; /* of these: records of a key for them alone */
};

static void note(struct seen *seen, const struct record *record, uint64_t time, uint32_t ctrl)
{
	ck_assert(array_room(&seen->left, seen->left_count + 1, &seen->left_room));
	seen->left[seen->left_count++] = (struct left){*record, time, ctrl};
}

static uint64_t hash(uint64_t old, uint8_t byte)
{
	return (old ^ byte) * 0x100000001B3u;
}

static void on_console(void *context, uint8_t byte)
{
	struct seen *seen = context;
	seen->console = hash(seen->console, byte);
	seen->console_bytes++;
}

static void on_uart(void *context, uint8_t byte)
{
	struct seen *seen = context;
	seen->uart = hash(seen->uart, byte);
	seen->uart_bytes++;
}

static void add(struct seen *seen, const struct record *entry)
{
	int error = profile_add(&seen->profile, entry);
	if (error == PROFILE_EENTRY)
		seen->refused += entry->count;
	else
		ck_assert_int_eq(error, PROFILE_OK);
}

static void on_record(void *context, const struct record *record)
{
	struct seen *seen = context;
	add(seen, record);
	note(seen, record, model_cycles(seen->model) - 1, seen->fast == NULL ? seen->ctrl : fast_ctrl(seen->fast));
}

static void on_retire(void *context, const struct model_out *out)
{
	struct seen *seen = context;
	(void)out;
	if (seen->model->trace.ctrl & RV_CTRL_ENABLE_MASK)
		seen->ctrl = seen->model->trace.ctrl;
}

static void on_batch(void *context, const struct fast_batch *batch)
{
	const struct record_chain *chain = &batch->chain;
	uint64_t time = chain->begin;
	for (size_t i = 0, odd = 0; i < chain->count; i++) {
		ck_assert_uint_lt(chain->uses[i], chain->key_count);
		struct record record = chain->keys[chain->uses[i]];
		((struct seen *)context)->alone += chain->uses[i] < chain->once;
		time += record.cycles;
		if (odd < chain->odd_count && chain->odd[odd].at == i) {
			record.cycles = chain->odd[odd].cycles;
			time = chain->odd[odd++].time;
		}
		note(context, &record, time, batch->ctrl);
	}
}

static int on_path(void *context, const struct record *path)
{
	add(context, path);
	return 0;
}

struct choice {
	struct model_config config;
	char line[512]; /* program and settings */
	bool paths, order_only;
	uint64_t cycles, instructions; /* limits */
	uint32_t ctrl;                 /* of the unit, from the first cycle on; 0: the program's own */
};

static void open_seen(struct seen *seen, const struct choice *choice)
{
	char line[512], detail[512] = "", *rest;
	*seen = (struct seen){0};
	ck_assert_int_eq(model_open(&seen->model, &choice->config), MODEL_OK);
	ck_assert_int_eq(profile_init(&seen->profile), PROFILE_OK);
	strcpy(line, choice->line);
	const char *program = strtok_r(line, " \n", &rest);
	ck_assert_msg(model_load_elf(seen->model, program, detail, sizeof detail) == MODEL_OK, "%s", detail);
	for (const char *s; (s = strtok_r(NULL, " \n", &rest));)
		ck_assert_msg(model_set(seen->model, s, detail, sizeof detail) == MODEL_OK, "%s", detail);
	if (choice->ctrl != 0)
		model_trace_write(seen->model, RV_REG_CTRL, choice->ctrl);
}

static void close_seen(struct seen *seen)
{
	fast_close(seen->fast);
	free(seen->left);
	profile_fini(&seen->profile);
	model_close(seen->model);
}

static void run_golden(struct seen *seen, const struct choice *choice)
{
	const struct run_hooks hooks = {
	    .context = seen, .console = on_console, .uart = on_uart, .record = on_record, .retire = on_retire};
	open_seen(seen, choice);
	model_run(seen->model, &hooks, choice->cycles, choice->instructions, &seen->result);
}

static void run_fast(struct seen *seen, const struct choice *choice)
{
	const struct run_hooks hooks = {.context = seen, .console = on_console, .uart = on_uart, .record = on_record};
	const struct fast_options options = {
	    .paths = choice->paths, .order = on_batch, .order_context = seen, .order_only = choice->order_only};
	open_seen(seen, choice);
	ck_assert_int_eq(fast_open(&seen->fast, seen->model, &options), MODEL_OK);
	fast_run(seen->fast, &hooks, choice->cycles, choice->instructions, &seen->result);
	if (!choice->order_only)
		ck_assert_int_eq(fast_paths(seen->fast, on_path, seen), 0);
	ck_assert(!fast_paths_failed(seen->fast));
}

#define SAME(what)                                                                                                     \
	ck_assert_msg(a->what == b->what, "%s: " #what " %llu, expected %llu", choice->line,                           \
	    (unsigned long long)b->what, (unsigned long long)a->what)

static void compare_profiles(const struct choice *choice, const struct profile *x, const struct profile *y)
{
	const struct profile *a = x, *b = y;
	for (size_t i = 0; i < y->used; i++) {
		const struct record *e = &y->entries[i];
		ck_assert_msg(profile_find(x, e->start, e->hist, record_partial(e)),
		    "%s: trace %llx %llx reason %u count %llu is not in the golden model's", choice->line,
		    (unsigned long long)e->start, (unsigned long long)e->hist, e->reason, (unsigned long long)e->count);
	}
	/* random programs change their code: traces of one key have different lengths, and the first one seen counts */
	bool varying = strstr(choice->line, "random-") != NULL;
	SAME(used);
	SAME(total);
	for (size_t i = 0; i < x->used; i++) {
		const struct record *e = &x->entries[i], *o;
		o = profile_find(y, e->start, e->hist, record_partial(e));
		ck_assert_msg(o != NULL, "%s: trace %llx %llx is missing", choice->line, (unsigned long long)e->start,
		    (unsigned long long)e->hist);
		ck_assert_msg(o->count == e->count && o->cycles == e->cycles &&
				  (o->insns == e->insns || varying || record_partial(e)),
		    "%s: trace %llx %llx: count %llu cycles %llu insns %u, expected %llu %llu %u", choice->line,
		    (unsigned long long)e->start, (unsigned long long)e->hist, (unsigned long long)o->count,
		    (unsigned long long)o->cycles, o->insns, (unsigned long long)e->count,
		    (unsigned long long)e->cycles, e->insns);
	}
}

static void compare(const struct choice *choice, const struct seen *a, const struct seen *b)
{
	SAME(result.end);
	SAME(result.code);
	SAME(result.cycles);
	SAME(result.instructions);
	SAME(console);
	SAME(console_bytes);
	SAME(uart);
	SAME(uart_bytes);
	if (!choice->order_only)
		SAME(refused);
	uint32_t csrs_a[MODEL_CSR_COUNT], csrs_b[MODEL_CSR_COUNT];
	model_csrs(a->model, csrs_a);
	model_csrs(b->model, csrs_b);
	for (unsigned i = 0; i < MODEL_CSR_COUNT; i++)
		ck_assert_msg(
		    csrs_a[i] == csrs_b[i], "%s: csr %u is %x, expected %x", choice->line, i, csrs_b[i], csrs_a[i]);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_msg(model_reg(a->model, i) == model_reg(b->model, i), "%s: x%u is %x, expected %x",
		    choice->line, i, model_reg(b->model, i), model_reg(a->model, i));
	ck_assert_msg(
	    !memcmp(a->model->ram, b->model->ram, a->model->config.ram_size), "%s: memory differs", choice->line);
	SAME(model->clint.mtime);
	SAME(model->clint.mtimecmp);
	if (!choice->paths)
		return;
	SAME(model->trace.ctrl);
	SAME(model->trace.lost);
	SAME(model->trace.lfsr);
	SAME(model->trace.counter);
	SAME(model->trace.depth);
	SAME(model->trace.count);
	if (!choice->order_only)
		compare_profiles(choice, &a->profile, &b->profile);
	SAME(left_count);
	for (size_t i = 0; i < a->left_count; i++) {
		SAME(left[i].record.start);
		SAME(left[i].record.hist);
		SAME(left[i].record.reason);
		SAME(left[i].record.insns);
		SAME(left[i].record.cycles);
		SAME(left[i].record.count);
		SAME(left[i].record.timed);
		SAME(left[i].time);
		SAME(left[i].ctrl);
	}
}

static unsigned programs;
static uint64_t instructions, by_model, cycles;

static void judge(const struct choice *choice)
{
	struct seen golden, fast;
	struct fast_statistics statistics;
	run_golden(&golden, choice);
	run_fast(&fast, choice);
	compare(choice, &golden, &fast);
	fast_statistics(fast.fast, &statistics);
	programs++;
	instructions += fast.result.instructions;
	cycles += fast.result.cycles;
	by_model += statistics.model_cycles;
	if (getenv("FAST_VERBOSE"))
		printf("%s: %llu cycles, %llu by the model, %llu visits, %llu blocks, %llu flushes\n", choice->line,
		    (unsigned long long)fast.result.cycles, (unsigned long long)statistics.model_cycles,
		    (unsigned long long)statistics.visits, (unsigned long long)statistics.blocks,
		    (unsigned long long)statistics.flushes);
	close_seen(&fast);
	if (choice->paths) { /* and where nobody wants the counts of paths, exits know the keys of their records */
		struct choice alone = *choice;
		alone.order_only = true;
		run_fast(&fast, &alone);
		compare(&alone, &golden, &fast);
		close_seen(&fast);
	}
	close_seen(&golden);
}

static void start(struct choice *choice)
{
	*choice = (struct choice){.cycles = CYCLES_MAX};
	model_config_default(&choice->config);
	choice->config.ram_size = 4u << 20;
}

/* Where the run is cut, what is in the pipeline need not be the same: how far it came is. */
static void judge_end(const struct choice *choice)
{
	struct seen golden, fast, *a = &golden, *b = &fast;
	run_golden(&golden, choice);
	run_fast(&fast, choice);
	SAME(result.end);
	SAME(result.cycles);
	SAME(result.instructions);
	SAME(model->csr.cycle);
	SAME(model->csr.instret);
	/* the unit hands a trace over some cycles after its last instruction, the engine at once */
	ck_assert_uint_ge(fast.profile.total, golden.profile.total);
	ck_assert_uint_le(fast.profile.total - golden.profile.total, 1);
	close_seen(&golden);
	close_seen(&fast);
}

/* Calls judge() for each program of the list. */
static void each(struct choice *choice, bool all)
{
	FILE *list = fopen(FAST_LIST, "r");
	ck_assert_msg(list != NULL, "%s cannot be read", FAST_LIST);
	programs = 0;
	instructions = by_model = cycles = 0;
	while (fgets(choice->line, sizeof choice->line, list)) {
		choice->line[strcspn(choice->line, "\n")] = '\0';
		if (all || strstr(choice->line, "way=off") ||
		    (strstr(choice->line, "/asm/") && !strstr(choice->line, "trace")))
			judge(choice);
	}
	fclose(list);
	printf("%u programs, %llu instructions; the golden model ran %.1f%% of the cycles\n", programs,
	    (unsigned long long)instructions, 100.0 * (double)by_model / (double)cycles);
}

START_TEST(test_with_paths)
{
	struct choice choice;
	start(&choice);
	choice.paths = true;
	each(&choice, true);
	ck_assert_uint_gt(programs, 50);
}
END_TEST

/* Without paths the trace unit sees nothing, so only programs that do not use it are judged. */
START_TEST(test_without_paths)
{
	struct choice choice;
	start(&choice);
	each(&choice, false);
	ck_assert_uint_gt(programs, 10);
}
END_TEST

/* A run that is cut by a limit ends in the same cycle, wherever that is. */
START_TEST(test_limits)
{
	struct choice choice;
	start(&choice);
	choice.paths = true;
	snprintf(choice.line, sizeof choice.line, "%s input=train way=stream", FAST_APP);
	for (unsigned i = 0; i < 60; i++) {
		choice.cycles = CYCLES_MAX;
		choice.instructions = 40000 + 997 * i;
		judge_end(&choice);
		choice.cycles = 60000 + 1499 * i;
		choice.instructions = 0;
		judge_end(&choice);
	}
}
END_TEST

/* Other cores and trace units. */
START_TEST(test_configurations)
{
	static const struct {
		bool mul_fast;
		unsigned hist, fifo, pmp;
	} table[] = {{false, 32, 16, 4}, {true, 8, 16, 0}, {true, 16, 0, 16}, {false, 64, 2, 4}, {true, 12, 1024, 1}};
	struct choice choice;
	start(&choice);
	choice.paths = true;
	snprintf(choice.line, sizeof choice.line, "%s input=train way=stream", FAST_APP);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		choice.config.mul_fast = table[i].mul_fast;
		choice.config.pmp_regions = table[i].pmp;
		choice.config.trace.hist = table[i].hist;
		choice.config.trace.fifo_depth = table[i].fifo;
		choice.config.trace.with_repeat = i % 2 == 0;
		if (table[i].fifo == 0)
			choice.config.trace.with_lifo = false;
		judge(&choice);
	}
}
END_TEST

/* The unit's table, which is large enough or throws out all the time. */
START_TEST(test_table)
{
	static const unsigned entries[] = {1024, 64, 64, 128}, ways[] = {4, 1, 2, 4};
	struct choice choice;
	start(&choice);
	choice.paths = true;
	snprintf(choice.line, sizeof choice.line, "%s input=train way=table watermark=%d", FAST_APP, _i == 2 ? 1 : 12);
	choice.config.trace.table_entries = entries[_i];
	choice.config.trace.table_ways = ways[_i];
	if (_i == 3) {
		choice.config.trace.table_count_bits = 8;
		choice.config.trace.table_cycle_bits = 16;
	}
	judge(&choice);
}
END_TEST

/* More paths in turn than are known at once (bench/recording.S): from the third turn on, exits know the records. */
START_TEST(test_mazes)
{
	static const char *const mazes[] = {"maze", "maze2", "maze5", "funnel"};
	struct choice maze, *choice = &maze;
	start(choice);
	choice->paths = choice->order_only = true;
	choice->ctrl = RV_CTRL_ENABLE_MASK | RV_CTRL_MODES_MASK;
	snprintf(choice->line, sizeof maze.line, "%s/recording-%s.elf", FAST_MAZES, mazes[_i]);
	struct seen golden, fast, *a = &golden, *b = &fast;
	choice->instructions = 200000;
	run_golden(&golden, choice);
	choice->instructions = 1500000;
	run_fast(&fast, choice);
	ck_assert_uint_gt(b->left_count, 200000);
	ck_assert_msg(b->alone < b->left_count / 4, "%s: %llu of %zu records are alone", choice->line,
	    (unsigned long long)b->alone, b->left_count);
	ck_assert_uint_gt(a->left_count, 25000);
	for (size_t i = 0; i < a->left_count; i++) {
		SAME(left[i].record.start);
		SAME(left[i].record.hist);
		SAME(left[i].record.insns);
		SAME(left[i].record.cycles);
		SAME(left[i].time);
	}
	close_seen(&golden);
	close_seen(&fast);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("fast");
	TCase *t = tcase_create("fast");
	tcase_add_test(t, test_with_paths);
	tcase_add_test(t, test_without_paths);
	tcase_add_test(t, test_limits);
	tcase_add_test(t, test_configurations);
	tcase_set_timeout(t, 300);
	suite_add_tcase(s, t);
	t = tcase_create("mazes");
	tcase_add_loop_test(t, test_mazes, 0, 4);
	tcase_set_timeout(t, 300);
	suite_add_tcase(s, t);
	t = tcase_create("table");
	tcase_add_loop_test(t, test_table, 0, 4);
	tcase_set_timeout(t, 300);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	return suite_finish(suite());
}
