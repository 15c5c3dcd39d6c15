/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* host/profile: the profiles of a chip's harts, as firmware sends them one behind the other. */
#include "sw/trace/profile.h"
#include "tests/profile_bench.h"
#include "tests/suite.h"

static void send_bytes(void *context, const void *bytes, size_t size)
{
	put(context, bytes, size);
}

enum { CHIP_HARTS = 3, CHIP_PATHS = 40 };

/* Hart h has CHIP_PATHS paths, of which half are those of all harts, each 10 + h times, of 5 instructions. */
static void send_hart(struct bytes *b, unsigned hart, uint32_t build)
{
	static uint32_t memory[4096];
	struct table table;
	ck_assert_int_gt(table_init(&table, memory, sizeof memory, 0), CHIP_PATHS);
	for (uint32_t i = 0; i < CHIP_PATHS; i++)
		table_add(&table, 0x80000000u + 16 * i + (i % 2 == 0 ? 0 : 4096 * (hart + 1)), 5, 1, 10 + hart, 70, 5);
	const struct profile_info info = {.xlen = 32,
	    .hist = 32,
	    .way = RUN_STREAM,
	    .period = 1,
	    .build = build,
	    .name = "chip",
	    .extras = true,
	    .lost = 1,
	    .cycles = 1000,
	    .instructions = 600,
	    .hart = hart,
	    .harts = CHIP_HARTS};
	profile_send(&info, &table, send_bytes, b);
}

/* All harts in the order given. */
static struct bytes send_chip(const unsigned order[CHIP_HARTS])
{
	struct bytes b = {0};
	for (unsigned i = 0; i < CHIP_HARTS; i++) {
		send_hart(&b, order[i], 0x1234);
		put_text(&b, "text between two of them\n");
	}
	return b;
}

START_TEST(harts_add_up)
{
	static const unsigned orders[][CHIP_HARTS] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
	for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
		struct profile q;
		struct bytes b = send_chip(orders[o]);
		struct profile_reader *reader = read_bytes(&q, b.data, b.size, 7, NULL);
		ck_assert_uint_eq(reader->damage_count, 0);
		ck_assert_uint_eq(q.used, CHIP_PATHS / 2 * (1 + CHIP_HARTS));
		ck_assert_uint_eq(q.total, CHIP_PATHS * (10 + 11 + 12));
		ck_assert_uint_eq(q.end.cycles, 1000 * CHIP_HARTS);
		ck_assert_uint_eq(q.end.lost, CHIP_HARTS);
		for (unsigned h = 0; h < CHIP_HARTS; h++) {
			ck_assert_uint_eq(q.hart[h].traces, CHIP_PATHS * (10 + h));
			ck_assert_uint_eq(q.hart[h].insns, 5 * CHIP_PATHS * (10 + h));
			ck_assert_uint_eq(q.hart[h].cycles, CHIP_PATHS * 70);
		}
		ck_assert_uint_eq(profile_find(&q, 0x80000000u, 5, false)->count, 10 + 11 + 12);
		done(reader, &q);
		free(b.data);
	}
}
END_TEST

/* Each frame left out is noticed, and the whole harts stay whole. */
START_TEST(harts_each_frame_missing)
{
	static const unsigned order[CHIP_HARTS] = {0, 1, 2};
	struct bytes b = send_chip(order);
	size_t from[FRAMES_MAX], to[FRAMES_MAX];
	const size_t frames = frames_of(&b, from, to, FRAMES_MAX), each = frames / CHIP_HARTS;
	ck_assert_uint_ge(each, 4);
	for (size_t out = 0; out < frames; out++) {
		struct profile q;
		struct bytes part = {0};
		put(&part, b.data, from[out]);
		put(&part, b.data + to[out], b.size - to[out]);
		struct profile_reader *reader = read_bytes(&q, part.data, part.size, 4096, NULL);
		ck_assert_uint_gt(reader->damage_count, 0);
		for (unsigned h = 0; h < CHIP_HARTS; h++) {
			if (q.hart[h].traces > CHIP_PATHS * (10 + h))
				ck_abort_msg("hart %u has more than it sent", h);
		}
		const unsigned hart = (unsigned)(out / each);
		if (out % each == each - 1) { /* what the ends of the others say is no sum of what was counted */
			ck_assert(has_damage(reader, hart == CHIP_HARTS - 1 ? DAMAGE_NO_END : DAMAGE_HART_CUT));
			ck_assert(!q.has_end);
			ck_assert_uint_eq(q.end.cycles, 0);
		}
		if (out % each > 0)
			ck_assert_uint_eq(
			    q.hart[(hart + 1) % CHIP_HARTS].traces, CHIP_PATHS * (10 + (hart + 1) % CHIP_HARTS));
		done(reader, &q);
		free(part.data);
	}
	free(b.data);
}
END_TEST

/* What is not of the same run is not added. */
START_TEST(harts_of_others)
{
	struct profile q;
	struct bytes b = {0};
	send_hart(&b, 0, 0x1234);
	send_hart(&b, 1, 0x9999); /* of another build */
	struct profile_reader *reader = read_bytes(&q, b.data, b.size, 4096, NULL);
	ck_assert(has_damage(reader, DAMAGE_SECOND));
	ck_assert(has_damage(reader, DAMAGE_HART_NONE));
	ck_assert_uint_eq(q.total, CHIP_PATHS * 10);
	done(reader, &q);
	b.size = 0;
	send_hart(&b, 1, 0x1234);
	send_hart(&b, 1, 0x1234); /* one of them twice: the next run */
	reader = read_bytes(&q, b.data, b.size, 4096, NULL);
	ck_assert(has_damage(reader, DAMAGE_REPEATED) || has_damage(reader, DAMAGE_SECOND));
	ck_assert_uint_eq(q.total, CHIP_PATHS * 11);
	done(reader, &q);
	free(b.data);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"harts", harts_add_up, 0},
	    {"harts", harts_each_frame_missing, 0},
	    {"harts", harts_of_others, 0},
	};
	return SUITE_RUN("profiles of several harts", cases, NULL, NULL);
}
