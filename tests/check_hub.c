/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* sw/trace/hub: what the driver makes of the words in the ring. Of the hub there is only a register that reads what was
 * written to it; tb/duo has the hub itself. */
#include <stdalign.h>
#include "common/rivulet_regs.h"
#include "sw/trace/hub.h"
#include "tests/suite.h"

enum { RING_BITS = 10, RING_WORDS = (1 << RING_BITS) / 4, RECORD_WORDS = 5, TABLE_WORDS = 4096 };

/* Traces of hart 1 that were lost before each record, as ORIGIN tells it. */
static uint64_t lost_by(const uint32_t *missed, uint32_t count, uint32_t before)
{
	static alignas(1 << RING_BITS) uint32_t ring[RING_WORDS];
	static uint32_t registers[16], memory[2][TABLE_WORDS];
	/* as the driver reads the bytes that are written: SIZE, SHOWS and the write pointer selected, ENABLE */
	const uint32_t written =
	    (uint32_t)RING_BITS << RV_SINK_SIZE_LSB | 6u << RV_SINK_SELECT_LSB | 1u << RV_SINK_ENABLE_LSB;
	struct table tables[2];
	struct trace_hub hub = {.registers = registers,
	    .memory = ring,
	    .size_bits = RING_BITS,
	    .harts = 2,
	    .cycles = true,
	    .read = written - 4 * RECORD_WORDS * count,
	    .before = {0, before}};
	for (unsigned h = 0; h < 2; h++)
		ck_assert_int_gt(table_init(&tables[h], memory[h], sizeof memory[h], 0), 0);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t words[RECORD_WORDS] = {
		    0x80000000u, 1, 1u << RV_REC_INFO_REPEAT_LSB, 7, missed[i] << 8 | 1};
		for (uint32_t k = 0; k < RECORD_WORDS; k++)
			ring[(hub.read / 4 + RECORD_WORDS * i + k) % RING_WORDS] = words[k];
	}
	ck_assert_uint_eq(trace_hub_take(&hub, tables), count);
	ck_assert_uint_eq(table_total(&tables[1]), count);
	ck_assert_uint_eq(table_total(&tables[0]) + hub.lost[0] + hub.strange, 0);
	return hub.lost[1];
}

START_TEST(losses_are_of_this_run)
{
	static const uint32_t none[] = {0, 0, 0}, some[] = {0, 3, 0, 4}, pending[] = {105, 0, 7},
			      waited[] = {3, 0, 105, 7};
	ck_assert_uint_eq(lost_by(none, 3, 0), 0);
	ck_assert_uint_eq(lost_by(some, 4, 0), 7);
	ck_assert_uint_eq(lost_by(pending, 3, 100), 12);
	ck_assert_uint_eq(lost_by(pending, 3, 105), 7);
	/* the first two lay in the hub's queue when the run began, before those that were lost then */
	ck_assert_uint_eq(lost_by(waited, 4, 100), 12);
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {{"lost", losses_are_of_this_run, 0}};
	return SUITE_RUN("hub", cases, NULL, NULL);
}
