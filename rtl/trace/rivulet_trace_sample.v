// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Sampling counter with reload and random dither ([0071], docs/trace-unit.md section 7).
// Cost: 2 LUT4 and 2 carries for each counter bit; WITH_DITHER about 85 LUT4 more.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_sample #(
	parameter SAMPLE_BITS = 24,             // 8 to 32
	parameter [0:0] WITH_DITHER = 0
) (
	input  wire                   clk_i,
	input  wire                   rst_i,
	input  wire                   enable_i,        // CTRL.SAMPLE
	input  wire                   latch_i,         // a trace ended
	output wire                   due_o,           // the next trace to end is the sample
	output wire                   sample_o,        // this trace is the sample
	// registers
	input  wire                   period_write_i,
	input  wire                   counter_write_i,
	input  wire                   dither_write_i,
	input  wire                   lfsr_write_i,
	input  wire [31:0]            wdata_i,
	output wire [SAMPLE_BITS-1:0] period_o,
	output wire [SAMPLE_BITS-1:0] counter_o,
	output wire [15:0]            dither_o,
	output wire [15:0]            lfsr_o
);
`include "rivulet_regs.vh"
	reg [SAMPLE_BITS-1:0] period_q, counter_q;
	wire [SAMPLE_BITS-1:0] reload;
	generate if (WITH_DITHER) begin : g_dither
		reg [15:0] dither_q, lfsr_q;
		function [15:0] step(input [15:0] x);
			step = {1'b0, x[15:1]} ^ (x[0] ? 16'hB400 : 16'h0000);
		endfunction
		always @(posedge clk_i) begin
			if (dither_write_i)
				dither_q <= wdata_i[RV_DITHER_MASK_LSB +: RV_DITHER_MASK_W];
			if (lfsr_write_i)
				lfsr_q <= wdata_i[RV_LFSR_STATE_LSB +: RV_LFSR_STATE_W] == 16'h0000 ? 16'h0001 :
					wdata_i[RV_LFSR_STATE_LSB +: RV_LFSR_STATE_W];
			else if (latch_i)
				lfsr_q <= step(step(step(step(lfsr_q))));
			if (rst_i) begin
				dither_q <= 16'h0000;
				lfsr_q <= 16'h0001;
			end
		end
		wire [31:0] random = {16'h0000, lfsr_q & dither_q};
		assign reload = period_q + random[SAMPLE_BITS-1:0];
		assign dither_o = dither_q;
		assign lfsr_o = lfsr_q;
	end else begin : g_no_dither
		assign reload = period_q;
		assign dither_o = 16'h0000;
		assign lfsr_o = 16'h0000;
	end endgenerate

	// Counting down adds a word of ones; at 1 and 0 nothing is added and the reload is chosen: both are one LUT4 a bit, and the carry chain starts at registers.
	// A register write is a late signal: the last gate chooses between it and the new value.
	wire [SAMPLE_BITS-1:0] above1 = {1'b0, counter_q[SAMPLE_BITS-1:1]} + {1'b0, {SAMPLE_BITS-1{1'b1}}};
	wire                   down = above1[SAMPLE_BITS-1];
	wire [SAMPLE_BITS-1:0] sum = counter_q + {SAMPLE_BITS{down}};
	wire [SAMPLE_BITS-1:0] count = down ? sum : reload;
	assign due_o = !down;
	assign sample_o = enable_i && latch_i && due_o;
	always @(posedge clk_i) begin
		if (period_write_i)
			period_q <= wdata_i[SAMPLE_BITS-1:0];
		if (counter_write_i)
			counter_q <= wdata_i[SAMPLE_BITS-1:0];
		else if (enable_i && latch_i)
			counter_q <= count;
		if (rst_i) begin
			period_q <= {SAMPLE_BITS{1'b0}};
			counter_q <= {SAMPLE_BITS{1'b0}};
		end
	end
	assign period_o = period_q;
	assign counter_o = counter_q;
endmodule
// verilator lint_restore
`default_nettype wire
