/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Made from regs/trace_regs.def by `make regs`. */
#include "model/trace/private.h"

/* clang-format off */
static uint32_t low(int bits)
{
	return bits <= 0 ? 0 : bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

uint32_t trace_reg_kept(const struct trace_parameters *c, unsigned index)
{
	switch (index) {
	case RV_REG_CTRL:
		return low(1) << 0 |
		       low(c->with_term ? 1 : 0) << 1 |
		       low(c->with_term ? 1 : 0) << 2 |
		       low(c->with_freeze ? 1 : 0) << 3 |
		       low(c->with_repeat ? 1 : 0) << 4 |
		       low(c->with_sample ? 1 : 0) << 5 |
		       low(c->with_lifo && c->fifo_depth > 0 ? 1 : 0) << 6 |
		       low(c->with_range_start ? 1 : 0) << 7 |
		       low(5) << 8 |
		       low(c->table_entries > 0 ? 1 : 0) << 13 |
		       low(c->with_recorder ? 1 : 0) << 14 |
		       low(4) << 16 |
		       low(c->ranges) << 20 |
		       low(c->with_heal ? 3 : 0) << 24;
	case RV_REG_CUR_START:
		return low(c->xlen);
	case RV_REG_CUR_START_HI:
		return low(c->xlen - 32);
	case RV_REG_CUR_HIST:
		return low(c->hist);
	case RV_REG_CUR_HIST_HI:
		return low(c->hist - 32);
	case RV_REG_CUR_INFO:
		return low(c->with_range_start ? 1 : 0) << 0 |
		       low(c->with_insns ? c->insn_bits : 0) << 16;
	case RV_REG_CUR_CYCLES:
		return low(c->with_cycles ? c->cycle_bits : 0);
	case RV_REG_RESUME:
		return low(c->with_freeze ? c->xlen : 0);
	case RV_REG_RESUME_HI:
		return low(c->with_freeze ? c->xlen - 32 : 0);
	case RV_REG_DEPTH:
		return low(c->with_freeze ? 4 : 0) << 0;
	case RV_REG_PORT:
		return low(c->with_check ? 16 : 0) << 0 |
		       low(c->with_check ? 16 : 0) << 16;
	case RV_REG_TABLE:
		return low(c->table_entries > 0 ? 1 : 0) << 0;
	case RV_REG_WATERMARK:
		return low(c->fifo_depth > 0 ? c->count_bits : 0) << 0;
	case RV_REG_LOST:
		return low(c->with_lost ? 32 : 0);
	case RV_REG_PERIOD:
		return low(c->with_sample ? c->sample_bits : 0);
	case RV_REG_COUNTER:
		return low(c->with_sample ? c->sample_bits : 0);
	case RV_REG_DITHER:
		return low(c->with_dither ? 16 : 0) << 0;
	case RV_REG_LFSR:
		return low(c->with_dither ? 16 : 0) << 0;
	case RV_REG_RANGE0_LO:
		return low(c->ranges > 0 ? c->xlen : 0);
	case RV_REG_RANGE0_LO_HI:
		return low(c->ranges > 0 ? c->xlen - 32 : 0);
	case RV_REG_RANGE0_HI:
		return low(c->ranges > 0 ? c->xlen : 0);
	case RV_REG_RANGE0_HI_HI:
		return low(c->ranges > 0 ? c->xlen - 32 : 0);
	case RV_REG_RANGE1_LO:
		return low(c->ranges > 1 ? c->xlen : 0);
	case RV_REG_RANGE1_LO_HI:
		return low(c->ranges > 1 ? c->xlen - 32 : 0);
	case RV_REG_RANGE1_HI:
		return low(c->ranges > 1 ? c->xlen : 0);
	case RV_REG_RANGE1_HI_HI:
		return low(c->ranges > 1 ? c->xlen - 32 : 0);
	case RV_REG_RANGE2_LO:
		return low(c->ranges > 2 ? c->xlen : 0);
	case RV_REG_RANGE2_LO_HI:
		return low(c->ranges > 2 ? c->xlen - 32 : 0);
	case RV_REG_RANGE2_HI:
		return low(c->ranges > 2 ? c->xlen : 0);
	case RV_REG_RANGE2_HI_HI:
		return low(c->ranges > 2 ? c->xlen - 32 : 0);
	case RV_REG_RANGE3_LO:
		return low(c->ranges > 3 ? c->xlen : 0);
	case RV_REG_RANGE3_LO_HI:
		return low(c->ranges > 3 ? c->xlen - 32 : 0);
	case RV_REG_RANGE3_HI:
		return low(c->ranges > 3 ? c->xlen : 0);
	case RV_REG_RANGE3_HI_HI:
		return low(c->ranges > 3 ? c->xlen - 32 : 0);
	case RV_REG_RECORDER_TRAPS:
		return low(c->with_recorder ? 32 : 0);
	case RV_REG_RECORDER_FROM:
		return low(c->with_recorder ? c->xlen : 0);
	case RV_REG_RECORDER_FROM_HI:
		return low(c->with_recorder ? c->xlen - 32 : 0);
	case RV_REG_RECORDER_TO:
		return low(c->with_recorder ? c->xlen : 0);
	case RV_REG_RECORDER_TO_HI:
		return low(c->with_recorder ? c->xlen - 32 : 0);
	case RV_REG_RECORDER_LIMIT:
		return low(c->with_recorder ? 32 : 0);
	case RV_REG_TABLE_POLICY:
		return low(c->table_entries > 0 && c->table_rate > 0 ? 3 : 0) << 0 |
		       low(c->table_entries > 0 && c->table_rate > 0 ? 1 : 0) << 3;
	case RV_REG_TABLE_MISSED:
		return low(c->table_entries > 0 && c->table_rate > 0 ? 32 : 0);
	case RV_REG_TABLE_CONTEXT:
		return low(c->table_entries > 0 ? c->table_context_bits : 0);
	case RV_REG_TABLE_TAKE:
		return low(c->table_entries > 0 && c->table_index > 0 ? 12 : 0) << 0 |
		       low(c->table_entries > 0 && c->table_index > 0 ? 3 : 0) << 16 |
		       low(c->table_entries > 0 && c->table_index > 0 ? 1 : 0) << 31;
	case RV_REG_RECORDER:
		return low(c->with_recorder ? 1 : 0) << 0 |
		       low(c->with_recorder ? 1 : 0) << 1 |
		       low(c->with_recorder ? 1 : 0) << 2 |
		       low(c->with_recorder ? 1 : 0) << 3 |
		       low(c->with_recorder ? 1 : 0) << 4 |
		       low(c->with_recorder ? 1 : 0) << 5 |
		       low(c->with_recorder ? 1 : 0) << 8 |
		       low(c->with_recorder ? 3 : 0) << 12 |
		       low(c->with_recorder ? 1 : 0) << 16 |
		       low(c->with_recorder ? 1 : 0) << 17 |
		       low(c->with_recorder ? 1 : 0) << 31;
	case RV_REG_SINK:
		return low(c->with_sink ? 32 : 0);
	default:
		return 0;
	}
}
