/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * host/export: sums against an account of the same profile and against the records, contexts of a profile against those
 * of records in order, and each format read back. The real consumers are in tests/export/run.
 */
#include <inttypes.h>
#include <stdio.h>
#include "tests/export/bench.h"
#include "host/account/account.h"
#include "host/export/edges.h"
#include "host/export/gather_feed.h"
#include "host/export/tree.h"
#include "tests/suite.h"
#include "isa/isa.h"

static const char *const programs[] = {"qsort", "json", "regex", "interp"};
static const char *const ctrls[] = {"ctrl=0", "ctrl=0x10", "ctrl=2", "ctrl=0"};

/* Sums over cells, code and calls agree with each other. */
static void check_sums(const struct gather_result *r)
{
	uint64_t count = 0, cycles = 0, entered = 0;
	for (size_t i = 0; i < r->cell_count; i++) {
		count += r->cells[i].count;
		cycles += r->cells[i].cycles;
		if (i > 0)
			ck_assert(r->cells[i - 1].node < r->cells[i].node || r->cells[i - 1].pc < r->cells[i].pc);
	}
	ck_assert_uint_eq(count, r->count);
	ck_assert_uint_eq(cycles, r->cycles);
	count = cycles = 0;
	for (size_t i = 0; i < r->code_count; i++) {
		count += r->code[i].count;
		cycles += r->code[i].cycles;
		ck_assert_ptr_eq(gather_at(r, r->code[i].pc), &r->code[i]);
	}
	ck_assert_uint_eq(count, r->count);
	ck_assert_uint_eq(cycles, r->cycles);
	for (size_t i = 0; i < r->node_count; i++)
		entered += r->nodes[i].kind == STACK_CALL ? r->nodes[i].entered : 0;
	ck_assert_uint_eq(entered, r->stack.calls * r->scale);
}

START_TEST(profile_equals_the_account)
{
	struct bench b;
	char path[256];
	struct walk *walk;
	struct walk_config config;
	struct account *account;
	const uint64_t scale = 7;
	snprintf(path, sizeof path, SW "/%s.elf", programs[_i]);
	bench_open(&b, path, ctrls[_i]);
	gather_from_profile(&b, scale);
	check_sums(b.result);
	account_walk_config(&b.profile, &config);
	ck_assert_int_eq(walk_open(&walk, b.image, &config), WALK_OK);
	ck_assert_int_eq(account_make(&account, b.image, walk, &b.profile, ACCOUNT_BY_COST, NULL), ACCOUNT_OK);
	ck_assert_uint_eq(account->insn_count, b.result->code_count);
	for (size_t i = 0; i < account->insn_count; i++) {
		const struct account_insn *insn = &account->insns[i];
		const struct gather_code *code = &b.result->code[i];
		ck_assert_uint_eq(insn->pc, code->pc);
		ck_assert_uint_eq(insn->count * scale, code->count);
		ck_assert_uint_eq(insn->cycles * scale, code->cycles);
		ck_assert_uint_eq(insn->taken * scale, code->taken);
		if ((insn->class_bits & ISA_BRANCH) != 0)
			ck_assert_uint_eq((insn->count - insn->taken) * scale, code->not_taken);
	}
	/* both know the same direct calls */
	uint64_t mine = 0, theirs = 0;
	for (size_t i = 0; i < account->call_count; i++) {
		if (account->calls[i].kind == ACCOUNT_CALL && account->calls[i].callee != ACCOUNT_NOWHERE)
			theirs += account->calls[i].count * scale;
	}
	for (size_t i = 0; i < b.result->call_count; i++)
		mine += b.result->calls[i].count;
	ck_assert_uint_eq(mine, theirs);
	ck_assert_uint_gt(mine, 0);
	account_free(account);
	walk_close(walk);
	bench_close(&b);
}
END_TEST

