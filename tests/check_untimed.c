/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/export of runs without cycles, as logs and qemu give them: the same counts, by no more work. */
#include "tests/export/bench.h"
#include "common/rivulet_regs.h"
#include "host/base/array.h"
#include "host/export/encode.h"
#include "host/export/gather_private.h"

/* Without cycles the same is counted, by no more steps: no record is one that the rules of the core do not explain. */
START_TEST(records_without_cycles)
{
	struct bench b;
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	gather_from_records(&b, 0, 0);
	const size_t steps = b.gather->taken.count, cells = b.result->cell_count;
	const uint64_t count = b.result->count;
	uint64_t *counts = calloc(cells, sizeof *counts);
	ck_assert_ptr_nonnull(counts);
	for (size_t i = 0; i < cells; i++)
		counts[i] = b.result->cells[i].count;
	bench_ungather(&b);

	b.untimed = true;
	gather_from_records(&b, 0, 0);
	ck_assert_uint_le(b.gather->taken.count, steps);
	ck_assert_uint_eq(b.result->count, count);
	ck_assert_uint_eq(b.result->cycles, 0);
	ck_assert_uint_eq(b.result->cell_count, cells);
	for (size_t i = 0; i < cells; i++) {
		ck_assert_uint_eq(b.result->cells[i].count, counts[i]);
		ck_assert_uint_eq(b.result->cells[i].cycles, 0);
	}
	free(counts);
	bench_close(&b);
}
END_TEST

/* Gathers the records four times, with a result behind each time or behind the last one. */
static void gather_four_times(struct bench *b, bool often)
{
	struct bytes bytes = {0};
	struct records *records = write_bench_records(b, 1000, 1010, &bytes);
	struct walk_config config;
	gather_records_config(records_header(records), &config);
	ck_assert_int_eq(gather_open(&b->gather, b->image, &config), GATHER_OK);
	if (often)
		gather_without_cells(b->gather);
	for (unsigned i = 0; i < 4; i++) {
		records_seek_block(records, 0);
		ck_assert_int_eq(gather_records(b->gather, records, NULL, NULL), GATHER_OK);
		if (often || i == 3)
			ck_assert_int_eq(gather_finish(b->gather, 1, &b->result), GATHER_OK);
		else /* as when there is no room for more steps: this writes nothing down */
			ck_assert_int_eq(gather_settle(b->gather), GATHER_OK);
	}
	records_close(records);
	free(bytes.all);
}

/* Steps that were settled before are counted from what they counted then: the result is that of one settling. */
START_TEST(results_again_and_again)
{
	struct bench once, often;
	bench_open(&once, SW "/printf.elf", "ctrl=0");
	bench_open(&often, SW "/printf.elf", "ctrl=0");
	once.untimed = often.untimed = true;
	gather_four_times(&once, false);
	gather_four_times(&often, true);
	ck_assert_uint_eq(once.gather->replay.entry_count, 0);
	ck_assert_uint_gt(often.gather->replay.entry_count, 0);

	const struct gather_result *a = once.result, *b = often.result;
	ck_assert_uint_gt(a->count, 100000);
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->traces, b->traces);
	ck_assert_uint_eq(a->cut, b->cut);
	ck_assert_uint_eq(a->breaks, b->breaks);
	ck_assert_mem_eq(&a->stack, &b->stack, sizeof a->stack);
	ck_assert_uint_gt(a->stack.calls, 1000);
	ck_assert_uint_eq(a->call_count, b->call_count);
	ck_assert_mem_eq(a->calls, b->calls, a->call_count * sizeof *a->calls);
	ck_assert_uint_eq(a->code_count, b->code_count);
	ck_assert_uint_eq(a->node_count, b->node_count);
	for (size_t i = 0; i < a->code_count; i++) {
		ck_assert_uint_eq(a->code[i].pc, b->code[i].pc);
		ck_assert_uint_eq(a->code[i].count, b->code[i].count);
		ck_assert_uint_eq(a->code[i].taken, b->code[i].taken);
		ck_assert_uint_eq(a->code[i].not_taken, b->code[i].not_taken);
	}
	for (size_t i = 0; i < a->node_count; i++) {
		ck_assert_uint_eq(a->nodes[i].entry, b->nodes[i].entry);
		ck_assert_uint_eq(a->nodes[i].entered, b->nodes[i].entered);
	}
	struct gather_sum *sums = gather_own_sums(a), *same = gather_own_sums(b);
	ck_assert_mem_eq(sums, same, a->node_count * sizeof *sums);
	for (size_t i = 0; i < a->cell_count; i++)
		sums[a->cells[i].node].count -= a->cells[i].count;
	for (size_t i = 0; i < a->node_count; i++)
		ck_assert_uint_eq(sums[i].count, 0);
	free(sums);
	free(same);
	bench_close(&once);
	bench_close(&often);
}
END_TEST

/* How often the function at 100 was entered in 20 calls, with a result behind each or behind the last. Its first
 * instruction traps, so that no record has it, into a handler that is not of the program. */
