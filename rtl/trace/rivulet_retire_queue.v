// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A core that retires up to two instructions a cycle in front of a unit that takes one: the retirements wait in a queue, in order. Slot 0 is the older
// one. The cycles that a record counts are those of the unit, some later than the core's. ready_o is 0 while there is room for fewer than two cycles
// of retirements: a core whose port is registered stops in time. Without room a retirement is dropped, and lost_o is 1; with WITH_CHECK the unit
// ends the trace there where addresses show it: not if what was dropped leads back to where it began, as a turn of a loop does, nor if `intr` comes
// behind it.
// Cost: DEPTH x (42 + 2 XLEN) bits of RAM with two write ports, or flip-flops; about 40 LUT4 beside them.
`default_nettype none
module rivulet_retire_queue #(
	parameter XLEN = 32,                     // 32 or 64
	parameter DEPTH_BITS = 4                 // of 2^DEPTH_BITS retirements: 3 to 8
) (
	input  wire              clk_i,
	input  wire              rst_i,
	// two slots of the core, each with the meanings of RVFI (NRET = 2); slot 1 is valid with slot 0 alone
	input  wire [1:0]        retire_valid_i,
	input  wire [63:0]       retire_insn_i,
	input  wire [2*XLEN-1:0] retire_pc_i,
	input  wire [2*XLEN-1:0] retire_next_pc_i,
	input  wire [1:0]        retire_trap_i,
	input  wire [1:0]        retire_intr_i,
	input  wire [3:0]        retire_mode_i,
	input  wire [11:0]       retire_cause_i, // retire_cause_i of the unit; anything for a unit without WITH_RECORDER
	output wire              ready_o,        // there is room for two cycles; registers alone decide it
	output wire              lost_o,         // a retirement is dropped in this cycle
	// the retire port of rivulet_trace
	output wire              retire_valid_o,
	output wire [31:0]       retire_insn_o,
	output wire [XLEN-1:0]   retire_pc_o,
	output wire [XLEN-1:0]   retire_next_pc_o,
	output wire              retire_trap_o,
	output wire              retire_intr_o,
	output wire [1:0]        retire_mode_o,
	output wire [5:0]        retire_cause_o
);
	localparam WIDTH = 42 + 2 * XLEN;
	localparam [DEPTH_BITS:0] ROOM = {1'b1, {DEPTH_BITS{1'b0}}}, TWO = 2, FOUR = 4;
	reg  [WIDTH-1:0]    mem [0:(1<<DEPTH_BITS)-1];
	reg  [DEPTH_BITS:0] head_q, tail_q;      // one bit more than an index: equal is empty
	wire [DEPTH_BITS:0] held = tail_q - head_q;
	wire [WIDTH-1:0]    slot0 = {retire_cause_i[5:0], retire_insn_i[31:0], retire_pc_i[XLEN-1:0], retire_next_pc_i[XLEN-1:0],
		retire_trap_i[0], retire_intr_i[0], retire_mode_i[1:0]};
	wire [WIDTH-1:0]    slot1 = {retire_cause_i[11:6], retire_insn_i[63:32], retire_pc_i[2*XLEN-1:XLEN], retire_next_pc_i[2*XLEN-1:XLEN],
		retire_trap_i[1], retire_intr_i[1], retire_mode_i[3:2]};
	wire [DEPTH_BITS-1:0] behind = tail_q[DEPTH_BITS-1:0] + {{DEPTH_BITS-1{1'b0}}, 1'b1};
	wire                room = held <= ROOM - TWO;
	wire                take0 = retire_valid_i[0] && room, take1 = retire_valid_i[1] && room;
	assign ready_o = held <= ROOM - FOUR;
	assign lost_o = retire_valid_i != 2'b00 && !room;
	assign retire_valid_o = held != {DEPTH_BITS+1{1'b0}};
	assign {retire_cause_o, retire_insn_o, retire_pc_o, retire_next_pc_o, retire_trap_o, retire_intr_o, retire_mode_o} = mem[head_q[DEPTH_BITS-1:0]];
	always @(posedge clk_i) begin
		if (take0)
			mem[tail_q[DEPTH_BITS-1:0]] <= slot0;
		if (take1)
			mem[behind] <= slot1;
		tail_q <= tail_q + {{DEPTH_BITS{1'b0}}, take0} + {{DEPTH_BITS{1'b0}}, take1};
		if (retire_valid_o)
			head_q <= head_q + {{DEPTH_BITS{1'b0}}, 1'b1};
		if (rst_i) begin
			head_q <= {DEPTH_BITS+1{1'b0}};
			tail_q <= {DEPTH_BITS+1{1'b0}};
		end
	end
	// What is not legal stops elaboration, as in rivulet_trace_legal: with room for fewer than two cycles ready_o comes too late.
	generate
	if (XLEN != 32 && XLEN != 64) begin : g_xlen
		rivulet_retire_queue_XLEN_is_32_or_64 wrong ();
	end
	if (DEPTH_BITS < 3 || DEPTH_BITS > 8) begin : g_depth_bits
		rivulet_retire_queue_DEPTH_BITS_is_3_to_8 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