START_TEST(records_equal_the_run)
{
	struct bench b;
	char path[256];
	snprintf(path, sizeof path, SW "/%s.elf", programs[_i]);
	bench_open(&b, path, ctrls[_i]);
	gather_from_records(&b, 0, 0);
	check_sums(b.result);
	const struct gather_result *r = b.result;
	ck_assert_uint_eq(r->count, b.oracle->insn_count);
	ck_assert_uint_eq(r->cycles, b.oracle->cycles);
	ck_assert_uint_eq(r->unfit + r->cut + r->breaks, 0);
	ck_assert(r->ordered);
	ck_assert_uint_le(r->stack.unmatched, 2);
	/* every call that was executed is an edge, with its target */
	uint64_t calls = 0, executed = 0;
	for (size_t i = 0; i < r->call_count; i++) {
		calls += r->calls[i].count;
		ck_assert_ptr_nonnull(gather_at(r, r->calls[i].target));
	}
	for (size_t i = 0; i < r->code_count; i++) {
		const struct spot_place *place = spots_at(&b.spots, r->code[i].pc);
		ck_assert_ptr_nonnull(place);
		if ((place->class_bits & ISA_CALL) != 0)
			executed += r->code[i].count;
	}
	ck_assert_uint_eq(calls, executed);
	/* costs of the calls: those of the contexts below the call, each counted where it is outermost */
	struct edges edges;
	ck_assert_int_eq(edges_make(&edges, &b.input), EXPORT_OK);
	ck_assert(!edges.estimated);
	uint64_t entered = 0;
	for (size_t i = 0; i < edges.count; i++) {
		entered += edges.all[i].calls;
		ck_assert_uint_le(edges.all[i].count, r->count);
		ck_assert_uint_le(edges.all[i].cycles, r->cycles);
	}
	ck_assert_uint_ge(entered, calls);
	/* app_main() is called once, and does nearly all of the work */
	uint64_t app_main;
	const struct edge *work = NULL;
	ck_assert_int_eq(image_symbol(b.image, "app_main", &app_main), IMAGE_OK);
	for (size_t i = 0; i < edges.count; i++) {
		if (edges.all[i].target == app_main)
			work = &edges.all[i];
	}
	ck_assert_ptr_nonnull(work);
	ck_assert_uint_eq(work->calls, 1);
	ck_assert_uint_gt(work->count, r->count * 9 / 10);
	edges_free(&edges);
	bench_close(&b);
}
END_TEST

/* With records missing, what is left is still counted right, and no stack goes on across the hole. */
START_TEST(records_with_a_hole)
{
	struct bench b;
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	size_t from = b.oracle->record_count / 3, to = b.oracle->record_count / 2;
	uint64_t cycles = b.oracle->cycles;
	for (size_t i = from; i < to; i++)
		cycles -= b.oracle->records[i].cycles;
	gather_from_records(&b, from, to);
	check_sums(b.result);
	ck_assert_uint_eq(b.result->cycles, cycles);
	ck_assert_uint_eq(b.result->breaks, 0);
	ck_assert_uint_gt(b.result->stack.unmatched, 0); /* returns into frames that the hole hides */
	bench_close(&b);
}
END_TEST

/* The estimate shares a callee's cost out: all calls to a function together cost no more than it and what it calls. */
START_TEST(estimated_call_costs)
{
	struct bench b;
	struct edges exact, estimate;
	bench_open(&b, SW "/huffman.elf", "ctrl=0");
	gather_from_records(&b, 0, 0);
	ck_assert_int_eq(edges_make(&exact, &b.input), EXPORT_OK);
	bench_ungather(&b);
	gather_from_profile(&b, 1);
	ck_assert_int_eq(edges_make(&estimate, &b.input), EXPORT_OK);
	ck_assert(estimate.estimated);
	size_t compared = 0;
	for (size_t i = 0; i < estimate.count; i++) {
		const struct edge *e = &estimate.all[i];
		size_t k = edges_first(&exact, e->site);
		ck_assert_uint_le(e->cycles, b.result->cycles);
		if (k == exact.count || exact.all[k].site != e->site || exact.all[k].target != e->target)
			continue;
		ck_assert_uint_le(e->calls, exact.all[k].calls);
		/* a function called from one place, by one call at a time: the estimate is the truth, but for a few
		 * cycles by rounding */
		size_t callers = 0;
		for (size_t j = 0; j < exact.count; j++)
			callers += exact.all[j].target == e->target;
		if (callers == 1 && e->calls == exact.all[k].calls && exact.all[k].count > 10000) {
			double ratio = (double)e->count / (double)exact.all[k].count;
			ck_assert_msg(ratio > 0.6 && ratio < 1.4,
			    "call at %08" PRIx64 ": %" PRIu64 " instead of %" PRIu64, e->site, e->count,
			    exact.all[k].count);
			compared++;
		}
	}
	ck_assert_uint_gt(compared, 0);
	edges_free(&exact);
	edges_free(&estimate);
	bench_close(&b);
}
END_TEST

