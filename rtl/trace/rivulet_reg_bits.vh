// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Made from regs/trace_regs.def by `make regs`. To be included inside a module with the unit's parameters:
// which bits of a register ever read other than 0.
// verilator lint_save
// verilator lint_off UNUSED
function [31:0] rv_low(input integer bits);
	rv_low = bits <= 0 ? 32'd0 : bits >= 32 ? 32'hFFFFFFFF : ~(32'hFFFFFFFF << bits);
endfunction
localparam [31:0] RV_BITS_ID = (rv_low(8) << 0) |
	(rv_low(8) << 8) |
	(rv_low(16) << 16);
localparam [31:0] RV_BITS_CAPS = (rv_low(1) << 0) |
	(rv_low(1) << 1) |
	(rv_low(1) << 2) |
	(rv_low(1) << 3) |
	(rv_low(1) << 4) |
	(rv_low(1) << 5) |
	(rv_low(1) << 6) |
	(rv_low(1) << 7) |
	(rv_low(1) << 8) |
	(rv_low(1) << 9) |
	(rv_low(1) << 10) |
	(rv_low(1) << 11) |
	(rv_low(1) << 12) |
	(rv_low(3) << 13) |
	(rv_low(11) << 16) |
	(rv_low(1) << 27) |
	(rv_low(1) << 28) |
	(rv_low(1) << 29) |
	(rv_low(1) << 30) |
	(rv_low(1) << 31);
localparam [31:0] RV_BITS_CTRL = (rv_low(1) << 0) |
	(rv_low(WITH_TERM ? 1 : 0) << 1) |
	(rv_low(WITH_TERM ? 1 : 0) << 2) |
	(rv_low(WITH_FREEZE ? 1 : 0) << 3) |
	(rv_low(WITH_REPEAT ? 1 : 0) << 4) |
	(rv_low(WITH_SAMPLE ? 1 : 0) << 5) |
	(rv_low(WITH_LIFO && FIFO_DEPTH > 0 ? 1 : 0) << 6) |
	(rv_low(WITH_RANGE_START ? 1 : 0) << 7) |
	(rv_low(5) << 8) |
	(rv_low(TABLE_ENTRIES > 0 ? 1 : 0) << 13) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 14) |
	(rv_low(4) << 16) |
	(rv_low(RANGES) << 20) |
	(rv_low(WITH_HEAL ? 3 : 0) << 24);
localparam [31:0] RV_BITS_STATUS = (rv_low(1) << 0) |
	(rv_low(FIFO_DEPTH > 0 ? 1 : 0) << 1) |
	(rv_low(1) << 2) |
	(rv_low(WITH_SAMPLE ? 1 : 0) << 3) |
	(rv_low(WITH_LOST ? 1 : 0) << 4) |
	(rv_low(1) << 5) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 6) |
	(rv_low(1) << 7);
localparam [31:0] RV_BITS_CUR_START = rv_low(XLEN);
localparam [31:0] RV_BITS_CUR_START_HI = rv_low(XLEN - 32);
localparam [31:0] RV_BITS_CUR_HIST = rv_low(HIST);
localparam [31:0] RV_BITS_CUR_HIST_HI = rv_low(HIST - 32);
localparam [31:0] RV_BITS_CUR_INFO = (rv_low(WITH_RANGE_START ? 1 : 0) << 0) |
	(rv_low(WITH_INSNS ? INSN_BITS : 0) << 16);