static uint64_t enter_without_visits(bool often)
{
	static const uint32_t code[] = {0x00000073, 0xFFDFF0EF}; /* 100: ecall; 104: jal 100 */
	const struct record call = {.start = 0x104, .hist = 1, .count = 1, .insns = 1, .reason = TRACE_BACKWARD};
	const struct record handler = {.start = 0x200, .hist = 1, .count = 1, .insns = 3, .reason = TRACE_BACKWARD};
	const struct walk_config config = {.hist = 32, .ctrl = RV_CTRL_HANDLERS_MASK, .insn_bits = 16};
	struct image *image;
	struct gather *gather;
	const struct gather_result *result = NULL;
	uint64_t entered = 0;
	ck_assert_int_eq(image_from_code(&image, 0x100, code, sizeof code), IMAGE_OK);
	ck_assert_int_eq(gather_open(&gather, image, &config), GATHER_OK);
	gather->untimed = true;
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_int_eq(gather_record(gather, &call, STACK_UNRELATED), GATHER_OK);
		ck_assert_int_eq(gather_record(gather, &handler, STACK_FOLLOWS), GATHER_OK);
		if (often || i == 19)
			ck_assert_int_eq(gather_finish(gather, 1, &result), GATHER_OK);
	}
	for (size_t i = 0; i < result->node_count; i++)
		entered += result->nodes[i].kind == STACK_CALL ? result->nodes[i].entered : 0;
	gather_close(gather);
	image_close(image);
	return entered;
}

/* Contexts that a record entered which does not fit are counted again too. */
START_TEST(results_without_visits)
{
	ck_assert_uint_eq(enter_without_visits(false), 20);
	ck_assert_uint_eq(enter_without_visits(true), 20);
}
END_TEST

struct jumps { /* by each instruction that retired, and by perf.data */
	struct standard_encoder base;
	struct perf_jump {
		uint64_t from, to, time;
	} * all;
	size_t count, room;
	uint64_t time;
	bool timed; /* else an instruction is a unit of time */
};

static void count_jump(struct standard_encoder *base, const struct standard_insn *insn, uint64_t next)
{
	struct jumps *jumps = (struct jumps *)base;
	jumps->time += !jumps->timed;
	if (!standard_jumps(insn, next))
		return;
	ck_assert(array_room(&jumps->all, jumps->count + 1, &jumps->room));
	jumps->all[jumps->count++] = (struct perf_jump){insn->pc, next, jumps->time};
}

static void spend_jumps(struct standard_encoder *base, uint64_t cycles)
{
	((struct jumps *)base)->time += cycles;
}

static void start_jumps(struct standard_encoder *base, uint64_t pc)
{
	(void)base;
	(void)pc;
}

static void trap_jumps(struct standard_encoder *base, uint64_t epc, uint64_t handler)
{
	(void)base;
	(void)epc;
	(void)handler;
}

static void stop_jumps(struct standard_encoder *base)
{
	(void)base;
}

/* The samples of perf.data have these branches, each one once but for the oldest of a sample that another one is
 * behind, and the time of the last. Returns how many. */
static size_t check_samples(const uint8_t *data, const struct jumps *jumps)
{
	uint64_t offset, size, word[7];
	size_t seen = 0;
	memcpy(&offset, data + 40, 8);
	memcpy(&size, data + 48, 8);
	for (const uint8_t *at = data + offset, *end = at + size; at < end;) {
		uint32_t type;
		uint16_t length;
		memcpy(&type, at, 4);
		memcpy(&length, at + 6, 2);
		memcpy(word, at, sizeof word); /* head, ip, process, time, period, count */
		for (uint64_t i = type == 9 ? word[5] : 0; i-- > 0;) {
			uint64_t branch[3];
			memcpy(branch, at + 48 + 24 * i, sizeof branch);
			if (seen > 0 && i + 1 == word[5] && branch[0] == jumps->all[seen - 1].from &&
			    branch[1] == jumps->all[seen - 1].to)
				continue;
			ck_assert_uint_lt(seen, jumps->count);
			ck_assert_uint_eq(branch[0], jumps->all[seen].from);
			ck_assert_uint_eq(branch[1], jumps->all[seen++].to);
			const uint64_t before = seen < 2 ? 0 : jumps->all[seen - 2].time;
			ck_assert_uint_eq(branch[2] >> 4, jumps->timed ? jumps->all[seen - 1].time - before : 0);
		}
		if (type == 9) {
			ck_assert_uint_eq(word[1], jumps->all[seen - 1].to);
			ck_assert_uint_eq(word[3], jumps->all[seen - 1].time);
		}
		at += length;
	}
	return seen;
}

/* Branches come from steps: they are those of each instruction, in the same order, at the same time. */
START_TEST(branch_stacks_by_steps)
{
	const bool timed = _i == 1;
	struct bench b;
	struct bytes bytes = {0};
	struct encode_counts counts;
	struct jumps jumps = {
	    .base = {start_jumps, count_jump, trap_jumps, stop_jumps, NULL, NULL, timed ? spend_jumps : NULL, true},
	    .timed = timed};
	char *data = NULL;
	size_t size = 0;
	bench_open(&b, SW "/qsort.elf", "ctrl=0");
	b.untimed = !timed;
	gather_from_records(&b, 0, 0);
	struct records *records = write_bench_records(&b, 0, 0, &bytes);
	ck_assert_int_eq(encode_records(b.image, records, &jumps.base, &counts, NULL, NULL), RECORDS_OK);
	b.input.records = records;
	b.input.timed = timed;
	FILE *out = open_memstream(&data, &size);
	ck_assert_int_eq(export_perf(&b.input, out), EXPORT_OK);
	fclose(out);
	ck_assert_uint_gt(jumps.count, 10000);
	ck_assert_uint_eq(check_samples((const uint8_t *)data, &jumps), jumps.count);
	free(data);
	free(jumps.all);
	records_close(records);
	free(bytes.all);
	bench_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("untimed");
	TCase *tcase = tcase_create("untimed");
	tcase_add_test(tcase, records_without_cycles);
	tcase_add_test(tcase, results_again_and_again);
	tcase_add_test(tcase, results_without_visits);
	tcase_add_loop_test(tcase, branch_stacks_by_steps, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite_finish(suite);
}
