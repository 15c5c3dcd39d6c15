/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* User mode: what it can reach of the unit (nothing), and the privilege filter. */
#include "sw/apps/selftest/unit.h"

#define ON TRACE_MASK(CTRL, ENABLE)

static void enter_user(void)
{
	register uint32_t a7 __asm__("a7") = 1;
	__asm__ volatile("ecall" : "+r"(a7) : : "memory");
}

static void leave_user(void)
{
	__asm__ volatile("ecall" : : : "memory");
}

int test_privilege(const struct trace_features *features)
{
	static const uint8_t kept[] = {RV_REG_CTRL, RV_REG_CUR_START, RV_REG_CUR_HIST, RV_REG_WATERMARK, RV_REG_PERIOD,
	    RV_REG_COUNTER, RV_REG_DITHER, RV_REG_LFSR, RV_REG_RANGE0_LO, RV_REG_RANGE0_HI, RV_REG_COUNT,
	    RV_REG_REC_START, RV_REG_REC_HIST};
	uint32_t before[sizeof kept], seen = 0;
	int errors = 0;
	(void)features;

	/* Each register has something to hide; the buffer too. */
	path_loop(3, ON);
	for (unsigned i = 0; i < sizeof kept; i++) {
		if (kept[i] != RV_REG_CTRL && kept[i] != RV_REG_CUR_HIST && kept[i] != RV_REG_COUNT)
			unit_write(kept[i], 0x01234567u);
		before[i] = unit_read(kept[i]);
	}
	/* One access after another, so that each of the 128 traps is seen to be its own. */
	uint32_t wrong = 0;
	enter_user();
	for (unsigned index = 0; index < 64; index++) {
		uint32_t count = hook_illegal;
		seen |= unit_read(index);
		wrong += hook_illegal != count + 1;
		count = hook_illegal;
		unit_write(index, UINT32_MAX);
		wrong += hook_illegal != count + 1;
	}
	leave_user();
	errors += expect("user accesses that do not trap", wrong, 0);
	errors += expect("seen by user mode", seen, 0);
	for (unsigned i = 0; i < sizeof kept; i++)
		errors += expect("changed by user mode", unit_read(kept[i]), before[i]);
	unit_reset();

	/* Machine mode alone: from the start to the ECALL. */
	csr_write(RV_CSR_CTRL, 8u << RV_CTRL_MODES_LSB);
	path_user(10, ON);
	struct record entry = {0};
	errors += expect("machine mode only", (uint32_t)trace_read(&entry), 1);
	errors += expect("machine mode only: length", entry.insns, 2);
	errors += expect("machine mode only: reason", entry.reason, 4);
	errors += expect("machine mode only: no other", (uint32_t)trace_read(&entry), 0);

	/* User mode alone: its loop, the last round cut off by its ECALL. */
	csr_write(RV_CSR_CTRL, 1u << RV_CTRL_MODES_LSB);
	path_user(10, ON);
	for (int i = 0; i < 9; i++) {
		errors += expect("user mode only", (uint32_t)trace_read(&entry), 1);
		errors += expect("user mode only: start", (uint32_t)entry.start, (uint32_t)path_user_body);
		errors += expect("user mode only: history", (uint32_t)entry.hist, 3);
	}
	errors += expect("user mode only: last", (uint32_t)trace_read(&entry), 1);
	errors += expect("user mode only: last", (uint32_t)entry.hist, 2);
	errors += expect("user mode only: last", entry.reason, 4);
	errors += expect("user mode only: no other", (uint32_t)trace_read(&entry), 0);

	/* No mode: nothing. */
	csr_write(RV_CSR_CTRL, 0);
	path_user(10, ON);
	errors += expect("no mode", csr_read(RV_CSR_COUNT), 0);
	return errors;
}
