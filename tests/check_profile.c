/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tests/profile_bench.h"
#include "tests/suite.h"

START_TEST(round_trip)
{
	struct profile p, q;
	make(&p, 500);
	struct bytes b = capture(&p), text = {0};
	/* in one piece, byte by byte, and in between */
	static const size_t steps[] = {1 << 20, 1, 7, 251};
	struct profile_reader *reader = read_bytes(&q, b.data, b.size, steps[_i], &text);
	ck_assert_uint_eq(reader->damage_count, 0);
	ck_assert_uint_eq(q.used, p.used);
	ck_assert_uint_eq(q.total, p.total);
	ck_assert_str_eq(q.header.name, "sample");
	ck_assert_uint_eq(q.header.build, 0xDEADBEEF);
	ck_assert_uint_eq(q.header.ctrl, 0x000F0021);
	ck_assert_uint_eq(q.header.period, 512);
	ck_assert_uint_eq(q.end.cycles, 1000000007);
	ck_assert_uint_eq(q.end.lost, 4);
	ck_assert_uint_eq(q.end.interrupts, 17);
	ck_assert_uint_eq(q.end.ending, PROFILE_END_INTERRUPTED);
	ck_assert_uint_eq(q.end.entries, 500);
	for (size_t i = 0; i < p.used; i++) {
		const struct record *x = &p.entries[i], *y;
		y = profile_find(&q, x->start, x->hist, record_partial(x));
		ck_assert_ptr_nonnull(y);
		ck_assert_uint_eq(x->count, y->count);
		ck_assert_uint_eq(x->cycles, y->cycles);
		ck_assert_uint_eq(x->insns, y->insns);
		ck_assert_uint_eq(x->reason, y->reason);
	}
	const char expected[] = "sample: train input\ncheck passed \xC3\xA4\n\nbye\n";
	ck_assert_uint_eq(text.size, strlen(expected));
	ck_assert_mem_eq(text.data, expected, text.size);
	ck_assert(profile_overlap(&p, &q) == 1);
	free(reader);
	free(b.data);
	free(text.data);
	profile_fini(&p);
	profile_fini(&q);
}
END_TEST

/* The example of an entries frame, byte by byte, so that the form itself is held and not only its own inverse. */
START_TEST(form)
{
	struct profile p;
	struct bytes b = {0};
	ck_assert_int_eq(profile_init(&p), PROFILE_OK);
	p.header = (struct profile_header){.source = 1,
	    .xlen = 32,
	    .hist = 32,
	    .ctrl = 0x21,
	    .way = RUN_SAMPLE,
	    .period = 300,
	    .dither = 1,
	    .build = 0x04030201,
	    .name = "ab"};
	add(&p, 0x80000010, 5, 1, 200, 1000, 9);
	struct record plain = {.start = 0x7FFFFFFE, .hist = 1, .reason = 6, .count = 3};
	ck_assert_int_eq(profile_add(&p, &plain), PROFILE_OK);
	ck_assert_int_eq(profile_write(&p, put, &b), PROFILE_OK);
	static const uint8_t payloads[3][32] = {
	    {1, 0, 1, 1, 32, 32, 0x21, 2, 0xAC, 0x02, 1, 1, 2, 3, 4, 2, 'a', 'b'},
	    {2, 1, 6, 1, 1, 3, 9, 18, 5, 0xC8, 0x01, 0xE8, 0x07, 9},
	    {3, 2, 2, 0xCB, 0x01, 0, 0, 0, 0, 0, 0},
	};
	static const int sizes[3] = {18, 14, 11};
	size_t at = 0;
	for (int i = 0; i < 3; i++) {
		uint8_t content[FRAME_CONTENT_MAX];
		ck_assert_uint_eq(b.data[at], 0);
		size_t end = ++at;
		while (b.data[end] != 0)
			end++;
		ck_assert_int_eq(frame_decode(b.data + at, end - at, content), sizes[i]);
		ck_assert_mem_eq(content, payloads[i], (size_t)sizes[i]);
		at = end + 1;
	}
	ck_assert_uint_eq(at, b.size);
	free(b.data);
	profile_fini(&p);
}
END_TEST

START_TEST(keys)
{
	struct profile p;
	ck_assert_int_eq(profile_init(&p), PROFILE_OK);
	add(&p, 0x80000000, 5, 1, 10, 100, 7);
	add(&p, 0x80000000, 5, 4, 1, 5, 3); /* cut off: another key */
	add(&p, 0x80000000, 5, 7, 2, 5, 2); /* cut off too: the same key, other reason */
	add(&p, 0x80000000, 5, 1, 5, 50, 7);
	ck_assert_uint_eq(p.used, 2);
	ck_assert_uint_eq(profile_find(&p, 0x80000000, 5, false)->count, 15);
	ck_assert_uint_eq(profile_find(&p, 0x80000000, 5, false)->cycles, 150);
	ck_assert_uint_eq(profile_find(&p, 0x80000000, 5, true)->count, 3);
	ck_assert_uint_eq(profile_find(&p, 0x80000000, 5, true)->reason, 4);
	ck_assert_ptr_null(profile_find(&p, 0x80000002, 5, true));
	struct record bad = {.start = 1, .hist = 1, .count = 1};
	ck_assert_int_eq(profile_add(&p, &bad), PROFILE_EENTRY);
	bad = (struct record){.start = 2, .hist = 0, .count = 1};
	ck_assert_int_eq(profile_add(&p, &bad), PROFILE_EENTRY);
	bad = (struct record){.start = 2, .hist = 1, .reason = TRACE_REASONS, .count = 1};
	ck_assert_int_eq(profile_add(&p, &bad), PROFILE_EENTRY);
	bad = (struct record){.start = 2, .hist = 1, .count = UINT64_MAX};
	ck_assert_int_eq(profile_add(&p, &bad), PROFILE_EOVERFLOW);
	ck_assert_uint_eq(p.total, 18);
	profile_fini(&p);
}
END_TEST