START_TEST(stacks_hold_all_there_is)
{
	struct bench b;
	struct tree tree;
	bench_open(&b, SW "/json.elf", "ctrl=0");
	gather_from_records(&b, 0, 0);
	ck_assert_int_eq(tree_make(&tree, &b.input), EXPORT_OK);
	uint64_t count = 0, cycles = 0;
	uint32_t frames[512], deepest = 0;
	bool inlined = false;
	for (size_t i = 1; i < tree.node_count; i++) {
		const struct tree_node *node = &tree.nodes[i];
		ck_assert_uint_lt(node->parent, i);
		ck_assert_uint_eq(node->depth, tree.nodes[node->parent].depth + 1);
		count += node->count;
		cycles += node->cycles;
		ck_assert_uint_lt(node->depth, 512);
		tree_stack(&tree, (uint32_t)i, frames);
		ck_assert_uint_eq(frames[node->depth - 1], node->frame);
		if (node->depth > deepest)
			deepest = node->depth;
		inlined |= strcmp(tree.frames[node->frame].name, "skip_blanks") == 0 && node->count > 0;
	}
	ck_assert_uint_eq(count, b.result->count);
	ck_assert_uint_eq(cycles, b.result->cycles);
	ck_assert_uint_gt(deepest, 8);
	ck_assert(inlined); /* always inlined by the compiler, and a frame all the same */
	tree_free(&tree);
	bench_close(&b);
}
END_TEST

/* What export_X() writes, as a string. */
static char *written(int (*export)(const struct export_input *, FILE *), const struct export_input *input)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(export(input, out), EXPORT_OK);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

START_TEST(folded_sums)
{
	struct bench b;
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	gather_from_records(&b, 0, 0);
	for (int timed = 0; timed < 2; timed++) {
		uint64_t sum = 0;
		b.input.timed = timed == 1;
		char *text = written(export_folded, &b.input), *save = NULL;
		for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
			char *blank = strrchr(line, ' ');
			ck_assert_ptr_nonnull(blank);
			*blank = '\0';
			ck_assert_ptr_null(strchr(line, ' '));
			sum += strtoull(blank + 1, NULL, 10);
		}
		ck_assert_uint_eq(sum, timed == 1 ? b.result->cycles : b.result->count);
		free(text);
	}
	bench_close(&b);
}
END_TEST

START_TEST(failed_stream_is_told)
{
	struct bench b;
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	gather_from_profile(&b, 1);
	size_t count = 0;
	for (const struct export_format *format = export_formats; format->name != NULL; format++, count++) {
		FILE *full = fopen("/dev/full", "wb");
		ck_assert_ptr_nonnull(full);
		setvbuf(full, NULL, _IONBF, 0);
		bool timeline = strcmp(format->name, "chrome") == 0 || strcmp(format->name, "perfetto") == 0 ||
				strcmp(format->name, "firefox") == 0 || strcmp(format->name, "perf") == 0 ||
				strcmp(format->name, "bolt_traces") == 0;
		ck_assert_msg(
		    format->write(&b.input, full) == (timeline ? EXPORT_EORDER : EXPORT_EWRITE), "%s", format->name);
		fclose(full);
		ck_assert_ptr_eq(export_find(format->name), format);
	}
	ck_assert_uint_eq(count, 19);
	ck_assert_ptr_null(export_find("gprof"));
	bench_close(&b);
}
END_TEST

