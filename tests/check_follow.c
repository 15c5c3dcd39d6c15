/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/walk: records held against what retired, and the path of an entry. */
#include "host/walk/follow.h"
#include "host/walk/path.h"
#include "model/trace.h"
#include "tests/suite.h"
#include "tests/walk_bench.h"

/* follow.h: a unit with the given registers, holding the instruction at offset in stage S. */
static struct trace unit_at(uint32_t offset, uint32_t ctrl)
{
	struct trace trace = {.ctrl = ctrl};
	trace.config = (struct trace_config){.hist = 32,
	    .ranges = 1,
	    .with_freeze = true,
	    .with_mode = true,
	    .with_sample = true,
	    .with_insns = true,
	    .insn_bits = 16};
	trace.s = (struct trace_retire){.valid = true, .mode = 3, .pc = BASE + offset};
	return trace;
}

#define TRACING (RV_CTRL_MODES_MASK | RV_CTRL_ENABLE_MASK)

START_TEST(taken)
{
	struct trace trace = unit_at(0, TRACING);
	ck_assert(follow_taken(&trace));
	trace.s.trap = true;
	ck_assert(!follow_taken(&trace));
	trace = unit_at(0, TRACING & ~1u);
	ck_assert(!follow_taken(&trace));
	trace = unit_at(0, TRACING & ~(8u << 16)); /* mode 3 not traced */
	ck_assert(!follow_taken(&trace));
	trace = unit_at(0, TRACING);
	trace.s.intr = true; /* a handler begins */
	ck_assert(!follow_taken(&trace));
	trace.s.intr = false;
	trace.depth = 1; /* in a handler */
	ck_assert(!follow_taken(&trace));
	trace.ctrl |= 8; /* HANDLERS */
	ck_assert(follow_taken(&trace));
	trace = unit_at(0, TRACING | 1u << 20);
	trace.range_lo[0] = BASE + 2;
	trace.range_hi[0] = BASE + 8;
	ck_assert(!follow_taken(&trace));
	trace.s.pc = BASE + 2;
	ck_assert(follow_taken(&trace));
	trace.s.pc = BASE + 8;
	ck_assert(!follow_taken(&trace));
}
END_TEST

static void retire(struct follow *follow, uint32_t ctrl, const uint32_t *offsets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct trace trace = unit_at(offsets[i], ctrl);
		ck_assert_int_eq(follow_retire(follow, &trace), FOLLOW_OK);
	}
}

START_TEST(followed)
{
	static const uint32_t loop[] = {0, 4, 8, 0, 4, 8, 0, 4, 8}, wrong[] = {0, 4, 10}, call[] = {0, 4, 8, 12, 4};
	struct follow follow;
	struct record record = {.start = BASE, .hist = 2, .reason = TRACE_BACKWARD, .count = 3, .insns = 3};
	nop(&code);             /* 0 */
	branch(&code, 1, BASE); /* 4 */
	jal(&code, 0, BASE);    /* 8 */
	jalr(&code, 0, 15, 0);  /* 12 */
	ready(32, 0);
	struct trace trace = unit_at(0, TRACING);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	/* one record for three traces; CTRL is off by the time the last record comes, which changes nothing */
	retire(&follow, TRACING, loop, 9);
	trace.ctrl = 0;
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	ck_assert_uint_eq(follow.instructions, 9);
	ck_assert_uint_eq(follow.traces, 3);
	ck_assert_uint_eq(follow.waiting, 0);
	/* a trace too many */
	retire(&follow, TRACING, loop, 6);
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_ESHORT);
	/* another instruction */
	follow_close(&follow);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	record.count = 1;
	retire(&follow, TRACING, wrong, 3);
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_EPC);
	ck_assert_uint_eq(follow.got, BASE + 8);
	ck_assert_uint_eq(follow.expected, BASE + 10);
	ck_assert_uint_eq(follow.index, 2);
	/* a history that does not fit, an unknown end */
	follow_close(&follow);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	retire(&follow, TRACING, loop, 3);
	record.hist = 9;
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_EWALK);
	ck_assert_int_eq(follow.walk_error, WALK_EHISTORY);
	/* sampled records do not account for everything */
	retire(&follow, TRACING | 1u << 5, loop, 3);
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_ESAMPLED);
	/* NO_INDIRECT: behind an unknown target the number counts */
	follow_close(&follow);
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	retire(&follow, TRACING | NO_INDIRECT | NO_BACKWARD, call + 3, 2);
	record = (struct record){.start = BASE + 12, .hist = 2, .reason = TRACE_OFF, .count = 1, .insns = 2};
	ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	ck_assert_uint_eq(follow.unresolved, 1);
	ck_assert_uint_eq(follow.skipped, 1);
	ck_assert_uint_eq(follow.instructions, 1);
	ck_assert_uint_eq(follow.waiting, 0);
	follow_close(&follow);
	for (int error = FOLLOW_ENOMEM; error <= FOLLOW_OK; error++)
		ck_assert_str_ne(follow_strerror(error), "unknown error");
}
END_TEST

/* The queue grows across its end, and has one. */
START_TEST(queue)
{
	struct follow follow;
	nop(&code);
	jal(&code, 0, BASE);
	ready(32, 0);
	struct trace trace = unit_at(0, TRACING);
	const struct record record = {.start = BASE, .hist = 1, .reason = TRACE_BACKWARD, .count = 1, .insns = 2};
	static const uint32_t loop[] = {0, 4};
	ck_assert_int_eq(follow_open(&follow, image), FOLLOW_OK);
	for (int i = 0; i < 1000; i++)
		retire(&follow, TRACING, loop, 2);
	for (int i = 0; i < 900; i++)
		ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	for (int i = 0; i < 10000; i++)
		retire(&follow, TRACING, loop, 2);
	for (int i = 0; i < 10100; i++)
		ck_assert_int_eq(follow_record(&follow, &trace, &record), FOLLOW_OK);
	ck_assert_uint_eq(follow.waiting, 0);
	int error = FOLLOW_OK;
	for (uint32_t i = 0; i <= FOLLOW_QUEUE_MAX && error == FOLLOW_OK; i++)
		error = follow_retire(&follow, &trace);
	ck_assert_int_eq(error, FOLLOW_EQUEUE);
	follow_close(&follow);
}
END_TEST

START_TEST(path_of_entry)
{
	struct path path;
	branch(&code, 0, BASE + 8);
	nop(&code);
	jal(&code, 0, BASE);
	ready(32, 0);
	struct record entry = {.start = BASE, .hist = 2, .reason = TRACE_BACKWARD, .count = 1};
	ck_assert_int_eq(path_make(&path, walk, &entry), WALK_OK);
	ck_assert_int_eq(path_places(&path, image), WALK_OK);
	ck_assert_int_eq(path.error, WALK_OK);
	ck_assert_uint_eq(path.insns, 3);
	ck_assert_uint_eq(path.piece_count, 2);
	ck_assert_int_eq(path.pieces[0].outcome, 0);
	ck_assert_int_eq(path.pieces[1].outcome, -1);
	ck_assert_uint_eq(path.pieces[1].reason, TRACE_BACKWARD);
	ck_assert_uint_eq(path.function_count, 0);
	path_free(&path);
	entry.hist = 8;
	ck_assert_int_eq(path_make(&path, walk, &entry), WALK_OK);
	ck_assert_int_eq(path.error, WALK_EHISTORY);
	path_free(&path);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"rules", path_of_entry, 0},
	    {"rules", taken, 0},
	    {"rules", followed, 0},
	    {"rules", queue, 0},
	};
	return SUITE_RUN("follow", cases, setup, teardown);
}
