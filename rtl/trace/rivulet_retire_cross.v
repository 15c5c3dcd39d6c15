// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The retire port from the core's clock to another one of the unit: a queue whose two pointers cross in Gray code, of which one bit changes at a
// time, through two flip-flops. Retirements keep their order and none comes twice; the cycles of a record are those of the unit's clock. Without
// room a retirement is dropped, and lost_o is 1; with WITH_CHECK the unit ends the trace there where addresses show it: not if what was
// dropped leads back to where it began, as a turn of a loop does, nor if `intr` comes behind it. The unit's clock has to keep up with the core's
// retirements in the mean; 2^DEPTH_BITS less about six of them may come faster. The tools have to keep *_gray_q to *_seen1_q, and mem to the outputs,
// below a period of the faster clock: the bits of a pointer must not overtake those before.
// Cost: 2^DEPTH_BITS x (42 + 2 XLEN) bits of RAM that is read in the same cycle, or flip-flops; 8 DEPTH_BITS + 6 flip-flops beside them.
`default_nettype none
module rivulet_retire_cross #(
	parameter XLEN = 32,                     // 32 or 64
	parameter DEPTH_BITS = 4                 // of 2^DEPTH_BITS retirements: 3 to 8
) (
	// the core's side; each reset is synchronous to its clock. The unit's begins first or with the core's, else the unit takes a pointer that jumps for
	// retirements; both overlap by three cycles of the slower clock
	input  wire            core_clk_i,
	input  wire            core_rst_i,
	input  wire            retire_valid_i,
	input  wire [31:0]     retire_insn_i,
	input  wire [XLEN-1:0] retire_pc_i,
	input  wire [XLEN-1:0] retire_next_pc_i,
	input  wire            retire_trap_i,
	input  wire            retire_intr_i,
	input  wire [1:0]      retire_mode_i,
	input  wire [5:0]      retire_cause_i,   // anything for a unit without WITH_RECORDER
	output wire            lost_o,           // a retirement is dropped in this cycle of the core
	// the retire port of rivulet_trace, of the unit's clock
	input  wire            clk_i,
	input  wire            rst_i,
	output wire            retire_valid_o,
	output wire [31:0]     retire_insn_o,
	output wire [XLEN-1:0] retire_pc_o,
	output wire [XLEN-1:0] retire_next_pc_o,
	output wire            retire_trap_o,
	output wire            retire_intr_o,
	output wire [1:0]      retire_mode_o,
	output wire [5:0]      retire_cause_o
);
	localparam WIDTH = 42 + 2 * XLEN;
	localparam [DEPTH_BITS:0] ONE = 1;
	reg [WIDTH-1:0] mem [0:(1<<DEPTH_BITS)-1];
`ifdef FORMAL
	// for formal/cross: both sides have one clock, of which each takes any edges, so that those of one come between those of the other as they like
	(* anyseq *) wire core_ticks, ticks;
	wire [WIDTH*(1<<DEPTH_BITS)-1:0] rows;
	genvar g;
	generate for (g = 0; g < 1 << DEPTH_BITS; g = g + 1) begin : g_row
		assign rows[WIDTH*g +: WIDTH] = mem[g];
	end endgenerate
`else
	localparam [0:0] core_ticks = 1'b1, ticks = 1'b1;
`endif

	// One bit more than an index: full and empty differ. Each side knows where the other one was two of its own cycles ago, so full and empty
	// are seen too long, never too short.
	reg  [DEPTH_BITS:0] tail_q, tail_gray_q, head_seen1_q, head_seen2_q;     // of the core
	reg  [DEPTH_BITS:0] head_q, head_gray_q, tail_seen1_q, tail_seen2_q;     // of the unit
	wire [DEPTH_BITS:0] tail_next = tail_q + ONE, head_next = head_q + ONE;
	// the Gray code of the pointer that is a whole round ahead has its two top bits inverted
	wire                full = tail_gray_q == {~head_seen2_q[DEPTH_BITS:DEPTH_BITS-1], head_seen2_q[DEPTH_BITS-2:0]};
	wire                take = retire_valid_i && !full;
	assign lost_o = retire_valid_i && full && !core_rst_i;
	always @(posedge core_clk_i) if (core_ticks) begin
		if (take)
			mem[tail_q[DEPTH_BITS-1:0]] <= {retire_cause_i, retire_insn_i, retire_pc_i, retire_next_pc_i,
				retire_trap_i, retire_intr_i, retire_mode_i};
		if (take) begin
			tail_q <= tail_next;
			tail_gray_q <= tail_next ^ (tail_next >> 1);
		end
		head_seen1_q <= head_gray_q;
		head_seen2_q <= head_seen1_q;
		if (core_rst_i)
			{tail_q, tail_gray_q, head_seen1_q, head_seen2_q} <= {4*(DEPTH_BITS+1){1'b0}};
	end

	assign retire_valid_o = head_gray_q != tail_seen2_q;
	assign {retire_cause_o, retire_insn_o, retire_pc_o, retire_next_pc_o, retire_trap_o, retire_intr_o, retire_mode_o} = mem[head_q[DEPTH_BITS-1:0]];
	always @(posedge clk_i) if (ticks) begin
		if (retire_valid_o) begin
			head_q <= head_next;
			head_gray_q <= head_next ^ (head_next >> 1);
		end
		tail_seen1_q <= tail_gray_q;
		tail_seen2_q <= tail_seen1_q;
		if (rst_i)
			{head_q, head_gray_q, tail_seen1_q, tail_seen2_q} <= {4*(DEPTH_BITS+1){1'b0}};
	end
	// What is not legal stops elaboration, as in rivulet_trace_legal.
	generate
	if (XLEN != 32 && XLEN != 64) begin : g_xlen
		rivulet_retire_cross_XLEN_is_32_or_64 wrong ();
	end
	if (DEPTH_BITS < 3 || DEPTH_BITS > 8) begin : g_depth_bits
		rivulet_retire_cross_DEPTH_BITS_is_3_to_8 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
