/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Buffer: order, loss, watermark, repeat, interrupt conditions. */
#include "sw/apps/selftest/unit.h"

#define ON TRACE_MASK(CTRL, ENABLE)
#define STATUS_ALL                                                                                                     \
	(TRACE_MASK(STATUS, NONEMPTY) | TRACE_MASK(STATUS, WATERMARK) | TRACE_MASK(STATUS, FULL) |                     \
	    TRACE_MASK(STATUS, SAMPLE) | TRACE_MASK(STATUS, LOST))
#define MIP_TRACE (1u << IRQ_TRACE)

static uint32_t status(void)
{
	return csr_read(RV_CSR_STATUS) & STATUS_ALL;
}

static int expect_start(const char *what, const uint32_t *start, uint32_t hist, uint32_t repeat)
{
	struct record entry = {0};
	int errors = expect(what, (uint32_t)trace_read(&entry), 1);
	errors += expect(what, (uint32_t)entry.start, (uint32_t)start);
	errors += expect(what, (uint32_t)entry.count, repeat);
	return errors + expect(what, (uint32_t)entry.hist, hist);
}

/* Each condition that holds raises the interrupt if it is enabled, and only then. */
static int expect_interrupts(const char *what, uint32_t holds)
{
	int errors = 0;
	for (unsigned bit = 0; bit < RV_CTRL_IE_W; bit++) {
		csr_set(RV_CSR_CTRL, 1u << (RV_CTRL_IE_LSB + bit));
		__asm__ volatile("nop; nop");
		errors += expect(what, csr_read(mip) & MIP_TRACE, (holds >> bit & 1) != 0 ? MIP_TRACE : 0);
		csr_clear(RV_CSR_CTRL, 1u << (RV_CTRL_IE_LSB + bit));
	}
	return errors;
}

int test_buffer(const struct trace_features *features)
{
	uint32_t depth = features->fifo_depth;
	int errors = 0;

	errors += expect("empty", status(), 0);
	csr_write(RV_CSR_POP, 0);
	errors += expect("pop of nothing", csr_read(RV_CSR_COUNT), 0);

	/* Oldest first; what comes too late is lost and counted. */
	path_loop(depth + 5, ON);
	errors += expect("fifo: count", csr_read(RV_CSR_COUNT), depth);
	errors += expect("fifo: lost", csr_read(RV_CSR_LOST), 5);
	uint32_t holds = TRACE_MASK(STATUS, NONEMPTY) | TRACE_MASK(STATUS, FULL) | TRACE_MASK(STATUS, LOST);
	errors += expect("fifo: status", status(), holds);
	errors += expect_interrupts("fifo: interrupt", holds);
	errors += expect_start("fifo: first", path_loop_on, 3, 1);
	for (uint32_t i = 1; i < depth; i++) {
		errors += expect("fifo: count", csr_read(RV_CSR_COUNT), depth - i);
		errors += expect_start("fifo: order", path_loop_body, 3, 1);
	}
	errors += expect("fifo: status", status(), TRACE_MASK(STATUS, LOST));
	errors += expect("fifo: read when empty",
	    csr_read(RV_CSR_REC_START) | csr_read(RV_CSR_REC_HIST) | csr_read(RV_CSR_REC_INFO) |
		csr_read(RV_CSR_REC_CYCLES),
	    0);
	csr_write(RV_CSR_LOST, 0);
	errors += expect("fifo: lost", status(), 0);
	errors += expect_interrupts("no interrupt", 0);

	/* Newest first; the oldest makes room. */
	csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, LIFO));
	path_loop(depth + 5, ON);
	errors += expect("lifo: count", csr_read(RV_CSR_COUNT), depth);
	errors += expect("lifo: lost", csr_read(RV_CSR_LOST), 5);
	errors += expect_start("lifo: newest", path_loop_body, 2, 1);
	for (uint32_t i = 1; i < depth; i++)
		errors += expect_start("lifo: order", path_loop_body, 3, 1);
	path_forms(ON);
	errors += expect_start("lifo: last", path_forms_rest, 2, 1);
	errors += expect_start("lifo: before", path_forms_full, 0xAAAAAAAAu, 1);
	errors += expect_start("lifo: before", path_forms_back, 1, 1);
	errors += expect_start("lifo: before", path_forms_on, 0x15, 1);
	errors += expect("lifo: count", csr_read(RV_CSR_COUNT), 0);
	csr_clear(RV_CSR_CTRL, TRACE_MASK(CTRL, LIFO));
	csr_write(RV_CSR_LOST, 0);

	/* Watermark: at the level, not below it; never with level 0. */
	for (uint32_t level = 0; level <= depth; level++) {
		csr_write(RV_CSR_WATERMARK, level);
		if (level >= 2) {
			path_loop(level - 1 > 1 ? level - 1 : 2, ON);
			if (level > 2)
				errors += expect("watermark: below", status() & TRACE_MASK(STATUS, WATERMARK), 0);
			unit_off();
			path_loop(level, ON);
			holds = level == depth ? TRACE_MASK(STATUS, FULL) : 0;
			errors += expect_interrupts("watermark: interrupt",
			    holds | TRACE_MASK(STATUS, WATERMARK) | TRACE_MASK(STATUS, NONEMPTY));
			csr_write(RV_CSR_POP, 0);
			errors += expect("watermark: popped", status() & TRACE_MASK(STATUS, WATERMARK), 0);
		} else {
			path_loop(2, ON);
			errors += expect("watermark", status() & TRACE_MASK(STATUS, WATERMARK),
			    level == 0 ? 0 : TRACE_MASK(STATUS, WATERMARK));
		}
		unit_off();
	}
	csr_write(RV_CSR_WATERMARK, 0);
	unit_reset();

	/* Equal records in a row become one: 298 rounds are 255 and 43. */
	csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, REPEAT));
	path_loop(300, ON);
	errors += expect_start("repeat", path_loop_on, 3, 1);
	errors += expect("repeat: cycles", csr_read(RV_CSR_REC_CYCLES), 3 * 255);
	errors += expect("repeat: insns", TRACE_GET(REC_INFO, INSNS, csr_read(RV_CSR_REC_INFO)), 2);
	errors += expect_start("repeat", path_loop_body, 3, 255);
	errors += expect("repeat: cycles", csr_read(RV_CSR_REC_CYCLES), 3 * 43);
	errors += expect_start("repeat", path_loop_body, 3, 43);
	errors += expect_start("repeat", path_loop_body, 2, 1);
	errors += expect("repeat: count", csr_read(RV_CSR_COUNT), 0);

	/* A lost record counts for all its traces. */
	csr_clear(RV_CSR_CTRL, TRACE_MASK(CTRL, REPEAT));
	path_loop(depth, ON);
	errors += expect("lost: none yet", csr_read(RV_CSR_LOST), 0);
	csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, REPEAT));
	path_loop(300, ON);
	errors += expect("lost: repeated", csr_read(RV_CSR_LOST), 300);
	csr_write(RV_CSR_LOST, UINT32_MAX - 100);
	path_loop(300, ON);
	errors += expect("lost: saturates", csr_read(RV_CSR_LOST), UINT32_MAX);
	return errors;
}
