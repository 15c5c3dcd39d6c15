// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The current pair (FIG. 5, 560 and 580) and its control unit (FIG. 6, 540): SHIFT, FIRST LOAD, SECOND LOAD, FULL
// (docs/trace-unit.md sections 5 and 6). Cost: about 20 LUT4 whatever HIST and XLEN are; WITH_CYCLES and WITH_INSNS one LUT4 per
// counter bit; WITH_CONTEXT one LUT4 per bit of the pair; WITH_NEXT_PC a LUT4 and a flip-flop per bit of an address.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_pair #(
	parameter XLEN = 32,
	parameter HIST = 8,                      // 8 to 64: holds HIST - 1 outcomes
	parameter [0:0] WITH_REASON = 0,
	parameter [0:0] WITH_CYCLES = 0,
	parameter CYCLE_BITS = 16,
	parameter [0:0] WITH_INSNS = 0,
	parameter INSN_BITS = 16,
	parameter [0:0] WITH_CONTEXT = 0,
	parameter [0:0] WITH_TERM = 0,
	parameter [0:0] WITH_RANGE_START = 0,
	parameter [0:0] WITH_NEXT_PC = 0         // FIRST LOAD comes with SECOND LOAD, from NEXT PC ([0059]). Requires: no WITH_CONTEXT
) (
	input  wire                  clk_i,
	input  wire                  rst_i,
	// stage S: the decoder's verdict; of an instruction that did not complete it has no meaning, and take_i is 0
	input  wire [XLEN-1:0]       s_pc_i,
	input  wire [XLEN-1:0]       s_next_pc_i,
	input  wire                  s_br_i,
	input  wire                  s_outcome_i,
	input  wire                  s_back_i,
	input  wire                  s_ind_i,
	input  wire                  s_ret_i,
	input  wire                  s_astray_i,
	// from rivulet_trace_scope
	input  wire                  take_i,
	input  wire                  skip_i,     // late
	input  wire                  gap_disc_i,
	input  wire                  trap_disc_i,
	input  wire                  left_i,
	input  wire                  elsewhere_i,
	input  wire                  counting_i,
	input  wire                  idle_i,
	// controls
	input  wire                  enable_i,
	input  wire                  no_backward_i,
	input  wire                  no_indirect_i,
	// register writes (WITH_CONTEXT)
	input  wire                  start_write_i,
	input  wire                  start_hi_write_i,
	input  wire                  hist_write_i,
	input  wire                  hist_hi_write_i,
	input  wire                  info_write_i,
	input  wire                  cycles_write_i,
	input  wire [31:0]           wdata_i,
	// the current pair
	output wire                  valid_o,
	output wire                  end_o,
	output wire [3:0]            end_reason_o,
	output wire [XLEN-1:0]       start_o,
	output wire [HIST-1:0]       hist_o,     // 0: there is none; 1 without valid_o: NEXT PC is loaded
	output wire [CYCLE_BITS-1:0] cycles_o,
	output wire [INSN_BITS-1:0]  insns_o,
	output wire                  skip_o,     // it makes no record
	// SECOND LOAD: the pair above, with this reason, is a record now, unless skip_o
	output wire                  latch_o,
	output wire [3:0]            latch_reason_o
);
`include "rivulet_regs.vh"

	reg [XLEN-1:0] start_q;
	wire [63:0]    start_old = {{64-XLEN{1'b0}}, start_q};
	wire [63:0]    start_new = start_hi_write_i ? {wdata_i, start_old[31:0]} : {start_old[63:32], wdata_i};
	wire           start_any_write = WITH_CONTEXT && (start_write_i || (XLEN == 64 && start_hi_write_i));
	reg [HIST-1:0] hist_q;
	reg            valid_q, end_q;

	// left_i arrives last, so all other conditions are combined before it. take_i and elsewhere_i exclude it.
	wire        ended = end_q || !enable_i || gap_disc_i || trap_disc_i;
	wire        begins = !valid_q || ended;
	wire        fresh = begins || left_i;
	wire        first_load = take_i && fresh;
	wire        shift = take_i && s_br_i;
	assign      latch_o = valid_q && (ended || left_i);

	wire ends_backward = s_back_i && !(WITH_TERM && no_backward_i);
	wire ends_indirect = s_ind_i && !(WITH_TERM && no_indirect_i);
	wire ends_full = s_br_i && hist_q[HIST-2] && !begins;
	wire ends = s_astray_i || ends_backward || ends_indirect || s_ret_i || ends_full;

	// NEXT PC is loaded where a trace ends by its own instruction and nothing is taken in the cycle of SECOND LOAD; the history is 1 while the
	// pair waits for its instruction, which loads the start once more: it may come from elsewhere.
	wire            next_load, waits;
	wire [XLEN-1:0] next_pc;
	generate if (WITH_NEXT_PC) begin : g_next
		reg [XLEN-1:0] next_pc_q;
		reg            own_q;              // the instruction of the cycle before was taken, and its next_pc is to be believed
		wire           stays = enable_i && !gap_disc_i && !trap_disc_i && !left_i;
		always @(posedge clk_i) begin
			own_q <= take_i && !s_astray_i;
			if (take_i)
				next_pc_q <= s_next_pc_i;
			if (rst_i) begin
				own_q <= 1'b0;
				next_pc_q <= {XLEN{1'b0}};
			end
		end
		assign next_load = valid_q && end_q && own_q && !take_i && stays;
		assign waits = next_load || (!valid_q && hist_q[0] && !take_i && stays);
		assign next_pc = next_pc_q;
	end else begin : g_no_next
		assign next_load = 1'b0;
		assign waits = 1'b0;
		assign next_pc = {XLEN{1'b0}};
	end endgenerate

	// Towards software the history of no pair is 1.
	wire [63:0] hist_old = {{64-HIST{1'b0}}, hist_q[HIST-1:1], hist_q[0] || !valid_q};
	wire [63:0] hist_new = hist_hi_write_i ? {wdata_i, hist_old[31:0]} : {hist_old[63:32], wdata_i};
	wire        hist_any_write = WITH_CONTEXT && (hist_write_i || (HIST > 32 && hist_hi_write_i));
	wire        hist_nonzero = hist_new[HIST-1:0] != {HIST{1'b0}};

	// A history that is fresh is 1, or the marker and one outcome, or, with nothing to take, 0: its upper bits take part by
	// clearing, so that shifting needs no gate before them.
	always @(posedge clk_i) begin
		if (hist_any_write)
			hist_q[HIST-1:2] <= hist_new[HIST-1:2];
		else if (rst_i || fresh)
			hist_q[HIST-1:2] <= {HIST-2{1'b0}};
		else if (shift)
			hist_q[HIST-1:2] <= hist_q[HIST-2:1];
		if (hist_any_write)
			hist_q[1:0] <= hist_new[1:0];
		else if (fresh || shift)
			hist_q[1:0] <= {fresh ? shift : hist_q[0], shift ? s_outcome_i : take_i || waits};
		if (start_any_write)
			start_q <= start_new[XLEN-1:0];
		else if (first_load)
			start_q <= s_pc_i;
		else if (next_load)
			start_q <= next_pc;
		if (hist_any_write)
			valid_q <= hist_nonzero;
		else
			valid_q <= take_i || !fresh;
		if (hist_any_write)
			end_q <= hist_new[HIST-1];
		else
			// It is served in the cycle behind, so it never stays.
			end_q <= take_i ? ends : elsewhere_i && !begins;
		if (rst_i) begin
			start_q <= {XLEN{1'b0}};
			hist_q <= {HIST{1'b0}};
			valid_q <= 1'b0;
			end_q <= 1'b0;
		end
	end
	assign valid_o = valid_q;
	assign end_o = end_q;
	assign start_o = start_q;
	assign hist_o = hist_q;

	generate if (WITH_REASON) begin : g_reason
		reg [3:0] reason_q;                  // has a meaning only with end_q
		always @(posedge clk_i)
			if (hist_any_write)
				reason_q <= RV_REASON_FULL;
			else
				reason_q <= !take_i ? RV_REASON_TRAP : s_astray_i ? RV_REASON_GAP : ends_backward ? RV_REASON_BACKWARD :
					ends_indirect ? RV_REASON_INDIRECT : s_ret_i ? RV_REASON_XRET : RV_REASON_FULL;
		assign end_reason_o = reason_q;
		assign latch_reason_o = end_q ? reason_q : !enable_i ? RV_REASON_OFF : gap_disc_i ? RV_REASON_GAP :
			trap_disc_i ? RV_REASON_TRAP : RV_REASON_LEFT;
	end else begin : g_no_reason
		assign end_reason_o = RV_REASON_NONE;
		assign latch_reason_o = RV_REASON_NONE;
	end endgenerate

	generate if (WITH_RANGE_START) begin : g_skip
		reg skip_q;
		always @(posedge clk_i)
			if (rst_i)
				skip_q <= 1'b0;
			else if (WITH_CONTEXT && info_write_i)
				skip_q <= wdata_i[RV_CUR_INFO_SKIP_LSB];
			else if (first_load)
				skip_q <= skip_i;
		assign skip_o = skip_q;
	end else begin : g_no_skip
		assign skip_o = 1'b0;
	end endgenerate

	generate if (WITH_CYCLES) begin : g_cycles
		reg  [CYCLE_BITS-1:0] cycles_q;
		wire [CYCLE_BITS:0] next = {1'b0, cycles_q} + {{CYCLE_BITS{1'b0}}, 1'b1};
		wire restart = idle_i || latch_o;
		always @(posedge clk_i)
			if (rst_i)
				cycles_q <= {CYCLE_BITS{1'b0}};
			else if (WITH_CONTEXT && cycles_write_i)
				cycles_q <= wdata_i[CYCLE_BITS-1:0];
			else if (restart)
				cycles_q <= {{CYCLE_BITS-1{1'b0}}, counting_i};
			else if (counting_i && !next[CYCLE_BITS])
				cycles_q <= next[CYCLE_BITS-1:0];
		assign cycles_o = cycles_q;
	end else begin : g_no_cycles
		assign cycles_o = {CYCLE_BITS{1'b0}};
	end endgenerate

	generate if (WITH_INSNS) begin : g_insns
		reg  [INSN_BITS-1:0] insns_q;
		wire [INSN_BITS:0] next = {1'b0, insns_q} + {{INSN_BITS{1'b0}}, 1'b1};
		always @(posedge clk_i)
			if (rst_i)
				insns_q <= {INSN_BITS{1'b0}};
			else if (WITH_CONTEXT && info_write_i)
				insns_q <= wdata_i[RV_CUR_INFO_INSNS_LSB +: INSN_BITS];
			else if (latch_o || (take_i && begins))
				insns_q <= {{INSN_BITS-1{1'b0}}, take_i};
			else if (take_i && !next[INSN_BITS])
				insns_q <= next[INSN_BITS-1:0];
		assign insns_o = insns_q;
	end else begin : g_no_insns
		assign insns_o = {INSN_BITS{1'b0}};
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