START_TEST(overlap)
{
	struct profile a, b, empty;
	ck_assert_int_eq(profile_init(&a), PROFILE_OK);
	ck_assert_int_eq(profile_init(&b), PROFILE_OK);
	ck_assert_int_eq(profile_init(&empty), PROFILE_OK);
	/* shares 50, 30, 20 and 25, 25, 50 of which 20 only in one: 25 + 25 */
	add(&a, 0x100, 1, 1, 50, 0, 0);
	add(&a, 0x200, 1, 1, 30, 0, 0);
	add(&a, 0x300, 1, 1, 20, 0, 0);
	add(&b, 0x100, 1, 1, 1, 0, 0);
	add(&b, 0x200, 1, 1, 1, 0, 0);
	add(&b, 0x300, 1, 4, 2, 0, 0); /* cut off: another key */
	ck_assert_double_eq_tol(profile_overlap(&a, &b), 0.5, 1e-12);
	ck_assert_double_eq_tol(profile_overlap(&b, &a), 0.5, 1e-12);
	ck_assert(profile_overlap(&a, &a) == 1);
	add(&a, 0x400, 1, 1, 11, 0, 0); /* four shares whose rounded sum is not 1 */
	ck_assert(profile_overlap(&a, &a) == 1);
	ck_assert_double_eq(profile_overlap(&a, &empty), 0);
	profile_fini(&a);
	profile_fini(&b);
	profile_fini(&empty);
}
END_TEST

START_TEST(merge)
{
	struct profile a, b, other;
	make(&a, 40);
	make(&b, 60);
	make(&other, 5);
	other.header.build++;
	uint64_t total = a.total + b.total;
	ck_assert_int_eq(profile_merge(&a, &b), PROFILE_OK);
	ck_assert_uint_eq(a.used, 60);
	ck_assert_uint_eq(a.total, total);
	ck_assert_uint_eq(a.end.cycles, 2000000014);
	ck_assert_uint_eq(a.end.lost, 8);
	ck_assert_int_eq(profile_merge(&a, &other), PROFILE_EBUILD);
	ck_assert_uint_eq(a.total, total);
	profile_fini(&a);
	profile_fini(&b);
	profile_fini(&other);
}
END_TEST

START_TEST(sort)
{
	struct profile p;
	const struct record **sorted;
	ck_assert_int_eq(profile_init(&p), PROFILE_OK);
	add(&p, 0x300, 1, 1, 5, 10, 1);
	add(&p, 0x100, 1, 1, 9, 20, 1);
	add(&p, 0x200, 2, 1, 5, 70, 1);
	add(&p, 0x200, 1, 1, 5, 60, 1);
	static const uint64_t expected[3][4] = {
	    {0x100, 0x200, 0x200, 0x300}, {0x200, 0x200, 0x100, 0x300}, {0x100, 0x200, 0x200, 0x300}};
	for (int order = 0; order < 3; order++) {
		ck_assert_int_eq(profile_sort(&p, (enum profile_order)order, &sorted), PROFILE_OK);
		for (int i = 0; i < 4; i++)
			ck_assert_uint_eq(sorted[i]->start, expected[order][i]);
		free(sorted);
	}
	profile_fini(&p);
}
END_TEST

/* Counts with and without cycles of one path survive writing. */
START_TEST(mixed_timing)
{
	struct profile p, q;
	struct bytes b = {0};
	make(&p, 0);
	add(&p, 0x80000100, 3, 1, 10, 500, 12);
	struct record plain = {.start = 0x80000100, .hist = 3, .reason = 1, .count = 30};
	ck_assert_int_eq(profile_add(&p, &plain), PROFILE_OK);
	ck_assert_int_eq(profile_write(&p, put, &b), PROFILE_OK);
	struct profile_reader *reader = read_bytes(&q, b.data, b.size, 64, NULL);
	ck_assert_uint_eq(reader->damage_count, 0);
	const struct record *e = profile_find(&q, 0x80000100, 3, false);
	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->count, 40);
	ck_assert_uint_eq(e->timed, 10);
	ck_assert_uint_eq(e->cycles, 500);
	ck_assert_double_eq_tol(profile_cycles(e), 2000, 1e-9);
	ck_assert_int_eq(profile_write(&p, refuse, NULL), PROFILE_EWRITE);
	free(reader);
	free(b.data);
	profile_fini(&p);
	profile_fini(&q);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"memory", keys, 0},
	    {"memory", overlap, 0},
	    {"memory", merge, 0},
	    {"memory", sort, 0},
	    {"stream", round_trip, 4},
	    {"stream", form, 0},
	    {"stream", mixed_timing, 0},
	};
	return SUITE_RUN("profile", cases, NULL, NULL);
}