/* A result behind another one: each is of what was added until then, by its own scale. */
START_TEST(scaled_results)
{
	static const uint64_t scales[] = {3, 3, 1};
	struct bench b;
	struct walk_config config;
	uint64_t count = 0, cycles = 0;
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	gather_profile_config(&b.profile, &config);
	ck_assert_int_eq(gather_open(&b.gather, b.image, &config), GATHER_OK);
	for (unsigned i = 0; i < 3; i++) {
		const struct gather_result *result;
		uint64_t counted = 0;
		ck_assert_int_eq(gather_profile(b.gather, &b.profile), GATHER_OK);
		ck_assert_int_eq(gather_finish(b.gather, scales[i], &result), GATHER_OK);
		count = i == 0 ? result->count / 3 : count;
		cycles = i == 0 ? result->cycles / 3 : cycles;
		ck_assert_uint_gt(count, 1000);
		ck_assert_uint_eq(result->count, count * (i + 1) * scales[i]);
		ck_assert_uint_eq(result->cycles, cycles * (i + 1) * scales[i]);
		for (size_t k = 0; k < result->code_count; k++)
			counted += result->code[k].count;
		ck_assert_uint_eq(counted, result->count);
	}
	gather_close(b.gather);
	b.gather = NULL;
	bench_close(&b);
}
END_TEST

START_TEST(counts_past_64_bits)
{
	struct bench b;
	const struct gather_result *result;
	struct walk_config config;
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	gather_profile_config(&b.profile, &config);
	ck_assert_int_eq(gather_open(&b.gather, b.image, &config), GATHER_OK);
	ck_assert_int_eq(gather_profile(b.gather, &b.profile), GATHER_OK);
	ck_assert_int_eq(gather_finish(b.gather, UINT64_MAX / 1000, &result), GATHER_EOVERFLOW);
	ck_assert_ptr_null(result);
	gather_close(b.gather);
	/* one entry with a count that the sum cannot hold */
	const struct record huge = {.start = b.oracle->records[0].start,
	    .hist = b.oracle->records[0].hist,
	    .reason = b.oracle->records[0].reason,
	    .insns = b.oracle->records[0].insns,
	    .count = UINT64_MAX / 2 + 1};
	ck_assert_int_eq(gather_open(&b.gather, b.image, &config), GATHER_OK);
	int error = gather_entry(b.gather, &huge);
	if (error == GATHER_OK)
		error = gather_entry(b.gather, &huge);
	ck_assert_int_eq(error, GATHER_EOVERFLOW);
	bench_close(&b);
}
END_TEST

/* Another program's records: left out and counted, not a crash. */
START_TEST(records_that_do_not_fit)
{
	struct bench b;
	char detail[512];
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	image_close(b.image);
	ck_assert_int_eq(image_open(&b.image, SW "/json.elf", detail, sizeof detail), IMAGE_OK);
	gather_from_records(&b, 0, 0);
	check_sums(b.result);
	ck_assert_uint_gt(b.result->unfit, b.result->traces / 2);
	ck_assert_uint_eq(b.result->cycles + b.result->lost_cycles, b.oracle->cycles);
	bench_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("export");
	TCase *tcase = tcase_create("export");
	const int all = (int)(sizeof programs / sizeof *programs);
	tcase_add_loop_test(tcase, profile_equals_the_account, 0, all);
	tcase_add_loop_test(tcase, records_equal_the_run, 0, all);
	tcase_add_test(tcase, records_with_a_hole);
	tcase_add_test(tcase, estimated_call_costs);
	tcase_add_test(tcase, stacks_hold_all_there_is);
	tcase_add_test(tcase, folded_sums);
	tcase_add_test(tcase, failed_stream_is_told);
	tcase_add_test(tcase, counts_past_64_bits);
	tcase_add_test(tcase, scaled_results);
	tcase_add_test(tcase, records_that_do_not_fit);
	suite_add_tcase(suite, tcase);
	return suite_finish(suite);
}
