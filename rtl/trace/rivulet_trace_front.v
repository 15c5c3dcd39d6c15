// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The register-bus front: who is written, and what is read, with a register behind it: two registers share a gate and a flip-flop for each bit.
// A FIFO's records come out of its memory a register at a time.
// Cost: a LUT4 and a flip-flop for two register bits that can be read, a third to collect them, and about 30 LUT4 to decode the index; nothing
// for a bit that is not there. With a FIFO a third of a LUT4 for each bit of the bus, and nothing for the bits of REC_*.
`default_nettype none
module rivulet_trace_front #(
	parameter XLEN = 32,
	parameter HIST = 8,
	parameter FIFO_DEPTH = 0,
	parameter COUNT_BITS = 1,                // of COUNT and WATERMARK
	parameter RANGES = 0,
	parameter [0:0] WITH_REASON = 0,
	parameter [0:0] WITH_CYCLES = 0,
	parameter CYCLE_BITS = 16,
	parameter [0:0] WITH_INSNS = 0,
	parameter INSN_BITS = 16,
	parameter [0:0] WITH_REPEAT = 0,
	parameter REPEAT_BITS = 8,
	parameter [0:0] WITH_SAMPLE = 0,
	parameter SAMPLE_BITS = 24,
	parameter [0:0] WITH_DITHER = 0,
	parameter [0:0] WITH_MODE = 0,
	parameter [0:0] WITH_FREEZE = 0,
	parameter [0:0] WITH_LOST = 0,
	parameter [0:0] WITH_LIFO = 0,
	parameter [0:0] WITH_CONTEXT = 0,
	parameter [0:0] WITH_TERM = 0,
	parameter RANGE_W = RANGES > 0 ? RANGES * XLEN : 1
) (
	input  wire             clk_i,
	// register bus
	input  wire             reg_write_i,
	input  wire [5:0]       reg_index_i,
	output wire [31:0]      reg_rdata_o,
	// bit i: register i is written in this cycle
	output wire [63:0]      write_o,
	// what is read; the front knows which bits are there
	input  wire [31:0]      ctrl_i,
	input  wire [31:0]      status_i,
	input  wire [XLEN-1:0]  cur_start_i,
	input  wire [HIST-1:0]  cur_hist_i,      // 0: no current pair
	input  wire [CYCLE_BITS-1:0] cur_cycles_i,
	input  wire [INSN_BITS-1:0]  cur_insns_i,
	input  wire [XLEN-1:0]  resume_i,
	input  wire [3:0]       depth_i,
	input  wire             readable_i,      // FIFO_DEPTH > 0: REC_* are the head; else they are 0
	input  wire [31:0]      word_i,          // FIFO_DEPTH > 0: the register of the head that was asked for in the cycle before, if it is one
	input  wire [191:0]     last_i,          // FIFO_DEPTH 0: REC_CYCLES, _INFO, _HIST_HI, _HIST, _START_HI, _START
	input  wire [10:0]      count_i,
	input  wire [10:0]      watermark_i,
	input  wire [31:0]      lost_i,
	input  wire [SAMPLE_BITS-1:0] period_i,
	input  wire [SAMPLE_BITS-1:0] counter_i,
	input  wire [15:0]      dither_i,
	input  wire [15:0]      lfsr_i,
	input  wire [RANGE_W-1:0] range_lo_i,
	input  wire [RANGE_W-1:0] range_hi_i
);
`include "rivulet_regs.vh"
	wire [63:0] selected = 64'd1 << reg_index_i;
	assign write_o = reg_write_i ? selected : 64'd0;

	// Two registers share a gate for each bit: an index bit that tells them apart chooses. The flip-flop behind it is cleared unless one of the two
	// is selected, so the gates behind the flip-flops only collect; the word of the record that the memory gives is collected with them.
	localparam FIRST = 9, PAIRS = FIRST + 12;
	localparam [63:0] ONES = ~64'd0;
	function [63:0] low(input integer bits);
		low = bits <= 0 ? 64'd0 : bits >= 64 ? ONES : ~(ONES << bits);
	endfunction
	localparam [31:0] START_HI = XLEN == 64 ? 32'hFFFFFFFF : 32'd0, RESUME_LO = WITH_FREEZE ? 32'hFFFFFFFF : 32'd0;
	localparam [63:0] HIST_BITS = low(HIST), CYCLES_BITS = low(WITH_CYCLES ? CYCLE_BITS : 0), COUNTER_BITS = low(WITH_SAMPLE ? SAMPLE_BITS : 0),
		REPEATS = low(WITH_REPEAT ? REPEAT_BITS : 0), COUNTS = low(COUNT_BITS), INSNS = low(WITH_INSNS ? INSN_BITS : 0);
	localparam [31:0] MARKS = FIFO_DEPTH > 0 ? COUNTS[31:0] : 32'd0;
	localparam [31:0] DITHERS = WITH_DITHER ? 32'h0000FFFF : 32'd0, LOSTS = WITH_LOST ? 32'hFFFFFFFF : 32'd0;
	localparam [31:0] R = 32'hFFFFFFFF;
	// which bits of a register are variable
	localparam [3:0] RANGE_BITS = RANGES >= 4 ? 4'hF : (4'h1 << RANGES) - 4'h1;
	localparam [31:0] CTRLS = {8'd0, RANGE_BITS, 4'hF, 3'd0, 5'h1F, 1'b0, WITH_LIFO && FIFO_DEPTH > 0, WITH_SAMPLE, WITH_REPEAT, WITH_FREEZE, WITH_TERM,
		WITH_TERM, 1'b1};
	localparam [0:0] WITH_FIFO = FIFO_DEPTH > 0, WIDE = XLEN > 32 || HIST > 32;
	localparam [0:0] WITH_INFO = WITH_REASON || WITH_REPEAT || WITH_CYCLES || WITH_INSNS;      // a record has more than start and history
	localparam [31:0] STATUSES = {24'd0, 1'b1, 2'd0, WITH_LOST, WITH_SAMPLE, 1'b1, WITH_FIFO, 1'b1};
	localparam [31:0] ONCE = WITH_REPEAT ? 32'd0 : 32'h00000100;          // REPEAT where it is a constant
	localparam [31:0] INFOS = {INSNS[15:0], REPEATS[7:0] | ONCE[15:8], 5'd0, {3{WITH_REASON}}};
	// constant bits
	localparam [7:0]  H = HIST[7:0];
	localparam [15:0] DEPTH_BITS = FIFO_DEPTH[15:0];
	localparam [2:0]  RANGES_BITS = RANGES[2:0];
	localparam [0:0]  XLEN64 = XLEN == 64;
	localparam [31:0] ID = {RV_ID_MAGIC, H, RV_ID_VERSION};
	localparam [31:0] CAPS = {DEPTH_BITS, RANGES_BITS, WITH_TERM, WITH_CONTEXT, WITH_LIFO, WITH_LOST, WITH_FREEZE, WITH_MODE, WITH_DITHER,
		WITH_SAMPLE, WITH_REPEAT, WITH_INSNS, WITH_CYCLES, WITH_REASON, XLEN64};

	// The pairs: two registers each, first the one in the lower bits; which of their bits are variable; their values. The first pairs depend on where
	// REC_* come from. POP, which cannot be read, stands for none: a register that shares few bits with others needs no gate alone.
	localparam [12*FIRST-1:0] INDEX_FIFO = {RV_REG_CAPS, RV_REG_ID, RV_REG_POP, RV_REG_REC_INFO, RV_REG_POP, RV_REG_CUR_INFO, RV_REG_POP, RV_REG_CTRL,
		RV_REG_POP, RV_REG_CUR_CYCLES, RV_REG_POP, RV_REG_WATERMARK, RV_REG_COUNT, RV_REG_STATUS,
		RV_REG_CUR_HIST_HI, RV_REG_CUR_START_HI, RV_REG_CUR_HIST, RV_REG_CUR_START};
	localparam [12*FIRST-1:0] INDEX_LAST = {RV_REG_CAPS, RV_REG_ID, RV_REG_WATERMARK, RV_REG_COUNT, RV_REG_STATUS, RV_REG_CTRL,
		RV_REG_REC_INFO, RV_REG_CUR_INFO, RV_REG_REC_CYCLES, RV_REG_CUR_CYCLES, RV_REG_REC_HIST_HI, RV_REG_CUR_HIST_HI,
		RV_REG_REC_HIST, RV_REG_CUR_HIST, RV_REG_REC_START_HI, RV_REG_CUR_START_HI, RV_REG_REC_START, RV_REG_CUR_START};
	localparam [12*PAIRS-1:0] INDEX = {
		RV_REG_RANGE3_HI_HI, RV_REG_RANGE3_LO_HI, RV_REG_RANGE2_HI_HI, RV_REG_RANGE2_LO_HI,
		RV_REG_RANGE1_HI_HI, RV_REG_RANGE1_LO_HI, RV_REG_RANGE0_HI_HI, RV_REG_RANGE0_LO_HI,
		RV_REG_RANGE3_HI, RV_REG_RANGE3_LO, RV_REG_RANGE2_HI, RV_REG_RANGE2_LO,
		RV_REG_RANGE1_HI, RV_REG_RANGE1_LO, RV_REG_RANGE0_HI, RV_REG_RANGE0_LO,
		RV_REG_LFSR, RV_REG_DITHER, RV_REG_COUNTER, RV_REG_PERIOD, RV_REG_RESUME_HI, RV_REG_DEPTH, RV_REG_LOST, RV_REG_RESUME,
		WITH_FIFO ? INDEX_FIFO : INDEX_LAST};
	localparam [64*4-1:0] RANGE_HI_MASK = {
		{2{RANGES > 3 ? START_HI : 32'd0}}, {2{RANGES > 2 ? START_HI : 32'd0}},
		{2{RANGES > 1 ? START_HI : 32'd0}}, {2{RANGES > 0 ? START_HI : 32'd0}}};
	localparam [64*4-1:0] RANGE_MASK = {
		{2{RANGES > 3 ? R : 32'd0}}, {2{RANGES > 2 ? R : 32'd0}}, {2{RANGES > 1 ? R : 32'd0}}, {2{RANGES > 0 ? R : 32'd0}}};
	localparam [64*FIRST-1:0] MASK_FIFO = {CAPS, ID, 32'd0, WITH_INFO ? 32'd0 : ONCE, 32'd0, INSNS[15:0], 16'd0, 32'd0, CTRLS,
		32'd0, CYCLES_BITS[31:0], 32'd0, MARKS, COUNTS[31:0], STATUSES, HIST_BITS[63:32], START_HI, HIST_BITS[31:0], R};
	localparam [64*FIRST-1:0] MASK_LAST = {CAPS, ID, MARKS, COUNTS[31:0], STATUSES, CTRLS, INFOS, {INSNS[15:0], 16'd0}, CYCLES_BITS[31:0], CYCLES_BITS[31:0],
		HIST_BITS[63:32], HIST_BITS[63:32], HIST_BITS[31:0], HIST_BITS[31:0], START_HI, START_HI, R, R};
	localparam [64*PAIRS-1:0] MASK = {RANGE_HI_MASK, RANGE_MASK, DITHERS, DITHERS, COUNTER_BITS[31:0], COUNTER_BITS[31:0],
		START_HI & RESUME_LO, RESUME_LO & 32'h0000000F, LOSTS, RESUME_LO, WITH_FIFO ? MASK_FIFO : MASK_LAST};
	wire [63:0] cur_start = {{64-XLEN{1'b0}}, cur_start_i}, resume = {{64-XLEN{1'b0}}, resume_i};
	wire [63:0] cur_hist = {{64-HIST{1'b0}}, cur_hist_i};
	wire [31:0] cur_cycles = {{32-CYCLE_BITS{1'b0}}, cur_cycles_i};
	wire [31:0] cur_info = {{16-INSN_BITS{1'b0}}, cur_insns_i, 16'd0};
	wire [31:0] rec_start, rec_start_hi, rec_hist, rec_hist_hi, last_info, rec_cycles;
	wire [31:0] rec_info = last_info | ONCE;
	assign {rec_cycles, last_info, rec_hist_hi, rec_hist, rec_start_hi, rec_start} = last_i;
	wire [31:0] count = {21'd0, count_i}, watermark = {21'd0, watermark_i};
	wire [31:0] period = {{32-SAMPLE_BITS{1'b0}}, period_i}, counter = {{32-SAMPLE_BITS{1'b0}}, counter_i};
	wire [255:0] lo, hi;
	wire [64*FIRST-1:0] value_fifo = {R, R, 32'd0, ONCE, 32'd0, cur_info, 32'd0, ctrl_i, 32'd0, cur_cycles, 32'd0, watermark, count, status_i,
		cur_hist[63:32], cur_start[63:32], cur_hist[31:0], cur_start[31:0]};
	wire [64*FIRST-1:0] value_last = {R, R, watermark, count, status_i, ctrl_i, rec_info, cur_info, rec_cycles, cur_cycles,
		rec_hist_hi, cur_hist[63:32], rec_hist, cur_hist[31:0], rec_start_hi, cur_start[63:32], rec_start, cur_start[31:0]};
	wire [64*PAIRS-1:0] value = {
		hi[255:224], lo[255:224], hi[191:160], lo[191:160], hi[127:96], lo[127:96], hi[63:32], lo[63:32],
		hi[223:192], lo[223:192], hi[159:128], lo[159:128], hi[95:64], lo[95:64], hi[31:0], lo[31:0],
		{16'd0, lfsr_i}, {16'd0, dither_i}, counter, period, resume[63:32], {28'd0, depth_i}, lost_i, resume[31:0],
		WITH_FIFO ? value_fifo : value_last};

	genvar i, k;
	generate
	for (i = 0; i < 4; i = i + 1) begin : g_range
		if (i < RANGES) begin : g_on
			assign lo[64*i +: 64] = {{64-XLEN{1'b0}}, range_lo_i[XLEN*i +: XLEN]};
			assign hi[64*i +: 64] = {{64-XLEN{1'b0}}, range_hi_i[XLEN*i +: XLEN]};
		end else begin : g_off
			assign lo[64*i +: 64] = 64'd0;
			assign hi[64*i +: 64] = 64'd0;
		end
	end
	endgenerate

	// The registers of a record in the memory
	wire sel_word = readable_i && (selected[RV_REG_REC_START] || selected[RV_REG_REC_HIST] || (WITH_INFO && selected[RV_REG_REC_INFO]) ||
		(WITH_INFO && selected[RV_REG_REC_CYCLES]) || (WIDE && (selected[RV_REG_REC_START_HI] || selected[RV_REG_REC_HIST_HI])));
	reg  word_q;
	always @(posedge clk_i)
		word_q <= WITH_FIFO && sel_word;

	wire [32*PAIRS-1:0] out;
	generate
	for (k = 0; k < PAIRS; k = k + 1) begin : g_pair
		localparam [5:0] A = INDEX[12*k +: 6], B = INDEX[12*k+6 +: 6];
		localparam [5:0] D = A ^ B;
		localparam BIT = D[0] ? 0 : D[1] ? 1 : D[2] ? 2 : D[3] ? 3 : D[4] ? 4 : 5;    // the lowest in which they differ
		localparam [0:0] HAS_A = MASK[64*k +: 32] != 32'd0, HAS_B = MASK[64*k+32 +: 32] != 32'd0;
		wire second = HAS_B && (!HAS_A || reg_index_i[BIT] == B[BIT]);
		wire sel_a = selected[A] && (!WITH_FIFO || A != RV_REG_REC_INFO || readable_i);      // not 0 from a FIFO: REPEAT where it is a constant
		wire sel = (HAS_A && sel_a) || (HAS_B && selected[B]);
		wire [31:0] a = MASK[64*k +: 32] & value[64*k +: 32], b = MASK[64*k+32 +: 32] & value[64*k+32 +: 32];
		reg  [31:0] pair_q;
		always @(posedge clk_i)
			if (sel)
				pair_q <= second ? b : a;
			else
				pair_q <= 32'd0;
		assign out[32*k +: 32] = pair_q;
	end
	for (i = 0; i < 32; i = i + 1) begin : g_bit
		wire [PAIRS-1:0] any;
		for (k = 0; k < PAIRS; k = k + 1) begin : g_any
			assign any[k] = out[32*k+i];
		end
		assign reg_rdata_o[i] = any != {PAIRS{1'b0}} || (word_q && word_i[i]);
	end
	endgenerate
endmodule
`default_nettype wire
