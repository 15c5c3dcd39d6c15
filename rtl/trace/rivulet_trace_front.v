// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The register-bus front: who is written, and what is read, with a register behind it: two registers share a gate and a flip-flop for each bit.
// A FIFO's records come out of its memory a register at a time.
// Cost: a LUT4 and a flip-flop for two register bits that can be read, a third to collect them, and about 30 LUT4 to decode the index; nothing
// for a bit that is not there. With a FIFO a third of a LUT4 for each bit of the bus, and nothing for the bits of REC_*.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
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
	parameter [0:0] WITH_RANGE_START = 0,
	parameter [0:0] WITH_ZCMP = 0,
	parameter [0:0] WITH_CHECK = 0,
	parameter [0:0] WITH_RETURN = 0,         // RET_MASK is not 0
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
	input  wire             skip_i,
	input  wire [XLEN-1:0]  resume_i,
	input  wire [3:0]       depth_i,
	input  wire [15:0]      gaps_i,
	input  wire [15:0]      heals_i,
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
`include "rivulet_reg_bits.vh"
	wire [63:0] selected = 64'd1 << reg_index_i;
	assign write_o = reg_write_i ? selected : 64'd0;

	localparam [0:0] WITH_FIFO = FIFO_DEPTH > 0, WIDE = XLEN > 32 || HIST > 32;
	localparam [0:0] WITH_INFO = WITH_REASON || WITH_REPEAT || WITH_CYCLES || WITH_INSNS;      // a record has more than start and history

	// ---------------------------------------------------------------- what the registers read
	localparam [31:0] ID = HIST << RV_ID_HIST_LSB | {RV_ID_MAGIC, 8'd0, RV_ID_VERSION};
	function [31:0] flag(input value, input integer lsb);
		flag = {31'd0, value} << lsb;
	endfunction
	localparam [31:0] CAPS = FIFO_DEPTH << RV_CAPS_DEPTH_LSB | RANGES << RV_CAPS_RANGES_LSB | flag(XLEN == 64, RV_CAPS_XLEN64_LSB) |
		flag(WITH_REASON, RV_CAPS_REASON_LSB) | flag(WITH_CYCLES, RV_CAPS_CYCLES_LSB) | flag(WITH_INSNS, RV_CAPS_INSNS_LSB) |
		flag(WITH_REPEAT, RV_CAPS_REPEAT_LSB) | flag(WITH_SAMPLE, RV_CAPS_SAMPLE_LSB) | flag(WITH_DITHER, RV_CAPS_DITHER_LSB) |
		flag(WITH_MODE, RV_CAPS_MODE_LSB) | flag(WITH_FREEZE, RV_CAPS_FREEZE_LSB) | flag(WITH_LOST, RV_CAPS_LOST_LSB) |
		flag(WITH_LIFO, RV_CAPS_LIFO_LSB) | flag(WITH_CONTEXT, RV_CAPS_CONTEXT_LSB) | flag(WITH_TERM, RV_CAPS_TERM_LSB) |
		flag(WITH_CHECK, RV_CAPS_CHECK_LSB) | flag(WITH_ZCMP, RV_CAPS_ZCMP_LSB) | flag(WITH_RANGE_START, RV_CAPS_RANGE_START_LSB) |
		flag(WITH_RETURN, RV_CAPS_RETURN_LSB);
	localparam [31:0] ONCE = WITH_REPEAT ? 0 : 1 << RV_REC_INFO_REPEAT_LSB;                    // REPEAT where it is a constant
	wire [63:0] cur_start = {{64-XLEN{1'b0}}, cur_start_i}, resume = {{64-XLEN{1'b0}}, resume_i};
	wire [63:0] cur_hist = {{64-HIST{1'b0}}, cur_hist_i};
	wire [31:0] cur_cycles = {{32-CYCLE_BITS{1'b0}}, cur_cycles_i};
	wire [31:0] cur_info = {{32-INSN_BITS{1'b0}}, cur_insns_i} << RV_CUR_INFO_INSNS_LSB | {31'd0, skip_i} << RV_CUR_INFO_SKIP_LSB;
	wire [31:0] rec_start, rec_start_hi, rec_hist, rec_hist_hi, last_info, rec_cycles;
	assign {rec_cycles, last_info, rec_hist_hi, rec_hist, rec_start_hi, rec_start} = last_i;
	wire [31:0] rec_info = last_info | ONCE;
	wire [31:0] count = {21'd0, count_i}, watermark = {21'd0, watermark_i};
	wire [31:0] period = {{32-SAMPLE_BITS{1'b0}}, period_i}, counter = {{32-SAMPLE_BITS{1'b0}}, counter_i};

	// ---------------------------------------------------------------- read, two registers at a time
	wire [31:0] starts, starts_hi, hists, hists_hi, cycles, infos, controls, levels, constants;
	generate if (WITH_FIFO) begin : g_fifo
		// REC_* come out of the memory, except a REC_INFO that is a constant.
		rivulet_trace_read #(.A(RV_REG_CUR_START), .A_BITS(RV_BITS_CUR_START), .B(RV_REG_CUR_HIST), .B_BITS(RV_BITS_CUR_HIST)) read_start (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_start[31:0]), .b_i(cur_hist[31:0]), .data_o(starts));
		rivulet_trace_read #(.A(RV_REG_CUR_START_HI), .A_BITS(RV_BITS_CUR_START_HI), .B(RV_REG_CUR_HIST_HI), .B_BITS(RV_BITS_CUR_HIST_HI)) read_start_hi (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_start[63:32]), .b_i(cur_hist[63:32]), .data_o(starts_hi));
		rivulet_trace_read #(.A(RV_REG_STATUS), .A_BITS(RV_BITS_STATUS), .B(RV_REG_COUNT), .B_BITS(RV_BITS_COUNT)) read_status (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(status_i), .b_i(count), .data_o(hists));
		rivulet_trace_read #(.A(RV_REG_WATERMARK), .A_BITS(RV_BITS_WATERMARK)) read_watermark (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(watermark), .b_i(32'd0), .data_o(levels));
		rivulet_trace_read #(.A(RV_REG_CUR_CYCLES), .A_BITS(RV_BITS_CUR_CYCLES)) read_cycles (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_cycles), .b_i(32'd0), .data_o(cycles));
		rivulet_trace_read #(.A(RV_REG_CTRL), .A_BITS(RV_BITS_CTRL)) read_ctrl (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(ctrl_i), .b_i(32'd0), .data_o(controls));
		rivulet_trace_read #(.A(RV_REG_CUR_INFO), .A_BITS(RV_BITS_CUR_INFO)) read_info (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_info), .b_i(32'd0), .data_o(infos));
		rivulet_trace_read #(.A(RV_REG_REC_INFO), .A_BITS(WITH_INFO ? 32'd0 : ONCE)) read_once (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(readable_i), .a_i(ONCE), .b_i(32'd0), .data_o(hists_hi));
	end else begin : g_last
		rivulet_trace_read #(.A(RV_REG_CUR_START), .A_BITS(RV_BITS_CUR_START), .B(RV_REG_REC_START), .B_BITS(RV_BITS_REC_START)) read_start (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_start[31:0]), .b_i(rec_start), .data_o(starts));
		rivulet_trace_read #(.A(RV_REG_CUR_START_HI), .A_BITS(RV_BITS_CUR_START_HI), .B(RV_REG_REC_START_HI), .B_BITS(RV_BITS_REC_START_HI)) read_start_hi (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_start[63:32]), .b_i(rec_start_hi), .data_o(starts_hi));
		rivulet_trace_read #(.A(RV_REG_CUR_HIST), .A_BITS(RV_BITS_CUR_HIST), .B(RV_REG_REC_HIST), .B_BITS(RV_BITS_REC_HIST)) read_hist (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_hist[31:0]), .b_i(rec_hist), .data_o(hists));
		rivulet_trace_read #(.A(RV_REG_CUR_HIST_HI), .A_BITS(RV_BITS_CUR_HIST_HI), .B(RV_REG_REC_HIST_HI), .B_BITS(RV_BITS_REC_HIST_HI)) read_hist_hi (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_hist[63:32]), .b_i(rec_hist_hi), .data_o(hists_hi));
		rivulet_trace_read #(.A(RV_REG_CUR_CYCLES), .A_BITS(RV_BITS_CUR_CYCLES), .B(RV_REG_REC_CYCLES), .B_BITS(RV_BITS_REC_CYCLES)) read_cycles (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_cycles), .b_i(rec_cycles), .data_o(cycles));
		rivulet_trace_read #(.A(RV_REG_CUR_INFO), .A_BITS(RV_BITS_CUR_INFO), .B(RV_REG_REC_INFO), .B_BITS(RV_BITS_REC_INFO)) read_info (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(cur_info), .b_i(rec_info), .data_o(infos));
		rivulet_trace_read #(.A(RV_REG_CTRL), .A_BITS(RV_BITS_CTRL), .B(RV_REG_STATUS), .B_BITS(RV_BITS_STATUS)) read_ctrl (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(ctrl_i), .b_i(status_i), .data_o(controls));
		rivulet_trace_read #(.A(RV_REG_COUNT), .A_BITS(RV_BITS_COUNT), .B(RV_REG_WATERMARK), .B_BITS(RV_BITS_WATERMARK)) read_count (
			.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(count), .b_i(watermark), .data_o(levels));
	end endgenerate
	rivulet_trace_read #(.A(RV_REG_ID), .A_BITS(ID), .B(RV_REG_CAPS), .B_BITS(CAPS)) read_id (
		.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(ID), .b_i(CAPS), .data_o(constants));

	wire [31:0] resumes, depths, samples, randoms;
	rivulet_trace_read #(.A(RV_REG_RESUME), .A_BITS(RV_BITS_RESUME), .B(RV_REG_LOST), .B_BITS(RV_BITS_LOST)) read_resume (
		.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(resume[31:0]), .b_i(lost_i), .data_o(resumes));
	rivulet_trace_read #(.A(RV_REG_DEPTH), .A_BITS(RV_BITS_DEPTH), .B(RV_REG_RESUME_HI), .B_BITS(RV_BITS_RESUME_HI)) read_depth (
		.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i({28'd0, depth_i}), .b_i(resume[63:32]), .data_o(depths));
	rivulet_trace_read #(.A(RV_REG_PERIOD), .A_BITS(RV_BITS_PERIOD), .B(RV_REG_COUNTER), .B_BITS(RV_BITS_COUNTER)) read_period (
		.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(period), .b_i(counter), .data_o(samples));
	rivulet_trace_read #(.A(RV_REG_DITHER), .A_BITS(RV_BITS_DITHER), .B(RV_REG_LFSR), .B_BITS(RV_BITS_LFSR)) read_dither (
		.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i({16'd0, dither_i}), .b_i({16'd0, lfsr_i}), .data_o(randoms));

	wire [31:0] ports;
	rivulet_trace_read #(.A(RV_REG_PORT), .A_BITS(RV_BITS_PORT)) read_port (
		.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i({16'd0, gaps_i} << RV_PORT_GAPS_LSB |
		{16'd0, heals_i} << RV_PORT_HEALS_LSB), .b_i(32'd0), .data_o(ports));
	wire [31:0] bounds [0:3], bounds_hi [0:3];
	genvar i;
	generate
	for (i = 0; i < 4; i = i + 1) begin : g_range
		if (i < RANGES) begin : g_on
			// Words in the order of the register table: LO, LO_HI, HI, HI_HI.
			localparam [5:0] LO = RV_REG_RANGE0_LO + 4 * i, LO_HI = LO + 6'd1, HI = LO + 6'd2, HI_HI = LO + 6'd3;
			wire [63:0] lo = {{64-XLEN{1'b0}}, range_lo_i[XLEN*i +: XLEN]}, hi = {{64-XLEN{1'b0}}, range_hi_i[XLEN*i +: XLEN]};
			rivulet_trace_read #(.A(LO), .A_BITS(RV_BITS_RANGE0_LO), .B(HI), .B_BITS(RV_BITS_RANGE0_HI)) read (
				.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(lo[31:0]), .b_i(hi[31:0]), .data_o(bounds[i]));
			rivulet_trace_read #(.A(LO_HI), .A_BITS(RV_BITS_RANGE0_LO_HI), .B(HI_HI), .B_BITS(RV_BITS_RANGE0_HI_HI)) read_hi (
				.clk_i(clk_i), .index_i(reg_index_i), .selected_i(selected), .a_there_i(1'b1), .a_i(lo[63:32]), .b_i(hi[63:32]), .data_o(bounds_hi[i]));
		end else begin : g_off
			assign bounds[i] = 32'd0;
			assign bounds_hi[i] = 32'd0;
		end
	end
	endgenerate

	// The registers of a record in the memory
	wire sel_word = readable_i && (selected[RV_REG_REC_START] || selected[RV_REG_REC_HIST] || (WITH_INFO && selected[RV_REG_REC_INFO]) ||
		(WITH_INFO && selected[RV_REG_REC_CYCLES]) || (WIDE && (selected[RV_REG_REC_START_HI] || selected[RV_REG_REC_HIST_HI])));
	reg  word_q;
	always @(posedge clk_i)
		word_q <= WITH_FIFO && sel_word;

	// One of them is not 0.
	localparam SOURCES = 23;
	wire [32*SOURCES-1:0] sources = {bounds_hi[3], bounds_hi[2], bounds_hi[1], bounds_hi[0], bounds[3], bounds[2], bounds[1], bounds[0],
		ports, randoms, samples, depths, resumes, constants, levels, controls, infos, cycles, hists_hi, hists, starts_hi, starts, {32{word_q}} & word_i};
	genvar k;
	generate for (i = 0; i < 32; i = i + 1) begin : g_bit
		wire [SOURCES-1:0] any;
		for (k = 0; k < SOURCES; k = k + 1) begin : g_any
			assign any[k] = sources[32*k+i];
		end
		assign reg_rdata_o[i] = any != {SOURCES{1'b0}};
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
