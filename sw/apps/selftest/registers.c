/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Every register's write and read back, from the register table. */
#include "sw/apps/selftest/unit.h"

#define RO 0
#define RW 1
#define WO 2
#define W1C 3
struct row {
	const char *name;
	uint8_t index, access;
};
static const struct row rows[] = {
#define REG(name, index, access, reset, present, bits, text) {#name, index, access},
#define FIELD(reg, name, lsb, width, access, bits, text)
#include "regs/trace_regs.def"
#undef REG
#undef FIELD
};

static uint32_t limit_mask; /* CTRL.LIMIT, or 0 in a unit that does not heal */

/* Bits of a register that can be set, by this unit's parameters. */
static uint32_t writable(const struct row *row, const struct trace_features *features, uint32_t sample_mask,
    uint32_t cycle_mask, uint32_t insn_mask)
{
	switch (row->index) {
	case RV_REG_CTRL:
		/* ENABLE is left 0: tests of its own. */
		return limit_mask | (features->range_start ? TRACE_MASK(CTRL, RANGE_START) : 0) |
		       (UINT32_MAX >> (12 - features->ranges) & ~TRACE_MASK(CTRL, ENABLE) &
			   (TRACE_MASK(CTRL, NO_BACKWARD) | TRACE_MASK(CTRL, NO_INDIRECT) | TRACE_MASK(CTRL, HANDLERS) |
			       TRACE_MASK(CTRL, REPEAT) | TRACE_MASK(CTRL, SAMPLE) | TRACE_MASK(CTRL, LIFO) |
			       TRACE_MASK(CTRL, IE) | TRACE_MASK(CTRL, MODES) | TRACE_MASK(CTRL, RANGE_EN)));
	case RV_REG_PERIOD:
	case RV_REG_COUNTER:
		return sample_mask;
	case RV_REG_CUR_CYCLES:
		return cycle_mask;
	case RV_REG_CUR_INFO:
		return insn_mask << RV_CUR_INFO_INSNS_LSB | (features->range_start ? TRACE_MASK(CUR_INFO, SKIP) : 0);
	case RV_REG_DEPTH:
		return 0xF;
	case RV_REG_WATERMARK:
		return features->fifo_depth != 0 ? 2 * features->fifo_depth - 1 : 0; /* the bits of COUNT */
	case RV_REG_DITHER:
	case RV_REG_LFSR:
		return 0xFFFF;
	case RV_REG_CUR_HIST:
		return UINT32_MAX >> 1; /* the top bit ends the trace: a test of its own */
	case RV_REG_CUR_START:
	case RV_REG_RESUME:
	case RV_REG_LOST:
		return UINT32_MAX;
	default:
		if (row->index >= RV_REG_RANGE0_LO && row->index < RV_REG_RANGE0_LO + 4 * features->ranges &&
		    row->index % 2 == 0)
			return UINT32_MAX;
		return 0;
	}
}

/* A mask of all the ones that stay: 2^n - 1 with n of at least 8. */
static int width(const char *what, unsigned index, unsigned shift, uint32_t *mask)
{
	unit_write(index, UINT32_MAX);
	*mask = unit_read(index) >> shift;
	return expect(what, *mask & (*mask + 1), 0) + expect_range(what, *mask, 0xFF, UINT32_MAX);
}

int test_registers(const struct trace_features *features)
{
	static const uint32_t patterns[] = {UINT32_MAX, 0, 0x55555555u, 0xAAAAAAAAu, 0x12345678u, 1};
	uint32_t sample_mask, cycle_mask, insn_mask, known[2] = {0, 0};
	int errors = 0;

	errors += expect("features: depth", features->fifo_depth & (features->fifo_depth - 1), 0);
	/* On, but frozen: the current pair stands still and can be looked at. */
	csr_write(RV_CSR_DEPTH, 1);
	csr_write(RV_CSR_CTRL, TRACE_MASK(CTRL, MODES) | TRACE_MASK(CTRL, ENABLE));
	errors += width("sample bits", RV_REG_PERIOD, 0, &sample_mask);
	errors += width("cycle bits", RV_REG_CUR_CYCLES, 0, &cycle_mask);
	errors += width("insn bits", RV_REG_CUR_INFO, RV_CUR_INFO_INSNS_LSB, &insn_mask);

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *row = &rows[i];
		uint32_t mask = writable(row, features, sample_mask, cycle_mask, insn_mask);
		known[row->index / 32] |= 1u << row->index % 32;
		if (row->access == WO || row->access == W1C || row->index == RV_REG_DEPTH || row->index == RV_REG_CTRL)
			continue;
		uint32_t before = unit_read(row->index);
		for (unsigned p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
			unit_write(row->index, row->index == RV_REG_CUR_HIST ? patterns[p] & mask : patterns[p]);
			uint32_t wanted = patterns[p] & mask;
			if (row->index == RV_REG_LFSR && wanted == 0)
				wanted = 1;
			if (row->access == RO)
				wanted = before;
			errors += expect(row->name, unit_read(row->index), wanted);
		}
	}
	csr_write(RV_CSR_CTRL, 0);
	unit_reset();
	csr_write(RV_CSR_CTRL, TRACE_MASK(CTRL, LIMIT));
	limit_mask = csr_read(RV_CSR_CTRL) & TRACE_MASK(CTRL, LIMIT);
	errors += expect("all bits of LIMIT or none", limit_mask % TRACE_MASK(CTRL, LIMIT), 0);
	unit_reset();
	/* These two decide what the unit does, so they were kept out of the loop. */
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (rows[i].index != RV_REG_DEPTH && rows[i].index != RV_REG_CTRL)
			continue;
		uint32_t mask = writable(&rows[i], features, sample_mask, cycle_mask, insn_mask);
		for (unsigned p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
			unit_write(rows[i].index,
			    patterns[p] & ~(rows[i].index == RV_REG_CTRL ? TRACE_MASK(CTRL, ENABLE) : 0));
			errors += expect(rows[i].name, unit_read(rows[i].index), patterns[p] & mask);
		}
		unit_reset();
	}
	/* Indices without a register. */
	for (unsigned index = 0; index < 64; index++) {
		if ((known[index / 32] >> index % 32 & 1) != 0)
			continue;
		unit_write(index, UINT32_MAX);
		errors += expect("no register", unit_read(index), 0);
	}

	/* Writing a history while the unit is off makes a current pair, which is handed over at once. */
	struct record entry = {0};
	csr_write(RV_CSR_CUR_INFO, 0);
	csr_write(RV_CSR_CUR_START, 0x80001234u);
	csr_write(RV_CSR_CUR_HIST, 0x15);
	errors += expect("pair written", (uint32_t)trace_read(&entry), 1);
	errors += expect("its start", (uint32_t)entry.start, 0x80001234u);
	errors += expect("its history", (uint32_t)entry.hist, 0x15);
	errors += expect("its reason", entry.reason, 7);
	errors += expect("no other", (uint32_t)trace_read(&entry), 0);

	/* A history that is full ends its trace, frozen or not. */
	csr_write(RV_CSR_DEPTH, 1);
	csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
	csr_write(RV_CSR_CUR_HIST, 0x80000001u);
	errors += expect("full pair written", (uint32_t)trace_read(&entry), 1);
	errors += expect("its history", (uint32_t)entry.hist, 0x80000001u);
	errors += expect("its reason", entry.reason, 3);
	errors += expect("no other", csr_read(RV_CSR_CUR_HIST), 0);
	return errors;
}
