// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The trace unit: remembers each path as a start address and one bit per conditional branch. docs/trace-unit.md is its manual;
// docs/trace-unit-cost.md says what each parameter costs. With the defaults below it is exactly FIG. 5 and FIG. 6 of TSH.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
`ifndef RIVULET_TRACE_BOUND
`define RIVULET_TRACE_BOUND rivulet_trace_bound
`endif
module rivulet_trace #(
	parameter XLEN = 32,                     // 32, 64
	parameter HIST = 8,                      // 8 to 64
	parameter FIFO_DEPTH = 0,                // 0, or a power of two from 2 to 1024
	parameter RANGES = 0,                    // 0 to 4
	// Options are 0 or 1. They have no type, so that rivulet_trace_legal sees a 2, which one bit would make a 0.
	parameter WITH_REASON = 0,
	parameter WITH_CYCLES = 0,
	parameter CYCLE_BITS = 16,               // 8 to 32
	parameter WITH_INSNS = 0,
	parameter INSN_BITS = 16,                // 8 to 16
	parameter WITH_REPEAT = 0,               // Requires: WITH_REASON
	parameter REPEAT_BITS = 8,               // 2 to 8
	parameter WITH_SAMPLE = 0,
	parameter SAMPLE_BITS = 24,              // 8 to 32
	parameter WITH_DITHER = 0,               // Requires: WITH_SAMPLE
	parameter WITH_MODE = 0,
	parameter WITH_FREEZE = 0,
	parameter WITH_HEAL = 0,                 // Requires: WITH_FREEZE
	parameter WITH_LOST = 0,
	parameter WITH_LIFO = 0,                 // Requires: FIFO_DEPTH > 0
	parameter WITH_CONTEXT = 0,
	parameter WITH_TERM = 0,
	parameter WITH_RANGE_START = 0,          // Requires: RANGES > 0
	parameter WITH_NEXT_PC = 0,              // Requires: no WITH_CONTEXT
	parameter WITH_ZCMP = 0,                 // Requires: a core without C and D together
	parameter [31:0] RET_MATCH = 32'd0,      // a further trap return: (insn & RET_MASK) == RET_MATCH
	parameter [31:0] RET_MASK = 32'd0,       // 0: there is none
	parameter TABLE_ENTRIES = 0,             // 0, or a power of two from 64 to 4096; Requires: WITH_REASON, FIFO_DEPTH >= 4
	parameter TABLE_WAYS = 4,                // 1, 2, 4
	parameter TABLE_COUNT_BITS = 24,         // 8 to 32
	parameter TABLE_CYCLE_BITS = 32,         // CYCLE_BITS to 32
	parameter TABLE_CONTEXT_BITS = 0,        // 0 to 8
	parameter TABLE_RATE = 0,                // 0, 1. Requires: WITH_DITHER, and 7 bits more for counts and sums than a record has
	parameter TABLE_INDEX = 0,               // 0, 1
	parameter WITH_RECORDER = 0,             // Requires: FIFO_DEPTH > 0
	parameter WITH_SINK = 0,                 // Requires: FIFO_DEPTH > 0, no WITH_RECORDER
	parameter SINK_BITS = 20,                // 8 to 28
	parameter WITH_CHECK = 0,                // shorter records where the port breaks its promise, never wrong ones
	parameter RETIRE = 1                     // 1, 2: retirements a cycle. 2 requires: no RANGES, WITH_HEAL, WITH_RECORDER, WITH_CHECK
) (
	input  wire             clk_i,
	input  wire             rst_i,           // synchronous
	// Retire port, RVFI meanings. Registered here before anything else. RETIRE 2: two slots, the older one in the low half; the other is valid with
	// it only
	input  wire [RETIRE-1:0]      retire_valid_i,
	input  wire [32*RETIRE-1:0]   retire_insn_i,
	input  wire [XLEN*RETIRE-1:0] retire_pc_i,
	input  wire [XLEN*RETIRE-1:0] retire_next_pc_i,
	input  wire [RETIRE-1:0]      retire_trap_i,
	input  wire [RETIRE-1:0]      retire_intr_i,
	input  wire [2*RETIRE-1:0]    retire_mode_i,
	// RETIRE 2, else 1 and 0. Behind a cycle in which ready is 0 nothing may retire: then lost is never 1. Where it is, retirements are dropped, and the
	// trace ends there
	output wire             retire_ready_o,
	output wire             retire_lost_o,
	// WITH_RECORDER, else anything: of the trap whose handler begins with this instruction (retire_intr_i): mcause, its top bit and its low five
	input  wire [5:0]       retire_cause_i,
	// Level: 1 holds tracing off, as CTRL.ENABLE = 0 does: external trigger, debug mode. 0 if there is none: then it costs nothing
	input  wire             stop_i,
	// WITH_RECORDER, else anything. Level, registered: 1 freezes the ring, if RECORDER.PIN is set
	input  wire             freeze_i,
	// With rst_i: the power was off, so the ring holds nothing. A reset without it leaves a frozen ring as it is
	input  wire             power_on_i,
	// Register bus: reg_rdata_o in a cycle is the register of reg_index_i in the cycle before; a write takes effect at the end of its cycle
	input  wire             reg_write_i,
	input  wire [5:0]       reg_index_i,
	input  wire [31:0]      reg_wdata_i,
	output wire [31:0]      reg_rdata_o,
	output reg              irq_o,           // level
	output wire             tracing_o,       // level: this cycle belongs to a trace, or to the next one; for an external trigger or a pin
	// Record port: every pushed record, in the cycle of its push
	output wire             rec_valid_o,
	output wire [XLEN-1:0]  rec_start_o,
	output wire [HIST-1:0]  rec_hist_o,
	output wire [3:0]       rec_reason_o,
	output wire [31:0]      rec_repeat_o,
	output wire [31:0]      rec_cycles_o,
	output wire [15:0]      rec_insns_o,
	// WITH_SINK: a word to memory, valid until ready; else never valid
	output wire             sink_valid_o,
	output wire [XLEN-1:0]  sink_addr_o,     // of bytes; a multiple of 4
	output wire [31:0]      sink_wdata_o,
	input  wire             sink_ready_i
);
	localparam COUNT_BITS = FIFO_DEPTH > 0 ? $clog2(FIFO_DEPTH) + 1 : 1;
`include "rivulet_regs.vh"
`include "rivulet_reg_bits.vh"

	// ---------------------------------------------------------------- stage S
	wire            s_valid, s_trap, s_intr, s_stop, s_lost;
	wire [1:0]      s_mode;
	wire [31:0]     s_insn;
	wire [XLEN-1:0] s_pc, s_next_pc;
	wire            s_br, s_outcome, s_back, s_ind, s_ret, s_astray;
	// RETIRE 2: the instruction behind it, and whether it is served too
	wire            more, both, more_br, more_outcome, more_back, more_ind, more_ret;
	wire [XLEN-1:0] more_pc, more_next_pc;
	reg  [3:0]      modes_q;
	reg             s_freeze_q;
	reg  [5:0]      s_cause_q;
	always @(posedge clk_i) begin
		s_freeze_q <= WITH_RECORDER != 0 && freeze_i && !rst_i;
		s_cause_q <= WITH_RECORDER != 0 ? retire_cause_i : 6'd0;
	end
	// The range comparison needs the pc inverted, and nothing inverts in front of a carry chain. With WITH_CONTEXT all else that reads it has a gate
	// of its own, so it is kept inverted.
	localparam [0:0] INVERTED = RANGES > 0 && WITH_CONTEXT;
	generate if (RETIRE == 2) begin : g_two
		rivulet_trace_slots #(
			.XLEN(XLEN),
			.WITH_MODE(WITH_MODE),
			.WITH_ZCMP(WITH_ZCMP),
			.RET_MATCH(RET_MATCH),
			.RET_MASK(RET_MASK)
		) slots (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.retire_valid_i(retire_valid_i),
			.retire_insn_i(retire_insn_i),
			.retire_pc_i(retire_pc_i),
			.retire_next_pc_i(retire_next_pc_i),
			.retire_trap_i(retire_trap_i),
			.retire_intr_i(retire_intr_i),
			.retire_mode_i(retire_mode_i),
			.stop_i(stop_i),
			.ready_o(retire_ready_o),
			.lost_o(retire_lost_o),
			.modes_i(modes_q),
			.both_i(both),
			.valid_o(s_valid),
			.stop_o(s_stop),
			.gap_o(s_lost),
			.trap_o(s_trap),
			.intr_o(s_intr),
			.mode_o(s_mode),
			.pc_o(s_pc),
			.next_pc_o(s_next_pc),
			.br_o(s_br),
			.outcome_o(s_outcome),
			.back_o(s_back),
			.ind_o(s_ind),
			.ret_o(s_ret),
			.more_o(more),
			.more_pc_o(more_pc),
			.more_next_pc_o(more_next_pc),
			.more_br_o(more_br),
			.more_outcome_o(more_outcome),
			.more_back_o(more_back),
			.more_ind_o(more_ind),
			.more_ret_o(more_ret)
		);
		assign s_insn = 32'd0;               // the decoders are in front of what waits
		assign s_astray = 1'b0;
	end else begin : g_one
		reg            s_valid_q, s_trap_q, s_intr_q, s_stop_q;
		reg [1:0]      s_mode_q;
		reg [31:0]     s_insn_q;
		reg [XLEN-1:0] s_pc_q, s_next_pc_q;
		always @(posedge clk_i) begin
			s_valid_q <= retire_valid_i && !rst_i;
			s_stop_q <= stop_i && !rst_i;
			s_trap_q <= retire_trap_i;
			s_intr_q <= retire_intr_i;
			s_mode_q <= retire_mode_i;
			s_insn_q <= retire_insn_i;
			s_pc_q <= retire_pc_i ^ {XLEN{INVERTED}};
			s_next_pc_q <= retire_next_pc_i;
		end
		assign {s_valid, s_trap, s_intr, s_stop, s_mode} = {s_valid_q, s_trap_q, s_intr_q, s_stop_q, s_mode_q};
		assign s_insn = s_insn_q;
		assign s_pc = s_pc_q ^ {XLEN{INVERTED}};
		assign s_next_pc = s_next_pc_q;
		assign s_lost = 1'b0;
		assign {more, more_br, more_outcome, more_back, more_ind, more_ret} = 6'd0;
		assign more_pc = {XLEN{1'b0}};
		assign more_next_pc = {XLEN{1'b0}};
		assign retire_ready_o = 1'b1;
		assign retire_lost_o = 1'b0;
		rivulet_branch_decoder #(
			.XLEN(XLEN),
			.WITH_ZCMP(WITH_ZCMP),
			.WITH_CHECK(WITH_CHECK),
			.RET_MATCH(RET_MATCH),
			.RET_MASK(RET_MASK)
		) branch_decoder (
			.insn_i(s_insn),
			.pc_i(s_pc),
			.next_pc_i(s_next_pc),
			.br_o(s_br),
			.outcome_o(s_outcome),
			.back_o(s_back),
			.ind_o(s_ind),
			.ret_o(s_ret),
			.astray_o(s_astray)
		);
	end endgenerate

	// ---------------------------------------------------------------- control registers
	reg        enable_q, no_backward_q, no_indirect_q, handlers_q, repeat_q, sample_q, lifo_q, range_start_q, table_q, ring_q, status_sample_q;
	reg [4:0]  ie_q;
	reg [3:0]  range_en_q;
	reg [COUNT_BITS-1:0] watermark_q;
	wire [63:0] write;                     // by register index: written in this cycle
	wire [2:0]  limit;
	wire [31:0] lost;
	wire        sample_now, sample_due, readable, full;
	wire        sink_owns, sink_irq;           // the buffer is the sink's
	wire [10:0] count;
	// WATERMARK - COUNT - 1 carries out if COUNT has not reached it: the buffer has the inverted count.
	wire [COUNT_BITS:0] below = {1'b0, watermark_q} + {1'b0, ~count[COUNT_BITS-1:0]};
	wire        watermark_reached = watermark_q != {COUNT_BITS{1'b0}} && !below[COUNT_BITS] && !sink_owns;
	wire [31:0] read_count = {21'd0, count}, read_watermark = {{32-COUNT_BITS{1'b0}}, watermark_q};
	wire        cur_valid;
	wire        newest_first = lifo_q && !sink_owns;
	wire        frozen, sealed, keep;          // the flight recorder's: tracing is held off, the buffer is shut, a reset leaves it
	wire        on = enable_q && !s_stop && !frozen;
	// A field in its place; several are put together by OR.
	function [31:0] at(input [31:0] value, input integer lsb);
		at = value << lsb;
	endfunction
	wire [31:0] read_status = at({31'd0, readable && !sink_owns}, RV_STATUS_NONEMPTY_LSB) | at({31'd0, watermark_reached}, RV_STATUS_WATERMARK_LSB) |
		at({31'd0, full}, RV_STATUS_FULL_LSB) | at({31'd0, status_sample_q}, RV_STATUS_SAMPLE_LSB) |
		at({31'd0, lost != 32'd0}, RV_STATUS_LOST_LSB) | at({31'd0, s_stop}, RV_STATUS_STOPPED_LSB) |
		at({31'd0, frozen}, RV_STATUS_FROZEN_LSB) | at({31'd0, cur_valid}, RV_STATUS_CUR_VALID_LSB);
	wire [31:0] read_ctrl = at({31'd0, enable_q}, RV_CTRL_ENABLE_LSB) | at({31'd0, no_backward_q}, RV_CTRL_NO_BACKWARD_LSB) |
		at({31'd0, no_indirect_q}, RV_CTRL_NO_INDIRECT_LSB) | at({31'd0, handlers_q}, RV_CTRL_HANDLERS_LSB) |
		at({31'd0, repeat_q}, RV_CTRL_REPEAT_LSB) | at({31'd0, sample_q}, RV_CTRL_SAMPLE_LSB) | at({31'd0, lifo_q}, RV_CTRL_LIFO_LSB) |
		at({31'd0, range_start_q}, RV_CTRL_RANGE_START_LSB) | at({31'd0, table_q}, RV_CTRL_TABLE_LSB) | at({31'd0, ring_q}, RV_CTRL_RING_LSB) |
		at({27'd0, ie_q}, RV_CTRL_IE_LSB) | at({28'd0, modes_q}, RV_CTRL_MODES_LSB) | at({28'd0, range_en_q}, RV_CTRL_RANGE_EN_LSB) |
		at({29'd0, limit}, RV_CTRL_LIMIT_LSB);
	// A register that was not built in gets no write strobe.
	wire [31:0] ctrl_wdata = reg_wdata_i & RV_BITS_CTRL;
	generate if (WITH_HEAL) begin : g_limit
		reg [2:0] limit_q;
		always @(posedge clk_i)
			if (rst_i)
				limit_q <= 3'd0;
			else if (write[RV_REG_CTRL])
				limit_q <= ctrl_wdata[RV_CTRL_LIMIT_LSB +: RV_CTRL_LIMIT_W];
		assign limit = limit_q;
	end else begin : g_no_limit
		assign limit = 3'd0;
	end endgenerate
	always @(posedge clk_i) begin
		if (write[RV_REG_CTRL]) begin
			enable_q <= ctrl_wdata[RV_CTRL_ENABLE_LSB];
			no_backward_q <= ctrl_wdata[RV_CTRL_NO_BACKWARD_LSB];
			no_indirect_q <= ctrl_wdata[RV_CTRL_NO_INDIRECT_LSB];
			handlers_q <= ctrl_wdata[RV_CTRL_HANDLERS_LSB];
			repeat_q <= ctrl_wdata[RV_CTRL_REPEAT_LSB];
			sample_q <= ctrl_wdata[RV_CTRL_SAMPLE_LSB];
			lifo_q <= ctrl_wdata[RV_CTRL_LIFO_LSB];
			range_start_q <= ctrl_wdata[RV_CTRL_RANGE_START_LSB];
			table_q <= ctrl_wdata[RV_CTRL_TABLE_LSB];
			ring_q <= ctrl_wdata[RV_CTRL_RING_LSB];
			ie_q <= ctrl_wdata[RV_CTRL_IE_LSB +: RV_CTRL_IE_W];
			modes_q <= WITH_MODE ? ctrl_wdata[RV_CTRL_MODES_LSB +: RV_CTRL_MODES_W] : 4'hF;
			range_en_q <= ctrl_wdata[RV_CTRL_RANGE_EN_LSB +: RV_CTRL_RANGE_EN_W];
		end
		if (FIFO_DEPTH > 0 && write[RV_REG_WATERMARK])
			watermark_q <= reg_wdata_i[COUNT_BITS-1:0];
		if (write[RV_REG_STATUS] && reg_wdata_i[RV_STATUS_SAMPLE_LSB])
			status_sample_q <= 1'b0;
		else if (sample_now)
			status_sample_q <= 1'b1;
		irq_o <= !rst_i && ((read_status[RV_CTRL_IE_W-1:0] & ie_q) != 5'd0 || sink_irq);
		if (rst_i) begin
			{enable_q, no_backward_q, no_indirect_q, handlers_q, repeat_q, sample_q, lifo_q, range_start_q, table_q, ring_q, status_sample_q} <= 11'd0;
			ie_q <= 5'd0;
			modes_q <= 4'hF;
			range_en_q <= 4'h0;
			watermark_q <= {COUNT_BITS{1'b0}};
		end
	end

	wire [3:0] lo_above, hi_above;         // of each range: LO is above the pc, HI is
	wire [127:0] range_words [0:3];        // of each range, in the order of the register table: LO, LO_HI, HI, HI_HI
	genvar r;
	generate for (r = 0; r < 4; r = r + 1) begin : g_range
		if (r < RANGES) begin : g_on
			localparam FIRST = RV_REG_RANGE0_LO + 4 * r;
			wire [XLEN-1:0] range_lo, range_hi;
			`RIVULET_TRACE_BOUND #(.XLEN(XLEN)) lo (
				.clk_i(clk_i),
				.rst_i(rst_i),
				.write_i(write[FIRST]),
				.write_hi_i(write[FIRST+1]),
				.wdata_i(reg_wdata_i),
				.not_pc_i(~s_pc),
				.bound_o(range_lo),
				.above_o(lo_above[r])
			);
			`RIVULET_TRACE_BOUND #(.XLEN(XLEN)) hi (
				.clk_i(clk_i),
				.rst_i(rst_i),
				.write_i(write[FIRST+2]),
				.write_hi_i(write[FIRST+3]),
				.wdata_i(reg_wdata_i),
				.not_pc_i(~s_pc),
				.bound_o(range_hi),
				.above_o(hi_above[r])
			);
			assign range_words[r] = {{64-XLEN{1'b0}}, range_hi, {64-XLEN{1'b0}}, range_lo};
		end else begin : g_off
			assign lo_above[r] = 1'b0;
			assign hi_above[r] = 1'b0;
			assign range_words[r] = 128'd0;
		end
	end endgenerate

	// ---------------------------------------------------------------- scope and current pair
	wire take, skip_start, gap_disc, trap_disc, left, elsewhere, counting, idle, outside;
	wire [XLEN-1:0] resume;
	wire [3:0] depth;
	wire [15:0] gaps, heals;
	wire s_completed = s_valid && !s_trap;
	rivulet_trace_scope #(
		.XLEN(XLEN),
		.RANGES(RANGES),
		.WITH_MODE(WITH_MODE),
		.WITH_FREEZE(WITH_FREEZE),
		.WITH_HEAL(WITH_HEAL),
		.WITH_CHECK(WITH_CHECK)
	) scope (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.s_valid_i(s_valid),
		.s_trap_i(s_trap),
		.s_intr_i(s_intr),
		.s_mode_i(s_mode),
		.s_pc_i(s_pc),
		.s_next_pc_i(both ? more_next_pc : s_next_pc),
		.s_lost_i(s_lost),
		.s_ret_i(s_completed && (both ? more_ret : s_ret)),
		.s_ind_i(s_completed && s_ind),
		.s_astray_i(s_completed && s_astray),
		.s_insn_i(s_insn),
		.enable_i(on),
		.handlers_i(handlers_q),
		.limit_i(limit),
		.modes_i(modes_q),
		.range_en_i(range_en_q),
		.range_start_i(range_start_q),
		.lo_above_i(lo_above),
		.hi_above_i(hi_above),
		.resume_write_i(WITH_CONTEXT && write[RV_REG_RESUME]),
		.resume_hi_write_i(WITH_CONTEXT && XLEN == 64 && write[RV_REG_RESUME_HI]),
		.depth_write_i(WITH_CONTEXT && write[RV_REG_DEPTH]),
		.port_write_i(write[RV_REG_PORT]),
		.wdata_i(reg_wdata_i),
		.resume_o(resume),
		.depth_o(depth),
		.gaps_o(gaps),
		.heals_o(heals),
		.outside_o(outside),
		.take_o(take),
		.skip_o(skip_start),
		.gap_disc_o(gap_disc),
		.trap_disc_o(trap_disc),
		.left_o(left),
		.elsewhere_o(elsewhere),
		.counting_o(counting),
		.idle_o(idle)
	);

	wire                  cur_end, skip, second_load;
	wire [3:0]            cur_end_reason, latch_reason;
	wire [XLEN-1:0]       cur_start;
	wire [HIST-1:0]       cur_hist, latch_hist;
	wire [CYCLE_BITS-1:0] cur_cycles;
	wire [INSN_BITS-1:0]  cur_insns, latch_insns;
	wire                  latch = second_load && !skip;      // there is a record
	rivulet_trace_pair #(
		.XLEN(XLEN),
		.HIST(HIST),
		.WITH_REASON(WITH_REASON),
		.WITH_CYCLES(WITH_CYCLES),
		.CYCLE_BITS(CYCLE_BITS),
		.WITH_INSNS(WITH_INSNS),
		.INSN_BITS(INSN_BITS),
		.WITH_CONTEXT(WITH_CONTEXT),
		.WITH_TERM(WITH_TERM),
		.WITH_RANGE_START(WITH_RANGE_START),
		.WITH_NEXT_PC(WITH_NEXT_PC),
		.TWO(RETIRE == 2)
	) pair (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.s_pc_i(s_pc),
		.s_next_pc_i(s_next_pc),
		.s_br_i(s_br),
		.s_outcome_i(s_outcome),
		.s_back_i(s_back),
		.s_ind_i(s_ind),
		.s_ret_i(s_ret),
		.s_astray_i(s_astray),
		.more_i(more),
		.more_pc_i(more_pc),
		.more_next_pc_i(more_next_pc),
		.more_br_i(more_br),
		.more_outcome_i(more_outcome),
		.more_back_i(more_back),
		.more_ind_i(more_ind),
		.more_ret_i(more_ret),
		.both_o(both),
		.take_i(take),
		.skip_i(skip_start),
		.gap_disc_i(gap_disc),
		.trap_disc_i(trap_disc),
		.left_i(left),
		.elsewhere_i(elsewhere),
		.counting_i(counting),
		.idle_i(idle),
		.enable_i(on),
		.no_backward_i(no_backward_q),
		.no_indirect_i(no_indirect_q),
		.start_write_i(write[RV_REG_CUR_START]),
		.start_hi_write_i(write[RV_REG_CUR_START_HI]),
		.hist_write_i(write[RV_REG_CUR_HIST]),
		.hist_hi_write_i(write[RV_REG_CUR_HIST_HI]),
		.info_write_i(write[RV_REG_CUR_INFO]),
		.cycles_write_i(write[RV_REG_CUR_CYCLES]),
		.wdata_i(reg_wdata_i),
		.valid_o(cur_valid),
		.end_o(cur_end),
		.end_reason_o(cur_end_reason),
		.start_o(cur_start),
		.hist_o(cur_hist),
		.cycles_o(cur_cycles),
		.insns_o(cur_insns),
		.skip_o(skip),
		.latch_o(second_load),
		.latch_reason_o(latch_reason),
		.latch_hist_o(latch_hist),
		.latch_insns_o(latch_insns)
	);

	// ---------------------------------------------------------------- which records are kept: sampling, repeat
	wire [SAMPLE_BITS-1:0] period, counter;
	wire [15:0]            dither, lfsr;
	generate if (WITH_SAMPLE) begin : g_sample
		rivulet_trace_sample #(.SAMPLE_BITS(SAMPLE_BITS), .WITH_DITHER(WITH_DITHER)) sample (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.enable_i(sample_q),
			.latch_i(latch),
			.due_o(sample_due),
			.sample_o(sample_now),
			.period_write_i(write[RV_REG_PERIOD]),
			.counter_write_i(write[RV_REG_COUNTER]),
			.dither_write_i(write[RV_REG_DITHER]),
			.lfsr_write_i(write[RV_REG_LFSR]),
			.wdata_i(reg_wdata_i),
			.period_o(period),
			.counter_o(counter),
			.dither_o(dither),
			.lfsr_o(lfsr)
		);
	end else begin : g_no_sample
		assign sample_now = 1'b0;
		assign sample_due = 1'b0;
		assign period = {SAMPLE_BITS{1'b0}};
		assign counter = {SAMPLE_BITS{1'b0}};
		assign dither = 16'd0;
		assign lfsr = 16'd0;
	end endgenerate

	wire                   kept = latch && (!sample_q || sample_due);
	wire                   merge = repeat_q && !sample_q && !lifo_q;
	wire                   hold_push, hold_valid;
	wire [XLEN-1:0]        hold_start;
	wire [HIST-1:0]        hold_hist;
	wire [3:0]             hold_reason;
	wire [REPEAT_BITS-1:0] hold_repeat;
	wire [CYCLE_BITS-1:0]  hold_cycles;
	wire [INSN_BITS-1:0]   hold_insns;
	generate if (WITH_REPEAT) begin : g_repeat
		rivulet_trace_repeat #(
			.XLEN(XLEN),
			.HIST(HIST),
			.WITH_CYCLES(WITH_CYCLES),
			.CYCLE_BITS(CYCLE_BITS),
			.WITH_INSNS(WITH_INSNS),
			.INSN_BITS(INSN_BITS),
			.REPEAT_BITS(REPEAT_BITS)
		) hold (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.merge_i(merge),
			.enable_i(on),
			.latch_i(kept),
			.start_i(cur_start),
			.hist_i(latch_hist),
			.reason_i(latch_reason),
			.end_i(cur_end),
			.end_reason_i(cur_end_reason),
			.cycles_i(cur_cycles),
			.insns_i(latch_insns),
			.push_o(hold_push),
			.valid_o(hold_valid),
			.start_o(hold_start),
			.hist_o(hold_hist),
			.reason_o(hold_reason),
			.repeat_o(hold_repeat),
			.cycles_o(hold_cycles),
			.insns_o(hold_insns)
		);
	end else begin : g_no_repeat
		assign hold_push = 1'b0;
		assign hold_valid = 1'b0;
		assign hold_start = {XLEN{1'b0}};
		assign hold_hist = {HIST{1'b0}};
		assign hold_reason = 4'd0;
		assign hold_repeat = {REPEAT_BITS{1'b0}};
		assign hold_cycles = {CYCLE_BITS{1'b0}};
		assign hold_insns = {INSN_BITS{1'b0}};
	end endgenerate

	localparam REPEAT_W = WITH_REPEAT ? REPEAT_BITS : 1;
	localparam [REPEAT_W-1:0] ONCE = 1;
	wire                   once_push = WITH_REPEAT ? hold_push : kept;
	wire [REPEAT_W-1:0]    once_repeat = WITH_REPEAT ? hold_repeat[REPEAT_W-1:0] : ONCE;
	wire [XLEN-1:0]        once_start = WITH_REPEAT ? hold_start : cur_start;
	wire [HIST-1:0]        once_hist = WITH_REPEAT ? hold_hist : latch_hist;
	wire [3:0]             once_reason = WITH_REPEAT ? hold_reason : latch_reason;
	wire [CYCLE_BITS-1:0]  once_cycles = WITH_REPEAT ? hold_cycles : cur_cycles;
	wire [INSN_BITS-1:0]   once_insns = WITH_REPEAT ? hold_insns : latch_insns;

	// ---------------------------------------------------------------- the table, which counts what comes again
	localparam [0:0] WITH_TABLE = TABLE_ENTRIES > 0;
	localparam PUSH_W = WITH_TABLE ? TABLE_COUNT_BITS : REPEAT_W, PUSH_CYCLES_W = WITH_TABLE ? TABLE_CYCLE_BITS : CYCLE_BITS;
	wire                   push, draining;
	wire [PUSH_W-1:0]      push_repeat;
	wire [XLEN-1:0]        push_start;
	wire [HIST-1:0]        push_hist;
	wire [3:0]             push_reason;
	wire [PUSH_CYCLES_W-1:0] push_cycles;
	wire [INSN_BITS-1:0]   push_insns;
	localparam CONTEXT_W = TABLE_CONTEXT_BITS > 0 ? TABLE_CONTEXT_BITS : 1, TAKE_W = WITH_TABLE ? $clog2(TABLE_ENTRIES) : 1;
	wire [CONTEXT_W-1:0]   push_context, table_context;
	wire [3:0]             table_policy;
	wire [31:0]            table_missed, table_entry, table_take;
	generate if (WITH_TABLE) begin : g_table
		// Two records at most are on their way through the table, and a drained entry behind them.
		localparam HALF = FIFO_DEPTH / 2;
		rivulet_trace_table #(
			.XLEN(XLEN),
			.HIST(HIST),
			.ENTRIES(TABLE_ENTRIES),
			.WAYS(TABLE_WAYS),
			.COUNT_BITS(TABLE_COUNT_BITS),
			.REPEAT_W(REPEAT_W),
			.WITH_CYCLES(WITH_CYCLES),
			.CYCLE_BITS(CYCLE_BITS),
			.SUM_BITS(TABLE_CYCLE_BITS),
			.WITH_INSNS(WITH_INSNS),
			.INSN_BITS(INSN_BITS),
			.CONTEXT_BITS(TABLE_CONTEXT_BITS),
			.WITH_RATE(TABLE_RATE != 0),
			.WITH_INDEX(TABLE_INDEX != 0)
		) table_unit (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.enable_i(table_q && !lifo_q),
			.room_i(count < HALF[10:0] && !lifo_q),
			.drain_write_i(write[RV_REG_TABLE]),
			.drain_i(reg_wdata_i[RV_TABLE_DRAIN_LSB]),
			.draining_o(draining),
			.hold_i(table_policy[RV_TABLE_POLICY_HOLD_LSB]),
			.rate_i(table_policy[RV_TABLE_POLICY_RATE_LSB +: RV_TABLE_POLICY_RATE_W]),
			.random_i(lfsr),
			.missed_o(missed),
			.missed_count_o(missed_count),
			.take_write_i(write[RV_REG_TABLE_TAKE] && reg_wdata_i[RV_TABLE_TAKE_TAKE_LSB]),
			.take_index_i(reg_wdata_i[RV_TABLE_TAKE_INDEX_LSB +: TAKE_W]),
			.taking_o(taking),
			.taken_reason_o(taken_reason),
			.taken_start_o(taken_start),
			.taken_hist_o(taken_hist),
			.taken_count_o(taken_count),
			.taken_cycles_o(taken_cycles),
			.taken_insns_o(taken_insns),
			.taken_context_o(taken_context),
			.push_i(once_push),
			.start_i(once_start),
			.hist_i(once_hist),
			.reason_i(once_reason),
			.repeat_i(once_repeat),
			.cycles_i(once_cycles),
			.insns_i(once_insns),
			.context_i(table_context),
			.push_o(push),
			.start_o(push_start),
			.hist_o(push_hist),
			.reason_o(push_reason),
			.count_o(push_repeat),
			.cycles_o(push_cycles),
			.insns_o(push_insns),
			.context_o(push_context)
		);
		wire missed, taking;
		wire [REPEAT_W-1:0] missed_count;
		wire [3:0] taken_reason;
		wire [XLEN-1:0] taken_start;
		wire [HIST-1:0] taken_hist;
		wire [TABLE_COUNT_BITS-1:0] taken_count;
		wire [TABLE_CYCLE_BITS-1:0] taken_cycles;
		wire [INSN_BITS-1:0] taken_insns;
		wire [CONTEXT_W-1:0] taken_context;
		if (TABLE_CONTEXT_BITS > 0) begin : g_context
			reg [CONTEXT_W-1:0] context_q;
			always @(posedge clk_i)
				if (rst_i)
					context_q <= {CONTEXT_W{1'b0}};
				else if (write[RV_REG_TABLE_CONTEXT])
					context_q <= reg_wdata_i[CONTEXT_W-1:0];
			assign table_context = context_q;
		end else begin : g_no_context
			assign table_context = {CONTEXT_W{1'b0}};
		end
		if (TABLE_RATE != 0) begin : g_rate
			reg [3:0]   policy_q;
			reg [31:0]  missed_q;
			wire [32:0] missed_sum = {1'b0, missed_q} + {{33-REPEAT_W{1'b0}}, missed_count};
			always @(posedge clk_i)
				if (rst_i) begin
					policy_q <= 4'd0;
					missed_q <= 32'd0;
				end else begin
					if (write[RV_REG_TABLE_POLICY])
						policy_q <= reg_wdata_i[3:0];
					if (write[RV_REG_TABLE_MISSED])
						missed_q <= reg_wdata_i;
					else if (missed)
						missed_q <= missed_sum[31:0] | {32{missed_sum[32]}};
				end
			assign table_policy = policy_q;
			assign table_missed = missed_q;
		end else begin : g_no_rate
			assign table_policy = 4'd0;
			assign table_missed = 32'd0;
		end
		if (TABLE_INDEX != 0) begin : g_index
			reg [11:0] index_q;
			reg [2:0]        word_q;
			always @(posedge clk_i)
				if (rst_i) begin
					index_q <= 12'd0;
					word_q <= 3'd0;
				end else if (write[RV_REG_TABLE_TAKE]) begin
					index_q <= reg_wdata_i[RV_TABLE_TAKE_INDEX_LSB +: RV_TABLE_TAKE_INDEX_W];
					word_q <= reg_wdata_i[RV_TABLE_TAKE_WORD_LSB +: RV_TABLE_TAKE_WORD_W];
				end
			wire [63:0] taken_start_words = {{64-XLEN{1'b0}}, taken_start}, taken_hist_words = {{64-HIST{1'b0}}, taken_hist};
			wire [32+TABLE_COUNT_BITS-1:0] taken_count_wide = {32'd0, taken_count};
			wire [32+TABLE_CYCLE_BITS-1:0] taken_cycles_wide = {32'd0, taken_cycles};
			wire [31:0] taken_info = at({28'd0, taken_reason}, RV_REC_INFO_REASON_LSB) |
				at({24'd0, taken_count[7:0]}, RV_REC_INFO_REPEAT_LSB) | at({{32-INSN_BITS{1'b0}}, taken_insns}, RV_REC_INFO_INSNS_LSB);
			wire [255:0] taken_words = {{32-CONTEXT_W{1'b0}}, taken_context, taken_count_wide[31:0], taken_cycles_wide[31:0],
				taken_info, taken_hist_words, taken_start_words};
			assign table_entry = taken_words[32 * word_q +: 32];
			assign table_take = at({20'd0, index_q}, RV_TABLE_TAKE_INDEX_LSB) | at({29'd0, word_q}, RV_TABLE_TAKE_WORD_LSB) |
				at({31'd0, taking}, RV_TABLE_TAKE_TAKE_LSB);
		end else begin : g_no_index
			assign table_entry = 32'd0;
			assign table_take = 32'd0;
		end
	end else begin : g_no_table
		assign draining = 1'b0;
		assign push = once_push;
		assign push_repeat = once_repeat;
		assign push_start = once_start;
		assign push_hist = once_hist;
		assign push_reason = once_reason;
		assign push_cycles = once_cycles;
		assign push_insns = once_insns;
		assign push_context = {CONTEXT_W{1'b0}};
		assign table_context = {CONTEXT_W{1'b0}};
		assign table_policy = 4'd0;
		assign table_missed = 32'd0;
		assign table_entry = 32'd0;
		assign table_take = 32'd0;
	end endgenerate

	// ---------------------------------------------------------------- buffer
	// A record in the buffer: the words that software reads, in the order of the registers. Words 1, 3, 6 and 7 are there if addresses or
	// history have more than 32 bits, or with a table, of whose count word 6 is; the words after the history if there is anything in them.
	// With a table the buffer keeps what a record has, and the words are made of it when it is read: of eight words most bits would be empty.
	localparam WIDE = XLEN > 32 || HIST > 32 || WITH_TABLE, WITH_INFO = WITH_REASON || WITH_REPEAT || WITH_CYCLES || WITH_INSNS;
	localparam WORDS = WIDE ? 8 : WITH_INFO ? 4 : 2, WORD_W = $clog2(WORDS);
	wire [63:0] start_word = {{64-XLEN{1'b0}}, push_start}, hist_word = {{64-HIST{1'b0}}, push_hist};
	wire [32+PUSH_CYCLES_W-1:0] cycles_wide = {32'd0, push_cycles};
	wire [32+PUSH_W-1:0] count_wide = {32'd0, push_repeat};
	wire [31:0] cycles_word = WITH_CYCLES ? cycles_wide[31:0] : 32'd0;
	wire [31:0] count_word = WITH_TABLE ? count_wide[31:0] : 32'd0;
	wire [31:0] info_word = at(WITH_REASON ? {28'd0, push_reason} : 32'd0, RV_REC_INFO_REASON_LSB) |
		at({24'd0, count_wide[RV_REC_INFO_REPEAT_W-1:0]}, RV_REC_INFO_REPEAT_LSB) |
		at(WITH_INSNS ? {{32-INSN_BITS{1'b0}}, push_insns} : 32'd0, RV_REC_INFO_INSNS_LSB);
	localparam INSNS_KEPT = WITH_INSNS ? INSN_BITS : 0, CYCLES_KEPT = WITH_CYCLES ? TABLE_CYCLE_BITS : 0;
	localparam WIDTH = WITH_TABLE && FIFO_DEPTH > 0 ? 4 + XLEN + HIST + TABLE_COUNT_BITS + INSNS_KEPT + CYCLES_KEPT + TABLE_CONTEXT_BITS : 0;
	localparam DATA_W = WIDTH > 0 ? WIDTH : 32 * WORDS;
	wire [32*WORDS-1:0] push_words, last_words;
	wire [DATA_W-1:0]   push_data, head_whole;
	wire [31:0]         buffer_word;
	wire [191:0]        last;               // FIFO_DEPTH 0: as eight words
	wire [WORD_W-1:0]   word_select;
	generate if (WIDE) begin : g_words8
		assign push_words = {{32-CONTEXT_W{1'b0}}, push_context, count_word, cycles_word, info_word, hist_word, start_word};
		assign word_select = reg_index_i[2:0];
		assign last = last_words[191:0];
	end else if (WITH_INFO) begin : g_words4
		assign push_words = {cycles_word, info_word, hist_word[31:0], start_word[31:0]};
		assign word_select = {reg_index_i[2], reg_index_i[1] || reg_index_i[0]};
		assign last = {last_words[127:64], 32'd0, last_words[63:32], 32'd0, last_words[31:0]};
	end else begin : g_words2
		assign push_words = {hist_word[31:0], start_word[31:0]};
		assign word_select = reg_index_i[1];
		assign last = {96'd0, last_words[63:32], 32'd0, last_words[31:0]};
	end endgenerate
	wire lost_now;
	localparam PTR_W = FIFO_DEPTH > 1 ? $clog2(FIFO_DEPTH) : 1;
	wire [PTR_W-1:0] rd_ptr, wr_ptr;     // for the bench
	wire [31:0] head_word;
	wire        sink_pop;
	wire [WORD_W-1:0] sink_word;
	rivulet_trace_fifo #(.DEPTH(FIFO_DEPTH), .WORDS(WORDS), .WIDTH(WIDTH), .WITH_LIFO(WITH_LIFO), .WITH_RING(WITH_RECORDER)) buffer (
		.clk_i(clk_i),
		.rst_i(rst_i && !keep),
		.lifo_i(newest_first),
		.ring_i(ring_q),
		.push_i(push && !sealed),
		.data_i(push_data),
		.pop_i(sink_owns ? sink_pop : write[RV_REG_POP]),
		.lost_o(lost_now),
		.readable_o(readable),
		.word_i(sink_owns ? sink_word : word_select),
		.word_o(buffer_word),
		.whole_o(head_whole),
		.last_o(last_words),
		.count_o(count),
		.full_o(full),
		.rd_ptr_o(rd_ptr),
		.wr_ptr_o(wr_ptr)
	);
	generate if (WIDTH > 0) begin : g_kept
		localparam COUNT_AT = 4 + XLEN + HIST, INSNS_AT = COUNT_AT + TABLE_COUNT_BITS, CYCLES_AT = INSNS_AT + INSNS_KEPT, CONTEXT_AT = CYCLES_AT + CYCLES_KEPT;
		assign push_data[COUNT_AT+TABLE_COUNT_BITS-1:0] = {push_repeat, push_start, push_hist, push_reason};
		wire [TABLE_COUNT_BITS-1:0] head_count = head_whole[COUNT_AT +: TABLE_COUNT_BITS];
		wire [INSN_BITS-1:0]        head_insns;
		wire [TABLE_CYCLE_BITS-1:0] head_cycles;
		wire [CONTEXT_W-1:0]        head_context;
		if (WITH_INSNS) begin : g_insns
			assign push_data[INSNS_AT +: INSN_BITS] = push_insns;
			assign head_insns = head_whole[INSNS_AT +: INSN_BITS];
		end else begin : g_no_insns
			assign head_insns = {INSN_BITS{1'b0}};
		end
		if (WITH_CYCLES) begin : g_cycles
			assign push_data[CYCLES_AT +: TABLE_CYCLE_BITS] = push_cycles;
			assign head_cycles = head_whole[CYCLES_AT +: TABLE_CYCLE_BITS];
		end else begin : g_no_cycles
			assign head_cycles = {TABLE_CYCLE_BITS{1'b0}};
		end
		if (TABLE_CONTEXT_BITS > 0) begin : g_context
			assign push_data[CONTEXT_AT +: CONTEXT_W] = push_context;
			assign head_context = head_whole[CONTEXT_AT +: CONTEXT_W];
		end else begin : g_no_context
			assign head_context = {CONTEXT_W{1'b0}};
		end
		wire [63:0] head_start_words = {{64-XLEN{1'b0}}, head_whole[4+HIST +: XLEN]}, head_hist_words = {{64-HIST{1'b0}}, head_whole[4 +: HIST]};
		wire [32+TABLE_COUNT_BITS-1:0] head_count_wide = {32'd0, head_count};
		wire [32+TABLE_CYCLE_BITS-1:0] head_cycles_wide = {32'd0, head_cycles};
		wire [31:0] head_info = at({28'd0, head_whole[3:0]}, RV_REC_INFO_REASON_LSB) | at({24'd0, head_count[7:0]}, RV_REC_INFO_REPEAT_LSB) |
			at({{32-INSN_BITS{1'b0}}, head_insns}, RV_REC_INFO_INSNS_LSB);
		wire [255:0] head_words = {{32-CONTEXT_W{1'b0}}, head_context, head_count_wide[31:0], head_cycles_wide[31:0],
			head_info, head_hist_words, head_start_words};
		reg [WORD_W-1:0] word_q;
		always @(posedge clk_i)
			word_q <= sink_owns ? sink_word : word_select;
		assign head_word = head_words[32 * word_q +: 32];
	end else begin : g_words
		assign push_data = push_words;
		assign head_word = buffer_word;
	end endgenerate

	generate if (WITH_LOST) begin : g_lost
		localparam LAST_REPEAT = 32 * (RV_REG_REC_INFO - RV_REG_REC_START) + RV_REC_INFO_REPEAT_LSB;
		reg [31:0] lost_q;
		// The amount that a loss adds is computed before it is known whether there is a loss: a record that finds no room, one that is overwritten in LIFO mode
		// (it was counted once) or in a ring (records count there), or the one of FIFO_DEPTH 0 that was not read.
		wire [31:0] unread = WITH_REPEAT ? {24'd0, last[LAST_REPEAT +: RV_REC_INFO_REPEAT_W]} : 32'd1;
		wire [31:0] add = FIFO_DEPTH == 0 ? unread : newest_first || ring_q ? 32'd1 : count_wide[31:0];
		wire [32:0] sum = {1'b0, lost_q} + {1'b0, add};
		always @(posedge clk_i)
			if (rst_i && !keep)
				lost_q <= 32'd0;
			else if (write[RV_REG_LOST])
				lost_q <= reg_wdata_i;
			else if (lost_now)
				lost_q <= sum[31:0] | {32{sum[32]}};
		assign lost = lost_q;
	end else begin : g_no_lost
		assign lost = 32'd0;
	end endgenerate

	// ---------------------------------------------------------------- the sink
	wire [31:0] read_sink;
	generate if (WITH_SINK) begin : g_sink
		// START, START_HI, HIST, HIST_HI, INFO, CYCLES, COUNT, CONTEXT
		localparam [7:0] PRESENT = !WIDE ? {4'd0, WITH_CYCLES != 0, WITH_INFO != 0, 2'b11} :
			{WITH_TABLE && TABLE_CONTEXT_BITS > 0, WITH_TABLE, WITH_CYCLES != 0, WITH_INFO != 0, HIST > 32, 1'b1, XLEN > 32, 1'b1};
		rivulet_trace_sink #(.XLEN(XLEN), .SINK_BITS(SINK_BITS), .WORDS(WORDS), .PRESENT(PRESENT)) sink_unit (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.write_i(write[RV_REG_SINK]),
			.wdata_i(reg_wdata_i),
			.sink_o(read_sink),
			.irq_o(sink_irq),
			.owns_o(sink_owns),
			.readable_i(readable),
			.word_o(sink_word),
			.word_i(head_word),
			.pop_o(sink_pop),
			.mem_valid_o(sink_valid_o),
			.mem_addr_o(sink_addr_o),
			.mem_wdata_o(sink_wdata_o),
			.mem_ready_i(sink_ready_i)
		);
	end else begin : g_no_sink
		assign read_sink = 32'd0;
		assign {sink_owns, sink_irq, sink_pop, sink_valid_o} = 4'd0;
		assign sink_word = {WORD_W{1'b0}};
		assign sink_addr_o = {XLEN{1'b0}};
		assign sink_wdata_o = 32'd0;
	end endgenerate

	// ---------------------------------------------------------------- the flight recorder
	wire [31:0] read_recorder, read_recorder_traps, read_recorder_from, read_recorder_from_hi, read_recorder_to, read_recorder_to_hi;
	wire [31:0] read_recorder_limit, read_recorder_pc, read_recorder_pc_hi;
	generate if (WITH_RECORDER) begin : g_recorder
		wire [XLEN-1:0] from, to, last_pc;
		rivulet_trace_recorder #(.XLEN(XLEN)) recorder (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.power_on_i(power_on_i),
			.s_valid_i(s_valid),
			.s_trap_i(s_trap),
			.s_intr_i(s_intr),
			.s_cause_i(s_cause_q),
			.s_freeze_i(s_freeze_q),
			.s_pc_i(s_pc),
			.left_i(left),
			.armed_i(on && ring_q),
			.ring_i(ring_q),
			.endings_i({no_indirect_q, no_backward_q}),
			.write_i(write[RV_REG_RECORDER]),
			.traps_write_i(write[RV_REG_RECORDER_TRAPS]),
			.from_write_i(write[RV_REG_RECORDER_FROM]),
			.from_hi_write_i(write[RV_REG_RECORDER_FROM_HI]),
			.to_write_i(write[RV_REG_RECORDER_TO]),
			.to_hi_write_i(write[RV_REG_RECORDER_TO_HI]),
			.limit_write_i(write[RV_REG_RECORDER_LIMIT]),
			.wdata_i(reg_wdata_i),
			.recorder_o(read_recorder),
			.traps_o(read_recorder_traps),
			.from_o(from),
			.to_o(to),
			.limit_o(read_recorder_limit),
			.pc_o(last_pc),
			.frozen_o(frozen),
			.sealed_o(sealed),
			.keep_o(keep)
		);
		assign {read_recorder_from_hi, read_recorder_from} = {{64-XLEN{1'b0}}, from};
		assign {read_recorder_to_hi, read_recorder_to} = {{64-XLEN{1'b0}}, to};
		assign {read_recorder_pc_hi, read_recorder_pc} = {{64-XLEN{1'b0}}, last_pc};
	end else begin : g_no_recorder
		assign {frozen, sealed, keep} = 3'b000;
		assign {read_recorder, read_recorder_traps, read_recorder_limit} = 96'd0;
		assign {read_recorder_from_hi, read_recorder_from, read_recorder_to_hi, read_recorder_to, read_recorder_pc_hi, read_recorder_pc} = 192'd0;
	end endgenerate

	// ---------------------------------------------------------------- what the other registers read
	function [31:0] flag(input value, input integer lsb);
		flag = {31'd0, value} << lsb;
	endfunction
	localparam [31:0] read_id = at(HIST, RV_ID_HIST_LSB) | at({16'd0, RV_ID_MAGIC}, RV_ID_MAGIC_LSB) | at({24'd0, RV_ID_VERSION}, RV_ID_VERSION_LSB);
	localparam [31:0] read_caps = at(FIFO_DEPTH, RV_CAPS_DEPTH_LSB) | at(RANGES, RV_CAPS_RANGES_LSB) |
		flag(XLEN == 64, RV_CAPS_XLEN64_LSB) |
		flag(WITH_REASON, RV_CAPS_REASON_LSB) |
		flag(WITH_CYCLES, RV_CAPS_CYCLES_LSB) |
		flag(WITH_INSNS, RV_CAPS_INSNS_LSB) |
		flag(WITH_REPEAT, RV_CAPS_REPEAT_LSB) |
		flag(WITH_SAMPLE, RV_CAPS_SAMPLE_LSB) |
		flag(WITH_DITHER, RV_CAPS_DITHER_LSB) |
		flag(WITH_MODE, RV_CAPS_MODE_LSB) |
		flag(WITH_FREEZE, RV_CAPS_FREEZE_LSB) |
		flag(WITH_LOST, RV_CAPS_LOST_LSB) |
		flag(WITH_LIFO, RV_CAPS_LIFO_LSB) |
		flag(WITH_CONTEXT, RV_CAPS_CONTEXT_LSB) |
		flag(WITH_TERM, RV_CAPS_TERM_LSB) |
		flag(WITH_CHECK, RV_CAPS_CHECK_LSB) |
		flag(WITH_ZCMP, RV_CAPS_ZCMP_LSB) |
		flag(WITH_RANGE_START, RV_CAPS_RANGE_START_LSB) |
		flag(RET_MASK != 32'd0, RV_CAPS_RETURN_LSB) | flag(WITH_NEXT_PC, RV_CAPS_NEXT_PC_LSB);
	wire [31:0] read_cur_start, read_cur_start_hi, read_cur_hist, read_cur_hist_hi, read_resume, read_resume_hi;
	assign {read_cur_start_hi, read_cur_start} = {{64-XLEN{1'b0}}, cur_start};
	assign {read_cur_hist_hi, read_cur_hist} = {{64-HIST{1'b0}}, cur_hist};           // 0: no current pair
	assign {read_resume_hi, read_resume} = {{64-XLEN{1'b0}}, resume};
	wire [31:0] read_cur_cycles = {{32-CYCLE_BITS{1'b0}}, cur_cycles};
	wire [31:0] read_cur_info = at({{32-INSN_BITS{1'b0}}, cur_insns}, RV_CUR_INFO_INSNS_LSB) | flag(skip, RV_CUR_INFO_SKIP_LSB);
	wire [31:0] read_depth = at({28'd0, depth}, RV_DEPTH_DEPTH_LSB);
	wire [31:0] read_port = at({16'd0, gaps}, RV_PORT_GAPS_LSB) | at({16'd0, heals}, RV_PORT_HEALS_LSB);
	wire [31:0] read_rec_start, read_rec_start_hi, read_rec_hist, read_rec_hist_hi, read_rec_info, read_rec_cycles, last_info;
	assign {read_rec_cycles, last_info, read_rec_hist_hi, read_rec_hist, read_rec_start_hi, read_rec_start} = last;
	assign read_rec_info = last_info | flag(!WITH_REPEAT, RV_REC_INFO_REPEAT_LSB);
	wire [31:0] read_table = at({31'd0, draining}, RV_TABLE_DRAIN_LSB), read_rec_count = 32'd0, read_rec_context = 32'd0;
	wire [31:0] read_table_policy = {28'd0, table_policy}, read_table_context = {{32-CONTEXT_W{1'b0}}, table_context};
	wire [31:0] read_table_missed = table_missed, read_table_entry = table_entry, read_table_take = table_take;
	localparam [31:0] read_table_caps = !WITH_TABLE ? 32'd0 : at(TABLE_ENTRIES, RV_TABLE_CAPS_ENTRIES_LSB) | at(TABLE_WAYS, RV_TABLE_CAPS_WAYS_LSB) |
		at(TABLE_COUNT_BITS, RV_TABLE_CAPS_COUNT_BITS_LSB) | at(WITH_CYCLES ? TABLE_CYCLE_BITS : 0, RV_TABLE_CAPS_CYCLE_BITS_LSB) |
		flag(TABLE_RATE != 0, RV_TABLE_CAPS_RATE_LSB) | flag(TABLE_INDEX != 0, RV_TABLE_CAPS_INDEX_LSB) | flag(TABLE_CONTEXT_BITS != 0, RV_TABLE_CAPS_CONTEXT_LSB);
	wire [31:0] read_lost = lost;
	wire [31:0] read_period = {{32-SAMPLE_BITS{1'b0}}, period}, read_counter = {{32-SAMPLE_BITS{1'b0}}, counter};
	wire [31:0] read_dither = {16'd0, dither}, read_lfsr = {16'd0, lfsr};
	wire [31:0] read_range0_lo, read_range0_lo_hi, read_range0_hi, read_range0_hi_hi, read_range1_lo, read_range1_lo_hi, read_range1_hi, read_range1_hi_hi;
	wire [31:0] read_range2_lo, read_range2_lo_hi, read_range2_hi, read_range2_hi_hi, read_range3_lo, read_range3_lo_hi, read_range3_hi, read_range3_hi_hi;
	assign {read_range0_hi_hi, read_range0_hi, read_range0_lo_hi, read_range0_lo} = range_words[0];
	assign {read_range1_hi_hi, read_range1_hi, read_range1_lo_hi, read_range1_lo} = range_words[1];
	assign {read_range2_hi_hi, read_range2_hi, read_range2_lo_hi, read_range2_lo} = range_words[2];
	assign {read_range3_hi_hi, read_range3_hi, read_range3_lo_hi, read_range3_lo} = range_words[3];
`include "rivulet_reg_values.vh"

	rivulet_trace_front #(
		.XLEN(XLEN),
		.HIST(HIST),
		.FIFO_DEPTH(FIFO_DEPTH),
		.COUNT_BITS(COUNT_BITS),
		.RANGES(RANGES),
		.WITH_REASON(WITH_REASON),
		.WITH_CYCLES(WITH_CYCLES),
		.CYCLE_BITS(CYCLE_BITS),
		.WITH_INSNS(WITH_INSNS),
		.INSN_BITS(INSN_BITS),
		.WITH_REPEAT(WITH_REPEAT),
		.REPEAT_BITS(REPEAT_BITS),
		.WITH_SAMPLE(WITH_SAMPLE),
		.SAMPLE_BITS(SAMPLE_BITS),
		.WITH_DITHER(WITH_DITHER),
		.WITH_MODE(WITH_MODE),
		.WITH_FREEZE(WITH_FREEZE),
		.WITH_HEAL(WITH_HEAL),
		.WITH_LOST(WITH_LOST),
		.WITH_LIFO(WITH_LIFO),
		.WITH_CONTEXT(WITH_CONTEXT),
		.WITH_TERM(WITH_TERM),
		.WITH_RANGE_START(WITH_RANGE_START),
		.WITH_RECORDER(WITH_RECORDER),
		.WITH_SINK(WITH_SINK),
		.TABLE_ENTRIES(TABLE_ENTRIES),
		.TABLE_COUNT_BITS(TABLE_COUNT_BITS),
		.TABLE_CYCLE_BITS(TABLE_CYCLE_BITS),
		.TABLE_CONTEXT_BITS(TABLE_CONTEXT_BITS),
		.TABLE_RATE(TABLE_RATE),
		.TABLE_INDEX(TABLE_INDEX),
		.WITH_CHECK(WITH_CHECK),
		.RETIRE(RETIRE)
	) front (
		.clk_i(clk_i),
		.reg_write_i(reg_write_i),
		.reg_index_i(reg_index_i),
		.reg_rdata_o(reg_rdata_o),
		.write_o(write),
		.values_i(reg_values),
		.readable_i(readable && !sink_owns),
		.word_i(head_word)
	);

	assign tracing_o = counting;
	assign rec_valid_o = push;
	assign rec_start_o = push_start;
	assign rec_hist_o = push_hist;
	assign rec_reason_o = push_reason;
	assign rec_repeat_o = count_wide[31:0];
	assign rec_cycles_o = cycles_wide[31:0];
	assign rec_insns_o = {{16-INSN_BITS{1'b0}}, push_insns};

	// ---------------------------------------------------------------- parameters that are not legal stop elaboration here
	rivulet_trace_legal #(
		.XLEN(XLEN),
		.HIST(HIST),
		.FIFO_DEPTH(FIFO_DEPTH),
		.RANGES(RANGES),
		.CYCLE_BITS(CYCLE_BITS),
		.INSN_BITS(INSN_BITS),
		.REPEAT_BITS(REPEAT_BITS),
		.SAMPLE_BITS(SAMPLE_BITS),
		.TABLE_ENTRIES(TABLE_ENTRIES),
		.TABLE_WAYS(TABLE_WAYS),
		.TABLE_COUNT_BITS(TABLE_COUNT_BITS),
		.TABLE_CYCLE_BITS(TABLE_CYCLE_BITS),
		.TABLE_CONTEXT_BITS(TABLE_CONTEXT_BITS),
		.TABLE_RATE(TABLE_RATE),
		.TABLE_INDEX(TABLE_INDEX),
		.WITH_REASON(WITH_REASON),
		.WITH_CYCLES(WITH_CYCLES),
		.WITH_INSNS(WITH_INSNS),
		.WITH_REPEAT(WITH_REPEAT),
		.WITH_SAMPLE(WITH_SAMPLE),
		.WITH_DITHER(WITH_DITHER),
		.WITH_MODE(WITH_MODE),
		.WITH_FREEZE(WITH_FREEZE),
		.WITH_HEAL(WITH_HEAL),
		.WITH_LOST(WITH_LOST),
		.WITH_LIFO(WITH_LIFO),
		.WITH_CONTEXT(WITH_CONTEXT),
		.WITH_TERM(WITH_TERM),
		.WITH_RANGE_START(WITH_RANGE_START),
		.WITH_NEXT_PC(WITH_NEXT_PC),
		.WITH_ZCMP(WITH_ZCMP),
		.WITH_RECORDER(WITH_RECORDER),
		.WITH_SINK(WITH_SINK),
		.SINK_BITS(SINK_BITS),
		.WITH_CHECK(WITH_CHECK),
		.RETIRE(RETIRE)
	) legal ();
endmodule
// verilator lint_restore
`default_nettype wire
