// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A unit with two slots makes the records of one with one slot, and in one cycle the steps of two (docs/trace-unit.md section 16). In place of what
// waits is slots_stand_in.v. From registers without a value, reset in the first cycle.
`default_nettype none
module records_checks #(
	parameter CHECK = 0,
	parameter XLEN = 32,
	parameter HIST = 8,
	parameter [0:0] REASON = 0,
	parameter [0:0] MODE = 0,
	parameter [0:0] FREEZE = 0,
	parameter [0:0] TERM = 0,
	parameter [0:0] CYCLES = 0,
	parameter [0:0] INSNS = 0,
	parameter [0:0] NEXT = 0
) (
	input wire        clk_i,
	input wire [1:0]  valid,
	input wire [1:0]  trap,
	input wire [1:0]  intr,
	input wire [3:0]  mode,
	input wire        stop,
	input wire [63:0] insn,
	input wire [2*XLEN-1:0] pc,
	input wire [2*XLEN-1:0] next_pc,
	input wire        write,
	input wire [5:0]  index,
	input wire [31:0] wdata
);
`include "rivulet_regs.vh"
	localparam CTRL = 6'd2;
	reg rst = 1'b1;
	always @(posedge clk_i)
		rst <= 1'b0;
	wire        rec_valid;
	wire [XLEN-1:0] rec_start;
	wire [HIST-1:0] rec_hist;
	wire [3:0]  rec_reason;
	wire [31:0] rec_cycles;
	wire [15:0] rec_insns;
	rivulet_trace #(
		.XLEN(XLEN),
		.HIST(HIST),
		.WITH_REASON(REASON),
		.WITH_MODE(MODE),
		.WITH_FREEZE(FREEZE),
		.WITH_TERM(TERM),
		.WITH_NEXT_PC(NEXT),
		.WITH_CYCLES(CYCLES),
		.CYCLE_BITS(8),
		.WITH_INSNS(INSNS),
		.INSN_BITS(8),
		.RETIRE(2)
	) unit (
		.clk_i(clk_i),
		.rst_i(rst),
		.retire_valid_i(valid),
		.retire_insn_i(insn),
		.retire_pc_i(pc),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(trap),
		.retire_intr_i(intr),
		.retire_mode_i(mode),
		.retire_ready_o(),
		.retire_lost_o(),
		.retire_cause_i(6'd0),
		.stop_i(stop),
		.freeze_i(1'b0),
		.power_on_i(1'b0),
		.reg_write_i(write),
		.reg_index_i(index),
		.reg_wdata_i(wdata),
		.reg_rdata_o(),
		.irq_o(),
		.tracing_o(),
		.rec_valid_o(rec_valid),
		.rec_start_o(rec_start),
		.rec_hist_o(rec_hist),
		.rec_reason_o(rec_reason),
		.rec_repeat_o(),
		.rec_cycles_o(rec_cycles),
		.rec_insns_o(rec_insns),
		.sink_valid_o(),
		.sink_addr_o(),
		.sink_wdata_o(),
		.sink_ready_i(1'b0)
	);

	// ---------------------------------------------------------------- both slots, and the controls
	reg  [1:0]  s_valid, s_trap, s_intr;
	reg  [3:0]  s_mode;
	reg  [63:0] s_insn;
	reg  [2*XLEN-1:0] s_pc, s_next;
	reg         s_stop, enable, handlers, no_backward, no_indirect;
	reg  [3:0]  modes;
	initial s_valid = 2'b00;
	always @(posedge clk_i) begin
		s_valid <= rst ? 2'b00 : valid;
		s_stop <= stop && !rst;
		{s_trap, s_intr, s_mode, s_insn, s_pc, s_next} <= {trap, intr, mode, insn, pc, next_pc};
		if (write && index == CTRL) begin
			enable <= wdata[RV_CTRL_ENABLE_LSB];
			handlers <= wdata[RV_CTRL_HANDLERS_LSB];
			{no_backward, no_indirect} <= TERM ? {wdata[RV_CTRL_NO_BACKWARD_LSB], wdata[RV_CTRL_NO_INDIRECT_LSB]} : 2'd0;
			modes <= MODE ? wdata[RV_CTRL_MODES_LSB +: RV_CTRL_MODES_W] : 4'hF;
		end
		if (rst)
			{enable, handlers, no_backward, no_indirect, modes} <= 8'h0F;
	end
	wire on = enable && !s_stop, freezing = FREEZE && !handlers;

	// ---------------------------------------------------------------- one step, and where two go together a second one behind it
	localparam STATE_W = 2 * XLEN + HIST + 26;
	reg  [STATE_W-1:0] state;
	wire [STATE_W-1:0] state1, state2;
	wire [1:0]  honest, no_first, no_second, ends, begins, counts, idle, latch;
	wire [2*XLEN-1:0] start;
	wire [2*HIST-1:0] hist;
	wire [7:0]  why;
	wire [15:0] insns;
	genvar i;
	generate for (i = 0; i < 2; i = i + 1) begin : g_step
		wire [1:0] my_mode = s_mode[2*i +: 2];
		wire [STATE_W-1:0] behind;
		one_step #(.XLEN(XLEN), .HIST(HIST)) step (
			.before_i(i == 0 ? state : state1),
			.behind_o(behind),
			.on_i(on),
			.freezing_i(freezing),
			.no_backward_i(no_backward),
			.no_indirect_i(no_indirect),
			.modes_i(modes),
			.there_i(s_valid[i]),
			.gap_i(my_mode == 2'd2),
			.trap_i(s_trap[i]),
			.intr_i(s_intr[i]),
			.mode_i(my_mode),
			.insn_i(s_insn[32*i +: 32]),
			.pc_i(s_pc[XLEN*i +: XLEN]),
			.next_i(s_next[XLEN*i +: XLEN]),
			.honest_o(honest[i]),
			.no_first_o(no_first[i]),
			.no_second_o(no_second[i]),
			.ends_o(ends[i]),
			.begins_o(begins[i]),
			.counts_o(counts[i]),
			.idle_o(idle[i]),
			.latch_o(latch[i]),
			.start_o(start[XLEN*i +: XLEN]),
			.hist_o(hist[HIST*i +: HIST]),
			.why_o(why[4*i +: 4]),
			.insns_o(insns[8*i +: 8])
		);
		if (i == 0) begin : g_first
			assign state1 = behind;
		end else begin : g_second
			assign state2 = behind;
		end
	end endgenerate
	always @* assume (valid != 2'b10);
	always @* assume (!s_valid[0] || honest[0]);
	always @* assume (!s_valid[1] || honest[1]);
	wire same = modes[s_mode[1:0]] == modes[s_mode[3:2]];
	wire both = s_valid == 2'b11 && !no_first[0] && !no_second[1] && same && !(begins[0] && ends[0]);
	wire second = both && latch[1];
	reg  [7:0] cycles;
	always @(posedge clk_i) begin
		state <= both ? state2 : state1;
		cycles <= idle[both] ? 8'd0 : latch[0] || second ? {7'd0, counts[both]} : cycles == 8'hFF ? 8'hFF : cycles + {7'd0, counts[both]};
		if (rst)
			{state, cycles} <= {STATE_W+8{1'b0}};
	end
	generate
	case (CHECK)
	0: begin : g_records
		// A record where one of the two steps makes one, and what it says; never two in a cycle.
		always @* if (!rst) assert (rec_valid == (latch[0] || second));
		always @* if (!rst) assert (!(latch[0] && second));
		always @* if (!rst && rec_valid) assert (rec_start == (second ? start[2*XLEN-1:XLEN] : start[XLEN-1:0]));
		always @* if (!rst && rec_valid) assert (rec_hist == (second ? hist[2*HIST-1:HIST] : hist[HIST-1:0]));
		always @* if (!rst && rec_valid && REASON) assert (rec_reason == (second ? why[7:4] : why[3:0]));
		always @* if (!rst && rec_valid && INSNS) assert (rec_insns == {8'd0, second ? insns[15:8] : insns[7:0]});
		always @* if (!rst && rec_valid && CYCLES) assert (rec_cycles == {24'd0, cycles});
	end
	endcase
	endgenerate
endmodule
`default_nettype wire
