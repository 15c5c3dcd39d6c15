/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Tests the trace unit and its driver from inside the machine. It needs the unit for itself, so it ends the collection
 * that main() has begun: run it with way=0. Needs the SoC's unit (every option, 32-bit history); says so if it finds
 * another.
 */
#include "sw/apps/selftest/unit.h"

uint32_t expectations;
volatile uint32_t hook_illegal, hook_calls;

int expect(const char *what, uint32_t got, uint32_t expected)
{
	expectations++;
	return app_check(what, got, expected);
}

int expect_range(const char *what, uint32_t got, uint32_t low, uint32_t high)
{
	expectations++;
	if (got >= low && got <= high)
		return 0;
	return app_check(what, got, got < low ? low : high);
}

#define EIGHT(X, n) X((n) + 0) X((n) + 1) X((n) + 2) X((n) + 3) X((n) + 4) X((n) + 5) X((n) + 6) X((n) + 7)
#define ALL(X) EIGHT(X, 0) EIGHT(X, 8) EIGHT(X, 16) EIGHT(X, 24) EIGHT(X, 32) EIGHT(X, 40) EIGHT(X, 48) EIGHT(X, 56)

uint32_t unit_read(unsigned index)
{
	uint32_t value = 0;
	switch (index) {
#define READ(n)                                                                                                        \
	case n:                                                                                                        \
		__asm__ volatile("csrr %0, %1" : "+r"(value) : "i"(RV_CSR_BASE + (n)) : "memory");                     \
		break;
		ALL(READ)
	}
	return value;
}

void unit_write(unsigned index, uint32_t value)
{
	switch (index) {
#define WRITE(n)                                                                                                       \
	case n:                                                                                                        \
		__asm__ volatile("csrw %0, %1" : : "i"(RV_CSR_BASE + (n)), "r"(value) : "memory");                     \
		break;
		ALL(WRITE)
	}
}

void unit_off(void)
{
	struct record entry;
	csr_write(RV_CSR_CTRL, TRACE_MASK(CTRL, MODES));
	csr_write(RV_CSR_DEPTH, 0);
	csr_write(RV_CSR_CUR_HIST, 0);
	while (trace_read(&entry) != 0)
		;
}

void unit_reset(void)
{
	unit_off();
	for (unsigned range = 0; range < 4; range++) {
		unit_write(RV_REG_RANGE0_LO + 4 * range, 0);
		unit_write(RV_REG_RANGE0_HI + 4 * range, 0);
	}
	csr_write(RV_CSR_WATERMARK, 0);
	csr_write(RV_CSR_PERIOD, 0);
	csr_write(RV_CSR_COUNTER, 0);
	csr_write(RV_CSR_DITHER, 0);
	csr_write(RV_CSR_LFSR, 1);
	csr_write(RV_CSR_LOST, 0);
	csr_write(RV_CSR_STATUS, UINT32_MAX);
}

#define CAUSE_ILLEGAL 2
#define CAUSE_ECALL_U 8
#define CAUSE_ECALL_M 11
int test_hook(struct hal_frame *frame)
{
	switch (csr_read(mcause)) {
	case CAUSE_ILLEGAL:
		hook_illegal++;
		frame->pc += 4;
		return 0;
	case CAUSE_ECALL_M:
		hook_calls++;
		if (frame->x[17] == 1)
			csr_clear(mstatus, MSTATUS_MPP);
		if (frame->x[17] == 3)
			frame->x[17] = 0; /* once more */
		else
			frame->pc = frame->x[17] == 2 ? (uint32_t)path_trap_else : frame->pc + 4;
		return 0;
	case CAUSE_ECALL_U:
		hook_calls++;
		csr_set(mstatus, MSTATUS_MPP);
		frame->pc += 4;
		return 0;
	default:
		return -1;
	}
}

int app_main(int input)
{
	static const struct {
		const char *name;
		int (*test)(const struct trace_features *features);
	} groups[] = {
	    {"registers", test_registers},
	    {"records", test_records},
	    {"buffer", test_buffer},
	    {"sampling", test_sampling},
	    {"privilege", test_privilege},
	    {"ways", test_ways},
	};
	struct trace_features features;
	int failed = 0;

	(void)input;
	trace_stop();
	if (trace_probe(&features) != TRACE_OK)
		return app_check("trace unit found", 0, 1);
	if (features.hist != 32 || features.fifo_depth < 4 || !features.reason || !features.cycles || !features.insns ||
	    !features.repeat || !features.sample || !features.dither || !features.mode || !features.freeze ||
	    !features.lost || !features.lifo || !features.context || !features.term || features.ranges == 0)
		return app_check("a unit with every option", csr_read(RV_CSR_CAPS), UINT32_MAX);
	hal_trap_hook = test_hook;
	/* User mode may do everything; without memory protection both are illegal, and skipped. */
	csr_write(pmpaddr0, UINT32_MAX);
	csr_write(pmpcfg0, 0x1F);
	for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		uint32_t before = expectations;
		unit_reset();
		int errors = groups[i].test(&features);
		failed += errors;
		hal_print("selftest: ");
		hal_print(groups[i].name);
		hal_print(": ");
		hal_print_decimal(expectations - before);
		hal_print(" checks, ");
		hal_print_decimal((uint64_t)errors);
		hal_print(" failed\n");
	}
	hal_trap_hook = NULL;
	unit_reset();
	return failed;
}
