/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a record says: start, history, reason, length, of program parts whose traces are known. */
#include "sw/apps/selftest/unit.h"

#define ON TRACE_MASK(CTRL, ENABLE)
enum { BACKWARD = 1, INDIRECT, FULL, TRAP, XRET, LEFT, OFF };

static int expect_record(const char *what, const uint32_t *start, uint32_t hist, unsigned reason, uint32_t insns)
{
	struct record entry = {0};
	int errors = expect(what, (uint32_t)trace_read(&entry), 1);
	errors += expect(what, (uint32_t)entry.start, (uint32_t)start);
	errors += expect(what, (uint32_t)entry.hist, hist);
	errors += expect(what, entry.reason, reason);
	errors += expect(what, entry.insns, insns);
	return errors + expect(what, (uint32_t)entry.count, 1);
}

static int expect_none(const char *what)
{
	struct record entry;
	return expect(what, (uint32_t)trace_read(&entry), 0);
}

static void trap(uint32_t how)
{
	register uint32_t a7 __asm__("a7") = how;
	register uint32_t a0 __asm__("a0") = ON;
	__asm__ volatile("jal ra, path_trap" : "+r"(a0), "+r"(a7) : : "ra", "memory");
}

int test_records(const struct trace_features *features)
{
	int errors = 0;
	(void)features;

	/* Every kind of ending. */
	path_forms(ON);
	errors += expect_record("backward", path_forms_on, 0x15, BACKWARD, 6);
	errors += expect_record("indirect", path_forms_back, 1, INDIRECT, 1);
	errors += expect_record("full", path_forms_full, 0xAAAAAAAAu, FULL, 31);
	errors += expect_record("off", path_forms_rest, 2, OFF, 1);
	errors += expect_none("forms");

	/* Without the first two only FULL ends a trace: 4 outcomes from the first part, then 27 of the 31. */
	csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, NO_BACKWARD) | TRACE_MASK(CTRL, NO_INDIRECT));
	path_forms(ON);
	errors += expect_record("no ends", path_forms_on, 0xA8000000u | 0x02AAAAAAu, FULL, 7 + 27);
	struct record entry = {0};
	errors += expect("no ends", (uint32_t)trace_read(&entry), 1);
	errors += expect("no ends: rest", (uint32_t)entry.hist, 0x34);
	errors += expect("no ends: rest", entry.reason, OFF);
	errors += expect_none("no ends");
	csr_clear(RV_CSR_CTRL, TRACE_MASK(CTRL, NO_BACKWARD) | TRACE_MASK(CTRL, NO_INDIRECT));

	/* Cycles: a round of the loop takes three. */
	path_loop(4, ON);
	errors += expect_record("loop", path_loop_on, 3, BACKWARD, 4);
	for (int i = 0; i < 2; i++) {
		errors += expect("loop cycles", csr_read(RV_CSR_REC_CYCLES), 3);
		errors += expect_record("loop", path_loop_body, 3, BACKWARD, 2);
	}
	errors += expect_record("loop", path_loop_body, 2, OFF, 2);
	errors += expect_none("loop");

	/* Traps. The handler is left out: a return to the instruction that trapped goes on with the pair, so what is
	 * seen of the one that is executed twice is the return behind it. */
	for (uint32_t how = 0; how <= 3; how += 3) {
		hook_calls = 0;
		trap(how);
		errors += expect("trap calls", hook_calls, how == 0 ? 1 : 2);
		errors += expect_record("trap", path_trap_on, 3, TRAP, 3);
		errors += expect_record("trap", path_trap_after, 2, OFF, 1);
		errors += expect_none("trap");
	}
	trap(2);
	errors += expect_record("trap to another place", path_trap_on, 3, TRAP, 3);
	errors += expect_record("trap to another place", path_trap_else, 1, OFF, 1);
	errors += expect_none("trap to another place");
	errors += expect("depth", csr_read(RV_CSR_DEPTH), 0);

	/* The handler traced: first what was cut off, at the other end of the buffer the program again, before it the
	 * handler's return. */
	csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, HANDLERS));
	trap(0);
	errors += expect_record("handlers", path_trap_on, 3, TRAP, 3);
	unit_off();
	csr_write(RV_CSR_CTRL, TRACE_MASK(CTRL, MODES) | TRACE_MASK(CTRL, HANDLERS) | TRACE_MASK(CTRL, LIFO));
	trap(0);
	errors += expect_record("handlers", path_trap_after, 2, OFF, 1);
	errors += expect("handlers", TRACE_GET(REC_INFO, REASON, csr_read(RV_CSR_REC_INFO)), XRET);
	unit_reset();

	/* An address range: the loop alone, and all but its first part. */
	csr_write(RV_CSR_RANGE0_LO, (uint32_t)path_loop_body);
	csr_write(RV_CSR_RANGE0_HI, (uint32_t)path_loop_off);
	csr_set(RV_CSR_CTRL, 1u << RV_CTRL_RANGE_EN_LSB);
	path_loop(3, ON);
	errors += expect_record("range", path_loop_body, 3, BACKWARD, 2);
	errors += expect_record("range", path_loop_body, 3, BACKWARD, 2);
	errors += expect_record("range", path_loop_body, 2, OFF, 2);
	errors += expect_none("range");
	csr_write(RV_CSR_RANGE0_LO, (uint32_t)path_forms_on);
	csr_write(RV_CSR_RANGE0_HI, (uint32_t)path_forms_full + 8);
	path_forms(ON);
	errors += expect_record("range", path_forms_on, 0x15, BACKWARD, 6);
	errors += expect_record("range", path_forms_back, 1, INDIRECT, 1);
	errors += expect_record("range", path_forms_full, 5, LEFT, 2);
	errors += expect_none("range");
	return errors;
}
