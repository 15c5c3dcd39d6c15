// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Which instructions are traced: privilege filter, address ranges (FIG. 10, 1010) and the freezing of trap handlers
// (docs/trace-unit.md section 4). Cost: nothing with all options off; WITH_FREEZE about 75 LUT4, WITH_HEAL 40 more, a range a few beside its bounds.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_scope #(
	parameter XLEN = 32,
	parameter RANGES = 0,                    // 0 to 4
	parameter [0:0] WITH_MODE = 0,
	parameter [0:0] WITH_FREEZE = 0,
	parameter [0:0] WITH_HEAL = 0,           // Requires: WITH_FREEZE. DEPTH heals where a handler does not return: section 4
	parameter [0:0] WITH_CHECK = 0           // the port is checked, and DEPTH heals: section 11
) (
	input  wire              clk_i,
	input  wire              rst_i,
	// stage S
	input  wire              s_valid_i,
	input  wire              s_trap_i,
	input  wire              s_intr_i,
	input  wire [1:0]        s_mode_i,
	input  wire [XLEN-1:0]   s_pc_i,
	input  wire [XLEN-1:0]   s_next_pc_i,    // where there are two instructions in this cycle, this and s_ret_i are of the second
	input  wire              s_lost_i,       // RETIRE 2: retirements before this one were dropped. Else 0
	input  wire              s_ret_i,        // a trap return that completed
	input  wire              s_ind_i,        // an indirect jump that completed
	input  wire              s_astray_i,     // an instruction that completed, and went where it cannot
	input  wire [31:0]       s_insn_i,       // WITH_HEAL: the instruction
	// controls
	input  wire              enable_i,       // tracing is on
	input  wire              handlers_i,
	input  wire [2:0]        limit_i,        // a handler without an end takes 8^limit_i instructions; 0: any number
	input  wire [3:0]        modes_i,
	input  wire [3:0]        range_en_i,
	input  wire              range_start_i,  // ranges are compared with start addresses alone
	input  wire [3:0]        lo_above_i,     // LO of each range is above the pc; late
	input  wire [3:0]        hi_above_i,     // HI is
	// register writes; XLEN 64 in two halves
	input  wire              resume_write_i,
	input  wire              resume_hi_write_i,
	input  wire              depth_write_i,
	input  wire              port_write_i,
	input  wire [31:0]       wdata_i,
	output wire [XLEN-1:0]   resume_o,
	output wire [3:0]        depth_o,
	output wire [15:0]       gaps_o,         // WITH_CHECK
	output wire [15:0]       heals_o,
	output wire              outside_o,      // the register
	// verdict on this cycle
	output wire              take_o,         // the instruction in S is traced: late
	output wire              skip_o,         // a trace that starts here makes no record: late
	output wire              gap_disc_o,     // discontinuity: the port breaks its promise
	output wire              trap_disc_o,    // discontinuity: trap or interrupt
	output wire              left_o,         // discontinuity: out of scope; late
	output wire              elsewhere_o,    // the outermost handler returns to another place
	output wire              counting_o,     // this cycle belongs to the current pair
	output wire              idle_o          // out of scope or off: the cycle count restarts
);
`include "rivulet_regs.vh"
	wire frozen;
	wire healed;                             // DEPTH could not be right
	wire gap;                                // this instruction does not follow the one before
	genvar r;
	generate if (WITH_CHECK) begin : g_check
		reg [XLEN-1:0] expect_q;
		reg        known_q, trapped_q;
		wire [XLEN-1:0]   differs = s_pc_i ^ expect_q;
		wire [XLEN/2-1:0] pairs;
		for (r = 0; r < XLEN/2; r = r + 1) begin : g_differs
			assign pairs[r] = differs[2*r] || differs[2*r+1];
		end
		wire [XLEN/2:0]   chain = {1'b0, pairs} + {1'b0, {XLEN/2{1'b1}}};
		assign gap = s_valid_i && known_q && !s_intr_i && (chain[XLEN/2] || trapped_q);
		reg [15:0] gaps_q, heals_q;
		wire [16:0] gaps_more = {1'b0, gaps_q} + 17'd1, heals_more = {1'b0, heals_q} + 17'd1;
		always @(posedge clk_i) begin
			if (s_valid_i) begin
				expect_q <= s_next_pc_i;
				trapped_q <= s_trap_i;
				known_q <= 1'b1;
			end
			if (port_write_i)
				gaps_q <= wdata_i[RV_PORT_GAPS_LSB +: RV_PORT_GAPS_W];
			else if ((gap || s_astray_i) && !gaps_more[16])
				gaps_q <= gaps_more[15:0];
			if (port_write_i)
				heals_q <= wdata_i[RV_PORT_HEALS_LSB +: RV_PORT_HEALS_W];
			else if (healed && !heals_more[16])
				heals_q <= heals_more[15:0];
			if (rst_i) begin
				expect_q <= {XLEN{1'b0}};
				{known_q, trapped_q} <= 2'b00;
				{gaps_q, heals_q} <= 32'd0;
			end
		end
		assign gaps_o = gaps_q;
		assign heals_o = heals_q;
	end else begin : g_no_check
		assign gap = s_valid_i && s_lost_i;
		assign gaps_o = 16'd0;
		assign heals_o = 16'd0;
	end endgenerate
	generate if (WITH_FREEZE) begin : g_freeze
		reg [XLEN-1:0] resume_q, resume_d;
		wire [63:0] resume_old = {{64-XLEN{1'b0}}, resume_q};
		wire [63:0] resume_new = resume_hi_write_i ? {wdata_i, resume_old[31:0]} : {resume_old[63:32], wdata_i};
		reg [3:0] depth_q;
		wire       freezing = !handlers_i;
		wire       enter = s_valid_i && s_intr_i;
		wire       lower;                        // a handler below the mode in which it began
		wire       unknown;                      // the program goes on by an instruction that is no trap return, or must have
		wire       reset_depth;                  // this instruction belongs to the program
		// A handler is counted in the cycle of its first instruction, unless DEPTH is 15; if that instruction is its return, DEPTH stays as it was.
		wire       top = depth_q == 4'd15;
		wire       in_handler = (depth_q != 4'd0 || enter) && !reset_depth;
		wire       leave = s_ret_i && in_handler;
		wire       up = enter && !top;
		wire [3:0] depth_next = depth_q + {{3{leave && !up}}, leave != up};
		wire       last = depth_q[3:1] == 3'd0 && depth_q[0] != enter;
		assign frozen = freezing && in_handler;
		assign trap_disc_o = (s_valid_i && (freezing ? s_intr_i && top : s_trap_i || s_intr_i)) || (!WITH_CHECK && lower);
		// Two bits a gate; what is not equal carries to the end of a chain.
		wire [XLEN-1:0]   differs = s_next_pc_i ^ resume_q;
		wire [XLEN/2-1:0] pairs;
		for (r = 0; r < XLEN/2; r = r + 1) begin : g_differs
			assign pairs[r] = differs[2*r] || differs[2*r+1];
		end
		wire [XLEN/2:0]   chain = {1'b0, pairs} + {1'b0, {XLEN/2{1'b1}}};
		assign elsewhere_o = (freezing && leave && last && chain[XLEN/2]) || unknown;
		always @* begin
			resume_d = resume_q;
			if (s_valid_i && !frozen)
				resume_d = s_trap_i ? s_pc_i : s_next_pc_i;
			if (resume_write_i || resume_hi_write_i)
				resume_d = resume_new[XLEN-1:0];
		end
		always @(posedge clk_i) begin
			resume_q <= rst_i ? {XLEN{1'b0}} : resume_d;
			if (rst_i)
				depth_q <= 4'd0;
			else if (depth_write_i)
				depth_q <= wdata_i[RV_DEPTH_DEPTH_LSB +: RV_DEPTH_DEPTH_W];
			else if (freezing)
				depth_q <= reset_depth || unknown ? 4'd0 : depth_next;
		end
		assign resume_o = resume_q;
		assign depth_o = depth_q;
		// The handler sets the address of handlers anew, as code does that expects a trap and goes on behind it; or it has no end.
		wire astray_handler;
		if (WITH_HEAL) begin : g_endless
			// A write of mtvec or stvec, 0x305 and 0x105: CSRRW(I), or CSRRS(I) and CSRRC(I) with bits to set or clear
			wire csr_write = s_insn_i[6:0] == 7'h73 && s_insn_i[13:12] != 2'b00 && !(s_insn_i[13] && s_insn_i[19:15] == 5'd0);
			wire vector = csr_write && s_insn_i[31:30] == 2'b00 && s_insn_i[28:20] == 9'h105;
			// instructions of handlers since the last one began or returned
			reg  [21:0] since_q;
			wire [7:0]  reached = {since_q[21], since_q[18], since_q[15], since_q[12], since_q[9], since_q[6], since_q[3], 1'b0};
			always @(posedge clk_i)
				if (rst_i || !frozen || enter || leave)
					since_q <= 22'd0;
				else if (s_valid_i)
					since_q <= since_q + 22'd1;
			assign astray_handler = (s_valid_i && !s_trap_i && !s_ret_i && vector) || (s_valid_i && !enter && reached[limit_i] && !s_ret_i);
		end else begin : g_no_endless
			assign astray_handler = 1'b0;
		end
		if (WITH_CHECK || WITH_HEAL) begin : g_heal
			reg [1:0] hmode_q;
			always @(posedge clk_i)
				if (rst_i)
					hmode_q <= 2'd0;
				else if (enter && depth_q == 4'd0)
					hmode_q <= s_mode_i;
			assign lower = freezing && s_valid_i && depth_q != 4'd0 && !s_intr_i && s_mode_i < hmode_q;
			assign reset_depth = freezing && (gap || lower ? depth_q != 4'd0 : enter && top);
			assign unknown = frozen && ((WITH_CHECK && (s_astray_i || s_ind_i) && !chain[XLEN/2]) || astray_handler);
		end else begin : g_no_heal
			assign lower = 1'b0;
			assign reset_depth = freezing && gap && !enter && depth_q != 4'd0;
			assign unknown = 1'b0;
		end
		assign healed = reset_depth || unknown;
		assign gap_disc_o = gap || (WITH_CHECK && lower);
	end else begin : g_no_freeze
		assign healed = 1'b0;
		assign gap_disc_o = gap;
		assign frozen = 1'b0;
		assign trap_disc_o = s_valid_i && (s_trap_i || s_intr_i);
		assign elsewhere_o = 1'b0;
		assign resume_o = {XLEN{1'b0}};
		assign depth_o = 4'd0;
	end endgenerate

	// The comparisons are the latest signals, so each of the two verdicts is one gate behind them; all else that the verdicts need is ready before.
	wire [3:0] hit = range_en_i & ~lo_above_i & hi_above_i;
	wire with_range = RANGES > 0 && range_en_i != 4'b0;
	wire any_range = with_range && !range_start_i;
	assign skip_o = with_range && range_start_i && hit == 4'b0;
	wire mode = !WITH_MODE || modes_i[s_mode_i];
	wire completed = s_valid_i && !s_trap_i && !frozen;
	wire may_take = completed && enable_i && mode;
	wire mode_left = completed && !mode, may_leave = completed && any_range;
	assign take_o = may_take && (!any_range || hit != 4'b0);
	assign left_o = mode_left || (may_leave && hit == 4'b0);

	reg outside_q;
	wire outside = left_o || (!completed && outside_q);
	always @(posedge clk_i)
		outside_q <= !rst_i && outside;
	assign outside_o = outside_q;
	assign counting_o = enable_i && !frozen && !outside;
	assign idle_o = !enable_i || outside;
endmodule
// verilator lint_restore
`default_nettype wire
