// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The hold record: every kept record passes through it, and equal ones in a row become one with a count (docs/trace-unit.md
// section 7, "Repeat"). Cost: half a LUT4 and half a carry for each bit of start, history and instructions, a LUT4 for each bit that is counted,
// about 10 more.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
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
	input  wire                   enable_i,         // tracing is on
	input  wire                   latch_i,          // a record is there and kept
	input  wire [XLEN-1:0]        start_i,
	input  wire [HIST-1:0]        hist_i,
	input  wire [3:0]             reason_i,
	input  wire                   end_i,            // reason_i is end_reason_i, a register; else it is a discontinuity (4 or more), and late
	input  wire [3:0]             end_reason_i,
	input  wire [CYCLE_BITS-1:0]  cycles_i,
	input  wire [INSN_BITS-1:0]   insns_i,
	// the hold record; push_o hands it over
	output wire                   push_o,
	output wire                   valid_o,
	output wire [XLEN-1:0]        start_o,
	output wire [HIST-1:0]        hist_o,
	output wire [3:0]             reason_o,
	output wire [REPEAT_BITS-1:0] repeat_o,
	output wire [CYCLE_BITS-1:0]  cycles_o,
	output wire [INSN_BITS-1:0]   insns_o
);
	reg                   valid_q;
	reg [XLEN-1:0]        start_q;
	reg [HIST-1:0]        hist_q;
	reg [3:0]             reason_q;
	reg [REPEAT_BITS-1:0] repeat_q;
	wire [CYCLE_BITS:0]   sum;
	wire [INSN_BITS-1:0]  insns;
	wire [REPEAT_BITS:0]  more = {1'b0, repeat_q} + {{REPEAT_BITS{1'b0}}, 1'b1};

	// Every reason not to merge is an input of one carry chain, of start, history and instructions two bits a gate: a 1 comes out at its end if
	// there is any. Reasons to end below 4: backward, indirect, full. A record always has one.
	localparam COMPARED = XLEN + HIST + (WITH_INSNS ? INSN_BITS : 0), PAIRS = (COMPARED + 1) / 2;
	wire [COMPARED:0]  bits_differ;      // and a 0, for an odd number
	wire [PAIRS-1:0]   pair_differs;
	wire               reason_differs = !end_i || reason_q[1:0] != end_reason_i[1:0] || reason_q[3:2] != 2'b00 || end_reason_i[3:2] != 2'b00;
	wire [PAIRS+3:0]   hindrances = {more[REPEAT_BITS], sum[CYCLE_BITS], pair_differs, !valid_q || !merge_i, reason_differs};
	wire [PAIRS+4:0]   chain = {1'b0, hindrances} + {1'b0, {PAIRS+4{1'b1}}};
	wire               same = !chain[PAIRS+4];
	genvar i;
	generate
	if (WITH_INSNS) begin : g_compare_insns
		assign bits_differ = {1'b0, start_q ^ start_i, hist_q ^ hist_i, insns ^ insns_i};
	end else begin : g_compare
		assign bits_differ = {1'b0, start_q ^ start_i, hist_q ^ hist_i};
	end
	for (i = 0; i < PAIRS; i = i + 1) begin : g_pair
		assign pair_differs[i] = bits_differ[2*i+1] || bits_differ[2*i];
	end endgenerate
	wire replace = latch_i && !same;
	assign push_o = valid_q && (latch_i ? !same : !merge_i || !enable_i);
	always @(posedge clk_i) begin
		valid_q <= !rst_i && (latch_i || (valid_q && merge_i && enable_i));
		if (replace) begin
			start_q <= start_i;
			hist_q <= hist_i;
			reason_q <= reason_i;
		end
		if (replace)
			repeat_q <= {{REPEAT_BITS-1{1'b0}}, 1'b1};
		else if (latch_i)
			repeat_q <= more[REPEAT_BITS-1:0];
		// Unknown bits would go through the whole chain in a four-state simulation, though without a record no merge is possible.
		if (rst_i) begin
			start_q <= {XLEN{1'b0}};
			hist_q <= {HIST{1'b0}};
			reason_q <= 4'd0;
			repeat_q <= {REPEAT_BITS{1'b0}};
		end
	end
	generate if (WITH_CYCLES) begin : g_cycles
		reg [CYCLE_BITS-1:0] cycles_q;
		assign sum = {1'b0, cycles_q} + {1'b0, cycles_i};
		always @(posedge clk_i)
			if (rst_i)
				cycles_q <= {CYCLE_BITS{1'b0}};
			else if (latch_i)
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
// verilator lint_restore
`default_nettype wire
