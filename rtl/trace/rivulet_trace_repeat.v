// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Merges equal records in a row into one with a count (docs/trace-unit.md section 7, "Repeat").
// Cost: about 60 LUT4 and one flip-flop per bit of a record.
`default_nettype none
module rivulet_trace_repeat #(
	parameter XLEN = 32,
	parameter HIST = 32,
	parameter [0:0] WITH_CYCLES = 1,
	parameter CYCLE_BITS = 16,
	parameter [0:0] WITH_INSNS = 1,
	parameter INSN_BITS = 16,
	parameter REPEAT_BITS = 8               // 2 to 8
) (
	input  wire                   clk_i,
	input  wire                   rst_i,
	input  wire                   merge_i,          // repeating is on
	input  wire                   enable_i,         // CTRL.ENABLE
	input  wire                   latch_i,          // a new record is there
	input  wire [XLEN-1:0]        start_i,
	input  wire [HIST-1:0]        hist_i,
	input  wire [2:0]             reason_i,
	input  wire [CYCLE_BITS-1:0]  cycles_i,
	input  wire [INSN_BITS-1:0]   insns_i,
	// the hold record; push_o hands it over
	output wire                   push_o,
	output wire                   valid_o,
	output wire [XLEN-1:0]        start_o,
	output wire [HIST-1:0]        hist_o,
	output wire [2:0]             reason_o,
	output wire [REPEAT_BITS-1:0] repeat_o,
	output wire [CYCLE_BITS-1:0]  cycles_o,
	output wire [INSN_BITS-1:0]   insns_o
);
	reg                   valid_q;
	reg [XLEN-1:0]        start_q;
	reg [HIST-1:0]        hist_q;
	reg [2:0]             reason_q;
	reg [REPEAT_BITS-1:0] repeat_q;
	wire [CYCLE_BITS:0]   sum;
	wire [INSN_BITS-1:0]  insns;

	wire mergeable = reason_i == 3'd1 || reason_i == 3'd2 || reason_i == 3'd3; // backward, indirect, full
	wire same = valid_q && mergeable && start_q == start_i && hist_q == hist_i && reason_q == reason_i && repeat_q != {REPEAT_BITS{1'b1}} &&
		!sum[CYCLE_BITS] && insns == insns_i;
	wire take = latch_i && merge_i;
	wire replace = take && !same;
	assign push_o = valid_q && (replace || !merge_i || (!latch_i && !enable_i));
	always @(posedge clk_i) begin
		if (take)
			valid_q <= 1'b1;
		else if (push_o)
			valid_q <= 1'b0;
		if (replace) begin
			start_q <= start_i;
			hist_q <= hist_i;
			reason_q <= reason_i;
		end
		if (take)
			repeat_q <= (same ? repeat_q : {REPEAT_BITS{1'b0}}) + {{REPEAT_BITS-1{1'b0}}, 1'b1};
		if (rst_i) begin
			valid_q <= 1'b0;
			start_q <= {XLEN{1'b0}};
			hist_q <= {HIST{1'b0}};
			reason_q <= 3'd0;
			repeat_q <= {REPEAT_BITS{1'b0}};
		end
	end
	generate if (WITH_CYCLES) begin : g_cycles
		reg [CYCLE_BITS-1:0] cycles_q;
		assign sum = {1'b0, cycles_q} + {1'b0, cycles_i};
		always @(posedge clk_i)
			if (rst_i)
				cycles_q <= {CYCLE_BITS{1'b0}};
			else if (take)
				cycles_q <= same ? sum[CYCLE_BITS-1:0] : cycles_i;
		assign cycles_o = cycles_q;
	end else begin : g_no_cycles
		assign sum = {CYCLE_BITS+1{1'b0}};
		assign cycles_o = {CYCLE_BITS{1'b0}};
	end endgenerate
	generate if (WITH_INSNS) begin : g_insns
		reg [INSN_BITS-1:0] insns_q;
		always @(posedge clk_i)
			if (rst_i)
				insns_q <= {INSN_BITS{1'b0}};
			else if (replace)
				insns_q <= insns_i;
		assign insns = insns_q;
	end else begin : g_no_insns
		assign insns = insns_i;
	end endgenerate
	assign valid_o = valid_q;
	assign start_o = start_q;
	assign hist_o = hist_q;
	assign reason_o = reason_q;
	assign repeat_o = repeat_q;
	assign insns_o = WITH_INSNS ? insns : {INSN_BITS{1'b0}};
endmodule
`default_nettype wire
