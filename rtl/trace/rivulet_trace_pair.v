// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The current pair (FIG. 5, 560 and 580) and its control unit (FIG. 6, 540): SHIFT, FIRST LOAD, SECOND LOAD, FULL
// (docs/trace-unit.md sections 5 and 6). Cost: about 20 LUT4 whatever HIST and XLEN are; WITH_CYCLES and WITH_INSNS one LUT4 per
// counter bit; WITH_CONTEXT one LUT4 per bit of the pair; WITH_NEXT_PC a LUT4 and a flip-flop per bit of an address; TWO a LUT4 per bit of
// an address and two per bit of the history.
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
	parameter [0:0] WITH_NEXT_PC = 0,        // FIRST LOAD comes with SECOND LOAD, from NEXT PC ([0059]). Requires: no WITH_CONTEXT
	parameter [0:0] TWO = 0                  // two instructions in a cycle. Requires: no WITH_RANGE_START
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
	// TWO: the instruction behind it, of which the scope says the same; the first is no trap return. Else 0
	input  wire                  more_i,
	input  wire [XLEN-1:0]       more_pc_i,
	input  wire [XLEN-1:0]       more_next_pc_i,
	input  wire                  more_br_i,
	input  wire                  more_outcome_i,
	input  wire                  more_back_i,
	input  wire                  more_ind_i,
	input  wire                  more_ret_i,
	output wire                  both_o,     // it is served in this cycle too
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
	output wire                  end_o,      // the reason of a record is this one, not that of a discontinuity
	output wire [3:0]            end_reason_o,
	output wire [XLEN-1:0]       start_o,
	output wire [HIST-1:0]       hist_o,     // 0: there is none; 1 without valid_o: NEXT PC is loaded
	output wire [CYCLE_BITS-1:0] cycles_o,
	output wire [INSN_BITS-1:0]  insns_o,
	output wire                  skip_o,     // it makes no record
	// SECOND LOAD: the pair above, with this reason, is a record now, unless skip_o
	output wire                  latch_o,
	output wire [3:0]            latch_reason_o,
	output wire [HIST-1:0]       latch_hist_o,   // the pair's, but for TWO: a trace that the first of two ends has that one in it
	output wire [INSN_BITS-1:0]  latch_insns_o
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

	wire ends_backward = s_back_i && !(WITH_TERM && no_backward_i);
	wire ends_indirect = s_ind_i && !(WITH_TERM && no_indirect_i);
	wire ends_full = s_br_i && hist_q[HIST-2] && !begins;
	wire ends = s_astray_i || ends_backward || ends_indirect || s_ret_i || ends_full;

	// Two in a cycle: the first is taken as ever. Where it ends a trace that goes on, the record leaves in this cycle, with that instruction in it,
	// and the second one begins the next trace. So no cycle makes two records: where the first begins a trace and ends it, the second waits.
	//
	//     pair (valid)   first     second         record now       pair behind
	//     goes on        plain     any            -                start of before, shifted by both
	//     goes on        ends      any            pair + first     start of the second, shifted by it
	//     ended, none    plain     any            pair, or none    start of the first, shifted by both
	//     ended, none    ends      waits          pair, or none    start of the first, shifted by it
	wire both, handover, more_shift, more_ends, more_backward;
	generate if (TWO) begin : g_both
		wire more_indirect = more_ind_i && !(WITH_TERM && no_indirect_i);
		wire more_full = more_br_i && !begins && !ends && (s_br_i ? hist_q[HIST-3] : hist_q[HIST-2]);
		assign more_backward = more_back_i && !(WITH_TERM && no_backward_i);
		assign both = more_i && !(take_i && begins && ends);
		assign handover = both && take_i && ends;
		assign more_shift = both && take_i && more_br_i;
		assign more_ends = more_backward || more_indirect || more_ret_i || more_full;
	end else begin : g_no_both
		assign {both, handover, more_shift, more_ends, more_backward} = 5'd0;
	end endgenerate
	assign both_o = both;
	assign latch_o = (valid_q && (ended || left_i)) || handover;

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
				next_pc_q <= both ? more_next_pc_i : s_next_pc_i;
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
	wire            clears, shifts, shifts2, low_changes, marker2;
	wire [HIST-1:2] upper;
	wire [1:0]      low;
	generate if (TWO) begin : g_shift2
		// of two: the marker and up to two outcomes where it is fresh, else up to two more outcomes, or the marker and the second's
		wire [1:0] low0 = fresh ? {1'b0, take_i || waits} : hist_q[1:0];
		wire [1:0] low1 = shift ? {low0[0], s_outcome_i} : low0;
		wire [1:0] from = handover ? 2'b01 : low1;
		assign clears = fresh || handover;
		assign shifts = shift || more_shift;
		assign shifts2 = shift && more_shift;
		assign upper = shifts2 ? hist_q[HIST-3:0] : hist_q[HIST-2:1];
		assign low_changes = 1'b1;
		assign low = more_shift ? {from[0], more_outcome_i} : from;
		assign marker2 = fresh && shifts2;
	end else begin : g_shift
		assign clears = fresh;
		assign shifts = shift;
		assign shifts2 = 1'b0;
		assign upper = hist_q[HIST-2:1];
		assign low_changes = fresh || shift;
		assign low = {fresh ? shift : hist_q[0], shift ? s_outcome_i : take_i || waits};
		assign marker2 = 1'b0;
	end endgenerate
	always @(posedge clk_i) begin
		if (hist_any_write)
			hist_q[HIST-1:2] <= hist_new[HIST-1:2];
		else if (rst_i || clears)
			hist_q[HIST-1:2] <= {{HIST-3{1'b0}}, marker2};
		else if (shifts)
			hist_q[HIST-1:2] <= upper;
		if (hist_any_write)
			hist_q[1:0] <= hist_new[1:0];
		else if (low_changes)
			hist_q[1:0] <= low;
		if (start_any_write)
			start_q <= start_new[XLEN-1:0];
		else if (first_load || handover)
			start_q <= handover ? more_pc_i : s_pc_i;
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
			end_q <= take_i ? (both ? more_ends : ends) : elsewhere_i && !begins;
		if (rst_i) begin
			start_q <= {XLEN{1'b0}};
			hist_q <= {HIST{1'b0}};
			valid_q <= 1'b0;
			end_q <= 1'b0;
		end
	end
	assign valid_o = valid_q;
	assign end_o = end_q || handover;
	assign start_o = start_q;
	assign hist_o = hist_q;
	assign latch_hist_o = handover && s_br_i ? {hist_q[HIST-2:0], s_outcome_i} : hist_q;

	generate if (WITH_REASON) begin : g_reason
		reg [3:0] reason_q;                  // has a meaning only with end_q
		wire [3:0] own = !take_i ? RV_REASON_TRAP : s_astray_i ? RV_REASON_GAP : ends_backward ? RV_REASON_BACKWARD :
			ends_indirect ? RV_REASON_INDIRECT : s_ret_i ? RV_REASON_XRET : RV_REASON_FULL;
		wire [3:0] more_own = more_backward ? RV_REASON_BACKWARD : more_ind_i && !(WITH_TERM && no_indirect_i) ? RV_REASON_INDIRECT :
			more_ret_i ? RV_REASON_XRET : RV_REASON_FULL;
		always @(posedge clk_i)
			if (hist_any_write)
				reason_q <= RV_REASON_FULL;
			else
				reason_q <= take_i && both ? more_own : own;
		assign end_reason_o = handover ? own : reason_q;
		assign latch_reason_o = handover ? own : end_q ? reason_q : !enable_i ? RV_REASON_OFF : gap_disc_i ? RV_REASON_GAP :
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
		wire [INSN_BITS:0] next2;            // of two
		if (TWO) begin : g_next2
			assign next2 = {1'b0, insns_q} + {{INSN_BITS-1{1'b0}}, 2'd2};
			assign latch_insns_o = handover && !next[INSN_BITS] ? next[INSN_BITS-1:0] : insns_q;
		end else begin : g_next1
			assign next2 = next;
			assign latch_insns_o = insns_q;
		end
		always @(posedge clk_i)
			if (rst_i)
				insns_q <= {INSN_BITS{1'b0}};
			else if (WITH_CONTEXT && info_write_i)
				insns_q <= wdata_i[RV_CUR_INFO_INSNS_LSB +: INSN_BITS];
			else if (latch_o || (take_i && begins))
				insns_q <= {{INSN_BITS-2{1'b0}}, take_i && both && !handover, take_i && !(both && !handover)};
			else if (take_i && both)
				insns_q <= next2[INSN_BITS] ? {INSN_BITS{1'b1}} : next2[INSN_BITS-1:0];
			else if (take_i && !next[INSN_BITS])
				insns_q <= next[INSN_BITS-1:0];
		assign insns_o = insns_q;
	end else begin : g_no_insns
		assign insns_o = {INSN_BITS{1'b0}};
		assign latch_insns_o = {INSN_BITS{1'b0}};
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
