/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * host/export/branches.h: the traces of a record stream, of which each distinct step is taken once with its count,
 * against the same stream taken one record after the other. The streams have holes, processes that take turns,
 * registers that change, records that repeat themselves, traces that were cut off, and another program's records.
 */
#include <check.h>
#include "host/export/branches.h"
#include "host/export/encode.h"
#include "tests/export/oracle.h"
#include "tests/records_bench.h"
#include "tests/suite.h"

/* Each trace as it comes: the rule of branches.h once more, without counts. */
struct plain {
	struct standard_encoder base;
	struct branch_trace now, *all;
	bool open;
	size_t count, room;
};

static void plain_close(struct standard_encoder *base)
{
	struct plain *p = (struct plain *)base;
	if (p->open && p->count == p->room) {
		p->room = 2 * p->room + 1024;
		p->all = realloc(p->all, p->room * sizeof *p->all);
		ck_assert_ptr_nonnull(p->all);
	}
	if (p->open)
		p->all[p->count++] = p->now;
	p->open = false;
}

static void plain_begin(struct standard_encoder *base, uint64_t pc)
{
	((struct plain *)base)->now = (struct branch_trace){.from = BRANCH_OUTSIDE, .to = pc, .end = pc, .count = 1};
}

static void plain_retire(struct standard_encoder *base, const struct standard_insn *insn, uint64_t next)
{
	struct plain *p = (struct plain *)base;
	p->open = true;
	p->now.end = insn->pc;
	if (!standard_jumps(insn, next))
		return;
	plain_close(base);
	p->now = (struct branch_trace){insn->pc, next, next, 1, standard_uninferable(insn), standard_pops(insn)};
	p->open = true;
}

static void plain_trap(struct standard_encoder *base, uint64_t epc, uint64_t handler)
{
	(void)epc;
	plain_close(base);
	plain_begin(base, handler);
}

static int by_place(const void *a, const void *b)
{
	const struct branch_trace *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Equal ones become one. */
static void plain_add_up(struct plain *p)
{
	size_t distinct = 0;
	qsort(p->all, p->count, sizeof *p->all, by_place);
	for (size_t i = 0; i < p->count; i++) {
		if (distinct > 0 && by_place(&p->all[distinct - 1], &p->all[i]) == 0)
			p->all[distinct - 1].count++;
		else
			p->all[distinct++] = p->all[i];
	}
	p->count = distinct;
}

struct stream {
	const char *name, *program;
	unsigned holes, turns, cuts, repeats; /* each so many records; 0: none */
	uint32_t ctrl;                        /* this bit comes and goes */
};
static const struct stream streams[] = {
    {"as it is", SW "/qsort.elf", 0, 0, 0, 0, 0},
    {"holes", SW "/qsort.elf", 997, 0, 0, 0, 0},
    {"processes", SW "/qsort.elf", 0, 61, 0, 0, 0},
    {"cut off", SW "/qsort.elf", 0, 0, 13, 0, 0},
    {"handlers", SW "/qsort.elf", 0, 0, 13, 0, RV_CTRL_HANDLERS_MASK},
    {"sampled", SW "/qsort.elf", 0, 0, 0, 7, RV_CTRL_SAMPLE_MASK},
    {"all of it", SW "/qsort.elf", 997, 61, 13, 7, RV_CTRL_NO_INDIRECT_MASK},
    {"another program's", SW "/json.elf", 0, 0, 0, 3, 0},
};

static bool is_at(uint64_t i, unsigned each)
{
	return each != 0 && i % each == each - 1;
}

static struct records *write_stream(const struct oracle *oracle, const struct stream *stream, struct bytes *bytes)
{
	struct records_writer *writer;
	struct records *records;
	struct records_header h = {
	    .xlen = 32, .hist = oracle->hist, .insn_bits = 16, .cycle_bits = 16, .repeat_bits = 8};
	h.ctrl = oracle->ctrl;
	ck_assert_int_eq(records_writer_open(&writer, &h, 0, keep, bytes), RECORDS_OK);
	for (size_t i = 0; i < oracle->record_count; i++) {
		struct record record = oracle->records[i];
		const struct record_place place = {.time = i,
		    .context = is_at(i, stream->turns) ? 1 : 0,
		    .ctrl = oracle->ctrl ^ (i / 5000 % 2 == 1 ? stream->ctrl : 0)};
		if (is_at(i, stream->holes))
			ck_assert_int_eq(records_writer_skip(writer, 3), RECORDS_OK);
		if (is_at(i, stream->cuts)) {
			record.insns = (record.insns + 1) / 2;
			record.reason = TRACE_TRAP;
		}
		if (is_at(i, stream->repeats))
			record.count = record.timed = 1 + i % 4;
		ck_assert_int_eq(records_write(writer, &record, &place), RECORDS_OK);
	}
	ck_assert_int_eq(records_writer_finish(writer, &end), RECORDS_OK);
	records_writer_close(writer);
	ck_assert_int_eq(records_open_memory(&records, bytes->at, bytes->size, NULL, 0), RECORDS_OK);
	return records;
}

START_TEST(steps_are_the_records)
{
	const struct stream *stream = &streams[_i];
	struct oracle *oracle = oracle_run(SW "/qsort.elf", "ctrl=0");
	struct bytes bytes = {0};
	struct encode_counts counts;
	struct branch_traces traces;
	struct plain plain = {.base = {plain_begin, plain_retire, plain_trap, plain_close, NULL, NULL, NULL, true}};
	struct export_input input = {0};
	struct image *image;
	char detail[512];
	ck_assert_int_eq(image_open(&image, stream->program, detail, sizeof detail), IMAGE_OK);
	input.image = image;
	input.records = write_stream(oracle, stream, &bytes);

	ck_assert_int_eq(encode_records(image, input.records, &plain.base, &counts, NULL, NULL), RECORDS_OK);
	ck_assert_uint_gt(plain.count, 1000);
	plain_add_up(&plain);
	ck_assert_int_eq(branch_traces_make(&traces, &input), EXPORT_OK);
	ck_assert_msg(traces.count == plain.count, "%s: %zu traces of %zu", stream->name, traces.count, plain.count);
	for (size_t i = 0; i < plain.count; i++) {
		const struct branch_trace *a = &traces.all[i], *b = &plain.all[i];
		if (by_place(a, b) != 0 || a->count != b->count || a->indirect != b->indirect ||
		    a->returns != b->returns)
			ck_abort_msg("%s: trace %zu is another one", stream->name, i);
	}

	branch_traces_free(&traces);
	free(plain.all);
	records_close(input.records);
	free(bytes.at);
	image_close(image);
	oracle_free(oracle);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("branches");
	TCase *tcase = tcase_create("branches");
	tcase_add_loop_test(tcase, steps_are_the_records, 0, (int)(sizeof streams / sizeof *streams));
	suite_add_tcase(suite, tcase);
	return suite_finish(suite);
}