localparam [31:0] RV_BITS_CUR_CYCLES = rv_low(WITH_CYCLES ? CYCLE_BITS : 0);
localparam [31:0] RV_BITS_RESUME = rv_low(WITH_FREEZE ? XLEN : 0);
localparam [31:0] RV_BITS_RESUME_HI = rv_low(WITH_FREEZE ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_DEPTH = (rv_low(WITH_FREEZE ? 4 : 0) << 0);
localparam [31:0] RV_BITS_PORT = (rv_low(WITH_CHECK ? 16 : 0) << 0) |
	(rv_low(WITH_CHECK ? 16 : 0) << 16);
localparam [31:0] RV_BITS_TABLE = (rv_low(TABLE_ENTRIES > 0 ? 1 : 0) << 0);
localparam [31:0] RV_BITS_TABLE_CAPS = (rv_low(TABLE_ENTRIES > 0 ? 13 : 0) << 0) |
	(rv_low(TABLE_ENTRIES > 0 ? 1 : 0) << 13) |
	(rv_low(TABLE_ENTRIES > 0 ? 1 : 0) << 14) |
	(rv_low(TABLE_ENTRIES > 0 ? 1 : 0) << 15) |
	(rv_low(TABLE_ENTRIES > 0 ? 3 : 0) << 16) |
	(rv_low(TABLE_ENTRIES > 0 ? 6 : 0) << 20) |
	(rv_low(TABLE_ENTRIES > 0 && WITH_CYCLES ? 6 : 0) << 26);
localparam [31:0] RV_BITS_REC_START = rv_low(XLEN);
localparam [31:0] RV_BITS_REC_START_HI = rv_low(XLEN - 32);
localparam [31:0] RV_BITS_REC_HIST = rv_low(HIST);
localparam [31:0] RV_BITS_REC_HIST_HI = rv_low(HIST - 32);
localparam [31:0] RV_BITS_REC_INFO = (rv_low(!WITH_REASON ? 0 : WITH_CHECK || RETIRE == 2 ? 4 : 3) << 0) |
	(rv_low(TABLE_ENTRIES > 0 ? 8 : WITH_REPEAT ? REPEAT_BITS : 1) << 8) |
	(rv_low(WITH_INSNS ? INSN_BITS : 0) << 16);
localparam [31:0] RV_BITS_REC_CYCLES = rv_low(!WITH_CYCLES ? 0 : TABLE_ENTRIES > 0 ? TABLE_CYCLE_BITS : CYCLE_BITS);
localparam [31:0] RV_BITS_POP = rv_low(0);
localparam [31:0] RV_BITS_COUNT = rv_low(COUNT_BITS);
localparam [31:0] RV_BITS_WATERMARK = (rv_low(FIFO_DEPTH > 0 ? COUNT_BITS : 0) << 0);
localparam [31:0] RV_BITS_LOST = rv_low(WITH_LOST ? 32 : 0);
localparam [31:0] RV_BITS_PERIOD = rv_low(WITH_SAMPLE ? SAMPLE_BITS : 0);
localparam [31:0] RV_BITS_COUNTER = rv_low(WITH_SAMPLE ? SAMPLE_BITS : 0);
localparam [31:0] RV_BITS_DITHER = (rv_low(WITH_DITHER ? 16 : 0) << 0);
localparam [31:0] RV_BITS_LFSR = (rv_low(WITH_DITHER ? 16 : 0) << 0);
localparam [31:0] RV_BITS_REC_COUNT = rv_low(TABLE_ENTRIES > 0 ? TABLE_COUNT_BITS : 0);
localparam [31:0] RV_BITS_REC_CONTEXT = rv_low(TABLE_ENTRIES > 0 ? TABLE_CONTEXT_BITS : 0);
localparam [31:0] RV_BITS_RANGE0_LO = rv_low(RANGES > 0 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE0_LO_HI = rv_low(RANGES > 0 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RANGE0_HI = rv_low(RANGES > 0 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE0_HI_HI = rv_low(RANGES > 0 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RANGE1_LO = rv_low(RANGES > 1 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE1_LO_HI = rv_low(RANGES > 1 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RANGE1_HI = rv_low(RANGES > 1 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE1_HI_HI = rv_low(RANGES > 1 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RANGE2_LO = rv_low(RANGES > 2 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE2_LO_HI = rv_low(RANGES > 2 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RANGE2_HI = rv_low(RANGES > 2 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE2_HI_HI = rv_low(RANGES > 2 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RANGE3_LO = rv_low(RANGES > 3 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE3_LO_HI = rv_low(RANGES > 3 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RANGE3_HI = rv_low(RANGES > 3 ? XLEN : 0);
localparam [31:0] RV_BITS_RANGE3_HI_HI = rv_low(RANGES > 3 ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RECORDER_TRAPS = rv_low(WITH_RECORDER ? 32 : 0);
localparam [31:0] RV_BITS_RECORDER_FROM = rv_low(WITH_RECORDER ? XLEN : 0);
localparam [31:0] RV_BITS_RECORDER_FROM_HI = rv_low(WITH_RECORDER ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RECORDER_TO = rv_low(WITH_RECORDER ? XLEN : 0);
localparam [31:0] RV_BITS_RECORDER_TO_HI = rv_low(WITH_RECORDER ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_RECORDER_LIMIT = rv_low(WITH_RECORDER ? 32 : 0);
localparam [31:0] RV_BITS_RECORDER_PC = rv_low(WITH_RECORDER ? XLEN : 0);
localparam [31:0] RV_BITS_RECORDER_PC_HI = rv_low(WITH_RECORDER ? XLEN - 32 : 0);
localparam [31:0] RV_BITS_TABLE_POLICY = (rv_low(TABLE_ENTRIES > 0 && TABLE_RATE > 0 ? 3 : 0) << 0) |
	(rv_low(TABLE_ENTRIES > 0 && TABLE_RATE > 0 ? 1 : 0) << 3);
localparam [31:0] RV_BITS_TABLE_MISSED = rv_low(TABLE_ENTRIES > 0 && TABLE_RATE > 0 ? 32 : 0);
localparam [31:0] RV_BITS_TABLE_CONTEXT = rv_low(TABLE_ENTRIES > 0 ? TABLE_CONTEXT_BITS : 0);
localparam [31:0] RV_BITS_TABLE_TAKE = (rv_low(TABLE_ENTRIES > 0 && TABLE_INDEX > 0 ? 12 : 0) << 0) |
	(rv_low(TABLE_ENTRIES > 0 && TABLE_INDEX > 0 ? 3 : 0) << 16) |
	(rv_low(TABLE_ENTRIES > 0 && TABLE_INDEX > 0 ? 1 : 0) << 31);
localparam [31:0] RV_BITS_TABLE_ENTRY = rv_low(TABLE_ENTRIES > 0 && TABLE_INDEX > 0 ? 32 : 0);
localparam [31:0] RV_BITS_RECORDER = (rv_low(WITH_RECORDER ? 1 : 0) << 0) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 1) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 2) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 3) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 4) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 5) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 8) |
	(rv_low(WITH_RECORDER ? 3 : 0) << 12) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 16) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 17) |
	(rv_low(WITH_RECORDER ? 1 : 0) << 31);
localparam [31:0] RV_BITS_SINK = rv_low(WITH_SINK ? 32 : 0);
// verilator lint_restore
