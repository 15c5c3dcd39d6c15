// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The flight recorder's trigger: what freezes the ring of the last records, and what a reset leaves of it (docs/trace-unit.md section 13).
// Cost: two addresses, a limit and a count of 32 bits each, a mask of 32 causes, the pc: 250 flip-flops with XLEN 32; docs/trace-unit-cost.md has
// the LUT4.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_recorder #(
	parameter XLEN = 32
) (
	input  wire             clk_i,
	input  wire             rst_i,
	input  wire             power_on_i,     // with rst_i: memory has no contents, nothing is kept
	// stage S
	input  wire             s_valid_i,
	input  wire             s_trap_i,
	input  wire             s_intr_i,
	input  wire [5:0]       s_cause_i,      // with s_intr_i: of the trap; bit 5: an interrupt
	input  wire             s_freeze_i,     // the pin
	input  wire [XLEN-1:0]  s_pc_i,
	input  wire             left_i,         // the instruction in S is out of scope; late
	input  wire             armed_i,        // tracing is on, and the buffer is a ring
	input  wire             ring_i,
	input  wire [1:0]       endings_i,      // CTRL.NO_INDIRECT, NO_BACKWARD: of the records
	// register writes
	input  wire             write_i,        // RECORDER
	input  wire             traps_write_i,
	input  wire             from_write_i,
	input  wire             from_hi_write_i,
	input  wire             to_write_i,
	input  wire             to_hi_write_i,
	input  wire             limit_write_i,
	input  wire [31:0]      wdata_i,
	output wire [31:0]      recorder_o,     // what RECORDER reads
	output wire [31:0]      traps_o,
	output wire [XLEN-1:0]  from_o,
	output wire [XLEN-1:0]  to_o,
	output wire [31:0]      limit_o,
	output wire [XLEN-1:0]  pc_o,
	output wire             frozen_o,       // tracing is held off
	output wire             sealed_o,       // and nothing more comes into the buffer
	output wire             keep_o          // a reset in this cycle leaves the buffer and its counts as they are
);
`include "rivulet_regs.vh"
	localparam SEAL = 5;                    // cycles: the pair, the record held for repetition, two of the table, one to spare
	reg  [5:0]      arm_q;
	reg  [31:0]     traps_q, limit_q, waited_q;
	reg  [63:0]     from_q, to_q;
	reg  [XLEN-1:0] pc_q;
	reg             running_q, frozen_q;
	reg  [2:0]      cause_q;
	reg  [1:0]      endings_q;
	reg  [SEAL-1:0] since_q;                // the last cycles were frozen
	wire            done = s_valid_i && !s_trap_i;
	wire            at_from = done && s_pc_i == from_q[XLEN-1:0], at_to = done && s_pc_i == to_q[XLEN-1:0];
	// A bit of the mask for each of the first 16 exceptions, then for each of the first 16 interrupts.
	wire            trapped = s_valid_i && s_intr_i && !s_cause_i[4] && traps_q[{s_cause_i[5], s_cause_i[3:0]}];
	wire            late = running_q && !at_from && !at_to && waited_q == limit_q;
	wire [5:0]      events = {1'b0, late, left_i, at_from, s_freeze_i, trapped} & arm_q & {6{armed_i}};
	wire            fire = events != 6'd0;
	wire [2:0]      why = events[0] ? RV_RECORDER_BY_TRAP : events[1] ? RV_RECORDER_BY_PIN : events[2] ? RV_RECORDER_BY_REACHED :
		events[3] ? RV_RECORDER_BY_LEFT : RV_RECORDER_BY_LATE;
	wire            keep = !power_on_i && (frozen_q || (arm_q[RV_RECORDER_RESET_LSB] && ring_i));
	always @(posedge clk_i) begin
		if (write_i)
			arm_q <= wdata_i[5:0];
		if (traps_write_i)
			traps_q <= wdata_i;
		if (limit_write_i)
			limit_q <= wdata_i;
		if (from_write_i)
			from_q[31:0] <= wdata_i;
		if (XLEN == 64 && from_hi_write_i)
			from_q[63:32] <= wdata_i;
		if (to_write_i)
			to_q[31:0] <= wdata_i;
		if (XLEN == 64 && to_hi_write_i)
			to_q[63:32] <= wdata_i;
		running_q <= at_from || (running_q && !at_to);
		waited_q <= at_from ? 32'd1 : waited_q + 32'd1;
		// The last instruction of the program: not the first one of the handler that its trap called.
		if (s_valid_i && !frozen_q && !events[0])
			pc_q <= s_pc_i;
		if (!frozen_q) begin
			cause_q <= fire ? why : write_i && wdata_i[RV_RECORDER_FROZEN_LSB] ? RV_RECORDER_BY_SOFTWARE : RV_RECORDER_BY_NOTHING;
			endings_q <= endings_i;
		end
		frozen_q <= write_i ? wdata_i[RV_RECORDER_FROZEN_LSB] : frozen_q || fire;
		since_q <= frozen_q ? {since_q[SEAL-2:0], 1'b1} : {SEAL{1'b0}};
		if (rst_i) begin
			{arm_q, running_q} <= 7'd0;
			{traps_q, limit_q} <= 64'd0;
			{from_q, to_q} <= 128'd0;
			frozen_q <= keep;
			since_q <= {SEAL{keep}};
			if (!keep) begin
				pc_q <= {XLEN{1'b0}};
				{cause_q, endings_q} <= 5'd0;
			end else if (!frozen_q) begin
				cause_q <= RV_RECORDER_BY_RESET;
				endings_q <= endings_i;
			end
		end
	end
	assign recorder_o = ({26'd0, arm_q} << RV_RECORDER_TRAP_LSB) | ({31'd0, frozen_q} << RV_RECORDER_FROZEN_LSB) |
		({29'd0, frozen_q ? cause_q : RV_RECORDER_BY_NOTHING} << RV_RECORDER_CAUSE_LSB) |
		({30'd0, frozen_q ? endings_q : 2'd0} << RV_RECORDER_NO_BACKWARD_LSB) | (32'd1 << RV_RECORDER_PRESENT_LSB);
	assign traps_o = traps_q;
	assign from_o = from_q[XLEN-1:0];
	assign to_o = to_q[XLEN-1:0];
	assign limit_o = limit_q;
	assign pc_o = pc_q;
	assign frozen_o = frozen_q;
	assign sealed_o = since_q[SEAL-1];
	assign keep_o = keep;
endmodule
// verilator lint_restore
`default_nettype wire
